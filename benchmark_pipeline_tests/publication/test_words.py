from __future__ import annotations

from typing import get_args

import pytest

from benchmark_pipeline.publication.report.words import EXCLUDED, LABELS, marks, meaning, name, percent, points
from benchmark_pipeline.tables.clean_pool import Decision, ExclusionReason
from benchmark_pipeline.tables.evaluation import Outcome
from benchmark_pipeline.tables.items import Arm, LabelSource, Population


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


def test_every_closed_value_that_the_report_prints_has_words() -> None:
    assert set(get_args(ExclusionReason)) == EXCLUDED.keys()
    closed = {value for kind in (Decision, Outcome, Arm, LabelSource, Population) for value in get_args(kind)}
    assert closed <= LABELS.keys()


@pytest.mark.parametrize(
    ("status", "comparable", "said"),
    [("preview", True, "preview"), ("preview", False, "preview, not comparable"), ("release", True, ""),
     ("release", False, "not comparable")],
)  # fmt: skip
def test_marks_say_what_a_run_may_not_be_used_for(status: str, comparable: bool, said: str) -> None:
    assert marks({"status": status, "comparable": comparable}) == said
    assert marks(None) == "not comparable"  # a run without a headline row


def test_measures_have_names_in_words() -> None:
    assert name("false_positive_rate_gap") == "false-positive rate, gap"
    assert (name("gap_type"), name("macro_f1")) == ("gap type", "macro-F1")
