"""A decision told in words (`explain`): the verdict, what the report says, every step, the evidence, what surrounds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmark_pipeline.tables.base import Span
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow, EvidenceCode, ExclusionReason
from benchmark_pipeline.tables.disclosures import IcfrAssertionRow

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
MEANING: dict[EvidenceCode, str] = {
    "E1": "an amended report for the same year end says not effective",
    "E2": "a notice says that statements of this year should not be relied upon",
    "E3": "a later annual report says that a weakness existed at this year end",
    "E4": "a later report ties a weakness or restatement to an error in this year's statements",
    "E5": "an interim report says that a weakness existed at this year end",
    "E6": "the auditor took its ICFR report back, or left over missing controls",
    "E7": "a later weakness came from an event after this year end",
    "E8": "the following report states a weakness and not since when",
    "E9": "the following report corrects errors without admitting a weakness",
    "E10": "an enforcement release or proceeding names this year (entered by a reviewer)",
    "E11": "a late-filing notice spoke of a possible weakness",
}
_WHY: dict[ExclusionReason, str] = {
    "out_of_universe": "no annual report of an operating company on a covered form",
    "shell": "a shell or blank-check company",
    "language": "the controls section is not in English",
    "new_registrant": "newly public: the report holds no assessment yet",
    "reverse_merger_year": "no assessment in the year of a reverse merger",
    "no_management_report": "no conclusion of management on ICFR was found",
    "as_of_mismatch": "the conclusion is dated otherwise than the fiscal year end",
    "conclusion_conflict": "management and auditor, or the report and itself, say two things about ICFR",
    "mixed_conclusion": "ICFR is called effective while disclosure controls are not",
    "subsequent_mw_onset_unstated": "a later weakness may have existed at this year end; nobody has answered the question yet",
    "attestation_unresolved": "cover flag, opinion and text do not agree on whether an auditor attested",
}


def reason_in_words(reason: ExclusionReason) -> str:
    """Why a filing is excluded, for a reader who does not know the codes."""
    if reason.startswith("extraction_"):
        return f"the controls section could not be read: {reason.removeprefix('extraction_').replace('_', ' ')}"
    if reason.startswith("contradicted_"):
        return MEANING[reason.removeprefix("contradicted_")]  # type: ignore[index]
    return _WHY[reason]


def explain(
    row: CleanPoolRow,
    evidence: Sequence[ContradictingEvidenceRow],
    read: IcfrAssertionRow | None = None,
    addresses: Mapping[str, str] | None = None,
) -> list[str]:
    """Lines of plain text for a reader who asks why a filing is what it is.

    Args:
        row: The decision.
        evidence: Rows about any filing; those about this one are used.
        read: What was read from the annual report, where anything was.
        addresses: SHA-256 of a stored document to where it was retrieved, so that each quotation can be looked up.
    """
    where = addresses or {}
    verdict = _DECISION[row.decision]
    if row.deficient_by:
        verdict += f", by {'management and auditor' if row.deficient_by == 'both' else row.deficient_by}"
    if row.reason:
        verdict += f": {row.reason} ({reason_in_words(row.reason)})"
    name = f"{read.company_name}, " if read else ""
    filed = f", filed {read.filed_date}" if read else ""
    lines = [
        f"{name}{row.accession} (CIK {row.cik}), {row.form} for the fiscal year ended {row.period_end or 'on an unknown day'}{filed}",
        f"Decision: {verdict}",
        f"Decided at step {row.decided_at_step} by rules {row.rule_version}, snapshot {row.snapshot_date}",
    ]
    if read and read.mgmt_conclusion_span:
        lines += ["Management on ICFR:", *_quoted(read.mgmt_conclusion_span, where)]
    if row.attest_opinion_span:
        lines += ["Auditor on ICFR:", *_quoted(row.attest_opinion_span, where)]
    lines.append("Steps:")
    lines += [f"  step {step.step:>2} {step.rule}: {step.outcome} ({step.saw})" for step in row.trace]
    about = sorted(
        (item for item in evidence if (item.accession, item.cik) == (row.accession, row.cik)),
        key=lambda item: (item.evidence_filed_date, item.evidence_id),
    )
    lines.append(f"Evidence: {len(about)} row(s)" if about else "Evidence: none found")
    for item in about:
        state = f", {item.resolution} by {item.decided_by}" if item.resolution else ""
        lines.append(
            f"  {item.code} {MEANING[item.code]}: {item.evidence_form} {item.evidence_accession} filed {item.evidence_filed_date}"
        )
        lines.append(f"      {item.strength} ({_STRENGTH[item.strength]}{state}), matched by {item.match}")
        if item.icfr_reports_withdrawn:
            lines.append("      an ICFR report is named as not to be relied upon")
        if item.locator:
            lines += _quoted(item.locator, where)
    if any(item.strength == "ambiguous" and item.resolution is None for item in about) and row.reason:
        lines.append("  a reviewer answers in the evidence queue of `icfr-bench review`")
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


_LONGEST_QUOTE = 500


def _quoted(span: Span, where: Mapping[str, str]) -> list[str]:
    quote = " ".join(span.quote.split())
    cut = quote if len(quote) <= _LONGEST_QUOTE else f"{quote[:_LONGEST_QUOTE].rsplit(' ', 1)[0]} …"
    place = where.get(span.document_sha256, f"document {span.document_sha256[:12]}")
    return [f"      “{cut}”", f"      {place}, characters {span.start} to {span.end}"]
