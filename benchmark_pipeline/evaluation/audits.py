"""What must hold of responses and scores: each audit returns the problems it found, in words; none is good."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmark_pipeline.tables.evaluation import INCOMPLETE, ModelResponseRow, ParsedAnswerRow, ScoreRow
from benchmark_pipeline.tables.items import TASKS, ItemRow

from .model_registry import ModelEntry
from .planning import task_items
from .request import PlannedCall, name_of_run

_KEY_SHAPES = re.compile(
    rb"(?<![A-Za-z0-9])(sk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}|AIza[A-Za-z0-9_-]{30,})|Bearer [A-Za-z0-9._-]{16,}"
)
"""Keys as common providers form them, and an authorisation header."""


def calls_without_one_outcome(plan: Sequence[PlannedCall], rows: Iterable[ModelResponseRow]) -> list[str]:
    """Planned calls that have no row or several, and rows that nobody planned."""
    found = Counter(row.request_key for row in rows)
    planned = {call.request_key: call.item_id for call in plan}
    problems = [f"{planned[key]}: {found[key]} outcomes" for key in planned if found[key] != 1]
    return problems + [f"request {key[:12]} was not planned" for key in found if key not in planned]


def items_not_asked(responses: Iterable[ModelResponseRow], items: Sequence[ItemRow]) -> list[str]:
    """Items that a model was not asked, or was asked and are not in the item set: no model is scored on a sample."""
    asked: dict[str, dict[str, Counter[str]]] = {}
    for row in responses:
        asked.setdefault(f"{row.model_id} ({row.run_id})", {}).setdefault(row.task, Counter())[row.item_id] += 1
    problems = []
    for model, by_task in sorted(asked.items()):
        for task in TASKS:
            wanted = {item.item_id for item in task_items(items, task)}
            got = by_task.get(task, Counter())
            missing, extra = wanted - set(got), set(got) - wanted
            twice = [item_id for item_id, count in got.items() if count > 1]
            if missing or extra or twice:
                problems.append(
                    f"{model}, task {task}: {len(missing)} of {len(wanted)} items not asked, {len(extra)} not in the "
                    f"item set, {len(twice)} asked twice"
                )
    return problems


def repeated_request_keys(rows: Iterable[ModelResponseRow | ParsedAnswerRow | ScoreRow]) -> list[str]:
    """Request keys that stand in more than one row."""
    return [
        f"{key[:12]} in {count} rows" for key, count in Counter(row.request_key for row in rows).items() if count > 1
    ]


def runs_answered_by_several_models(rows: Iterable[ModelResponseRow]) -> list[str]:
    """Runs in which the provider named more than one model."""
    named: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        if row.returned_model is not None:
            named.setdefault((row.model_id, row.run_id), set()).add(row.returned_model)
    return [f"{model} {run}: {', '.join(sorted(names))}" for (model, run), names in named.items() if len(names) > 1]


def answered_by_another_model(rows: Iterable[ModelResponseRow], models: Mapping[str, ModelEntry]) -> list[str]:
    """Runs whose replies name a model that was not asked for.

    Args:
        rows: Responses.
        models: Entry of every run's name (`ModelEntry.name`).
    """
    named: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        if row.returned_model is not None:
            name = name_of_run(row.model_id, row.run_id)
            if not models[name].is_answered_as(row.returned_model):
                named.setdefault((name, row.task), Counter())[row.returned_model] += 1
    return [
        f"{name}, task {task}: {count} answers of {other!r}"
        for (name, task), others in named.items()
        for other, count in sorted(others.items())
    ]


def calls_without_result(rows: Iterable[ModelResponseRow]) -> list[str]:
    """Calls that ended in transport failure or were never made: the run is incomplete."""
    return [f"{row.item_id}: {row.outcome} ({row.outcome_detail})" for row in rows if row.outcome in INCOMPLETE]


def truncated_too_often(rows: Iterable[ModelResponseRow], limit: float = 0.01) -> list[str]:
    """Models that ran out of tokens on more than one call in a hundred: the budget is ours, so they are to be run again."""
    calls: dict[tuple[str, str], list[bool]] = {}
    for row in rows:
        calls.setdefault((row.model_id, row.task), []).append(row.outcome == "truncated")
    return [
        f"{model}, task {task}: {sum(cut)} of {len(cut)} answers truncated"
        for (model, task), cut in calls.items()
        if sum(cut) > limit * len(cut)
    ]


def key_material(files: Iterable[Path], secrets: Mapping[str, str]) -> list[str]:
    """Log files that hold a known key or something shaped like one; the problem names file and variable, not the key.

    Args:
        files: Files of the response log.
        secrets: Environment variable to its value; values under eight characters are too short to look for.
    """
    problems = []
    for path in files:
        body = path.read_bytes()
        named = [name for name, value in secrets.items() if len(value) >= 8 and value.encode() in body]
        if named:
            problems.append(f"{path.name} holds the value of {named[0]}")
        elif match := _KEY_SHAPES.search(body):
            problems.append(f"{path.name} holds something shaped like a key at byte {match.start()}")
    return problems


def answers_not_scored_once(answers: Sequence[ParsedAnswerRow], scores: Sequence[ScoreRow],
                            items: Iterable[ItemRow]) -> list[str]:  # fmt: skip
    """Answers to current items without exactly one score, and scores whose outcome is not the answer's."""
    current = {item.item_id for item in items}
    wanted = {row.request_key: row for row in answers if row.item_id in current}
    count = Counter(row.request_key for row in scores)
    problems = [f"{row.item_id}: {count[key]} scores" for key, row in wanted.items() if count[key] != 1]
    problems += [f"score {key[:12]} belongs to no answer" for key in count if key not in wanted]
    problems += [
        f"{row.item_id}: outcome {row.outcome} scored as {'' if row.answered else 'not '}answered"
        for row in scores
        if row.answered != (row.outcome == "answered")
    ]
    return problems
