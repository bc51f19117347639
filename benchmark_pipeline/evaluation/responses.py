"""From plan and log to rows: every planned call gets exactly one outcome, `not_run` where the log knows nothing of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import cast, get_args

from benchmark_pipeline.tables.evaluation import INCOMPLETE, ModelResponseRow, Outcome
from benchmark_pipeline.tables.items import Task

from .model_registry import ModelEntry
from .request import PlannedCall
from .response_log import Settled


def response_rows(
    plan: Sequence[PlannedCall], settled: Mapping[str, Settled], *, model: ModelEntry, dataset_version: str
) -> list[ModelResponseRow]:
    """One row a planned call, in the plan's order."""
    return [_row(call, settled.get(call.request_key), model, dataset_version) for call in plan]


def outcome_counts(rows: Iterable[ModelResponseRow]) -> dict[str, int]:
    """Rows by outcome, with the kind behind a slash for parse failures (`parse_fail/fenced`)."""
    counts: Counter[str] = Counter()
    for row in rows:
        kind = f"/{row.outcome_detail}" if row.outcome == "parse_fail" and row.outcome_detail else ""
        counts[f"{row.outcome}{kind}"] += 1
    return dict(sorted(counts.items()))


def is_complete(rows: Iterable[ModelResponseRow]) -> bool:
    """Whether every planned call has a result."""
    return all(row.outcome not in INCOMPLETE for row in rows)


def measures(rows: Sequence[ModelResponseRow]) -> dict[str, int | float | None]:
    """Numbers of one partition that are worth a plot over time: one count an outcome, tokens, latency, cost."""
    latencies = sorted(row.latency_seconds for row in rows if row.latency_seconds is not None)
    costs = [row.cost_usd for row in rows if row.cost_usd is not None]
    counts = Counter(row.outcome for row in rows)
    return {
        **{f"outcome_{outcome}": counts[outcome] for outcome in get_args(Outcome)},
        "attempts": sum(row.attempts for row in rows),
        "prompt_tokens": sum(row.prompt_tokens or 0 for row in rows),
        "completion_tokens": sum(row.completion_tokens or 0 for row in rows),
        "median_latency_seconds": _quantile(latencies, 0.5),
        "p95_latency_seconds": _quantile(latencies, 0.95),
        # Null and not 0 where the price table has no price.
        "cost_usd": round(sum(costs), 6) if costs else None,
    }


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    return round(ordered[min(int(share * len(ordered)), len(ordered) - 1)], 4) if ordered else None


def _row(call: PlannedCall, state: Settled | None, model: ModelEntry, dataset_version: str) -> ModelResponseRow:
    last = state.last if state else None
    tokens = (last.prompt_tokens, last.completion_tokens) if last else (None, None)
    cost = None
    if model.price is not None and tokens[0] is not None and tokens[1] is not None:
        cost = model.price.cost(tokens[0], tokens[1])
        if last is not None and last.batch_id is not None:
            cost *= model.price.batch_share
    return ModelResponseRow(
        request_key=call.request_key,
        dataset_version=dataset_version,
        prompt_version=call.prompt_version,
        model_id=call.model_id,
        run_id=call.run_id,
        task=cast(Task, call.task),  # only tasks are planned for this table; the row model proves it
        item_id=call.item_id,
        arm=call.arm,
        outcome=last.outcome if last else "not_run",
        outcome_detail=last.outcome_detail if last else None,
        attempts=state.attempts if state else 0,
        returned_model=last.returned_model if last else None,
        fingerprint=last.fingerprint if last else None,
        finish_reason=last.finish_reason if last else None,
        raw_body=last.raw_body if last else None,
        content=last.content if last else None,
        schema_enforcement=model.enforcement,
        parameters=call.parameters,
        prompt_sha256=call.prompt_sha256,
        prompt_tokens=tokens[0],
        completion_tokens=tokens[1],
        latency_seconds=last.latency_seconds if last else None,
        cost_usd=cost,
        started_at=state.first_started_at if state else None,
        finished_at=last.finished_at if last else None,
    )
