"""The answer of each task: closed labels, every field required, nothing else allowed.

The models double as JSON schemas in the strict dialect that providers enforce (all fields required, null as a type,
`additionalProperties: false`), so that what a model is asked for and what is accepted are one definition.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from benchmark_pipeline.tables.items import Component, GapType, Severity, Task

Drafting = Literal["paraphrase", "label", "entailment"]
"""What models are asked while the dataset is made: never scored, always waiting for a person."""
Question = Task | Drafting
"""Everything that a model is asked through one client."""

Citation = Annotated[str, StringConstraints(pattern=r"^(COSO-[0-9]{1,2}|AS2201\.[A-Z]?[0-9]{1,3})$", max_length=12)]
"""The form of a reference. Whether it exists is scored, not enforced: an invented number must stay countable."""
Evidence = Annotated[str, StringConstraints(max_length=400)]
"""A quotation; 400 characters are about 60 words."""


class Answer(BaseModel):
    """What every answer shares."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class AnswerA(Answer):
    """COSO component of a deficiency, and its severity."""

    component: Component
    severity: Severity | None


class AnswerB(Answer):
    """Whether a control is designed effectively; gap and severity where it is not."""

    designed_effectively: bool
    gap_type: GapType | None
    severity: Severity | None


class AnswerC(Answer):
    """State of ICFR at the fiscal year end."""

    icfr: Literal["clean", "deficient"]


class AnswerD(Answer):
    """The reference that governs a deficiency, with the words that show it; a null citation abstains."""

    citation: Citation | None
    component: Component
    evidence: Evidence


class DraftParaphrase(Answer):
    """A section in other words."""

    paraphrase: Annotated[str, StringConstraints(min_length=1)]


class DraftLabel(Answer):
    """A proposed label of one deficiency. Whether it keeps the labelling guide is judged by `items.labels`."""

    component: Component
    components_accepted: Annotated[list[Component], Field(max_length=3)]
    citation: Citation | None
    citations_accepted: Annotated[list[Citation], Field(max_length=3)]
    evidence: Evidence
    root_cause_stated: bool
    touches_itgc: bool


class JudgedEntailment(Answer):
    """How probable it is that a text states nothing that another does not."""

    probability: Annotated[float, Field(ge=0, le=1, strict=False)]


ANSWERS: dict[Question, type[Answer]] = {
    "A": AnswerA, "B": AnswerB, "C": AnswerC, "D": AnswerD,
    "paraphrase": DraftParaphrase, "label": DraftLabel, "entailment": JudgedEntailment,
}  # fmt: skip

MAX_TOKENS: dict[Task, int] = {"A": 64, "B": 96, "C": 32, "D": 480}
"""Room for the longest answer that the schema allows, in tokens of the embedded model, and some slack.

A model that reasons before it answers needs more: `max_tokens` in its registry entry wins.
"""

DRAFTING_TOKENS: dict[Drafting, int] = {"paraphrase": 2048, "label": 512, "entailment": 32}
"""As `MAX_TOKENS`, for drafting. Apart, because the budgets of the tasks are part of every run's identity."""

_BASIC_DROPS = ("pattern", "maxLength", "minLength", "maxItems", "minimum", "maximum")


def token_budget(question: Question) -> int:
    """Tokens that an answer may take where the model's entry sets none."""
    budgets: dict[Any, int] = {**dict[Any, int](MAX_TOKENS), **dict[Any, int](DRAFTING_TOKENS)}
    return budgets[question]


def answer_schema(task: Question) -> dict[str, Any]:
    """The question's JSON schema (draft 2020-12), without the decorations that pydantic adds."""
    schema: dict[str, Any] = _plain(ANSWERS[task].model_json_schema())
    return schema


def basic_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema without bounds, for providers that refuse them. Answers are still read against the full one."""
    basic: dict[str, Any] = _without(schema, _BASIC_DROPS)
    return basic


def _plain(node: Any) -> Any:
    if isinstance(node, dict):
        # A property may itself be called "title" or "description"; only annotations (strings) are dropped.
        return {
            key: _plain(value)
            for key, value in node.items()
            if not (key in ("title", "description") and isinstance(value, str))
        }
    return [_plain(value) for value in node] if isinstance(node, list) else node


def _without(node: Any, keys: tuple[str, ...]) -> Any:
    if isinstance(node, dict):
        return {key: _without(value, keys) for key, value in node.items() if key not in keys}
    return [_without(value, keys) for value in node] if isinstance(node, list) else node
