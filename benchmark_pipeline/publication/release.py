"""The dataset folder: items, labels apart from inputs, reviews, scores, prompts, evidence, card and checksums.

A release is cut once and never changed. While an item waits for its human decision only a preview can be built; its
folder says so by name, and a newer preview replaces it as a whole. The same rows give the same bytes.
"""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow, EvidenceAnswerRow
from benchmark_pipeline.tables.evaluation import ParsedAnswerRow, PromptTemplateRow, ScoreRow
from benchmark_pipeline.tables.items import TASKS, ItemReviewRow, ItemRow
from benchmark_pipeline.tables.publication import HeadlineRow, Status

from .card import card, citation, file_name
from .changes import Withdrawn, changelog, version_problem, withdrawn_items
from .croissant import croissant
from .datasheet import datasheet
from .headline import headline_rows
from .published import Published, earlier_releases, version_number
from .release_files import write_checksums, write_table, write_text
from .release_gate import CANARY, GATE, Finding, GateInput, findings, warnings
from .results import collect_runs

SHOWN = 8
"""Offenders named in an error; the gate report names all."""
INPUT_COLUMNS = ("item_id", "task", "arm", "text", "fiscal_year_end", "population", "jurisdiction", "regime", "language",
                 "fiscal_year", "form", "cik", "accession", "source_ref", "source_span", "twin_of", "pair_id",
                 "company_key", "text_sha256")  # fmt: skip
"""What a model may see or a user needs to find the source; every gold column is in `labels/`."""
LABEL_COLUMNS = ("item_id", "task", "label_source", "drafted_by", "gradient_bearing", "gold_icfr", "clean_rating",
                 "gold_effective", "gold_gap_type", "gold_severity", "gold_component", "gold_components_accepted",
                 "gold_citation", "gold_citations_accepted", "gold_evidence", "root_cause_stated", "touches_itgc",
                 "pair_role", "pair_kind", "seasoning_tier", "strata", "sic_division", "inclusion_probability",
                 "review_status", "reviewed_by", "replaces", "builder_version")  # fmt: skip
"""Truth and its origin."""


@dataclass(frozen=True)
class ReleaseContents:
    """What goes into a dataset folder."""

    dataset_version: str
    items: Sequence[ItemRow]
    clean_pool: Sequence[CleanPoolRow]
    prompts: Sequence[PromptTemplateRow]
    licence_code: str
    licence_data: str
    decisions: Sequence[ItemReviewRow] = ()
    """Human decisions; those on items of the folder and on withdrawn ones are published."""
    answers: Sequence[ParsedAnswerRow] = ()
    """Answers of models, of which the scores in the folder follow."""
    scores: Sequence[ScoreRow] = ()
    """Scores of this dataset version, of which the headline in the folder is computed."""
    evidence: Sequence[ContradictingEvidenceRow] = ()
    """Evidence about the filings of the pool."""
    evidence_answers: Sequence[EvidenceAnswerRow] = ()
    """What people answered to questions on that evidence."""
    withdrawn: Sequence[Withdrawn] = ()
    """What is known of items that are not in the dataset; listed where a release holds them or readers rejected them."""
    holdout_share: float = 0.0
    """Share of companies whose items are private."""

    @property
    def gate_input(self) -> GateInput:
        """What the gate judges."""
        return GateInput(
            sorted(self.items, key=lambda item: item.item_id), self.clean_pool, self.decisions,
            [prompt.template for prompt in self.prompts], self.evidence, self.evidence_answers, self.holdout_share,
        )  # fmt: skip

    @property
    def published(self) -> Published:
        """Items as the folder's files state them."""
        columns = {*INPUT_COLUMNS, *LABEL_COLUMNS}
        items = {item.item_id: item.model_dump(mode="json", include=columns, warnings=False) for item in self.items}
        return Published(self.dataset_version, items)


@dataclass(frozen=True)
class BuiltRelease:
    """What one build left."""

    folder: Path
    status: Status
    findings: tuple[Finding, ...]
    """Why it is only a preview, with every offender; empty for a release."""
    warnings: tuple[Finding, ...]
    """What a reader of the results should know."""
    sums_sha256: str
    """SHA-256 of SHA256SUMS."""
    size_bytes: int
    files: int

    @property
    def blockers(self) -> list[str]:
        """Why it is only a preview, in words."""
        return [finding.problem for finding in self.findings]


def build_release(contents: ReleaseContents, releases: Path, *, preview: bool) -> BuiltRelease:
    """Writes `<releases>/<version>` or `<releases>/<version>-preview`.

    Raises:
        BenchError: a release is asked for while the gate is shut, the release exists, or its version does not follow.
    """
    version = contents.dataset_version
    found = findings(contents.gate_input)
    if not preview:
        _require_new(releases / version, version)
        if found:
            raise BenchError(
                f"release {version} is refused: {'; '.join(_with_names(finding) for finding in found)}",
                remedy="accept or reject every item in the review page (`icfr-bench review`), or build a preview",
            )
        version_number(version)
    earlier = [release for release in earlier_releases(releases) if release.version != version]
    if not preview and (problem := version_problem(contents.published, earlier)):
        raise BenchError(problem, remedy="set ICFR_BENCH_DATASET_VERSION and materialize again")
    target = releases / (f"{version}-preview" if preview else version)
    return _build(contents, target, "preview" if preview else "release", found, earlier)


def build_holdout(contents: ReleaseContents, folder: Path) -> Path:
    """Writes the private items to `<folder>/<version>-holdout`, away from the releases; a newer build replaces it."""
    target = folder / f"{contents.dataset_version}-holdout"
    return _build(contents, target, "preview", findings(contents.gate_input), []).folder


def _require_new(target: Path, version: str) -> None:
    if target.exists():
        raise BenchError(
            f"release {version} exists already and is never overwritten: {target}",
            remedy="raise ICFR_BENCH_DATASET_VERSION and materialize again",
        )


def _with_names(finding: Finding) -> str:
    shown = ", ".join(finding.offenders[:SHOWN])
    more = len(finding.offenders) - SHOWN
    return f"{finding.problem} ({shown}{f' and {more} more' if more > 0 else ''})"


def _build(
    contents: ReleaseContents, target: Path, status: Status, found: Sequence[Finding], earlier: Sequence[Published]
) -> BuiltRelease:
    with _alone(target):
        if status == "release":
            _require_new(target, contents.dataset_version)
        building = _beside(target, "tmp")
        try:
            warned = warnings(contents.gate_input)
            _write(contents, building, status, found, warned, earlier=earlier)
            sums = write_checksums(building)
            files = [path for path in building.rglob("*") if path.is_file()]
            size = sum(path.stat().st_size for path in files)
            if target.exists():  # only ever a preview: it steps aside, so that a reader sees one of the two
                target.rename(_beside(target, "old"))
            building.rename(target)
        finally:
            _clear(target)
    return BuiltRelease(target, status, tuple(found), tuple(warned), sums, size, len(files))


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    """One build of a folder at a time. What a killed build left beside it is removed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(target.with_name(f".{target.name}.lock")):
        _clear(target)
        yield


def _beside(target: Path, kind: str) -> Path:
    return target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.{kind}")


def _clear(target: Path) -> None:
    for kind in ("tmp", "old"):
        for left in target.parent.glob(f".{target.name}.????????.{kind}"):
            shutil.rmtree(left, ignore_errors=True)


def _write(
    contents: ReleaseContents, folder: Path, status: Status, found: Sequence[Finding], warned: Sequence[Finding],
    *, earlier: Sequence[Published],
) -> None:  # fmt: skip
    version, items = contents.dataset_version, sorted(contents.items, key=lambda item: item.item_id)
    for task in TASKS:
        members = [item for item in items if item.task == task]
        for arm in sorted({item.arm for item in members} | {"verbatim"}):
            of_arm, name = [item for item in members if item.arm == arm], file_name(arm)
            write_table(folder / "data" / f"task_{task.lower()}" / name, of_arm, INPUT_COLUMNS)
            write_table(folder / "labels" / f"task_{task.lower()}" / name, of_arm, LABEL_COLUMNS)
    for prompt in contents.prompts:
        write_text(folder / "prompts" / prompt.prompt_version / f"task_{prompt.task.lower()}.md", prompt.template)
        write_text(folder / "schemas" / prompt.prompt_version / f"task_{prompt.task.lower()}.json", prompt.json_schema)
    gone = withdrawn_items(contents.published, earlier, contents.withdrawn)
    write_text(folder / "withdrawn.jsonl", "".join(json.dumps(asdict(row) | {"canary": CANARY}) + "\n" for row in gone))
    title = f"{version} ({status})" if status == "preview" else version
    write_text(folder / "CHANGELOG.md", changelog([*earlier, contents.published], gone, title))
    _write_evidence(contents, folder)
    _write_reviews_and_results(contents, folder, items, {row.item_id for row in gone})
    _write_gate(contents, folder, status, found, warned)
    write_text(folder / "README.md", card(version, items, status, found, warned))
    write_text(folder / "CITATION.cff", citation(version))
    write_text(folder / "DATASHEET.md", datasheet(version, items, contents.decisions, CANARY))
    published = max((str(row.snapshot_date) for row in contents.clean_pool), default="1970-01-01")
    write_text(folder / "croissant.json", croissant(folder, version, published, INPUT_COLUMNS, LABEL_COLUMNS))
    write_text(folder / "LICENSE", contents.licence_code)
    write_text(folder / "LICENSE-DATA", contents.licence_data)


def _write_gate(
    contents: ReleaseContents, folder: Path, status: Status, found: Sequence[Finding], warned: Sequence[Finding]
) -> None:
    broken = {finding.rule for finding in found}
    report = {
        "dataset_version": contents.dataset_version,
        "status": status,
        "holdout_share": contents.holdout_share,
        "blockers": [finding.problem for finding in found],
        "warnings": [finding.problem for finding in warned],
        "rules": [{"rule": rule.name, "passed": rule.name not in broken} for rule in GATE],
        "offenders": {finding.rule: list(finding.offenders) for finding in found},
        "canary": CANARY,
    }
    write_text(folder / "RELEASE_GATE.json", json.dumps(report, indent=2) + "\n")


def _write_evidence(contents: ReleaseContents, folder: Path) -> None:
    pool = sorted(contents.clean_pool, key=lambda row: (row.accession, row.cik))
    write_table(folder / "evidence" / "clean_pool_decisions", pool, tuple(CleanPoolRow.model_fields))
    evidence = sorted(contents.evidence, key=lambda row: row.evidence_id)
    write_table(folder / "evidence" / "contradicting_evidence", evidence, tuple(ContradictingEvidenceRow.model_fields))
    known = {row.evidence_id for row in evidence}
    given = sorted(
        (row for row in contents.evidence_answers if row.evidence_id in known),
        key=lambda row: (row.decided_at, row.answer_id),
    )
    write_table(folder / "reviews" / "evidence_answers", given, tuple(EvidenceAnswerRow.model_fields))


def _write_reviews_and_results(
    contents: ReleaseContents, folder: Path, items: Sequence[ItemRow], gone: set[str]
) -> None:
    """What lets anyone recompute review states, scores and headline from the folder alone."""
    ids = {item.item_id for item in items}
    wanted = ids | {item.pair_id for item in items if item.pair_id} | gone
    decisions = sorted(
        (row for row in contents.decisions if row.item_id in wanted), key=lambda row: (row.decided_at, row.decision_id)
    )
    write_table(folder / "reviews" / "decisions", decisions, tuple(ItemReviewRow.model_fields))
    scores = sorted(
        (row for row in contents.scores if row.item_id in ids and row.dataset_version == contents.dataset_version),
        key=lambda row: (row.scoring_version, row.request_key),
    )
    scored = {row.request_key for row in scores}
    answers = sorted((row for row in contents.answers if row.request_key in scored), key=lambda row: row.request_key)
    write_table(folder / "results" / "answers", answers, tuple(ParsedAnswerRow.model_fields))
    write_table(folder / "results" / "scores", scores, tuple(ScoreRow.model_fields))
    headline = headline_rows(collect_runs(scores, items, contents.dataset_version))
    write_table(folder / "results" / "headline", headline, tuple(HeadlineRow.model_fields))
