"""A decision told in words (`explain`): every step, then the evidence, then what surrounds the filing."""

from __future__ import annotations

from collections.abc import Sequence

from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow

_DECISION = {
    "clean_attested": "clean, attested by the auditor",
    "clean_management_only": "clean, by management's assertion alone",
    "deficient": "deficient",
    "excluded": "excluded",
}
_STRENGTH = {
    "direct": "excludes",
    "ambiguous": "excludes until a person dismisses it",
    "counter_evidence": "speaks for the label",
    "little_r": "kept, marks a stratum",
    "soft": "kept, marks a stratum",
}


def explain(row: CleanPoolRow, evidence: Sequence[ContradictingEvidenceRow]) -> list[str]:
    """Lines of plain text for a reader who asks why a filing is what it is.

    Args:
        row: The decision.
        evidence: Rows about any filing; those about this one are used.
    """
    verdict = _DECISION[row.decision]
    if row.reason:
        verdict += f": {row.reason}"
    if row.deficient_by:
        verdict += f", by {'management and auditor' if row.deficient_by == 'both' else row.deficient_by}"
    lines = [
        f"{row.accession} (CIK {row.cik}), {row.form} for the fiscal year ended {row.period_end or 'on an unknown day'}",
        f"Decision: {verdict}",
        f"Decided at step {row.decided_at_step} by rules {row.rule_version}, snapshot {row.snapshot_date}",
    ]
    lines += [f"  step {step.step:>2} {step.rule}: {step.outcome} ({step.saw})" for step in row.trace]
    about = sorted(
        (item for item in evidence if (item.accession, item.cik) == (row.accession, row.cik)),
        key=lambda item: (item.evidence_filed_date, item.evidence_id),
    )
    lines.append(f"Evidence: {len(about)} row(s)" if about else "Evidence: none found")
    for item in about:
        state = f", {item.resolution} by {item.decided_by}" if item.resolution else ""
        lines.append(
            f"  {item.code} {item.strength} ({_STRENGTH[item.strength]}{state}), {item.match}: "
            f"{item.evidence_form} {item.evidence_accession} filed {item.evidence_filed_date}"
        )
        if item.locator:
            place = f"{item.locator.document_sha256[:12]} [{item.locator.start}:{item.locator.end}]"
            lines.append(f"      “{' '.join(item.locator.quote.split())[:300]}” ({place})")
    if row.attest_opinion_span:
        quote = " ".join(row.attest_opinion_span.quote.split())[:300]
        lines.append(f"Auditor's opinion: “{quote}” ({row.attest_opinion_span.document_sha256[:12]})")
    lines.append(
        f"Follow-up: {row.followup.replace('_', ' ')}, {row.seasoning_days} days, tier {row.seasoning_tier}"
        + (f", reporting ended ({row.followup_ended})" if row.followup_ended else "")
    )
    lines.append(f"A non-reliance notice of this filer would be seen by: {row.nonreliance_channel}")
    marks = [name for name in ("watch", "remediated_prior_mw", "scope_out", "little_r_overlap", "nt_signal", "first_attested_year")
             if getattr(row, name)]  # fmt: skip
    if marks:
        lines.append(f"Marks: {', '.join(marks)}")
    return lines
