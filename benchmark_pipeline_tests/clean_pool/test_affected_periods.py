"""Wordings by which notices name periods; all authored, company-free."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark_pipeline.icfr.affected_periods import parse_periods
from benchmark_pipeline.icfr.periods import FiscalCalendar

DECEMBER = FiscalCalendar(12, 31)
JUNE = FiscalCalendar(6, 30)


def annual(year: int) -> tuple[str, str, str]:
    return ("annual", f"{year}-01-01", f"{year}-12-31")


def quarter(year: int, number: int) -> tuple[str, str, str]:
    starts, ends = ("01-01", "04-01", "07-01", "10-01"), ("03-31", "06-30", "09-30", "12-31")
    return ("quarter", f"{year}-{starts[number - 1]}", f"{year}-{ends[number - 1]}")


WORDINGS: list[tuple[str, list[tuple[str, str, str]]]] = [
    ("the financial statements for the fiscal year ended December 31, 2022", [annual(2022)]),
    ("for the years ended December 31, 2022 and 2021", [annual(2022), annual(2021)]),
    ("for the years ended December 31, 2022, 2021 and 2020", [annual(2022), annual(2021), annual(2020)]),
    ("for the fiscal years ended December 31, 2022, December 31, 2021", [annual(2022), annual(2021)]),
    ("each of the three years in the period ended December 31, 2021", [("range", "2019-01-01", "2021-12-31")]),
    ("each of the years in the three-year period ended December 31, 2021", [("range", "2019-01-01", "2021-12-31")]),
    ("each of the two years in the period ended December 31, 2021", [("range", "2020-01-01", "2021-12-31")]),
    ("the quarter ended September 30, 2023", [quarter(2023, 3)]),
    ("the quarterly periods ended March 31, June 30 and September 30, 2022", [quarter(2022, n) for n in (1, 2, 3)]),
    ("the quarters ended March 31, 2022 and 2021", [quarter(2022, 1), quarter(2021, 1)]),
    ("interim periods ended March 31, 2022; June 30, 2022; and September 30, 2022", [quarter(2022, n) for n in (1, 2, 3)]),
    ("the three months ended June 30, 2023", [quarter(2023, 2)]),
    ("the three and nine months ended September 30, 2022", [quarter(2022, 3), ("quarter", "2022-01-01", "2022-09-30")]),
    ("the three and six month periods ended June 30, 2023", [quarter(2023, 2), ("quarter", "2023-01-01", "2023-06-30")]),
    ("the six months ended 30 June 2023", [("quarter", "2023-01-01", "2023-06-30")]),
    ("the year ended 31 December 2022", [annual(2022)]),
    ("the years ended 31 December 2022 and 31 December 2021", [annual(2022), annual(2021)]),
    ("the year ended 31.12.2022", [annual(2022)]),
    ("the fiscal year ended 2022-12-31", [annual(2022)]),
    ("the interim periods ended 3/31/2022 and 6/30/2022", [quarter(2022, 1), quarter(2022, 2)]),
    ("the quarter ended Sept. 30, 2022", [quarter(2022, 3)]),
    ("the year ended December 31st, 2022", [annual(2022)]),
    ("the twelve months ended December 31, 2022", [annual(2022)]),
    ("the 52 weeks ended January 28, 2023", [("annual", "2022-01-30", "2023-01-28")]),
    ("the thirteen weeks ended April 29, 2023", [("quarter", "2023-01-29", "2023-04-29")]),
    ("the twenty-six weeks ended July 29, 2023", [("quarter", "2023-01-29", "2023-07-29")]),
    ("the audited balance sheet as of March 9, 2021 filed on March 15, 2021", [("balance_sheet", "2021-03-09", "2021-03-09")]),
    ("its balance sheet dated as of February 2, 2021", [("balance_sheet", "2021-02-02", "2021-02-02")]),
    ("financial statements as of December 31, 2022", [("balance_sheet", "2022-12-31", "2022-12-31")]),
    ("the balance sheets as of December 31, 2022 and 2021",
     [("balance_sheet", "2022-12-31", "2022-12-31"), ("balance_sheet", "2021-12-31", "2021-12-31")]),
    ("financial statements as of and for the year ended December 31, 2022", [annual(2022)]),
    ("financial statements as of December 31, 2022 and for the year then ended", [annual(2022)]),
    ("the period from September 3, 2020 (inception) through December 31, 2020", [("range", "2020-09-03", "2020-12-31")]),
    ("the period from January 1, 2020 through December 31, 2021", [("range", "2020-01-01", "2021-12-31")]),
    ("between January 1, 2021 and December 31, 2021", [annual(2021)]),
    ("the transition period ended March 31, 2022", [("range", "2022-01-01", "2022-03-31")]),
    ("fiscal years 2019 through 2021", [annual(2019), annual(2020), annual(2021)]),
    ("fiscal 2021 and fiscal 2022", [annual(2021), annual(2022)]),
    ("FY2021", [annual(2021)]),
    ("its 2021 and 2020 consolidated financial statements", [annual(2021), annual(2020)]),
    ("the first, second and third quarters of fiscal 2022", [quarter(2022, n) for n in (1, 2, 3)]),
    ("the first three quarters of 2023", [quarter(2023, n) for n in (1, 2, 3)]),
    ("Q1 2022 and Q2 2022", [quarter(2022, 1), quarter(2022, 2)]),
    ("each of the quarters in 2022", [quarter(2022, n) for n in (1, 2, 3, 4)]),
    ("the interim periods in fiscal 2022", [quarter(2022, n) for n in (1, 2, 3, 4)]),
    ("the Company's 2023 Form 10-K", [annual(2023)]),
    ("its Annual Report on Form 10-K for 2022", [annual(2022)]),
    ("the Form 10-K for the period ended June 30, 2022", [("annual", "2021-07-01", "2022-06-30")]),
    ("the Annual Report on Form 20-F for the year ended December 31, 2022 filed on April 28, 2023", [annual(2022)]),
    ("Quarterly Reports on Form 10-Q for the periods ended March 31, 2023 and June 30, 2023", [quarter(2023, 1), quarter(2023, 2)]),
    ("the years ended December 31, 2021 (“fiscal 2021”) and December 31, 2020 (“fiscal 2020”)", [annual(2021), annual(2020)]),
    ("(i) the year ended December 31, 2022; (ii) the quarterly period ended March 31, 2023", [annual(2022), quarter(2023, 1)]),
]  # fmt: skip


@pytest.mark.parametrize(("wording", "expected"), WORDINGS)
def test_a_wording_names_its_periods(wording: str, expected: list[tuple[str, str, str]]) -> None:
    calendar = FiscalCalendar(12, 31, (date(2021, 12, 31),))
    sentence = f"On August 10, 2023, the Audit Committee concluded that {wording} should no longer be relied upon."
    named = parse_periods(sentence, calendar)
    found = {(p.kind, p.start.isoformat(), p.end.isoformat()) for p in named.periods}
    assert found == set(expected)
    assert named.unresolved == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "On April 10, 2025, the Board concluded that the statements should no longer be relied upon.",
        "The Company filed its Form 8-K with the Commission on March 3, 2023.",
        "The engagement letter dated June 1, 2022 was terminated effective July 1, 2022.",
        "The statements previously issued should not be relied upon.",
        "",
    ],
)
def test_a_date_that_ends_no_period_names_none(sentence: str) -> None:
    assert parse_periods(sentence, DECEMBER).periods == ()


@pytest.mark.parametrize("wording", ["fiscal 2022", "the first quarter of fiscal 2023", "the 2022 Form 10-K"])
def test_a_year_by_name_stays_unresolved_without_a_calendar(wording: str) -> None:
    named = parse_periods(f"The statements for {wording} should not be relied upon.")
    assert named.periods == ()
    assert named.unresolved


def test_a_june_year_end_moves_named_years_and_quarters() -> None:
    named = parse_periods("fiscal 2022 and the first quarter of fiscal 2023", JUNE)
    assert {(p.start, p.end) for p in named.periods} == {
        (date(2021, 7, 1), date(2022, 6, 30)),
        (date(2022, 7, 1), date(2022, 9, 30)),
    }


@given(st.text(max_size=400))
def test_no_text_breaks_the_parser(text: str) -> None:
    for found in parse_periods(text, DECEMBER).periods:
        assert found.start <= found.end


@given(
    st.dates(date(2005, 1, 1), date(2030, 12, 28)),
    st.sampled_from(["%B %d, %Y", "%d %B %Y", "%Y-%m-%d", "%m/%d/%Y", "%b. %d, %Y"]),
)
def test_any_year_end_in_any_notation_is_read_back(end: date, notation: str) -> None:
    named = parse_periods(f"the statements for the year ended {end.strftime(notation)} should not be relied upon")
    assert [(p.kind, p.end) for p in named.periods] == [("annual", end)]
