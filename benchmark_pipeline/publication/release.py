"""The dataset folder: items, labels apart from inputs, reviews, scores, prompts, evidence, card and checksums.

A release is cut once and never changed. While an item waits for its human decision only a preview can be built; its
folder says so by name, and a newer preview replaces it as a whole. The same rows give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import yaml

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.tables.clean_pool import CleanPoolRow
from benchmark_pipeline.tables.evaluation import PromptTemplateRow, ScoreRow
from benchmark_pipeline.tables.items import TASKS, ItemReviewRow, ItemRow
from benchmark_pipeline.tables.publication import HeadlineRow, Status

from .croissant import croissant
from .datasheet import datasheet
from .headline import headline_rows
from .measures import attested_clean
from .release_gate import CANARY, GATE, Finding, GateInput, findings
from .results import collect_runs
from .warehouse import literal

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
class Withdrawn:
    """An item that is no longer in the dataset."""

    item_id: str
    reason: str


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
    scores: Sequence[ScoreRow] = ()
    """Scores of this dataset version, of which the headline in the folder is computed."""
    withdrawn: Sequence[Withdrawn] = ()
    """Items that left."""

    @property
    def gate_input(self) -> GateInput:
        """What the gate judges."""
        items = sorted(self.items, key=lambda item: item.item_id)
        return GateInput(items, self.clean_pool, self.decisions, [prompt.template for prompt in self.prompts])


@dataclass(frozen=True)
class BuiltRelease:
    """What one build left."""

    folder: Path
    status: Status
    blockers: tuple[str, ...]
    """Why it is only a preview; empty for a release."""
    findings: tuple[Finding, ...]
    """The same, with every offender."""
    sums_sha256: str
    """SHA-256 of SHA256SUMS."""
    size_bytes: int
    files: int


def build_release(contents: ReleaseContents, releases: Path, *, preview: bool) -> BuiltRelease:
    """Writes `<releases>/<version>` or `<releases>/<version>-preview`.

    Raises:
        BenchError: a release is asked for while the gate is shut, or the release exists already.
    """
    version = contents.dataset_version
    found = findings(contents.gate_input)
    blockers = [finding.problem for finding in found]
    target = releases / (f"{version}-preview" if preview else version)
    if not preview and target.exists():
        raise BenchError(
            f"release {version} exists already and is never overwritten: {target}",
            remedy="raise ICFR_BENCH_DATASET_VERSION and materialize again",
        )
    if not preview and blockers:
        raise BenchError(
            f"release {version} is refused: {'; '.join(_with_names(finding) for finding in found)}",
            remedy="accept or reject every item in the review page (`icfr-bench review`), or build a preview",
        )
    releases.mkdir(parents=True, exist_ok=True)
    building = releases / f".{target.name}.{uuid.uuid4().hex[:8]}.tmp"
    try:
        _write(contents, building, "preview" if preview else "release", found)
        sums = _checksums(building)
        size = sum(path.stat().st_size for path in building.rglob("*") if path.is_file())
        files = sum(path.is_file() for path in building.rglob("*"))
        _swap(building, target)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return BuiltRelease(target, "preview" if preview else "release", tuple(blockers), tuple(found), sums, size, files)


def build_holdout(contents: ReleaseContents, folder: Path) -> Path:
    """Writes the private items to `<folder>/<version>-holdout`, away from the releases; a newer build replaces it."""
    target = folder / f"{contents.dataset_version}-holdout"
    building = folder / f".{target.name}.{uuid.uuid4().hex[:8]}.tmp"
    try:
        _write(contents, building, "preview", findings(contents.gate_input))
        _checksums(building)
        _swap(building, target)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return target


def _with_names(finding: Finding) -> str:
    shown = ", ".join(finding.offenders[:SHOWN])
    more = len(finding.offenders) - SHOWN
    return f"{finding.problem} ({shown}{f' and {more} more' if more > 0 else ''})"


def _swap(building: Path, target: Path) -> None:
    """Puts a finished folder in place. An old preview steps aside first; a kill in between leaves it beside the target."""
    old = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.old")
    if target.exists():
        target.rename(old)
    building.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def _write(contents: ReleaseContents, folder: Path, status: Status, found: Sequence[Finding]) -> None:
    items = sorted(contents.items, key=lambda item: item.item_id)
    blockers = [finding.problem for finding in found]
    for task in TASKS:
        members = [item for item in items if item.task == task]
        for arm in sorted({item.arm for item in members} | {"verbatim"}):
            name = "test" if arm == "verbatim" else arm
            of_arm = [item for item in members if item.arm == arm]
            _table(folder / "data" / f"task_{task.lower()}" / name, of_arm, INPUT_COLUMNS)
            _table(folder / "labels" / f"task_{task.lower()}" / name, of_arm, LABEL_COLUMNS)
    pool = sorted(contents.clean_pool, key=lambda row: (row.accession, row.cik))
    _table(folder / "evidence" / "clean_pool_decisions", pool, tuple(CleanPoolRow.model_fields))
    for prompt in sorted(contents.prompts, key=lambda row: (row.task, row.prompt_version)):
        base = folder / "prompts" / prompt.prompt_version
        _text(base / f"task_{prompt.task.lower()}.md", prompt.template)
        _text(folder / "schemas" / prompt.prompt_version / f"task_{prompt.task.lower()}.json", prompt.json_schema)
    _write_reviews_and_results(contents, folder, items)
    rules = [{"rule": rule.name, "passed": rule.name not in {f.rule for f in found}} for rule in GATE]
    gate_record = {
        "dataset_version": contents.dataset_version,
        "status": status,
        "blockers": blockers,
        "rules": rules,
        "offenders": {finding.rule: list(finding.offenders) for finding in found},
    }
    _text(folder / "RELEASE_GATE.json", json.dumps(gate_record, indent=2) + "\n")
    _text(folder / "README.md", _card(contents, items, status, blockers))
    _text(folder / "CITATION.cff", _citation(contents.dataset_version))
    _text(folder / "DATASHEET.md", datasheet(contents.dataset_version, items, contents.decisions, CANARY))
    published = max((str(row.snapshot_date) for row in pool), default="1970-01-01")
    _text(
        folder / "croissant.json", croissant(folder, contents.dataset_version, published, INPUT_COLUMNS, LABEL_COLUMNS)
    )
    _text(folder / "CHANGELOG.md", f"# Changelog\n\n## {contents.dataset_version} ({status})\n\n{len(items)} items.\n")
    _text(folder / "LICENSE", contents.licence_code)
    _text(folder / "LICENSE-DATA", contents.licence_data)


def _write_reviews_and_results(contents: ReleaseContents, folder: Path, items: Sequence[ItemRow]) -> None:
    """What lets anyone recompute review states and headline from the folder alone."""
    ids = {item.item_id for item in items}
    gone = [row for row in contents.withdrawn if row.item_id not in ids]
    wanted = ids | {item.pair_id for item in items if item.pair_id} | {row.item_id for row in gone}
    decisions = sorted(
        (row for row in contents.decisions if row.item_id in wanted), key=lambda row: (row.decided_at, row.decision_id)
    )
    _table(folder / "reviews" / "decisions", decisions, tuple(ItemReviewRow.model_fields))
    scores = sorted(
        (row for row in contents.scores if row.item_id in ids and row.dataset_version == contents.dataset_version),
        key=lambda row: (row.scoring_version, row.request_key),
    )
    _table(folder / "results" / "scores", scores, tuple(ScoreRow.model_fields))
    headline = headline_rows(collect_runs(scores, items, contents.dataset_version))
    _table(folder / "results" / "headline", headline, tuple(HeadlineRow.model_fields))
    lines = [
        json.dumps({"item_id": row.item_id, "reason": row.reason}) for row in sorted(gone, key=lambda r: r.item_id)
    ]
    _text(folder / "withdrawn.jsonl", "".join(line + "\n" for line in lines))


def _text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def _table(path: Path, rows: Iterable[Any], columns: tuple[str, ...]) -> None:
    """The same rows as JSON Lines and as Parquet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    members = list(rows)
    lines = [
        json.dumps(
            {**row.model_dump(mode="json", include=set(columns)), "canary": CANARY}, ensure_ascii=False, sort_keys=True
        )
        for row in members
    ]
    jsonl = path.with_suffix(".jsonl")
    jsonl.write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")
    if not members:
        return  # Parquet needs a schema; an absent table says as much as an empty one
    from benchmark_pipeline.tables import duckdb_type

    types = ", ".join(
        f"{literal(name)}: {literal(duckdb_type(type(members[0]).model_fields[name].annotation))}" for name in columns
    )
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(
            f"COPY (SELECT * FROM read_json({literal(jsonl)}, format='newline_delimited', columns={{{types}}}, "
            f"maximum_object_size=268435456)) TO {literal(path.with_suffix('.parquet'))} (FORMAT parquet, COMPRESSION zstd, "
            f"KV_METADATA {{canary: {literal(CANARY)}}})"
        )


def _checksums(folder: Path) -> str:
    """Writes SHA256SUMS over all other files (as `sha256sum -c` reads it) and returns its own SHA-256."""
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]
    text = "".join(lines)
    _text(folder / "SHA256SUMS", text)
    return hashlib.sha256(text.encode()).hexdigest()


def _card(contents: ReleaseContents, items: Sequence[ItemRow], status: Status, blockers: Sequence[str]) -> str:
    """The dataset card, with the YAML head that dataset hubs read."""
    by_task = Counter(item.task for item in items)
    head: Mapping[str, Any] = {
        "license": "cc-by-4.0",
        "language": ["en"],
        "pretty_name": "ICFR benchmark",
        "task_categories": ["text-classification"],
        "tags": ["finance", "audit", "internal-control", "sec-edgar"],
        "configs": [
            {"config_name": f"task_{task.lower()}",
             "data_files": [{"split": "test", "path": f"data/task_{task.lower()}/test.parquet"}]}
            for task in TASKS
            if by_task[task]
        ],
    }  # fmt: skip
    sources = Counter(item.label_source for item in items)
    reviews = Counter(item.review_status for item in items)
    lines = [
        "---",
        yaml.safe_dump(head, sort_keys=False).rstrip(),
        "---",
        "",
        f"# ICFR benchmark {contents.dataset_version}" + (" (preview)" if status == "preview" else ""),
        "",
    ]
    if status == "preview":
        lines += ["> **Preview, not a release.** " + " ".join(f"{blocker}." for blocker in blockers), ""]
    lines += [
        "Questions on internal control over financial reporting (ICFR) for language models. The headline measure is the "
        "false-positive rate on attested clean disclosures (Task C).",
        "",
        "| Task | Question | Items |",
        "|---|---|---|",
        f"| A | COSO component of a described deficiency; severity where the source could state another | {by_task['A']} |",
        f"| B | Is this control designed effectively | {by_task['B']} |",
        f"| C | Does this disclosure show deficient or clean ICFR at fiscal year end | {by_task['C']} |",
        f"| D | Which COSO principle or AS 2201 paragraph governs this deficiency | {by_task['D']} |",
        "",
        f"Attested clean items as filed: {sum(attested_clean(i) and i.arm == 'verbatim' for i in items)}.",
        f"Label sources: {', '.join(f'{name} {count}' for name, count in sorted(sources.items()))}.",
        f"Human review: {', '.join(f'{name} {count}' for name, count in sorted(reviews.items()))}.",
        "",
        "## Use and limits",
        "",
        "- Not audit evidence, and not an assessment of any company's controls.",
        "- A clean label is an absence of disclosure, not of deficiency.",
        "- Filings are public and may be in a model's training data; verbatim and paraphrased scores are both reported.",
        "- Single Audit findings concern federal award compliance and are reported apart from SEC filings.",
        "- Scores of different prompt or dataset versions are not compared.",
        "",
        f"Canary: `{CANARY}`. It stands in the files and in no prompt: a model that completes it was trained on them.",
        "",
        "Check the folder by itself with `icfr-bench release verify FOLDER`: checksums, reviews, gate and headline.",
        "",
        "## Licence",
        "",
        "CC-BY 4.0 covers selection, spans, labels, paraphrases and scenarios. The text of filings is a public record whose "
        "words are the filer's. COSO and PCAOB standards are cited by number; their text is not reproduced.",
        "",
    ]
    return "\n".join(lines)


def _citation(version: str) -> str:
    record = {
        "cff-version": "1.2.0",
        "message": "If you use this dataset, please cite it.",
        "type": "dataset",
        "title": "Reference benchmark of language models on internal control over financial reporting",
        "version": version,
        "license": "CC-BY-4.0",
        "authors": [{"name": "The ICFR benchmark contributors"}],
    }
    return yaml.safe_dump(record, sort_keys=False)
