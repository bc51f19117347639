"""Statements beside the conclusion, and the auditor's opinion wherever it stands."""

from datetime import date

import pytest

from benchmark_pipeline_tests.icfr.filings import (
    ADVERSE,
    DCP,
    DUTY,
    EFFECTIVE,
    LIMITS,
    NO_ATTESTATION,
    OPINION,
    assertion,
    audit_report,
)

SECTION = [DCP, DUTY, EFFECTIVE, LIMITS]


def test_an_opinion_has_its_sentence_its_firm_and_its_date():
    row = assertion(SECTION, item_8=audit_report(OPINION))
    assert row.attest_opinion == "unqualified"
    assert row.attest_opinion_span is not None
    assert row.attest_opinion_span.quote == OPINION
    assert (row.auditor_name, row.opinion_date) == ("Brackwell Thorne LLP", date(2024, 2, 20))


@pytest.mark.parametrize(
    ("words", "opinion"),
    [
        (OPINION, "unqualified"), (ADVERSE, "adverse"), (ADVERSE.replace("has not maintained", "did not maintain"), "adverse"),
        (OPINION.replace("In our opinion, the", "Also in our opinion, the"), "unqualified"),
        ("Because of the effect of the weakness, it is our opinion that the Company had not maintained effective internal control over "
         "financial reporting as of December 31, 2023.", "adverse"),
        ("We do not express an opinion on the effectiveness of internal control over financial reporting, because the scope of our work "
         "was not sufficient to enable us to do so.", "disclaimer"),
        ("We were not engaged to audit internal control over financial reporting. Accordingly, we express no such opinion.", "none"),
        ("In our opinion, the financial statements present fairly, in all material respects, the position of the Company.", "none"),
    ],
)  # fmt: skip
def test_the_opinion_is_what_the_auditor_says(words, opinion):
    assert assertion(SECTION, item_8=audit_report(words)).attest_opinion == opinion


def test_an_opinion_on_managements_assessment_alone_is_not_the_opinion_on_icfr():
    as2 = (
        "In our opinion, management’s assessment that the Company did not maintain effective internal control over financial reporting "
        "as of December 31, 2023 is fairly stated, in all material respects."
    )
    assert assertion(SECTION, item_8=audit_report(as2)).attest_opinion == "none"


@pytest.mark.parametrize(
    "name", ["Quillmere Pumps, Inc.", "Quillmere Pumps Co.", "Quillmere Bank, N.A.", "the Company"]
)
def test_of_two_opinions_in_one_report_the_one_on_the_controls_is_taken(name):
    on_assessment = (
        f"In our opinion, management’s assessment that {name} maintained effective internal control over financial "
        "reporting as of December 31, 2023, is fairly stated, in all material respects, based on the COSO criteria."
    )
    on_controls = OPINION.replace("In our opinion, the Company", f"Also, in our opinion, {name}")
    row = assertion(SECTION, item_8=audit_report(f"{on_assessment} {on_controls}"))
    assert row.attest_opinion == "unqualified"
    assert row.attest_opinion_span is not None
    assert "maintained, in all material respects, effective" in row.attest_opinion_span.quote
    assert "assessment" not in row.attest_opinion_span.quote


@pytest.mark.parametrize(
    "blocks",
    [
        [NO_ATTESTATION],
        ["The Company’s external auditors were not engaged to examine management’s assertion about internal control over financial reporting and, accordingly, expressed no opinion."],
        ["Our independent registered public accounting firm has not been engaged to perform an audit of our internal control over financial reporting."],
        ["Our auditor did not attest to, or report on, the effectiveness of our internal control over financial reporting."],
        ["Brackwell Thorne LLP has not expressed an opinion on our internal control over financial reporting."],
        ["Our registered public accounting firm has not issued an attestation report on our internal control over financial reporting."],
        ["Part B. Attestation Report of Independent Registered Public Accounting Firm", "Not applicable"],
        ["(c) Attestation Report of the Registered Public Accounting Firm. Not applicable."],
        ["Attestation Report of the Registered Public Accounting Firm", "None."],
        ["C. Attestation report of the registered public accounting firm", "Not required."],
    ],
)  # fmt: skip
def test_the_statement_that_there_is_no_attestation_is_read(blocks):
    row = assertion([*SECTION, *blocks, "There were no changes during the fourth quarter."])
    assert row.mgmt_says_no_attestation
    assert row.no_attestation_span is not None
    assert " ".join(row.no_attestation_span.quote.split()) in " ".join(blocks)


@pytest.mark.parametrize(
    "blocks",
    [
        ["The attestation report of our auditor is included in Item 8."],
        ["Attestation Report of the Registered Public Accounting Firm", "The report is on page 40.", "Changes", "Not applicable."],
        ["Attestation Report of the Registered Public Accounting Firm", "See Item 8.", "None."],
        ["Our auditor did not audit the internal control over financial reporting of Thornfield Dyes, which we bought in June 2023."],
        ["Our auditors may not be able to attest to our internal control over financial reporting in a later year."],
        ["Our auditor did not identify any weakness when it audited our internal control over financial reporting."],
    ],
)  # fmt: skip
def test_other_words_on_an_attestation_do_not_say_that_there_is_none(blocks):
    assert not assertion([*SECTION, *blocks]).mgmt_says_no_attestation


def test_managements_sentence_that_an_opinion_was_issued_is_none():
    said = "Brackwell Thorne LLP has issued an unqualified opinion on our internal control over financial reporting."
    assert assertion([*SECTION, said]).attest_opinion == "none"


def test_the_auditors_reference_to_its_other_report_counts_where_nothing_else_is_found():
    reference = (
        "We have also audited, under the standards of the PCAOB, the Company’s internal control over financial reporting as of "
        "December 31, 2023, and our report dated February 20, 2024 expressed an unqualified opinion thereon."
    )
    row = assertion(SECTION, item_8=audit_report(reference))
    assert row.attest_opinion == "unqualified"
    assert "opinion_by_reference" in row.rules_fired


def test_no_attestation_is_a_statement_with_a_sentence():
    row = assertion([*SECTION, NO_ATTESTATION])
    assert row.mgmt_says_no_attestation
    assert row.no_attestation_span is not None
    assert row.no_attestation_span.quote == NO_ATTESTATION


def test_a_newly_public_company_gives_no_assessment():
    said = (
        "This annual report does not include a report of management’s assessment regarding internal control over financial reporting "
        "or an attestation report due to a transition period established by rules of the SEC for newly public companies."
    )
    row = assertion([DCP, said, LIMITS])
    assert (row.mgmt_conclusion, row.new_registrant_transition, row.reverse_merger_no_assessment) == (
        "not_assessed",
        True,
        False,
    )


def test_a_reverse_merger_in_the_year_gives_no_assessment():
    row = assertion([
        DCP, "In October 2023 we completed a reverse merger with a private company.",
        "Management has not conducted an assessment of internal control over financial reporting as of December 31, 2023.", LIMITS,
    ])  # fmt: skip
    assert (row.mgmt_conclusion, row.reverse_merger_no_assessment, row.new_registrant_transition) == (
        "not_assessed",
        True,
        False,
    )


def test_a_business_left_out_is_named_with_its_shares():
    out = (
        "Management excluded Fennimore Valves LLC from its assessment because it was acquired in October 2023. It represented 4.5% of "
        "total assets and 2% of total revenues."
    )
    (scope_out,) = assertion([*SECTION, out]).scope_outs
    assert (scope_out.what, scope_out.pct_assets, scope_out.pct_revenue) == ("Fennimore Valves LLC", 4.5, 2.0)


_LEFT_OUT = "Management excluded Fennimore Valves LLC from its assessment because it was acquired in October 2023."


@pytest.mark.parametrize(
    ("shares", "assets", "revenue"),
    [
        ("Its total assets and revenues were 3% and 2% of ours.", 3.0, 2.0),
        ("It constituted 3.5% and 2%, respectively, of consolidated total assets and net sales.", 3.5, 2.0),
        ("It constituted 2% and 3.5%, respectively, of consolidated net sales and total assets.", 3.5, 2.0),
        ("Its assets and revenue represented about 3 percent of each of our total assets and total revenue.", 3.0, 3.0),
        ("It represented 4% of both total assets and net sales.", 4.0, 4.0),
        ("It is a wholly-owned subsidiary whose total assets and total revenues excluded from management's assessment of internal "
         "controls represented approximately 1% and less than 1%, respectively, of the related amounts.", 1.0, 1.0),
        ("It had total assets (excluding goodwill and intangible assets) and sales of 5% and 1%, respectively, of ours.", 5.0, 1.0),
        ("Its revenues represented 5% of consolidated revenues and its assets 7% of consolidated assets.", 7.0, 5.0),
        ("It represented 12% of total assets, 10% of net assets and 5.5% of revenues.", 12.0, 5.5),
        ("It is a 51% owned company and represented 6% of total assets.", 6.0, None),
        ("See Note 4.", None, None),
    ],
)  # fmt: skip
def test_the_shares_of_a_business_left_out_are_its_own(shares, assets, revenue):
    (scope_out,) = assertion([*SECTION, f"{_LEFT_OUT} {shares}"]).scope_outs
    assert (scope_out.what, scope_out.pct_assets, scope_out.pct_revenue) == ("Fennimore Valves LLC", assets, revenue)


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("As permitted, our assessment of internal control over financial reporting excludes internal control over financial "
         "reporting of equity method investees.", "equity method investees"),
        ("Our assessment did not include the internal controls of the entities in which we hold an interest and which are accounted "
         "for under the equity method.", "the entities in which we hold an interest"),
        ("Management's assessment did not include the internal controls of certain variable interest entities, because we cannot "
         "assess them.", "certain variable interest entities"),
        ("Management excluded Fennimore Valves from its assessment. It represented 2% of total assets.", "Fennimore Valves"),
    ],
)  # fmt: skip
def test_investees_and_other_entities_left_out_are_scope_outs(said, what):
    assert [out.what for out in assertion([*SECTION, said]).scope_outs] == [what]


@pytest.mark.parametrize(
    "said",
    [
        "Our assessment did include controls over the recording of amounts related to our equity method investees.",
        "Our controls over unconsolidated entities are substantially more limited than those over our subsidiaries.",
        "Companies are permitted to exclude acquisitions from their assessment for one year.",
    ],
)
def test_limits_and_permissions_leave_no_business_out(said):
    assert assertion([*SECTION, said]).scope_outs == []


def test_a_weakness_still_to_be_remediated_is_not_remediated():
    said = "The material weakness will not be considered remediated until the controls have operated for some time."
    assert not assertion([*SECTION, said]).prior_mw_remediated
