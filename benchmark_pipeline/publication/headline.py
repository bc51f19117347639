"""The headline: the false-positive rate on attested clean items, and what must be printed with it.

Flagged over answered, on the items as filed. A failed call is neither a flag nor a pass, so the failure rate and both
bounds stand beside the rate, and a model that fails on more than 2 % of these items is not comparable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmark_pipeline.statistics.clusters import ClusterCounts, design_effect
from benchmark_pipeline.statistics.intervals import korn_graubard
from benchmark_pipeline.statistics.paired import sign_flip_test
from benchmark_pipeline.statistics.ranking import rank_groups
from benchmark_pipeline.tables.publication import HeadlineRow

from .measures import (
    FALSE_POSITIVE_RATE,
    MANAGEMENT_ONLY_RATE,
    RECALL,
    Measure,
    counts_of,
    headline_selection,
    select,
)
from .results import Run

MINIMUM_ITEMS = 30
"""Attested clean items below which no headline is printed."""
MINIMUM_COMPANIES = 30
"""Companies below which models are not ranked: the paired test has no power to tell them apart."""
MAXIMUM_FAILURE_RATE = 0.02
"""Failures on the headline items above which a model is not comparable."""


def headline_rows(runs: Sequence[Run]) -> list[HeadlineRow]:
    """One row a run, ranked within equal dataset, prompt and scoring version."""
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

    planned: int
    failures: int
    counts: ClusterCounts


def _side(run: Run, measure: Measure) -> _Side:
    cell = headline_selection(measure, run.items)
    if not run.asks(measure.task):
        cell = select(run.items, cell.positions[:0])
    return _Side(len(cell.positions), int(run.failed[cell.positions].sum()), counts_of(measure, run, cell))


def _headline(run: Run) -> HeadlineRow:
    attested, management, recall = (_side(run, m) for m in (FALSE_POSITIVE_RATE, MANAGEMENT_ONLY_RATE, RECALL))
    planned, failures = attested.planned, attested.failures
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
            f"Incomplete: {run.missing} of {len(run.asked)} planned calls have no result yet. "
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
    rates = {_name(run): row.fpr for run, row in members if row.fpr is not None}
    cell = headline_selection(FALSE_POSITIVE_RATE, members[0][0].items)
    flags = {name: run.verdict("flagged_deficient")[cell.positions] for name, run in runs.items()}

    def p_value(first: str, second: str) -> float:
        one, two = flags[first], flags[second]
        both = (one >= 0) & (two >= 0)
        difference = one[both].astype(np.float64) - two[both]
        return (
            sign_flip_test(np.bincount(cell.company[both], weights=difference).astype(np.float64))
            if both.any()
            else 1.0
        )

    groups = rank_groups(rates, p_value)
    return {_key(row): groups[_name(run)] for run, row in members}


def _name(run: Run) -> str:
    return f"{run.identity.model_id}\x1f{run.identity.run_id}"


def _key(row: HeadlineRow) -> tuple[str, ...]:
    return row.dataset_version, row.prompt_version, row.scoring_version, row.model_id, row.run_id
