"""How one metric row is made: the run's identity, the counts, the clustered interval."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmark_pipeline.statistics.clusters import ClusterCounts, design_effect
from benchmark_pipeline.statistics.intervals import Interval, korn_graubard
from benchmark_pipeline.tables.publication import MetricRow

from .results import Positions, Run

Bounds = tuple[float, float]
"""Lowest and highest that an estimate can be, whatever the failed calls would have answered."""


class Cell(NamedTuple):
    """What one number is: the measure and the split it is taken on."""

    task: str
    metric: str
    by: str = "all"
    split: str = "all"


Side = tuple[NDArray[np.int8], NDArray[np.bool_]]
"""One side of a comparison, item by item: the verdict (1, 0, or -1 without one) and whether the call failed."""


def difference_bounds(first: Side, second: Side) -> Bounds | None:
    """Lowest and highest mean of first less second over the pairs that have a result on both sides, failed or not."""
    (one, one_failed), (two, two_failed) = first, second
    held = ((one >= 0) | one_failed) & ((two >= 0) | two_failed)
    if not held.any():
        return None
    low_one, low_two = ((side[held] == 1).astype(np.int64) for side in (one, two))
    high_one, high_two = low_one + one_failed[held], low_two + two_failed[held]
    return float((low_one - high_two).mean()), float((high_one - low_two).mean())


class MetricBuilder:
    """Makes the rows of one run."""

    def __init__(self, run: Run, comparable: bool) -> None:
        self.run = run
        self.comparable = comparable

    def rate(
        self,
        cell: Cell,
        positions: Positions,
        counts: ClusterCounts,
        note: str | None = None,
        bounds: Bounds | None = None,
    ) -> MetricRow:
        """The row of a rate with its clustered interval."""
        return self.row(
            cell,
            positions,
            estimate=counts.rate,
            interval=korn_graubard(counts),
            k=counts.successes,
            n=counts.trials,
            clusters=counts.clusters,
            design_effect=design_effect(counts),
            note=note,
            bounds=bounds,
        )

    def row(
        self,
        cell: Cell,
        positions: Positions,
        *,
        estimate: float | None,
        interval: Interval | None = None,
        bounds: Bounds | None = None,
        **values: Any,
    ) -> MetricRow:
        """A row with the run's identity, its status and the failures among the items at `positions`."""
        identity = self.run.identity
        return MetricRow(
            dataset_version=identity.dataset_version,
            prompt_version=identity.prompt_version,
            scoring_version=identity.scoring_version,
            model_id=identity.model_id,
            run_id=identity.run_id,
            task=cell.task,
            metric=cell.metric,
            split_by=cell.by,
            split=cell.split,
            estimate=estimate,
            ci_low=interval.low if interval else None,
            ci_high=interval.high if interval else None,
            ci_method=interval.method if interval else None,
            planned=len(positions),
            failures=int(self.run.failed[positions].sum()),
            bound_low=bounds[0] if bounds else None,
            bound_high=bounds[1] if bounds else None,
            status=self.run.status,
            comparable=self.comparable,
            **{"k": None, "n": None, "clusters": None, "design_effect": None, "note": None, **values},
        )
