"""What surrounds an annual report: how far it is followed up, where a non-reliance would show, first attested year."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from typing import Literal

from benchmark_pipeline.tables.disclosures import IcfrAssertionRow
from benchmark_pipeline.tables.sources import FilingIndexRow

from .periods import LONGEST_YEAR_DAYS, TOLERANCE

NonrelianceChannel = Literal["8k_402", "6k_text", "annual_amendment", "none_available"]
Followup = Literal["none", "quarterly_seen", "next_annual_seen", "second_annual_seen"]
FollowupEnd = Literal["form15", "merged", "revoked", "bankrupt"]
SeasoningTier = Literal["S0", "S1", "S2"]

SEASONED_DAYS = 900
"""Two annual reports and half a year: most contradictions have come by then."""


def seasoning_tier(followup: Followup, seasoning_days: int) -> SeasoningTier:
    """S2: second later annual report read, or 900 days; S1: the next one read; S0: neither."""
    if followup == "second_annual_seen" or seasoning_days >= SEASONED_DAYS:
        return "S2"
    return "S1" if followup == "next_annual_seen" else "S0"


def followup(
    period_end: date, filed: date, annual_reports: Sequence[tuple[date, date]], quarterlies: Sequence[date]
) -> Followup:
    """The latest later report that was read.

    Args:
        period_end: Fiscal year end of the filing.
        filed: When it was filed.
        annual_reports: (period end, date filed) of the registrant's annual reports that could be read.
        quarterlies: Dates on which its quarterly reports were filed.
    """
    later = {end for end, when in annual_reports if end > period_end + TOLERANCE and when >= filed}
    distinct = _distinct(sorted(later))
    if len(distinct) >= 2:
        return "second_annual_seen"
    if distinct:
        return "next_annual_seen"
    return "quarterly_seen" if any(when > filed for when in quarterlies) else "none"


def _distinct(ends: Sequence[date]) -> list[date]:
    kept: list[date] = []
    for end in ends:
        if not kept or end - kept[-1] > TOLERANCE:
            kept.append(end)
    return kept


def followup_ended(filed: date, later_forms: Sequence[tuple[str, date]]) -> FollowupEnd | None:
    """Why the registrant stopped reporting, as far as a form tells it: a Form 15 after the filing, or a revocation.

    Mergers and bankruptcies have no form of their own; they are not inferred.
    """
    after = [form for form, when in later_forms if when >= filed]
    if any(form.startswith("REVOKED") for form in after):
        return "revoked"
    return "form15" if any(form.startswith(("15-12", "15-15", "15F")) for form in after) else None


def nonreliance_channel(form: str, filings: Sequence[FilingIndexRow]) -> NonrelianceChannel:
    """Where a non-reliance notice of this filer would be seen: decided by the forms it files, not by its country."""
    forms = {row.form.removesuffix("/A") for row in filings}
    if form in ("10-K", "10-KT") or "8-K" in forms:
        return "8k_402"
    if "6-K" in forms:
        return "6k_text"
    if any(row.role == "amendment" for row in filings):
        return "annual_amendment"
    return "none_available"


def first_attested_year(assertion: IcfrAssertionRow, others: Collection[IcfrAssertionRow]) -> bool | None:
    """Whether this is the auditor's first ICFR opinion on the registrant; None where the prior year was not read."""
    if assertion.attest_opinion == "none":
        return False
    prior = [
        row
        for row in others
        if TOLERANCE.days < (assertion.period_end - row.period_end).days <= LONGEST_YEAR_DAYS
        and row.extraction_status != "rejected"
    ]
    return all(row.attest_opinion == "none" for row in prior) if prior else None
