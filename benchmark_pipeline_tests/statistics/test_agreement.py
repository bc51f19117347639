from __future__ import annotations

import pytest

from benchmark_pipeline.statistics.agreement import agreement


def test_alpha_equals_krippendorffs_published_example() -> None:
    # Krippendorff (2011): four observers, twelve units, missing answers; nominal alpha 0.743.
    observers = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
    units = [[row[i] for row in observers if row[i] != "."] for i in range(12)]
    found = agreement(units)
    assert found.units == 11
    assert found.alpha == pytest.approx(0.743, abs=5e-4)


def test_ac1_keeps_its_height_where_nearly_all_answers_are_the_same() -> None:
    units = [["y", "y"]] * 118 + [["y", "n"]] * 5 + [["n", "n"]] * 2
    found = agreement(units)
    chance = 2 * 0.964 * 0.036  # mean share of "y" is 241 / 250
    assert found.raw == pytest.approx(0.96)
    assert found.ac1 == pytest.approx((0.96 - chance) / (1 - chance))
    assert found.alpha is not None and found.alpha < 0.5


def test_without_two_answers_to_a_unit_nothing_is_defined() -> None:
    assert agreement([["a"], []]).raw is None and agreement([]).units == 0


def test_one_answer_throughout_has_no_alpha() -> None:
    found = agreement([["a", "a"], ["a", "a"]], categories=2)
    assert (found.raw, found.alpha, found.ac1) == (1.0, None, 1.0)


def test_answers_at_random_agree_no_more_than_chance() -> None:
    units = [["a", "a"], ["a", "b"], ["b", "a"], ["b", "b"]] * 50
    assert agreement(units).alpha == pytest.approx(0, abs=0.01)
