"""The traps of wording: each looks like the other class, and each has one right reading."""

from datetime import date

import pytest

from benchmark_pipeline.icfr.conclusion import read_conclusion
from benchmark_pipeline.icfr.registrants import Registrant
from benchmark_pipeline_tests.icfr.filings import (
    ADVERSE,
    DCP,
    DCP_NOT,
    DEFINITION,
    DUTY,
    EFFECTIVE,
    LIMITS,
    NO_ATTESTATION,
    NOT_EFFECTIVE,
    OPINION,
    YEAR_END,
    assertion,
    audit_report,
    read,
)


def test_01_no_weakness_was_found_is_effective():
    row = assertion(
        [DCP, DUTY, EFFECTIVE, "No material weaknesses were identified in the course of the assessment.", LIMITS]
    )
    assert (row.mgmt_conclusion, row.weaknesses_stated, row.conflicts) == ("effective", 0, [])


def test_02_a_prior_weakness_remediated_by_year_end_is_effective():
    remediated = "The material weakness that we reported as of December 31, 2022 was remediated during the fourth quarter of 2023."
    result = read([DCP, DUTY, EFFECTIVE, remediated, LIMITS])
    (row,) = result.assertions
    assert (row.mgmt_conclusion, row.prior_mw_remediated) == ("effective", True)
    assert row.prior_mw_span is not None
    assert row.prior_mw_span.quote == remediated
    assert result.weaknesses == []


def test_03_disclosure_controls_ineffective_beside_effective_icfr_are_kept_apart():
    row = assertion([DCP_NOT + " The cause was the late filing of our proxy statement.", DUTY, EFFECTIVE, LIMITS])
    assert (row.mgmt_conclusion, row.dcp_conclusion) == ("effective", "ineffective")


def test_04_disclosure_controls_effective_beside_ineffective_icfr_are_kept_apart():
    row = assertion([DCP, DUTY, NOT_EFFECTIVE, "We lacked segregation of duties.", LIMITS])
    assert (row.mgmt_conclusion, row.dcp_conclusion) == ("ineffective", "effective")


def test_05_the_definition_of_a_material_weakness_is_no_weakness():
    row = assertion([DCP, DUTY, DEFINITION, EFFECTIVE, LIMITS])
    assert (row.mgmt_conclusion, row.weaknesses_stated) == ("effective", 0)


def test_06_inherent_limitations_conclude_nothing():
    limits = LIMITS + " Even those systems determined to be effective can provide only reasonable assurance."
    assert assertion([DCP, DUTY, limits * 3]).mgmt_conclusion == "absent"


def test_07_a_risk_factor_is_not_read():
    risk = "We identified material weaknesses, and our internal control over financial reporting was not effective."
    row = assertion([DCP, DUTY, EFFECTIVE, LIMITS], item_1a=[risk])
    assert (row.mgmt_conclusion, row.weaknesses_stated) == ("effective", 0)


def test_08_a_significant_deficiency_is_no_weakness():
    row = assertion(
        [DCP, DUTY, EFFECTIVE, "We did identify a significant deficiency in the approval of journal entries.", LIMITS]
    )
    assert (row.mgmt_conclusion, row.weaknesses_stated) == ("effective", 0)


def test_09_a_weakness_of_an_investee_is_not_ours():
    investee = (
        "Tarnbrook Ltd, in which we hold 30 percent, reported that its own management had found a material weakness."
    )
    row = assertion([DCP, DUTY, EFFECTIVE, investee, LIMITS])
    assert (row.mgmt_conclusion, row.weaknesses_stated) == ("effective", 0)


def test_10_effective_at_year_end_although_ineffective_at_an_interim_date():
    interim = "As of September 30, 2023, management had concluded that our internal control over financial reporting was not effective."
    row = assertion([DCP, DUTY, interim, EFFECTIVE, LIMITS])
    assert row.mgmt_conclusion == "effective"
    assert row.mgmt_as_of == YEAR_END


def test_11_a_prior_years_opinion_reprinted_in_this_filing_is_not_taken():
    old = ADVERSE.replace("2023", "2022")
    row = assertion([DCP, DUTY, EFFECTIVE, LIMITS], item_8=[*audit_report(old), *audit_report(OPINION)])
    assert row.attest_opinion == "unqualified"
    assert row.conflicts == ["opinion_as_of_2022-12-31_not_2023-12-31"]


def test_12_effective_except_for_is_no_clean_conclusion():
    excepted = EFFECTIVE.replace("was effective", "was effective, except for the controls over inventory,")
    row = assertion([DCP, DUTY, excepted, LIMITS])
    assert row.mgmt_conclusion == "mixed"
    assert "icfr_effective_except_for" in row.conflicts


@pytest.mark.parametrize(
    ("management", "auditor", "conflict"),
    [
        (EFFECTIVE, ADVERSE, "management_effective_auditor_adverse"),
        (NOT_EFFECTIVE, OPINION, "management_ineffective_auditor_unqualified"),
    ],
)
def test_13_management_and_auditor_that_disagree_are_recorded(management, auditor, conflict):
    assert conflict in assertion([DCP, DUTY, management, LIMITS], item_8=audit_report(auditor)).conflicts


def test_14_a_weakness_that_arose_after_year_end_leaves_the_conclusion():
    later = "In January 2024 we identified a material weakness at a business bought in that month; it did not exist at December 31, 2023."
    assert assertion([DCP, DUTY, EFFECTIVE, later, LIMITS]).mgmt_conclusion == "effective"


def test_15_a_conclusion_with_last_years_date_keeps_that_date():
    row = assertion([DCP, DUTY, EFFECTIVE.replace("2023.", "2022."), LIMITS])
    assert row.mgmt_as_of == date(2022, 12, 31)
    assert "icfr_as_of_2022-12-31_not_2023-12-31" in row.conflicts


def test_16_two_registrants_in_one_filing_are_read_apart():
    parent = Registrant("0009990011", "Corrindale Energy Corp", "4931", "OH")
    utility = Registrant("0009990012", "Corrindale Gas Company", "4923", "OH")
    section = [
        "Corrindale Energy Corp", DCP, EFFECTIVE.replace("our internal", "Energy’s internal"),
        "Corrindale Gas Company", DCP, NOT_EFFECTIVE.replace("our internal", "Gas’s internal"), NO_ATTESTATION, LIMITS,
    ]  # fmt: skip
    report = [
        "Report of Independent Registered Public Accounting Firm",
        "To the Shareholders and the Board of Directors of Corrindale Energy Corp",
        "We have audited internal control over financial reporting.", OPINION,
    ]  # fmt: skip
    energy, gas = read(section, report, registrants=(parent, utility)).assertions
    assert (energy.mgmt_conclusion, energy.attest_opinion, energy.mgmt_says_no_attestation) == (
        "effective",
        "unqualified",
        False,
    )
    assert (gas.mgmt_conclusion, gas.attest_opinion, gas.mgmt_says_no_attestation) == ("ineffective", "none", True)


@pytest.mark.parametrize(
    ("sentence", "conclusion"),
    [
        ("Management believes that, as of December 31, 2023, we maintained effective internal control over financial reporting.", "effective"),
        ("Management assessed our internal control over financial reporting and concluded that it is effective.", "effective"),
        ("Our assessment found internal control over financial reporting to be effective as of December 31, 2023.", "effective"),
        ("Management concluded that internal control over financial reporting was ineffective as of December 31, 2023.", "ineffective"),
        ("Management determined that the Company did not maintain effective internal control over financial reporting.", "ineffective"),
        ("We believe that our internal control over financial reporting will be effective once the system is in use.", "absent"),
        ("Management is responsible for maintaining effective internal control over financial reporting.", "absent"),
        ("If our internal control over financial reporting is not effective, our share price may fall.", "absent"),
        ("We did not maintain effective controls over the approval of journal entries.", "absent"),
    ],
)  # fmt: skip
def test_one_sentence_has_one_reading(sentence, conclusion):
    assert read_conclusion(sentence, YEAR_END).icfr == conclusion


def test_a_page_number_inside_the_sentence_does_not_hide_the_conclusion():
    text = "Management concluded that our internal control over financial reporting was\n100\neffective as of December 31, 2023."
    assert read_conclusion(text, YEAR_END).icfr == "effective"


def test_disclosure_controls_that_fail_because_of_icfr_say_nothing_of_icfr():
    text = "Our disclosure controls and procedures were not effective because of a matter in our internal control over financial reporting."
    read_text = read_conclusion(text, YEAR_END)
    assert (read_text.dcp, read_text.icfr) == ("ineffective", "absent")


def test_two_conclusions_that_differ_are_mixed_and_recorded():
    row = assertion([DCP, DUTY, EFFECTIVE, NOT_EFFECTIVE, LIMITS])
    assert row.mgmt_conclusion == "mixed"
    assert "icfr_effective_and_not_effective" in row.conflicts
