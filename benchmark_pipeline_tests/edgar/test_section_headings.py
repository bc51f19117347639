"""Headings of the controls section in the shapes that filers give them; where each section begins and ends."""

import pytest

from benchmark_pipeline.edgar.sections import FilingDocument, Rejection, locate
from benchmark_pipeline.icfr.conclusion import states_icfr_conclusion
from benchmark_pipeline_tests.icfr.filings import DCP, DUTY, EFFECTIVE, LIMITS, NO_ATTESTATION

LAST = "There were no changes during the quarter that materially affected it."
BODY = [
    DCP,
    "Management’s Report on Internal Control over Financial Reporting",
    DUTY,
    EFFECTIVE,
    LIMITS,
    NO_ATTESTATION,
    "Changes in Internal Control over Financial Reporting",
    LAST,
]
BUSINESS = "The company makes pumps and sells them to customers in many markets of the world. " * 4
CONTENTS = ["Item 1. Business 3", "Item 9A. Controls and Procedures 40", "Item 9B. Other Information 41"]
AFTER = ["Item 9B. Other Information", "None.", "PART III", "Item 10. Directors", "SIGNATURES"]


def _paragraphs(blocks):
    return "".join(block if block.startswith("<") else f"<p>{block}</p>" for block in blocks)


def _section(heading, after=AFTER, *, body=BODY, contents=CONTENTS, before=(), form="10-K"):
    blocks = [*contents, "PART I", "Item 1. Business", BUSINESS, *before, heading, *body, *after]
    document = FilingDocument("d.htm", form, f"<html><body>{_paragraphs(blocks)}</body></html>".encode())
    found = locate([document], form, states_icfr_conclusion)
    assert not isinstance(found, Rejection), found
    return found


@pytest.mark.parametrize(
    "heading",
    [
        "Item 9A. Controls and Procedures", "ITEM 9A. CONTROLS AND PROCEDURES", "Item 9A Controls and Procedures",
        "Item 9A: Controls and Procedures", "Item 9A | Controls and Procedures", "Item 9A.Controls and Procedures",
        "ITEM 9ACONTROLS AND PROCEDURES", "Item 9(A). Controls and Procedures", "Item 9.A. Controls and Procedures",
        "Item 9-A. Controls and Procedures", "Item 9 A. Controls and Procedures", "Item No. 9A. Controls and Procedures",
        "PART II, Item 9A. Controls and Procedures", "Item 9A. Controls &amp; Procedures",
        "Items 9A and 9A(T). Controls and Procedures", "Items 9A and 9B. Controls and Procedures and Other Information",
        "Items 9, 9A and 9B. Changes in Accountants; Controls and Procedures; Other Information",
        "Item 9A. Disclosure Controls and Procedures", "Item 9A. Management’s Report on Internal Control",
        "Item 9A. Contols and Procedures",
        "I T E M 9 A . C O N T R O L S A N D P R O C E D U R E S", "I&nbsp;T&nbsp;E&nbsp;M 9A. CONTROLS AND PROCEDURES",
        "<p><font>I</font><font>TEM</font> 9A. <font>C</font>ONTROLS AND <font>P</font>ROCEDURES</p>",
        "<p>Item&nbsp;9A.&nbsp;&#160;Controls&#160;and&#xa0;Procedures</p>",
        "<p>Item\u200b 9A\u200b. Controls and Pro\u00adcedures</p>",
        "<p><a name='x'>Item</a> 9A. <b>Controls</b> and PRO<a id='q'></a>CEDURES</p>",
        "<table><tr><td>Item 9A.</td><td>&nbsp;</td><td>Controls and Procedures</td></tr></table>",
        "<table><tr><td>Item 9A.</td></tr><tr><td>Controls and Procedures</td></tr></table>",
        "<p>ITEM 9A</p><p>&nbsp;</p><p>CONTROLS AND PROCEDURES</p>",
    ],
)  # fmt: skip
def test_a_heading_opens_the_section_however_it_is_set(heading):
    found = _section(heading)
    assert found.item == "9A" or "(T)" in heading
    assert found.stretch.text.startswith(("I", "P"))
    assert DCP in found.stretch.text
    assert BUSINESS[:40] not in found.stretch.text
    assert found.stretch.text.endswith(LAST)


@pytest.mark.parametrize(
    "heading",
    [
        "ITEM 9A(T). CONTROLS AND PROCEDURES",
        "Item 9A (T) – Controls and Procedures",
        "ITEM 9AT. CONTROLS AND PROCEDURES",
    ],
)
def test_the_temporary_item_is_told_apart(heading):
    assert _section(heading).item == "9A(T)"


@pytest.mark.parametrize(
    "after",
    [
        ["PART III", "Item 10. Directors", "SIGNATURES"],
        ["PART III – DIRECTORS AND EXECUTIVE OFFICERS", "Item 10. Directors", "SIGNATURES"],
        ["Item 10. Directors", "SIGNATURES"],
        ["SIGNATURE", "Pursuant to the requirements of the Act"],
        ["ITEM 9BOTHER INFORMATION", "None.", "SIGNATURES"],
        ["Item 9B. Other Information. None.", "SIGNATURES"],
        ["Other Information", "None.", "PART III", "SIGNATURES"],
        ["I T E M 9 B . O T H E R I N F O R M A T I O N", "None.", "SIGNATURES"],
        ["Item 9C. Disclosure Regarding Foreign Jurisdictions", "None.", "SIGNATURES"],
        ["<table><tr><td>ITEM</td><td>9B.</td><td>Other Information</td></tr></table>", "None.", "SIGNATURES"],
        ["45", "Table of Contents", "Item 9B. Other Information", "None.", "SIGNATURES"],
    ],
)
def test_the_next_heading_closes_the_section_and_page_furniture_is_left_out(after):
    assert _section("Item 9A. Controls and Procedures", after).stretch.text.endswith(LAST)


def test_a_running_head_neither_opens_nor_closes_the_section():
    body = [*BODY[:4], "44", "PART II", "Item 9A. Controls and Procedures (continued)", *BODY[4:]]
    text = _section("Item 9A. Controls and Procedures", body=body).stretch.text
    assert text.startswith("Item 9A. Controls and Procedures\nOur officers")
    assert text.endswith(LAST)


def test_a_footer_printed_on_every_page_is_left_out():
    footers = [f"Quillmere Pumps | 2023 Form 10-K | {page}" for page in range(8)]
    after = ["Quillmere Pumps | 2023 Form 10-K | 45", *AFTER]
    assert _section("Item 9A. Controls and Procedures", after, before=footers).stretch.text.endswith(LAST)


def test_a_reference_in_a_sentence_or_a_list_is_no_heading():
    before = [
        "See Item 9A. Controls and Procedures for a discussion of our internal control over financial reporting.",
        "Item 9A, Controls and Procedures, of this report contains our report on internal control.",
        "• Item 9A. Controls and Procedures, to restate our conclusion on internal control over financial reporting; and",
        "• Item 15. Exhibits.",
    ]
    body = [*BODY[:2], "Item 9B of this report describes other matters.", *BODY[2:]]
    text = _section("Item 9A. Controls and Procedures", before=before, body=body).stretch.text
    assert text.startswith("Item 9A. Controls and Procedures\nOur officers")
    assert text.endswith(LAST)


@pytest.mark.parametrize(
    ("heading", "after", "item"),
    [
        ("Item 14. Controls and Procedures", ["PART IV", "Item 15. Exhibits", "SIGNATURES"], "14"),
        ("ITEM 14. CONTROLS AND PROCEDURES", ["Item 15. Principal Accountant Fees", "PART IV", "SIGNATURES"], "14"),
        ("9A. Controls and Procedures", ["9B. Other Information", "None", "PART III", "SIGNATURES"], "9A"),
        (
            "CONTROLS AND PROCEDURES",
            ["Other Information", "None", "Item 9A Controls and Procedures 44", "SIGNATURES"],
            "9A",
        ),
    ],
)
def test_older_numbers_bare_numbers_and_bare_titles_are_found(heading, after, item):
    found = _section(heading, after, contents=[])
    assert found.item == item
    assert found.stretch.text.startswith(heading)
    assert found.stretch.text.endswith(LAST)


@pytest.mark.parametrize(
    "title",
    [
        "Security Ownership of Certain Beneficial Owners and Management and Related Stockholder Matters",
        "Market for Registrant’s Common Equity, Related Stockholder Matters and Issuer Purchases of Equity Securities",
        "Certain Relationships and Related Transactions, and Director Independence",
        "Changes in and Disagreements with Accountants on Accounting and Financial Disclosure",
        "Principal Accountant Fees and Services", "Financial Statements and Supplementary Data",
        "Quantitative and Qualitative Disclosures about Market Risk", "Unresolved Staff Comments", "Cybersecurity",
        "Mine Safety Disclosures", "Executive Compensation", "Other Information", "Exhibits and Financial Statement Schedules",
    ],
)  # fmt: skip
def test_a_section_without_a_number_ends_at_any_other_title_of_the_form(title):
    after = [title, "What the form asks for here.", "Item 9A Controls and Procedures 44", "SIGNATURES"]
    assert _section("CONTROLS AND PROCEDURES", after, contents=[]).stretch.text.endswith(LAST)


@pytest.mark.parametrize(
    ("heading", "after"),
    [
        ("ITEM 15. CONTROLS AND PROCEDURES", ["ITEM 16A. AUDIT COMMITTEE FINANCIAL EXPERT", "x"]),
        ("ITEM 15T. CONTROLS AND PROCEDURES", ["ITEM 16. [RESERVED]", "x"]),
        ("Item 15(T). Controls and Procedures", ["Item 16. Reserved", "x"]),
        ("Item 15A. Disclosure Controls and Procedures", ["Item 16A. Audit committee", "x"]),
        ("ITEM 15 — CONTROLS AND PROCEDURES", ["ITEM 16 — RESERVED", "x"]),
        ("15. CONTROLS AND PROCEDURES", ["16. [RESERVED]", "16A. AUDIT COMMITTEE FINANCIAL EXPERT", "x"]),
        ("Item 15. Controls and Procedures", ["PART III", "Item 17. Financial Statements"]),
    ],
)
def test_a_foreign_issuers_item_15_is_found(heading, after):
    found = _section(heading, after, contents=[], form="20-F")
    assert found.item == "15"
    assert found.stretch.text.startswith(heading)
    assert found.stretch.text.endswith(LAST)


def test_lettered_parts_of_item_15_stay_in_one_section():
    body = ["Item 15A. Disclosure Controls and Procedures", DCP, "Item 15B. Management’s Annual Report", DUTY, EFFECTIVE, LIMITS,
            "Item 15C. Attestation Report", NO_ATTESTATION, "Item 15D. Changes in Internal Control", LAST]  # fmt: skip
    text = _section(
        "Item 15. Controls and Procedures", ["Item 16. [Reserved]", "x"], body=body, contents=[], form="20-F"
    ).stretch.text
    assert text.startswith("Item 15. Controls and Procedures\nItem 15A.")
    assert text.endswith(LAST)
