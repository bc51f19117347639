"""Rows of the FAC API for tests: a report, a finding on one award, a text."""

from __future__ import annotations

from typing import Any

from benchmark_pipeline.single_audit.layouts import AuditYearRows

REPORT_ID = "2023-06-GSAFAC-0000912345"
TEXT = (
    "Condition: The reconciliation of the grant ledger to the drawdown records was not done for six months. "
    "Cause: The accountant who does it left and nobody was named in her place."
)


def general(report_id: str = REPORT_ID, **changes: Any) -> dict[str, Any]:
    return {
        "report_id": report_id,
        "audit_year": "2023",
        "auditee_uei": "DEMO00012345",
        "auditee_ein": "001234567",
        "auditee_name": "CITY OF TESTERVILLE",
        "auditee_contact_name": "MARLOW QUINTARD",
        "auditee_certify_name": "Perdita Voss",
        "auditor_firm_name": "Harbor & Finch, LLP",
        "auditor_contact_name": "Emeric Sandoval-Tate",
        "entity_type": "local",
        "fy_end_date": "2023-06-30",
        "fac_accepted_date": "2024-03-01",
        "is_public": True,
        "resubmission_status": "most_recent",
        "a_column_added_later": "is ignored",
        **changes,
    }


def finding(
    reference: str = "2023-001", award: str = "AWARD-0001", pattern: str = "NNYNN", **changes: Any
) -> dict[str, Any]:
    names = (
        "is_modified_opinion",
        "is_other_matters",
        "is_material_weakness",
        "is_significant_deficiency",
        "is_other_findings",
    )
    flags = {name: "GSA_MIGRATION" if flag == "?" else flag for name, flag in zip(names, pattern, strict=True)}
    return {
        "report_id": REPORT_ID,
        "audit_year": "2023",
        "reference_number": reference,
        "award_reference": award,
        "type_requirement": "AB",
        "is_repeat_finding": "N",
        **flags,
        **changes,
    }


def text(reference: str = "2023-001", words: str | None = TEXT, **changes: Any) -> dict[str, Any]:
    return {
        "report_id": REPORT_ID,
        "audit_year": "2023",
        "finding_ref_number": reference,
        "finding_text": words,
        **changes,
    }


def year_rows(
    reports: list[Any] | None = None,
    findings: list[Any] | None = None,
    texts: list[Any] | None = None,
    plans: list[Any] | None = None,
) -> AuditYearRows:
    rows = AuditYearRows()
    rows.add("general", [general()] if reports is None else reports, "a" * 64)
    rows.add("findings", [finding()] if findings is None else findings, "b" * 64)
    rows.add("findings_text", [text()] if texts is None else texts, "c" * 64)
    rows.add("corrective_action_plans", plans or [], "d" * 64)
    return rows
