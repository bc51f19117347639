"""Confidence intervals of a rate.

The headline uses Korn-Graubard (1998): the Clopper-Pearson interval at the effective sample size, which keeps its
coverage for small rates and few companies, where Wald, Wilson and the bootstrap do not.
"""

from __future__ import annotations

from dataclasses import dataclass

from scipy import special

from .clusters import ClusterCounts, degrees_of_freedom, design_effect

LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """Lower and upper end, and the method's name."""

    low: float
    high: float
    method: str


def clopper_pearson(k: float, n: float, level: float = LEVEL) -> Interval | None:
    """Exact binomial interval; `k` and `n` may be fractional (effective counts). None for n = 0.

    Raises:
        ValueError: k outside [0, n].
    """
    _check(k, n)
    if n == 0:
        return None
    tail = (1 - level) / 2
    low = 0.0 if k == 0 else float(special.betaincinv(k, n - k + 1, tail))
    high = 1.0 if k == n else float(special.betaincinv(k + 1, n - k, 1 - tail))
    return Interval(low, high, "clopper_pearson")


def wilson(k: int, n: int, level: float = LEVEL) -> Interval | None:
    """Score interval (Wilson 1927), for rates of independent outcomes. None for n = 0.

    Raises:
        ValueError: k outside [0, n].
    """
    _check(k, n)
    if n == 0:
        return None
    z2 = float(special.ndtri((1 + level) / 2)) ** 2
    middle, spread = (k + z2 / 2) / (n + z2), (z2 * (k * (n - k) / n + z2 / 4)) ** 0.5 / (n + z2)
    return Interval(max(middle - spread, 0.0), min(middle + spread, 1.0), "wilson")


def korn_graubard(counts: ClusterCounts, level: float = LEVEL, freedom: float | None = None) -> Interval | None:
    """Clopper-Pearson at the effective sample size, with a t correction for the number and sizes of clusters.

    n_eff = n / design effect * (t[n-1] / t[freedom])^2, as in R's `survey::svyciprop(method = "beta")`, and never above
    n: companies that happen to look alike do not earn a narrower interval than independent items.

    `svyciprop` takes clusters - 1 degrees of freedom, with which a 95 % interval covers 89 % where 30 companies of very
    unequal size hold items much alike (`benchmarks/intervals.py`). The default here is `degrees_of_freedom`, which is
    clusters - 1 where companies are of one size.

    At the edges: where all outcomes are alike (k = 0 or k = n) no design effect can be estimated and 1 is taken, so
    that with one item a company the interval is Clopper-Pearson's. Fewer than two clusters: None, since nothing is
    known about the spread between companies.
    """
    n = counts.trials
    if counts.clusters < 2:
        return None
    effect = design_effect(counts)
    tail = (1 - level) / 2
    freedom = degrees_of_freedom(counts) if freedom is None else freedom
    correction = (special.stdtrit(n - 1, tail) / special.stdtrit(freedom, tail)) ** 2
    if effect is None:
        effect = 1.0
    effective = min(float(n), n / effect * float(correction)) if effect else float(n)
    found = clopper_pearson(counts.successes / n * effective, effective, level)
    return Interval(found.low, found.high, "korn_graubard") if found else None


def _check(k: float, n: float) -> None:
    if not 0 <= k <= n:
        raise ValueError(f"successes must lie in [0, trials]: got {k} of {n}")
