"""The SGML header of a submission, in both of its spellings.

The text spelling (`COMPANY CONFORMED NAME:`) heads a full submission, the tagged one (`<CONFORMED-NAME>`) a
`.hdr.sgml` and the comment of an `-index-headers.html`. Both give the facts as they were on the day of filing: unlike the
submissions JSON, whose name, SIC code and state are today's.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from .accession import accession_number, padded_cik

_EASTERN = ZoneInfo("America/New_York")
_START = re.compile(r"<(?:SEC|IMS)-HEADER>")
_END = re.compile(r"</(?:SEC|IMS)-HEADER>")
_TAG = re.compile(r"<(/?)([A-Z0-9-]+)>(.*)")
_FIELD = re.compile(r"\s*([A-Z][A-Z0-9 /&-]*):\s*(.*?)\s*")
_PARTY = re.compile(r"(FILER|SUBJECT COMPANY|FILED BY|REPORTING-OWNER|ISSUER|FILED FOR|SERIAL COMPANY)")
_NAMES = {
    "ACCESSION-NUMBER": "ACCESSION NUMBER",
    "TYPE": "CONFORMED SUBMISSION TYPE",
    "PUBLIC-DOCUMENT-COUNT": "PUBLIC DOCUMENT COUNT",
    "PERIOD": "CONFORMED PERIOD OF REPORT",
    "FILING-DATE": "FILED AS OF DATE",
    "DATE-OF-FILING-DATE-CHANGE": "DATE AS OF CHANGE",
    "CONFORMED-NAME": "COMPANY CONFORMED NAME",
    "CIK": "CENTRAL INDEX KEY",
    "ASSIGNED-SIC": "STANDARD INDUSTRIAL CLASSIFICATION",
    "STATE-OF-INCORPORATION": "STATE OF INCORPORATION",
    "FISCAL-YEAR-END": "FISCAL YEAR END",
    "FORMER-CONFORMED-NAME": "FORMER CONFORMED NAME",
}
"""Tagged name to text name, where they are one field."""


@dataclass(frozen=True)
class HeaderFiler:
    """One registrant of a submission, as of the filing."""

    cik: str
    name: str
    sic: str | None
    """Four digits."""
    state_of_incorporation: str | None
    fiscal_year_end: str | None
    """MMDD."""
    former_names: tuple[str, ...]


@dataclass(frozen=True)
class SubmissionHeader:
    """The header's facts."""

    accession: str
    form: str
    document_count: int | None
    period_of_report: date | None
    items: tuple[str, ...]
    """Item numbers (tagged spelling only)."""
    item_titles: tuple[str, ...]
    """Item titles (text spelling only)."""
    filed_date: date | None
    changed_date: date | None
    accepted_at: datetime | None
    """UTC; the header itself gives Eastern time."""
    filers: tuple[HeaderFiler, ...]


def parse_header(body: bytes) -> SubmissionHeader:
    """Reads the header of a full submission, a `.hdr.sgml` or an `-index-headers.html`.

    Raises:
        ValueError: there is no header, or it names no accession or form.
    """
    lines = header_text(body).splitlines()
    facts: dict[str, str] = {}
    items: list[str] = []
    titles: list[str] = []
    filers: list[dict[str, str]] = []
    former: list[list[str]] = []
    for name, value in _fields(lines):
        if name in ("CENTRAL INDEX KEY", "COMPANY CONFORMED NAME"):
            if not filers or name in filers[-1]:
                filers.append({})
                former.append([])
            filers[-1][name] = value
        elif name == "FORMER CONFORMED NAME" and former:
            former[-1].append(value)
        elif name == "ITEMS":
            items.append(value)
        elif name == "ITEM INFORMATION":
            titles.append(value)
        elif filers:
            filers[-1].setdefault(name, value)
        else:
            facts.setdefault(name, value)
    if "ACCESSION NUMBER" not in facts or "CONFORMED SUBMISSION TYPE" not in facts:
        raise ValueError("the header names no accession or no form")
    count = facts.get("PUBLIC DOCUMENT COUNT", "")
    return SubmissionHeader(
        accession=accession_number(facts["ACCESSION NUMBER"]),
        form=facts["CONFORMED SUBMISSION TYPE"],
        document_count=int(count) if count.isdecimal() else None,
        period_of_report=_date(facts.get("CONFORMED PERIOD OF REPORT")),
        items=tuple(items),
        item_titles=tuple(titles),
        filed_date=_date(facts.get("FILED AS OF DATE")),
        changed_date=_date(facts.get("DATE AS OF CHANGE")),
        accepted_at=_accepted(facts.get("ACCEPTANCE-DATETIME")),
        filers=tuple(_filer(filer, names) for filer, names in zip(filers, former, strict=True) if _known(filer)),
    )


def header_text(body: bytes) -> str:
    """The header's lines; a PEM wrapper above them (1993-2000s) is tolerated.

    Raises:
        ValueError: there is no header.
    """
    text = body[:262144].decode("latin-1")
    start = _START.search(text)
    if start is None:
        text = html.unescape(text)
        start = _START.search(text)
    if start is None:
        raise ValueError("no SGML header")
    end = _END.search(text, start.end())
    if end is None:
        end = re.compile(r"^<DOCUMENT>", re.MULTILINE).search(text, start.end())
    return html.unescape(text[start.end() : end.start() if end else len(text)])


def _fields(lines: list[str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for line in lines:
        tag = _TAG.match(line.strip())
        if tag:
            if not tag.group(1) and tag.group(3).strip():
                found.append((_NAMES.get(tag.group(2), tag.group(2)), tag.group(3).strip()))
            continue
        pair = _FIELD.fullmatch(line)
        if pair and pair.group(2) and not _PARTY.fullmatch(pair.group(1)):
            found.append((pair.group(1), pair.group(2)))
    return found


def _known(filer: dict[str, str]) -> bool:
    try:
        padded_cik(filer.get("CENTRAL INDEX KEY", ""))
    except ValueError:
        return False
    return True


def _filer(facts: dict[str, str], former: list[str]) -> HeaderFiler:
    sic = re.search(r"(\d{4})\]?\s*$", facts.get("STANDARD INDUSTRIAL CLASSIFICATION", ""))
    return HeaderFiler(
        cik=padded_cik(facts["CENTRAL INDEX KEY"]),
        name=facts.get("COMPANY CONFORMED NAME", ""),
        sic=sic.group(1) if sic else None,
        state_of_incorporation=facts.get("STATE OF INCORPORATION"),
        fiscal_year_end=facts.get("FISCAL YEAR END"),
        former_names=tuple(former),
    )


def _date(text: str | None) -> date | None:
    try:
        return datetime.strptime(text or "", "%Y%m%d").date()  # noqa: DTZ007 - a calendar day has no zone
    except ValueError:
        return None


def _accepted(text: str | None) -> datetime | None:
    try:
        return datetime.strptime(text or "", "%Y%m%d%H%M%S").replace(tzinfo=_EASTERN).astimezone(UTC)
    except ValueError:
        return None
