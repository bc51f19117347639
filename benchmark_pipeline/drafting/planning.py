"""The plan of a drafting run: one call a passage, in the order given, so that a budget cuts off its end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from benchmark_pipeline.errors import ConfigurationError
from benchmark_pipeline.evaluation.local_model import runtime_parameters
from benchmark_pipeline.evaluation.model_registry import ModelEntry
from benchmark_pipeline.evaluation.planning import planned_call, request_schema, run_of
from benchmark_pipeline.evaluation.request import PlannedCall, canonical_json, sha256_of
from benchmark_pipeline.items.identity import text_sha256
from benchmark_pipeline.tables.items import ItemRow

from .prompts import DraftingPrompt


@dataclass(frozen=True)
class Passage:
    """What a model is shown."""

    item: ItemRow
    """The item it belongs to."""
    shown: dict[str, str]
    """Texts by the name that the prompt's template gives them."""

    @property
    def text_sha256(self) -> str:
        """Hash of everything shown."""
        return text_sha256("\x1f".join(self.shown[name] for name in sorted(self.shown)))


def plan_drafts(passages: Iterable[Passage], model: ModelEntry, prompt: DraftingPrompt) -> list[PlannedCall]:
    """One call a passage; the same passage, model and prompt always give the same request.

    Raises:
        ConfigurationError: a baseline was named, which can draft nothing.
    """
    if model.kind == "baseline":
        raise ConfigurationError(f"{model.id} is a rule and drafts nothing", remedy="name a language model")
    parameters = canonical_json({**model.call_parameters(prompt.task), **(runtime_parameters() if model.local else {})})
    run, schema = run_of(model), sha256_of([model.enforcement, request_schema(model, prompt)])
    calls = []
    for passage in passages:
        digest = passage.text_sha256
        messages = prompt.messages(passage.shown, f"=== {digest[:8]} ===")
        calls.append(
            planned_call(
                model,
                prompt,
                passage.item,
                messages,
                run=run,
                parameters=parameters,
                schema_sha256=schema,
                shown_sha256=digest,
            )
        )
    return calls
