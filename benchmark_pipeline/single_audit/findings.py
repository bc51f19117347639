"""Rows of `findings` become one row a finding, accepted or rejected with a reason.

A finding is one reference number of one report. It stands in `findings` once for every award, so rows are grouped
before anything is counted. Text and plan join on report and reference, never on the reference alone: `2023-001` exists
in nearly every report.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchmark_pipeline import progress
from benchmark_pipeline.tables.sources import FindingReject, SingleAuditFindingRow

from . import sections
from .layouts import AuditYearRows
from .masking import Masker
from .records import Finding, FindingText, Malformed, Plan, Report
from .resubmissions import Superseded, superseded
from .text import clean, concatenate, names_tier, single_spaced, unusable

Key = tuple[str, str]
"""Report id and reference number."""
NO_REFERENCE = "(none)"
"""Reference of rows whose own reference was not migrated; all of a report are one rejected finding."""


@dataclass
class FindingsResult:
    """The rows of one audit year, and what was seen on the way. Every row of `findings` is in exactly one count."""

    rows: list[SingleAuditFindingRow] = field(default_factory=list)
    award_rows_in: int = 0
    """Rows of `findings` received, unreadable ones included."""
    award_rows_grouped: int = 0
    """Rows that stand behind the findings returned."""
    repeated_award_rows: int = 0
    """Rows received twice for one award and finding."""
    malformed_rows: int = 0
    """Rows of `findings` that could not be read; each is a rejected row."""
    malformed_other: int = 0
    """Rows of the other tables that could not be read; each is a rejected row."""
    orphan_texts: int = 0
    """References with a text but no finding."""
    orphan_plans: int = 0
    """References with a plan but no finding."""
    flag_text_disagreements: int = 0
    """Usable findings without a tier whose text prints one: truth is the flag."""
    names_masked: int = 0
    """Names taken out of texts and plans."""

    @property
    def accepted(self) -> int:
        """Findings that may become items."""
        return sum(row.reject_reason is None for row in self.rows)

    @property
    def rejects(self) -> dict[str, int]:
        """Findings by reason."""
        return dict(Counter(row.reject_reason for row in self.rows if row.reject_reason is not None))

    @property
    def tiers(self) -> dict[str, int]:
        """Accepted findings by tier; `none` is about compliance only."""
        return dict(Counter(row.tier or "none" for row in self.rows if row.reject_reason is None))


def auditee_key(report: Report | None) -> str | None:
    """A key that groups an auditee's reports: a hash of EIN, else of UEI; null where neither is on record.

    It keeps identifiers out of the dataset. It is no secret: who has the list of EINs can compute it.
    """
    if report is None:
        return None
    identifier = f"ein:{report.auditee_ein}" if report.auditee_ein else None
    if identifier is None and report.auditee_uei:
        identifier = f"uei:{report.auditee_uei}"
    return None if identifier is None else hashlib.sha256(f"auditee:{identifier}".encode()).hexdigest()[:16]


def build(source: AuditYearRows, audit_year: int) -> FindingsResult:
    """Groups, joins, masks and judges the findings of one audit year.

    Args:
        source: all rows of the year.
        audit_year: the partition; a row of another year is malformed.

    Returns:
        Rows sorted by report and reference, one a finding, and the counts.
    """
    result = FindingsResult()
    reports = {report.report_id: report for report in source.reports.records}
    groups: dict[Key, list[Finding]] = {}
    malformed = list(source.findings.malformed)
    for finding in source.findings.records:
        if finding.audit_year != audit_year:
            malformed.append(_wrong_year(finding, audit_year))
        else:
            groups.setdefault((finding.report_id, finding.reference_number or NO_REFERENCE), []).append(finding)
    other = [*source.reports.malformed, *source.texts.malformed, *source.plans.malformed]
    result.award_rows_in = len(source.findings.records) + len(source.findings.malformed)
    result.malformed_rows, result.malformed_other = len(malformed), len(other)
    result.rows += _rejected_rows(malformed, other, audit_year)

    texts = _joined(source.texts.records)
    plans = _joined(source.plans.records)
    older = superseded(source.reports.records)
    for done, (key, rows) in enumerate(sorted(groups.items()), start=1):
        progress.advance(f"findings of audit year {audit_year}", done, len(groups))
        awards = {row.award_reference for row in rows}
        result.award_rows_grouped += len(rows)
        result.repeated_award_rows += len(rows) - len(awards)
        report = reports.get(key[0])
        row, names = _row(
            key, rows, report, older.get(key[0]), filed_texts=texts.get(key, []), filed_plans=plans.get(key, [])
        )
        result.names_masked += names
        if row.reject_reason is None and row.tier is None and row.text_names_tier:
            result.flag_text_disagreements += 1
        result.rows.append(row)
    result.orphan_texts = len(texts.keys() - groups.keys())
    result.orphan_plans = len(plans.keys() - groups.keys())
    result.rows.sort(key=lambda row: (row.report_id, row.reference_number))
    return result


def _joined(records: Iterable[FindingText] | Iterable[Plan]) -> dict[Key, list[str]]:
    joined: dict[Key, list[str]] = {}
    for record in records:
        filed = record.finding_text if isinstance(record, FindingText) else record.planned_action
        if filed is not None:
            joined.setdefault((record.report_id, record.finding_ref_number or NO_REFERENCE), []).append(filed)
    return joined


def _row(
    key: Key,
    rows: Sequence[Finding],
    report: Report | None,
    older: Superseded | None,
    *,
    filed_texts: Sequence[str],
    filed_plans: Sequence[str],
) -> tuple[SingleAuditFindingRow, int]:
    first = rows[0]
    filed = concatenate(filed_texts)
    tiers = {row.flags.tier for row in rows}
    reject = _reject(key, rows, report, older, filed)
    masker = Masker(report)
    names = 0
    text = condition = cause = planned = None
    # A suppressed report's texts are not kept in any column, should the source serve them by mistake.
    if filed is not None and not (report is not None and report.is_public is False):
        masked = masker.mask(single_spaced(clean(filed)))
        text, names = masked.text, names + masked.names
        if reject is None:
            parts = sections.cut(filed)
            condition = masker.mask(parts.condition).text if parts.condition else None
            cause = masker.mask(parts.cause).text if parts.cause else None
    plan = concatenate(filed_plans)
    if plan is not None and not (report is not None and report.is_public is False):
        masked = masker.mask(single_spaced(clean(plan)))
        planned, names = masked.text, names + masked.names
    reason, detail = reject if reject else (None, None)
    return (
        SingleAuditFindingRow(
            report_id=key[0],
            reference_number=key[1],
            audit_year=first.audit_year,
            data_source="CENSUS" if "-CENSUS-" in key[0] else "GSAFAC",
            auditee_key=auditee_key(report),
            fy_end_date=report.fy_end_date if report else None,
            entity_type=report.entity_type.lower() if report and report.entity_type else None,
            type_requirement=_letters(rows),
            tier=tiers.pop() if len(tiers) == 1 and key[1] != NO_REFERENCE else None,
            is_repeat_finding=_repeat(rows),
            award_count=len({row.award_reference for row in rows}),
            condition=condition,
            cause=cause,
            text=text,
            text_sha256=hashlib.sha256(filed.encode("utf-8", "surrogatepass")).hexdigest() if filed else None,
            planned_action=planned,
            text_names_tier=names_tier(filed) if filed else False,
            source_sha256=first.source_sha256,
            accepted_date=(report.fac_accepted_date if report else None) or first.fac_accepted_date,
            reject_reason=reason,
            reject_detail=masker.mask(detail).text[:300] if detail else None,
        ),
        names,
    )


def _reject(
    key: Key, rows: Sequence[Finding], report: Report | None, older: Superseded | None, filed: str | None
) -> tuple[FindingReject, str] | None:
    """The first reason that applies, in the order: readable, current, public, classified, described."""
    if key[1] == NO_REFERENCE:
        return "malformed_row", "the reference number was not migrated, so no text can be joined"
    if report is None:
        return "superseded", "`general` does not list this report: it serves the current version of a report only"
    if older is not None:
        return older.reason, older.detail
    if report.is_public is not True:
        return "not_public", "the auditee suppressed its texts" if report.is_public is False else "is_public is unknown"
    patterns = sorted({row.flags.pattern for row in rows})
    # Whether an opinion is modified may differ between programs; the tier may not.
    if len({row.flags.tier for row in rows}) > 1:
        return "tier_varies", f"rows of this finding disagree: {', '.join(patterns)}"
    refused = sorted({row.flags.pattern for row in rows if not row.flags.allowed})
    if refused:
        return (
            "tier_pattern_not_allowed",
            f"modified opinion, other matters, MW, SD, other findings: {', '.join(refused)}",
        )
    return unusable(filed)


def _letters(rows: Sequence[Finding]) -> str | None:
    letters = sorted({letter for row in rows for letter in (row.type_requirement or "").upper() if letter.isalpha()})
    return "".join(letters) or None


def _repeat(rows: Sequence[Finding]) -> bool | None:
    answers = {"y": True, "yes": True, "n": False, "no": False}
    seen = {answers.get((row.is_repeat_finding or "").lower()) for row in rows} - {None}
    return True in seen if seen else None


def _wrong_year(finding: Finding, audit_year: int) -> Malformed:
    return Malformed(
        report_id=finding.report_id,
        reference_number=f"{finding.reference_number or 'unknown'}#{finding.award_reference or 'unknown'}",
        detail=f"audit year {finding.audit_year} among the rows of {audit_year}",
        source_sha256=finding.source_sha256,
    )


def _rejected_rows(
    findings: Sequence[Malformed], other: Sequence[Malformed], audit_year: int
) -> list[SingleAuditFindingRow]:
    seen: Counter[Key] = Counter()
    rows = []
    for bad in (*findings, *other):
        key = (bad.report_id, bad.reference_number)
        seen[key] += 1
        rows.append(
            SingleAuditFindingRow(
                report_id=bad.report_id,
                # Two equal broken rows have equal digests; a running number keeps the key unique.
                reference_number=bad.reference_number if seen[key] == 1 else f"{bad.reference_number}.{seen[key]}",
                audit_year=audit_year,
                data_source="CENSUS" if "-CENSUS-" in bad.report_id else "GSAFAC",
                auditee_key=None,
                fy_end_date=None,
                entity_type=None,
                type_requirement=None,
                tier=None,
                is_repeat_finding=None,
                award_count=0,
                condition=None,
                cause=None,
                text=None,
                text_sha256=None,
                planned_action=None,
                text_names_tier=False,
                source_sha256=bad.source_sha256,
                accepted_date=None,
                reject_reason="malformed_row",
                reject_detail=bad.detail,
            )
        )
    return rows
