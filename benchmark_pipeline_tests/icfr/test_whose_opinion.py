"""An auditor's opinion counts for the company that it is on, and has its date and firm where the signature is a picture."""

from datetime import date

import pytest

from benchmark_pipeline.icfr.auditees import firm_told, whose
from benchmark_pipeline.icfr.registrants import Registrant
from benchmark_pipeline_tests.icfr.filings import (
    ADVERSE,
    DCP,
    DUTY,
    EFFECTIVE,
    LIMITS,
    NO_ATTESTATION,
    OPINION,
    SIGNED,
    assertion,
    audit_report,
    read,
)

SECTION = [DCP, DUTY, EFFECTIVE, LIMITS]
OTHER_NAMES = [
    "To the Members of Tarrowby Pipeline Company, LLC",
    "To the Board of Directors and Shareholders of Tarrowby N.V.:",
    "The Board of Managers\nTarrowby Pipeline Company, LLC:",
    "To the Partners of\nTarrowby Pipeline L.P. and its subsidiaries",
]


def _report_on(address, opinion):
    return [
        "Report of Independent Registered Public Accounting Firm",
        *address.split("\n"),
        "Opinions",
        opinion,
        *SIGNED,
    ]


@pytest.mark.parametrize("address", OTHER_NAMES)
def test_the_opinion_on_a_company_that_the_registrant_holds_a_part_of_is_not_the_registrants(address):
    row = assertion([*SECTION, NO_ATTESTATION], item_8=_report_on(address, OPINION))
    assert (row.attest_opinion, row.attest_opinion_span, row.opinion_date) == ("none", None, None)
    assert [c for c in row.conflicts if c.startswith("opinion_on_another_company:Tarrowby")]


@pytest.mark.parametrize("address", OTHER_NAMES)
def test_an_adverse_opinion_on_another_company_leaves_the_registrants_clean_one(address):
    result = read(SECTION, item_8=[*audit_report(OPINION), *_report_on(address, ADVERSE)])
    (row,) = result.assertions
    assert (row.attest_opinion, result.weaknesses) == ("unqualified", [])
    assert not [c for c in row.conflicts if c.startswith("opinions_differ")]


@pytest.mark.parametrize(
    "address",
    [
        "To the Shareholders and the Board of Directors of Quillmere Pumps, Incorporated",
        "Board of Directors and Shareholders\nQuillmere Pumps Inc.:",
        "To the Board of Directors and Stockholders of\nQUILLMERE PUMPS INC AND SUBSIDIARIES",
        "To the Board of Directors and Stockholders",
        "To the Audit Committee of the Board of Directors of the Company",
        "To the Stockholders of Quillmere Group Limited",
    ],
)
def test_the_registrant_is_known_by_its_name_however_it_is_printed(address):
    row = assertion(SECTION, item_8=_report_on(address, OPINION))
    assert (row.attest_opinion, row.conflicts) == ("unqualified", [])


def test_the_company_is_told_from_what_was_audited_where_no_address_names_it():
    report = [
        "To the Board of Directors and Stockholders",
        "We have audited Tarrowby Mining plc's internal control over financial reporting as of December 31, 2023.",
        OPINION,
        *SIGNED,
    ]
    assert assertion(SECTION, item_8=report).attest_opinion == "none"


def test_an_affiliate_of_similar_name_is_another_company_only_beside_an_opinion_on_the_registrant():
    affiliate = _report_on("To the Members of Quillmere Tarrowby Coal LLC", ADVERSE)
    named = (Registrant("0009990001", "Quillmere Pumps Inc"),)
    assert assertion(SECTION, item_8=affiliate, registrants=named).attest_opinion == "adverse"
    both = assertion(SECTION, item_8=[*audit_report(OPINION), *affiliate], registrants=named)
    assert both.attest_opinion == "unqualified"


@pytest.mark.parametrize(
    ("company", "names", "cover", "answer"),
    [
        ("The Marrow & Stile Company", ["MARROW & STILE CO"], "", "own"),
        ("Banco de Tarrow S.A.", ["TARROW BANK"], "", "own"),
        ("Companhia Tarrowana de Minas", ["NATIONAL MINING CO"], "Companhia Tarrowana de Minas (Exact name)", "own"),
        ("General Electric Power Company", ["GENERAL ELECTRIC POWER CO"], "", "own"),
        ("McTarrow's Corporation", ["MCTARROWS CORP"], "", "own"),
        ("American Power Group", ["QUILLMERE INC"], "", "unclear"),
        ("Tarrowby LLC", ["QUILLMERE ENERGY INC"], "Quillmere Energy Inc", "another"),
        (None, ["QUILLMERE ENERGY INC"], "", "unclear"),
    ],
)
def test_a_company_is_told_by_the_words_of_its_own(company, names, cover, answer):
    assert whose(company, names, cover) == answer


def test_a_picture_of_a_signature_leaves_the_date_below_it_and_the_firm_that_management_names():
    told = (
        "Our independent registered public accounting firm, Brackwell Thorne LLP, has issued an attestation report on our "
        "internal control over financial reporting."
    )
    report = audit_report(OPINION)[: -len(SIGNED)]
    row = assertion([*SECTION, told], item_8=[*report, "Duluth, Minnesota", "February 20, 2024"])
    assert (row.opinion_date, row.auditor_name) == (date(2024, 2, 20), "Brackwell Thorne LLP")
    assert "firm_told_by_management" in row.rules_fired
    unsigned = assertion(SECTION, item_8=report)
    assert (unsigned.opinion_date, unsigned.auditor_name) == (None, None)


@pytest.mark.parametrize(
    ("text", "firm"),
    [
        ("J.H. Marlow & Co LLP, an independent registered public accounting firm, has audited the effectiveness of our internal control.",
         "J.H. Marlow & Co LLP"),
        ("Ernst & Young LLP, an independent registered public accounting firm, has audited our statements.", None),
        ("KPMG LLP, our independent registered public accounting firm, audited our internal control. Marcum LLP, an independent "
         "registered public accounting firm, issued a report on the internal control of the predecessor.", None),
    ],
)  # fmt: skip
def test_management_names_the_firm_that_attested(text, firm):
    assert firm_told(text) == firm
