"""The queue of runs: one run a provider at a time, several providers side by side.

A Dagster pool belongs to an asset, and one asset asks all providers. So a run that asks a model is tagged with its
provider when it is submitted, from the UI, a backfill, a schedule or a retry alike, and `dagster.yaml` limits the runs
of each value of the tag. Runs that the command line executes in its own process do not pass the queue: these wait in
`resources.provider_turn`, which holds for every process.
"""

from typing import Any

import dagster as dg
from dagster._core.run_coordinator import QueuedRunCoordinator, SubmitRunContext

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.evaluation.model_registry import load_registry
from benchmark_pipeline.settings import Settings

PROVIDER_TAG = "icfr-bench/provider"
MODEL_TAG = "dagster/partition/model"
"""Set by Dagster on every run of a partition of `model_responses`."""


class ProviderQueue(QueuedRunCoordinator[Any]):
    """Dagster's queue, with the provider of the model as a tag of the run."""

    def submit_run(self, context: SubmitRunContext) -> dg.DagsterRun:
        """Tags and enqueues one run."""
        name = context.dagster_run.tags.get(MODEL_TAG)
        account = account_of(name) if name is not None else None
        if account is not None:
            self._instance.add_run_tags(context.dagster_run.run_id, {PROVIDER_TAG: account})
        return super().submit_run(context)


def account_of(model: str) -> str | None:
    """Whose limits a model's calls count against; null where there are none, or the model is not in `models.yaml`."""
    try:
        return load_registry(Settings().models_file).get(model).account
    except BenchError:
        return None  # the run itself tells what is wrong with the entry
