"""Reading back what releases published: the Task C items with their labels."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmark_pipeline.errors import CorruptFileError
from benchmark_pipeline.icfr.withdrawals import ReleasedItem


def released_items(releases: Path) -> list[ReleasedItem]:
    """Items on annual reports with a clean or deficient label, of every release in the folder. Previews are no releases.

    Raises:
        CorruptFileError: a release lacks a list, or a list cannot be read.
    """
    return [item for folder in _releases(releases) for item in _of_release(folder)]


def _releases(releases: Path) -> list[Path]:
    found = []
    for gate in sorted(releases.glob("[!.]*/RELEASE_GATE.json")):
        record = _json(gate, gate.read_text(encoding="utf-8"))
        if record.get("status") == "release":
            found.append(gate.parent)
    return found


def _of_release(folder: Path) -> Iterator[ReleasedItem]:
    version = _json(folder / "RELEASE_GATE.json", (folder / "RELEASE_GATE.json").read_text(encoding="utf-8"))
    sources = {row["item_id"]: row for row in _lines(folder / "data" / "task_c")}
    for label in _lines(folder / "labels" / "task_c"):
        source = sources.get(label["item_id"])
        if source is None:
            raise CorruptFileError(
                f"release {folder} holds a label without its item: {label['item_id']}", remedy=_REMEDY.format(folder)
            )
        if label["gold_icfr"] is not None and source["accession"] and source["cik"]:
            yield ReleasedItem(
                version["dataset_version"], label["item_id"], source["accession"], source["cik"], label["gold_icfr"],
                label["clean_rating"],
            )  # fmt: skip


_REMEDY = "compare {} with its SHA256SUMS and restore it from the published copy"


def _lines(folder: Path) -> list[dict[str, Any]]:
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise CorruptFileError(f"no item list below {folder}", remedy=_REMEDY.format(folder.parent.parent))
    return [
        _json(path, line) for path in files for line in path.read_text(encoding="utf-8").split("\n") if line.strip()
    ]


def _json(path: Path, text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise CorruptFileError(f"{path} cannot be read: {error}", remedy=_REMEDY.format(path.parent)) from error
    if not isinstance(value, dict):
        raise CorruptFileError(f"{path} holds no records", remedy=_REMEDY.format(path.parent))
    return value
