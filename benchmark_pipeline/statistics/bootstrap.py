"""Percentile bootstrap over companies, for statistics that are no mean (F1, a difference of rates).

Whole companies are drawn with replacement. A statistic is a function of summed counts, so a resample is one product of
draw counts and per-company counts; no item is looped over.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .intervals import LEVEL, Interval

RESAMPLES = 10_000
SEED = 20260101
"""One seed for every resampling of the benchmark: the same data give the same interval."""
_CHUNK = 1_000

Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Summed counts of shape (resamples, measures) to values of shape (resamples,); NaN where it is not defined."""


def cluster_bootstrap(
    counts: NDArray[np.float64],
    statistic: Statistic,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = LEVEL,
) -> Interval | None:
    """Percentile interval of `statistic` over resampled clusters.

    Args:
        counts: shape (clusters, measures): what each cluster adds to the sums.
        statistic: vectorised over resamples.
        resamples: number of draws.
        seed: of the generator.
        level: confidence level.

    Returns:
        None for fewer than two clusters, where the statistic is defined in no resample, or where all resamples agree
        (a bootstrap without spread would print a point as an interval). Resamples in which the statistic is not
        defined (an empty denominator) are left out.
    """
    clusters = counts.shape[0]
    if clusters < 2:
        return None
    generator = np.random.default_rng(seed)
    values = []
    for start in range(0, resamples, _CHUNK):
        draws = generator.multinomial(clusters, np.full(clusters, 1 / clusters), size=min(_CHUNK, resamples - start))
        values.append(statistic(draws @ counts))
    found = np.concatenate(values)
    found = found[~np.isnan(found)]
    if found.size == 0 or found.min() == found.max():
        return None
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), "cluster_bootstrap")


def ratio(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """First column over second; NaN where the second is zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sums[:, 1] > 0, sums[:, 0] / sums[:, 1], np.nan)
