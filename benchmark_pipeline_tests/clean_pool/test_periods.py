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


WEEK = timedelta(days=7)


@st.composite
def retail_years(draw: st.DrawFn) -> list[date]:
    """Year ends of a 52/53-week filer: the last year is followed by 52 or 53 weeks, eight times."""
    ends = [draw(st.dates(date(2000, 1, 20), date(2015, 2, 4)))]
    for weeks in draw(st.lists(st.sampled_from([52, 52, 52, 52, 53]), min_size=8, max_size=8)):
        ends.append(ends[-1] + weeks * WEEK)
    return ends


@given(retail_years(), st.integers(1, 8), st.integers(-10, 10))
def test_a_52_or_53_week_year_is_matched_by_itself_alone(ends: list[date], number: int, drift: int) -> None:
    years = [(fiscal_year_start(end, ends[:place]), end) for place, end in enumerate(ends)][1:]
    named = years[number - 1]
    assert [year[0] for year in years[1:]] == [end + timedelta(days=1) for _, end in years[:-1]]
    # As a notice names it, give or take the tolerance: "the fiscal year ended January 31" for one ended on February 3.
    end = named[1] + timedelta(days=drift)
    matched = [year for year in years if match_period(period("balance_sheet", end, end), *year) == "balance_sheet"]
    assert matched == [named]
    whole = period("annual", named[0], named[1])
    assert [year for year in years if match_period(whole, *year)] == [named]


@given(st.dates(date(2005, 1, 31), date(2030, 12, 31)), st.integers(1, 11))
def test_a_transition_period_is_a_year_of_its_own_between_two_full_ones(old_end: date, months: int) -> None:
    """10-KT: the year end moves by some months; the short period and the years beside it share no day."""
    short_end = months_before(old_end, -months)
    new_end = months_before(short_end, -12)
    ends = [months_before(old_end, 12), old_end, short_end, new_end]
    years = [(fiscal_year_start(end, ends[:place]), end) for place, end in enumerate(ends)][1:]
    for number, year in enumerate(years):
        assert [place for place, other in enumerate(years) if match_period(period("annual", *year), *other)] == [number]
    assert years[1][0] == old_end + timedelta(days=1)
    assert years[2][0] == short_end + timedelta(days=1)


@given(days, st.integers(0, 3000))
def test_a_report_filed_late_has_the_same_year(end: date, late: int) -> None:
    """Nothing in the arithmetic looks at the date of filing: another year's report filed first does not shift it."""
    following = [end + timedelta(days=365 + late % 7), end + timedelta(days=730)]
    assert fiscal_year_start(end, [*following, end]) == fiscal_year_start(end)


@given(days, st.integers(11, 340))
def test_more_than_ten_days_apart_is_another_balance_sheet(end: date, apart: int) -> None:
    start = fiscal_year_start(end)
    after, before = end + timedelta(days=apart), end - timedelta(days=apart)
    assert match_period(period("balance_sheet", after, after), start, end) is None
    assert match_period(period("balance_sheet", before, before), start, end) in ("interim_inside_fy", None)
