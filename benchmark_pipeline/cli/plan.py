"""The runs that take a dataset from its sources to its report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg

from benchmark_pipeline.cli.execution import PlannedRun
from benchmark_pipeline.evaluation.model_registry import load_registry
from benchmark_pipeline.evaluation.planning import plan_calls
from benchmark_pipeline.evaluation.prompts import load_prompts
from benchmark_pipeline.evaluation.responses import is_complete
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.storage.lake import WHOLE
from benchmark_pipeline.tables.evaluation import ModelResponseRow
from benchmark_pipeline.tables.items import TASKS, ItemRow, Task


def acquisition(settings: Settings) -> list[PlannedRun]:
    """Filings of all fiscal years, then findings of all audit years: one run each."""
    return [
        PlannedRun("acquire_filings", partition_range=_range(settings.fiscal_years), label="filings"),
        PlannedRun("acquire_findings", partition_range=_range(settings.audit_years), label="findings"),
    ]


def dataset() -> list[PlannedRun]:
    """Decisions and items."""
    return [PlannedRun("build_items", label="items")]


def evaluation(
    settings: Settings,
    models: Sequence[str],
    tasks: Sequence[Task] = TASKS,
    config: Callable[[], dict[str, Any]] | None = None,
) -> list[PlannedRun]:
    """One run a model and task; one whose every planned call has its result in the lake is not needed."""
    return [
        PlannedRun(
            "evaluate_model",
            partition=dg.MultiPartitionKey({"model": model, "task": task}),
            label=f"{model} {task}",
            needed=partial(_has_open_calls, settings, model, task),
            config=config,
        )
        for model in models
        for task in tasks
    ]


def _has_open_calls(settings: Settings, model_id: str, task: Task) -> bool:
    lake = Lake(settings.storage_root)
    partition = dg.MultiPartitionKey({"model": model_id, "task": task})
    if Path(lake.path("model_responses", partition)).stem not in lake.partitions("model_responses"):
        return True
    prompt = load_prompts(settings.prompts_folder, settings.prompt_version)[task]
    items = lake.read(ItemRow, "labeled_items", [WHOLE])
    planned = plan_calls(items, load_registry(settings.models_file).get(model_id), prompt)
    rows = lake.read(ModelResponseRow, "model_responses", [partition])
    stored = {row.request_key for row in rows if row.dataset_version == settings.dataset_version}
    return stored != {call.request_key for call in planned} or not is_complete(rows)


def publication() -> list[PlannedRun]:
    """Scores, headline, warehouse, report, release folder."""
    return [PlannedRun("publish_results", label="publication")]


def _range(years: list[int]) -> tuple[str, str]:
    return str(min(years)), str(max(years))
