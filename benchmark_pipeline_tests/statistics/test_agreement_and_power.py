"""Agreement, power and the exact tests, against published values and other programs' results."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchmark_pipeline.statistics.agreement import gwet_ac1, krippendorff_alpha, quadratic_kappa, raw_agreement
from benchmark_pipeline.statistics.bootstrap import cluster_bootstrap, ratio
from benchmark_pipeline.statistics.paired import mcnemar, sign_flip_test
from benchmark_pipeline.statistics.power import items_needed, paired_power, precision_at
from benchmark_pipeline.statistics.ranking import benjamini_hochberg, holm

N = None
# Krippendorff's own reliability data (Computing Krippendorff's Alpha-Reliability, 2011, part C): four raters, twelve units.
FOUR_RATERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.743), ("ordinal", 0.815)])
def test_alpha_equals_krippendorffs_published_values(level: str, published: float) -> None:
    assert krippendorff_alpha(FOUR_RATERS, [1, 2, 3, 4, 5], level) == pytest.approx(published, abs=5e-4)  # type: ignore[arg-type]


def test_alpha_equals_the_krippendorff_package() -> None:
    assert krippendorff_alpha(FOUR_RATERS, [1, 2, 3, 4, 5]) == pytest.approx(0.743421052631579)
    assert krippendorff_alpha(FOUR_RATERS, [1, 2, 3, 4, 5], "ordinal") == pytest.approx(0.8153875037548814)


def test_under_extreme_prevalence_alpha_collapses_and_ac1_does_not() -> None:
    # 200 units, 95 % agreement, each rater says clean on 97.5 %: chance agreement is nearly all there is.
    first = ["clean"] * 190 + ["deficient"] * 5 + ["clean"] * 5
    second = ["clean"] * 190 + ["clean"] * 5 + ["deficient"] * 5
    labels = ["clean", "deficient"]
    assert raw_agreement([first, second], labels) == pytest.approx(0.95)
    assert krippendorff_alpha([first, second], labels) == pytest.approx(-0.02, abs=0.005)
    assert gwet_ac1([first, second], labels) == pytest.approx(0.95, abs=0.005)
    # By hand: chance = 2 * 0.975 * 0.025.
    assert gwet_ac1([first, second], labels) == pytest.approx((0.95 - 0.04875) / (1 - 0.04875))


def test_agreement_of_nobody_is_not_defined_and_unknown_labels_are_refused() -> None:
    assert krippendorff_alpha([[1, N], [N, 1]], [1, 2]) is None
    assert gwet_ac1([[1, N], [N, 1]], [1, 2]) is None
    with pytest.raises(ValueError, match="rating 9"):
        gwet_ac1([[9]], [1, 2])
    with pytest.raises(ValueError, match="one entry a unit"):
        raw_agreement([[1], [1, 2]], [1, 2])


def test_quadratic_kappa_equals_its_definition_on_a_table_worked_out_by_hand() -> None:
    # Gold down, answers across. Squared distances seen: 4 of one tier, 1 of two: 4 * 1 + 1 * 4 = 8.
    table = np.array([[5.0, 1, 1], [1, 4, 1], [0, 1, 6]])
    # Margins 7, 6, 7 and 6, 6, 8; expected: (7*6 + 6*6 + 6*8 + 7*6 + 4*(7*8 + 7*6)) / 20 = (168 + 392) / 20 = 28.
    assert float(quadratic_kappa(table)) == pytest.approx(1 - 8 / 28)


def test_quadratic_kappa_equals_scikit_learn() -> None:
    gold = [0, 0, 1, 1, 2, 2, 2, 0, 1, 2, 1, 0]
    given_ = [0, 1, 1, 2, 2, 2, 0, 0, 1, 1, 1, 2]
    table = np.zeros((3, 3))
    np.add.at(table, (gold, given_), 1)
    assert float(quadratic_kappa(table)) == pytest.approx(0.2666666666666667)
    assert np.isnan(quadratic_kappa(np.diag([5.0, 0, 0])))


def test_mcnemar_equals_statsmodels() -> None:
    assert mcnemar(12, 3) == pytest.approx(0.03515625)
    assert mcnemar(0, 0) == 1.0


def test_benjamini_hochberg_equals_statsmodels() -> None:
    assert benjamini_hochberg([0.01, 0.04, 0.03, 0.005, 0.5]) == pytest.approx([0.025, 0.05, 0.05, 0.025, 0.5])
    assert benjamini_hochberg([]) == []


@given(st.lists(st.integers(-4, 4), max_size=12))
def test_the_exact_sign_flip_test_equals_counting_every_sign(sums: list[int]) -> None:
    signs = np.array(np.meshgrid(*[[-1, 1]] * len(sums))).reshape(len(sums), -1) if sums else np.zeros((0, 1))
    totals = np.array(sums) @ signs if sums else np.zeros(1)
    assert sign_flip_test(np.array(sums, dtype=float)) == pytest.approx(np.mean(np.abs(totals) >= abs(sum(sums))))


def test_the_exact_sign_flip_test_agrees_with_scipys_random_one_on_many_clusters() -> None:
    sums = np.array([2.0] * 12 + [-1.0] * 20 + [1.0] * 22 + [-2.0] * 5 + [3.0, -3.0])
    drawn = stats.permutation_test(
        (sums,), lambda x, axis: np.sum(x, axis=axis), permutation_type="samples", vectorized=True,
        n_resamples=20_000, rng=np.random.default_rng(1),
    )  # fmt: skip
    assert sign_flip_test(sums) == pytest.approx(float(drawn.pvalue), abs=0.015)


def test_sums_that_are_no_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="whole numbers"):
        sign_flip_test(np.array([0.5, 1.0]))


def test_the_accelerated_bootstrap_equals_scipys_within_its_noise() -> None:
    k = np.array([1, 0, 0, 2, 0, 1, 0, 0, 3, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.0])
    n = np.array([2, 1, 2, 3, 1, 1, 2, 2, 4, 1, 2, 3, 1, 1, 2, 2, 1, 1, 3, 2.0])
    found = cluster_bootstrap(np.column_stack([k, n]), ratio, accelerated=True)
    assert found is not None and found.method == "cluster_bootstrap_bca"
    # scipy.stats.bootstrap((k, n), paired=True, method="BCa"), 200,000 resamples of the companies.
    assert (found.low, found.high) == pytest.approx((0.1071, 0.4318), abs=0.012)


def test_a_statistic_that_leaving_one_out_undoes_falls_back_to_percentiles() -> None:
    found = cluster_bootstrap(np.array([[1.0, 1.0], [1.0, 2.0], [0.0, 0.0]]), ratio, accelerated=True)
    assert found is not None
    lonely = cluster_bootstrap(np.array([[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]]), ratio, accelerated=True)
    assert lonely is None


@pytest.mark.parametrize(
    ("items", "first", "second", "simulated"),
    [(200, 0.06, 0.03, 0.22), (400, 0.06, 0.03, 0.46), (800, 0.08, 0.04, 0.89), (1200, 0.10, 0.05, 0.99)],
)
def test_power_equals_the_simulated_table_of_the_analysis_plan(
    items: int, first: float, second: float, simulated: float
) -> None:
    assert paired_power(items, first, second) == pytest.approx(simulated, abs=0.02)


def test_power_without_a_difference_stays_below_the_level() -> None:
    assert 0 < paired_power(300, 0.05, 0.05) <= 0.05
    assert paired_power(300, 0.0, 0.0) == 0.0


@pytest.mark.parametrize(("rate", "half", "needed"), [(0.05, 0.02, 469), (0.10, 0.03, 388), (0.20, 0.05, 245)])
def test_items_needed_equal_the_table_of_the_analysis_plan(rate: float, half: float, needed: int) -> None:
    assert items_needed(rate, half) == pytest.approx(needed, abs=1)


def test_power_of_the_exact_test_equals_counting_every_outcome() -> None:
    # Six pairs, discordant with 0.8 and 0.1: McNemar's exact test at 5 % rejects 6 : 0 alone (2 / 64), 5 : 0 never (2 / 32).
    assert paired_power(6, 0.8, 0.1) == pytest.approx(0.8**6 + 0.1**6)


@pytest.mark.parametrize(
    ("recall", "rate", "prevalence", "published"), [(0.95, 0.10, 0.076, 0.44), (0.95, 0.10, 0.24, 0.75)]
)
def test_precision_at_natural_prevalence_equals_the_analysis_plan(
    recall: float, rate: float, prevalence: float, published: float
) -> None:
    assert precision_at(recall, rate, prevalence) == pytest.approx(published, abs=0.005)


def test_mcnemar_equals_the_textbook() -> None:
    # Exact binomial tails of a fair coin: 2 * P(X <= 2 | 12, 1/2) = 2 * 79 / 4096.
    assert mcnemar(10, 2) == mcnemar(2, 10) == pytest.approx(158 / 4096)


def test_benjamini_hochberg_rejects_four_of_the_fifteen_of_their_paper() -> None:
    # Benjamini and Hochberg (1995), section 3.2: at 5 % their procedure rejects four, Bonferroni's three.
    published = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
                 0.6528, 0.7590, 1.0]  # fmt: skip
    assert sum(p <= 0.05 for p in benjamini_hochberg(published)) == 4
    assert sum(p <= 0.05 for p in holm(published)) == 3


def test_precision_where_deficiencies_are_rare() -> None:
    # 1,000 reports, 76 deficient: 68.4 found; 924 clean: 92.4 flagged.
    assert precision_at(0.9, 0.1, 0.076) == pytest.approx(68.4 / (68.4 + 92.4))
    assert precision_at(0.0, 0.0, 0.076) is None
