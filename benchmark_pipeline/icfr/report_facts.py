"""The facts of an annual report that evidence and decisions look at, without the sentences they were read from."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from benchmark_pipeline.tables.base import Span
from benchmark_pipeline.tables.disclosures import Conclusion, Flag, IcfrAssertionRow, Opinion, SectionReject


class ReportFacts(NamedTuple):
    """Columns of `icfr_assertions` under their own names: hundreds of thousands of reports are judged from these alone."""

    accession: str
    cik: str
    form: str
    fiscal_year: int
    period_end: date
    fy_start: date | None
    filed_date: date
    sic_at_filing: str | None
    emerging_growth: bool | None
    shell_company: bool | None
    annual_report: bool | None
    filer_category: str | None
    language: str | None
    extraction_status: str
    extraction_reject: SectionReject | None
    mgmt_conclusion: Conclusion
    mgmt_as_of: date | None
    dcp_conclusion: Conclusion
    weaknesses_stated: int | None
    attest_flag: Flag
    attest_opinion: Opinion
    attest_opinion_span: Span | None
    mgmt_says_no_attestation: bool
    new_registrant_transition: bool
    reverse_merger_no_assessment: bool
    scope_outs: list[dict[str, object]]
    prior_mw_remediated: bool
    error_correction_flag: Flag


Report = IcfrAssertionRow | ReportFacts
"""A report as a rule may see it."""
