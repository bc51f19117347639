"""Reading back what releases published. A folder of an older format is read as far as items and labels go."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmark_pipeline.errors import BenchError, CorruptFileError
from benchmark_pipeline.icfr.withdrawals import ReleasedItem

_REMEDY = "compare {} with its SHA256SUMS and restore it from the published copy"
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:[-+].*)?")


@dataclass(frozen=True)
class Published:
    """The items of one dataset version, as their files state them."""

    version: str
    items: Mapping[str, Mapping[str, Any]]
    """Columns of inputs and labels together, by item id."""
    withdrawn: Sequence[Mapping[str, Any]] = field(default_factory=list)
    """Lines of `withdrawn.jsonl`."""


def version_number(version: str) -> tuple[int, int, int]:
    """`X.Y.Z` as numbers; what follows a dash names the corpus and does not order.

    Raises:
        BenchError: it is no such version.
    """
    found = _VERSION.fullmatch(version)
    if not found:
        raise BenchError(f"{version!r} is no dataset version", remedy="set ICFR_BENCH_DATASET_VERSION to X.Y.Z")
    return int(found[1]), int(found[2]), int(found[3])


def earlier_releases(releases: Path) -> list[Published]:
    """Every release in the folder, lowest version first. Previews are no releases.

    Raises:
        CorruptFileError: a release lacks a list, or a list cannot be read.
    """
    found = []
    for gate in sorted(releases.glob("[!.]*/RELEASE_GATE.json")):
        record = _json(gate, gate.read_text(encoding="utf-8"))
        if record.get("status") == "release":
            found.append(_release(gate.parent, str(record["dataset_version"])))
    return sorted(found, key=lambda release: version_number(release.version))


def released_items(releases: Path) -> list[ReleasedItem]:
    """Items on annual reports with a clean or deficient label, of every release in the folder.

    Raises:
        CorruptFileError: a release lacks a list, or a list cannot be read.
    """
    return [
        ReleasedItem(release.version, item_id, item["accession"], item["cik"], item["gold_icfr"], item["clean_rating"])
        for release in earlier_releases(releases)
        for item_id, item in release.items.items()
        if item["gold_icfr"] is not None and item["accession"] and item["cik"]
    ]


def _release(folder: Path, version: str) -> Published:
    items: dict[str, dict[str, Any]] = {}
    for labels in sorted((folder / "labels").glob("task_*")) or [folder / "labels" / "task_c"]:
        sources = {row["item_id"]: row for row in _lines(folder / "data" / labels.name)}
        for label in _lines(labels):
            source = sources.get(label["item_id"])
            if source is None:
                raise CorruptFileError(
                    f"release {folder} holds a label without its item: {label['item_id']}",
                    remedy=_REMEDY.format(folder),
                )
            items[label["item_id"]] = {k: v for k, v in {**source, **label}.items() if k != "canary"}
    withdrawn = folder / "withdrawn.jsonl"
    lines = _records(withdrawn) if withdrawn.is_file() else iter(())
    return Published(version, items, [{k: v for k, v in line.items() if k != "canary"} for line in lines])


def _lines(folder: Path) -> list[dict[str, Any]]:
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise CorruptFileError(f"no item list below {folder}", remedy=_REMEDY.format(folder.parent.parent))
    return [record for path in files for record in _records(path)]


def _records(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.strip():
            yield _json(path, line)


def _json(path: Path, text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise CorruptFileError(f"{path} cannot be read: {error}", remedy=_REMEDY.format(path.parent)) from error
    if not isinstance(value, dict):
        raise CorruptFileError(f"{path} holds no records", remedy=_REMEDY.format(path.parent))
    return value
