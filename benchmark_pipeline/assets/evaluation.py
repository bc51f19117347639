"""Assets of the `evaluation` stage: sealed prompts, model responses, parsed answers, scores."""

from collections import Counter

import dagster as dg
from pydantic import Field

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.evaluation.model_registry import load_registry
from benchmark_pipeline.evaluation.planning import plan_calls, task_items
from benchmark_pipeline.evaluation.prompts import load_prompts
from benchmark_pipeline.evaluation.responses import is_complete, measures, outcome_counts, response_rows
from benchmark_pipeline.evaluation.scoring import SCORING_VERSION, parse_response, score_answers
from benchmark_pipeline.resources.model_client import ModelClient
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.storage.lake import WHOLE
from benchmark_pipeline.tables.evaluation import ModelResponseRow, ParsedAnswerRow
from benchmark_pipeline.tables.items import TASKS, ItemRow, Task

from .common import logging_progress, record, table_asset, table_markdown

MODELS = dg.DynamicPartitionsDefinition(name="models")
TASK_PARTITIONS = dg.StaticPartitionsDefinition(list(TASKS))
MODEL_TASKS = dg.MultiPartitionsDefinition({"model": MODELS, "task": TASK_PARTITIONS})
"""One partition a model and task. Models are added to the instance from `models.yaml`."""


class AskConfig(dg.Config):
    """What one run of `model_responses` may do."""

    max_cost_usd: float | None = Field(
        default=None, description="No call is started that could take this run over so many US dollars; null: no limit."
    )
    batch: bool = Field(default=False, description="Use the provider's batch API: slower, and cheaper at most.")


def build(settings: Settings) -> list[dg.AssetsDefinition]:
    """The stage's assets for these settings."""

    @table_asset("prompt_templates")
    def prompt_templates(context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake]) -> None:
        prompts = load_prompts(settings.prompts_folder, settings.prompt_version)
        written = lake.write("prompt_templates", [prompts[task].row() for task in TASKS])
        record(
            context,
            written,
            prompt_version=settings.prompt_version,
            prompts=table_markdown([{"task": task, "sha256": prompts[task].sha256} for task in TASKS]),
        )

    @table_asset(
        "model_responses",
        deps=("labeled_items", "prompt_templates"),
        partitions=MODEL_TASKS,
        kinds=("parquet", "litellm"),
        backfill=dg.BackfillPolicy.multi_run(1),
    )
    def model_responses(
        context: dg.AssetExecutionContext,
        config: AskConfig,
        lake: dg.ResourceParam[Lake],
        model_client: dg.ResourceParam[ModelClient],
    ) -> None:
        name, task = partition_of(context.partition_key)
        model = load_registry(settings.models_file).get(name)
        prompt = load_prompts(settings.prompts_folder, settings.prompt_version)[task]
        items = lake.read(ItemRow, "labeled_items", [WHOLE])
        plan = plan_calls(items, model, prompt)
        with logging_progress(context):
            summary = model_client.run(model, prompt, plan, task_items(items, task), max_cost_usd=config.max_cost_usd)
        settled = model_client.log(name, task).settled()
        rows = response_rows(plan, settled, model=model, dataset_version=settings.dataset_version)
        written = lake.write("model_responses", rows, context.partition_key)
        record(
            context,
            written,
            planned_calls=summary.planned,
            calls_made=summary.calls_made,
            answered_before=summary.answered_before,
            unfinished_log_lines=summary.torn_lines,
            stopped_by_budget=summary.stopped_by_budget,
            outcomes=outcome_counts(rows),
            complete=is_complete(rows),
            seconds=round(summary.seconds, 2),
            calls_per_second=round(summary.calls_made / summary.seconds, 2) if summary.calls_made else 0.0,
            spent_in_this_run_usd=round(summary.spent_usd, 6),
            lowest_concurrency=summary.lowest_concurrency,
            **measures(rows),
        )

    @table_asset("parsed_answers", deps=("model_responses",))
    def parsed_answers(context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake]) -> None:
        responses = current_responses(lake, settings)
        answers = [parse_response(response) for response in responses]
        record(
            context,
            lake.write("parsed_answers", answers),
            outcomes=table_markdown(_outcome_table(responses)),
        )

    @table_asset("scores", deps=("parsed_answers", "labeled_items"), code_version=SCORING_VERSION)
    def scores(context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake]) -> None:
        items = {item.item_id: item for item in lake.read(ItemRow, "labeled_items", [WHOLE])}
        answers = lake.read(ParsedAnswerRow, "parsed_answers", [WHOLE])
        rows = score_answers(answers, items)
        record(
            context,
            lake.write("scores", rows),
            scoring_version=SCORING_VERSION,
            answers_to_withdrawn_items=len(answers) - len(rows),
        )

    return [prompt_templates, model_responses, parsed_answers, scores]


def partition_of(partition_key: str) -> tuple[str, Task]:
    """Model (`ModelEntry.name`) and task of a partition key `<model>|<task>` (Dagster orders the dimensions by name).

    Raises:
        BenchError: the key has another form.
    """
    model_id, _, name = partition_key.rpartition("|")
    for task in TASKS:
        if task == name and model_id:
            return model_id, task
    raise BenchError(f"{partition_key!r} is no partition of model_responses", remedy="give <model id>|<A, B, C or D>")


def current_responses(lake: Lake, settings: Settings) -> list[ModelResponseRow]:
    """Responses to the dataset and prompt version in force; partitions of others stay in the lake and are not mixed in."""
    identity = (settings.dataset_version, settings.prompt_version)
    rows = lake.read(ModelResponseRow, "model_responses")
    return [row for row in rows if (row.dataset_version, row.prompt_version) == identity]


def _outcome_table(rows: list[ModelResponseRow]) -> list[dict[str, object]]:
    groups: dict[tuple[str, str], list[ModelResponseRow]] = {}
    for row in rows:
        groups.setdefault((row.model_id, row.task), []).append(row)
    names = sorted(Counter(row.outcome for row in rows))
    table: list[dict[str, object]] = []
    for (model_id, task), group in sorted(groups.items()):
        counts = Counter(row.outcome for row in group)
        table.append({"model": model_id, "task": task, "calls": len(group), **{name: counts[name] for name in names}})
    return table
