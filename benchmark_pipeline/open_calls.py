"""Which models have still to be asked which tasks: known before a run is started, from the lake alone."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import dagster as dg

from benchmark_pipeline.evaluation.model_registry import Registry, load_registry
from benchmark_pipeline.evaluation.planning import plan_calls
from benchmark_pipeline.evaluation.prompts import Prompt, load_prompts
from benchmark_pipeline.evaluation.responses import is_complete
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.storage.lake import WHOLE
from benchmark_pipeline.tables.evaluation import ModelResponseRow
from benchmark_pipeline.tables.items import ItemRow, Task


class OpenCalls:
    """Planned calls without a result in the lake. It is read at the first question: the items may not be built before."""

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

    def exist(self, model_id: str, task: Task) -> bool:
        """Whether any planned call of a model and task has no result in the lake."""
        partition = dg.MultiPartitionKey({"model": model_id, "task": task})
        if Path(self._lake.path("model_responses", partition)).stem not in self._lake.partitions("model_responses"):
            return True
        planned = plan_calls(self._items, self._registry.get(model_id), self._prompts[task])
        rows = self._lake.read(ModelResponseRow, "model_responses", [partition])
        stored = {row.request_key for row in rows if row.dataset_version == self._settings.dataset_version}
        return stored != {call.request_key for call in planned} or not is_complete(rows)
