"""Cutting condition and cause out of texts in the layouts in which auditors write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark_pipeline.single_audit.sections import cut
from benchmark_pipeline.single_audit.text import clean, concatenate, names_tier, unusable

WHAT, WHY = "Two reports were sent late.", "Nobody kept a calendar."


@pytest.mark.parametrize(
    "text",
    [
        f"Criteria: 2 CFR 200.\r\nCondition: {WHAT}\r\nCause: {WHY}\r\nEffect: Fines.",
        f"Criteria: 2 CFR 200.Condition: {WHAT}Cause:{WHY}Effect: Fines.Recommendation: Keep one.",
        f"CRITERIA\r\n2 CFR 200.\r\n\r\nCONDITION\r\n\r\n{WHAT}\r\n\r\nCAUSE\t\t\t\r\n{WHY}\r\n\r\nEFFECT\r\nFines.",
        f"Description of Condition\n{WHAT}\nCause of Condition\n{WHY}\nEffect of Condition\nFines.",
        f"Statement of Condition:  {WHAT}\r\nQuestioned Costs: None\r\nCause and Effect – {WHY}\r\nRecommendation: x",
        f"8. Criteria\t\t\r\n2 CFR.\r\n9. Condition\t\t\r\n{WHAT}\r\n13. Cause\t\t\r\n{WHY}\r\n14. Effect\r\nFines.",
        f"Criteria S-2700-020\r\nlaw.\r\nCondition S-2700-010\r\n{WHAT}\r\nCause\r\nS-2700-040\r\n{WHY}\r\nEffect S-2700-030\r\nx",
        f"Condition   {WHAT}  \r\nContext   A sample.  \r\nCause   {WHY}  \r\nRecommendation   x",
        f"Condition and Context: {WHAT} Questioned costs: None Cause: {WHY} Repeat Finding: No",
        f"Criteria: x. Condition: See Context. Context: {WHAT} Cause: {WHY} Views of responsible officials: agreed",
    ],
)  # fmt: skip
def test_condition_and_cause_are_cut_whatever_the_layout(text: str) -> None:
    assert cut(text) == (WHAT, WHY)


def test_a_word_inside_a_sentence_is_no_label() -> None:
    text = "The condition of the roof was poor and the cause: rain. Good cause exists. No condition was imposed."
    assert cut(text) == (None, None)


def test_a_cause_that_points_to_the_condition_is_no_cause() -> None:
    assert cut("Condition: Reports were late.\nCause: See condition.\nEffect: Fines.").cause is None


def test_the_effect_of_the_condition_is_not_the_condition() -> None:
    assert cut("Effect of Condition:\nFines are due.\nRecommendation:\nPay them.") == (None, None)


@given(st.text(max_size=400))
def test_any_text_is_cut_without_an_error_and_only_into_its_own_words(text: str) -> None:
    words = clean(text).split()
    for part in cut(text):
        assert part is None or all(word.strip(":–—-") in " ".join(words) for word in part.split())


@given(st.text(max_size=300))
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "no_text"),
        ("Exemption for Indian Tribes.", "no_text"),
        ("GSA_MIGRATION", "no_text"),
        ("Late reports.", "no_text"),
        (
            "Though the content of this finding has been redacted, the Department knows its condition and its cause.",
            "no_text",
        ),
        ("See Schedule of Findings and Questioned Costs within uploaded audit report.", "text_points_elsewhere"),
        ("No formal response provided.", "text_points_elsewhere"),
        (
            "Finding 2023-004: Please refer to the attached PDF for the description of this finding.",
            "text_points_elsewhere",
        ),
    ],
)
def test_a_text_that_describes_nothing_is_refused_with_its_reason(text: str | None, reason: str) -> None:
    found = unusable(text)
    assert found is not None
    assert found[0] == reason


def test_a_short_but_real_text_is_kept() -> None:
    assert unusable("The Fire department has not written policies for federal awards as required.") is None


def test_parts_filed_under_one_reference_are_joined_in_order_and_repeats_count_once() -> None:
    assert concatenate(["b first", "a second", "b first", "GSA_MIGRATION", "", None]) == "b first\na second"
    assert concatenate(["GSA_MIGRATION", None]) is None


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Type of Finding: Material weaknessMaterial noncompliance", True),
        ("SIGNIFICANT\nDEFICIENCY in internal control", True),
        ("two significant deficiencies", True),
        ("a material weak-link in the chain; significant delays", False),
        ("offices in SD and 40 MW of power", False),
    ],
)
def test_a_printed_tier_is_seen_however_it_is_broken(text: str, named: bool) -> None:
    assert names_tier(text) is named
