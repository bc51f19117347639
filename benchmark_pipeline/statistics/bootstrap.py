"""Percentile and BCa bootstrap over companies, for statistics that are no mean (F1, a difference of rates).

Whole companies are drawn with replacement. A statistic is a function of summed counts, so a resample is one product of
draw counts and per-company counts; no item is looped over. Companies with equal counts are drawn as one class, which
is the same distribution and makes the cost depend on the kinds of companies, not on their number.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

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
    accelerated: bool = False,
) -> Interval | None:
    """Percentile interval of `statistic` over resampled clusters.

    Args:
        counts: shape (clusters, measures): what each cluster adds to the sums.
        statistic: vectorised over resamples.
        resamples: number of draws.
        seed: of the generator.
        level: confidence level.
        accelerated: BCa (Efron 1987) where it is defined, the percentile interval where it is not.

    Returns:
        None for fewer than two clusters, where the statistic is defined in no resample, or where all resamples agree
        (a bootstrap without spread would print a point as an interval). Resamples in which the statistic is not
        defined (an empty denominator) are left out.
    """
    clusters = counts.shape[0]
    if clusters < 2:
        return None
    generator = np.random.default_rng(seed)
    kinds, members = _kinds(counts)
    values = []
    for start in range(0, resamples, _CHUNK):
        draws = generator.multinomial(clusters, members / clusters, size=min(_CHUNK, resamples - start))
        values.append(statistic(draws @ kinds))
    found = np.concatenate(values)
    found = found[~np.isnan(found)]
    if found.size == 0 or found.min() == found.max():
        return None
    tails, method = np.array([(1 - level) / 2, (1 + level) / 2]), "cluster_bootstrap"
    if accelerated and (moved := _accelerated_tails(kinds, members, statistic, found, tails)) is not None:
        tails, method = moved, "cluster_bootstrap_bca"
    low, high = np.quantile(found, tails)
    return Interval(float(low), float(high), method)


def _kinds(counts: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Different rows in lexical order, and how many clusters have each.

    Whole numbers of a small range are put into one number a row, which sorts many times faster than rows do.
    """
    low = counts.min(axis=0)
    sizes = counts.max(axis=0) - low + 1
    if sizes.prod() < 2**53 and np.array_equal(counts, np.rint(counts)):
        strides = np.append(np.cumprod(sizes[:0:-1])[::-1], 1.0)
        _, first, members = np.unique((counts - low) @ strides, return_index=True, return_counts=True)
        return counts[first], members
    return np.unique(counts, axis=0, return_counts=True)


def _accelerated_tails(
    kinds: NDArray[np.float64],
    members: NDArray[np.int64],
    statistic: Statistic,
    found: NDArray[np.float64],
    tails: NDArray[np.float64],
) -> NDArray[np.float64] | None:
    """Tails moved for bias and skewness; None where the statistic is not defined without some company, or never moves."""
    total = members @ kinds
    estimate = float(statistic(total[None, :])[0])
    left_out = statistic(total - kinds)
    bias = special.ndtri((np.mean(found < estimate) + np.mean(found <= estimate)) / 2)
    if np.isnan(left_out).any() or not np.isfinite(bias):
        return None
    moves = np.average(left_out, weights=members) - left_out
    spread = float((members * moves**2).sum())
    if spread == 0:
        return None
    acceleration = float((members * moves**3).sum()) / (6 * spread**1.5)
    shifted = bias + special.ndtri(tails)
    return np.asarray(special.ndtr(bias + shifted / (1 - acceleration * shifted)))


def ratio(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """First column over second; NaN where the second is zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sums[:, 1] > 0, sums[:, 0] / sums[:, 1], np.nan)
