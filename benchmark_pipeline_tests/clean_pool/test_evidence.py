"""One fixture for each evidence code, and what each must not mistake for it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import pytest
from pool_examples import (
    CIK,
    SNAPSHOT,
    Texts,
    assertion,
    filing,
    ineffective_next_year,
    next_year,
    notice,
    period,
    weakness,
)

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.icfr.evidence import find_evidence
from benchmark_pipeline.icfr.evidence_review import apply_reviews
from benchmark_pipeline.icfr.questions import asked_sha256
from benchmark_pipeline.icfr.registrant_record import RegistrantRecord
from benchmark_pipeline.tables.clean_pool import ContradictingEvidenceRow
from benchmark_pipeline.tables.sources import FilingIndexRow

FIRST = "0009100001-23-000001"
NEXT = "0009100001-24-000001"
OTHER = "0009100001-23-000050"


def record(*assertions: Any, filings: Sequence[FilingIndexRow] = (), notices: Sequence[Any] = (),
           weaknesses: Mapping[str, Any] | None = None) -> RegistrantRecord:  # fmt: skip
    return RegistrantRecord(CIK, assertions, tuple(filings), tuple(notices), dict(weaknesses or {}))


def about_first(found: Sequence[ContradictingEvidenceRow]) -> list[tuple[str, str, str]]:
    return [(row.code, row.strength, row.match) for row in found if row.accession == FIRST]


# E1: amendments


def amendment(text: str, **changes: Any) -> list[tuple[str, str, str]]:
    filed = filing(
        "amendment", "10-K/A", OTHER, date(2023, 8, 1), **{"period_of_report": date(2022, 12, 31), **changes}
    )
    return about_first(find_evidence(record(assertion(), filings=[filed]), Texts({OTHER: text}), SNAPSHOT))


@pytest.mark.parametrize(
    "text",
    [
        "Management has reassessed and concluded that our internal control over financial reporting was not effective as of December 31, 2022.",
        "Subsequent to the original filing we concluded that internal control over financial reporting was ineffective.",
        "In our opinion, the Company has not maintained effective internal control over financial reporting as of December 31, 2022.",
        "A material weakness existed as of December 31, 2022.",
    ],
)  # fmt: skip
def test_e1_an_amendment_that_changes_the_conclusion_is_direct(text: str) -> None:
    assert amendment(text) == [("E1", "direct", "same_period")]


@pytest.mark.parametrize(
    "text",
    [
        "Management continues to conclude that internal control over financial reporting was effective as of December 31, 2022.",
        "Our disclosure controls and procedures were not effective because Part III was omitted; our internal control over financial reporting was effective.",
        "If we fail to remediate, our internal control over financial reporting may be not effective.",
        "Internal control over financial reporting was not effective as of December 31, 2020.",
        "",
    ],
)  # fmt: skip
def test_e1_needs_a_conclusion_on_this_year(text: str) -> None:
    assert amendment(text) == []


@pytest.mark.parametrize(
    "changes",
    [{"period_of_report": date(2021, 12, 31)}, {"form": "20-F/A"}, {"filed_date": date(2023, 1, 1)}, {"reject_reason": None, "role": "quarterly", "form": "10-Q"}],
)  # fmt: skip
def test_e1_needs_an_amendment_of_this_report(changes: dict[str, Any]) -> None:
    filed = filing("amendment", "10-K/A", OTHER, date(2023, 8, 1), period_of_report=date(2022, 12, 31)).model_copy(
        update=changes
    )
    text = "We concluded that internal control over financial reporting was not effective as of December 31, 2022."
    found = find_evidence(record(assertion(), filings=[filed]), Texts({OTHER: text}), SNAPSHOT)
    assert "E1" not in {row.code for row in found}


# E2: notices

FY2022 = period("annual", date(2022, 1, 1), date(2022, 12, 31))
Q3_2022 = period("quarter", date(2022, 7, 1), date(2022, 9, 30))
Q1_2023 = period("quarter", date(2023, 1, 1), date(2023, 3, 31))


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (notice([FY2022]), [("E2", "direct", "annual_overlap")]),
        (notice([Q3_2022]), [("E2", "direct", "interim_inside_fy")]),
        (notice([period("balance_sheet", date(2022, 12, 31), date(2022, 12, 31))]), [("E2", "direct", "balance_sheet")]),
        (notice([Q1_2023]), []),
        (notice([]), [("E2", "ambiguous", "period_unparsed")]),
        (notice([Q1_2023], periods_parsed=False), [("E2", "ambiguous", "period_unparsed")]),
        (notice([], filed_date=date(2026, 1, 15)), []),
        (notice([FY2022], filed_date=date(2023, 2, 24)), []),
        (notice([FY2022], channel="6k_text", form="6-K"), [("E2", "direct", "annual_overlap")]),
        (
            notice([FY2022], limb="b", icfr_reports_withdrawn=True),
            [("E2", "direct", "annual_overlap"), ("E6", "direct", "annual_overlap")],
        ),
        (notice([FY2022], limb="a", icfr_reports_withdrawn=True), [("E2", "direct", "annual_overlap")]),
    ],
)  # fmt: skip
def test_e2_a_later_notice_hits_the_year_by_its_dates(told: Any, expected: list[tuple[str, str, str]]) -> None:
    assert about_first(find_evidence(record(assertion(), notices=[told]), Texts(), SNAPSHOT)) == expected


def test_e2_is_matched_to_a_deficient_report_too_and_texts_are_not_read_for_it() -> None:
    class Unread(Texts):
        def documents(self, accession: str) -> Any:
            raise AssertionError(accession)

    deficient = assertion(mgmt_conclusion="ineffective")
    filed = filing("quarterly", "10-Q", OTHER, date(2023, 5, 1))
    found = find_evidence(record(deficient, filings=[filed], notices=[notice([FY2022])]), Unread(), SNAPSHOT)
    assert about_first(found) == [("E2", "direct", "annual_overlap")]


def test_e2_a_notice_that_is_taken_back_waits_for_a_person_and_both_are_kept() -> None:
    first = notice([FY2022])
    back = notice(
        [FY2022],
        accession="0009100001-23-000060",
        form="8-K/A",
        filed_date=date(2023, 9, 14),
        withdraws_accession=OTHER,
    )
    found = find_evidence(record(assertion(), notices=[first, back]), Texts(), SNAPSHOT)
    assert about_first(found) == [("E2", "ambiguous", "annual_overlap"), ("E2", "counter_evidence", "annual_overlap")]


def test_a_53_week_year_is_not_hit_by_a_notice_on_the_year_before() -> None:
    read = assertion(period_end=date(2023, 1, 1), fy_start=date(2022, 1, 3))
    told = notice([period("annual", date(2021, 1, 4), date(2022, 1, 2))])
    assert find_evidence(record(read, notices=[told]), Texts(), SNAPSHOT) == []


# E3, E4, E7, E8, E9: later annual reports


def later(section: str = "", passages: Sequence[str] = (), report: Any = None) -> list[tuple[str, str, str]]:
    following = report or ineffective_next_year()
    rows = tuple(weakness(text, following, number) for number, text in enumerate(passages, 1))
    found = find_evidence(
        record(assertion(), following, weaknesses={following.accession: rows}), Texts(sections={following.accession: section}), SNAPSHOT
    )  # fmt: skip
    return about_first(found)


@pytest.mark.parametrize(
    "text",
    [
        "These material weaknesses existed as of December 31, 2022 and 2023.",
        "Management has determined that the material weakness also existed at December 31, 2022.",
        "Our internal control over financial reporting was not effective as of December 31, 2023 and December 31, 2022.",
        "The material weakness has existed since at least fiscal 2021.",
        "The material weakness dates back to the year ended December 31, 2022.",
        "The same weaknesses existed at December 31, 2022.",
        "The control deficiency that is a material weakness originated in the third quarter of 2022.",
    ],
)
def test_e3_a_later_report_that_puts_the_weakness_at_the_year_end_is_direct(text: str) -> None:
    assert later(section=text, passages=["We lacked reviewers."]) == [("E3", "direct", "named_year")]


def test_e3_may_come_from_the_second_later_report() -> None:
    second = ineffective_next_year(accession="0009100001-25-000001", period_end=date(2024, 12, 31))
    texts = Texts(sections={second.accession: "The material weakness existed as of December 31, 2022, 2023 and 2024."})
    found = find_evidence(record(assertion(), next_year(), second), texts, SNAPSHOT)
    assert about_first(found) == [("E3", "direct", "named_year")]


def test_e4_that_year_is_the_year_whose_end_the_sentence_names() -> None:
    text = "The same weaknesses existed at December 31, 2022, and led to the restatement of that year’s statements in this report."
    assert later(section=text) == [("E3", "direct", "named_year"), ("E4", "direct", "named_year")]


def test_e4_a_weakness_tied_to_the_restated_statements_of_the_year_is_direct() -> None:
    text = (
        "We did not review complex contracts, which is a material weakness. "
        "It resulted in errors and in the restatement of our financial statements for the year ended December 31, 2022."
    )
    assert later(section=text) == [("E4", "direct", "named_year")]


@pytest.mark.parametrize(
    "text",
    [
        "The material weakness arose following the acquisition of Brackenfield Pumps in May 2023.",
        "This material weakness resulted from the implementation of a new ERP system in the second quarter of 2023.",
        "The material weakness is due to the departure of our controller in August 2023.",
        "The material weakness did not exist as of December 31, 2022.",
        "The material weakness resulted from the resignation of our chief accounting officer during the fourth quarter.",
    ],
)
def test_e7_a_weakness_made_by_an_event_after_the_year_end_keeps_the_label(text: str) -> None:
    assert later(passages=[text]) == [("E7", "counter_evidence", "next_annual")]


@pytest.mark.parametrize(
    "text",
    [
        "We did not maintain enough qualified accounting personnel.",
        "We identified a material weakness during the audit of fiscal 2023.",
        "A material weakness existed as of December 31, 2023.",
        "The material weakness is due to the implementation of a system in 2021 that we did not test.",
    ],
)
def test_e8_a_weakness_of_unstated_onset_waits_for_a_person(text: str) -> None:
    codes = later(passages=[text])
    assert codes == [("E8", "ambiguous", "next_annual")]


def test_e8_stands_beside_e7_where_only_one_of_two_weaknesses_is_dated() -> None:
    codes = later(passages=["A material weakness arose following the merger in June 2023.", "We lacked reviewers."])
    assert codes == [("E7", "counter_evidence", "next_annual"), ("E8", "ambiguous", "next_annual")]


def test_one_sentence_outside_the_list_may_date_all_weaknesses() -> None:
    codes = later(
        section="These material weaknesses arose following the acquisition of Brackenfield Pumps in May 2023.",
        passages=["We lacked reviewers.", "We did not reconcile accounts."],
    )
    assert codes == [("E7", "counter_evidence", "next_annual")] * 2


def test_e8_needs_no_readable_passage_and_comes_from_the_next_report_only() -> None:
    assert later() == [("E8", "ambiguous", "next_annual")]
    second = ineffective_next_year(accession="0009100001-25-000001", period_end=date(2024, 12, 31))
    assert about_first(find_evidence(record(assertion(), next_year(), second), Texts(), SNAPSHOT)) == []


def test_e8_asks_since_when_a_remediated_weakness_existed() -> None:
    remediated = next_year(prior_mw_remediated=True)
    assert later(report=remediated) == [("E8", "ambiguous", "next_annual")]


def test_e9_a_corrected_error_without_a_weakness_is_a_little_r() -> None:
    assert later(report=next_year(error_correction_flag="true")) == [("E9", "little_r", "next_annual")]
    assert later(report=next_year(error_correction_flag="unknown")) == []


def test_an_effective_next_report_says_nothing() -> None:
    assert (
        later(
            section="We identified no material weakness. Internal control was effective as of December 31, 2022.",
            report=next_year(),
        )
        == []
    )


# E5: quarterly reports


def quarterly(text: str, **changes: Any) -> list[tuple[str, str, str]]:
    filed = filing("quarterly", "10-Q", OTHER, date(2023, 5, 8), **{"period_of_report": date(2023, 3, 31), **changes})
    return about_first(find_evidence(record(assertion(), next_year(), filings=[filed]), Texts({OTHER: text}), SNAPSHOT))


def test_e5_a_quarterly_report_that_puts_the_weakness_at_the_year_end_is_direct() -> None:
    assert quarterly("We concluded that a material weakness existed as of December 31, 2022.") == [
        ("E5", "direct", "named_year")
    ]


def test_e5_does_not_read_a_report_filed_after_the_next_annual_one() -> None:
    text = "We concluded that a material weakness existed as of December 31, 2022."
    filed = filing("quarterly", "10-Q", OTHER, date(2024, 5, 8))
    assert (
        about_first(find_evidence(record(assertion(), next_year(), filings=[filed]), Texts({OTHER: text}), SNAPSHOT))
        == []
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A material weakness arose from the implementation of a new ERP system in February 2023.", [("E7", "counter_evidence", "named_year")]),
        ("Our disclosure controls were not effective as of March 31, 2023 because of a material weakness.", [("E8", "ambiguous", "next_annual")]),
        ("We have not identified any material weakness. Disclosure controls were effective.", []),
        ("If we identify a material weakness, our share price may fall.", []),
        ("Disclosure controls were effective.", []),
    ],
)  # fmt: skip
def test_an_interim_weakness_is_read_for_its_onset(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert quarterly(text) == expected


# E6: change of auditors


def auditor_change(text: str) -> list[tuple[str, str, str]]:
    filed = filing("item_401", "8-K", OTHER, date(2023, 6, 1))
    body = f"Item 4.01 Changes in Registrant’s Certifying Accountant\n{text}\nItem 9.01 Exhibits"
    return about_first(find_evidence(record(assertion(), filings=[filed]), Texts({OTHER: body}), SNAPSHOT))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The firm advised the Company of a material weakness as of December 31, 2022.", [("E6", "direct", "named_year")]),
        ("For the year ended December 31, 2022 the firm advised that the internal controls necessary to develop reliable statements do not exist.", [("E6", "direct", "named_year")]),
        ("The firm advised that internal controls necessary to develop reliable statements did not exist as of December 31, 2022.", [("E6", "direct", "named_year")]),
        ("Its opinion on the effectiveness of internal control over financial reporting as of December 31, 2022 is withdrawn.", [("E6", "direct", "named_year")]),
        ("Its opinion on the effectiveness of internal control over financial reporting as of December 31, 2021 is withdrawn.", []),
        ("The firm advised the Company that a material weakness was found.", [("E6", "ambiguous", "period_unparsed")]),
        ("During the years ended December 31, 2022 and 2021 there were no reportable events, except a material weakness for the year ended December 31, 2021.", []),
        ("During the year ended December 31, 2022 the reports identified no material weakness.", []),
        ("During the years ended December 31, 2022 and 2021 there were no disagreements.", []),
    ],
)  # fmt: skip
def test_e6_a_departing_auditor_that_names_the_year_is_direct(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert auditor_change(text) == expected


# E11: late notices


@pytest.mark.parametrize(
    ("text", "filed", "expected"),
    [
        ("We may report a material weakness.", date(2023, 2, 20), [("E11", "soft", "same_period")]),
        ("We need more time.", date(2023, 2, 20), []),
        ("We may report a material weakness.", date(2023, 3, 20), []),
    ],
)
def test_e11_a_late_notice_on_a_possible_weakness_is_a_soft_signal(text: str, filed: date, expected: list[Any]) -> None:
    late = filing("late_notice", "NT 10-K", OTHER, filed, period_of_report=date(2022, 12, 31))
    assert about_first(find_evidence(record(assertion(), filings=[late]), Texts({OTHER: text}), SNAPSHOT)) == expected


# The whole


def test_nothing_filed_after_the_snapshot_counts() -> None:
    assert find_evidence(record(assertion(), notices=[notice([FY2022])]), Texts(), date(2023, 8, 13)) == []
    assert len(find_evidence(record(assertion(), notices=[notice([FY2022])]), Texts(), date(2023, 8, 14))) == 1


def test_the_order_of_arrival_does_not_change_the_rows_and_a_second_search_finds_the_same() -> None:
    filings = [
        filing("quarterly", "10-Q", "0009100001-23-000031", date(2023, 5, 8)),
        filing("quarterly", "10-Q", "0009100001-23-000032", date(2023, 8, 8)),
        filing("amendment", "10-K/A", "0009100001-23-000033", date(2023, 8, 9), period_of_report=date(2022, 12, 31)),
    ]
    text = "A material weakness existed as of December 31, 2022."
    texts = Texts({row.accession: text for row in filings if row.accession})
    notices = [notice([FY2022]), notice([Q3_2022], accession="0009100001-23-000051")]
    first = find_evidence(
        record(assertion(), ineffective_next_year(), filings=filings, notices=notices), texts, SNAPSHOT
    )
    assert [row.code for row in first if row.accession == FIRST] == ["E1", "E2", "E2", "E5", "E5", "E8"]
    for seed in range(5):
        shuffled, reports = [*filings], [assertion(), ineffective_next_year()]
        random.Random(seed).shuffle(shuffled)
        random.Random(seed).shuffle(reports)
        again = find_evidence(record(*reports, filings=shuffled, notices=notices[::-1]), texts, SNAPSHOT)
        assert again == first


def test_a_locator_quotes_the_text_it_points_to() -> None:
    text = "First sentence. A material weakness existed as of December 31, 2022. Last one."
    filed = filing("quarterly", "10-Q", OTHER, date(2023, 5, 8))
    (row,) = find_evidence(record(assertion(), filings=[filed]), Texts({OTHER: text}), SNAPSHOT)
    assert row.locator is not None
    assert (
        text[row.locator.start : row.locator.end]
        == row.locator.quote
        == "A material weakness existed as of December 31, 2022."
    )


# Reviews


def e8() -> ContradictingEvidenceRow:
    (row,) = find_evidence(record(assertion(), ineffective_next_year()), Texts(), SNAPSHOT)
    return row


def answered(**values: object) -> dict[str, object]:
    """An answer as the log holds it."""
    base = {"answer_id": "e-1", "evidence_id": e8().evidence_id, "text_sha256": asked_sha256(e8()), "seconds": None,
            "reason": "The report dates it.", "decided_at": "2025-07-01T12:00:00Z"}  # fmt: skip
    return base | values


def test_a_reviewer_resolves_ambiguous_evidence_and_their_last_word_wins() -> None:
    said = [
        answered(resolution="upholds", reviewer="t.okonjo"),
        answered(resolution="dismissed", reviewer="t.okonjo", answer_id="e-2", decided_at="2025-07-02T12:00:00Z"),
    ]
    (row,) = apply_reviews([e8()], said)
    assert (row.resolution, row.decided_by, row.extracted_by) == ("dismissed", "t.okonjo", "rule")


@pytest.mark.parametrize(
    "said",
    [
        {"resolution": "dismissed", "reviewer": ""},
        {"resolution": "dismissed", "reviewer": "anthropic/claude"},
        {"resolution": "maybe", "reviewer": "r.amari"},
        {"resolution": "dismissed", "reviewer": "r.amari", "text_sha256": None},
        {"code": "E10", "reviewer": "r.amari", "accession": FIRST},
    ],
)
def test_a_review_that_cannot_count_is_refused(said: dict[str, str]) -> None:
    with pytest.raises(BenchError):
        apply_reviews([e8()], [said if "code" in said else answered(**said)])


def test_an_answer_that_its_reviewer_took_back_or_skipped_decides_nothing() -> None:
    given = answered(resolution="dismissed", reviewer="t.okonjo")
    back = answered(resolution="undo", reviewer="t.okonjo", answer_id="e-2", voids="e-1", reason="")
    foreign = back | {"reviewer": "r.amari"}
    skipped = answered(resolution="skip", reviewer="r.amari", answer_id="e-3", reason="")
    assert apply_reviews([e8()], [given, back, skipped])[0].resolution is None
    assert apply_reviews([e8()], [given, foreign, skipped])[0].resolution == "dismissed"


def test_e10_is_entered_by_a_person() -> None:
    entry = {"code": "E10", "accession": FIRST, "cik": CIK, "evidence_accession": "0009100001-24-000090",
             "evidence_form": "AAER", "evidence_filed_date": "2024-09-30", "reviewer": "r.amari"}  # fmt: skip
    (row,) = apply_reviews([], [entry])
    assert (row.code, row.strength, row.extracted_by, row.decided_by) == ("E10", "direct", "human", "r.amari")
