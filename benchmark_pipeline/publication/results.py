"""The results of one evaluation run, as arrays over the items of the dataset.

A run is identified by dataset version, prompt version, scoring version, model and run id. Scores are grouped by all
five before anything is counted, so no number can mix two versions. A run of a million calls is a few dozen arrays: the
rows themselves stay in Parquet (`load_runs`) or with the caller (`collect_runs`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.evaluation.model_registry import BASELINE_PREFIX
from benchmark_pipeline.tables.evaluation import (
    FAILURES,
    INCOMPLETE,
    ModelResponseRow,
    Outcome,
    ParsedAnswerRow,
    ScoreRow,
)
from benchmark_pipeline.tables.items import ItemRow, Severity
from benchmark_pipeline.tables.publication import Status

REVIEWED = ("accepted", "changed")
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
"""Outcomes in the order of their codes."""
ANSWERED = OUTCOMES.index("answered")
NOT_RUN = OUTCOMES.index("not_run")
TIERS: tuple[Severity, ...] = get_args(Severity)
"""Severity tiers in order, mildest first."""
VERDICTS = (
    "flagged_deficient", "true_positive", "correct", "component_correct", "component_accepted", "severity_correct",
    "gap_type_correct", "citation_exact", "citation_hallucinated", "citation_abstained", "evidence_exact",
    "evidence_hit",
)  # fmt: skip
"""Columns of `scores` that measures are made of."""
USAGE = ("prompt_tokens", "completion_tokens", "cost_usd")

Codes = NDArray[np.int8]
Positions = NDArray[np.int64]


@dataclass(frozen=True, order=True)
class ResultIdentity:
    """What two numbers must share before they may stand in one table, and what tells them apart."""

    dataset_version: str
    prompt_version: str
    scoring_version: str
    model_id: str
    run_id: str

    @property
    def versions(self) -> tuple[str, str, str]:
        """Dataset, prompt and scoring version: rows of one table agree in these."""
        return self.dataset_version, self.prompt_version, self.scoring_version


class ItemSet:
    """The items of one dataset version in the order of their ids, with their companies as codes."""

    def __init__(self, items: Iterable[ItemRow]) -> None:
        self.items: Sequence[ItemRow] = sorted({item.item_id: item for item in items}.values(), key=lambda i: i.item_id)
        self.position = {item.item_id: index for index, item in enumerate(self.items)}
        names, codes = np.unique(np.array([item.company_key for item in self.items], dtype=object), return_inverse=True)
        self.company: Positions = codes.astype(np.int64)
        """Company of each item, numbered in the order of the keys."""
        self.companies = len(names)
        self.status = status_of(self.items)
        self.task = np.array([item.task for item in self.items])
        self.verbatim = np.array([item.arm == "verbatim" for item in self.items], dtype=bool)
        self.year_end = np.array([item.fiscal_year_end for item in self.items], dtype="datetime64[D]")
        """Fiscal year end of each item; not a time where unknown."""
        self.cache: dict[str, object] = {}
        """Selections that are the same for every run, by name."""

    def __len__(self) -> int:
        return len(self.items)

    def of(self, task: str) -> Positions:
        """Items of a task as filed."""
        return np.flatnonzero((self.task == task) & self.verbatim)

    def local(self, positions: Positions) -> Positions:
        """Companies of some items, numbered from 0 without gaps."""
        return np.unique(self.company[positions], return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True)
class Run:
    """All planned calls of one result identity: arrays with one entry an item of the dataset."""

    identity: ResultIdentity
    items: ItemSet
    outcome: Codes
    """Index into `OUTCOMES`; an item without a score was not run."""
    verdicts: Mapping[str, Codes]
    """Columns of `VERDICTS`: 1 true, 0 false, -1 null."""
    tasks: frozenset[str]
    """Tasks of which the run holds a score."""
    fenced: NDArray[np.bool_]
    """The answer was JSON inside a code fence."""
    severity: Codes
    """Tier answered, index into `TIERS`; -1 without one."""
    calls: int = 0
    """Responses that belong to the run."""
    usage: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    """Tokens and cost: for how many calls known, and their sum."""

    @property
    def kind(self) -> Literal["model", "baseline"]:
        """A language model or a rule."""
        return "baseline" if self.identity.model_id.startswith(BASELINE_PREFIX) else "model"

    @property
    def status(self) -> Status:
        """`preview` until every item is reviewed."""
        return self.items.status

    def asks(self, task: str) -> bool:
        """A model answers every item; a baseline answers every item of the tasks that it has a rule for."""
        return self.kind == "model" or task in self.tasks

    @cached_property
    def asked(self) -> Positions:
        """Items planned for this run."""
        if self.kind == "model":
            return np.arange(len(self.items))
        return np.flatnonzero(np.isin(self.items.task, sorted(self.tasks)))

    @cached_property
    def answered(self) -> NDArray[np.bool_]:
        """There is a usable answer."""
        return np.asarray(self.outcome == ANSWERED, dtype=np.bool_)

    @cached_property
    def failed(self) -> NDArray[np.bool_]:
        """The call ended without a usable answer, which is a result."""
        return np.isin(self.outcome, [OUTCOMES.index(name) for name in FAILURES])

    @cached_property
    def absent(self) -> NDArray[np.bool_]:
        """The call has no result yet."""
        return np.isin(self.outcome, [OUTCOMES.index(name) for name in INCOMPLETE])

    @property
    def missing(self) -> int:
        """Planned calls without a result: any makes the run incomplete."""
        return int(self.absent[self.asked].sum())

    def verdict(self, name: str) -> Codes:
        """A column of the scores with -1 where there is no usable answer."""
        return np.where(self.answered, self.verdicts[name], np.int8(-1)).astype(np.int8)


def status_of(items: Iterable[ItemRow]) -> Status:
    """`preview` while any item waits for its human decision, or where there is no item."""
    states = [item.review_status in REVIEWED for item in items]
    return "release" if states and all(states) else "preview"


def collect_runs(
    scores: Iterable[ScoreRow],
    items: Iterable[ItemRow],
    dataset_version: str,
    responses: Iterable[ModelResponseRow] = (),
    answers: Iterable[ParsedAnswerRow] = (),
) -> list[Run]:
    """The runs on one dataset version, ordered by identity; scores of other versions are left out.

    Raises:
        BenchError: a score of this dataset version names an unknown item, or an item has two scores in one run.
    """
    known = ItemSet(items)
    by_identity: dict[ResultIdentity, dict[str, ScoreRow]] = defaultdict(dict)
    for score in scores:
        if score.dataset_version != dataset_version:
            continue
        if score.item_id not in known.position:
            raise unknown_item(score.item_id, score.request_key)
        cell = by_identity[
            ResultIdentity(
                score.dataset_version, score.prompt_version, score.scoring_version, score.model_id, score.run_id
            )
        ]
        if score.item_id in cell:
            raise scored_twice(score.item_id, score.run_id, score.model_id)
        cell[score.item_id] = score
    calls = {_call(response): response for response in responses}
    tiers = {_call(answer): answer.answer_severity for answer in answers}
    return [_run(identity, cell, known, calls, tiers) for identity, cell in sorted(by_identity.items())]


def _call(row: ScoreRow | ModelResponseRow | ParsedAnswerRow) -> tuple[str, ...]:
    """Names one call: a request keeps its key where another version asks the same."""
    return row.request_key, row.dataset_version, row.prompt_version, row.model_id, row.run_id


def unknown_item(item_id: str, request_key: str) -> BenchError:
    """A score is about an item that the dataset does not hold."""
    return BenchError(
        f"score {request_key} is about item {item_id}, which labeled_items does not hold",
        remedy="materialize model_responses, parsed_answers and scores again for this dataset, or raise the "
        "dataset version (ICFR_BENCH_DATASET_VERSION) if items have changed",
    )


def scored_twice(item_id: str, run_id: str, model_id: str) -> BenchError:
    """A run holds two scores of one item."""
    return BenchError(
        f"item {item_id} has two scores in run {run_id} of {model_id}",
        remedy="materialize scores again; repeats of a model are runs of their own",
    )


def empty_arrays(size: int) -> tuple[Codes, dict[str, Codes], NDArray[np.bool_], Codes]:
    """Outcome, verdicts, fenced and severity of a run in which nothing was asked."""
    blank = {name: np.full(size, -1, dtype=np.int8) for name in VERDICTS}
    return np.full(size, NOT_RUN, dtype=np.int8), blank, np.zeros(size, dtype=bool), np.full(size, -1, dtype=np.int8)


def _run(
    identity: ResultIdentity,
    scores: Mapping[str, ScoreRow],
    items: ItemSet,
    calls: Mapping[tuple[str, ...], ModelResponseRow],
    tiers: Mapping[tuple[str, ...], str | None],
) -> Run:
    outcome, verdicts, fenced, severity = empty_arrays(len(items))
    made = []
    for item_id, score in scores.items():
        at = items.position[item_id]
        outcome[at] = OUTCOMES.index(score.outcome)
        for name in VERDICTS:
            value = getattr(score, name)
            verdicts[name][at] = -1 if value is None else int(value)
        tier = tiers.get(_call(score))
        severity[at] = TIERS.index(tier) if tier in TIERS else -1
        if call := calls.get(_call(score)):
            made.append(call)
            fenced[at] = call.outcome_detail == "fenced"
    usage = {}
    for name in USAGE:
        figures = [float(figure) for call in made if (figure := getattr(call, name)) is not None]
        usage[name] = (len(figures), sum(figures))
    tasks = frozenset(score.task for score in scores.values())
    return Run(identity, items, outcome, verdicts, tasks, fenced, severity, len(made), usage)
