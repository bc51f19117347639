"""`icfr-bench models`: which models there are, what a run of them would cost, and the run."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmark_pipeline.cli import plan
from benchmark_pipeline.cli.execution import dagster_instance, end_orphaned_runs, execute, quiet
from benchmark_pipeline.errors import BenchError, ConfigurationError
from benchmark_pipeline.evaluation import preflight
from benchmark_pipeline.evaluation.answers import Question
from benchmark_pipeline.evaluation.cost import dry_run as estimate
from benchmark_pipeline.evaluation.model_registry import ModelEntry, load_registry
from benchmark_pipeline.evaluation.planning import plan_calls
from benchmark_pipeline.evaluation.prompts import load_prompts
from benchmark_pipeline.evaluation.request import Asked, PlannedCall, name_of_run
from benchmark_pipeline.evaluation.response_log import remaining
from benchmark_pipeline.evaluation.responses import outcome_counts, response_rows
from benchmark_pipeline.evaluation.spending import Spending
from benchmark_pipeline.resources.batches import require_batch_api
from benchmark_pipeline.resources.model_client import ModelClient, check_sendable
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.storage.lake import WHOLE
from benchmark_pipeline.tables.evaluation import INCOMPLETE, ModelResponseRow
from benchmark_pipeline.tables.items import TASKS, ItemRow, Task


@dataclass(frozen=True)
class Work:
    """One model and task: all planned calls, and those without a result."""

    model: ModelEntry
    task: Question
    prompt: Asked
    planned: list[PlannedCall]
    open: list[PlannedCall]


def print_models(settings: Settings, console: Console) -> None:
    """One line a model."""
    models = load_registry(settings.models_file).models
    rows = Lake(settings.storage_root).read(ModelResponseRow, "model_responses")
    results: dict[str, Counter[str]] = {}
    for row in rows:
        if row.dataset_version == settings.dataset_version and row.outcome not in INCOMPLETE:
            results.setdefault(name_of_run(row.model_id, row.run_id), Counter())[row.task] += 1
    console.print(
        f"{settings.models_file.name}, results in the {settings.profile} profile (tasks A B C D)", style="bold"
    )
    for model in models:
        counts = results.get(model.name, Counter())
        price = model.price
        facts = [
            "results " + " ".join(str(counts[task]) for task in TASKS),
            "in the default run" if model.enabled else "asked when named",
            *([] if model.kind == "baseline" else [_key(model)]),
            *([f"${price.input_per_million:g} in, ${price.output_per_million:g} out a million"] if price else []),
        ]
        console.print(model.name, markup=False)
        console.print("    " + " · ".join(facts), style="dim", markup=False)
    console.print("Run one: icfr-bench models run MODEL --dry-run    Add one: docs/models.md")


def _key(model: ModelEntry) -> str:
    if model.api_key_env is None:
        return "no key needed"
    return f"{model.api_key_env} {'is set' if os.environ.get(model.api_key_env) else 'is not set'}"


def run_models(
    settings: Settings,
    console: Console,
    names: Sequence[str],
    *,
    tasks: str = ",".join(TASKS),
    max_cost_usd: float | None = None,
    batch: bool = False,
    dry_run: bool = False,
) -> None:
    """Asks the models every open call, model by model; with `dry_run` only says what that would be.

    Raises:
        BenchError: something stands against it. Whatever can be known beforehand is told before the first call.
    """
    quiet()
    registry = load_registry(settings.models_file)
    models = [registry.get(name) for name in dict.fromkeys(names)]
    wanted = _tasks(tasks)
    client = ModelClient(settings.response_log_folder)
    work = _work(settings, models, wanted, client)
    if dry_run:
        print_estimates(work, console)
        return
    for part in work:
        preflight.check(part.model, part.open, os.environ)
        check_sendable(part.model, part.prompt, part.open)
        if batch:
            require_batch_api(part.model)
        Spending(part.model, part.open, max_cost_usd)
    from benchmark_pipeline.definitions import build_defs

    def budget() -> dict[str, Any]:
        left = max(0.0, max_cost_usd - client.spent_usd) if max_cost_usd is not None else None
        return {"ops": {"model_responses": {"config": {"max_cost_usd": left, "batch": batch}}}}

    with dagster_instance(settings) as instance:
        end_orphaned_runs(instance)
        chosen = [model.name for model in models]
        instance.add_dynamic_partitions("models", chosen)
        runs = plan.evaluation(settings, chosen, wanted, budget)
        failure: BenchError | None = None
        try:
            execute(build_defs(settings, model_client=client), instance, runs, console)
        except BenchError as error:
            failure = error
        print_outcomes(work, client, settings, console)
    if failure is not None:
        raise failure
    _say_what_is_next(settings, console)


def print_estimates(work: Sequence[Work], console: Console) -> None:
    """Calls that are open, their tokens, and the most they can cost, for each model; and what stands against a run."""
    console.print("Open calls, without retries", style="bold")
    for name, parts in _by_model(work).items():
        console.print(name, markup=False)
        table = Table(box=None, padding=(0, 2))
        for column in ("task", "planned", "to ask", "prompt tokens", "answer tokens", "at most $"):
            table.add_column(column, justify="left" if column == "task" else "right")
        sums = [0, 0, 0, 0]
        cost: float | None = 0.0
        for part in parts:
            size = estimate(part.open, part.model)
            price = 0.0 if part.model.free else size.cost_usd_at_most
            cost = None if cost is None or price is None else cost + price
            numbers = [len(part.planned), size.calls, size.prompt_tokens, size.output_tokens_at_most]
            sums = [a + b for a, b in zip(sums, numbers, strict=True)]
            table.add_row(part.task, *(f"{n:,}" for n in numbers), _money(price))
        table.add_row("all", *(f"{n:,}" for n in sums), _money(cost), style="bold")
        console.print(table)
    console.print("Prompt tokens at four characters a token, answer tokens at the full budget. Nothing was asked.")
    seen: set[str] = set()
    for part in work:
        try:
            preflight.check(part.model, part.open, os.environ)
            check_sendable(part.model, part.prompt, part.open)
        except ConfigurationError as error:
            if error.what not in seen:
                seen.add(error.what)
                console.print(f"not yet: {error.what}", style="yellow", markup=False)
                console.print(f"         {error.remedy}", markup=False)


def print_outcomes(work: Sequence[Work], client: ModelClient, settings: Settings, console: Console) -> None:
    """What became of every planned call, for each model and task, from the response log."""
    for part in work:
        settled = client.log(part.model.name, part.task).settled()
        rows = response_rows(part.planned, settled, model=part.model, dataset_version=settings.dataset_version)
        counts = ", ".join(f"{count} {outcome}" for outcome, count in outcome_counts(rows).items()) or "no items"
        failed = Counter(row.outcome_detail or "unknown" for row in rows if row.outcome == "transport_fail")
        if failed:
            counts += f" ({', '.join(f'{count} {kind}' for kind, count in failed.most_common())})"
        cost = sum(row.cost_usd or 0 for row in rows)
        money = f"  ${cost:,.4f} in all" if part.model.price and not part.model.free else ""
        console.print(f"{part.model.name} {part.task}: {counts}{money}", markup=False)
    console.print(f"this command: ${client.spent_usd:,.4f}")
    left = sum(len(remaining(part.planned, client.log(part.model.name, part.task).settled())) for part in work)
    if left:
        console.print(f"{left} calls have no result yet; the same command asks only these.", style="yellow")


def _say_what_is_next(settings: Settings, console: Console) -> None:
    rows = Lake(settings.storage_root).read(ModelResponseRow, "model_responses")
    asked: dict[str, set[Task]] = {}
    for row in rows:
        if (row.dataset_version, row.prompt_version) == (settings.dataset_version, settings.prompt_version):
            asked.setdefault(name_of_run(row.model_id, row.run_id), set()).add(row.task)
    lake = Lake(settings.storage_root)
    with_items = {item.task for item in lake.read(ItemRow, "labeled_items", [WHOLE])}
    partly = [f"{name} (not {', '.join(sorted(with_items - got))})" for name, got in asked.items() if with_items - got]
    if partly:
        console.print(f"Results are published once every task is asked: {'; '.join(sorted(partly))}", markup=False)
    else:
        command = "icfr-bench demo" if settings.profile == "demo" else "icfr-bench run"
        console.print(f"Publish: {command}, or the job publish_results in the UI", markup=False)


def _work(settings: Settings, models: Sequence[ModelEntry], tasks: Sequence[Task], client: ModelClient) -> list[Work]:
    prompts = load_prompts(settings.prompts_folder, settings.prompt_version)
    items = Lake(settings.storage_root).read(ItemRow, "labeled_items", [WHOLE])
    work = []
    for model in models:
        for task in tasks:
            planned = plan_calls(items, model, prompts[task])
            known = client.log(model.name, task).known()
            work.append(Work(model, task, prompts[task], planned, remaining(planned, known)))
    return work


def _tasks(text: str) -> list[Task]:
    asked = {part.strip().upper() for part in text.split(",") if part.strip()}
    if not asked or not asked <= set(TASKS):
        raise ConfigurationError(f"--tasks {text!r} names no tasks", remedy="give a list of A, B, C and D, such as A,C")
    return [task for task in TASKS if task in asked]


def _by_model(work: Sequence[Work]) -> dict[str, list[Work]]:
    groups: dict[str, list[Work]] = {}
    for part in work:
        groups.setdefault(part.model.name, []).append(part)
    return groups


def _money(value: float | None) -> str:
    return "no price" if value is None else f"{value:,.2f}" if value >= 1 or value == 0 else f"{value:.4f}"
