"""Verification of a dataset folder from the folder alone: checksums, reviews, gate and headline, each recomputed.

Nothing of the pipeline that built it is needed, neither lake nor log. What the folder says of itself is only compared.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import duckdb
from pydantic import ValidationError

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.evaluation.model_registry import BASELINE_PREFIX
from benchmark_pipeline.evaluation.scoring import SCORING_VERSION, score_answer
from benchmark_pipeline.items.reviews import is_model_id, read_reviews
from benchmark_pipeline.storage.engine import session
from benchmark_pipeline.tables.base import Row
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow, EvidenceAnswerRow
from benchmark_pipeline.tables.evaluation import ParsedAnswerRow, ScoreRow
from benchmark_pipeline.tables.items import ItemReviewRow, ItemRow
from benchmark_pipeline.tables.publication import HeadlineRow

from .headline import headline_rows
from .release_files import SUMS, read_lines_sql
from .release_gate import CANARY, Finding, GateInput, findings, warnings
from .results import collect_runs
from .warehouse import literal

R = TypeVar("R", bound=Row)
UNREVIEWED = "every_item_has_its_human_decisions"


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
    evidence: list[ContradictingEvidenceRow] = field(default_factory=list)
    evidence_answers: list[EvidenceAnswerRow] = field(default_factory=list)
    decisions: list[ItemReviewRow] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """Decisions and answers that no person can have made."""
    answers: list[ParsedAnswerRow] = field(default_factory=list)
    scores: list[ScoreRow] = field(default_factory=list)
    headline: list[HeadlineRow] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """Rows that do not fit their table, or one another."""

    @property
    def gate_input(self) -> GateInput:
        """What the gate judges."""
        share = float(self.gate_record.get("holdout_share", 0))
        return GateInput(
            self.items, self.pool, self.decisions, self.prompts, self.evidence, self.evidence_answers, share
        )


def verify(path: Path, now: datetime) -> list[Verified]:
    """Recomputes what the folder claims.

    Raises:
        BenchError: the path is no dataset folder of this version of the format.
    """
    sums = _checksums(path)
    try:
        folder = _read(path, now)
        found = findings(folder.gate_input)
        return [sums, _contents(folder), _tables(folder), _reviews(folder, found), _gate(folder, found), _scores(folder),
                _headline(folder)]  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        if sums.problems:  # a damaged file: the checksums tell which
            return [sums, Verified("contents", "cannot be read", (str(error).splitlines()[0],))]
        raise BenchError(
            f"{path} is not a dataset folder: {error!r}", remedy="give a folder made by `icfr-bench release build`"
        ) from error


def _checksums(path: Path) -> Verified:
    sums = path / SUMS
    if not sums.is_file():
        raise BenchError(f"{path} holds no {SUMS}", remedy="give a folder made by `icfr-bench release build`")
    content = sums.read_bytes()
    lines = content.decode("utf-8", "replace").splitlines()
    listed = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    present = {p.relative_to(path).as_posix(): p for p in path.rglob("*") if p.is_file() and p != sums}
    problems = [f"{name} is missing" for name in sorted(listed.keys() - present.keys())]
    problems += [f"{name} is not listed" for name in sorted(present.keys() - listed.keys())]
    for name in sorted(listed.keys() & present.keys()):
        with present[name].open("rb") as handle:
            if hashlib.file_digest(handle, "sha256").hexdigest() != listed[name]:
                problems.append(f"{name} has changed")
    # Whoever alters files can alter the list: the digest of the list is what a publisher states elsewhere.
    said = f"{len(listed)} files; SHA-256 of {SUMS} itself {hashlib.sha256(content).hexdigest()}"
    return Verified("checksums", said, tuple(problems))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as handle:
        for line in handle:
            record = json.loads(line)
            record.pop("canary", None)
            yield record


def _rows(folder: Folder, name: str, model: type[R]) -> list[R]:
    """Rows of a table; one that does not fit is a problem and left out."""
    records = enumerate(_lines(folder.path / name), start=1)
    made = (_row(folder, f"{name} line {number}", record, model) for number, record in records)
    return [row for row in made if row is not None]


def _row(folder: Folder, where: str, record: dict[str, Any], model: type[R]) -> R | None:
    try:
        return model.model_validate(record)
    except ValidationError as error:
        said = "; ".join(f"{'.'.join(map(str, p['loc']))}: {p['msg']}" for p in error.errors()[:3])
        folder.problems.append(f"{where}: {said}")
        return None


def _read(path: Path, now: datetime) -> Folder:
    folder = Folder(path, json.loads((path / "RELEASE_GATE.json").read_text(encoding="utf-8")))
    _read_items(folder)
    folder.pool = _rows(folder, "evidence/clean_pool_decisions.jsonl", CleanPoolRow)
    folder.evidence = _rows(folder, "evidence/contradicting_evidence.jsonl", ContradictingEvidenceRow)
    folder.answers = _rows(folder, "results/answers.jsonl", ParsedAnswerRow)
    folder.scores = _rows(folder, "results/scores.jsonl", ScoreRow)
    folder.headline = _rows(folder, "results/headline.jsonl", HeadlineRow)
    folder.prompts = [p.read_text(encoding="utf-8") for p in sorted((path / "prompts").rglob("*.md"))]
    models = {row.model_id for row in folder.scores if not row.model_id.startswith(BASELINE_PREFIX)}
    models |= {item.drafted_by for item in folder.items if item.drafted_by}
    log = read_reviews(_lines(path / "reviews" / "decisions.jsonl"), now, models)
    folder.decisions, folder.refused = log.decisions, [f"decision {r.decision_id}: {r.why}" for r in log.refused]
    for row in _rows(folder, "reviews/evidence_answers.jsonl", EvidenceAnswerRow):
        if is_model_id(row.reviewer, models):
            folder.refused.append(f"answer {row.answer_id}: reviewer {row.reviewer!r} is the id of a model")
        else:
            folder.evidence_answers.append(row)
    return folder


def _read_items(folder: Folder) -> None:
    for labels in sorted((folder.path / "labels").glob("task_*/*.jsonl")):
        name = f"{labels.parent.name}/{labels.name}"
        inputs = {row["item_id"]: row for row in _lines(folder.path / "data" / name)}
        for label in _lines(labels):
            source = inputs.pop(label["item_id"], None)
            if source is None:
                folder.problems.append(f"labels/{name}: {label['item_id']} has no text")
                continue
            values = {"reject_reason": None, "reject_detail": None} | source | label
            if item := _row(folder, f"{name} {label['item_id']}", values, ItemRow):
                folder.items.append(item)
        folder.problems += [f"data/{name}: {item_id} has no label" for item_id in inputs]
    folder.items.sort(key=lambda item: item.item_id)


def _contents(folder: Folder) -> Verified:
    """Every row fits its table, every text its label, and nothing is both withdrawn and there."""
    problems = list(folder.problems)
    ids = {item.item_id for item in folder.items}
    withdrawn = [str(row["item_id"]) for row in _lines(folder.path / "withdrawn.jsonl")]
    problems += [f"{item_id} is listed as withdrawn and is there" for item_id in withdrawn if item_id in ids]
    for label in ("data", "labels"):
        for path in sorted((folder.path / label).rglob("*.jsonl")):
            if any(CANARY not in line for line in path.open(encoding="utf-8")):
                problems.append(f"{path.relative_to(folder.path).as_posix()} has lines without the canary")
    return Verified("contents", f"{len(ids)} items, {len(withdrawn)} withdrawn", tuple(problems))


def _tables(folder: Folder) -> Verified:
    """Parquet and JSON Lines hold the same rows, and the Parquet files carry the canary."""
    problems, count = [], 0
    with session() as connection:
        for parquet in sorted(folder.path.rglob("*.parquet")):
            name = parquet.relative_to(folder.path).as_posix()
            count += 1
            try:
                problems += [f"{name} {problem}" for problem in _differences(connection, parquet)]
            except duckdb.Error as error:
                problems.append(f"{name} cannot be compared with its lines: {str(error).splitlines()[0]}")
    tables = {
        p.with_suffix(".parquet") for p in folder.path.rglob("*.jsonl") if p.stat().st_size and p.parent != folder.path
    }
    problems += [f"{p.relative_to(folder.path).as_posix()} is missing" for p in sorted(tables) if not p.is_file()]
    return Verified("tables", f"{count} Parquet files beside their JSON Lines", tuple(problems))


def _differences(connection: duckdb.DuckDBPyConnection, parquet: Path) -> Iterator[str]:
    described = connection.execute("DESCRIBE SELECT * FROM read_parquet($path)", {"path": str(parquet)}).fetchall()
    table = f"read_parquet({literal(parquet)})"
    lines = read_lines_sql(parquet.with_suffix(".jsonl"), {row[0]: row[1] for row in described})
    for what, first, second in (
        ("rows that no line states", table, lines),
        ("too few rows for its lines", lines, table),
    ):
        found = connection.execute(
            f"SELECT count(*) FROM (SELECT * FROM {first} EXCEPT ALL SELECT * FROM {second})"
        ).fetchone()
        if found and found[0]:
            yield f"has {what}: {found[0]}"
    keys = connection.execute("SELECT decode(value) FROM parquet_kv_metadata($path)", {"path": str(parquet)}).fetchall()
    if (CANARY,) not in keys:
        yield "does not carry the canary"


def _reviews(folder: Folder, found: Sequence[Finding]) -> Verified:
    problems = [f"refused {text}" for text in folder.refused]
    offenders = [name for finding in found if finding.rule == UNREVIEWED for name in finding.offenders]
    claimed = set(folder.gate_record.get("offenders", {}).get(UNREVIEWED, []))
    problems += [f"{name} has no human decision" for name in offenders if name not in claimed]
    people = len({row.reviewer for row in folder.decisions})
    reviewed = len(folder.items) - len(offenders)
    said = f"{reviewed} of {len(folder.items)} items reviewed; {len(folder.decisions)} decisions of {people} people"
    said += f", {len(folder.evidence_answers)} answers on evidence" if folder.evidence_answers else ""
    return Verified("reviews", said, tuple(problems))


def _gate(folder: Folder, found: Sequence[Finding]) -> Verified:
    status = folder.gate_record.get("status")
    recomputed = {finding.rule: sorted(finding.offenders) for finding in found}
    stated = {rule: sorted(names) for rule, names in folder.gate_record.get("offenders", {}).items()}
    problems = []
    if recomputed != stated:
        problems.append("RELEASE_GATE.json names other offenders than the rows give")
    if status != "preview":
        problems += [finding.problem for finding in found]
    said = f"{status}: {'open' if not found else f'{len(found)} rules broken'}"
    warned = [finding.problem for finding in warnings(folder.gate_input)]
    return Verified("gate", "; ".join([said, *(f"note: {problem}" for problem in warned)]), tuple(problems))


def _scores(folder: Folder) -> Verified:
    """Every score follows from the stored answer and the label."""
    items = {item.item_id: item for item in folder.items}
    answers = {row.request_key: row for row in folder.answers}
    problems, other = [], 0
    for row in folder.scores:
        answer, item = answers.get(row.request_key), items.get(row.item_id)
        if answer is None or item is None or answer.item_id != row.item_id:
            problems.append(f"{row.model_id} {row.item_id}: a score without its answer or item")
        elif row.scoring_version != SCORING_VERSION:
            other += 1
        elif score_answer(answer, item) != row:
            problems.append(f"{row.model_id} {row.item_id}: the answer gives another score")
    said = f"{len(folder.scores)} scores" + (f", {other} of another scoring version not recomputed" if other else "")
    return Verified("scores", said, tuple(problems))


def _headline(folder: Folder) -> Verified:
    version = str(folder.gate_record.get("dataset_version"))
    try:
        runs = collect_runs(folder.scores, folder.items, version)
    except BenchError as error:
        return Verified("headline", "cannot be computed", (error.what,))
    again = {_identity(row): row for row in headline_rows(runs)}
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
