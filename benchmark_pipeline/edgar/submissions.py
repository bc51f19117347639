"""The submissions JSON of one registrant: its filings as parallel arrays, newest first, with older pages beside.

Forgetting the older pages is the commonest silent error with this source: a large bank pushes its annual report off the
first page within weeks. Item numbers of 8-Ks stand here and in no index.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from .accession import accession_number, padded_cik

_ARRAYS = ("accessionNumber", "filingDate", "reportDate", "acceptanceDateTime", "form", "items", "size",
           "isInlineXBRL", "primaryDocument")  # fmt: skip
_PAGE_NAME = re.compile(r"CIK\d{10}-submissions-\d{3,}\.json", re.ASCII)


class InconsistentArrays(ValueError):
    """The parallel arrays differ in length, so no row can be trusted."""


class NotSubmissions(ValueError):
    """The body is something else: an error page, broken JSON, another document."""


@dataclass(frozen=True)
class SubmissionFiling:
    """One filing as the registrant's list shows it."""

    accession: str
    form: str
    filed_date: date
    report_date: date | None
    """Period of report; for an 8-K the event date."""
    accepted_at: datetime | None
    """UTC."""
    items: tuple[str, ...]
    """8-K item numbers, exact tokens."""
    size_bytes: int | None
    is_inline_xbrl: bool | None
    primary_document: str | None


@dataclass(frozen=True)
class UnreadableFiling:
    """A row of the arrays that could not be read."""

    accession_text: str
    problem: str


@dataclass(frozen=True)
class OlderPage:
    """A further page of the list."""

    name: str
    first: date
    last: date
    count: int


@dataclass(frozen=True)
class Submissions:
    """What one file of the API holds."""

    cik: str | None
    """Null on an older page, which does not repeat it."""
    name: str
    former_names: tuple[str, ...] = ()
    filings: tuple[SubmissionFiling, ...] = ()
    unreadable: tuple[UnreadableFiling, ...] = ()
    older_pages: tuple[OlderPage, ...] = field(default=())


def parse_submissions(body: bytes) -> Submissions:
    """Reads `CIK##########.json` or one of its older pages.

    Raises:
        NotSubmissions: the body is not this kind of document.
        InconsistentArrays: the arrays differ in length.
    """
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise NotSubmissions(f"not JSON: {error}") from error
    if not isinstance(document, dict):
        raise NotSubmissions("not a JSON object")
    if "filings" not in document:
        filings, unreadable = _rows(document)
        return Submissions(None, "", (), filings, unreadable)
    try:
        listing = document["filings"]
        filings, unreadable = _rows(listing["recent"])
        pages = tuple(_page(page) for page in listing.get("files") or ())
        cik = padded_cik(document["cik"])
    except (KeyError, TypeError, AttributeError) as error:
        raise NotSubmissions(f"no list of filings: {error!r}") from error
    except InconsistentArrays:
        raise
    except ValueError as error:
        raise NotSubmissions(str(error)) from error
    former = tuple(str(entry.get("name")) for entry in document.get("formerNames") or () if isinstance(entry, dict))
    return Submissions(cik, str(document.get("name") or ""), former, filings, unreadable, pages)


def item_tokens(text: str) -> tuple[str, ...]:
    """Item numbers of an 8-K: `"4.02,9.01"` and `",,"` both occur."""
    return tuple(token for part in text.split(",") if (token := part.strip()))


def _page(page: Mapping[str, Any]) -> OlderPage:
    name = str(page["name"])
    if not _PAGE_NAME.fullmatch(name):
        raise NotSubmissions(f"not the name of a page: {name[:80]!r}")
    first, last = date.fromisoformat(str(page["filingFrom"])), date.fromisoformat(str(page["filingTo"]))
    return OlderPage(name, first, last, int(page["filingCount"]))


def _rows(arrays: Any) -> tuple[tuple[SubmissionFiling, ...], tuple[UnreadableFiling, ...]]:
    if not isinstance(arrays, dict):
        raise NotSubmissions("the list of filings is not an object")
    missing = [name for name in _ARRAYS if not isinstance(arrays.get(name), list)]
    if missing:
        raise NotSubmissions(f"arrays are missing: {', '.join(missing)}")
    lengths = {name: len(values) for name, values in arrays.items() if isinstance(values, list)}
    if len(set(lengths.values())) > 1:
        raise InconsistentArrays(", ".join(f"{name} {length}" for name, length in sorted(lengths.items())))
    filings: list[SubmissionFiling] = []
    unreadable: list[UnreadableFiling] = []
    for values in zip(*(arrays[name] for name in _ARRAYS), strict=True):
        row = dict(zip(_ARRAYS, values, strict=True))
        try:
            filings.append(_filing(row))
        except (ValueError, TypeError) as error:
            unreadable.append(UnreadableFiling(str(row["accessionNumber"])[:80], str(error)[:300]))
    return tuple(filings), tuple(unreadable)


def _filing(row: Mapping[str, Any]) -> SubmissionFiling:
    return SubmissionFiling(
        accession=accession_number(str(row["accessionNumber"])),
        form=str(row["form"]),
        filed_date=date.fromisoformat(str(row["filingDate"])),
        report_date=date.fromisoformat(str(row["reportDate"])) if row["reportDate"] else None,
        accepted_at=_instant(str(row["acceptanceDateTime"])) if row["acceptanceDateTime"] else None,
        items=item_tokens(str(row["items"] or "")),
        size_bytes=int(row["size"]) if row["size"] is not None else None,
        is_inline_xbrl=bool(row["isInlineXBRL"]) if row["isInlineXBRL"] is not None else None,
        primary_document=str(row["primaryDocument"]) or None,
    )


def _instant(text: str) -> datetime:
    instant = datetime.fromisoformat(text)
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
