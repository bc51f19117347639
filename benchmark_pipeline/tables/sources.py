"""Rows of the `sources` stage: what was filed, and the bytes that were retrieved."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import Field

from .base import Accession, Cik, Row, Sha256, Span, Struct, TableSpec, Utc

AnnualForm = Literal["10-K", "10-KT", "20-F", "40-F"]

FilingRole = Literal[
    "annual", "amendment", "item_402", "item_401", "quarterly", "late_notice", "foreign_report", "succession",
    "reporting_ended",
]  # fmt: skip
"""Why a filing is of interest. `annual` may become an item; the others are evidence about annual ones. `succession`: an
8-K by which one registrant takes another's place; `reporting_ended`: a Form 15 or a revoked registration."""

IndexReject = Literal["malformed_line", "unknown_accession", "missing_period", "inconsistent_arrays", "not_retrievable"]
DocumentReject = Literal[
    "not_found",
    "access_denied",
    "truncated",
    "maintenance_page",
    "wrong_document",
    "undecodable",
    "pdf_only",
    "empty",
    "too_large",
]
FindingReject = Literal[
    "no_text",
    "text_points_elsewhere",
    "tier_pattern_not_allowed",
    "tier_varies",
    "not_public",
    "duplicate_submission",
    "superseded",
    "malformed_row",
]


class FilingIndexRow(Row):
    """One filing of a registrant in the universe, or one index line that could not be read."""

    accession: Accession | None
    """Accession number; null only on a rejected line."""
    cik: Cik | None
    """The registrant this row is about: the first of `ciks`."""
    ciks: list[Cik]
    """All co-registrants of the filing."""
    company_name: str
    """Name as the index gives it at retrieval; the name as filed is in the filing itself."""
    form: str
    """Exact form type: `10-K` is not `10-K/A`."""
    role: FilingRole | None
    """Why the filing is of interest."""
    filed_date: date | None
    """Date filed, New York."""
    accepted_at: Utc | None
    """Acceptance instant, UTC."""
    period_of_report: date | None
    """Fiscal year end of an annual report, quarter end of a 10-Q, event date of an 8-K."""
    fiscal_year: int
    """The partition: for annual forms and their amendments year(period of report - 5 months),
    for every other form year(date filed - 5 months)."""
    items: list[str]
    """8-K item numbers, split and exact (`4.02`)."""
    primary_document: str | None
    """File name of the primary document."""
    size_bytes: int | None
    """Size of the whole submission as EDGAR states it."""
    is_inline_xbrl: bool | None
    """Whether EDGAR marks the filing as inline XBRL."""
    discovered_via: Literal["full_index", "daily_index", "submissions", "submissions_bulk"]
    """The list that this row was read from."""
    source_url: str
    """Address of that list."""
    source_sha256: Sha256 | None
    """SHA-256 of that list as retrieved."""
    reject_reason: IndexReject | None
    """Why this line is not used; null where it is."""
    reject_detail: str | None
    """The line, or what was wrong with it."""


class RawFilingRow(Row):
    """One document of one filing, retrieved or rejected with a reason."""

    accession: Accession
    """Accession number of the filing."""
    cik: Cik
    """Registrant."""
    form: str
    """Exact form type of the filing."""
    role: FilingRole
    """Why the filing is of interest."""
    fiscal_year: int
    """Partition of the filing."""
    url: str
    """Where the document was asked for."""
    document_name: str
    """File name inside the filing."""
    document_type: str
    """EDGAR document type: `10-K`, `EX-13`, `EX-99.3`, …"""
    sequence: int | None
    """Position in the submission; 1 is the primary document."""
    sha256: Sha256 | None
    """SHA-256 of the body as received, which is also its key in the document store; null where rejected."""
    size_bytes: int | None
    """Length of the body, decompressed."""
    http_status: int | None
    """Status of the answer."""
    headers: str | None
    """Answer headers that matter (date, last-modified, etag, content-type), as JSON."""
    retrieved_at: Utc | None
    """When the body was received, UTC."""
    reject_reason: DocumentReject | None
    """Why there is no usable body; null where there is one."""
    reject_detail: str | None
    """What was seen instead."""


class AffectedPeriod(Struct):
    """A period whose statements should not be relied on."""

    kind: Literal["annual", "quarter", "balance_sheet", "range"]
    """What the text names."""
    start: date
    """First day; for a balance sheet the day itself."""
    end: date
    """Last day."""
    source_sentence: str
    """The sentence that names it."""


class EightK402Row(Row):
    """One notice that previously issued statements should not be relied on (8-K Item 4.02, or its foreign channel)."""

    accession: Accession
    """Accession number of the notice."""
    cik: Cik
    """Registrant."""
    form: str
    """8-K, 8-K/A, 6-K, …"""
    fiscal_year: int
    """Partition: year(date filed - 5 months)."""
    filed_date: date
    """Date filed."""
    event_date: date | None
    """Date of the conclusion, as the filing's period of report."""
    channel: Literal["8k_402", "6k_text", "annual_amendment"]
    """How the notice reached the public."""
    limb: Literal["a", "b", "both", "unknown"]
    """4.02(a): the registrant concluded. 4.02(b): its accountant advised. EDGAR does not separate them."""
    concluded_by: Literal["board", "audit_committee", "officers", "accountant", "unknown"]
    """Who concluded."""
    periods: list[AffectedPeriod]
    """Periods named; empty where none could be read."""
    periods_parsed: bool
    """False: no period could be read, the notice waits for a person and meanwhile counts against
    every year ending within 36 months before it."""
    mw_admitted: bool
    """The notice ties the error to a material weakness."""
    icfr_reports_withdrawn: bool
    """The notice says that an ICFR report should not be relied on either."""
    withdraws_accession: Accession | None
    """An 8-K/A that takes an earlier notice back."""
    spans: list[Span]
    """The sentences that the above was read from."""
    document_sha256: Sha256 | None
    """The document read."""
    extractor_version: str
    """Version of the rules that read it."""
    reject_reason: Literal["document_missing", "item_not_found", "undecodable"] | None
    """Why nothing could be read."""
    reject_detail: str | None
    """What was seen instead."""


class SingleAuditFindingRow(Row):
    """One Single Audit finding (one reference number of one report), accepted or rejected."""

    report_id: str
    """FAC report id, 25 characters."""
    reference_number: str
    """Finding reference, unique only within its report."""
    audit_year: int
    """Audit year: the partition."""
    data_source: Literal["GSAFAC", "CENSUS"]
    """Who collected the report; CENSUS rows are less validated."""
    auditee_key: str | None
    """EIN, hashed: it groups the reports of one entity and names nobody."""
    fy_end_date: date | None
    """The auditee's fiscal year end."""
    entity_type: str | None
    """non-profit, state, local, higher-ed, tribal, unknown."""
    type_requirement: str | None
    """Letters of the compliance requirement; a subject area, not a COSO component."""
    tier: Literal["material_weakness", "significant_deficiency"] | None
    """From the flags alone; null where neither is set."""
    is_repeat_finding: bool | None
    """Repeats a finding of an earlier year."""
    award_count: int = Field(ge=0)
    """Federal awards the finding stands on."""
    condition: str | None
    """What was found, with names masked."""
    cause: str | None
    """Why it happened, as the auditor states it, with names masked."""
    text: str | None
    """The finding's whole text, names masked."""
    text_sha256: Sha256 | None
    """SHA-256 of the text as filed, before masking."""
    planned_action: str | None
    """Corrective action plan, names masked."""
    text_names_tier: bool
    """The text prints a tier in words: a leak that the item's filter must remove."""
    source_sha256: Sha256 | None
    """SHA-256 of the page of the API or file that the row came from."""
    accepted_date: date | None
    """fac_accepted_date."""
    reject_reason: FindingReject | None
    """Why the finding is not used."""
    reject_detail: str | None
    """What was seen."""


SOURCES = (
    TableSpec(
        "filing_index", FilingIndexRow, "sources", "fiscal_year", ("accession", "cik"),
        "Every annual report of the fiscal year, and every filing that may contradict one, as EDGAR's indexes list them.",
    ),
    TableSpec(
        "raw_filings", RawFilingRow, "sources", "fiscal_year", ("accession", "document_name"),
        "Each document retrieved from EDGAR: address, status, SHA-256. Bodies are immutable in the document store.",
    ),
    TableSpec(
        "eight_k_402_index", EightK402Row, "sources", "fiscal_year", ("accession", "cik"),
        "Notices of non-reliance on issued statements (8-K Item 4.02 and the foreign issuers' channel), with the periods they name.",
    ),
    TableSpec(
        "single_audit_findings", SingleAuditFindingRow, "sources", "audit_year", ("report_id", "reference_number"),
        "Single Audit findings from the Federal Audit Clearinghouse, one row a finding, names masked, tier from the flags.",
    ),
)  # fmt: skip
