"""Checks of the `evaluation` stage."""

import os

import dagster as dg

from benchmark_pipeline.assets.evaluation import current_responses, partition_of
from benchmark_pipeline.checks.words import in_words
from benchmark_pipeline.evaluation import audits
from benchmark_pipeline.evaluation.model_registry import load_registry
from benchmark_pipeline.evaluation.planning import plan_calls
from benchmark_pipeline.evaluation.prompts import load_prompts
from benchmark_pipeline.evaluation.request import name_of_run
from benchmark_pipeline.failures import PARTITION_TAG
from benchmark_pipeline.resources.model_client import ModelClient
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.storage.lake import WHOLE
from benchmark_pipeline.tables.evaluation import ModelResponseRow, ParsedAnswerRow, PromptTemplateRow, ScoreRow
from benchmark_pipeline.tables.items import TASKS, ItemRow, Task


def build(settings: Settings) -> list[dg.AssetChecksDefinition]:
    """The stage's checks for these settings."""

    @dg.asset_check(asset="prompt_templates", blocking=True, description="Stored prompts are the sealed ones.")
    def prompts_are_the_sealed_ones(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        stored = {row.task: row.sha256 for row in lake.read(PromptTemplateRow, "prompt_templates", [WHOLE])}
        sealed = load_prompts(settings.prompts_folder, settings.prompt_version)
        return _result([f"task {task}" for task in TASKS if stored.get(task) != sealed[task].sha256])

    @dg.asset_check(
        asset="model_responses",
        blocking=True,
        description="Every planned call of the partition has exactly one outcome.",
    )
    def every_planned_call_has_exactly_one_outcome(
        context: dg.AssetCheckExecutionContext, lake: dg.ResourceParam[Lake]
    ) -> dg.AssetCheckResult:
        registry = load_registry(settings.models_file)
        prompts = load_prompts(settings.prompts_folder, settings.prompt_version)
        items = lake.read(ItemRow, "labeled_items", [WHOLE])
        problems: list[str] = []
        for name, task, rows in _partitions(context, lake, settings):
            plan = plan_calls(items, registry.get(name), prompts[task])
            problems += audits.calls_without_one_outcome(plan, rows)
        return _result(problems)

    @dg.asset_check(asset="model_responses", blocking=True, description="One model answered a whole run.")
    def one_model_answered_a_run(
        context: dg.AssetCheckExecutionContext, lake: dg.ResourceParam[Lake]
    ) -> dg.AssetCheckResult:
        rows = [row for _, _, part in _partitions(context, lake, settings) for row in part]
        return _result(audits.runs_answered_by_several_models(rows))

    @dg.asset_check(asset="model_responses", blocking=True, description="The model that was asked for answered.")
    def the_model_that_was_asked_for_answered(
        context: dg.AssetCheckExecutionContext, lake: dg.ResourceParam[Lake]
    ) -> dg.AssetCheckResult:
        registry = load_registry(settings.models_file)
        parts = _partitions(context, lake, settings)
        rows = [row for _, _, part in parts for row in part]
        return _result(audits.answered_by_another_model(rows, {name: registry.get(name) for name, _, _ in parts}))

    @dg.asset_check(asset="model_responses", blocking=True, description="The response log holds no key material.")
    def no_key_is_in_the_response_log(
        context: dg.AssetCheckExecutionContext,
        lake: dg.ResourceParam[Lake],
        model_client: dg.ResourceParam[ModelClient],
    ) -> dg.AssetCheckResult:
        names = {entry.api_key_env for entry in load_registry(settings.models_file).models if entry.api_key_env}
        secrets = {name: os.environ[name] for name in names if os.environ.get(name)}
        folders = {model_client.log(model, task).folder for model, task, _ in _partitions(context, lake, settings)}
        return _result(
            audits.key_material((path for folder in sorted(folders) for path in folder.glob("*.jsonl")), secrets)
        )

    @dg.asset_check(asset="model_responses", description="Every call has a result; an incomplete run has no headline.")
    def every_call_has_a_result(
        context: dg.AssetCheckExecutionContext, lake: dg.ResourceParam[Lake]
    ) -> dg.AssetCheckResult:
        rows = [row for _, _, part in _partitions(context, lake, settings) for row in part]
        return _result(audits.calls_without_result(rows), severity=dg.AssetCheckSeverity.WARN)

    @dg.asset_check(asset="model_responses", description="At most one answer in a hundred is cut by our token budget.")
    def truncation_is_rare(context: dg.AssetCheckExecutionContext, lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        rows = [row for _, _, part in _partitions(context, lake, settings) for row in part]
        return _result(audits.truncated_too_often(rows), severity=dg.AssetCheckSeverity.WARN)

    @dg.asset_check(asset="parsed_answers", blocking=True, description="Every model was asked the full item set.")
    def every_model_is_asked_every_item(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        items = lake.read(ItemRow, "labeled_items", [WHOLE])
        return _result(audits.items_not_asked(current_responses(lake, settings), items))

    @dg.asset_check(asset="parsed_answers", blocking=True, description="No request key stands in two rows.")
    def no_request_key_is_used_twice(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        return _result(audits.repeated_request_keys(lake.read(ParsedAnswerRow, "parsed_answers", [WHOLE])))

    @dg.asset_check(asset="scores", blocking=True, description="Every answer to a current item has exactly one score.")
    def every_answer_is_scored_once(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        return _result(
            audits.answers_not_scored_once(
                lake.read(ParsedAnswerRow, "parsed_answers", [WHOLE]),
                lake.read(ScoreRow, "scores", [WHOLE]),
                lake.read(ItemRow, "labeled_items", [WHOLE]),
            )
        )

    return [
        prompts_are_the_sealed_ones,
        every_planned_call_has_exactly_one_outcome,
        one_model_answered_a_run,
        the_model_that_was_asked_for_answered,
        no_key_is_in_the_response_log,
        every_call_has_a_result,
        truncation_is_rare,
        every_model_is_asked_every_item,
        no_request_key_is_used_twice,
        every_answer_is_scored_once,
    ]


def _partitions(
    context: dg.AssetCheckExecutionContext, lake: Lake, settings: Settings
) -> list[tuple[str, Task, list[ModelResponseRow]]]:
    """The partition of this run; all current ones where the check runs by itself."""
    key = context.run.tags.get(PARTITION_TAG)
    if key is not None:
        name, task = partition_of(key)
        return [(name, task, lake.read(ModelResponseRow, "model_responses", [key]))]
    groups: dict[tuple[str, Task], list[ModelResponseRow]] = {}
    for row in current_responses(lake, settings):
        groups.setdefault((name_of_run(row.model_id, row.run_id), row.task), []).append(row)
    return [(name, task, rows) for (name, task), rows in sorted(groups.items())]


def _result(problems: list[str], severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        passed=not problems,
        severity=severity,
        description=in_words(problems),
        metadata={"problems": len(problems), "first": problems[:10]},
    )
