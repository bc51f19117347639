"""The peers of section extraction: their environment, their results, and where they differ from ours."""

from __future__ import annotations

import json
import re
import subprocess
import venv
from dataclasses import dataclass
from pathlib import Path

REQUIREMENTS = ("edgartools==5.62.1", "selectolax==0.4.0")
STATED = (
    "edgar-crawler (commit 6aeed66; GPL-3 and no release on PyPI, so not installed here): forms 10-K, 10-Q, 8-K; the "
    "longest span between two item headings; no conclusion, attestation or weakness. Measured in November 2026 on two "
    "cores over the first 30 reports of the same folder: 0.93 documents/s; over 78 hand-read reports both edges right "
    "in 66 (85 %)."
)
"""What is known of the peer that is not run, with its source."""
EDGE_LETTERS = 200
"""An edge within this many letters and digits of the other is the same edge."""
_PROBE = 60
_SCRIPTS = Path(__file__).parent / "peers"
_SIGNS = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class PeerSection:
    """What edgartools returned for one report."""

    path: str
    seconds: float
    text: str
    error: str


def environment(folder: Path) -> Path:
    """The Python of the peers' own environment in a folder outside the tree; made where it is missing."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *REQUIREMENTS], check=True)
    return python


def _run(python: Path, script: str, work: list[tuple[str, str]]) -> str:
    done = subprocess.run(
        [python, _SCRIPTS / script], input=json.dumps(work), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, check=True,
    )  # fmt: skip
    # A peer may greet on standard output before the answer.
    return done.stdout[done.stdout.index("{") :]


def edgartools(python: Path, work: list[tuple[str, str]]) -> tuple[list[PeerSection], int]:
    """The controls item of each report by edgartools, and its peak memory as the system counts it."""
    answer = json.loads(_run(python, "edgartools_section.py", work))
    return [PeerSection(**result) for result in answer["results"]], answer["peak"]


def bounds(python: Path, work: list[tuple[str, str]]) -> dict[str, float]:
    """Seconds that parsing alone takes, by library."""
    seconds: dict[str, float] = json.loads(_run(python, "bounds.py", work))
    return seconds


def difference(ours: str, theirs: str) -> str:
    """How two cuts of one report differ: `same`, `none`, `only ours`, `only theirs`, `start`, `end` or `start and end`."""
    if not ours or not theirs:
        return "none" if ours == theirs else ("only ours" if ours else "only theirs")
    a, b = _SIGNS.sub("", ours.lower()), _SIGNS.sub("", theirs.lower())
    start, end = _near(a, b), _near(a[::-1], b[::-1])
    if start and end:
        return "same"
    return "end" if start else ("start" if end else "start and end")


def _near(a: str, b: str) -> bool:
    """Whether one text begins within `EDGE_LETTERS` of the other's beginning."""
    return a[:_PROBE] in b[: EDGE_LETTERS + _PROBE] or b[:_PROBE] in a[: EDGE_LETTERS + _PROBE]
