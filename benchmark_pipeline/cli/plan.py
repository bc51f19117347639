"""The runs that take a dataset from its sources to its report."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import dagster as dg

from benchmark_pipeline.cli.execution import PlannedRun
from benchmark_pipeline.open_calls import OpenCalls
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.tables.items import TASKS, Task


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
    calls = OpenCalls(settings)
    return [
        PlannedRun(
            "evaluate_model",
            partition=dg.MultiPartitionKey({"model": model, "task": task}),
            label=f"{task} {_short(model)}",
            needed=partial(calls.exist, model, task),
            config=config,
        )
        for model in models
        for task in tasks
    ]


def _short(model: str) -> str:
    """A model's name with the first characters of its hash, so that a line of the terminal holds it."""
    return re.sub(r"(@(?:sha256:)?[0-9a-f]{8})[0-9a-f]+", r"\1", model)


def publication() -> list[PlannedRun]:
    """Scores, headline, warehouse, report, release folder."""
    return [PlannedRun("publish_results", label="publication")]


def _range(years: list[int]) -> tuple[str, str]:
    return str(min(years)), str(max(years))
