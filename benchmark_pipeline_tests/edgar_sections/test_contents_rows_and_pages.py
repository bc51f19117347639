"""Rows of a table of contents and page furniture neither open a section nor lengthen it; 40-F titles and exhibits."""

import pytest

from benchmark_pipeline.edgar.sections import FilingDocument, Rejection, locate
from benchmark_pipeline.edgar.text import normalise

DCP = "Our officers concluded that our disclosure controls and procedures were effective at year end. " * 3
ICFR = "Management concluded that internal control over financial reporting was effective at year end."
NOTE = (
    "In this report, statements on our disclosure controls and internal control over financial reporting look ahead. "
    * 2
)
OTHER = "We sell pumps to water works and mills, and we compete with many makers of pumps on price and service. " * 4


def _document(blocks, form):
    return FilingDocument(f"{form}.htm", form, "".join(f"<p>{block}</p>" for block in blocks).encode())


def _located(documents, form):
    found = locate(documents, form, lambda text: "financial reporting was effective" in text)
    assert not isinstance(found, Rejection), found
    return found


@pytest.mark.parametrize("page", [" 96", " ........ 96", " 96-97", "</p><p>96"])
@pytest.mark.parametrize(
    ("form", "heading", "closing"),
    [
        ("20-F", "Item 15. Controls and Procedures", "Item 16A. Audit Committee Financial Expert"),
        ("20-F", "15. Controls and Procedures", "16A. Audit Committee Financial Expert"),
        ("10-K", "Item 9A. Controls and Procedures", "Item 9B. Other Information"),
    ],
)
def test_a_contents_row_that_no_other_row_follows_is_passed_over(form, heading, closing, page):
    blocks = [heading + page, NOTE, OTHER, heading, DCP, ICFR, closing, "None.", "SIGNATURES"]
    section = _located([_document(blocks, form)], form)
    assert section.stretch.text.startswith(heading + "\nOur officers")
    assert section.stretch.text.endswith(ICFR)


@pytest.mark.parametrize(
    ("form", "row"), [("20-F", "Item 15. Controls and Procedures 96"), ("10-K", "Item 9A. Controls and Procedures 96")]
)
def test_a_lone_contents_row_gives_way_to_the_title_it_names(form, row):
    blocks = [row, NOTE, OTHER, "Controls and Procedures", DCP * 2, ICFR, "Other Information", "None.", "SIGNATURES"]
    section = _located([_document(blocks, form)], form)
    assert section.stretch.text.startswith("Controls and Procedures\nOur officers")
    assert section.stretch.text.endswith(ICFR)


def test_a_heading_with_a_page_beside_it_keeps_its_first_sub_heading():
    blocks = ["Item 9A. Controls and Procedures 52", "Disclosure Controls and Procedures", DCP * 2, ICFR,
              "Item 9B. Other Information", "None.", "SIGNATURES"]  # fmt: skip
    section = _located([_document(blocks, "10-K")], "10-K")
    assert section.heading == "Item 9A. Controls and Procedures"


def test_a_part_on_a_line_of_its_own_is_no_part_of_the_heading():
    blocks = [
        "PART II",
        "Item 9A. Controls and Procedures",
        DCP,
        ICFR,
        "PART II",
        "Item 9B. Other Information",
        "None.",
    ]
    section = _located([_document(blocks, "10-K")], "10-K")
    assert section.stretch.text.startswith("Item 9A.")
    assert section.stretch.text.endswith(ICFR)


def test_a_name_in_capitals_below_a_page_number_ends_no_section():
    blocks = [
        "Item 9A. Controls and Procedures",
        DCP,
        ICFR,
        "-41-",
        "QUILLMERE PUMPS INC",
        "Item 9B. Other Information",
    ]
    assert _located([_document(blocks, "10-K")], "10-K").stretch.text.endswith(ICFR)


def test_a_page_number_joins_neither_the_line_above_nor_the_one_below():
    typed = "The report of management is given on the page that follows and was read by all\n"
    text = normalise((typed + " " * 60 + "45\n" + "     Report of Management on Controls\n").encode()).text
    assert "45" in text.split("\n")


@pytest.mark.parametrize(
    "title", ["Evaluation of Disclosure Controls and Procedures", "Disclosure Controls and Procedures"]
)
def test_titles_of_controls_in_a_40_f(title):
    blocks = ["FORM 40-F", OTHER, title, DCP, ICFR, "Code of Ethics", "We have one.", "SIGNATURES"]
    section = _located([_document(blocks, "40-F")], "40-F")
    assert section.heading == title
    assert section.stretch.text.endswith(ICFR)


def test_a_40_f_silent_on_controls_has_managements_report_in_its_exhibit():
    main = _document(["FORM 40-F", OTHER, "Code of Ethics", "We have one.", "SIGNATURES"], "40-F")
    title = "Management's Report on Internal Control over Financial Reporting"
    exhibit = _document(
        ["Financial Statements", title, DCP, ICFR, "/s/ A. Brandt", "Consolidated Balance Sheets"], "EX-99.2"
    )
    section = _located([main, exhibit], "40-F")
    assert (section.method, section.heading, section.item) == ("exhibit", title, "40-F")
    assert section.stretch.text.endswith(ICFR)


@pytest.mark.parametrize(
    ("form", "exhibit_type", "next_title"),
    [("40-F", "EX-99.3", "Outstanding Share Data"), ("10-K", "EX-13", "Quarterly Financial Data")],
)
def test_an_unsigned_report_in_an_exhibit_ends_at_the_next_title(form, exhibit_type, next_title):
    heading, closing = {
        "40-F": ("Disclosure Controls and Procedures", "Code of Ethics"),
        "10-K": ("Item 9A. Controls and Procedures", "Item 9B. Other Information"),
    }[form]
    pointer = "Management's report on internal control over financial reporting is included in the exhibit."
    main = _document([heading, DCP, pointer, closing, "None.", "SIGNATURES"], form)
    title = "Management's Report on Internal Control over Financial Reporting"
    exhibit = _document([OTHER, title, DCP, ICFR, next_title, OTHER], exhibit_type)
    section = _located([main, exhibit], form)
    assert section.followed_pointer
    assert section.stretch.text.endswith(ICFR)


@pytest.mark.parametrize(
    ("form", "rows", "heading", "closing"),
    [
        (
            "20-F",
            ["Item 14. Material Modifications", "Item 15. Controls and Procedures"],
            "Item 15. Controls and Procedures",
            "Item 16. [Reserved]",
        ),
        (
            "10-K",
            ["Item 8. Financial Statements", "Item 9A. Controls and Procedures"],
            "Item 9A. Controls and Procedures",
            "Item 9B. Other Information",
        ),
    ],
)
def test_an_earlier_item_below_a_heading_shows_that_it_stands_in_a_contents(form, rows, heading, closing):
    blocks = [*rows, "Introduction", NOTE, OTHER, rows[0], "None.", heading, DCP, ICFR, closing, "None.", "SIGNATURES"]
    section = _located([_document(blocks, form)], form)
    assert section.stretch.text.startswith(heading + "\nOur officers")


def test_a_sentence_on_an_earlier_item_does_not_make_a_contents_of_the_section():
    heading = "Item 9A. Controls and Procedures"
    blocks = [heading, "Item 8 of this report holds the statements that these controls cover.", DCP,
              heading, ICFR, "Item 9B. Other Information", "None."]  # fmt: skip
    section = _located([_document(blocks, "10-K")], "10-K")
    assert section.stretch.start == 0


def test_item_15_answered_by_not_applicable_is_passed_over_for_item_15t():
    blocks = ["Item 15. Controls and Procedures", "Not applicable.", "Item 15T. Controls and Procedures", DCP, ICFR,
              "Item 16A. Audit Committee Financial Expert", "None."]  # fmt: skip
    assert _located([_document(blocks, "20-F")], "20-F").heading == "Item 15T. Controls and Procedures"


@pytest.mark.parametrize("title", ["Notice of Pension Fund Blackout Period", "Correspondence", "Board of Directors"])
def test_less_common_titles_end_the_controls_of_a_40_f(title):
    blocks = ["FORM 40-F", "Controls and Procedures", DCP, ICFR, title, "None.", "Code of Ethics", "Yes.", "SIGNATURES"]
    assert _located([_document(blocks, "40-F")], "40-F").stretch.text.endswith(ICFR)


def test_financial_statements_end_a_section_under_an_un_numbered_title():
    blocks = ["Item 9A. Controls and Procedures 60", "Item 9B. Other Information 61", "Controls and Procedures", DCP * 2, ICFR,
              "Consolidated Statements of Income", OTHER, "SIGNATURES"]  # fmt: skip
    assert _located([_document(blocks, "10-K")], "10-K").stretch.text.endswith(ICFR)


def test_a_title_of_a_40_f_that_points_to_an_exhibit_is_followed():
    pointer = "See the discussion and analysis, Exhibit 99.3."
    main = _document(["FORM 40-F", "Controls and Procedures", pointer, "Code of Ethics", "Yes.", "SIGNATURES"], "40-F")
    exhibit = _document([OTHER, "Controls and Procedures", DCP, ICFR, "Outlook", OTHER], "EX-99.3")
    section = _located([main, exhibit], "40-F")
    assert section.item_stretch.text == f"Controls and Procedures\n{pointer}"
    assert section.stretch.text.endswith(ICFR)


@pytest.mark.parametrize(
    ("title", "closing"),
    [
        ("Disclosure Controls and Procedures. ", "Code of Ethics. The registrant has adopted a code. "),
        ("(b) Controls and Procedures: ", "(c) Notices Pursuant to Regulation BTR. There were none in the year. "),
        (
            "Certifications and Disclosure Regarding Controls and Procedures. ",
            "Audit Committee Financial Expert. She is. ",
        ),
    ],
)
def test_headings_run_in_before_their_paragraphs_in_a_40_f(title, closing):
    blocks = ["FORM 40-F", OTHER, title + DCP, ICFR, closing + OTHER, "SIGNATURES"]
    section = _located([_document(blocks, "40-F")], "40-F")
    assert section.stretch.text.startswith(title)
    assert section.stretch.text.endswith(ICFR)


def test_a_sentence_that_opens_like_a_title_does_not_end_the_controls_of_a_40_f():
    sentence = "Audit committee members reviewed the evaluation. " + OTHER
    blocks = ["FORM 40-F", "Controls and Procedures", DCP, sentence, ICFR, "Code of Ethics", "Yes.", "SIGNATURES"]
    assert _located([_document(blocks, "40-F")], "40-F").stretch.text.endswith(ICFR)


@pytest.mark.parametrize("page", ["II-15", "K-31", "Page 31 of 60", "F-3"])
def test_pages_in_other_forms_end_no_section_and_break_no_contents(page):
    heading = "Item 9A. Controls and Procedures"
    blocks = [f"{heading} {page}", NOTE, OTHER, heading, DCP, ICFR, page, "Item 9B. Other Information", "None."]
    section = _located([_document(blocks, "10-K")], "10-K")
    assert section.stretch.text.startswith(heading + "\nOur")
    assert section.stretch.text.endswith(ICFR)


def test_an_item_that_points_to_an_un_numbered_passage_is_followed():
    pointer = (
        "See Controls and Procedures in the discussion of management in Item 7, which is incorporated by reference."
    )
    blocks = ["Item 7. Discussion", OTHER, "Controls and Procedures", DCP * 2, ICFR, "Item 8. Financial Statements", OTHER,
              "Item 9A. Controls and Procedures", pointer, "Item 9B. Other Information", "None."]  # fmt: skip
    section = _located([_document(blocks, "10-K")], "10-K")
    assert section.item_stretch.text.endswith(pointer)
    assert section.stretch.text.startswith("Controls and Procedures\nOur")
    assert section.stretch.text.endswith(ICFR)


@pytest.mark.parametrize(
    ("form", "exhibit_type", "rows"),
    [
        ("20-F", "EX-15.2", ["Item 15 Controls and procedures, page 80", "Item 16A Audit committee, page 60"]),
        ("10-K", "EX-13", ["Item 9A. Controls and Procedures, page 80", "Item 9B. Other Information, page 81"]),
    ],
)
@pytest.mark.parametrize(
    "title", ["Controls and procedures", "Report of Management on Internal Control over Financial Reporting"]
)
def test_a_form_that_is_an_index_to_its_exhibit_is_read_there(form, exhibit_type, rows, title):
    exhibit = _document([OTHER, title, DCP * 2, ICFR, "Going concern", OTHER], exhibit_type)
    section = _located([_document([*rows, OTHER, "SIGNATURES"], form), exhibit], form)
    assert (section.method, section.heading) == ("exhibit", title)


def test_a_sentence_on_internal_control_is_no_heading_of_a_report():
    risk = (
        "If we fail to maintain internal control over financial reporting, our shares could lose much of their value."
    )
    blocks = ["Item 9A. Controls and Procedures 60", "Item 9B. Other Information 61", risk, DCP * 2, ICFR, "SIGNATURES"]
    found = locate([_document(blocks, "10-K")], "10-K", lambda text: "financial reporting was effective" in text)
    assert isinstance(found, Rejection)
