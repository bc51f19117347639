"""What must hold for the rows of `single_audit_findings`; each function lists what does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from benchmark_pipeline.tables.sources import SingleAuditFindingRow

from .findings import NO_REFERENCE
from .masking import leaked, mask_people
from .records import Report, present


def _name(row: SingleAuditFindingRow) -> str:
    return f"{row.report_id} {row.reference_number}"


def _texts(row: SingleAuditFindingRow) -> Iterable[str]:
    return (text for text in (row.text, row.condition, row.cause, row.planned_action, row.reject_detail) if text)


def repeated_keys(rows: Sequence[SingleAuditFindingRow]) -> list[str]:
    """Findings that have more than one row."""
    counts = Counter((row.report_id, row.reference_number) for row in rows)
    return [f"{report} {reference}: {count} rows" for (report, reference), count in counts.items() if count > 1]


def findings_unaccounted_for(rows: Sequence[SingleAuditFindingRow], received: Iterable[object]) -> list[str]:
    """Findings that were received and are no row of the table, by report and reference."""
    known = {
        (row.report_id, form) for row in rows for form in (row.reference_number, row.reference_number.partition("#")[0])
    }
    missing = set()
    for raw in received:
        values = raw if isinstance(raw, Mapping) else {}
        report = str(values.get("report_id") or "unknown")
        reference = present(values.get("reference_number"))
        forms = {reference or NO_REFERENCE, reference or "unknown", str(values.get("reference_number"))}
        if not ({(report, form) for form in forms} & known):
            missing.add(f"{report} {reference}")
    return sorted(missing)


def impossible_tiers(rows: Sequence[SingleAuditFindingRow]) -> list[str]:
    """Accepted findings without a text, and findings with a tier that the reason for rejection rules out."""
    problems = []
    for row in rows:
        if row.reject_reason is None and not row.text:
            problems.append(f"{_name(row)}: accepted without a text")
        if row.reject_reason is not None and (row.condition is not None or row.cause is not None):
            problems.append(f"{_name(row)}: rejected, yet it has a condition or a cause")
        if row.reject_reason in ("tier_varies", "malformed_row") and row.tier is not None:
            problems.append(f"{_name(row)}: has a tier though {row.reject_reason}")
    return problems


def printed_names(rows: Sequence[SingleAuditFindingRow], reports: Iterable[Report]) -> list[str]:
    """Findings whose texts print a name of their report's header. The name itself is not repeated."""
    names: dict[str, set[str]] = {}
    for report in reports:
        header = (
            report.auditee_name,
            report.auditee_certify_name,
            report.auditee_contact_name,
            report.auditor_firm_name,
            report.auditor_certify_name,
            report.auditor_contact_name,
        )
        names.setdefault(report.report_id, set()).update(name for name in header if name)
    return [
        f"{_name(row)}: {len(found)} header names printed"
        for row in rows
        if (found := {name for text in _texts(row) for name in leaked(text, names.get(row.report_id, ()))})
    ]


def people_left(rows: Sequence[SingleAuditFindingRow]) -> list[str]:
    """Findings in which something still looks like a person, a telephone number or an address."""
    return [_name(row) for row in rows if any(mask_people(text).names for text in _texts(row))]
