"""Our vectorised statistics give what the well-known libraries give, on any data.

The pipeline counts a million answers in arrays, which the libraries' functions of one sample at a time do not; they are
the second opinion here.
"""

from __future__ import annotations

import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score, f1_score
from statsmodels.stats.contingency_tables import mcnemar as library_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from benchmark_pipeline.statistics.agreement import krippendorff_alpha, quadratic_kappa
from benchmark_pipeline.statistics.classification import macro_f1
from benchmark_pipeline.statistics.intervals import clopper_pearson, wilson
from benchmark_pipeline.statistics.paired import mcnemar, sign_flip_test
from benchmark_pipeline.statistics.ranking import benjamini_hochberg, holm

CLOSE = 1e-9
COUNTS = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
TIERS = ["material weakness", "significant deficiency", "control deficiency"]


@given(COUNTS)
def test_wilson_and_clopper_pearson_are_those_of_statsmodels(counts: tuple[int, int]) -> None:
    k, n = counts
    for ours, method in ((wilson(k, n), "wilson"), (clopper_pearson(k, n), "beta")):
        assert ours is not None
        low, high = proportion_confint(k, n, alpha=0.05, method=method)
        assert (ours.low, ours.high) == (pytest.approx(low, abs=1e-6), pytest.approx(high, abs=1e-6))


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_is_that_of_statsmodels(only_first: int, only_second: int) -> None:
    expected = (
        library_mcnemar([[0, only_first], [only_second, 0]], exact=True).pvalue if only_first + only_second else 1
    )
    assert mcnemar(only_first, only_second) == pytest.approx(min(1.0, expected), abs=CLOSE)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 40])
def test_corrections_for_many_comparisons_are_those_of_statsmodels(count: int) -> None:
    p_values = [round(float(p), 2) for p in np.random.default_rng(count).beta(0.5, 2, count)]  # with ties
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]), abs=CLOSE)
    assert benjamini_hochberg(p_values) == pytest.approx(list(multipletests(p_values, method="fdr_bh")[1]), abs=CLOSE)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["a", "b", "c", None])), min_size=1, max_size=60))
def test_macro_f1_is_that_of_scikit_learn_where_a_missing_answer_is_wrong(
    answers: list[tuple[str, str | None]],
) -> None:
    gold, given_ = [pair[0] for pair in answers], [pair[1] for pair in answers]
    ours = macro_f1(gold, given_, [str(index) for index in range(len(gold))], list("abc"))
    named = [answer or "no answer" for answer in given_]
    expected = f1_score(gold, named, labels=list("abc"), average=None, zero_division=0)
    assert list(ours.per_label.values()) == pytest.approx(list(expected), abs=CLOSE)
    assert ours.value == pytest.approx(expected.mean(), abs=CLOSE)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(TIERS), st.sampled_from(TIERS)), min_size=1, max_size=60))
def test_quadratic_kappa_is_that_of_scikit_learn(answers: list[tuple[str, str]]) -> None:
    confusion = np.zeros((3, 3))
    for gold, answer in answers:
        confusion[TIERS.index(gold), TIERS.index(answer)] += 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = cohen_kappa_score(*zip(*answers, strict=True), labels=TIERS, weights="quadratic")
    ours = float(quadratic_kappa(confusion))
    assert ours == pytest.approx(expected, abs=CLOSE, nan_ok=True)


RATINGS = st.integers(2, 4).flatmap(
    lambda readers: st.lists(
        st.lists(st.sampled_from([0, 1, 2, None]), min_size=readers, max_size=readers), min_size=2, max_size=25
    )
)


@settings(deadline=None)
@given(RATINGS)
@pytest.mark.parametrize("level", ["nominal", "ordinal"])
def test_alpha_is_that_of_the_krippendorff_package(level: str, units: list[list[int | None]]) -> None:
    ratings = [list(reader) for reader in zip(*units, strict=True)]
    ours = krippendorff_alpha(ratings, [0, 1, 2], level)  # type: ignore[arg-type]
    compared = [
        answer for unit in units if sum(a is not None for a in unit) >= 2 for answer in unit if answer is not None
    ]
    if len(set(compared)) < 2:
        assert ours is None
        return
    data = np.array([[np.nan if a is None else a for a in reader] for reader in ratings], dtype=float)
    expected = krippendorff.alpha(reliability_data=data, value_domain=[0, 1, 2], level_of_measurement=level)
    assert ours == pytest.approx(expected, abs=CLOSE)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(-3, 3), min_size=2, max_size=9))
def test_the_sign_flip_test_is_the_exact_permutation_test_of_scipy(sums: list[int]) -> None:
    values = np.array(sums, dtype=float)
    expected = stats.permutation_test(
        (values,), lambda x, axis: np.sum(x, axis=axis), permutation_type="samples", n_resamples=np.inf, vectorized=True
    ).pvalue
    assert sign_flip_test(values) == pytest.approx(expected, abs=1e-6)
