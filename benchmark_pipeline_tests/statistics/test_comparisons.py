"""Paired tests, Holm, rank groups, macro-F1, pairs and the bootstrap."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from benchmark_pipeline.statistics.bootstrap import cluster_bootstrap, ratio
from benchmark_pipeline.statistics.classification import macro_f1
from benchmark_pipeline.statistics.paired import paired_difference, sign_flip_test
from benchmark_pipeline.statistics.pairs import complete_pairs, pair_outcome
from benchmark_pipeline.statistics.ranking import holm, rank_groups


def test_holm_equals_statsmodels() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005, 0.5]) == pytest.approx([0.04, 0.09, 0.09, 0.025, 0.5])


def test_holm_of_nothing_is_nothing() -> None:
    assert holm([]) == []


def test_macro_f1_equals_scikit_learn_with_fixed_labels() -> None:
    gold = ["a", "a", "b", "c", "c", "c", "b", "a"]
    answers = ["a", "b", "b", "c", "x", "a", "b", None]
    found = macro_f1(gold, answers, list("12345678"), ["a", "b", "c", "d"])
    assert found.value == pytest.approx(0.425)
    assert found.per_label == pytest.approx({"a": 0.4, "b": 0.8, "c": 0.5, "d": 0.0})


def test_macro_f1_refuses_a_gold_label_outside_the_list() -> None:
    with pytest.raises(ValueError, match="'z'"):
        macro_f1(["z"], ["a"], ["1"], ["a"])


def test_with_one_item_a_company_the_sign_flip_test_is_exact_mcnemar() -> None:
    # 9 against 2 discordant items: the exact binomial test of 2 in 11.
    found = sign_flip_test(np.array([1.0] * 9 + [-1.0] * 2 + [0.0] * 40))
    assert found == pytest.approx(stats.binomtest(2, 11).pvalue, abs=1e-12)


def test_one_loud_company_is_not_significant_however_many_items_it_has() -> None:
    outcomes = [("loud", True, False)] * 50 + [(f"c{n}", False, False) for n in range(40)]
    assert paired_difference(outcomes).p_value == 1.0


def test_models_that_answer_alike_do_not_differ() -> None:
    found = paired_difference([(f"c{n}", n % 3 == 0, n % 3 == 0) for n in range(30)])
    assert (found.difference, found.p_value, found.interval) == (0.0, 1.0, None)


def test_no_shared_item_gives_no_difference_and_no_p_value() -> None:
    found = paired_difference([])
    assert (found.difference, found.p_value, found.n) == (None, None, 0)


def test_rank_groups_share_a_number_where_the_test_sees_no_difference() -> None:
    p = {frozenset("ab"): 0.6, frozenset("ac"): 0.001, frozenset("bc"): 0.04}
    groups = rank_groups({"c": 0.5, "a": 0.05, "b": 0.08}, lambda x, y: p[frozenset((x, y))])
    assert groups == {"a": 1, "b": 1, "c": 2}


def test_the_bootstrap_gives_the_same_interval_twice_and_covers_the_rate() -> None:
    table = np.array([[1.0, 3.0], [0.0, 2.0], [2.0, 2.0], [0.0, 5.0], [1.0, 4.0]])
    first, second = cluster_bootstrap(table, ratio), cluster_bootstrap(table, ratio)
    assert first == second
    assert first is not None and first.low <= 4 / 16 <= first.high


def test_the_bootstrap_says_nothing_where_there_is_no_spread_or_one_company() -> None:
    assert cluster_bootstrap(np.array([[0.0, 3.0], [0.0, 2.0]]), ratio) is None
    assert cluster_bootstrap(np.array([[1.0, 3.0]]), ratio) is None


def test_a_pair_with_an_unanswered_half_is_not_right() -> None:
    assert pair_outcome(True, None) == "only_control_right"
    assert pair_outcome(None, None) == "both_wrong"
    assert pair_outcome(True, True) == "both_right"


def test_a_constant_answer_gets_half_the_items_and_no_pair() -> None:
    pairs = complete_pairs([(f"p{n}", role, role == "control") for n in range(8) for role in ("control", "variant")])
    assert {pair_outcome(*halves) for halves in pairs.values()} == {"only_control_right"}


def test_half_a_pair_is_left_out_and_a_doubled_half_refused() -> None:
    assert complete_pairs([("p1", "control", True)]) == {}
    with pytest.raises(ValueError, match="p1"):
        complete_pairs([("p1", "control", True), ("p1", "control", False)])
