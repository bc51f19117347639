"""One `eight_k_402_index` row from one filing: which document is read, by which channel, and what an 8-K/A takes back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from benchmark_pipeline.tables.sources import EightK402Row, FilingIndexRow

from .eight_k_items import item_section
from .evidence_sentences import DocumentText, sentences
from .non_reliance import EXTRACTOR_VERSION, NonReliance, read_notice, says_non_reliance
from .periods import FiscalCalendar

_CHANNEL = {"item_402": "8k_402", "foreign_report": "6k_text", "amendment": "annual_amendment"}
CHANNEL_ROLES = tuple(_CHANNEL)
"""Roles of filings that may be a notice."""


def notice_rows(
    filing: FilingIndexRow,
    documents: Sequence[DocumentText],
    calendar: FiscalCalendar | None,
    earlier: Sequence[tuple[date, str]] = (),
) -> list[EightK402Row]:
    """A row a co-registrant for a notice; an empty list for a 6-K or an amendment that is none.

    Args:
        filing: An 8-K with Item 4.02, a 6-K, or an amended annual report.
        documents: Its texts, the primary one first; empty where none could be retrieved.
        calendar: The registrant's year ends.
        earlier: (date filed, accession) of the registrant's other 4.02 filings.

    Raises:
        ValueError: the filing's role is none of `CHANNEL_ROLES`, or it has no accession or date.
    """
    if filing.role not in _CHANNEL or filing.accession is None or filing.filed_date is None:
        raise ValueError(f"{filing.accession} ({filing.role}) can be no non-reliance notice")
    if filing.role != "item_402":
        speaking = [document for document in documents if _speaks(document)]
        if not speaking:
            return []
        return _rows(filing, speaking[0], read_notice(speaking[0], calendar), None, None)
    if not documents:
        return _rows(filing, None, None, "document_missing", "no document of the filing could be retrieved")
    for position, document in enumerate(documents):
        section = item_section(document, "4.02")
        if section is not None:
            others = [other for place, other in enumerate(documents) if place != position]
            notice = read_notice(section, calendar, others)
            return _rows(filing, document, notice, None, None, _taken_back(filing, notice, earlier))
    speaking = [document for document in documents if _speaks(document)]
    if speaking:  # The item's heading is missing or garbled, and the words are there.
        return _rows(filing, speaking[0], read_notice(speaking[0], calendar), None, None)
    detail = f"no Item 4.02 in {len(documents)} document(s)"
    return _rows(filing, documents[0], None, "item_not_found", detail)


def _speaks(document: DocumentText) -> bool:
    if "reli" not in document.text and "rely" not in document.text:
        return False
    return any(says_non_reliance(sentence.text) for sentence in sentences(document.text))


def _taken_back(filing: FilingIndexRow, notice: NonReliance, earlier: Sequence[tuple[date, str]]) -> str | None:
    """The latest earlier notice, where an amended 8-K takes one back."""
    if not (notice.takes_back and filing.form.endswith("/A") and filing.filed_date):
        return None
    before = [
        (when, accession) for when, accession in earlier if when <= filing.filed_date and accession != filing.accession
    ]
    return max(before)[1] if before else None


def _rows(  # noqa: PLR0917
    filing: FilingIndexRow, document: DocumentText | None, notice: NonReliance | None, reject: str | None,
    detail: str | None, withdraws: str | None = None,
) -> list[EightK402Row]:  # fmt: skip
    return [
        EightK402Row(
            accession=filing.accession or "",
            cik=cik,
            form=filing.form,
            fiscal_year=filing.fiscal_year,
            filed_date=filing.filed_date or date.min,
            event_date=filing.period_of_report,
            channel=_CHANNEL[filing.role or ""],
            limb=notice.limb if notice else "unknown",
            concluded_by=notice.concluded_by if notice else "unknown",
            periods=list(notice.periods) if notice else [],
            periods_parsed=notice.periods_parsed if notice else False,
            mw_admitted=notice.mw_admitted if notice else False,
            icfr_reports_withdrawn=notice.icfr_reports_withdrawn if notice else False,
            withdraws_accession=withdraws,
            spans=list(notice.spans) if notice else [],
            document_sha256=document.sha256 if document else None,
            extractor_version=EXTRACTOR_VERSION,
            reject_reason=reject,
            reject_detail=detail,
        )
        for cik in dict.fromkeys([*([filing.cik] if filing.cik else []), *filing.ciks])
    ]
