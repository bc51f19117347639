"""E2: a non-reliance notice that overlaps the year; E6 where the auditor takes its ICFR report back in one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from benchmark_pipeline.tables.clean_pool import ContradictingEvidenceRow
from benchmark_pipeline.tables.sources import EightK402Row

from .periods import names_only_following_interims, strongest_match, within_unparsed_window
from .registrant_record import RegistrantRecord, evidence_row
from .report_facts import Report


def notice_evidence(record: RegistrantRecord, assertion: Report) -> Iterator[ContradictingEvidenceRow]:
    """One row for each later notice whose periods touch the fiscal year.

    A notice whose periods could not be read counts, as ambiguous, against every year ending in the 36 months before it.
    A notice that a later 8-K/A takes back is ambiguous as well: both are kept and a person decides.
    """
    withdrawn = {notice.withdraws_accession for notice in record.notices if notice.withdraws_accession}
    for notice in _later(record, assertion):
        match, ambiguous = _match(record, assertion, notice)
        if match is None:
            continue
        if notice.withdraws_accession:
            strength = "counter_evidence"
        else:
            strength = "ambiguous" if ambiguous or notice.accession in withdrawn else "direct"
        locator = notice.spans[0] if notice.spans else None
        facts = {"accession": notice.accession, "form": notice.form, "filed": notice.filed_date, "locator": locator}
        yield evidence_row(
            assertion, "E2", strength, match, icfr_reports_withdrawn=notice.icfr_reports_withdrawn, **facts  # type: ignore[arg-type]
        )  # fmt: skip
        if notice.icfr_reports_withdrawn and notice.limb in ("b", "both") and strength == "direct":
            yield evidence_row(assertion, "E6", "direct", match, icfr_reports_withdrawn=True, **facts)  # type: ignore[arg-type]


def watched(notices: Iterable[EightK402Row], filed: date, period_end: date) -> bool:
    """Whether a later notice names only interim periods of the year after: no contradiction, but worth watching."""
    return any(
        names_only_following_interims(notice.periods, period_end) for notice in notices if notice.filed_date > filed
    )


def _later(record: RegistrantRecord, assertion: Report) -> list[EightK402Row]:
    return sorted(
        (notice for notice in record.notices if notice.filed_date > assertion.filed_date),
        key=lambda notice: (notice.filed_date, notice.accession),
    )


def _match(record: RegistrantRecord, assertion: Report, notice: EightK402Row) -> tuple[str | None, bool]:
    """How the notice is tied to the year, and whether that is a guess that waits for a person."""
    found = strongest_match(notice.periods, record.fy_start(assertion), assertion.period_end)
    if found:
        return found, False
    if not notice.periods_parsed and within_unparsed_window(assertion.period_end, notice.filed_date):
        return "period_unparsed", True
    return None, False
