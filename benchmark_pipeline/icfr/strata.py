"""What surrounds an annual report: how far it is followed up, where a non-reliance would show, first attested year."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from typing import Literal

from .periods import LONGEST_YEAR_DAYS, TOLERANCE
from .report_facts import Report

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
    period_end: date, filed: date, annual_reports: Sequence[tuple[date, date]], last_quarterly: date | None
) -> Followup:
    """The latest later report that was read.

    Args:
        period_end: Fiscal year end of the filing.
        filed: When it was filed.
        annual_reports: (period end, date filed) of the registrant's annual reports that could be read.
        last_quarterly: When its last quarterly report was filed.
    """
    later = {end for end, when in annual_reports if end > period_end + TOLERANCE and when >= filed}
    distinct = _distinct(sorted(later))
    if len(distinct) >= 2:
        return "second_annual_seen"
    if distinct:
        return "next_annual_seen"
    return "quarterly_seen" if last_quarterly is not None and last_quarterly > filed else "none"


def _distinct(ends: Sequence[date]) -> list[date]:
    kept: list[date] = []
    for end in ends:
        if not kept or end - kept[-1] > TOLERANCE:
            kept.append(end)
    return kept


def followup_ended(filed: date, endings: Sequence[tuple[str, date]], last_periodic: date | None) -> FollowupEnd | None:
    """Why the registrant stopped reporting, as far as a form tells it: a Form 15 after the filing, or a revocation.

    A Form 15 ends the duty for one class of securities (Exchange Act Rules 12g-4, 12h-3, 15d-6): where an annual or
    quarterly report was filed after it, reporting goes on under another class and nothing has ended. Mergers and
    bankruptcies have no form of their own; they are not inferred.

    Args:
        filed: When the annual report was filed.
        endings: (form, date filed) of the registrant's forms that end reporting.
        last_periodic: When its last annual, quarterly or 6-K report was filed.
    """
    after = [form for form, when in endings if when >= filed and (last_periodic is None or when >= last_periodic)]
    if any(form.startswith("REVOKED") for form in after):
        return "revoked"
    return "form15" if after else None


def nonreliance_channel(form: str, forms: frozenset[str]) -> NonrelianceChannel:
    """Where a non-reliance notice of this filer would be seen: decided by the forms it files, not by its country."""
    if form in ("10-K", "10-KT") or not forms.isdisjoint(("8-K", "8-K/A")):
        return "8k_402"
    if not forms.isdisjoint(("6-K", "6-K/A")):
        return "6k_text"
    if not forms.isdisjoint(("10-K/A", "10-KT/A", "20-F/A", "40-F/A")):
        return "annual_amendment"
    return "none_available"


def first_attested_year(assertion: Report, others: Collection[Report]) -> bool | None:
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
