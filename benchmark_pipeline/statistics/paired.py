"""Two models on the same items: the difference of their rates, and whether it is more than chance.

The test flips the sign of whole companies. McNemar's test would take items of one company for independent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from .bootstrap import RESAMPLES, SEED, cluster_bootstrap, ratio
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
    tally: dict[str, list[int]] = {}
    only_first = only_second = 0
    for key, first, second in outcomes:
        cell = tally.setdefault(key, [0, 0])
        cell[0] += int(first) - int(second)
        cell[1] += 1
        only_first += int(first and not second)
        only_second += int(second and not first)
    counts = np.array([tally[key] for key in sorted(tally)], dtype=np.float64).reshape(-1, 2)
    n = int(counts[:, 1].sum())
    return PairedDifference(
        difference=(only_first - only_second) / n if n else None,
        interval=cluster_bootstrap(counts, ratio, seed=seed),
        p_value=sign_flip_test(counts[:, 0], seed=seed) if n else None,
        only_first=only_first,
        only_second=only_second,
        n=n,
        clusters=len(counts),
    )


def sign_flip_test(sums: NDArray[np.float64], *, resamples: int = RESAMPLES, seed: int = SEED) -> float:
    """Two-sided permutation test that the cluster sums are symmetric around zero.

    Clusters whose sum is zero carry no sign and are dropped, which changes no p-value and lets small samples be tested
    exactly. Without any other cluster the p-value is 1.
    """
    signed = sums[sums != 0]
    if signed.size == 0:
        return 1.0
    if signed.size == 1:
        return 1.0  # the one sign is as likely either way
    found = stats.permutation_test(
        (signed,),
        lambda x, axis: np.sum(x, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        rng=np.random.default_rng(seed),
    )
    return float(found.pvalue)
