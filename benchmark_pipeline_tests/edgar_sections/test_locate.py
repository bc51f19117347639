"""Cutting the controls section: headings, pointers, exhibits, and the reasons for none."""

import re
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark_pipeline.edgar.sections import FilingDocument, Rejection, Section, locate
from benchmark_pipeline.edgar.sections.candidates import Closings
from benchmark_pipeline.edgar.sections.locate import MAX_HEADINGS
from benchmark_pipeline.edgar.sections.pointers import heading_of
from benchmark_pipeline.icfr.conclusion import states_icfr_conclusion

DCP = (
    "Our chief executive officer and chief financial officer concluded that our disclosure controls and procedures were "
    "effective as of December 31, 2023. "
)
ICFR = (
    "Management assessed internal control over financial reporting under the criteria of COSO (2013) and concluded that our "
    "internal control over financial reporting was effective as of December 31, 2023. "
)
FILLER = "The company makes pumps for dairies and sells them through dealers in the northern states of the country. "
CONTENTS = [
    "Item 1. Business 3", "Item 8. Financial Statements 20", "Item 9A. Controls and Procedures 40",
    "Item 9B. Other Information 41", "Item 10. Directors 42",
]  # fmt: skip


def _html(blocks):
    return "".join(f"<p>{block}</p>" for block in blocks).encode()


def _ten_k(
    section, *, before=(), after=("Item 9B. Other Information", "None."), heading="Item 9A. Controls and Procedures"
):
    blocks = [*CONTENTS, "Item 1. Business", FILLER * 12, *before, heading, *section, *after, "SIGNATURES"]
    return FilingDocument("a10k.htm", "10-K", _html(blocks))


def _locate(*documents, form="10-K"):
    return locate(documents, form, states_icfr_conclusion)


def _found(*documents, form="10-K"):
    section = _locate(*documents, form=form)
    assert isinstance(section, Section), section
    return section


def test_the_body_is_cut_and_not_the_row_of_the_contents():
    section = _found(_ten_k([DCP, ICFR, FILLER]))
    assert section.method == "heading"
    assert section.stretch.text.startswith("Item 9A. Controls and Procedures\nOur chief")
    assert section.stretch.text.endswith("country.")
    assert "Item 9B" not in section.stretch.text


@pytest.mark.parametrize(
    ("heading", "item"),
    [
        ("ITEM 9A(T). CONTROLS AND PROCEDURES", "9A(T)"), ("Item 9A - Controls and Procedures", "9A"),
        ("Item No. 9A. Controls and Procedures", "9A"), ("PART II Item 9 A. Controls and Procedures", "9A"),
        ("Item&#160;9A:&#8203; Controls&#160;and Pro<i>cedures</i>", "9A"), ("ITEM 9A(I). CONTROLS AND PROCEDURES", "9A"),
    ],
)  # fmt: skip
def test_spellings_of_the_heading(heading, item):
    assert _found(_ten_k([DCP, ICFR, FILLER], heading=heading)).item == item


def test_a_reference_inside_a_sentence_neither_opens_nor_closes_the_section():
    section = _found(
        _ten_k(
            [DCP, "Item 10 of this report names our officers. " + ICFR, FILLER],
            before=["Item 9A, Controls and Procedures, describes our internal controls. " + FILLER * 8],
        )
    )
    assert "names our officers" in section.stretch.text
    assert "describes our internal controls" not in section.stretch.text


def test_a_running_head_does_not_cut_the_beginning():
    pages = [DCP, "40", "PART II Item 9A", ICFR, "41", "PART II Item 9A", FILLER, "42", "PART II Item 9A", FILLER]
    assert DCP.strip() in _found(_ten_k(pages)).stretch.text


def test_a_pointer_to_item_8_is_followed_in_the_same_document():
    report = ["Management’s Report on Internal Control over Financial Reporting", ICFR + FILLER * 3,
              "Report of Independent Registered Public Accounting Firm", FILLER]  # fmt: skip
    section = _found(
        _ten_k(
            [DCP, "Management’s report on internal control over financial reporting is included in Item 8."],
            before=["Item 8. Financial Statements", *report],
        )
    )
    assert section.followed_pointer
    assert section.method == "pointer"
    assert ICFR.strip() in section.stretch.text
    assert section.item_stretch is not None
    assert DCP.strip() in section.item_stretch.text


def test_a_pointer_to_the_annual_report_is_followed_into_exhibit_13():
    exhibit = FilingDocument(
        "ex13.htm", "EX-13", _html(["Management’s Report on Internal Control", ICFR + FILLER * 3, "Notes to"])
    )
    stub = (
        "The information is incorporated by reference from the Annual Report to Shareholders under Management’s Report."
    )
    section = _found(_ten_k([stub]), exhibit)
    assert section.method == "exhibit"
    assert section.stretch.document.name == "ex13.htm"


def test_a_pointer_whose_target_is_not_in_the_filing_is_a_stub():
    stub = (
        "The information is incorporated by reference from the Annual Report to Shareholders under Management’s Report."
    )
    rejected = _locate(_ten_k([stub]))
    assert isinstance(rejected, Rejection)
    assert rejected.reason == "stub_cross_reference"


def test_controls_stood_under_item_14_in_fiscal_2002():
    blocks = ["Item 14. Controls and Procedures 30", "Item 15. Exhibits 31", FILLER * 10,
              "Item 14. Controls and Procedures", DCP + FILLER * 4, "PART IV", "Item 15. Exhibits", "SIGNATURES"]  # fmt: skip
    assert _found(FilingDocument("a.htm", "10-K", _html(blocks))).item == "14"


def test_twenty_f_item_15_ends_at_item_16_and_a_reserved_item_is_none():
    blocks = [FILLER * 10, "Item 15. Controls and Procedures", "A. Disclosure controls", DCP, "B. Management’s report", ICFR + FILLER,
              "Item 16A. Audit committee financial expert", FILLER, "SIGNATURES"]  # fmt: skip
    section = _found(FilingDocument("a.htm", "20-F", _html(blocks)), form="20-F")
    assert section.stretch.text.endswith(FILLER.strip())
    reserved = FilingDocument(
        "b.htm", "20-F", _html([FILLER * 10, "Item 15. [Reserved]", "Item 16. [Reserved]", "SIGNATURES"])
    )
    assert isinstance(_locate(reserved, form="20-F"), Rejection)


def test_forty_f_takes_managements_report_from_its_exhibit():
    main = _html([FILLER * 10, "Disclosure Controls and Procedures", DCP + FILLER * 3, "Code of Ethics", FILLER])
    exhibit = _html(
        [
            "Management’s Report on Internal Control over Financial Reporting",
            ICFR + FILLER * 3,
            "Notes to the statements",
        ]
    )
    section = _found(FilingDocument("m.htm", "40-F", main), FilingDocument("x.htm", "EX-99.2", exhibit), form="40-F")
    assert (section.item, section.method, section.stretch.document.name) == ("40-F", "exhibit", "x.htm")


def test_an_unnumbered_heading_serves_a_filer_with_a_cross_reference_index():
    blocks = [FILLER * 6, "Controls and Procedures", DCP, ICFR, FILLER * 3, "Exhibits", FILLER, "Item 9A. Controls and Procedures Page 40",
              "Item 9B. Other Information None", "SIGNATURES"]  # fmt: skip
    section = _found(FilingDocument("a.htm", "10-K", _html(blocks)))
    assert section.method == "index"
    assert ICFR.strip() in section.stretch.text


@pytest.mark.parametrize(
    ("document", "form", "reason"),
    [
        (FilingDocument("a.pdf", "10-K", b"%PDF-1.4 ..."), "10-K", "pdf_only"),
        (FilingDocument("a.htm", "10-K", b"<html><img src='a.jpg'><p>page</p>"), "10-K", "image_only"),
        (FilingDocument("a.htm", "10-K", b"\x00" * 3000), "10-K", "undecodable"),
        (FilingDocument("a.htm", "10-K", _html([FILLER * 30])), "10-K", "no_heading"),
        (_ten_k([DCP, ICFR, "x " + FILLER * 700]), "10-K", "over_capture"),
        (_ten_k(["We have internal controls and they are reviewed every year by the board of the company."]), "10-K", "too_short"),
        (FilingDocument("a.htm", "10-K", _html([FILLER * 9, "Item 9A. Controls and Procedures", DCP, ICFR])), "10-K", "no_boundary"),
        (FilingDocument("a.htm", "10-K", _html(["Le conseil a revu les comptes et la direction de la société. " * 40])), "10-K", "non_english"),
        (_ten_k([DCP, ICFR]), "10-Q", "form_not_covered"),
    ],
)  # fmt: skip
def test_each_reason_for_no_section(document, form, reason):
    rejected = _locate(document, form=form)
    assert isinstance(rejected, Rejection), rejected
    assert rejected.reason == reason


def test_no_document_is_a_reason():
    rejected = _locate()
    assert isinstance(rejected, Rejection)
    assert rejected.reason == "document_missing"


_WHOLE = _ten_k([DCP, ICFR, FILLER]).body


@given(
    st.integers(0, len(_WHOLE)), st.lists(st.tuples(st.integers(0, len(_WHOLE) - 1), st.integers(0, 255)), max_size=12)
)
@settings(max_examples=150, deadline=None)
def test_truncated_and_damaged_documents_give_a_section_or_a_reason(cut, flips):
    body = bytearray(_WHOLE)
    for position, value in flips:
        body[position] = value
    found = _locate(FilingDocument("a.htm", "10-K", bytes(body[:cut])))
    assert isinstance(found, Section | Rejection)
    if isinstance(found, Section):
        assert found.stretch.text == found.stretch.document.text[found.stretch.start : found.stretch.end]


@pytest.mark.parametrize("mark", [". ", ": ", " \u2014 ", "\u2014"])
def test_the_heading_of_a_report_with_a_run_in_heading_is_the_heading_alone(mark):
    title = "Management\u2019s Annual Report on Internal Control Over Financial Reporting"
    heading = heading_of(
        f"{title}{mark}Management is responsible for establishing adequate control. " + "It concluded so. " * 9
    )
    assert heading.rstrip(".:") == title
    assert heading_of(f"{title}\nManagement is responsible.") == title


@pytest.mark.parametrize("heading", ["Item 9A. Controls and Procedures", "Item 9A."])
def test_a_document_of_thousands_of_headings_is_too_complex(heading):
    body = f"<p>{heading}</p><p>our disclosure controls and procedures {FILLER}</p>" * (MAX_HEADINGS + 1)
    found = locate([FilingDocument("a.htm", "10-K", body.encode())], "10-K", states_icfr_conclusion)
    assert isinstance(found, Rejection)
    assert found.reason == "too_complex"


def test_thousands_of_headings_without_a_closing_one_are_an_over_capture():
    body = f"<p>Item 9A. Controls and Procedures</p><p>our disclosure controls and procedures {FILLER}</p>" * 3_000
    found = locate([FilingDocument("a.htm", "10-K", body.encode())], "10-K", states_icfr_conclusion)
    assert isinstance(found, Rejection)
    assert (found.reason, found.candidates) == ("over_capture", 3_000)


@given(st.lists(st.integers(0, 60)), st.text("ab\n", max_size=60))
def test_closings_are_what_a_search_from_each_position_finds(positions, text):
    pattern = re.compile("^b", re.MULTILINE)
    closings = Closings(pattern, text)
    for position in positions:
        found, expected = closings.after(position), pattern.search(text, position)
        assert (found and found.span()) == (expected and expected.span())


@given(st.lists(st.sampled_from(["Item one", "a form", "FORM item", "", "x"]), max_size=8))
def test_lines_with_a_word_are_those_that_hold_it_and_the_line_before_each(lines):
    document = FilingDocument("a.txt", "10-K", b"")
    document.__dict__["normalised"] = SimpleNamespace(text="\n".join(lines))
    starts = [sum(len(line) + 1 for line in lines[:n]) for n in range(len(lines))]
    held = {n for n, line in enumerate(lines) if "item" in line.lower() or "form" in line.lower()}
    expected = sorted({starts[n] for n in held} | {starts[n - 1] for n in held if n})
    assert list(document.lines_with("item", "form")) == expected
