"""Arithmetic on fiscal periods, by dates alone.

A fiscal year is known by its last day. Integers such as "fiscal 2024" differ between sources, so nothing here compares
them. Two dates within ten days are one period end: a 52/53-week year moves by up to a week, and a tagged date may be
the month end beside it.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from benchmark_pipeline.tables.sources import AffectedPeriod

TOLERANCE = timedelta(days=10)
LONGEST_YEAR_DAYS = 380
"""A 53-week year has 371 days; the rest is the tolerance."""
UNPARSED_MONTHS = 36
"""Years ending this long before a notice count as affected while nobody has read its periods."""

PeriodMatch = Literal["annual_overlap", "balance_sheet", "interim_inside_fy"]
_RANK: tuple[PeriodMatch, ...] = ("annual_overlap", "balance_sheet", "interim_inside_fy")


def same_period_end(first: date, second: date) -> bool:
    """Whether two dates name the same period end."""
    return abs(first - second) <= TOLERANCE


def months_before(day: date, months: int) -> date:
    """The day that many months earlier; a month end stays a month end."""
    index = day.year * 12 + day.month - 1 - months
    year, month = divmod(index, 12)
    last = calendar.monthrange(year, month + 1)[1]
    at_month_end = day.day == calendar.monthrange(day.year, day.month)[1]
    return date(year, month + 1, last if at_month_end else min(day.day, last))


def period_start(end: date, months: int) -> date:
    """First day of a period of that many months ending on `end`."""
    return months_before(end, months) + timedelta(days=1)


def fiscal_year_start(period_end: date, earlier_ends: Iterable[date] = ()) -> date:
    """First day of the fiscal year: the day after the latest earlier year end, else twelve months back.

    A transition period (10-KT) and a changed year end are shorter than a year: the earlier year end decides. An earlier
    end more than 380 days back belongs to a year that is not in hand.
    """
    before = [end for end in earlier_ends if TOLERANCE < period_end - end <= timedelta(days=LONGEST_YEAR_DAYS)]
    return max(before) + timedelta(days=1) if before else period_start(period_end, 12)


def overlap_days(first: tuple[date, date], second: tuple[date, date]) -> int:
    """Days that two closed intervals share."""
    return max(0, (min(first[1], second[1]) - max(first[0], second[0])).days + 1)


def match_period(period: AffectedPeriod, fy_start: date, fy_end: date) -> PeriodMatch | None:
    """How an affected period touches a fiscal year, or None.

    Intervals must share more than ten days, so that a neighbouring 52/53-week year does not match by its drift.
    """
    if period.kind == "balance_sheet":
        if same_period_end(period.end, fy_end):
            return "balance_sheet"
        inside = fy_start + TOLERANCE < period.end < fy_end
        return "interim_inside_fy" if inside else None
    if overlap_days((period.start, period.end), (fy_start, fy_end)) <= TOLERANCE.days:
        return None
    if period.kind == "annual":
        return "annual_overlap"
    covers_end = period.kind == "range" and period.end >= fy_end - TOLERANCE
    whole_year = covers_end and period.start <= fy_start + TOLERANCE
    return "annual_overlap" if whole_year else "interim_inside_fy"


def strongest_match(periods: Sequence[AffectedPeriod], fy_start: date, fy_end: date) -> PeriodMatch | None:
    """The strongest way in which any of the periods touches the fiscal year."""
    found = {match_period(period, fy_start, fy_end) for period in periods}
    return next((rank for rank in _RANK if rank in found), None)


def names_only_following_interims(periods: Sequence[AffectedPeriod], fy_end: date) -> bool:
    """Whether all periods are interim ones of the year after this one: no contradiction, but worth watching."""
    horizon = fy_end + timedelta(days=LONGEST_YEAR_DAYS)
    return bool(periods) and all(
        period.kind in ("quarter", "balance_sheet")
        and period.end > fy_end + TOLERANCE
        and period.start >= fy_end - TOLERANCE
        and period.end <= horizon
        for period in periods
    )


def within_unparsed_window(fy_end: date, filed: date) -> bool:
    """Whether a year end lies in the 36 months before a notice whose periods nobody could read."""
    return months_before(filed, UNPARSED_MONTHS) <= fy_end <= filed


@dataclass(frozen=True)
class FiscalCalendar:
    """When a registrant's fiscal years end: known year ends, and month and day for the years not seen."""

    month: int
    day: int
    year_ends: tuple[date, ...] = ()

    @classmethod
    def from_year_ends(cls, ends: Iterable[date]) -> FiscalCalendar | None:
        """The calendar that the registrant's annual reports show; None without any."""
        known = tuple(sorted(set(ends)))
        return cls(known[-1].month, known[-1].day, known) if known else None

    @classmethod
    def from_mmdd(cls, mmdd: str) -> FiscalCalendar | None:
        """The calendar of a filing header's FISCAL YEAR END; None where it is no day of the year."""
        if len(mmdd) != 4 or not mmdd.isdigit():
            return None
        month, day = int(mmdd[:2]), int(mmdd[2:])
        valid = 1 <= month <= 12 and 1 <= day <= calendar.monthrange(2024, month)[1]
        return cls(month, day) if valid else None

    def year_end(self, year: int) -> date:
        """The year end in calendar year `year`."""
        known = [end for end in self.year_ends if end.year == year]
        return known[-1] if known else date(year, self.month, min(self.day, calendar.monthrange(year, self.month)[1]))

    def named_year(self, label: int) -> tuple[date, date]:
        """First and last day of what "fiscal `label`" can mean.

        Years ending in January or February are called by either calendar year, so for them both years are returned as
        one span: naming one too many costs a clean item, naming one too few would cost a wrong label.
        """
        end = self.year_end(label)
        if end.month <= 2:
            return period_start(end, 12), self.year_end(label + 1)
        return period_start(end, 12), end

    def quarter(self, label: int, number: int) -> tuple[date, date]:
        """First and last day of a numbered quarter of "fiscal `label`" (both years, where the label is ambiguous)."""
        first_end = months_before(self.year_end(label), 3 * (4 - number))
        last = self.year_end(label + 1) if self.year_end(label).month <= 2 else self.year_end(label)
        return period_start(first_end, 3), months_before(last, 3 * (4 - number))
