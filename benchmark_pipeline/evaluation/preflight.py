"""What would make calls fail, found before the first is paid for: key, context, schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmark_pipeline.errors import ConfigurationError

from .cost import CHARACTERS_PER_TOKEN
from .model_registry import ModelEntry, known_model
from .request import PlannedCall
from .spending import output_budget


def check(model: ModelEntry, calls: Sequence[PlannedCall], environment: Mapping[str, str]) -> None:
    """Refuses a run that cannot succeed. Calls that were answered already need none of this: pass what remains.

    Raises:
        ConfigurationError: no key or address, items beyond the context, or a provider that cannot enforce the schema.
    """
    if model.kind == "baseline" or not calls:
        return
    if model.local is None:
        _reachable(model, environment)
        _schema(model)
    if model.over_context == "stop":
        _context(model, calls)


def context_tokens(model: ModelEntry) -> int | None:
    """Longest prompt and answer together, where it is known."""
    if model.context_tokens is not None:
        return model.context_tokens
    known = known_model(model).get("max_input_tokens")
    return known if isinstance(known, int) else None


def over_context(model: ModelEntry, calls: Sequence[PlannedCall]) -> list[tuple[str, int]]:
    """Items whose prompt and answer cannot fit, with the tokens that they need by the estimate of `dry_run`."""
    limit = context_tokens(model)
    if limit is None:
        return []
    sizes = [(call.item_id, _tokens(call)) for call in calls]
    return [(item_id, size) for item_id, size in sizes if size > limit]


def _tokens(call: PlannedCall) -> int:
    characters = sum(len(message["content"]) for message in call.messages)
    return round(characters / CHARACTERS_PER_TOKEN) + output_budget(call)


def _reachable(model: ModelEntry, environment: Mapping[str, str]) -> None:
    if model.api_key_env and not environment.get(model.api_key_env):
        raise ConfigurationError(
            f"{model.id} needs a key and {model.api_key_env} is not set",
            remedy=f"export {model.api_key_env}=… in the environment that starts the run",
        )
    if model.api_key_env is None and model.api_base is None:
        raise ConfigurationError(f"{model.id} names neither api_key_env nor api_base", remedy="add one in models.yaml")


def _schema(model: ModelEntry) -> None:
    known = known_model(model)
    if model.schema_enforcement == "json_schema" and known and not known.get("supports_response_schema"):
        raise ConfigurationError(
            f"{model.id}: litellm's model list does not say that this provider enforces a JSON schema",
            remedy="set `schema_enforcement: json_object` or `none` in models.yaml: it is recorded with every call, and "
            "answers are read against the schema all the same",
        )


def _context(model: ModelEntry, calls: Sequence[PlannedCall]) -> None:
    over = sorted(over_context(model, calls), key=lambda found: -found[1])
    if over:
        item_id, tokens = over[0]
        raise ConfigurationError(
            f"{model.id} takes {context_tokens(model):,} tokens; {len(over)} of {len(calls)} items of task "
            f"{calls[0].task} need more, {item_id} about {tokens:,}",
            remedy="set `context_tokens` if the model takes more, or `over_context: ask` to send them all the same: "
            "each then ends as `refused` where the provider refuses it",
        )
