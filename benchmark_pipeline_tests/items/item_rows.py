"""Rows that the tests of this folder share. Companies are fictional."""

from __future__ import annotations

import hashlib
from datetime import date
from typing import Any

from benchmark_pipeline.items.sources import Filing
from benchmark_pipeline.tables.base import Span
from benchmark_pipeline.tables.clean_pool import CleanPoolRow
from benchmark_pipeline.tables.disclosures import IcfrAssertionRow, IcfrSectionRow, MaterialWeaknessRow
from benchmark_pipeline.tables.items import ItemReviewRow
from benchmark_pipeline.tables.sources import SingleAuditFindingRow

SHA = hashlib.sha256(b"document").hexdigest()

PASSAGE = (
    "• We did not maintain an effective control environment (COSO Principle 4): Tarnbrook Fittings did not employ enough "
    "people with training in revenue accounting, and two of four positions in the contracts group stood empty for most of the year."
)
SECTIONS = (
    "Management of the lumber mill looked at sales of timber, the counting of logs and the pay of sawyers, and it is their "
    "conclusion that our internal control over financial reporting was effective at the end of the year in all the "
    "respects that are material to it and to those who read our reports.",
    "An assessment by the officers of the shipping line reached fuel, charter hire, crew wages and dry docks. They found "
    "that internal control over financial reporting was not effective because a material weakness existed in the review "
    "of impairment, which the board has been told of and which is not yet put right.",
    "For the brewery we tested excise duty, kegs, deposits and the claims of publicans. On that basis the two officers "
    "who sign this report have concluded that the control of reporting was effective, although no such work can give "
    "more than reasonable assurance to the readers of any of the accounts.",
)


def decision(accession: str = "0009000001-25-000001", cik: str = "0009000001", **columns: Any) -> CleanPoolRow:
    defaults: dict[str, Any] = {
        "form": "10-K", "fiscal_year": 2024, "period_end": date(2024, 12, 31), "decision": "clean_attested",
        "reason": None, "deficient_by": None, "decided_at_step": 9, "trace": [], "attest_basis": "flag_and_opinion",
        "attest_opinion_span": Span(document_sha256=SHA, start=5, end=9, quote="fair"), "evidence_ids": [],
        "nonreliance_channel": "8k_402", "followup": "none", "followup_ended": None, "seasoning_days": 90,
        "seasoning_tier": "S0", "watch": False, "remediated_prior_mw": False, "scope_out": False,
        "little_r_overlap": False, "nt_signal": False, "first_attested_year": None, "rule_version": "1",
        "snapshot_date": date(2025, 6, 30),
    }  # fmt: skip
    return CleanPoolRow.model_validate({**defaults, "accession": accession, "cik": cik, **columns})


def assertion(accession: str = "0009000001-25-000001", cik: str = "0009000001", **columns: Any) -> IcfrAssertionRow:
    defaults: dict[str, Any] = dict.fromkeys(IcfrAssertionRow.model_fields)
    defaults |= {
        "form": "10-K", "fiscal_year": 2024, "partition_fiscal_year": 2024, "period_end": date(2024, 12, 31),
        "filed_date": date(2025, 3, 1), "company_name": "Tarnbrook Fittings, Inc.", "sic_at_filing": "3490",
        "jurisdiction": "US", "regime": "sox_404", "rule_regime": "2020_amended", "extraction_status": "found",
        "mgmt_conclusion": "effective", "dcp_conclusion": "effective", "attest_flag": "true",
        "attest_opinion": "unqualified", "auditor_name": "Cotterill Vance & Moy LLP", "mgmt_says_no_attestation": False,
        "new_registrant_transition": False, "reverse_merger_no_assessment": False, "scope_outs": [],
        "prior_mw_remediated": False, "error_correction_flag": "false", "recovery_flag": "false", "conflicts": [],
        "rules_fired": [], "extractor_version": "1",
    }  # fmt: skip
    return IcfrAssertionRow.model_validate({**defaults, "accession": accession, "cik": cik, **columns})


def section(text: str, accession: str = "0009000001-25-000001", cik: str = "0009000001") -> IcfrSectionRow:
    defaults: dict[str, Any] = dict.fromkeys(IcfrSectionRow.model_fields)
    defaults |= {
        "form": "10-K", "fiscal_year": 2024, "item": "9A", "status": "found", "document_sha256": SHA, "start": 10,
        "end": 10 + len(text), "text": text, "candidates": 1, "extractor_version": "1",
    }  # fmt: skip
    return IcfrSectionRow.model_validate({**defaults, "accession": accession, "cik": cik})


def filing(text: str = SECTIONS[0], number: int = 1, **columns: Any) -> Filing:
    """A filing of company `number`; `columns` are those of the decision."""
    cik = f"{9000000 + number:010d}"
    accession = columns.pop("accession", f"{cik}-25-000001")
    return Filing(decision(accession, cik, **columns), assertion(accession, cik), section(text, accession, cik))


def weakness(text: str = PASSAGE, accession: str = "0009000001-25-000001", cik: str = "0009000001", ordinal: int = 1,
             heading: str | None = None) -> MaterialWeaknessRow:  # fmt: skip
    return MaterialWeaknessRow(
        weakness_id=f"{accession}:{cik}:{ordinal}", accession=accession, cik=cik, fiscal_year=2024, ordinal=ordinal,
        text=text, span=Span(document_sha256=SHA, start=0, end=len(text), quote=text), coso_heading=heading,
        kind="bullet", remediation_span=None, extractor_version="1",
    )  # fmt: skip


def finding(number: int = 1, **columns: Any) -> SingleAuditFindingRow:
    defaults: dict[str, Any] = {
        "report_id": f"2023-06-GSAFAC-00000{number:05d}", "reference_number": "2023-001", "audit_year": 2023,
        "data_source": "GSAFAC", "auditee_key": f"key{number}", "fy_end_date": date(2023, 6, 30), "entity_type": "local",
        "type_requirement": "L", "tier": "significant_deficiency", "is_repeat_finding": False, "award_count": 1,
        "condition": "This Significant Deficiency (SD) concerns the county, which filed four of its performance reports "
        "with the agency after the date on which they were due, and no one compared them with the ledger.",
        "cause": "The grant manager left in March and nobody was told to take over the calendar of the reports.",
        "text": None, "text_sha256": SHA, "planned_action": None, "text_names_tier": True, "source_sha256": SHA,
        "accepted_date": date(2024, 1, 5), "reject_reason": None, "reject_detail": None,
    }  # fmt: skip
    return SingleAuditFindingRow.model_validate({**defaults, **columns})


def review(item_id: str, text_sha256: str, **columns: Any) -> dict[str, Any]:
    defaults: dict[str, Any] = {
        "decision_id": "r1", "kind": "item", "reviewer": "M. Achterberg", "decision": "accept", "reason": None,
        "changes": None, "seconds": 40.0, "decided_at": "2026-01-05T10:00:00+00:00",
    }  # fmt: skip
    return {**defaults, "item_id": item_id, "text_sha256": text_sha256, **columns}


def decided(item_id: str, text_sha256: str, **columns: Any) -> ItemReviewRow:
    return ItemReviewRow.model_validate(review(item_id, text_sha256, **columns))
