"""Task B scenarios: the authored YAML file of one pair, and its rows.

One file holds one pair. Narrative and control are written once, with the mark `{changed}` where the halves differ; the
two sentences that take its place stand below. So the halves cannot drift apart in a second place, and the file reads as
what it is: one deliberate change.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from benchmark_pipeline import yaml_text
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.settings import PROJECT_ROOT
from benchmark_pipeline.tables.items import GapType, ScenarioRow, Severity

from .sentences import sentences

SLOT = "{changed}"
Archetype = Literal[
    "reviewer_independence",
    "threshold_vs_materiality",
    "review_precision",
    "report_completeness_accuracy",
    "frequency_vs_risk",
    "segregation_of_duties",
    "management_override",
    "timing_of_detection",
    "evidence_of_review",
    "service_organisation",
    "cut_off",
    "journal_entry_population",
]
"""The twelve design questions that a pair can turn on."""
ARCHETYPES: tuple[Archetype, ...] = get_args(Archetype)
PROCESSES: tuple[str, ...] = get_args(ScenarioRow.model_fields["process"].annotation)
SIZES: tuple[str, ...] = get_args(ScenarioRow.model_fields["entity_size"].annotation)

Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class ChangedSentence(_Strict):
    """The one sentence that differs."""

    control: Text
    """Sentence of the control half."""
    variant: Text
    """Sentence of the variant half."""


class Expected(_Strict):
    """Gold of one half."""

    designed_effectively: bool
    """The control, as described, would prevent or detect the stated risk in time."""
    gap_type: GapType | None = None
    """What is missing, where it would not."""
    severity: Severity | None = None
    """Severity of the gap by the stated facts."""

    @model_validator(mode="after")
    def _gap_belongs_to_gaps(self) -> Expected:
        if self.designed_effectively and (self.gap_type or self.severity):
            raise ValueError("an effective design has neither gap_type nor severity")
        if not self.designed_effectively and not (self.gap_type and self.severity):
            raise ValueError("a gap needs gap_type and severity")
        return self


class ExpectedPair(_Strict):
    """Gold of both halves."""

    control: Expected
    """Control half."""
    variant: Expected
    """Variant half."""


class ScenarioPair(_Strict):
    """One pair of control designs as authored."""

    pair_id: Annotated[str, StringConstraints(pattern=r"^b\d{3}-[a-z0-9-]+$")]
    """`b<number>-<short name>`; also the name of the file."""
    pair_kind: Literal["minimal", "null", "reverse_plausible"]
    """`null`: the change is irrelevant; `reverse_plausible`: the bad half sounds the more formal."""
    archetype: Archetype
    """Design question."""
    process: Literal[
        "procure_to_pay", "order_to_cash", "close", "payroll", "inventory", "treasury", "tax", "fixed_assets"
    ]
    """Business process."""
    entity_size: Literal["small", "mid", "large"]
    """Size of the fictional company."""
    risk: Text
    """What could go wrong, with the assertion; shown to the model."""
    narrative: Text
    """The setting; may hold the mark."""
    control: Text
    """The control; may hold the mark."""
    changed: ChangedSentence
    """The sentences that take the mark's place."""
    expected: ExpectedPair
    """Gold."""
    principle: int = Field(ge=1, le=17)
    """COSO principle by number."""
    compensating_control: bool
    """A compensating control is among the stated facts."""
    distractor_facts: list[Text] = Field(default_factory=list)
    """Facts that must not move the verdict, named for the reviewer."""
    rationale: Text
    """Why the verdict follows from the stated facts; for the reviewer, never shown to a model."""
    drafted_by: Annotated[str, StringConstraints(min_length=3)]
    """`human`, or the model that drafted it."""
    drafting_prompt_sha256: str | None = None
    """Prompt of the drafting model, where one is recorded."""

    @model_validator(mode="after")
    def _one_mark(self) -> ScenarioPair:
        marks = (self.narrative + self.control).count(SLOT)
        if marks != 1:
            raise ValueError(f"narrative and control hold the mark {SLOT} {marks} times, wanted once")
        return self

    def rows(self, source_path: str, source_sha256: str) -> Iterator[ScenarioRow]:
        """Both halves as rows."""
        before = (self.narrative + "\n\n" + self.control).split(SLOT)[0]
        index = len(sentences(before)) if before.strip() else 0
        roles: tuple[Literal["control", "variant"], ...] = ("control", "variant")
        for role in roles:
            sentence: str = getattr(self.changed, role)
            expected: Expected = getattr(self.expected, role)
            yield ScenarioRow(
                scenario_id=f"{self.pair_id}.{role}",
                pair_id=self.pair_id,
                pair_role=role,
                pair_kind=self.pair_kind,
                archetype=self.archetype,
                process=self.process,
                entity_size=self.entity_size,
                risk=_flat(self.risk),
                process_narrative=_flat(self.narrative.replace(SLOT, sentence)),
                control_description=_flat(self.control.replace(SLOT, sentence)),
                changed_sentence_index=index,
                designed_effectively=expected.designed_effectively,
                gap_type=expected.gap_type,
                severity=expected.severity,
                principle=self.principle,
                compensating_control=self.compensating_control,
                drafted_by=self.drafted_by,
                drafting_prompt_sha256=self.drafting_prompt_sha256,
                source_path=source_path,
                source_sha256=source_sha256,
            )


def load_scenarios(folder: Path) -> list[ScenarioRow]:
    """Reads every `*.yaml` below a folder, one pair a file, in order of path.

    Raises:
        BenchError: the folder is missing, a file is not what the model asks for, or a pair id is used twice.
    """
    if not folder.is_dir():
        raise BenchError(f"there is no scenarios folder {folder}", remedy="set ICFR_BENCH_SCENARIOS_FOLDER")
    rows: list[ScenarioRow] = []
    seen: dict[str, str] = {}
    for path in sorted(folder.rglob("*.yaml")):
        name = path.relative_to(folder).as_posix()
        pair = load_pair(path)
        if pair.pair_id in seen:
            raise BenchError(f"{name}: pair_id {pair.pair_id} is used by {seen[pair.pair_id]} too", remedy="renumber")
        if path.stem != pair.pair_id:
            raise BenchError(f"{name} holds the pair {pair.pair_id}", remedy=f"name the file {pair.pair_id}.yaml")
        seen[pair.pair_id] = name
        rows += pair.rows(_source_path(path, folder), hashlib.sha256(path.read_bytes()).hexdigest())
    return rows


def _source_path(path: Path, folder: Path) -> str:
    """Path as a reader of the repository finds it; below `scenarios/` for a folder elsewhere."""
    if path.resolve().is_relative_to(PROJECT_ROOT):
        return path.resolve().relative_to(PROJECT_ROOT).as_posix()
    return f"scenarios/{path.relative_to(folder).as_posix()}"


def load_pair(path: Path) -> ScenarioPair:
    """Reads one scenario file.

    Raises:
        BenchError: it is not readable YAML, or a field is missing, unknown or wrong; the message names each.
    """
    try:
        content = yaml_text.load(path.read_text(encoding="utf-8"))
        return ScenarioPair.model_validate(content)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BenchError(f"scenario {path.name} is not readable YAML: {error}", remedy="correct the file") from error
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(str(part) for part in problem['loc']) or 'pair'}: {problem['msg']}"
            for problem in error.errors()
        )
        raise BenchError(f"scenario {path.name}: {problems}", remedy="correct these fields") from error


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
