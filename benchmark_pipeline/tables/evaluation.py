"""Rows of the `evaluation` stage: prompts, responses, answers and scores."""

from __future__ import annotations

from typing import Literal

from .base import Row, Sha256, TableSpec, Utc
from .items import Arm, Task

Outcome = Literal[
    "answered",
    "parse_fail",
    "schema_fail",
    "truncated",
    "empty",
    "refused",
    "filtered",
    "transport_fail",
    "not_run",
]
"""Exactly one a planned call. `transport_fail` and `not_run` are not results: a run with any is incomplete."""
FAILURES: tuple[Outcome, ...] = ("parse_fail", "schema_fail", "truncated", "empty", "refused", "filtered")
INCOMPLETE: tuple[Outcome, ...] = ("transport_fail", "not_run")


class PromptTemplateRow(Row):
    """One version of one task's prompt."""

    task: Task
    """Task."""
    prompt_version: str
    """Version of the whole prompt set: `pv1`, …"""
    template: str
    """Template text (Jinja)."""
    json_schema: str
    """Answer schema, as JSON."""
    notes: str
    """Why it is so worded."""
    sha256: Sha256
    """SHA-256 over template and schema; any byte changed without a new version fails."""


class ModelResponseRow(Row):
    """One planned call and how it ended, with the raw answer."""

    request_key: Sha256
    """SHA-256 over provider, model, parameters, prompt and item: the same request is never paid twice."""
    dataset_version: str
    """Dataset that the item belongs to."""
    prompt_version: str
    """Prompt set."""
    model_id: str
    """Full identifier asked for."""
    run_id: str
    """Evaluation run; repeats of a model are separate runs."""
    task: Task
    """Task."""
    item_id: str
    """Item."""
    arm: Arm
    """Arm of the item."""
    outcome: Outcome
    """How the call ended."""
    outcome_detail: str | None
    """Kind within the outcome: `fenced`, `not_json`, schema path, provider reason."""
    attempts: int
    """Attempts made, all of them in the response log."""
    returned_model: str | None
    """Model that the provider says answered."""
    fingerprint: str | None
    """Provider's system fingerprint."""
    finish_reason: str | None
    """As returned."""
    raw_body: str | None
    """Answer body as received."""
    content: str | None
    """Text of the answer."""
    schema_enforcement: Literal["json_schema", "json_object", "none", "not_applicable"]
    """What the provider was asked to enforce."""
    parameters: str
    """Parameters sent, as JSON."""
    prompt_sha256: Sha256
    """SHA-256 of the messages sent."""
    prompt_tokens: int | None
    """As the provider counts."""
    completion_tokens: int | None
    """As the provider counts."""
    latency_seconds: float | None
    """Of the last attempt."""
    cost_usd: float | None
    """From the dated price table; null where the table has no price."""
    started_at: Utc | None
    """First attempt."""
    finished_at: Utc | None
    """Last attempt."""


class ParsedAnswerRow(Row):
    """One answer read strictly against its task's schema; nothing is salvaged."""

    request_key: Sha256
    """The call."""
    dataset_version: str
    """Version of the dataset whose items were answered."""
    prompt_version: str
    """Version of the prompts that asked."""
    model_id: str
    """Model, in full and dated."""
    run_id: str
    """Which of several runs of the same model on the same items."""
    task: Task
    """Task."""
    item_id: str
    """Item."""
    arm: Arm
    """Arm."""
    outcome: Outcome
    """Of the call."""
    answer_icfr: Literal["clean", "deficient"] | None
    """Task C."""
    answer_effective: bool | None
    """Task B."""
    answer_gap_type: str | None
    """Task B."""
    answer_severity: str | None
    """A and B."""
    answer_component: str | None
    """A and D."""
    answer_citation: str | None
    """Task D; null is an answer there (abstains)."""
    answer_evidence: str | None
    """Verbatim span that the model quotes."""


class ScoreRow(Row):
    """One answer against its gold: one row a call, measures that do not apply are null."""

    request_key: Sha256
    """The call."""
    dataset_version: str
    """Version of the dataset whose items were answered."""
    prompt_version: str
    """Version of the prompts that asked."""
    scoring_version: str
    """Version of the rules that scored, such as `sv1`."""
    model_id: str
    """Model, in full and dated."""
    run_id: str
    """Which of several runs of the same model on the same items."""
    task: Task
    """Task."""
    item_id: str
    """Item."""
    arm: Arm
    """Arm."""
    outcome: Outcome
    """Of the call."""
    answered: bool
    """Outcome is `answered`."""
    flagged_deficient: bool | None
    """C: the model says deficient (answered calls only)."""
    false_positive: bool | None
    """C, clean items, answered: flagged."""
    true_positive: bool | None
    """C, deficient items, answered: flagged."""
    correct: bool | None
    """Main measure of the task: C verdict, B verdict, A component primary, D citation accepted. Null unanswered."""
    component_correct: bool | None
    """A and D: component equals the primary."""
    component_accepted: bool | None
    """A and D: component is in the accepted set."""
    severity_correct: bool | None
    """Gradient-bearing items with a severity."""
    severity_distance: int | None
    """Tiers between answer and gold."""
    gap_type_correct: bool | None
    """B, gaps judged as gaps."""
    citation_valid: bool | None
    """D: the reference exists in the registry."""
    citation_exact: bool | None
    """D: equals the primary."""
    citation_hallucinated: bool | None
    """D: cites what does not exist."""
    citation_abstained: bool | None
    """D: answered null."""
    evidence_exact: bool | None
    """D: the quoted span is in the text."""
    evidence_hit: bool | None
    """D: overlaps a gold span by half or more of its tokens."""


EVALUATION = (
    TableSpec(
        "prompt_templates", PromptTemplateRow, "evaluation", "none", ("task", "prompt_version"),
        "One standardised prompt a task, with its answer schema, versioned together.",
    ),
    TableSpec(
        "model_responses", ModelResponseRow, "evaluation", "model_task", ("request_key",),
        "Every planned call with its one outcome and the raw answer, from the append-only response log.",
    ),
    TableSpec(
        "parsed_answers", ParsedAnswerRow, "evaluation", "none", ("request_key",),
        "Answers read strictly against the task's JSON schema; failures stay counted failures.",
    ),
    TableSpec(
        "scores", ScoreRow, "evaluation", "none", ("request_key", "scoring_version"),
        "Each answer against its gold label.",
    ),
)  # fmt: skip
