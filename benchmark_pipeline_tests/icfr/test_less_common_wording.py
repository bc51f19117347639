"""Wordings that filers use now and then: each is read as a careful reader would, or not at all."""

import pytest
from filings import (
    ADVERSE,
    DCP,
    DEFINITION,
    DUTY,
    EFFECTIVE,
    LIMITS,
    NOT_EFFECTIVE,
    OPINION,
    YEAR_END,
    assertion,
    audit_report,
    read,
)

from benchmark_pipeline.icfr.conclusion import read_conclusion
from benchmark_pipeline.icfr.statements import read_statements

AT_YEAR_END = "as of December 31, 2023"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Management concluded that internal control over financial reporting failed to be effective {AT_YEAR_END}.", "ineffective"),
        (f"Management holds that internal control over financial reporting was no longer effective {AT_YEAR_END}.", "ineffective"),
        (f"Management found a lack of effectiveness in our internal control over financial reporting {AT_YEAR_END}.", "ineffective"),
        (f"The Company did not, in all material respects, maintain effective internal control over financial reporting {AT_YEAR_END}.", "ineffective"),
        ("We assessed our internal control over financial reporting as effective.", "effective"),
        ("We assessed our internal control over financial reporting as ineffective.", "ineffective"),
        ("We assessed our internal control over financial reporting against criteria for effective control.", "absent"),
        (f"Management believes that internal control over financial reporting met those criteria {AT_YEAR_END}.", "effective"),
        (f"Management believes that internal control over financial reporting did not meet those criteria {AT_YEAR_END}.", "ineffective"),
        ("Our internal controls over financial reporting are deficient.", "ineffective"),
        ("Our internal control over financial reporting is sufficient and effective.", "effective"),
        ("Our internal control over financial reporting was reasonably effective.", "effective"),
        ("Management concluded that the Company did not have in place effective internal control over financial reporting.", "ineffective"),
        ("In management's opinion effective internal control over financial reporting was maintained.", "effective"),
        ("In management's opinion effective internal control over financial reporting was not maintained.", "ineffective"),
        (f"In the first two quarters our internal control over financial reporting was not effective. {EFFECTIVE}", "effective"),
        (f"At the time that report was filed, management concluded that internal control over financial reporting was effective {AT_YEAR_END}. {NOT_EFFECTIVE}", "ineffective"),
        ("Our officers found a material weakness in our disclosure controls and procedures.", "absent"),
    ],
)  # fmt: skip
def test_a_conclusion_in_less_common_words(text, expected):
    assert read_conclusion(text, YEAR_END).icfr == expected


def test_an_exception_behind_the_date_is_no_clean_conclusion():
    text = DCP.removesuffix(".") + ", except that one required exhibit was filed late."
    read_ = read_conclusion(text, YEAR_END)
    assert (read_.dcp, read_.conflicts) == ("mixed", ["dcp_effective_except_for"])


@pytest.mark.parametrize(
    "denial",
    [
        "the Company did not, in all material respects, maintain effective internal control over financial reporting",
        "the Company failed to maintain effective internal control over financial reporting",
        "the Company did not have effective internal control over financial reporting",
    ],
)
def test_an_opinion_that_denies_is_adverse_whatever_stands_between(denial):
    row = assertion([DCP, DUTY, NOT_EFFECTIVE], audit_report(f"In our opinion, {denial} {AT_YEAR_END}."))
    assert row.attest_opinion == "adverse"


def test_an_opinion_denied_in_unknown_words_is_not_taken_for_a_clean_one():
    unknown = OPINION.replace(
        "the Company maintained", "it cannot be said, and not as yet, that the Company maintained"
    )
    assert assertion([DCP, DUTY, EFFECTIVE], audit_report(unknown)).attest_opinion == "none"


def test_a_weakness_found_in_the_first_audit_is_no_assessment_by_management():
    row = assertion([
        DCP,
        "In the audit for 2023 our auditor and we identified a material weakness in our internal control over financial reporting: we lack staff.",
        "This annual report does not include a report of management's assessment regarding internal control over financial reporting owing to a transition period for newly public companies.",
    ])  # fmt: skip
    assert (row.mgmt_conclusion, row.new_registrant_transition) == ("not_assessed", True)
    assert (row.mgmt_conclusion_span, row.conflicts) == (None, [])


@pytest.mark.parametrize(
    "text",
    [
        "We are not yet required to make an assessment of our internal control over financial reporting. The first one will stand in our second annual report.",
        "Management's report on internal control over financial reporting is not required, as we are a newly public company.",
        "Newly public companies are not required to provide an assessment of the effectiveness of their internal control over financial reporting in a first report.",
    ],
)
def test_a_newly_public_company_that_need_not_assess_is_told(text):
    row = assertion([DCP, LIMITS, text])
    assert (row.new_registrant_transition, row.mgmt_conclusion) == (True, "not_assessed")


def test_an_assessment_omitted_after_a_reverse_merger_is_told():
    text = "Because of the reverse acquisition in November, management's assessment of internal control over financial reporting has been omitted."
    row = assertion([DCP, LIMITS, text])
    assert (row.reverse_merger_no_assessment, row.mgmt_conclusion) == (True, "not_assessed")


def test_a_report_that_need_not_be_attested_is_no_report_left_out():
    text = "As we are newly public, management's report on internal control over financial reporting is not required to be attested."
    assert assertion([DCP, EFFECTIVE, text]).new_registrant_transition is False


def test_an_auditor_that_need_not_assess_makes_no_new_registrant():
    text = "Until our second annual report our auditor is not required to give an assessment of our internal control over financial reporting."
    assert assertion([DCP, EFFECTIVE, text]).new_registrant_transition is False


@pytest.mark.parametrize(
    "text",
    [
        "Our auditors have not attested to management's assessment.",
        "Our auditor has not issued an attestation report on internal control over financial reporting.",
        "As we are an emerging growth company, our auditor was not required to perform an audit of our internal control over financial reporting.",
    ],
)
def test_no_attestation_is_told_in_the_auditors_not_doing(text):
    assert read_statements(text).no_attestation is not None


@pytest.mark.parametrize("ending", ["no longer existed at year end", "was corrected in the third quarter"])
def test_a_weakness_that_ended_counts_as_remediated(ending):
    assert read_statements(f"The earlier material weakness {ending}.").prior_remediated is not None


def test_shares_are_read_behind_their_noun():
    (out,) = read_statements(
        "Management excluded from its assessment the business of Sorrel Valves, with total assets of 12% and revenues of 7% of ours."
    ).scope_outs
    assert (out.pct_assets, out.pct_revenue) == (12.0, 7.0)


def test_a_report_that_leaves_nothing_out_has_no_scope_out():
    assert read_statements("We did not exclude any business from our assessment of controls.").scope_outs == []


LEAD = "Management concluded that we had material weaknesses in our internal control over financial reporting, consisting of the following:"


@pytest.mark.parametrize(
    ("section", "openings"),
    [
        (
            # A plan may be what is missing.
            [LEAD, "● Inadequate knowledge of accounting rules among our staff.", "● No formal plan to provide training to enhance that knowledge.", NOT_EFFECTIVE],
            ["● Inadequate knowledge", "● No formal plan"],
        ),
        (
            # What followed from each is told below it.
            [LEAD, "1. We did not count inventory.", "This control deficiency led to corrections.", "2. We did not review the tax provision.", "This control deficiency led to corrections too.", NOT_EFFECTIVE],
            ["1. We did not count", "2. We did not review"],
        ),
        (
            # Commas, where each part says what is missing.
            [NOT_EFFECTIVE, "This is due to material weaknesses in these areas: inadequate segregation of duties, insufficient written policies, and lack of an audit committee."],
            ["inadequate segregation", "insufficient written", "lack of an"],
        ),
        (
            ["Because of the material weaknesses described below, " + NOT_EFFECTIVE.lower(), "Management found the material weaknesses described below.", "Segregation of duties. We have not enough staff to keep duties apart.", "Audit committee. We have no audit committee.", "Changes in Internal Control", "There were none."],
            ["Segregation of duties.", "Audit committee."],
        ),
        (
            [f"{NOT_EFFECTIVE} We identified the following material weaknesses. First, we did not keep enough staff. They left. Second, we did not review the close."],
            ["First, we", "Second, we"],
        ),
        (
            [f"At year end the Company did not maintain effective controls over its leases. This control deficiency constitutes a material weakness. {NOT_EFFECTIVE}"],
            ["At year end the Company"],
        ),
        (
            [f"{NOT_EFFECTIVE} Our size keeps us from hiring enough people to part duties. This represents a material weakness."],
            ["Our size keeps us"],
        ),
        (
            # The first is told in the lead-in to the additional ones.
            [NOT_EFFECTIVE, "We did not keep a sound control environment. This material weakness contributed to the following additional material weaknesses:", "• We did not segregate duties.", "• We did not review the close."],
            ["We did not keep a sound", "• We did not segregate", "• We did not review"],
        ),
        (
            # A definition between the lead-in and the list.
            [f"{NOT_EFFECTIVE} We identified the following material weaknesses:", DEFINITION, "• insufficient accounting staff;", "• ineffective review of entries."],
            ["• insufficient", "• ineffective"],
        ),
        (
            [NOT_EFFECTIVE, "Material Weakness #1 – Segregation of duties", "We have too few people.", "Material Weakness #2 – Audit committee", "We have no such committee."],
            ["Material Weakness #1", "Material Weakness #2"],
        ),
        (
            [NOT_EFFECTIVE, "Material Weaknesses", "Financial close", "We did not reconcile accounts.", "Access to systems", "We did not restrict access.", "Remediation", "• We hired staff."],
            ["Financial close", "Access to systems"],
        ),
        (
            # Lines without markers, parted by semicolons.
            ["Internal control over financial reporting was not effective because of material weaknesses in the following areas:", "Segregation of duties;", "Close of the period; and", "Taxes.", "Changes in Internal Control", "None."],
            ["Segregation of", "Close of the", "Taxes."],
        ),
        (
            # As many paragraphs as the sentence above states.
            [f"{NOT_EFFECTIVE} We identified two material weaknesses in our internal control over financial reporting.", "We did not match invoices to receipts. Accruals were wrong.", "We did not review ledgers abroad.", "Changes in Internal Control", "None."],
            ["We did not match", "We did not review"],
        ),
        (
            [f"{NOT_EFFECTIVE} There were material weaknesses related to (a) revenue, (b) tax and (c) access to systems."],
            ["revenue", "tax", "access"],
        ),
        (
            # The items below an item are part of it.
            [LEAD, "• Control environment: we did not have sufficient staff, including:", "o no chief accountant; and", "o no tax staff.", "• Monitoring: we did not monitor our controls.", NOT_EFFECTIVE],
            ["• Control environment", "• Monitoring"],
        ),
        (
            # What was remediated is not counted.
            [f"{NOT_EFFECTIVE} During 2023 we remediated the material weakness related to leases. The following material weakness remained: we did not restrict access to our systems."],
            ["The following material"],
        ),
    ],
)  # fmt: skip
def test_weaknesses_in_less_common_shapes_are_each_found(section, openings):
    result = read([DCP, DUTY, *section])
    (row,) = result.assertions
    assert (row.mgmt_conclusion, row.weaknesses_stated) == ("ineffective", len(openings))
    assert [w.text[: len(o)] for w, o in zip(result.weaknesses, openings, strict=True)] == openings


def test_weaknesses_named_in_the_plural_are_not_counted_as_one():
    text = (
        f"{NOT_EFFECTIVE} This is due to material weaknesses that relate to the way in which we account for our leases."
    )
    row = assertion([DCP, DUTY, text])
    assert (row.weaknesses_stated, row.conflicts) == (None, ["weaknesses_named_in_the_plural_counted_1"])


def test_a_comma_list_of_other_things_is_one_weakness():
    text = "There is a material weakness in these areas: inventory, leases and taxes, as controls were not designed."
    assert assertion([DCP, DUTY, NOT_EFFECTIVE, text]).weaknesses_stated == 1


def test_the_wording_of_an_adverse_report_is_still_read():
    assert assertion([DCP, DUTY, NOT_EFFECTIVE], audit_report(ADVERSE)).attest_opinion == "adverse"
