"""Verification of a dataset folder from the folder alone: checksums, reviews, gate and headline, each recomputed.

Nothing of the pipeline that built it is needed, neither lake nor log. What the folder says of itself is only compared.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.evaluation.model_registry import BASELINE_PREFIX
from benchmark_pipeline.items.reviews import read_reviews
from benchmark_pipeline.tables.base import Row
from benchmark_pipeline.tables.clean_pool import CleanPoolRow
from benchmark_pipeline.tables.evaluation import ScoreRow
from benchmark_pipeline.tables.items import TASKS, ItemReviewRow, ItemRow
from benchmark_pipeline.tables.publication import HeadlineRow

from .headline import headline_rows
from .release_gate import CANARY, GateInput, findings
from .results import collect_runs

R = TypeVar("R", bound=Row)


@dataclass(frozen=True)
class Verified:
    """One thing that was recomputed."""

    name: str
    says: str
    """What was found, in words."""
    problems: tuple[str, ...] = ()


@dataclass
class Folder:
    """What a dataset folder holds, read once."""

    path: Path
    gate_record: dict[str, Any]
    items: list[ItemRow] = field(default_factory=list)
    pool: list[CleanPoolRow] = field(default_factory=list)
    decisions: list[ItemReviewRow] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    scores: list[ScoreRow] = field(default_factory=list)
    headline: list[HeadlineRow] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)


def verify(path: Path, now: datetime) -> list[Verified]:
    """Recomputes what the folder claims.

    Raises:
        BenchError: the path is no dataset folder of this version of the format.
    """
    sums = _checksums(path)
    try:
        folder = _read(path, now)
    except (OSError, ValueError, KeyError) as error:
        if sums.problems:  # a damaged file: the checksums tell which
            return [sums, Verified("contents", "cannot be read", (str(error).splitlines()[0],))]
        raise BenchError(
            f"{path} is not a dataset folder: {error}", remedy="give the folder that holds SHA256SUMS"
        ) from error
    return [sums, _parquet(folder), _reviews(folder), _gate(folder), _headline(folder)]


def _checksums(path: Path) -> Verified:
    sums = path / "SHA256SUMS"
    if not sums.is_file():
        raise BenchError(f"{path} holds no SHA256SUMS", remedy="give a folder made by `icfr-bench release build`")
    lines = sums.read_text(encoding="utf-8").splitlines()
    listed = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    present = {p.relative_to(path).as_posix(): p for p in path.rglob("*") if p.is_file() and p != sums}
    problems = [f"{name} is missing" for name in sorted(listed.keys() - present.keys())]
    problems += [f"{name} is not listed" for name in sorted(present.keys() - listed.keys())]
    problems += [
        f"{name} has changed"
        for name in sorted(listed.keys() & present.keys())
        if hashlib.sha256(present[name].read_bytes()).hexdigest() != listed[name]
    ]
    return Verified("checksums", f"{len(listed)} files", tuple(problems))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as handle:
        for line in handle:
            record = json.loads(line)
            record.pop("canary", None)
            yield record


def _rows(path: Path, model: type[R]) -> list[R]:
    try:
        return [model.model_validate(record) for record in _lines(path)]
    except ValidationError as error:
        raise ValueError(f"{path}: {error}") from error


def _read(path: Path, now: datetime) -> Folder:
    folder = Folder(path, json.loads((path / "RELEASE_GATE.json").read_text(encoding="utf-8")))
    for task in TASKS:
        for data in sorted((path / "data" / f"task_{task.lower()}").glob("*.jsonl")):
            labels = {row["item_id"]: row for row in _lines(path / "labels" / data.parent.name / data.name)}
            for record in _lines(data):
                values = {"reject_reason": None, "reject_detail": None} | record | labels[record["item_id"]]
                folder.items.append(ItemRow.model_validate(values))
    folder.pool = _rows(path / "evidence" / "clean_pool_decisions.jsonl", CleanPoolRow)
    folder.scores = _rows(path / "results" / "scores.jsonl", ScoreRow)
    folder.headline = _rows(path / "results" / "headline.jsonl", HeadlineRow)
    folder.prompts = [p.read_text(encoding="utf-8") for p in sorted((path / "prompts").rglob("*.md"))]
    models = {row.model_id for row in folder.scores if not row.model_id.startswith(BASELINE_PREFIX)}
    models |= {item.drafted_by for item in folder.items if item.drafted_by}
    log = read_reviews(_lines(path / "reviews" / "decisions.jsonl"), now, models)
    folder.decisions, folder.refused = log.decisions, [f"{r.decision_id}: {r.why}" for r in log.refused]
    return folder


def _parquet(folder: Folder) -> Verified:
    """Parquet and JSON Lines are the same rows, and the files carry the canary."""
    import duckdb

    problems, count = [], 0
    with duckdb.connect(config={"threads": 1}) as connection:
        for parquet in sorted(folder.path.rglob("*.parquet")):
            lines = list(_lines(parquet.with_suffix(".jsonl")))
            cursor = connection.execute("SELECT count(*) FROM read_parquet($path)", {"path": str(parquet)})
            found = (cursor.fetchone() or (0,))[0]
            keys = connection.execute(
                "SELECT decode(value) FROM parquet_kv_metadata($path)", {"path": str(parquet)}
            ).fetchall()
            name = parquet.relative_to(folder.path).as_posix()
            if found != len(lines):
                problems.append(f"{name}: {found} rows, {len(lines)} lines")
            if (CANARY,) not in keys:
                problems.append(f"{name} does not carry the canary")
            count += 1
    return Verified("tables", f"{count} Parquet files beside their JSON Lines", tuple(problems))


def _reviews(folder: Folder) -> Verified:
    problems = [f"refused decision {text}" for text in folder.refused]
    offenders = _offenders(folder)("every_item_has_its_human_decisions")
    claimed = set(folder.gate_record.get("offenders", {}).get("every_item_has_its_human_decisions", []))
    problems += [f"{name} has no human decision" for name in offenders if name not in claimed]
    people = len({row.reviewer for row in folder.decisions})
    reviewed = len(folder.items) - len(offenders)
    said = f"{reviewed} of {len(folder.items)} items reviewed; {len(folder.decisions)} decisions of {people} people"
    return Verified("reviews", said, tuple(problems))


def _offenders(folder: Folder) -> Callable[[str], list[str]]:
    found = {f.rule: list(f.offenders) for f in findings(_gate_input(folder))}
    return lambda rule: found.get(rule, [])


def _gate_input(folder: Folder) -> GateInput:
    return GateInput(folder.items, folder.pool, folder.decisions, folder.prompts)


def _gate(folder: Folder) -> Verified:
    status = folder.gate_record.get("status")
    found = findings(_gate_input(folder))
    recomputed = {finding.rule: list(finding.offenders) for finding in found}
    problems = []
    if {k: sorted(v) for k, v in recomputed.items()} != {
        k: sorted(v) for k, v in folder.gate_record.get("offenders", {}).items()
    }:
        problems.append("RELEASE_GATE.json names other offenders than the rows give")
    if status != "preview":
        problems += [finding.problem for finding in found]
    return Verified("gate", f"{status}: {'open' if not found else f'{len(found)} rules broken'}", tuple(problems))


def _headline(folder: Folder) -> Verified:
    version = str(folder.gate_record.get("dataset_version"))
    again = {_identity(row): row for row in headline_rows(collect_runs(folder.scores, folder.items, version))}
    said = {_identity(row): row for row in folder.headline}
    problems = [
        f"{' / '.join(key)}: only in {'the folder' if key in said else 'the scores'}"
        for key in sorted(set(again) ^ set(said))
    ]
    problems += [
        f"{' / '.join(key)}: the scores give another headline"
        for key in sorted(set(again) & set(said))
        if not _same(again[key], said[key])
    ]
    rates = [
        f"{row.model_id} {row.fpr:.1%} ({row.k}/{row.n})"
        for row in again.values()
        if row.kind == "model" and row.fpr is not None
    ]
    return Verified("headline", "; ".join(rates) or "no model has a headline", tuple(problems))


def _identity(row: HeadlineRow) -> tuple[str, ...]:
    return row.dataset_version, row.prompt_version, row.scoring_version, row.model_id, row.run_id


def _same(first: HeadlineRow, second: HeadlineRow) -> bool:
    # Intervals come from an iteration whose last digits may differ between machines.
    a, b = first.model_dump(), second.model_dump()
    return all(
        abs(a[n] - b[n]) < 1e-9 if isinstance(a[n], float) and isinstance(b[n], float) else a[n] == b[n] for n in a
    )
