"""`icfr-bench demo`: everything, offline, recorded in the demo's Dagster instance."""

from __future__ import annotations

import shutil

from rich.console import Console

from benchmark_pipeline.cli import plan
from benchmark_pipeline.cli.execution import dagster_instance, end_orphaned_runs, execute, quiet
from benchmark_pipeline.cli.results import print_headline
from benchmark_pipeline.evaluation.local_model import verify_model_file
from benchmark_pipeline.evaluation.model_registry import load_registry
from benchmark_pipeline.settings import Settings


def run_demo(settings: Settings, console: Console, *, fresh: bool) -> None:
    """Materializes every asset of the demo dataset and prints the headline."""
    quiet()
    verify_model_file()  # before anything else: without it the last third would fail
    if fresh:
        shutil.rmtree(settings.folder, ignore_errors=True)
    with dagster_instance(settings) as instance:
        from benchmark_pipeline.definitions import build_defs

        ended = end_orphaned_runs(instance)
        if ended:
            console.print(f"{ended} run(s) of a process that is gone were marked failed; going on from what is stored")
        models = load_registry(settings.models_file).enabled
        instance.add_dynamic_partitions("models", models)
        console.print(f"Demo dataset {settings.dataset_version}: fictional filings, {len(models)} models, no network.")
        runs = [*plan.acquisition(settings), *plan.dataset(), *plan.evaluation(settings, models), *plan.publication()]
        summary = execute(build_defs(settings), instance, runs, console)
    print_headline(settings, console)
    skipped = f", {len(summary.up_to_date)} were up to date" if summary.up_to_date else ""
    console.print(f"done in {summary.seconds:.0f} s, {len(summary.run_ids)} runs recorded{skipped}")
