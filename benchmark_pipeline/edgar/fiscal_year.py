"""Which fiscal year a filing belongs to, and in which index quarters a fiscal year's filings stand.

The partition is derived from dates alone, because the fiscal-year numbers that filers, the SEC's data sets and data
vendors give for one period differ by a year where the period ends early in the calendar year: a year that ends on
31 January 2024 is fiscal 2023 to the retailer and may be 2024 elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

ANNUAL_FORMS = ("10-K", "10-KT", "20-F", "40-F")
ANNUAL_AMENDMENTS = ("10-K/A", "10-KT/A", "20-F/A", "40-F/A")
_LAST_MONTH_OF_PREVIOUS_YEAR = 5
"""Five months back from May is still the previous calendar year, from June it is this one."""


def fiscal_year_of(day: date) -> int:
    """The calendar year that held the day five months earlier."""
    return day.year if day.month > _LAST_MONTH_OF_PREVIOUS_YEAR else day.year - 1


def partition_fiscal_year(form: str, period: date | None, filed: date) -> int:
    """The partition of a filing.

    Annual forms and their amendments: year(period of report - 5 months). Every other form, and an annual form whose
    period is not known: year(date filed - 5 months). A 52/53-week year that wanders between 31 May and 1 June
    therefore gives two reports to one partition now and then; joins of periods go by date, never by this number.
    """
    if form in ANNUAL_FORMS + ANNUAL_AMENDMENTS and period is not None:
        return fiscal_year_of(period)
    return fiscal_year_of(filed)


def first_day(fiscal_year: int) -> date:
    """The first day that belongs to the fiscal year."""
    return date(fiscal_year, _LAST_MONTH_OF_PREVIOUS_YEAR + 1, 1)


@dataclass(frozen=True, order=True)
class Quarter:
    """A calendar quarter, as EDGAR's full index is cut."""

    year: int
    number: int

    @property
    def first_day(self) -> date:
        """First day of the quarter."""
        return date(self.year, 3 * self.number - 2, 1)

    @property
    def following(self) -> Quarter:
        """The next quarter."""
        return Quarter(self.year + self.number // 4, self.number % 4 + 1)

    @property
    def master_index_path(self) -> str:
        """Path of the quarter's `master.idx`."""
        return f"/Archives/edgar/full-index/{self.year}/QTR{self.number}/master.idx"

    @property
    def last_day(self) -> date:
        """Last day of the quarter."""
        return self.following.first_day - timedelta(days=1)

    @property
    def daily_listing_path(self) -> str:
        """Path of the listing of the quarter's daily indexes."""
        return f"/Archives/edgar/daily-index/{self.year}/QTR{self.number}/index.json"

    def daily_index_path(self, day: date) -> str:
        """Path of one day's master index."""
        return f"/Archives/edgar/daily-index/{self.year}/QTR{self.number}/master.{day:%Y%m%d}.idx"


def quarter_of(day: date) -> Quarter:
    """The quarter that holds a day."""
    return Quarter(day.year, (day.month + 2) // 3)


def quarters_between(first: date, last: date) -> list[Quarter]:
    """Every quarter with a day from `first` to `last`."""
    quarters, quarter = [], quarter_of(first)
    while quarter.first_day <= last:
        quarters.append(quarter)
        quarter = quarter.following
    return quarters


def index_quarters(fiscal_year: int, as_of: date, years_late: int = 1) -> list[Quarter]:
    """Quarters in which annual reports of the fiscal year are filed, up to the snapshot date.

    From the quarter in which the first period can end to twelve months after the last can end plus `years_late`:
    a 20-F is due four months after its year end, and the submissions of a registrant that once filed an annual report
    show still later ones too.
    """
    return quarters_between(first_day(fiscal_year), min(as_of, date(fiscal_year + 1 + years_late, 12, 31)))
