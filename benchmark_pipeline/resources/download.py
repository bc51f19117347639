"""Large archives on disk: received piece by piece beside their place, then moved there whole."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import httpx

from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage.files import replace_file

from .edgar_answers import Verdict

_PIECE = 1024 * 1024


@dataclass(frozen=True)
class Download:
    """An archive as received."""

    url: str
    path: Path
    sha256: str
    retrieved_at: datetime
    headers: dict[str, str]


def download_file(settings: Settings, path: str) -> Path:
    """Where the archive at this path of a host is kept: one version, the last; it can be downloaded again."""
    return settings.folder / "archives" / path.strip("/").replace("/", "_")


async def receive_file(answer: httpx.Response, target: Path) -> tuple[Verdict, str | None, int | None]:
    """Writes the body; the file before stays until the new one is whole.

    Returns:
        Whether the body is a ZIP archive of the announced length; if it is, its SHA-256 and its size in bytes.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    # One name: what a killed run left behind is overwritten by the next, not kept beside it.
    temporary = target.with_name(f".{target.name}.part")
    digest, size, start = hashlib.sha256(), 0, b""
    try:
        with temporary.open("wb") as handle:
            async for piece in answer.aiter_raw(_PIECE):
                start = start or piece[:4]
                digest.update(piece)
                size += len(piece)
                await asyncio.to_thread(handle.write, piece)
        announced = answer.headers.get("content-length", "")
        if announced.isdecimal() and int(announced) != size:
            return Verdict("truncated", f"{size} of {announced} bytes"), None, None
        if not start.startswith(b"PK"):
            return Verdict("wrong_document", f"not a ZIP archive: {start!r}"), None, None
        await asyncio.to_thread(replace_file, temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    return Verdict("ok"), digest.hexdigest(), size
