from __future__ import annotations

import pytest

from benchmark_pipeline.publication.report.words import meaning, percent, points


@pytest.mark.parametrize(
    ("value", "shown"), [(0.125, "+12.5"), (-0.03, "−3.0"), (0.0, "0.0"), (-0.0001, "0.0"), (None, "–")]
)
def test_differences_carry_their_sign_and_zero_has_none(value: float | None, shown: str) -> None:
    assert points(value) == shown


def test_a_rate_without_a_value_is_a_dash_and_not_zero() -> None:
    assert (percent(None), percent(0.0)) == ("–", "0.0 %")


def test_a_withheld_headline_says_its_reason() -> None:
    assert meaning({"fpr": None, "why_not": "The dataset holds 5 attested clean items."}).startswith(
        "The dataset holds 5"
    )
