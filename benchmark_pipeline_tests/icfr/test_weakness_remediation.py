"""Where the passage on remediation begins and ends, in the shapes in which filers tell what they do."""

import pytest

from benchmark_pipeline.icfr.weaknesses import read_weaknesses
from benchmark_pipeline_tests.icfr.filings import DUTY, LIMITS, NO_ATTESTATION, NOT_EFFECTIVE

WEAKNESS = "The material weakness relates to a lack of segregation of duties in our accounting department."
FAIR = (
    "To address the material weakness, management performed additional analyses to ensure that the financial "
    "statements in this report fairly present, in all material respects, our financial condition."
)
STEPS = "Since the year end we have taken steps to remediate the material weakness and have hired a controller."
PLAN = "We also intend to train the staff of each plant in counting stock."
DONE = "Management will test the new controls and expects the work to be complete by September."
CHANGES = "Changes in Internal Control over Financial Reporting"
NO_CHANGE = "There was no change in our internal control over financial reporting during the fourth quarter."


def _passage(*blocks):
    text = "\n".join([DUTY, f"{NOT_EFFECTIVE} {WEAKNESS}", *blocks])
    found = read_weaknesses(text)
    return None if found.remediation is None else text[slice(*found.remediation)].split("\n")


@pytest.mark.parametrize(
    "heading",
    [
        "Management’s Remediation Initiatives", "Remediation of Material Weaknesses", "(c) Remediation Plan", "Remediation",
        "Plan for Remediation of Material Weaknesses", "Remediation Efforts to Address the Material Weakness", "Corrective Actions",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "after", [[CHANGES, NO_CHANGE], ["(d) " + CHANGES, NO_CHANGE], [NO_CHANGE], [NO_ATTESTATION], []]
)
def test_the_whole_passage_under_its_heading_is_taken(heading, after):
    assert _passage(LIMITS, heading, STEPS, PLAN, DONE, *after) == [heading, STEPS, PLAN, DONE]


def test_the_items_of_a_list_belong_to_the_passage():
    lead_in = "In order to address it, we have commenced the following actions:"
    items = ["• Hire a controller;", "• Train the staff", "• Adopt a code of conduct"]
    assert _passage("Remediation", lead_in, *items, DONE, CHANGES, NO_CHANGE) == [
        "Remediation",
        lead_in,
        *items,
        DONE,
    ]


@pytest.mark.parametrize("turn", [NO_ATTESTATION, NO_CHANGE, LIMITS, CHANGES, NOT_EFFECTIVE])
def test_paragraphs_without_a_heading_end_where_another_matter_begins(turn):
    assert _passage(STEPS, DONE, turn, "We file reports with the Commission.") == [STEPS, DONE]


def test_a_conclusion_that_the_weakness_was_remediated_ends_the_passage_within_it():
    cured = "Based on these measures, management concluded that internal control over financial reporting was effective and the weakness remediated in March."
    assert _passage(STEPS, cured, NO_CHANGE) == [STEPS, cured]


def test_a_passage_under_a_heading_comes_before_a_paragraph_that_answers():
    assert _passage(STEPS, NO_ATTESTATION, "(c) Remediation", PLAN, "(d) " + CHANGES, NO_CHANGE) == [
        "(c) Remediation",
        PLAN,
    ]


def test_more_work_on_this_years_statements_is_no_remediation():
    assert _passage(FAIR, NO_ATTESTATION) is None
    assert _passage(FAIR, LIMITS, STEPS) == [STEPS]


def test_a_heading_without_a_text_is_no_passage():
    assert _passage("Remediation", CHANGES, NO_CHANGE) is None
