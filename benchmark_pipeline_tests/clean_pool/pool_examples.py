"""Rows for the clean-pool tests: a clean attested annual report of a fictional company, and small departures from it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from benchmark_pipeline.icfr.evidence_sentences import DocumentText
from benchmark_pipeline.tables.base import Span
from benchmark_pipeline.tables.clean_pool import ContradictingEvidenceRow
from benchmark_pipeline.tables.disclosures import IcfrAssertionRow, IcfrSectionRow, MaterialWeaknessRow
from benchmark_pipeline.tables.sources import AffectedPeriod, EightK402Row, FilingIndexRow

CIK = "0009100001"
SNAPSHOT = date(2025, 6, 30)
SHA = "ab" * 32
YEAR_END = date(2022, 12, 31)


def span(
    quote: str = "In our opinion, the Company maintained effective internal control over financial reporting.",
) -> Span:
    return Span(document_sha256=SHA, start=0, end=len(quote), quote=quote)


def assertion(**changes: Any) -> IcfrAssertionRow:
    """A 10-K for fiscal 2022 that management and the auditor call effective."""
    end = changes.get("period_end", YEAR_END)
    values: dict[str, Any] = {
        "accession": "0009100001-23-000001",
        "cik": CIK,
        "form": "10-K",
        "fiscal_year": end.year,
        "fiscal_year_focus": end.year,
        "partition_fiscal_year": end.year,
        "period_end": end,
        "fy_start": None,
        "filed_date": date(end.year + 1, 2, 24),
        "company_name": "Larkmoor Instruments, Inc.",
        "sic_at_filing": "3823",
        "state_of_incorporation": "DE",
        "jurisdiction": "US",
        "regime": "sox_404",
        "rule_regime": "2020_amended",
        "filer_category": "Large Accelerated Filer",
        "emerging_growth": False,
        "shell_company": False,
        "annual_report": True,
        "language": "en",
        "extraction_status": "found",
        "extraction_reject": None,
        "mgmt_conclusion": "effective",
        "mgmt_conclusion_span": span(
            "Management concluded that internal control over financial reporting was effective."
        ),
        "mgmt_as_of": end,
        "framework": "COSO 2013",
        "dcp_conclusion": "effective",
        "dcp_conclusion_span": None,
        "weaknesses_stated": None,
        "attest_flag": "true",
        "attest_opinion": "unqualified",
        "attest_opinion_span": span(),
        "auditor_name": "Hollis Wray LLP",
        "auditor_firm_id": None,
        "opinion_date": None,
        "mgmt_says_no_attestation": False,
        "no_attestation_span": None,
        "new_registrant_transition": False,
        "reverse_merger_no_assessment": False,
        "not_assessed_span": None,
        "scope_outs": [],
        "prior_mw_remediated": False,
        "prior_mw_span": None,
        "error_correction_flag": "false",
        "recovery_flag": "absent",
        "conflicts": [],
        "rules_fired": [],
        "extractor_version": "test",
    }
    return IcfrAssertionRow(**{**values, **changes})


def next_year(**changes: Any) -> IcfrAssertionRow:
    """The following annual report, for fiscal 2023."""
    return assertion(**{"accession": "0009100001-24-000001", "period_end": date(2023, 12, 31), **changes})


def ineffective_next_year(**changes: Any) -> IcfrAssertionRow:
    return next_year(
        **{"mgmt_conclusion": "ineffective", "dcp_conclusion": "ineffective", "attest_opinion": "adverse", **changes}
    )


def management_only(**changes: Any) -> IcfrAssertionRow:
    return assertion(
        **{
            "attest_flag": "false",
            "attest_opinion": "none",
            "attest_opinion_span": None,
            "mgmt_says_no_attestation": True,
            "filer_category": "Non-accelerated Filer",
            **changes,
        }
    )


def evidence(code: str = "E2", strength: str = "direct", **changes: Any) -> ContradictingEvidenceRow:
    accession = changes.get("accession", "0009100001-23-000001")
    evidence_accession = changes.get("evidence_accession", "0009100001-23-000050")
    values: dict[str, Any] = {
        "evidence_id": f"{accession}:{CIK}:{code}:{evidence_accession}",
        "accession": accession,
        "cik": CIK,
        "code": code,
        "strength": strength,
        "match": "annual_overlap",
        "evidence_accession": evidence_accession,
        "evidence_form": "8-K",
        "evidence_filed_date": date(2023, 8, 14),
        "locator": None,
        "icfr_reports_withdrawn": False,
        "extracted_by": "rule",
        "decided_by": None,
        "resolution": None,
        "extractor_version": "test",
    }
    return ContradictingEvidenceRow(**{**values, **changes})


def filing(role: str, form: str, accession: str, filed: date, **changes: Any) -> FilingIndexRow:
    values: dict[str, Any] = {
        "accession": accession,
        "cik": CIK,
        "ciks": [CIK],
        "company_name": "Larkmoor Instruments, Inc.",
        "form": form,
        "role": role,
        "filed_date": filed,
        "accepted_at": None,
        "period_of_report": None,
        "fiscal_year": filed.year - (filed.month <= 5),
        "items": [],
        "primary_document": None,
        "size_bytes": None,
        "is_inline_xbrl": None,
        "discovered_via": "full_index",
        "source_url": "https://example.org/master.idx",
        "source_sha256": None,
        "reject_reason": None,
        "reject_detail": None,
    }
    return FilingIndexRow(**{**values, **changes})


def notice(periods: Sequence[AffectedPeriod] = (), **changes: Any) -> EightK402Row:
    values: dict[str, Any] = {
        "accession": "0009100001-23-000050",
        "cik": CIK,
        "form": "8-K",
        "fiscal_year": 2023,
        "filed_date": date(2023, 8, 14),
        "event_date": date(2023, 8, 10),
        "channel": "8k_402",
        "limb": "a",
        "concluded_by": "audit_committee",
        "periods": list(periods),
        "periods_parsed": bool(periods),
        "mw_admitted": False,
        "icfr_reports_withdrawn": False,
        "withdraws_accession": None,
        "spans": [],
        "document_sha256": SHA,
        "extractor_version": "test",
        "reject_reason": None,
        "reject_detail": None,
    }
    return EightK402Row(**{**values, **changes})


def period(kind: str, start: date, end: date) -> AffectedPeriod:
    return AffectedPeriod(kind=kind, start=start, end=end, source_sentence="")


def weakness(text: str, report: IcfrAssertionRow, ordinal: int = 1) -> MaterialWeaknessRow:
    return MaterialWeaknessRow(
        weakness_id=f"{report.accession}:{report.cik}:{ordinal}",
        accession=report.accession,
        cik=report.cik,
        fiscal_year=report.fiscal_year,
        ordinal=ordinal,
        text=text,
        span=Span(document_sha256=SHA, start=100, end=100 + len(text), quote=text),
        coso_heading=None,
        kind="prose",
        remediation_span=None,
        extractor_version="test",
    )


def document(text: str) -> DocumentText:
    return DocumentText(hashlib.sha256(text.encode()).hexdigest(), text)


class Texts:
    """Texts of filings and sections, held in memory."""

    def __init__(self, documents: Mapping[str, str] | None = None, sections: Mapping[str, str] | None = None) -> None:
        self._documents = dict(documents or {})
        self._sections = dict(sections or {})

    def documents(self, accession: str) -> list[DocumentText]:
        return [document(self._documents[accession])] if accession in self._documents else []

    def section(self, accession: str, cik: str) -> DocumentText | None:
        return document(self._sections[accession]) if accession in self._sections else None


def section_row(report: IcfrAssertionRow, **changes: Any) -> IcfrSectionRow:
    values: dict[str, Any] = {
        "accession": report.accession, "cik": report.cik, "form": report.form, "fiscal_year": report.fiscal_year,
        "period_end": report.period_end, "item": "9A", "status": "found", "method": "heading", "document_sha256": SHA,
        "document_name": "a.htm", "start": 0, "end": 0, "byte_start": None, "byte_end": None, "text": "",
        "text_sha256": SHA, "heading": None, "candidates": 1, "extractor_version": "test", "reject_reason": None,
        "reject_detail": None,
    }  # fmt: skip
    return IcfrSectionRow(**{**values, **changes})
