"""Notices: the two real ones, then authored ones for every field."""

from __future__ import annotations

import gzip
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pool_examples import CIK, document, filing

from benchmark_pipeline.edgar.full_submission import documents
from benchmark_pipeline.edgar.text import normalise
from benchmark_pipeline.icfr.eight_k_items import item_section
from benchmark_pipeline.icfr.evidence_sentences import DocumentText
from benchmark_pipeline.icfr.non_reliance import NonReliance, read_notice
from benchmark_pipeline.icfr.notice_rows import notice_rows
from benchmark_pipeline.icfr.periods import FiscalCalendar

DECEMBER = FiscalCalendar(12, 31)


def real_notice(folder: Path, name: str) -> NonReliance:
    path = folder / "edgar" / "filings" / name
    body = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    primary = documents(body)[0]
    section = item_section(DocumentText("0" * 64, normalise(primary.text).text), "4.02")
    assert section is not None
    notice = read_notice(section)
    for found in notice.spans:
        assert section.text[found.start - section.offset : found.end - section.offset] == found.quote
    return notice


@pytest.mark.real_data
def test_pericom_2006_names_three_quarters_and_not_the_year_whose_report_is_still_to_come(real_data: Path) -> None:
    notice = real_notice(real_data, "0001275287-06-004486/1001426_8K_2006_0001275287-06-004486.txt")
    assert [(p.kind, p.end) for p in notice.periods] == [
        ("quarter", date(2005, 10, 1)),
        ("quarter", date(2005, 12, 31)),
        ("quarter", date(2006, 4, 1)),
    ]
    assert (notice.limb, notice.concluded_by) == ("a", "officers")
    assert (notice.mw_admitted, notice.icfr_reports_withdrawn, notice.periods_parsed) == (False, False, True)


@pytest.mark.real_data
def test_abvc_2025_names_fiscal_2023_and_admits_a_weakness(real_data: Path) -> None:
    notice = real_notice(real_data, "0001213900-25-032135/0001213900-25-032135.txt.gz")
    assert [(p.kind, p.start, p.end) for p in notice.periods] == [("annual", date(2023, 1, 1), date(2023, 12, 31))]
    assert (notice.limb, notice.concluded_by, notice.mw_admitted) == ("a", "board", True)


HEAD = "Item 4.02 Non-Reliance on Previously Issued Financial Statements or a Related Audit Report or Completed Interim Review\n"


def read(text: str, calendar: FiscalCalendar | None = DECEMBER) -> NonReliance:
    section = item_section(document(f"Item 2.02 Results\nSales fell.\n{HEAD}{text}\nItem 9.01 Exhibits\n99.1"), "4.02")
    assert section is not None
    assert "Exhibits" not in section.text
    return read_notice(section, calendar)


YEAR = "the financial statements for the year ended December 31, 2022 should no longer be relied upon"


@pytest.mark.parametrize(
    ("text", "limb", "by"),
    [
        (f"On May 2, 2023, the Audit Committee of the Board of Directors concluded that {YEAR}.", "a", "audit_committee"),
        (f"On May 2, 2023, the Board, after discussion with the auditors, determined that {YEAR}.", "a", "board"),
        (f"On May 2, 2023, the Chief Financial Officer concluded that {YEAR}.", "a", "officers"),
        (f"On May 2, 2023, Hollis Wray LLP advised the Company that its audit report on {YEAR}.", "b", "accountant"),
        (f"(b) The Company was advised by its independent registered public accounting firm that its report on {YEAR}.", "b", "accountant"),
        (
            f"The Board concluded that {YEAR}. Hollis Wray LLP notified the Company that its audit report should not be relied upon.",
            "both",
            "board",
        ),
        (f"It was found that {YEAR}.", "unknown", "unknown"),
    ],
)  # fmt: skip
def test_the_words_tell_who_concluded_and_so_the_limb(text: str, limb: str, by: str) -> None:
    notice = read(text)
    assert (notice.limb, notice.concluded_by) == (limb, by)
    assert [p.end for p in notice.periods] == [date(2022, 12, 31)]


@pytest.mark.parametrize(
    ("text", "admitted"),
    [
        ("Management concluded that a material weakness existed at December 31, 2022.", True),
        ("The Company expects to report one or more material weaknesses.", True),
        ("Management is evaluating whether a material weakness existed.", False),
        ("Management did not identify any material weakness.", False),
        ("If we identify a material weakness, our stock may fall.", False),
    ],
)
def test_a_weakness_counts_where_it_is_stated_or_announced(text: str, admitted: bool) -> None:
    assert read(f"The Board concluded that {YEAR}. {text}").mw_admitted is admitted


def test_a_withdrawn_report_on_internal_control_is_noticed() -> None:
    both = read(
        f"The Board concluded that {YEAR}, and that management's report on internal control over financial reporting "
        "should likewise not be relied upon."
    )
    assert both.icfr_reports_withdrawn
    assert not read(f"The Board concluded that {YEAR}.").icfr_reports_withdrawn


def test_a_list_of_periods_belongs_to_its_lead_in_and_the_report_to_come_does_not() -> None:
    notice = read(
        "The Audit Committee concluded that the following statements should no longer be relied upon:\n"
        "• the year ended December 31, 2022\n• the quarter ended March 31, 2023\n"
        "The Company will restate them in its Annual Report on Form 10-K for the year ended December 31, 2023."
    )
    assert {p.end for p in notice.periods} == {date(2022, 12, 31), date(2023, 3, 31)}


def test_a_defined_term_is_followed_to_its_definition() -> None:
    notice = read(
        "An error was found in the statements for the quarters ended March 31, 2023 and June 30, 2023 (the “Affected Periods”). "
        "The Board concluded that statements for the Affected Periods should no longer be relied upon."
    )
    assert {p.end for p in notice.periods} == {date(2023, 3, 31), date(2023, 6, 30)}


def test_periods_may_stand_only_in_the_sentence_on_restatement() -> None:
    notice = read(
        "The Board concluded that previously issued financial statements should not be relied upon. "
        "The Company intends to restate its statements for the years ended December 31, 2021 and 2020."
    )
    assert {p.end for p in notice.periods} == {date(2021, 12, 31), date(2020, 12, 31)}


def test_periods_that_nobody_can_read_are_said_to_be_unread() -> None:
    assert not read("Certain statements should no longer be relied upon.").periods_parsed
    named = read("The statements for fiscal 2022 should no longer be relied upon.", calendar=None)
    assert (named.periods, named.periods_parsed) == ((), False)


def test_a_contents_row_is_passed_over_for_the_item_itself() -> None:
    text = f"Item 4.02 Non-Reliance\nItem 9.01 Exhibits\n{HEAD}The Board concluded that {YEAR}.\nSIGNATURES\nJ. Doe"
    section = item_section(document(text), "4.02")
    assert section is not None
    assert "The Board concluded" in section.text
    assert "J. Doe" not in section.text


@pytest.mark.parametrize("heading", ["ITEM 4.02. NON-RELIANCE", "Item 4.02(a) Non-Reliance", "Item 4.02", "Item\n4.02 Non-reliance",
                                     "Non-Reliance on Previously Issued Financial Statements"])  # fmt: skip
def test_headings_of_every_kind_open_the_item(heading: str) -> None:
    section = item_section(document(f"Form 8-K\n{heading}\nThe Board concluded that {YEAR}.\nSIGNATURE"), "4.02")
    assert section is not None
    assert YEAR in section.text


def eight_k(**changes: object) -> object:
    return filing("item_402", "8-K", "0009100001-23-000050", date(2023, 8, 14), items=["4.02"], **changes)


def test_an_item_402_filing_always_gives_a_row_and_says_why_it_could_not_be_read() -> None:
    missing = notice_rows(eight_k(), [], DECEMBER)  # type: ignore[arg-type]
    assert [(row.reject_reason, row.periods_parsed) for row in missing] == [("document_missing", False)]
    other = notice_rows(eight_k(), [document("Item 5.02 Departure of directors\nA director left.")], DECEMBER)  # type: ignore[arg-type]
    assert [row.reject_reason for row in other] == ["item_not_found"]


def test_co_registrants_each_get_a_row() -> None:
    both = eight_k(ciks=[CIK, "0009100002"])
    rows = notice_rows(both, [document(f"{HEAD}The Board concluded that {YEAR}.")], DECEMBER)  # type: ignore[arg-type]
    assert [row.cik for row in rows] == [CIK, "0009100002"]
    assert all(row.periods_parsed and row.channel == "8k_402" for row in rows)


def test_periods_are_looked_for_in_the_exhibit_where_the_item_points_there() -> None:
    item = document(f"{HEAD}The information in Exhibit 99.1 is incorporated here by reference.")
    release = document(f"The Board concluded that {YEAR}.")
    (row,) = notice_rows(eight_k(), [item, release], DECEMBER)  # type: ignore[arg-type]
    assert [p.end for p in row.periods] == [date(2022, 12, 31)]
    assert row.spans[0].document_sha256 == release.sha256


def test_an_amended_notice_that_takes_back_points_to_the_one_before() -> None:
    text = f"{HEAD}The Company withdraws the conclusion in its original Form 8-K. The statements for the year ended December 31, 2022 may be relied upon."
    amended = filing("item_402", "8-K/A", "0009100001-23-000060", date(2023, 9, 14))
    earlier = [(date(2023, 8, 14), "0009100001-23-000050"), (date(2023, 9, 14), "0009100001-23-000060")]
    (row,) = notice_rows(amended, [document(text)], DECEMBER, earlier)
    assert row.withdraws_accession == "0009100001-23-000050"
    more = f"{HEAD}The Board concluded that {YEAR}."
    (repeat,) = notice_rows(amended, [document(more)], DECEMBER, earlier)
    assert repeat.withdraws_accession is None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f"The board concluded that {YEAR}.", 1),
        ("Forward-looking statements should not be relied upon as predictions of results.", 0),
        ("The company reports sales of EUR 3 million for the quarter ended June 30, 2023.", 0),
    ],
)
def test_a_foreign_report_gives_a_row_only_where_it_speaks_of_non_reliance(text: str, count: int) -> None:
    report = filing("foreign_report", "6-K", "0009100001-23-000070", date(2023, 8, 14))
    rows = notice_rows(report, [document(text)], DECEMBER)
    assert [row.channel for row in rows] == ["6k_text"] * count


@pytest.mark.parametrize("form", ["20-F/A", "40-F/A", "10-K/A"])
@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("The Audit Committee concluded that the previously issued financial statements for the year ended December 31, 2022 "
         "should no longer be relied upon and are restated herein.", [date(2022, 12, 31)]),
        ("This amendment is filed to include the exhibits required by Item 19.", None),
    ],
)  # fmt: skip
def test_an_amended_annual_report_is_a_notice_where_it_says_so(form: str, text: str, ends: list[date] | None) -> None:
    amended = filing("amendment", form, "0009100001-23-000080", date(2023, 9, 14))
    rows = notice_rows(amended, [document(text)], DECEMBER)
    assert [[p.end for p in row.periods] for row in rows] == ([ends] if ends else [])
    assert all(row.channel == "annual_amendment" and row.periods_parsed and row.spans for row in rows)


def test_a_notice_in_an_exhibit_of_a_foreign_report_is_found() -> None:
    report = filing("foreign_report", "6-K", "0009100001-23-000071", date(2023, 8, 14))
    cover = document("Exhibit 99.1 Press release")
    release = document(f"The board concluded that {YEAR} because of an error.")
    (row,) = notice_rows(report, [cover, release], DECEMBER)
    assert (row.channel, row.document_sha256) == ("6k_text", release.sha256)
    assert [p.end for p in row.periods] == [date(2022, 12, 31)]


def test_a_filing_of_another_role_is_refused() -> None:
    with pytest.raises(ValueError, match="no non-reliance notice"):
        notice_rows(filing("annual", "10-K", "0009100001-23-000001", date(2023, 2, 24)), [], DECEMBER)


@settings(max_examples=60)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=600))
def test_no_body_breaks_the_reader_and_every_span_is_what_it_quotes(text: str) -> None:
    body = document(f"{HEAD}{text}")
    section = item_section(body, "4.02")
    assert section is not None
    for found in read_notice(section, DECEMBER).spans:
        assert body.text[found.start : found.end] == found.quote


def test_statements_included_in_a_filed_report_are_affected_and_those_of_a_report_to_come_are_not() -> None:
    filed = read(
        "The Board concluded that the statements included in its Annual Report on Form 10-K for the year ended "
        "December 31, 2022 should no longer be relied upon."
    )
    assert {p.end for p in filed.periods} == {date(2022, 12, 31)}
    to_come = read(
        "The Board concluded that statements for the quarter ended March 31, 2023 should no longer be relied upon and "
        "expects to restate them in its Annual Report on Form 10-K for the year ended December 31, 2023."
    )
    assert {p.end for p in to_come.periods} == {date(2023, 3, 31)}
