"""The demo's sources on the wire: the authored corpus behind the replay server, EDGAR and FAC on one port."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from benchmark_pipeline.settings import Settings

from .fac_replay import FacReplay
from .profile import DEMO_FOLDER
from .replay import ReplayServer
from .site import build_site

_SOURCES = ("site.py", "notes_data_sets.py", "corpus")


@contextmanager
def demo_server(settings: Settings) -> Iterator[str]:
    """Serves the demo corpus while the block runs; yields `http://host:port`."""
    with ReplayServer(site_folder(settings.folder), mounts={"/fac": FacReplay.of_corpus()}) as server:
        yield server.url


def site_folder(folder: Path) -> Path:
    """The rendered corpus below `folder`, rendered again only when its authored sources have changed."""
    target = folder / "site" / _fingerprint()
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "site.lock"):
            if not target.exists():
                shutil.rmtree(folder / "site", ignore_errors=True)
                building = folder / "site" / "building"
                build_site(building)
                building.rename(target)
    return target


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for name in _SOURCES:
        source = DEMO_FOLDER / name
        for path in [source] if source.is_file() else sorted(source.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(path.relative_to(DEMO_FOLDER).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
