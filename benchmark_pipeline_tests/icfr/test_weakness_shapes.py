"""Sections of small and large filers in the shapes that weaknesses take, and how many each one states."""

import pytest

from benchmark_pipeline_tests.icfr.filings import (
    ADVERSE,
    DCP,
    DCP_NOT,
    DUTY,
    EFFECTIVE,
    LIMITS,
    NOT_EFFECTIVE,
    assertion,
    audit_report,
    read,
)

LEAD_IN = NOT_EFFECTIVE[:-1] + " because of the following material weaknesses:"


@pytest.mark.parametrize(
    ("blocks", "count"),
    [
        ([LEAD_IN + " (i) lack of a functioning audit committee; (ii) lack of outside directors; (iii) inadequate segregation of duties; and (iv) insufficient written policies."], 4),
        ([NOT_EFFECTIVE, "The material weaknesses identified by management are: (1) lack of an audit committee, (2) inadequate segregation of duties, and (3) insufficient written policies."], 3),
        ([LEAD_IN, "Revenue Recognition – We did not design effective controls over contracts.", "Income Taxes – We did not maintain effective controls over the provision.", "Remediation Plan", "We intend to hire staff."], 2),
        ([LEAD_IN, "Revenue Recognition", "We did not design effective controls over contracts.", "Income Taxes", "We did not maintain controls over the provision.", "Remediation Plan", "We intend to hire staff."], 2),
        ([LEAD_IN, "Ineffective access controls. We did not restrict access.", "Ineffective inventory controls. We did not count inventory.", "These control deficiencies could result in a misstatement.", "We plan to hire."], 2),
        ([LEAD_IN, "• We did not maintain controls over revenue.", "• We did not maintain controls over inventory.", "• We did not maintain controls over leases."], 3),
        ([LEAD_IN, "1. Control environment: we did not maintain an effective one, including:", "• no audit committee;", "• no code of ethics.", "2. Segregation of duties was not maintained."], 2),
        ([LEAD_IN, "- Insufficient resources: we have few staff.", "- Lack of an audit committee.", "We are committed to improving. As part of this commitment, we will:", "- Appoint outside directors", "- Hire staff"], 2),
        ([NOT_EFFECTIVE, "The material weakness related to a lack of segregation of duties.", "Management’s remediation initiatives include the following:", "• hire a CFO", "• engage consultants", "• form an audit committee"], 1),
        ([NOT_EFFECTIVE + " The material weakness relates to the following: lack of a sufficient number of staff in our accounting department."], 1),
    ],
)  # fmt: skip
def test_weaknesses_are_counted_in_every_shape(blocks, count):
    result = read([DCP_NOT, DUTY, *blocks, LIMITS])
    assert result.assertions[0].mgmt_conclusion == "ineffective"
    assert (result.assertions[0].weaknesses_stated, len(result.weaknesses)) == (count, count)


def test_short_items_in_the_same_words_are_not_taken_for_one_item_told_twice():
    items = [
        f"• We did not design and maintain effective controls over {what}." for what in ("leases", "taxes", "payroll")
    ]
    repeated = audit_report(
        "The following material weaknesses have been identified: controls over leases, taxes, payroll.", ADVERSE
    )
    row = assertion([DCP_NOT, DUTY, LEAD_IN, *items, *repeated])
    assert (row.weaknesses_stated, row.attest_opinion) == (3, "adverse")


@pytest.mark.parametrize(
    "blocks",
    [
        [EFFECTIVE, "However, we have the following material weaknesses as of December 31, 2023:", "1. We lack segregation of duties."],
        [EFFECTIVE + " Management identified a material weakness in our internal control over financial reporting as of December 31, 2023 in taxes."],
    ],
)  # fmt: skip
def test_an_effective_conclusion_beside_a_weakness_at_year_end_is_a_conflict(blocks):
    row = assertion([DCP, DUTY, *blocks, LIMITS])
    assert row.mgmt_conclusion == "mixed"
    assert "icfr_effective_beside_a_material_weakness" in row.conflicts


@pytest.mark.parametrize(
    "blocks",
    [
        ["As of December 31, 2022, we had the following material weaknesses:", "• lack of staff", "These were remediated as of December 31, 2023."],
        ["We previously identified the following material weaknesses:", "• lack of staff", "These material weaknesses were remediated."],
        ["There were no material weaknesses in our internal control over financial reporting as of December 31, 2023."],
        ["If we identify material weaknesses in the future, our internal control over financial reporting may not be effective."],
    ],
)  # fmt: skip
def test_past_denied_and_feared_weaknesses_leave_an_effective_conclusion(blocks):
    row = assertion([DCP, DUTY, EFFECTIVE, *blocks, LIMITS])
    assert (row.mgmt_conclusion, row.weaknesses_stated) == ("effective", 0)


def test_only_an_earlier_conclusion_is_none_of_this_year():
    earlier = "Management previously concluded that our internal control over financial reporting was effective."
    row = assertion([DCP, DUTY, earlier, LIMITS])
    assert row.mgmt_conclusion == "absent"
    assert "icfr_only_an_earlier_conclusion" in row.conflicts


def test_a_business_named_in_one_sentence_and_left_out_in_the_next_is_a_scope_out():
    blocks = ["We acquired Tarnbrook Corp. in 2023.", "Management excluded Tarnbrook Corp. from its assessment of internal control over financial reporting."]  # fmt: skip
    assert len(assertion([DCP, DUTY, " ".join(blocks), EFFECTIVE]).scope_outs) == 1


def test_a_report_beside_the_statements_is_found_without_a_pointer():
    report = ["Management’s Report on Internal Control Over Financial Reporting", DUTY, EFFECTIVE, LIMITS]
    (section,) = read([DCP * 4, "There were no changes in internal control over financial reporting."], report).sections
    assert section.status == "followed_pointer"
