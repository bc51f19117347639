"""Headings that small filers and foreign ones use: the title under another number, an empty item, titles alone."""

import pytest

from benchmark_pipeline.edgar.sections import FilingDocument, Rejection, locate

DISCLOSURE = [
    "Our officers concluded that our disclosure controls and procedures were effective. " * 4,
    "Management concluded that internal control over financial reporting was effective. " * 4,
]
OTHER = "We sell pumps to water works and mills, and we compete with many makers of pumps on price and service. " * 8


def _document(blocks, form="10-K"):
    return FilingDocument("d.htm", form, "".join(f"<p>{block}</p>" for block in blocks).encode())


def _located(blocks, form="10-K"):
    return locate([_document(blocks, form)], form, lambda text: "financial reporting was effective" in text)


@pytest.mark.parametrize(
    "heading",
    [
        "Item 8A. Controls and Procedures",
        "Item 8A(T). Controls and Procedures",
        "Item 9. Controls and Procedures",
        "Item 15. Controls and Procedures",
    ],
)
def test_the_title_under_another_number_is_found(heading):
    section = _located(["Item 1. Business", OTHER, heading, *DISCLOSURE, "Item 16. Exhibits", OTHER, "SIGNATURES"])
    assert section.heading == heading
    assert section.stretch.text.endswith("financial reporting was effective.")


def test_a_number_of_another_item_without_the_title_is_not_taken():
    section = _located(["Item 1. Business", OTHER, "Item 9. Exhibits", *DISCLOSURE, "Item 16. Summary", "SIGNATURES"])
    assert isinstance(section, Rejection)


def test_an_item_answered_by_not_applicable_is_passed_over_for_the_transitional_one():
    section = _located([
        "Item 9A. Controls and Procedures", "Not applicable.",
        "Item 9A(T). Controls and Procedures", *DISCLOSURE, "Item 9B. Other Information", "None.", "SIGNATURES",
    ])  # fmt: skip
    assert (section.item, section.heading) == ("9A(T)", "Item 9A(T). Controls and Procedures")


def test_an_item_with_text_above_the_transitional_one_is_kept():
    section = _located([
        "Item 9A. Controls and Procedures", DISCLOSURE[0],
        "Item 9A(T). Controls and Procedures", DISCLOSURE[1], "Item 9B. Other Information", "None.", "SIGNATURES",
    ])  # fmt: skip
    assert section.heading == "Item 9A. Controls and Procedures"


def test_a_20_f_under_titles_of_its_own_is_found():
    section = _located([
        "Item 15 Controls and procedures 98", "Item 16A Audit committee financial expert 60", OTHER,
        "Controls and procedures", *DISCLOSURE,
        "Audit committee financial expert", OTHER, "Signatures",
    ], "20-F")  # fmt: skip
    assert (section.item, section.method, section.heading) == ("15", "index", "Controls and procedures")
    assert section.stretch.text.endswith("financial reporting was effective.")


@pytest.mark.parametrize(
    "answer",
    [
        "Our officers concluded that our disclosure controls and procedures were effective at year end.",
        "This report does not include management's assessment of internal control over financial reporting.",
    ],
)
def test_a_short_section_that_states_something_is_kept(answer):
    section = _located(["Item 9A. Controls and Procedures", answer, "Item 9B. Other Information", "None."])
    assert section.stretch.text.endswith(answer)


def test_a_short_section_that_states_nothing_is_rejected():
    answer = "The registrant has internal controls and disclosure controls and has nothing more to report here."
    section = _located(["Item 9A. Controls and Procedures", answer, "Item 9B. Other Information", "None."])
    assert section.reason == "too_short"
