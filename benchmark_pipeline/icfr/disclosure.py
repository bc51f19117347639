"""Reads one annual report: its controls section, what it states about ICFR, and its material weaknesses.

Rows out for every filing in, whatever it holds: a filing whose section cannot be cut gives a rejected section and an
assertion row that says so.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import date

from benchmark_pipeline.edgar.cover_page import CoverPage, read_cover_pages
from benchmark_pipeline.edgar.sections import Rejection, Section, locate
from benchmark_pipeline.tables.disclosures import IcfrAssertionRow, IcfrSectionRow, MaterialWeaknessRow

from .assertion import EXTRACTOR_VERSION, FilingInput, Report, read_assertion, status
from .conclusion import states_icfr_conclusion
from .registrants import Registrant, voices

__all__ = ["EXTRACTOR_VERSION", "Disclosures", "FilingInput", "read_disclosures"]


@dataclass(frozen=True)
class Disclosures:
    """Rows read from one filing."""

    sections: list[IcfrSectionRow]
    assertions: list[IcfrAssertionRow]
    weaknesses: list[MaterialWeaknessRow]


def read_disclosures(filing: FilingInput) -> Disclosures:
    """All rows of one annual report, one section and one assertion a registrant.

    A filing that states no period anywhere has a section and no assertion: every comparison needs the period.
    """
    if filing.documents:
        primary = filing.documents[0]
        covers = read_cover_pages(primary.body, primary.normalised)
        located = locate(filing.documents, filing.form, states_icfr_conclusion)
    else:
        covers = [CoverPage(source="none")]
        reason, detail = filing.unusable or ("document_missing", "the primary document was not retrieved")
        located = Rejection(reason, detail)
    spoken = voices(filing.registrants)
    result = Disclosures([], [], [])
    for registrant in filing.registrants:
        cover = _cover_of(registrant, filing, covers)
        period_end, conflicts = _period_end(filing, cover)
        result.sections.append(_section_row(filing, registrant, located, period_end))
        if period_end is not None:
            report = Report(filing, registrant, spoken[registrant.cik], cover, located, period_end, conflicts)
            read = read_assertion(report)
            result.assertions.append(read.assertion)
            result.weaknesses.extend(read.weaknesses)
    return result


def _cover_of(registrant: Registrant, filing: FilingInput, covers: list[CoverPage]) -> CoverPage:
    """The registrant's own cover facts; of the filing's, a co-registrant shares only what is one for the document."""
    own = next((page for page in covers if page.cik == registrant.cik), None)
    main = covers[0]
    if own is main or (own is None and registrant == filing.registrants[0]):
        return main
    base = own or CoverPage(source=main.source)
    return replace(
        base,
        document_type=base.document_type or main.document_type,
        period_end=base.period_end or main.period_end,
        fiscal_year_focus=base.fiscal_year_focus or main.fiscal_year_focus,
        annual_report=main.annual_report if base.annual_report == "absent" else base.annual_report,
        auditor_name=base.auditor_name or main.auditor_name,
        auditor_firm_id=base.auditor_firm_id or main.auditor_firm_id,
    )


def _period_end(filing: FilingInput, cover: CoverPage) -> tuple[date | None, list[str]]:
    stated, header = cover.period_end, filing.period_of_report
    conflicts: list[str] = []
    if stated is not None and header is not None and abs((stated - header).days) > 10:
        conflicts.append(f"period_cover_{stated}_header_{header}")
    if cover.source == "inline_xbrl" and stated is not None:
        return stated, conflicts
    return header or stated, conflicts


def _section_row(filing: FilingInput, registrant: Registrant, located: Section | Rejection,
                 period_end: date | None) -> IcfrSectionRow:  # fmt: skip
    found = located if isinstance(located, Section) else None
    rejected = located if isinstance(located, Rejection) else None
    stretch = found.stretch if found else None
    bytes_at = stretch.document.normalised.byte_range(stretch.start, stretch.end) if stretch else (None, None)
    return IcfrSectionRow(
        accession=filing.accession,
        cik=registrant.cik,
        form=filing.form,
        fiscal_year=filing.partition_fiscal_year,
        period_end=period_end,
        item=found.item if found else None,
        status=status(located),
        method=found.method if found else None,
        document_sha256=stretch.document.sha256 if stretch else None,
        document_name=stretch.document.name if stretch else None,
        start=stretch.start if stretch else None,
        end=stretch.end if stretch else None,
        byte_start=bytes_at[0],
        byte_end=bytes_at[1],
        text=stretch.text if stretch else None,
        text_sha256=hashlib.sha256(stretch.text.encode("utf-8", "replace")).hexdigest() if stretch else None,
        heading=found.heading if found else None,
        candidates=located.candidates,
        extractor_version=EXTRACTOR_VERSION,
        reject_reason=rejected.reason if rejected else None,
        reject_detail=rejected.detail[:500] if rejected else None,
    )
