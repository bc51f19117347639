"""Counts by cluster: the form in which every rate of the benchmark enters its interval.

Items of one company resemble each other, so the company and not the item is what a confidence interval may count on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ClusterCounts:
    """Successes and trials of each cluster; clusters without a trial are not held."""

    k: NDArray[np.int64]
    """Successes, one entry a cluster."""
    n: NDArray[np.int64]
    """Trials, one entry a cluster, all positive."""

    @cached_property
    def successes(self) -> int:
        """Successes over all clusters."""
        return int(self.k.sum())

    @cached_property
    def trials(self) -> int:
        """Trials over all clusters."""
        return int(self.n.sum())

    @property
    def clusters(self) -> int:
        """Clusters with at least one trial."""
        return len(self.n)

    @property
    def rate(self) -> float | None:
        """Pooled rate: each item weighs one. None without a trial."""
        return self.successes / self.trials if self.trials else None

    @property
    def mean_of_cluster_rates(self) -> float | None:
        """Each cluster weighs one: a large distance from `rate` says that a few companies make the number."""
        return float(np.mean(self.k / self.n)) if self.trials else None


def cluster_counts(outcomes: Iterable[tuple[str, bool]]) -> ClusterCounts:
    """Counts from (cluster key, success) pairs; the result does not depend on their order."""
    tally: dict[str, list[int]] = {}
    for key, success in outcomes:
        cell = tally.setdefault(key, [0, 0])
        cell[0] += int(success)
        cell[1] += 1
    cells = [tally[key] for key in sorted(tally)]
    return ClusterCounts(
        k=np.array([cell[0] for cell in cells], dtype=np.int64), n=np.array([cell[1] for cell in cells], dtype=np.int64)
    )


def counts_by_code(codes: NDArray[np.int64], success: NDArray[np.bool_]) -> ClusterCounts:
    """Counts from parallel arrays of cluster code (0, 1, ...) and outcome; clusters without a trial drop out."""
    n = np.bincount(codes)
    k = np.bincount(codes[success], minlength=len(n))
    held = n > 0
    return ClusterCounts(k=k[held].astype(np.int64), n=n[held].astype(np.int64))


def clustered_variance(counts: ClusterCounts) -> float | None:
    """Variance of the pooled rate when whole clusters are the draws (linearised ratio, C/(C-1) correction).

    It is what `survey::svymean` gives for a one-stage cluster design without weights. None for fewer than two clusters.
    """
    clusters, trials = counts.clusters, counts.trials
    if clusters < 2:
        return None
    residuals = counts.k - counts.successes / trials * counts.n
    return float(clusters / (clusters - 1) * (residuals @ residuals) / trials**2)


def design_effect(counts: ClusterCounts) -> float | None:
    """Clustered over binomial variance of the rate.

    None where it cannot be estimated: fewer than two clusters, or all outcomes alike.
    """
    if counts.successes in (0, counts.trials):
        return None
    variance = clustered_variance(counts)
    if variance is None:
        return None
    rate = counts.successes / counts.trials
    return variance / (rate * (1 - rate) / counts.trials)


def degrees_of_freedom(counts: ClusterCounts) -> float:
    """Degrees of freedom of `clustered_variance`: clusters - 1 where all are of one size, fewer where a few are large.

    Satterthwaite's approximation for a sum of squared residuals (Bell & McCaffrey 2002), with the variance of a
    cluster's sum proportional to n_c (1 + (n_c - 1) r), r being the intra-cluster correlation that the design effect
    implies (Imbens & Kolesár 2016, who estimate it too).

    Raises:
        ValueError: fewer than two clusters.
    """
    clusters = counts.clusters
    if clusters < 2:
        raise ValueError("degrees of freedom need two clusters")
    n = counts.n.astype(np.float64)
    trials = counts.trials
    excess = float(n @ n) / trials - 1
    effect = design_effect(counts) or 1.0
    alike = min(max((effect - 1) / excess, 0.0), 1.0) if excess > 0 else 0.0
    spread = n * (1 + (n - 1) * alike)
    # The residuals k_c - w_c sum(k) have the covariance diag(spread) - x, x_cd = w_c s_d + s_c w_d - S w_c w_d.
    # Wanted: its trace, squared, over the trace of its square.
    share, total = n / trials, float(spread.sum())
    ww, ws, ss = float(share @ share), float(share @ spread), float(spread @ spread)
    diagonal = share * (2 * spread - total * share)
    trace = total - float(diagonal.sum())
    of_x_square = 2 * ww * ss + (total * ww) ** 2 + 2 * ws**2 - 4 * total * ww * ws
    of_square = ss - 2 * float(spread @ diagonal) + of_x_square
    return min(max(trace**2 / of_square, 1.0), clusters - 1.0)
