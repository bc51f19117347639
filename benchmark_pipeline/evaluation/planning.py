"""The plan of an evaluation: every item for every model, no sampling, and the proof of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.tables.items import ItemRow, Task

from .answers import MAX_TOKENS, basic_schema
from .baselines import RULES_VERSION, baseline_parameters
from .local_model import runtime_parameters
from .model_registry import ModelEntry
from .prompts import Prompt
from .request import Asked, PlannedCall, RequestIdentity, canonical_json, run_id, sha256_of


def plan_calls(items: Sequence[ItemRow], model: ModelEntry, prompt: Prompt) -> list[PlannedCall]:
    """One call for every item of the prompt's task.

    The order is that of the request keys: fixed, and unrelated to gold, source or pairing, so that the halves of a
    pair do not follow each other.

    Args:
        items: The labeled items of all tasks; candidates that were left out are not among them.
        model: Whom to ask.
        prompt: The task's prompt.

    Raises:
        BenchError: an item's text cannot be sent.
    """
    parameters = {**model.call_parameters(prompt.task), **identity_parameters(model, items, prompt.task)}
    run = run_of(model)
    schema = sha256_of([model.enforcement, request_schema(model, prompt)])
    sent = canonical_json(parameters)
    calls = []
    for item in task_items(items, prompt.task):
        try:
            item.text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise BenchError(
                f"item {item.item_id} holds a lone surrogate at character {error.start} and cannot be sent",
                remedy="withdraw the item, or correct the text normalisation and build the items again",
            ) from error
        messages = prompt.messages(item)
        calls.append(
            planned_call(
                model,
                prompt,
                item,
                messages,
                run=run,
                parameters=sent,
                schema_sha256=schema,
                shown_sha256=item.text_sha256,
            )
        )
    calls.sort(key=lambda call: call.request_key)
    check_plan(calls, items, prompt.task)
    return calls


def planned_call(
    model: ModelEntry, prompt: Asked, item: ItemRow, messages: list[dict[str, str]], *, run: str, parameters: str,
    schema_sha256: str, shown_sha256: str,
) -> PlannedCall:  # fmt: skip
    """One request under the key of all that distinguishes it, whatever it is asked for.

    Args:
        model: Whom to ask.
        prompt: What is asked.
        item: What it is asked of.
        messages: What is sent.
        run: Id of the run, from `run_of`.
        parameters: The parameters sent, as canonical JSON.
        schema_sha256: Hash of the answer's schema and of how it is enforced.
        shown_sha256: Hash of the texts shown: the item's, where it alone is.
    """
    identity = RequestIdentity(
        provider=model.provider,
        model_id=model.id,
        run_id=run,
        parameters=parameters,
        prompt_sha256=sha256_of(messages),
        schema_sha256=schema_sha256,
        item_id=item.item_id,
        text_sha256=shown_sha256,
    )
    return PlannedCall(
        request_key=identity.key,
        run_id=run,
        model_id=model.id,
        task=prompt.task,
        item_id=item.item_id,
        arm=item.arm,
        prompt_version=prompt.version,
        prompt_sha256=identity.prompt_sha256,
        parameters=parameters,
        schema_enforcement=model.enforcement,
        messages=messages,
    )


def run_of(model: ModelEntry) -> str:
    """The id of the run that this entry of `models.yaml` describes, the same for all tasks."""
    settings = {
        "model": model.id,
        "parameters": model.parameters,
        "budgets": MAX_TOKENS,
        "enforcement": [model.enforcement, model.schema_keywords],
        "runtime": runtime_parameters() if model.local else {},
        "rules": RULES_VERSION if model.kind == "baseline" else None,
    }
    return run_id(settings, model.repeat)


def identity_parameters(model: ModelEntry, items: Sequence[ItemRow], task: Task) -> dict[str, Any]:
    """What else than its parameters identifies a model's answers: a baseline's rules, the embedded model's runtime."""
    if model.kind == "baseline":
        return baseline_parameters(model.id, task_items(items, task))
    return runtime_parameters() if model.local else {}


def task_items(items: Iterable[ItemRow], task: Task) -> list[ItemRow]:
    """Items of one task that are asked: all arms, nothing that was left out or rejected by a reviewer."""
    return [
        item for item in items if item.task == task and item.reject_reason is None and item.review_status != "rejected"
    ]


def request_schema(model: ModelEntry, prompt: Asked) -> dict[str, Any]:
    """The schema that is sent to this model."""
    return basic_schema(prompt.schema) if model.schema_keywords == "basic" else prompt.schema


def check_plan(calls: Sequence[PlannedCall], items: Sequence[ItemRow], task: Task) -> None:
    """Proves that a plan asks every item once.

    Raises:
        BenchError: an item is missing or asked twice, or two calls share a key.
    """
    wanted = sorted(item.item_id for item in task_items(items, task))
    planned = sorted(call.item_id for call in calls)
    if planned != wanted:
        odd = sorted(set(wanted) ^ set(planned)) or [i for i in planned if planned.count(i) > 1]
        raise BenchError(
            f"the plan of task {task} is not the full item set: {len(planned)} calls for {len(wanted)} items ({odd[:3]})"
        )
    if len({call.request_key for call in calls}) != len(calls):
        raise BenchError(f"two calls of task {task} share a request key", remedy="two items have the same id and text")
