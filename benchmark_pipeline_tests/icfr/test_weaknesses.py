"""Splitting a section into its weaknesses."""

import pytest

from benchmark_pipeline.icfr.weaknesses import read_weaknesses
from benchmark_pipeline_tests.icfr.filings import ADVERSE, DCP, DUTY, LIMITS, NOT_EFFECTIVE, audit_report, read

ONE = "We did not restrict access to the payroll system to those who need it."
TWO = "Journal entries were posted without review by a second person."
THREE = "Counts of stock held by dealers were not compared with our records."
FIX = [
    "Remediation",
    "We plan these steps:",
    "• Hire a controller for the plants.",
    "• Train the dealers in counting stock.",
]


def _read(*blocks):
    text = "\n".join([DUTY, NOT_EFFECTIVE, *blocks, LIMITS])
    found = read_weaknesses(text)
    return found, [text[w.start : w.end] for w in found.found]


@pytest.mark.parametrize(
    ("mark", "kind"), [("• ", "bullet"), ("1. ", "list_item"), ("(a) ", "list_item"), ("i) ", "list_item")]
)
def test_each_item_after_a_lead_in_is_one_weakness_and_remediation_items_are_none(mark, kind):
    marks = [mark, mark.replace("1", "2").replace("a", "b").replace("i", "ii")]
    found, passages = _read("We identified the following material weaknesses:", marks[0] + ONE, marks[1] + TWO, *FIX)
    assert passages == [marks[0] + ONE, marks[1] + TWO]
    assert {w.kind for w in found.found} == {kind}
    assert found.count == 2
    assert found.remediation is not None


@pytest.mark.parametrize(
    "turn",
    [
        "Because of the material weakness described above, management concluded that, as of December 31, 2023, our internal control "
        "over financial reporting was not effective.",
        "This annual report does not include an attestation report of our registered public accounting firm.",
        "Notwithstanding the material weakness, management believes that the statements present fairly our position.",
        "Changes in internal control over financial reporting: none of them was material in the last quarter of the year.",
    ],
)
def test_the_remediation_passage_ends_where_the_text_turns_to_another_matter(turn):
    told = (
        "Our management concluded that there is a material weakness, which relates to a lack of reviewers at year end."
    )
    answer = "We continue to engage an outside accountant to assist in the correction of this material weakness."
    more = "We also hired a controller in January 2024, who reviews each monthly close before it is reported."
    text = "\n".join([DUTY, told, answer, more, turn, "No other matter was found by our officers in the year."])
    start, end = read_weaknesses(text).remediation
    assert text[start:end] == f"{answer}\n{more}"


def test_a_semicolon_list_in_one_sentence_is_split():
    _, passages = _read(
        "The matters that management considered to be material weaknesses were: lack of an audit committee; lack of outside directors; "
        "inadequate segregation of duties; and, management is dominated by one person. They were identified by our officer."
    )
    assert passages == [
        "lack of an audit committee", "lack of outside directors", "inadequate segregation of duties", "management is dominated by one person",
    ]  # fmt: skip


def test_headings_of_coso_components_are_kept_with_their_weaknesses():
    found, passages = _read(
        "The material weaknesses, by component, are these.",
        "Risk Assessment",
        "• " + THREE,
        "Monitoring",
        "• " + TWO,
        *FIX,
    )
    assert [w.component for w in found.found] == ["risk_assessment", "monitoring_activities"]
    assert len(passages) == 2


def test_a_single_weakness_in_prose_is_one():
    told = "The material weakness relates to access rights in the payroll system. " + ONE
    found, passages = _read(told, *FIX)
    assert (found.count, passages) == (1, [told])


def test_a_run_in_heading_opens_the_passage():
    found, passages = _read(
        "Material weakness. " + ONE + " Nineteen employees could both enter a worker and release the payment.", *FIX
    )
    assert [w.kind for w in found.found] == ["run_in_heading"]
    assert passages[0].startswith("Material weakness. We did not")


def test_a_stated_number_that_differs_from_the_count_makes_the_count_unknown():
    found, _ = _read("We identified the following three material weaknesses:", "• " + ONE, "• " + TWO)
    assert found.count is None
    assert found.conflicts == ["weaknesses_stated_3_counted_2"]


def test_a_text_that_names_no_weakness_gives_none():
    found, passages = _read("No material weaknesses were identified.")
    assert (found.count, passages) == (None, [])


def test_the_auditors_repetition_of_the_list_adds_nothing():
    report = audit_report(ADVERSE, "The following material weaknesses have been identified:", "• " + ONE, "• " + TWO)
    result = read(
        [DCP, DUTY, NOT_EFFECTIVE, "We identified the following material weaknesses:", "• " + ONE, "• " + TWO, *report]
    )
    assert [row.ordinal for row in result.weaknesses] == [1, 2]
    assert result.assertions[0].weaknesses_stated == 2


def test_weaknesses_that_only_the_auditor_describes_are_taken_from_its_report():
    item_8 = audit_report(ADVERSE, "The material weakness relates to access rights. " + ONE)
    result = read([DCP, DUTY, NOT_EFFECTIVE + " See the report of our auditor.", LIMITS], item_8)
    assert [row.text for row in result.weaknesses] == ["The material weakness relates to access rights. " + ONE]
