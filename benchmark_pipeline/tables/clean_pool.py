"""Rows of the `clean_pool` stage: evidence against clean labels, and one decision a filing."""

from __future__ import annotations

from datetime import date
from typing import Literal

from .base import Accession, Cik, Row, Sha256, Span, Struct, TableSpec, Utc

EvidenceCode = Literal["E1", "E2", "E3", "E4", "E5", "E6", "E7", "E8", "E9", "E10", "E11"]
Decision = Literal["clean_attested", "clean_management_only", "deficient", "excluded"]
ExclusionReason = Literal[
    "out_of_universe",
    "shell",
    "extraction_no_heading",
    "extraction_no_boundary",
    "extraction_too_short",
    "extraction_stub_cross_reference",
    "extraction_over_capture",
    "extraction_pdf_only",
    "extraction_image_only",
    "extraction_non_english",
    "extraction_document_missing",
    "extraction_undecodable",
    "extraction_form_not_covered",
    "extraction_too_complex",
    "language",
    "new_registrant",
    "reverse_merger_year",
    "no_management_report",
    "as_of_mismatch",
    "conclusion_conflict",
    "mixed_conclusion",
    "contradicted_E1",
    "contradicted_E2",
    "contradicted_E3",
    "contradicted_E4",
    "contradicted_E5",
    "contradicted_E6",
    "contradicted_E10",
    "subsequent_mw_onset_unstated",
    "attestation_unresolved",
]


class ContradictingEvidenceRow(Row):
    """One later document that bears on the clean label of one annual report."""

    evidence_id: str
    """`<filing accession>:<cik>:<code>:<evidence accession>[:n]`."""
    accession: Accession
    """The annual report it bears on."""
    cik: Cik
    """Registrant."""
    code: EvidenceCode
    """Kind of evidence."""
    strength: Literal["direct", "ambiguous", "counter_evidence", "little_r", "soft"]
    """`direct` excludes; `ambiguous` waits for a person and meanwhile excludes; the others keep."""
    match: Literal[
        "annual_overlap",
        "balance_sheet",
        "interim_inside_fy",
        "period_unparsed",
        "same_period",
        "named_year",
        "next_annual",
    ]
    """How the evidence was tied to the filing's period."""
    evidence_accession: Accession
    """The later document's filing."""
    evidence_form: str
    """Its form."""
    evidence_filed_date: date
    """When it was filed."""
    locator: Span | None
    """The sentence, where one was read; a flag or a form alone has none."""
    icfr_reports_withdrawn: bool
    """The notice withdraws an ICFR report by name."""
    extracted_by: Literal["rule", "model", "human"]
    """Who found it."""
    decided_by: str | None
    """Reviewer who resolved it; null where no one was needed or asked yet."""
    resolution: Literal["upholds", "dismissed"] | None
    """A reviewer's decision on ambiguous evidence."""
    extractor_version: str
    """Version of the rules."""


class EvidenceAnswerRow(Row):
    """One answer of one reviewer to a question on ambiguous evidence, from the append-only review log."""

    answer_id: str
    """Stable id of the answer."""
    evidence_id: str
    """The question: `contradicting_evidence.evidence_id`."""
    text_sha256: Sha256
    """Version of what was asked; an answer to another version has no effect."""
    resolution: Literal["upholds", "dismissed", "skip", "undo"]
    """`upholds` excludes the filing, `dismissed` clears it of this evidence; `skip` decides nothing, and `undo` takes
    back an earlier answer of the same reviewer."""
    reviewer: str
    """A person."""
    reason: str
    """What in the documents decides; empty where nothing was decided."""
    seconds: float | None
    """Time on the question."""
    decided_at: Utc
    """When."""
    voids: str | None = None
    """With `undo`: id of the answer that is taken back."""


class TraceStep(Struct):
    """One rule of the decision order, and what it saw."""

    step: int
    """Number in the decision order."""
    rule: str
    """Name of the rule."""
    outcome: str
    """`pass`, or the decision it took."""
    saw: str
    """The facts it looked at, in words."""


class CleanPoolRow(Row):
    """The one decision on one annual report (of one registrant), with every step that led to it."""

    accession: Accession
    """Annual report."""
    cik: Cik
    """Registrant."""
    form: str
    """Form type."""
    fiscal_year: int
    """Fiscal year."""
    period_end: date | None
    """Fiscal year end; null where neither the index nor the filing tells it, and then the filing is excluded."""
    decision: Decision
    """What the filing is to the benchmark."""
    reason: ExclusionReason | None
    """Why excluded; null otherwise."""
    deficient_by: Literal["management", "auditor", "both"] | None
    """Who says deficient."""
    decided_at_step: int
    """Step of the order that decided."""
    trace: list[TraceStep]
    """Every step up to the deciding one."""
    attest_basis: Literal["flag_and_opinion", "text_only"] | None
    """What `attested` rests on."""
    attest_opinion_span: Span | None
    """Locator of the auditor's opinion."""
    evidence_ids: list[str]
    """All evidence seen about this filing."""
    nonreliance_channel: Literal["8k_402", "6k_text", "annual_amendment", "none_available"]
    """Where a non-reliance notice of this filer would be seen."""
    followup: Literal["none", "quarterly_seen", "next_annual_seen", "second_annual_seen"]
    """Latest later report read."""
    followup_ended: Literal["form15", "merged", "revoked", "bankrupt"] | None
    """The filer stopped reporting: `form15` or `revoked` where a list in hand names such a filing; null does not say that
    reporting goes on, and `merged` and `bankrupt` have no form and are never inferred."""
    seasoning_days: int
    """Snapshot date less date filed."""
    seasoning_tier: Literal["S0", "S1", "S2"]
    """S0: no next annual report yet; S1: it was read; S2: the second was read, or 900 days have passed."""
    watch: bool
    """A notice names only quarters after this year end."""
    remediated_prior_mw: bool
    """Stratum: clean with weakness vocabulary."""
    scope_out: bool
    """Stratum: a business was left out of the assessment."""
    little_r_overlap: bool
    """Stratum: figures of this year were later revised without an admitted weakness."""
    nt_signal: bool
    """Stratum: a late-filing notice spoke of a possible weakness."""
    first_attested_year: bool | None
    """Stratum: the auditor's first ICFR opinion; null where the prior year was not seen."""
    rule_version: str
    """Version of the decision order."""
    snapshot_date: date
    """Everything filed up to this day was considered."""


class WithdrawnItemRow(Row):
    """One item of a published release whose label no longer stands. The release and its results stay as published."""

    dataset_version: str
    """Release that holds the item."""
    item_id: str
    """The item, or its twin in another arm."""
    accession: Accession
    """Annual report that it was made from."""
    cik: Cik
    """Registrant."""
    gold_icfr: Literal["clean", "deficient"]
    """Label as released."""
    clean_rating: Literal["attested", "management_only"] | None
    """Rating of a clean label as released."""
    cause: Literal["contradicted", "onset_unstated", "judged_otherwise", "not_judged"]
    """`contradicted`: evidence excludes the filing. `onset_unstated`: a later weakness waits for a person.
    `judged_otherwise`: the text reads otherwise, or another rule decides. `not_judged`: the filing is gone from the pool."""
    decision: Decision | None
    """Decision on the filing now; null where it is not judged."""
    reason: ExclusionReason | None
    """Why it is excluded now."""
    evidence_ids: list[str]
    """Evidence that stands against the filing now."""
    evidence_accessions: list[Accession]
    """Filings that hold this evidence."""
    evidence: list[Span]
    """The sentences, where they were read."""
    contradicted_on: date | None
    """Date filed of the earliest of this evidence; null without any."""
    rule_version: str | None
    """Rules that decide now."""
    snapshot_date: date
    """Everything filed up to this day was considered."""


CLEAN_POOL = (
    TableSpec(
        "contradicting_evidence", ContradictingEvidenceRow, "clean_pool", "none", ("evidence_id",),
        "Later documents that bear on an annual report's clean label: non-reliance, amendments, later admissions, withdrawals.",
    ),
    TableSpec(
        "clean_pool", CleanPoolRow, "clean_pool", "none", ("accession", "cik"),
        "One decision a filing (clean attested, clean management-only, deficient, excluded with a reason), with its trace.",
    ),
    TableSpec(
        "withdrawn_items", WithdrawnItemRow, "clean_pool", "none", ("dataset_version", "item_id"),
        "Items of published releases whose label no longer stands, with the evidence. Nothing published is edited.",
    ),
)  # fmt: skip
