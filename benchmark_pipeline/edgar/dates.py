"""Dates as filings write them in English."""

from __future__ import annotations

import re
from datetime import date

MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
          "november", "december")  # fmt: skip
_NUMBER = {name[:3]: number for number, name in enumerate(MONTHS, start=1)}
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
DATE = re.compile(
    rf"\b{_MONTH}\.?\s*(\d{{1,2}})(?:st|nd|rd|th)?\s*,?\s*((?:19|20)\d\d)\b"
    rf"|\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:day\s+of\s+)?{_MONTH}\.?,?\s+((?:19|20)\d\d)\b"
    r"|\b((?:19|20)\d\d)-(\d\d)-(\d\d)\b"
    r"|\b(\d{1,2})/(\d{1,2})/((?:19|20)\d\d)\b",
    re.I,
)
"""A date with its year: `December 31, 2023`, `31 December 2023`, `2023-12-31`, `12/31/2023`."""


def to_date(match: re.Match[str]) -> date | None:
    """The date of a `DATE` match; None where it is no day of the calendar."""
    g = match.groups()
    if g[0]:
        parts = (int(g[2]), _NUMBER[g[0].lower()[:3]], int(g[1]))
    elif g[3]:
        parts = (int(g[5]), _NUMBER[g[4].lower()[:3]], int(g[3]))
    elif g[6]:
        parts = (int(g[6]), int(g[7]), int(g[8]))
    else:
        parts = (int(g[11]), int(g[9]), int(g[10]))
    try:
        return date(*parts)
    except ValueError:
        return None


def find_date(text: str) -> date | None:
    """The first date in a text."""
    return next((found for match in DATE.finditer(text) if (found := to_date(match))), None)


def find_dates(text: str) -> list[date]:
    """Every date in a text, in order."""
    return [found for match in DATE.finditer(text) if (found := to_date(match))]
