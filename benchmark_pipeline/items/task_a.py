"""Task A: which COSO component does a described deficiency belong to, and how severe is it.

Two populations that are reported apart: material weaknesses of annual reports, and Single Audit findings. Severity is
scored on findings alone, because a periodic filing surfaces no other tier than the material weakness.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from benchmark_pipeline.tables.disclosures import MaterialWeaknessRow
from benchmark_pipeline.tables.items import Component, ItemRow
from benchmark_pipeline.tables.sources import SingleAuditFindingRow

from .drafting import draft_item, text_problem
from .labels import Label, Labels
from .leak_filter import Gold, leaks, mask_leaks, prepare
from .selection import NOTHING_KEPT, TARGETS, Keep, reject, sample_usable, select
from .sources import Filing, touches_itgc

WORDS = (12, 1500)


def build_task_a(
    weaknesses: Sequence[tuple[Filing, MaterialWeaknessRow]],
    findings: Iterable[SingleAuditFindingRow],
    labels: Labels,
    items_per_registrant: int,
    *,
    targets: Mapping[str, int] = TARGETS,
    keep: Keep = NOTHING_KEPT,
) -> list[ItemRow]:
    """Candidates of Task A, those left out with a reason.

    Args:
        weaknesses: material weaknesses of deficient filings.
        findings: Single Audit findings; those rejected upstream are passed over.
        labels: drafted labels.
        items_per_registrant: items of each population that one company may give.
        targets: items wanted of each population.
        keep: ids of items that an earlier release chose.
    """
    sec = [weakness_item(filing, row, labels.of_weakness(row.accession, row.ordinal)) for filing, row in weaknesses]
    audit = [
        finding_item(row, labels.of_finding(row.report_id, row.reference_number))
        for row in findings
        if row.reject_reason is None
    ]
    return [
        item
        for population, items in (("sec_annual_report", sec), ("single_audit", audit))
        for item in sample_usable(select(items, items_per_registrant, keep), targets[f"A/{population}"], _stratum, keep)
    ]


def _stratum(item: ItemRow) -> tuple[str | None, str | None]:
    return item.gold_component, item.gold_severity if item.gradient_bearing else None


def component_gold(row: MaterialWeaknessRow, label: Label | None) -> dict[str, Any]:
    """Component columns: the filer's own heading wins over a drafted label (`label_source: disclosure`)."""
    drafted: list[Component] = label.components if label else []
    heading = next((component for component in get_args(Component) if component == row.coso_heading), None)
    accepted = list(dict.fromkeys([*([heading] if heading else []), *drafted]))
    return {
        "gold_component": accepted[0] if accepted else None,
        "gold_components_accepted": accepted,
        "label_source": "disclosure" if heading else "llm_draft_human_verified",
        "drafted_by": None if heading or label is None else label.drafted_by,
        "root_cause_stated": label.root_cause_stated if label else None,
        "touches_itgc": label.touches_itgc if label else touches_itgc(row.text),
    }


def weakness_item(filing: Filing, row: MaterialWeaknessRow, label: Label | None) -> ItemRow:
    """A material weakness as an item; not gradient-bearing."""
    text = prepare(row.text, filing.names, "component")
    item = draft_item(
        "A",
        f"{row.accession} {row.cik} weakness {row.ordinal}",
        text,
        **filing_columns(filing, row),
        **component_gold(row, label),
    )
    return _checked(item, ("component",), label, row.text)


def finding_item(row: SingleAuditFindingRow, label: Label | None) -> ItemRow:
    """A Single Audit finding as an item: condition and cause, with the tier out of the flags as severity."""
    parts = [part for part in (row.condition, row.cause) if part]
    raw = "\n\n".join(parts) if row.condition else (row.text or "")
    text = mask_leaks(raw.strip(), "component", "severity")
    item = draft_item(
        "A",
        f"{row.report_id} finding {row.reference_number}",
        text,
        population="single_audit",
        jurisdiction="US",
        regime="uniform_guidance",
        fiscal_year=row.audit_year,
        company_key=f"auditee:{row.auditee_key or row.report_id}",
        label_source="llm_draft_human_verified",
        drafted_by=label.drafted_by if label else None,
        gradient_bearing=row.tier is not None,
        gold_severity=row.tier,
        gold_component=label.component if label else None,
        gold_components_accepted=label.components if label else [],
        root_cause_stated=label.root_cause_stated if label else None,
        touches_itgc=label.touches_itgc if label else touches_itgc(raw),
        strata=["repeat_finding"] if row.is_repeat_finding else [],
    )
    return _checked(item, ("component", "severity"), label, row.text or raw)


def filing_columns(filing: Filing, row: MaterialWeaknessRow) -> dict[str, Any]:
    """Columns that every item cut from a filing's weakness carries."""
    return {
        "population": "sec_annual_report",
        "jurisdiction": filing.jurisdiction,
        "regime": "sox_404",
        "fiscal_year": filing.decision.fiscal_year,
        "form": filing.decision.form,
        "cik": row.cik,
        "company_key": f"cik:{row.cik}",
        "accession": row.accession,
        "source_span": row.span,
        "sic_division": filing.sic_division,
    }


def _checked(item: ItemRow, golds: tuple[Gold, ...], label: Label | None, passage: str) -> ItemRow:
    if problem := text_problem(item.text, *WORDS):
        return reject(item, *problem)
    if label is not None and not label.fits(passage) and not label.fits(item.text):
        return reject(item, "no_label", f"the label quotes what the passage does not say: {label.evidence_quote!r}")
    if item.gold_component is None:
        return reject(item, "no_label", "no component: neither the filer's heading nor a drafted label")
    if left := leaks(item.text, *golds):
        return reject(item, "label_leak", f"still says {', '.join(left)}")
    return item
