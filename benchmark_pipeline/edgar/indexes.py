"""EDGAR's master indexes, quarterly and daily, read by rule.

A row is a line of five fields parted by `|` whose first is all digits: the length of the header above differs from file
to file. Company names may hold any byte, hence latin-1, which never fails. Forms are compared as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime

from .accession import accession_of_path, padded_cik

_DASHES = re.compile(r"-{10,}")
_COLUMNS = re.compile(r"CIK\|Company Name\|Form Type\|Date Filed\|File ?name", re.IGNORECASE)
_LAST_RECEIVED = re.compile(r"Last Data Received:\s*([A-Z][a-z]+ \d{1,2}, \d{4})")
_DAILY = re.compile(r"master\.(\d{4})(\d{2})(\d{2})\.idx", re.ASCII)
_DATE = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})", re.ASCII)


@dataclass(frozen=True)
class IndexLine:
    """One filer of one filing."""

    cik: str
    """Ten digits."""
    company_name: str
    form: str
    filed_date: date
    accession: str
    path: str
    """`edgar/data/<cik>/<accession>.txt`."""


@dataclass(frozen=True)
class MalformedLine:
    """A line below the header that is no row."""

    number: int
    """Line number, from 1."""
    text: str
    problem: str


def parse_master_index(body: bytes) -> Iterator[IndexLine | MalformedLine]:
    """Every row of a full or daily master index, and every line below its header that is none.

    Args:
        body: the file as received.
    """
    below_header = False
    for number, line in enumerate(body.decode("latin-1").split("\n"), 1):
        text = line.rstrip("\r")
        if not text.strip():
            continue
        if _DASHES.fullmatch(text.strip()) or _COLUMNS.fullmatch(text.strip()):
            below_header = True
            continue
        fields = text.split("|")
        is_row = len(fields) == 5 and fields[0].strip().isdecimal()
        if not is_row and not below_header:
            continue
        below_header = True
        try:
            yield _row(fields)
        except ValueError as error:
            yield MalformedLine(number, text[:500], str(error))


def last_data_received(body: bytes) -> date | None:
    """The day up to which a quarterly index is complete, as its header says; null where it does not."""
    match = _LAST_RECEIVED.search(body[:4096].decode("latin-1"))
    try:
        return datetime.strptime(match[1], "%B %d, %Y").date() if match else None  # noqa: DTZ007 - a day has no zone
    except ValueError:
        return None


def daily_index_days(names: Iterable[str]) -> list[date]:
    """Days for which a quarter's folder of daily indexes holds a master index."""
    days = []
    for name in names:
        match = _DAILY.fullmatch(name)
        if match:
            with suppress(ValueError):
                days.append(date(*(int(part) for part in match.groups())))
    return sorted(days)


def is_master_index(body: bytes) -> bool:
    """Whether the body is a master index at all, and not a page that stands in for it."""
    head = body[:4096].decode("latin-1")
    return any(_COLUMNS.fullmatch(line.strip()) for line in head.splitlines()) or bool(
        re.match(r"\s*\d{1,10}\|[^|\n]*\|[^|\n]*\|\d{4}-?\d{2}-?\d{2}\|edgar/data/", head)
    )


def _row(fields: list[str]) -> IndexLine:
    if len(fields) != 5:
        raise ValueError(f"{len(fields)} fields instead of 5")
    cik, name, form, filed, path = (field.strip() for field in fields)
    if not form:
        raise ValueError("no form type")
    return IndexLine(padded_cik(cik), name, form, _date(filed), accession_of_path(path), path)


def _date(text: str) -> date:
    match = _DATE.fullmatch(text)
    if match is None:
        raise ValueError(f"not a date: {text[:20]!r}")
    return date(*(int(part) for part in match.groups()))
