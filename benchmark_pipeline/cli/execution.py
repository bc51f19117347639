"""Running jobs in this process, recorded in the profile's Dagster instance, shown as a bar and a readable step log."""

from __future__ import annotations

import logging
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import dagster as dg
from dagster import DagsterRunStatus, RunsFilter
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Column

from benchmark_pipeline import progress, steps
from benchmark_pipeline.assets.common import range_tags
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.failures import COMMAND_TAG
from benchmark_pipeline.instance import write_instance_config
from benchmark_pipeline.pools import apply_pool_limits
from benchmark_pipeline.run_launcher import is_alive
from benchmark_pipeline.settings import PROJECT_ROOT, Settings

from .run_log import unhurried_commits

PROCESS_TAG = COMMAND_TAG


@dataclass(frozen=True)
class PlannedRun:
    """One run of one job: a partition, a range of partitions, or the whole."""

    job: str
    partition: str | dg.MultiPartitionKey | None = None
    partition_range: tuple[str, str] | None = None
    label: str = ""
    needed: Callable[[], bool] | None = None
    """Asked just before the run, when everything before it is done; false skips it."""
    config: Callable[[], dict[str, Any]] | None = None
    """Configuration of the run's steps, asked for just before the run."""


@dataclass
class RunSummary:
    """What a sequence of runs did."""

    seconds: float = 0.0
    run_ids: list[str] = field(default_factory=list)
    failed_checks: list[str] = field(default_factory=list)
    up_to_date: list[str] = field(default_factory=list)
    """Runs that were not needed."""


@contextmanager
def dagster_instance(settings: Settings) -> Iterator[dg.DagsterInstance]:
    """The profile's Dagster instance, with the project's dagster.yaml."""
    prepare_dagster_home(settings)
    with (
        unhurried_commits(settings.dagster_home),
        dg.DagsterInstance.from_config(str(settings.dagster_home)) as instance,
    ):
        apply_pool_limits(instance)
        yield instance


def prepare_dagster_home(settings: Settings) -> None:
    """Creates the instance folder and gives it the project's dagster.yaml, changed by the environment."""
    settings.dagster_home.mkdir(parents=True, exist_ok=True)
    write_instance_config(PROJECT_ROOT / "dagster.yaml", settings.dagster_home)
    os.environ["DAGSTER_HOME"] = str(settings.dagster_home)
    os.environ["ICFR_BENCH_PROFILE"] = settings.profile
    os.environ["ICFR_BENCH_DATA_ROOT"] = str(settings.data_root)


def end_orphaned_runs(instance: dg.DagsterInstance) -> int:
    """Marks runs whose process is gone as failed: a killed in-process run would stay STARTED for ever."""
    ended = 0
    for run in instance.get_runs(RunsFilter(statuses=[DagsterRunStatus.STARTED, DagsterRunStatus.STARTING])):
        process = run.tags.get(PROCESS_TAG)
        if process is not None and not is_alive(int(process)):
            instance.report_run_failed(run, f"process {process} ended without finishing this run")
            ended += 1
    return ended


def execute(
    definitions: dg.Definitions, instance: dg.DagsterInstance, runs: Sequence[PlannedRun], console: Console
) -> RunSummary:
    """Runs the jobs one after another; stops at the first failure.

    Raises:
        BenchError: a step failed; the message names the asset and its cause.
    """
    quiet()
    summary = RunSummary()
    begun = time.monotonic()
    with _bars(console) as shown:
        overall = shown.add_task("all runs", total=len(runs), what="")
        for run in runs:
            shown.update(overall, what=run.label or run.job)
            if run.needed is not None and not run.needed():
                summary.up_to_date.append(run.label or run.job)
            else:
                with _step_lines(shown, summary):
                    _execute_one(definitions, instance, run, summary)
            shown.advance(overall)
        shown.update(overall, what="done")
    summary.seconds = time.monotonic() - begun
    return summary


def _execute_one(
    definitions: dg.Definitions, instance: dg.DagsterInstance, run: PlannedRun, summary: RunSummary
) -> None:
    tags = {PROCESS_TAG: str(os.getpid())}
    if run.partition_range is not None:
        tags |= range_tags(*run.partition_range)
    try:
        result = definitions.resolve_job_def(run.job).execute_in_process(
            instance=instance,
            partition_key=run.partition,
            tags=tags,
            run_config={"loggers": {"readable": {}}, **(run.config() if run.config is not None else {})},
            raise_on_error=True,
        )
    except Exception as error:
        cause = _our_error(error)
        if cause is not None:
            raise BenchError(f"{run.label or run.job}: {cause.what}", remedy=cause.remedy) from error
        raise
    summary.run_ids.append(result.run_id)


def _our_error(error: BaseException | None) -> BenchError | None:
    # Dagster raises the user's error "from" the error that wraps it: the chain of causes can be a ring.
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, BenchError):
            return error
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None


def quiet() -> None:
    """Leaves the terminal to our own lines: a user can do nothing about a library's beta notices."""
    warnings.filterwarnings("ignore", category=dg.BetaWarning)
    warnings.filterwarnings("ignore", category=dg.PreviewWarning)
    logging.getLogger("dagster").setLevel(logging.WARNING)
    for noisy in ("httpx", "httpcore", "LiteLLM", "alembic"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def _bars(console: Console) -> Progress:
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description:<20}"),
        BarColumn(bar_width=10),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        # Time left, spend and failures take a second line where the terminal is narrow.
        TextColumn("{task.fields[what]}", table_column=Column(no_wrap=False)),
        console=_beside_captured_output(console),
        transient=True,
    )


def _beside_captured_output(console: Console) -> Console:
    """A console on a terminal of its own descriptor.

    Dagster sends standard output to a file while a step runs. A bar on it would find no terminal there, and stand still
    just as long as there is something to show.
    """
    if not console.is_terminal or console.file is not sys.stdout:
        return console
    terminal = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding=console.encoding)
    return Console(file=terminal, highlight=False)


@contextmanager
def bars(console: Console) -> Iterator[None]:
    """Shows the progress of work that is no run: a bar while the block lasts."""
    with _bars(console) as shown, _progress_bars(shown):
        yield


@contextmanager
def _step_lines(shown: Progress, summary: RunSummary) -> Iterator[None]:
    begun: dict[str, float] = {}

    def on_step(kind: str, line: str) -> None:
        if kind == "start":
            begun[line] = time.monotonic()
        elif kind == "done":
            step, _, what = line.partition("\t")
            seconds = time.monotonic() - begun.get(step, time.monotonic())
            shown.console.print(f"  [green]✓[/] {escape(what)}  [dim]{seconds:.1f} s[/]", highlight=False)
        elif kind == "check" and not line.endswith(" holds"):
            summary.failed_checks.append(line)
            shown.console.print(f"  [yellow]![/] {escape(line)}", highlight=False)
        elif kind == "error":
            shown.console.print(f"  [red]✗[/] {line}", highlight=False, markup=False)

    steps.add_sink(on_step)
    try:
        with _progress_bars(shown):
            yield
    finally:
        steps.remove_sink(on_step)


@contextmanager
def _progress_bars(shown: Progress) -> Iterator[None]:
    """A bar for each piece of work that tells its progress while the block lasts."""
    tasks: dict[str, Any] = {}

    def on_progress(what: str, done: int, total: int) -> None:
        if what not in tasks:
            tasks[what] = shown.add_task(what[:20], total=total, what="")
        shown.update(tasks[what], completed=done, total=total, what=escape(progress.note(what)))
        if done >= total:
            shown.remove_task(tasks.pop(what))

    try:
        with progress.listening(on_progress):
            yield
    finally:
        for task in tasks.values():
            shown.remove_task(task)
