"""Rows of the `items` stage: scenarios, items, reviews and paraphrase twins."""

from __future__ import annotations

from datetime import date
from typing import Literal

from .base import Accession, Cik, Row, Sha256, Span, Struct, TableSpec, Utc

Task = Literal["A", "B", "C", "D"]
TASKS: tuple[Task, ...] = ("A", "B", "C", "D")
LabelSource = Literal["disclosure", "human", "llm_draft_human_verified"]
"""How the truth of an item is established. Whether the human step has happened is in `review_status`."""
Component = Literal[
    "control_environment",
    "risk_assessment",
    "control_activities",
    "information_and_communication",
    "monitoring_activities",
]
COMPONENTS: tuple[Component, ...] = (
    "control_environment",
    "risk_assessment",
    "control_activities",
    "information_and_communication",
    "monitoring_activities",
)
Severity = Literal["control_deficiency", "significant_deficiency", "material_weakness"]
GapType = Literal[
    "segregation_of_duties",
    "precision",
    "evidence",
    "timeliness",
    "management_review",
    "access",
    "override",
    "service_org",
    "information",
    "completeness",
]
Population = Literal["sec_annual_report", "single_audit", "synthetic_scenario"]
ReviewStatus = Literal["pending", "accepted", "changed", "rejected"]
Arm = Literal["verbatim", "conclusion_masked", "paraphrase", "names_masked"]
ItemReject = Literal[
    "near_duplicate",
    "label_leak",
    "registrant_already_used",
    "not_english",
    "too_long",
    "too_short",
    "no_label",
    "symptom_unclear",
    "not_sampled",
    "text_missing",
]


class ScenarioRow(Row):
    """One half of an authored pair of control designs (Task B)."""

    scenario_id: str
    """Stable id: `<pair id>.<role>`."""
    pair_id: str
    """The pair."""
    pair_role: Literal["control", "variant"]
    """Which half."""
    pair_kind: Literal["minimal", "null", "reverse_plausible"]
    """`null`: the change must not move the verdict."""
    archetype: str
    """One of the twelve design questions."""
    process: Literal[
        "procure_to_pay", "order_to_cash", "close", "payroll", "inventory", "treasury", "tax", "fixed_assets"
    ]
    """Business process."""
    entity_size: Literal["small", "mid", "large"]
    """Size of the fictional company."""
    risk: str
    """What could go wrong, with the assertion."""
    process_narrative: str
    """The setting."""
    control_description: str
    """The control under judgement."""
    changed_sentence_index: int
    """The one sentence that differs between the halves, from 0 over narrative then control."""
    designed_effectively: bool
    """Gold."""
    gap_type: GapType | None
    """Gold, where not effective."""
    severity: Severity | None
    """Gold, where not effective."""
    principle: int
    """COSO principle, 1 to 17."""
    compensating_control: bool
    """A compensating control is among the stated facts."""
    drafted_by: str
    """`human`, or the model that drafted it."""
    drafting_prompt_sha256: Sha256 | None
    """Prompt of the drafting model, where there was one."""
    source_path: str
    """File that holds the scenario."""
    source_sha256: Sha256
    """SHA-256 of that file."""


class ItemRow(Row):
    """One question of the benchmark with its gold answer, or a candidate that was left out with the reason."""

    item_id: str
    """Stable: `<task>-<16 hex of the sha256 over task, source and text>`."""
    task: Task
    """A component and severity; B control design; C clean or deficient; D citation."""
    arm: Arm
    """`verbatim` is the benchmark; the others are diagnostics and never enter the headline."""
    text: str
    """What the model reads."""
    text_sha256: Sha256
    """SHA-256 of `text` in UTF-8."""
    fiscal_year_end: date | None
    """Date that the question states (Task C)."""
    population: Population
    """Where the item comes from; populations are reported apart."""
    jurisdiction: str
    """ISO 3166 alpha-2; XX for scenarios."""
    regime: Literal["sox_404", "uniform_guidance", "none"]
    """Reporting regime."""
    language: str
    """ISO 639-1."""
    fiscal_year: int | None
    """Fiscal or audit year."""
    form: str | None
    """Form of the source filing."""
    cik: Cik | None
    """Registrant."""
    company_key: str
    """Cluster of the statistics: CIK, hashed auditee key, or the scenario pair."""
    accession: Accession | None
    """Source filing."""
    source_span: Span | None
    """Where the text stands in its document."""
    source_ref: str
    """Source in words: accession and item, report id and reference, scenario id."""
    label_source: LabelSource
    """How the gold is established."""
    drafted_by: str | None
    """Model (or `human`) that drafted the text or the label; null where neither was drafted."""
    gradient_bearing: bool
    """The source could have expressed another severity: severity is scored only here."""
    gold_icfr: Literal["clean", "deficient"] | None
    """Task C."""
    clean_rating: Literal["attested", "management_only"] | None
    """Task C, clean items."""
    gold_effective: bool | None
    """Task B."""
    gold_gap_type: GapType | None
    """Task B, gaps."""
    gold_severity: Severity | None
    """A and B, gradient-bearing items only."""
    gold_component: Component | None
    """A and D: primary."""
    gold_components_accepted: list[Component]
    """A and D: accepted set, the primary included."""
    gold_citation: str | None
    """Task D: primary reference."""
    gold_citations_accepted: list[str]
    """Task D: accepted set, ordered."""
    gold_evidence: list[Span]
    """Spans that carry the answer; offsets for Task D are in `text` (document_sha256 is then `text_sha256`)."""
    root_cause_stated: bool | None
    """A and D: the passage states a cause and not only an error."""
    touches_itgc: bool
    """IT general controls are involved; scores are also printed without these."""
    pair_id: str | None
    """Task B pair."""
    pair_role: Literal["control", "variant"] | None
    """Task B half."""
    pair_kind: Literal["minimal", "null", "reverse_plausible"] | None
    """Task B kind."""
    twin_of: str | None
    """Verbatim item that a masked or paraphrased item belongs to."""
    replaces: str | None
    """Earlier item id of the same source whose text has changed."""
    seasoning_tier: Literal["S0", "S1", "S2"] | None
    """Clean items."""
    strata: list[str]
    """Hard strata and other tags."""
    sic_division: str | None
    """Industry division of the SIC code at filing."""
    inclusion_probability: float | None
    """Of the seeded stratified selection."""
    review_status: ReviewStatus
    """Set from the review log alone."""
    reviewed_by: list[str]
    """Reviewers who decided."""
    builder_version: str
    """Version of the builder."""
    reject_reason: ItemReject | None
    """Why the candidate is not an item."""
    reject_detail: str | None
    """What was seen."""


class ItemReviewRow(Row):
    """One decision of one reviewer, from the append-only review log."""

    decision_id: str
    """Stable id of the decision."""
    item_id: str
    """Item, paraphrase or scenario pair decided."""
    kind: Literal["item", "paraphrase", "scenario_pair"]
    """What was reviewed."""
    text_sha256: Sha256
    """Version of the text that the reviewer saw; another text voids the decision."""
    reviewer: str
    """A person; the review tool refuses model ids."""
    decision: Literal["accept", "change", "reject", "skip", "undo"]
    """What the reviewer decided; `undo` takes back an earlier decision of the same reviewer."""
    reason: str | None
    """Required to reject or change."""
    changes: str | None
    """Changed gold fields, as JSON."""
    seconds: float | None
    """Time on the item."""
    decided_at: Utc
    """When."""
    role: Literal["reader", "adjudicator"] = "reader"
    """An adjudicator decides where readers disagree, and has not read the item as a reader."""
    voids: str | None = None
    """With `undo`: id of the decision that is taken back."""


class InvariantResult(Struct):
    """One automatic check of a paraphrase."""

    name: str
    """Name of the invariant."""
    value: str
    """What was measured."""
    threshold: str
    """What was required."""
    passed: bool
    """Whether it held."""


class ParaphraseRow(Row):
    """One paraphrase twin of a disclosure item: its text, its checks, and whether it may be used."""

    item_id: str
    """Id of the twin as an item."""
    twin_of: str | None
    """Verbatim item, or the candidate that was left out; null where the filing gives no candidate."""
    arm: Literal["paraphrase", "names_masked"]
    """Kind of twin."""
    text: str
    """The rewritten text."""
    text_sha256: Sha256
    """SHA-256 of `text`."""
    paraphrased_by: str
    """Model that drafted it, or `rule` for the names-masked arm."""
    drafting_prompt_sha256: Sha256 | None
    """Prompt of the drafting model."""
    invariants: list[InvariantResult]
    """Every check, with its value."""
    status: Literal["usable", "rejected"]
    """Passed all blocking checks or not; a human still has to accept it."""
    reject_reasons: list[str]
    """Names of the checks that failed; `verbatim_item_not_in_set` where there is nothing to compare with, `draft_unreadable: …`
    where a model's answer holds no draft, `another_twin_is_used` where the section has a usable twin already."""
    review_status: ReviewStatus
    """From the review log."""


ITEMS = (
    TableSpec(
        "scenarios", ScenarioRow, "items", "none", ("scenario_id",),
        "Authored control designs in minimal pairs (Task B), validated against the construction rules.",
    ),
    TableSpec(
        "candidate_items", ItemRow, "items", "none", ("item_id",),
        "Every candidate question of tasks A to D with its gold answer; those left out carry the reason.",
    ),
    TableSpec(
        "item_reviews", ItemReviewRow, "items", "none", ("decision_id",),
        "Human decisions on items, from the append-only review log: the only thing that can set a reviewed state.",
    ),
    TableSpec(
        "labeled_items", ItemRow, "items", "none", ("item_id",),
        "The full item set that every model answers: accepted candidates with their review state.",
    ),
    TableSpec(
        "paraphrased_subset", ParaphraseRow, "items", "none", ("item_id",),
        "Paraphrase twins of disclosure items with the invariants each had to keep.",
    ),
)  # fmt: skip
