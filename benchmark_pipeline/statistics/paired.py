"""Two models on the same items: the difference of their rates, and whether it is more than chance.

The test flips the sign of whole companies. McNemar's test would take items of one company for independent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from .bootstrap import SEED, cluster_bootstrap, ratio
from .intervals import Interval


@dataclass(frozen=True)
class PairedDifference:
    """Rate of the first less rate of the second, over the items that both answered."""

    difference: float | None
    """None where no item was answered by both."""
    interval: Interval | None
    p_value: float | None
    """Two-sided; None where no item was answered by both."""
    only_first: int
    """Items on which only the first scored."""
    only_second: int
    """Items on which only the second scored."""
    n: int
    clusters: int


def paired_difference(outcomes: Iterable[tuple[str, bool, bool]], *, seed: int = SEED) -> PairedDifference:
    """Compares two raters of the same items from (cluster key, first's outcome, second's outcome) triples."""
    listed = list(outcomes)
    codes = np.unique(np.array([key for key, *_ in listed], dtype=object), return_inverse=True)[1]
    first, second = (np.array([row[side] for row in listed], dtype=bool) for side in (1, 2))
    return paired_counts(codes.astype(np.int64), first, second, seed=seed)


def paired_counts(
    codes: NDArray[np.int64], first: NDArray[np.bool_], second: NDArray[np.bool_], *, seed: int = SEED
) -> PairedDifference:
    """Compares two raters of the same items from parallel arrays of cluster code, first's and second's outcome."""
    n = len(codes)
    if not n:
        return PairedDifference(None, None, None, 0, 0, 0, 0)
    sums = np.bincount(codes, weights=first.astype(np.float64) - second)
    trials = np.bincount(codes)
    counts = np.column_stack([sums, trials])[trials > 0].astype(np.float64)
    only_first, only_second = int((first & ~second).sum()), int((second & ~first).sum())
    return PairedDifference(
        difference=(only_first - only_second) / n,
        interval=cluster_bootstrap(counts, ratio, seed=seed),
        p_value=sign_flip_test(counts[:, 0]),
        only_first=only_first,
        only_second=only_second,
        n=n,
        clusters=len(counts),
    )


def sign_flip_test(sums: NDArray[np.float64]) -> float:
    """Two-sided permutation test that the cluster sums are symmetric around zero: exact, for whole-number sums.

    Every sign of every cluster is equally likely under the null. The distribution of the total is the convolution of one
    binomial for each size of cluster sum, so no resampling is needed and no p-value is bounded by a number of draws.
    Clusters whose sum is zero carry no sign and drop out. Without any other cluster the p-value is 1. With sums of one it
    is McNemar's exact test.

    Raises:
        ValueError: a sum is no whole number.
    """
    whole = np.rint(sums).astype(np.int64)
    if not np.array_equal(whole, sums):
        raise ValueError("cluster sums must be whole numbers: differences of counts")
    sizes, members = np.unique(np.abs(whole[whole != 0]), return_counts=True)
    distribution = np.ones(1)  # of half of (total + largest total)
    for size, count in zip(sizes.tolist(), members.tolist(), strict=True):
        steps = np.zeros(size * count + 1)
        steps[::size] = fair_binomial(count)
        distribution = np.convolve(distribution, steps)
    totals = 2 * np.arange(len(distribution)) - int((sizes * members).sum())
    return float(min(1.0, distribution[np.abs(totals) >= abs(int(whole.sum()))].sum()))


def mcnemar(only_first: int, only_second: int) -> float:
    """McNemar's exact two-sided p-value from the discordant counts, for independent items. 1 without a discordant item."""
    discordant = only_first + only_second
    return min(1.0, 2 * float(special.bdtr(min(only_first, only_second), discordant, 0.5))) if discordant else 1.0


def fair_binomial(trials: int) -> NDArray[np.float64]:
    """Probabilities of 0 to `trials` heads of a fair coin."""
    heads = np.arange(trials + 1)
    ways = special.gammaln(trials + 1) - special.gammaln(heads + 1) - special.gammaln(trials - heads + 1)
    return np.asarray(np.exp(ways - trials * np.log(2.0)))
