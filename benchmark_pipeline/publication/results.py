"""The results of one evaluation run: every item of the dataset with what the model made of it.

A run is identified by dataset version, prompt version, scoring version, model and run id. Scores are grouped by all
five before anything is counted, so no number can mix two versions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.evaluation.model_registry import BASELINE_PREFIX
from benchmark_pipeline.tables.evaluation import FAILURES, INCOMPLETE, Outcome, ScoreRow
from benchmark_pipeline.tables.items import ItemRow
from benchmark_pipeline.tables.publication import Status

REVIEWED = ("accepted", "changed")


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


@dataclass(frozen=True)
class Result:
    """One item, and its score where the run has one."""

    item: ItemRow
    score: ScoreRow | None

    @property
    def outcome(self) -> Outcome:
        """Outcome of the call; an item without a score was not run."""
        return self.score.outcome if self.score else "not_run"

    @property
    def answered(self) -> bool:
        """Whether there is a usable answer."""
        return self.outcome == "answered"

    @property
    def failed(self) -> bool:
        """The call ended without a usable answer, which is a result."""
        return self.outcome in FAILURES

    @property
    def missing(self) -> bool:
        """The call has no result yet."""
        return self.outcome in INCOMPLETE


@dataclass(frozen=True)
class Run:
    """All planned calls of one result identity, one result an item."""

    identity: ResultIdentity
    results: tuple[Result, ...]
    status: Status

    @property
    def kind(self) -> Literal["model", "baseline"]:
        """A language model or a rule."""
        return "baseline" if self.identity.model_id.startswith(BASELINE_PREFIX) else "model"

    @property
    def missing(self) -> int:
        """Planned calls without a result: any makes the run incomplete."""
        return sum(result.missing for result in self.results)


def status_of(items: Iterable[ItemRow]) -> Status:
    """`preview` while any item waits for its human decision, or where there is no item."""
    states = [item.review_status in REVIEWED for item in items]
    return "release" if states and all(states) else "preview"


def collect_runs(scores: Iterable[ScoreRow], items: Iterable[ItemRow], dataset_version: str) -> list[Run]:
    """The runs on one dataset version, ordered by identity.

    A model answers every item; a baseline answers every item of the tasks that it has a rule for. Scores of other
    dataset versions are left out: their items are not these.

    Raises:
        BenchError: a score of this dataset version names an unknown item, or an item has two scores in one run.
    """
    known = {item.item_id: item for item in items}
    status = status_of(known.values())
    by_identity: dict[ResultIdentity, dict[str, ScoreRow]] = defaultdict(dict)
    for score in scores:
        if score.dataset_version != dataset_version:
            continue
        if score.item_id not in known:
            raise BenchError(
                f"score {score.request_key} is about item {score.item_id}, which labeled_items does not hold",
                remedy="materialize model_responses, parsed_answers and scores again for this dataset, or raise the "
                "dataset version (ICFR_BENCH_DATASET_VERSION) if items have changed",
            )
        cell = by_identity[
            ResultIdentity(
                score.dataset_version, score.prompt_version, score.scoring_version, score.model_id, score.run_id
            )
        ]
        if score.item_id in cell:
            raise BenchError(
                f"item {score.item_id} has two scores in run {score.run_id} of {score.model_id}",
                remedy="materialize scores again; repeats of a model are runs of their own",
            )
        cell[score.item_id] = score
    return [_run(identity, cell, known, status) for identity, cell in sorted(by_identity.items())]


def _run(identity: ResultIdentity, scores: dict[str, ScoreRow], items: dict[str, ItemRow], status: Status) -> Run:
    baseline = identity.model_id.startswith(BASELINE_PREFIX)
    tasks = {score.task for score in scores.values()}
    asked = [item for key, item in sorted(items.items()) if not baseline or item.task in tasks]
    return Run(identity, tuple(Result(item, scores.get(item.item_id)) for item in asked), status)
