"""Period arithmetic: 52/53-week years, changed year ends, month ends, and how a period touches a year."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pool_examples import period

from benchmark_pipeline.icfr.periods import (
    FiscalCalendar,
    fiscal_year_start,
    match_period,
    months_before,
    names_only_following_interims,
    same_period_end,
    strongest_match,
    within_unparsed_window,
)

FY2022 = (date(2022, 1, 1), date(2022, 12, 31))


@pytest.mark.parametrize(
    ("day", "months", "expected"),
    [
        (date(2022, 12, 31), 3, date(2022, 9, 30)),
        (date(2022, 9, 30), 3, date(2022, 6, 30)),
        (date(2024, 2, 29), 12, date(2023, 2, 28)),
        (date(2023, 2, 28), 12, date(2022, 2, 28)),
        (date(2022, 3, 15), 3, date(2021, 12, 15)),
        (date(2022, 1, 31), 36, date(2019, 1, 31)),
    ],
)
def test_a_month_end_stays_a_month_end(day: date, months: int, expected: date) -> None:
    assert months_before(day, months) == expected


@pytest.mark.parametrize(
    ("end", "earlier", "start"),
    [
        (date(2023, 12, 31), [date(2022, 12, 31)], date(2023, 1, 1)),
        (date(2023, 12, 31), [], date(2023, 1, 1)),
        (date(2024, 2, 3), [date(2023, 1, 28), date(2022, 1, 29)], date(2023, 1, 29)),  # 53 weeks
        (date(2023, 6, 30), [date(2022, 12, 31)], date(2023, 1, 1)),  # transition report of six months
        (date(2023, 12, 31), [date(2021, 12, 31)], date(2023, 1, 1)),  # the year between is not in hand
        (date(2023, 12, 31), [date(2023, 12, 30)], date(2023, 1, 1)),  # the same year end, dated twice
    ],
)
def test_a_fiscal_year_starts_the_day_after_the_year_end_before(end: date, earlier: list[date], start: date) -> None:
    assert fiscal_year_start(end, earlier) == start


@pytest.mark.parametrize(
    ("kind", "start", "end", "expected"),
    [
        ("annual", date(2022, 1, 1), date(2022, 12, 31), "annual_overlap"),
        ("annual", date(2022, 1, 2), date(2023, 1, 1), "annual_overlap"),
        ("annual", date(2021, 7, 1), date(2022, 6, 30), "annual_overlap"),  # another year end: half a year shared
        ("annual", date(2021, 1, 1), date(2021, 12, 31), None),
        ("annual", date(2021, 1, 4), date(2022, 1, 2), None),  # a neighbouring 52/53-week year drifts over by two days
        ("range", date(2020, 1, 1), date(2023, 12, 31), "annual_overlap"),
        ("range", date(2022, 3, 1), date(2022, 9, 30), "interim_inside_fy"),
        ("quarter", date(2022, 7, 1), date(2022, 9, 30), "interim_inside_fy"),
        ("quarter", date(2022, 10, 1), date(2022, 12, 31), "interim_inside_fy"),
        ("quarter", date(2023, 1, 1), date(2023, 3, 31), None),
        ("balance_sheet", date(2022, 12, 31), date(2022, 12, 31), "balance_sheet"),
        ("balance_sheet", date(2023, 1, 9), date(2023, 1, 9), "balance_sheet"),
        ("balance_sheet", date(2023, 1, 11), date(2023, 1, 11), None),
        ("balance_sheet", date(2021, 12, 31), date(2021, 12, 31), None),
        ("balance_sheet", date(2022, 3, 9), date(2022, 3, 9), "interim_inside_fy"),
    ],
)
def test_an_affected_period_touches_fiscal_2022(kind: str, start: date, end: date, expected: str | None) -> None:
    assert match_period(period(kind, start, end), *FY2022) == expected


def test_the_strongest_of_several_matches_is_reported() -> None:
    quarter = period("quarter", date(2022, 1, 1), date(2022, 3, 31))
    sheet = period("balance_sheet", date(2022, 12, 31), date(2022, 12, 31))
    year = period("annual", *FY2022)
    assert strongest_match([quarter, sheet, year], *FY2022) == "annual_overlap"
    assert strongest_match([quarter, sheet], *FY2022) == "balance_sheet"
    assert strongest_match([quarter], *FY2022) == "interim_inside_fy"
    assert strongest_match([], *FY2022) is None


def test_quarters_after_the_year_end_are_watched_and_later_years_are_not() -> None:
    first = period("quarter", date(2023, 1, 1), date(2023, 3, 31))
    assert names_only_following_interims([first], FY2022[1])
    assert not names_only_following_interims([first, period("annual", *FY2022)], FY2022[1])
    assert not names_only_following_interims([period("quarter", date(2025, 1, 1), date(2025, 3, 31))], FY2022[1])
    assert not names_only_following_interims([], FY2022[1])


@pytest.mark.parametrize(
    ("year_end", "inside"),
    [(date(2022, 12, 31), True), (date(2020, 8, 14), True), (date(2020, 8, 13), False), (date(2023, 12, 31), False)],
)
def test_an_unread_notice_reaches_back_36_months(year_end: date, inside: bool) -> None:
    assert within_unparsed_window(year_end, date(2023, 8, 14)) is inside


def test_fiscal_2023_of_a_january_year_end_may_be_either_year() -> None:
    retailer = FiscalCalendar.from_year_ends([date(2023, 1, 28), date(2024, 2, 3)])
    assert retailer is not None
    assert retailer.named_year(2023) == (date(2022, 1, 29), date(2024, 2, 3))
    june = FiscalCalendar.from_mmdd("0630")
    assert june is not None
    assert june.named_year(2023) == (date(2022, 7, 1), date(2023, 6, 30))
    assert june.quarter(2023, 1) == (date(2022, 7, 1), date(2022, 9, 30))


@pytest.mark.parametrize("mmdd", ["", "1331", "0230", "12", "abcd", "0000"])
def test_a_header_year_end_that_is_no_day_gives_no_calendar(mmdd: str) -> None:
    assert FiscalCalendar.from_mmdd(mmdd) is None


days = st.dates(date(1995, 1, 1), date(2035, 12, 31))


@given(days, days)
def test_same_period_end_is_symmetric_and_ends_after_ten_days(first: date, second: date) -> None:
    assert same_period_end(first, second) == same_period_end(second, first)
    assert same_period_end(first, first + timedelta(days=10))
    assert not same_period_end(first, first + timedelta(days=11))


@given(days, st.lists(days, max_size=8))
def test_a_fiscal_year_is_never_longer_than_380_days_nor_empty(end: date, earlier: list[date]) -> None:
    length = (end - fiscal_year_start(end, earlier)).days + 1
    assert 11 <= length <= 380
