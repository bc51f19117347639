"""The headline: the false-positive rate on attested clean items, and what must be printed with it.

Flagged over answered, on the items as filed. A failed call is neither a flag nor a pass, so the failure rate and both
bounds stand beside the rate, and a model that fails on more than 2 % of these items is not comparable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmark_pipeline.statistics.clusters import ClusterCounts, design_effect
from benchmark_pipeline.statistics.intervals import korn_graubard
from benchmark_pipeline.statistics.paired import paired_difference
from benchmark_pipeline.statistics.ranking import rank_groups
from benchmark_pipeline.tables.evaluation import ScoreRow
from benchmark_pipeline.tables.items import ItemRow
from benchmark_pipeline.tables.publication import HeadlineRow

from .measures import FALSE_POSITIVE_RATE, MANAGEMENT_ONLY_RATE, RECALL, Measure, answered_outcomes, counts_of
from .results import Result, Run, collect_runs

MINIMUM_ITEMS = 30
"""Attested clean items below which no headline is printed."""
MINIMUM_COMPANIES = 30
"""Companies below which models are not ranked: the paired test has no power to tell them apart."""
MAXIMUM_FAILURE_RATE = 0.02
"""Failures on the headline items above which a model is not comparable."""


def headline_rows(scores: Iterable[ScoreRow], items: Iterable[ItemRow], dataset_version: str) -> list[HeadlineRow]:
    """One row a run on this dataset version, ranked within equal dataset, prompt and scoring version."""
    runs = collect_runs(scores, items, dataset_version)
    rows = [_headline(run) for run in runs]
    groups: dict[tuple[str, str, str], list[tuple[Run, HeadlineRow]]] = defaultdict(list)
    for run, row in zip(runs, rows, strict=True):
        if row.kind == "model" and row.comparable and row.fpr is not None and row.companies >= MINIMUM_COMPANIES:
            groups[run.identity.versions].append((run, row))
    ranks: dict[tuple[str, ...], int] = {}
    for members in groups.values():
        ranks.update(_rank(members))
    return [row.model_copy(update={"rank_group": ranks.get(_key(row))}) for row in rows]


@dataclass(frozen=True)
class _Side:
    """A measure's counts on the items as filed."""

    results: list[Result]
    counts: ClusterCounts

    @property
    def failures(self) -> int:
        return sum(result.failed for result in self.results)


def _side(run: Run, measure: Measure) -> _Side:
    results = [r for r in run.results if r.item.arm == "verbatim" and measure.applies(r.item)]
    return _Side(results, counts_of(answered_outcomes(measure, results)))


def _headline(run: Run) -> HeadlineRow:
    attested, management, recall = (_side(run, m) for m in (FALSE_POSITIVE_RATE, MANAGEMENT_ONLY_RATE, RECALL))
    planned, failures = len(attested.results), attested.failures
    k, counts = attested.counts.successes, attested.counts
    failure_rate = failures / planned if planned else 0.0
    complete = run.missing == 0
    printable = complete and planned >= MINIMUM_ITEMS and counts.trials > 0
    interval = korn_graubard(counts) if printable else None
    management_interval = korn_graubard(management.counts) if complete else None
    return HeadlineRow(
        dataset_version=run.identity.dataset_version,
        prompt_version=run.identity.prompt_version,
        scoring_version=run.identity.scoring_version,
        model_id=run.identity.model_id,
        run_id=run.identity.run_id,
        kind=run.kind,
        fpr=counts.rate if printable else None,
        ci_low=interval.low if interval else None,
        ci_high=interval.high if interval else None,
        k=k,
        n=counts.trials,
        planned=planned,
        companies=counts.clusters,
        design_effect=design_effect(counts) if printable else None,
        failures=failures,
        failure_rate=failure_rate,
        fpr_if_failures_pass=k / planned if printable else None,
        fpr_if_failures_flag=(k + failures) / planned if printable else None,
        management_only_fpr=management.counts.rate if complete else None,
        management_only_ci_low=management_interval.low if management_interval else None,
        management_only_ci_high=management_interval.high if management_interval else None,
        management_only_k=management.counts.successes,
        management_only_n=management.counts.trials,
        recall=recall.counts.rate if complete else None,
        recall_k=recall.counts.successes,
        recall_n=recall.counts.trials,
        complete=complete,
        comparable=complete and failure_rate <= MAXIMUM_FAILURE_RATE,
        rank_group=None,
        why_not=_why_not(run, planned, failures, counts),
        status=run.status,
    )


def _why_not(run: Run, planned: int, failures: int, counts: ClusterCounts) -> str | None:
    """Why there is no headline or no rank; the first reason stands alone."""
    if run.missing:
        return (
            f"Incomplete: {run.missing} of {len(run.results)} planned calls have no result yet. "
            "Materialize model_responses again; answers already received are kept."
        )
    if planned < MINIMUM_ITEMS:
        return f"The dataset holds {planned} attested clean items; a headline needs at least {MINIMUM_ITEMS}."
    if not counts.trials:
        return f"None of the {planned} attested clean items has a usable answer."
    if failures / planned > MAXIMUM_FAILURE_RATE:
        return (
            f"Not comparable: {failures} of {planned} attested clean items ({failures / planned:.1%}) have no usable "
            f"answer; the limit is {MAXIMUM_FAILURE_RATE:.0%}."
        )
    if run.kind == "baseline":
        return "A rule, not a language model: it stands beside the ranking."
    if counts.clusters < MINIMUM_COMPANIES:
        return f"Not ranked: the answered items come from {counts.clusters} companies; a ranking needs {MINIMUM_COMPANIES}."
    return None


def _rank(members: Sequence[tuple[Run, HeadlineRow]]) -> dict[tuple[str, ...], int]:
    """Rank groups of comparable runs, by paired tests on the items that both answered."""
    runs = {_name(run): run for run, _ in members}
    flags = {name: _flags(run) for name, run in runs.items()}
    rates = {_name(run): row.fpr for run, row in members if row.fpr is not None}

    def p_value(first: str, second: str) -> float:
        shared = flags[first].keys() & flags[second].keys()
        found = paired_difference(
            (flags[first][item][0], flags[first][item][1], flags[second][item][1]) for item in sorted(shared)
        )
        return 1.0 if found.p_value is None else found.p_value

    groups = rank_groups(rates, p_value)
    return {_key(row): groups[_name(run)] for run, row in members}


def _flags(run: Run) -> dict[str, tuple[str, bool]]:
    return {
        result.item.item_id: (result.item.company_key, flagged)
        for result, flagged in answered_outcomes(FALSE_POSITIVE_RATE, run.results)
        if result.item.arm == "verbatim"
    }


def _name(run: Run) -> str:
    return f"{run.identity.model_id}\x1f{run.identity.run_id}"


def _key(row: HeadlineRow) -> tuple[str, ...]:
    return row.dataset_version, row.prompt_version, row.scoring_version, row.model_id, row.run_id
