"""Rows of the `disclosures` stage: what the annual report says about ICFR, and where it says so."""

from __future__ import annotations

from datetime import date
from typing import Literal

from .base import Accession, Cik, Row, Sha256, Span, Struct, TableSpec

SectionReject = Literal[
    "no_heading",
    "no_boundary",
    "too_short",
    "stub_cross_reference",
    "over_capture",
    "pdf_only",
    "image_only",
    "non_english",
    "document_missing",
    "undecodable",
    "form_not_covered",
    "too_complex",
]
Conclusion = Literal["effective", "ineffective", "not_assessed", "absent", "mixed"]
"""`not_assessed`: the report says that it holds no assessment; `absent`: no conclusion was found; `mixed`: two
conclusions that differ."""
Opinion = Literal["unqualified", "adverse", "disclaimer", "none"]
Flag = Literal["true", "false", "unknown", "absent"]
"""A tagged cover-page boolean. `absent`: no such fact; `unknown`: a fact whose value cannot be read. Neither is false."""


class IcfrSectionRow(Row):
    """The controls section of one annual report, or why it could not be cut."""

    accession: Accession
    """Accession number."""
    cik: Cik
    """Registrant."""
    form: str
    """Form type."""
    fiscal_year: int
    """Partition."""
    period_end: date | None
    """Fiscal year end as the filing states it."""
    item: Literal["9A", "9A(T)", "14", "15", "40-F"] | None
    """The item under which the section stands."""
    status: Literal["found", "followed_pointer", "rejected"]
    """`followed_pointer`: the item points elsewhere in the same filing and the text was taken from there."""
    method: str | None
    """Rule that found the section (heading, index, pointer, exhibit, …)."""
    document_sha256: Sha256 | None
    """Document that holds the section."""
    document_name: str | None
    """Its file name."""
    start: int | None
    """First character in the document's normalised text."""
    end: int | None
    """One past the last character."""
    byte_start: int | None
    """First byte in the document as stored."""
    byte_end: int | None
    """One past the last byte."""
    text: str | None
    """The section, normalised."""
    text_sha256: Sha256 | None
    """SHA-256 of `text` in UTF-8."""
    heading: str | None
    """The heading as filed."""
    candidates: int
    """Headings that were considered."""
    extractor_version: str
    """Version of the rules."""
    reject_reason: SectionReject | None
    """Why there is no section."""
    reject_detail: str | None
    """What was seen instead."""


class ScopeOut(Struct):
    """A business left out of management's assessment."""

    what: str
    """Its name or description."""
    pct_assets: float | None
    """Share of total assets, percent; of `less than 1 %` the 1."""
    pct_revenue: float | None
    """Share of revenue, percent; as stated, like that of assets."""


class IcfrAssertionRow(Row):
    """What one annual report states about ICFR, for one registrant: conclusion, attestation, cover facts."""

    accession: Accession
    """Accession number."""
    cik: Cik
    """Registrant; a filing of two registrants has a row each."""
    form: str
    """Form type."""
    fiscal_year: int
    """Fiscal year: the tagged focus where it is year(period end) or the year before, else year(period end - 5 months)."""
    fiscal_year_focus: int | None
    """As tagged."""
    partition_fiscal_year: int
    """Partition of the filing: year(period of report - 5 months)."""
    period_end: date
    """Fiscal year end: the truth for every comparison of periods."""
    fy_start: date | None
    """First day of the fiscal year, where a prior year end is known; else period_end less one year plus a day."""
    filed_date: date
    """Date filed."""
    company_name: str
    """Registrant's name as filed."""
    sic_at_filing: str | None
    """Standard Industrial Classification in the filing's own header."""
    state_of_incorporation: str | None
    """As filed."""
    jurisdiction: str
    """Country of incorporation, ISO 3166 alpha-2."""
    regime: Literal["sox_404"]
    """Reporting regime."""
    rule_regime: Literal["pre_2020", "2020_amended", "2026_reform"]
    """Which filer-status rules were in force."""
    filer_category: str | None
    """As tagged on the cover."""
    emerging_growth: bool | None
    """As tagged."""
    shell_company: bool | None
    """As tagged."""
    annual_report: bool | None
    """20-F/40-F: the filing is an annual report and not a registration statement."""
    language: str | None
    """Language of the section, ISO 639-1."""
    extraction_status: Literal["found", "followed_pointer", "rejected"]
    """Of the section."""
    extraction_reject: SectionReject | None
    """Reason, where rejected."""
    mgmt_conclusion: Conclusion
    """Management's conclusion on ICFR."""
    mgmt_conclusion_span: Span | None
    """The sentence."""
    mgmt_as_of: date | None
    """As-of date in that sentence or the one it answers; the fiscal year end where it says so in words."""
    framework: str | None
    """Framework named, by short name (COSO 2013, …)."""
    dcp_conclusion: Conclusion
    """Conclusion on disclosure controls and procedures (Item 307): another question."""
    dcp_conclusion_span: Span | None
    """The sentence."""
    weaknesses_stated: int | None
    """Material weaknesses counted in the text; null where they cannot be counted."""
    attest_flag: Flag
    """IcfrAuditorAttestationFlag on the cover."""
    attest_opinion: Opinion
    """The auditor's opinion on ICFR, wherever it stands in the filing."""
    attest_opinion_span: Span | None
    """The opinion sentence: the locator that `clean_attested` needs."""
    auditor_name: str | None
    """Firm that signed the opinion, or as tagged; as management names it where the signature is a picture."""
    auditor_firm_id: str | None
    """PCAOB firm id."""
    opinion_date: date | None
    """Date of the opinion."""
    mgmt_says_no_attestation: bool
    """The report says that it holds no attestation report."""
    no_attestation_span: Span | None
    """The sentence."""
    new_registrant_transition: bool
    """The report says that it holds no assessment because the company is newly public."""
    reverse_merger_no_assessment: bool
    """The report says that it holds no assessment because of a reverse merger in the year."""
    not_assessed_span: Span | None
    """The sentence of either."""
    scope_outs: list[ScopeOut]
    """Businesses left out."""
    prior_mw_remediated: bool
    """An earlier weakness is said to be remediated at year end."""
    prior_mw_span: Span | None
    """The sentence."""
    error_correction_flag: Flag
    """DocumentFinStmtErrorCorrectionFlag."""
    recovery_flag: Flag
    """DocumentFinStmtRestatementRecoveryAnalysisFlag."""
    conflicts: list[str]
    """Disagreements between rules, recorded and not resolved."""
    rules_fired: list[str]
    """Rules that produced the facts above."""
    extractor_version: str
    """Version of the rules."""


class MaterialWeaknessRow(Row):
    """One material weakness as one annual report describes it."""

    weakness_id: str
    """`<accession>:<cik>:<ordinal>`."""
    accession: Accession
    """Accession number."""
    cik: Cik
    """Registrant."""
    fiscal_year: int
    """Partition."""
    ordinal: int
    """Position in the filing, from 1."""
    text: str
    """The passage."""
    span: Span
    """Where it stands."""
    coso_heading: str | None
    """The COSO component under which the filer files it, as one of the five labels; null where the filer does not."""
    kind: Literal["list_item", "bullet", "run_in_heading", "prose"]
    """Shape of the passage in the filing."""
    remediation_span: Span | None
    """Remediation passage tied to it, where one is."""
    extractor_version: str
    """Version of the rules."""


DISCLOSURES = (
    TableSpec(
        "icfr_sections", IcfrSectionRow, "disclosures", "fiscal_year", ("accession", "cik"),
        "The controls section of each annual report (Item 9A, 20-F Item 15, 40-F), cut with offsets, or the reason why not.",
    ),
    TableSpec(
        "icfr_assertions", IcfrAssertionRow, "disclosures", "fiscal_year", ("accession", "cik"),
        "What each annual report states: management's conclusion, the auditor's opinion, cover-page facts, each with its sentence.",
    ),
    TableSpec(
        "material_weaknesses", MaterialWeaknessRow, "disclosures", "fiscal_year", ("weakness_id",),
        "Each material weakness that an annual report describes, as a passage of its own.",
    ),
)  # fmt: skip
