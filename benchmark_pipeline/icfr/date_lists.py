"""Dates as filings write them, including lists that share a year or a month ("March 31, June 30 and September 30, 2022")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

_NAMES = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTH = r"(?:Jan(?:uary|\.)?|Feb(?:ruary|\.)?|Mar(?:ch|\.)?|Apr(?:il|\.)?|May\.?|June?\.?|July?\.?|Aug(?:ust|\.)?|Sept?(?:ember|\.)?|Oct(?:ober|\.)?|Nov(?:ember|\.)?|Dec(?:ember|\.)?)"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?:19|20)\d\d"
_TOKEN = re.compile(
    rf"(?P<mdy>\b{_MONTH}\s+{_DAY}\s*,?\s+{_YEAR}\b)"
    rf"|(?P<dmy>\b{_DAY}\s+(?:of\s+)?{_MONTH}\s*,?\s+{_YEAR}\b)"
    rf"|(?P<iso>\b{_YEAR}-\d\d-\d\d\b)"
    r"|(?P<us>\b\d{1,2}/\d{1,2}/(?:19|20)\d\d\b)"
    r"|(?P<dotted>\b\d{1,2}\.\d{1,2}\.(?:19|20)\d\d\b)"
    rf"|(?P<md>\b{_MONTH}\s+{_DAY}(?![\d,]*\s*,?\s*{_YEAR})\b)"
    rf"|(?P<dm>\b{_DAY}\s+{_MONTH}(?!\s*,?\s*{_YEAR})\b)"
    rf"|(?P<year>\b{_YEAR}\b)",
    re.I,
)
_CONNECTOR = re.compile(
    r"\s*(?:\([^()]{0,90}\)|[“\"][^”\"]{0,40}[”\"])?\s*(?:,|;|\band\b|&|\bor\b|\bas\s+well\s+as\b)?"
    r"\s*(?:\band\b|\bor\b|&)?\s*(?:\bof\b\s*)?",
    re.I,
)


@dataclass(frozen=True)
class DateList:
    """Dates named together, and where they stand [start, end)."""

    start: int
    end: int
    dates: tuple[date, ...]


@lru_cache(maxsize=16_384)
def date_lists(text: str) -> tuple[DateList, ...]:
    """All dates of a text, each list of dates as one; a bare year counts only as the tail of a list.

    Cached: the sentences of one report are compared with every earlier year of its registrant.
    """
    return tuple(_date_lists(text))


def _date_lists(text: str) -> Iterator[DateList]:
    tokens = list(_TOKEN.finditer(text))
    position = 0
    while position < len(tokens):
        group = [tokens[position]]
        while position + len(group) < len(tokens):
            following = tokens[position + len(group)]
            between = text[group[-1].end() : following.start()]
            if not _CONNECTOR.fullmatch(between) or (following.lastgroup == "year" and not between.strip()):
                break
            group.append(following)
        position += len(group)
        while group and group[0].lastgroup == "year":
            group = group[1:]
        resolved = _resolve(group)
        if resolved:
            yield DateList(group[0].start(), group[-1].end(), resolved)


def _resolve(group: list[re.Match[str]]) -> tuple[date, ...]:
    """Gives each day without a year the next year in the list, and each year without a day the last day named."""
    found: list[date] = []
    waiting: list[tuple[int, int]] = []
    last: tuple[int, int] | None = None
    last_year_list: list[tuple[int, int]] = []
    for token in group:
        kind, words = token.lastgroup or "", token.group()
        if kind in ("md", "dm"):
            waiting.append(_month_day(words))
            continue
        if kind == "year":
            year = int(words)
            days = waiting or last_year_list or ([last] if last else [])
            found += [day for month_day in days if (day := _date(year, *month_day))]
            last_year_list, waiting = list(days), []
            continue
        day_found = _full(kind, words)
        if day_found is None:
            waiting = []
            continue
        found += [day for month_day in waiting if (day := _date(day_found.year, *month_day))]
        found.append(day_found)
        last = (day_found.month, day_found.day)
        last_year_list = [*waiting, last] if waiting else [last]
        waiting = []
    return tuple(found)


def _full(kind: str, words: str) -> date | None:
    if kind in ("mdy", "dmy"):
        year = re.search(_YEAR, words)
        return _date(int(year.group()), *_month_day(words[: year.start()])) if year else None
    numbers = [int(part) for part in re.findall(r"\d+", words)]
    if kind == "iso":
        return _date(*numbers)
    first, second, year_number = numbers
    if kind == "dotted":  # Day first: no American filing writes dots.
        return _date(year_number, second, first)
    return _date(year_number, first, second) or _date(year_number, second, first)


def _month_day(words: str) -> tuple[int, int]:
    name = re.search(_MONTH, words, re.I)
    day = re.search(r"\d{1,2}", words)
    prefix = name.group()[:3].lower() if name else ""
    month = next((number for number, full in enumerate(_NAMES, 1) if prefix and full.startswith(prefix)), 0)
    return month, int(day.group()) if day else 0


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
