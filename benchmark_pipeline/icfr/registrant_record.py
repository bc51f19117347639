"""Everything about one registrant that later evidence is looked for in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Protocol

from benchmark_pipeline.tables.base import Span
from benchmark_pipeline.tables.clean_pool import ContradictingEvidenceRow, EvidenceCode
from benchmark_pipeline.tables.disclosures import MaterialWeaknessRow
from benchmark_pipeline.tables.sources import EightK402Row, FilingIndexRow

from .evidence_sentences import DocumentText
from .periods import TOLERANCE, FiscalCalendar, fiscal_year_start
from .report_facts import Report

EXTRACTOR_VERSION = "evidence/2"


class Reader(Protocol):
    """Gives the texts that evidence is read from. Called only for filings that may bear on a clean label."""

    def documents(self, accession: str) -> Sequence[DocumentText]:
        """The documents of a filing, the primary one first; empty where none could be retrieved."""

    def section(self, accession: str, cik: str) -> DocumentText | None:
        """The controls section of an annual report."""


@dataclass(frozen=True)
class RegistrantRecord:
    """One registrant's annual reports, other filings and notices."""

    cik: str
    assertions: tuple[Report, ...]
    """Its own, and what its successors filed since they took its place."""
    filings: tuple[FilingIndexRow, ...] = ()
    notices: tuple[EightK402Row, ...] = ()
    weaknesses: Mapping[str, tuple[MaterialWeaknessRow, ...]] = field(default_factory=dict)
    """By accession of the annual report."""
    succeeded: bool = False
    """Whether another registrant took its place; what that one files is in here as well."""

    @cached_property
    def own(self) -> tuple[Report, ...]:
        """The registrant's own annual reports."""
        return tuple(row for row in self.assertions if row.cik == self.cik)

    @cached_property
    def calendar(self) -> FiscalCalendar | None:
        """The year ends that the registrant's annual reports show."""
        return FiscalCalendar.from_year_ends(row.period_end for row in self.own)

    def fy_start(self, assertion: Report) -> date:
        """First day of the fiscal year of an annual report."""
        return assertion.fy_start or fiscal_year_start(assertion.period_end, [row.period_end for row in self.own])

    def later_reports(self, assertion: Report) -> list[Report]:
        """Annual reports on later years that were filed afterwards, the next one first."""
        later = [
            row
            for row in self.assertions
            if row.period_end > assertion.period_end + TOLERANCE
            and row.filed_date >= assertion.filed_date
            and row.extraction_status != "rejected"
        ]
        return sorted(later, key=lambda row: (row.period_end, row.filed_date, row.accession))

    def with_role(self, role: str) -> list[FilingIndexRow]:
        """Usable filings with a role, oldest first."""
        return self._by_role.get(role, [])

    @cached_property
    def _by_role(self) -> dict[str, list[FilingIndexRow]]:
        roles: dict[str, list[FilingIndexRow]] = {}
        for row in sorted(self.filings, key=lambda row: (row.filed_date or date.min, row.accession or "")):
            if row.role and row.accession and row.filed_date:
                roles.setdefault(row.role, []).append(row)
        return roles


def evidence_row(
    assertion: Report,
    code: EvidenceCode,
    strength: str,
    match: str,
    *,
    accession: str,
    form: str,
    filed: date,
    locator: Span | None,
    icfr_reports_withdrawn: bool = False,
    ordinal: int | None = None,
) -> ContradictingEvidenceRow:
    """An evidence row found by rule, with the identity that it keeps over every run."""
    identity = f"{assertion.accession}:{assertion.cik}:{code}:{accession}"
    return ContradictingEvidenceRow(
        evidence_id=identity if ordinal is None else f"{identity}:{ordinal}",
        accession=assertion.accession,
        cik=assertion.cik,
        code=code,
        strength=strength,
        match=match,
        evidence_accession=accession,
        evidence_form=form,
        evidence_filed_date=filed,
        locator=locator,
        icfr_reports_withdrawn=icfr_reports_withdrawn,
        extracted_by="rule",
        decided_by=None,
        resolution=None,
        extractor_version=EXTRACTOR_VERSION,
    )
