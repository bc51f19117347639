"""The runs that take a dataset from its sources to its report."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import dagster as dg

from benchmark_pipeline.cli.execution import PlannedRun
from benchmark_pipeline.evaluation.model_registry import Registry, load_registry
from benchmark_pipeline.evaluation.planning import plan_calls
from benchmark_pipeline.evaluation.prompts import Prompt, load_prompts
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
    results = _Results(settings)
    return [
        PlannedRun(
            "evaluate_model",
            partition=dg.MultiPartitionKey({"model": model, "task": task}),
            label=f"{task} {_short(model)}",
            needed=partial(results.has_open_calls, model, task),
            config=config,
        )
        for model in models
        for task in tasks
    ]


def _short(model: str) -> str:
    """A model's name with the first characters of its hash, so that a line of the terminal holds it."""
    return re.sub(r"(@(?:sha256:)?[0-9a-f]{8})[0-9a-f]+", r"\1", model)


class _Results:
    """What the lake holds of the planned calls. Read at the first question: the items may not be built before."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lake = Lake(settings.storage_root)

    @cached_property
    def _items(self) -> list[ItemRow]:
        return self._lake.read(ItemRow, "labeled_items", [WHOLE])

    @cached_property
    def _prompts(self) -> Mapping[Task, Prompt]:
        return load_prompts(self._settings.prompts_folder, self._settings.prompt_version)

    @cached_property
    def _registry(self) -> Registry:
        return load_registry(self._settings.models_file)

    def has_open_calls(self, model_id: str, task: Task) -> bool:
        """Whether any planned call of a model and task has no result in the lake."""
        partition = dg.MultiPartitionKey({"model": model_id, "task": task})
        if Path(self._lake.path("model_responses", partition)).stem not in self._lake.partitions("model_responses"):
            return True
        planned = plan_calls(self._items, self._registry.get(model_id), self._prompts[task])
        rows = self._lake.read(ModelResponseRow, "model_responses", [partition])
        stored = {row.request_key for row in rows if row.dataset_version == self._settings.dataset_version}
        return stored != {call.request_key for call in planned} or not is_complete(rows)


def publication() -> list[PlannedRun]:
    """Scores, headline, warehouse, report, release folder."""
    return [PlannedRun("publish_results", label="publication")]


def _range(years: list[int]) -> tuple[str, str]:
    return str(min(years)), str(max(years))
