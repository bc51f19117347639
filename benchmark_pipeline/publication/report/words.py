"""The words of the report: labels for closed values, and the sentence under a headline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LABELS = {
    "clean_attested": "Clean, attested by the auditor",
    "clean_management_only": "Clean on management's word alone",
    "deficient": "Deficient",
    "excluded": "Excluded",
    "sec_annual_report": "annual reports",
    "single_audit": "Single Audit findings",
    "synthetic_scenario": "scenarios",
    "disclosure": "the filer's own disclosure",
    "human": "human reviewer",
    "llm_draft_human_verified": "model draft, for human verification",
    "verbatim": "as filed",
    "paraphrase": "paraphrase",
    "names_masked": "names masked",
    "conclusion_masked": "conclusion masked",
    "minimal": "minimal pairs",
    "null": "null pairs (nothing must move)",
    "reverse_plausible": "reverse-plausible pairs",
    "domestic": "domestic issuers",
    "foreign": "foreign issuers",
    "before": "before",
    "past": "past",
    "yes": "yes",
    "no": "no",
    "pending": "not yet reviewed",
    "remediated_prior_mw": "earlier weakness remediated",
    "scope_out": "a business left out of the assessment",
    "little_r_overlap": "figures later revised without an admitted weakness",
    "nt_signal": "late-filing notice spoke of a possible weakness",
    "first_attested_year": "first year with an auditor's opinion",
    "weakness_vocabulary": "a clean text that speaks of weaknesses",
    "foreign_private_issuer": "foreign private issuers",
    "dcp_not_effective": "disclosure controls not effective, though ICFR was",
    "watch": "a later document is worth another look",
    "registrant_already_used": "another report of the company is used",
    "near_duplicate": "nearly the same text as another item",
    "not_sampled": "not drawn",
    "answered": "answered",
    "parse_fail": "not JSON",
    "parse_fail/fenced": "JSON inside a code fence",
    "schema_fail": "JSON of another shape",
    "truncated": "cut off at the length limit",
    "empty": "empty",
    "refused": "refused",
    "filtered": "filtered by the provider",
    "transport_fail": "no answer reached us",
    "not_run": "not run",
}


def marks(row: Mapping[str, Any] | None) -> str:
    """What must be said wherever a run's results stand: that they are a preview, that they are not comparable."""
    if row is None:
        return "not comparable"
    said = (["preview"] if row["status"] == "preview" else []) + ([] if row["comparable"] else ["not comparable"])
    return ", ".join(said)


def name(metric: str) -> str:
    """A measure in words: `false_positive_rate_gap` to `false-positive rate, gap`."""
    words = metric.replace("_", " ")
    for told, better in (
        ("false positive rate", "false-positive rate"),
        ("macro f1", "macro-F1"),
        ("quadratic kappa", "quadratic weighted kappa"),
        (" gap", ", gap"),
    ):
        words = words.replace(told, better)
    return words


EXCLUDED = {
    "out_of_universe": "no annual report of an operating company",
    "shell": "blank-check or shell company",
    "extraction_no_heading": "no heading of the controls section found",
    "extraction_no_boundary": "no end of the controls section found",
    "extraction_too_short": "the controls section is too short to be one",
    "extraction_stub_cross_reference": "the controls section only points elsewhere",
    "extraction_over_capture": "the controls section runs on into another",
    "extraction_pdf_only": "filed as PDF alone",
    "extraction_image_only": "filed as images alone",
    "extraction_non_english": "the controls section is not in English",
    "extraction_document_missing": "the document is missing",
    "extraction_undecodable": "the document cannot be decoded",
    "extraction_form_not_covered": "a form that is not covered",
    "extraction_too_complex": "the document is too complex to read in time",
    "language": "not in English",
    "new_registrant": "first report of a newly public company: no assessment yet",
    "reverse_merger_year": "year of a reverse merger: no assessment",
    "no_management_report": "no conclusion of management on ICFR",
    "as_of_mismatch": "the conclusion is dated otherwise than the year end",
    "conclusion_conflict": "management and auditor say two things",
    "mixed_conclusion": "management says two things",
    "contradicted_E1": "an amendment changes the conclusion (E1)",
    "contradicted_E2": "a non-reliance notice covers the year (E2)",
    "contradicted_E3": "a later annual report: a weakness existed then (E3)",
    "contradicted_E4": "a weakness caused an error that was restated (E4)",
    "contradicted_E5": "an interim report: a weakness existed then (E5)",
    "contradicted_E6": "the auditor withdraws, or leaves over controls (E6)",
    "contradicted_E10": "an enforcement release or proceeding names the year (E10)",
    "subsequent_mw_onset_unstated": "the next report states a weakness, not since when",
    "attestation_unresolved": "attested or not: flag and text disagree",
}
"""Why a report is in no pool, in words; the code stands in `clean_pool.reason`."""


def percent(value: float | None, digits: int = 1) -> str:
    """A share in percent, or a dash."""
    return "–" if value is None else f"{100 * value:.{digits}f} %"


def points(value: float | None) -> str:
    """A difference of shares in percentage points, with its sign."""
    if value is None:
        return "–"
    rounded = round(100 * value, 1)
    return f"{rounded:+.1f}".replace("-", "−") if rounded else "0.0"


def plain(value: float | None) -> str:
    """A number that is no share, with two decimals."""
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


def meaning(row: Mapping[str, Any]) -> str:
    """One sentence that says what a headline means."""
    if row["fpr"] is None:
        return str(row["why_not"] or "No headline.")
    hundred = round(100 * row["fpr"])
    sentence = f"Of 100 clean annual reports that an auditor stands behind, it would call about {hundred} deficient"
    if row["ci_low"] is not None:
        sentence += f"; between {_whole(row['ci_low'])} and {_whole(row['ci_high'])} is consistent with these data"
    return sentence + "."


def blind(row: Mapping[str, Any]) -> bool:
    """Whether deficient reports are flagged no more often than clean ones: the rate alone would flatter."""
    return row["fpr"] is not None and row["recall"] is not None and row["recall"] <= row["fpr"]


def with_recall(row: Mapping[str, Any]) -> str:
    """What the rate is worth: a model that flags nothing has a perfect rate and finds nothing."""
    if row["recall"] is None:
        return "There is no deficient report to read this rate against."
    found = f"{row['recall_k']} of the {row['recall_n']} deficient reports"
    if not row["k"] and not row["recall_k"]:
        return f"Read this with the recall: it flagged nothing at all, so it also missed all {row['recall_n']} deficient reports."
    if blind(row):
        return f"Read this with the recall: it flags deficient reports no more often than clean ones ({found})."
    return f"It found {found}."


def _whole(value: float) -> str:
    return str(round(100 * value))
