"""Intervals against reference values: R survey 4 (`svyciprop`, method "beta") and statsmodels (`proportion_confint`)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark_pipeline.statistics.clusters import (
    ClusterCounts,
    cluster_counts,
    clustered_variance,
    degrees_of_freedom,
    design_effect,
)
from benchmark_pipeline.statistics.intervals import clopper_pearson, korn_graubard, wilson

SURVEY = [
    ([0, 1, 0, 3, 0, 0, 2, 0, 0, 1], [3, 2, 4, 5, 1, 3, 4, 2, 3, 3], 0.0628475895, 0.5080742754, 0.0092427984, 1.5500345066),
    ([2, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 1], [8] * 12, 0.0150080419, 0.2381409570, 0.0019728535, 2.4793388430),
    ([1] + [0] * 19, [1] * 20, 0.0010697812, 0.2564771172, 0.0025000000, 1.0526315789),
    ([3, 0, 0, 0], [3, 2, 1, 2], 0.0002546869, 0.9930114780, 0.0996093750, 3.4000000000),
]  # fmt: skip


def counts(k: list[int], n: list[int]) -> ClusterCounts:
    return ClusterCounts(np.array(k), np.array(n))


@pytest.mark.parametrize(("k", "n", "low", "high", "variance", "effect"), SURVEY)
def test_korn_graubard_equals_the_survey_package(
    k: list[int], n: list[int], low: float, high: float, variance: float, effect: float
) -> None:
    cells = counts(k, n)
    assert clustered_variance(cells) == pytest.approx(variance, abs=1e-9)
    assert design_effect(cells) == pytest.approx(effect, abs=1e-9)
    found = korn_graubard(cells, freedom=len(n) - 1)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-8)


# From R, with the covariance of the residuals written out as a matrix G: sum(diag(G))^2 / sum(diag(G %*% G)), and
# qbeta at the effective sample size.
UNEQUAL = [
    ([0, 1, 0, 3, 0, 0, 2, 0, 0, 1], [3, 2, 4, 5, 1, 3, 4, 2, 3, 3], 7.2707081635, 0.0586023232, 0.5199417518),
    ([3, 0, 0, 0], [3, 2, 1, 2], 2.3094426189, 0.0000118909, 0.9988902307),
    ([0, 1, 0, 3, 0, 0, 9, 0, 0, 1, 0, 0], [3, 2, 4, 5, 1, 3, 30, 2, 3, 3, 12, 1], 3.0946765543, 0.0405048159, 0.4987888823),
]  # fmt: skip


@pytest.mark.parametrize(("k", "n", "freedom", "low", "high"), UNEQUAL)
def test_unequal_companies_cost_degrees_of_freedom_and_widen_the_interval(
    k: list[int], n: list[int], freedom: float, low: float, high: float
) -> None:
    cells = counts(k, n)
    assert degrees_of_freedom(cells) == pytest.approx(freedom, abs=1e-9) and freedom < len(n) - 1
    found, plain = korn_graubard(cells), korn_graubard(cells, freedom=len(n) - 1)
    assert found is not None and plain is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-8)
    assert found.low < plain.low and found.high > plain.high


@pytest.mark.parametrize(("k", "n"), [([2, 0, 0, 1, 0, 0], [8] * 6), ([0] * 30, [1] * 30), ([1, 0, 0], [5] * 3)])
def test_companies_of_one_size_keep_clusters_less_one_degrees_of_freedom(k: list[int], n: list[int]) -> None:
    assert degrees_of_freedom(counts(k, n)) == pytest.approx(len(n) - 1)


def test_one_company_has_no_degrees_of_freedom() -> None:
    with pytest.raises(ValueError, match="two clusters"):
        degrees_of_freedom(counts([1], [3]))


@pytest.mark.parametrize(
    ("k", "n", "beta", "score"),
    [
        (0, 30, (0.0, 0.115703308222), (0.0, 0.113513393174)),
        (3, 40, (0.015742179851, 0.203864748733), (0.025836025775, 0.198642335243)),
        (150, 150, (0.975707402834, 1.0), (0.975029755632, 1.0)),
        (7, 150, (0.018965569635, 0.093785864988), (0.022786549161, 0.093186472399)),
    ],
)
def test_binomial_intervals_equal_statsmodels(
    k: int, n: int, beta: tuple[float, float], score: tuple[float, float]
) -> None:
    exact, approximate = clopper_pearson(k, n), wilson(k, n)
    assert exact is not None and approximate is not None
    assert (exact.low, exact.high) == pytest.approx(beta, abs=1e-10)
    assert (approximate.low, approximate.high) == pytest.approx(score, abs=1e-10)


def test_no_success_in_independent_items_is_clopper_pearson() -> None:
    found, exact = korn_graubard(counts([0] * 30, [1] * 30)), clopper_pearson(0, 30)
    assert found is not None and exact is not None
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high))


def test_no_success_with_few_companies_is_wider_than_with_many() -> None:
    few, many = korn_graubard(counts([0] * 5, [12] * 5)), korn_graubard(counts([0] * 60, [1] * 60))
    assert few is not None and many is not None and few.high > many.high


def test_one_company_gives_no_interval_and_no_design_effect() -> None:
    assert korn_graubard(counts([2], [9])) is None
    assert design_effect(counts([2], [9])) is None


def test_no_items_give_no_rate_and_no_interval() -> None:
    empty = cluster_counts([])
    assert empty.rate is None and empty.mean_of_cluster_rates is None
    assert korn_graubard(empty) is None and clopper_pearson(0, 0) is None and wilson(0, 0) is None


def test_companies_more_alike_than_chance_do_not_narrow_the_interval() -> None:
    alike, exact = korn_graubard(counts([1] * 20, [2] * 20)), clopper_pearson(20, 40)
    assert alike is not None and exact is not None
    assert alike.high - alike.low == pytest.approx(exact.high - exact.low)


def test_more_successes_than_trials_are_refused() -> None:
    with pytest.raises(ValueError, match="got 5 of 4"):
        clopper_pearson(5, 4)


cells_strategy = st.lists(st.tuples(st.integers(0, 6), st.integers(1, 6)), min_size=2, max_size=25).map(
    lambda pairs: counts([min(k, n) for k, n in pairs], [n for _, n in pairs])
)


@given(cells_strategy)
def test_the_interval_holds_the_rate_and_stays_in_the_unit_range(cells: ClusterCounts) -> None:
    found = korn_graubard(cells)
    assert found is not None and cells.rate is not None
    assert 0 <= found.low <= cells.rate <= found.high <= 1


@given(cells_strategy)
def test_swapping_success_and_failure_mirrors_the_interval(cells: ClusterCounts) -> None:
    found, mirrored = korn_graubard(cells), korn_graubard(ClusterCounts(cells.n - cells.k, cells.n))
    assert found is not None and mirrored is not None
    assert found.low == pytest.approx(1 - mirrored.high, abs=1e-9)


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.booleans()), max_size=30), st.randoms())
def test_counts_do_not_depend_on_the_order_of_items(outcomes: list[tuple[str, bool]], random: object) -> None:
    shuffled = list(outcomes)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    first, second = cluster_counts(outcomes), cluster_counts(shuffled)
    assert first.k.tolist() == second.k.tolist() and first.n.tolist() == second.n.tolist()
