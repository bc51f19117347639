"""Sensors: what follows from something that has happened. All are stopped until somebody starts them in the UI.

Each asks for a run under a key that names its cause, so that a tick that is evaluated twice starts one run.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import dagster as dg
from dagster import DagsterRunStatus, RunsFilter

from benchmark_pipeline.assets.evaluation import MODELS
from benchmark_pipeline.errors import ConfigurationError
from benchmark_pipeline.evaluation.model_registry import load_registry
from benchmark_pipeline.failures import BY_HAND, COMMAND_TAG, RETRY_TAG, unattended_failures
from benchmark_pipeline.open_calls import OpenCalls
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.storage.lake import WHOLE
from benchmark_pipeline.tables.clean_pool import WithdrawnItemRow
from benchmark_pipeline.tables.items import TASKS, Task

MOST_AT_ONCE = 50
"""Runs that may have ended between two ticks."""
UNDER_WAY = [
    DagsterRunStatus.QUEUED,
    DagsterRunStatus.NOT_STARTED,
    DagsterRunStatus.STARTING,
    DagsterRunStatus.STARTED,
    DagsterRunStatus.CANCELING,
]


def build_sensors(settings: Settings, jobs: Sequence[dg.JobDefinition]) -> list[dg.SensorDefinition]:
    """All sensors; `jobs` are the pipeline's, by which the status sensors know what they watch."""
    named = {job.name: job for job in jobs}
    return [
        _follow(
            "items_are_built_after_a_refresh",
            [named["acquire_filings"], named["acquire_findings"]],
            named["build_items"],
            "After a refresh every filing is judged again and the items are built: contradicted ones are withdrawn.",
        ),
        _follow(
            "answers_are_published",
            [named["evaluate_model"]],
            named["publish_results"],
            "When the last model run has finished, the answers are scored and published.",
        ),
        _withdrawn(settings),
        _failed([job for job in jobs if job.name not in BY_HAND]),
        _new_models(settings),
        _new_items(settings),
    ]


def _follow(
    name: str, after: Sequence[dg.JobDefinition], then: dg.JobDefinition, description: str
) -> dg.SensorDefinition:
    @dg.run_status_sensor(
        name=name,
        run_status=DagsterRunStatus.SUCCESS,
        monitored_jobs=list(after),
        request_job=then,
        description=description,
        minimum_interval_seconds=30,
    )
    def follow(context: dg.RunStatusSensorContext) -> dg.RunRequest | dg.SkipReason:
        finished = context.dagster_run
        if COMMAND_TAG in finished.tags:
            return dg.SkipReason(f"run {finished.run_id} belongs to a command, which goes on by itself")
        # Of several runs, as a backfill starts them, the last one is followed.
        for job in after:
            if context.instance.get_runs_count(RunsFilter(job_name=job.name, statuses=UNDER_WAY)):
                return dg.SkipReason(f"{job.name} is still running; the last run of it is followed")
        return dg.RunRequest(run_key=f"after:{_last_of(context.instance, after) or finished.run_id}")

    return follow


def _last_of(instance: dg.DagsterInstance, jobs: Sequence[dg.JobDefinition]) -> str | None:
    """The run that ended last: when several have ended before the tick, all of them ask for the same run."""
    ended = [
        (record.end_time or record.update_timestamp.timestamp(), record.storage_id, record.dagster_run.run_id)
        for job in jobs
        for record in instance.get_run_records(
            RunsFilter(job_name=job.name, statuses=[DagsterRunStatus.SUCCESS]), limit=MOST_AT_ONCE
        )
        if COMMAND_TAG not in record.dagster_run.tags
    ]
    return max(ended)[-1] if ended else None


def _withdrawn(settings: Settings) -> dg.SensorDefinition:
    @dg.sensor(
        name="withdrawn_items_are_published",
        job_name="publish_results",
        minimum_interval_seconds=60,
        description=(
            "An item of a published release whose label no longer stands is published as withdrawn: warehouse, report and "
            "the next release say so. The release itself stays as it was. It waits until the models have been asked the items "
            "that took its place, since nothing is published of a model that was asked a part."
        ),
    )
    def withdrawn(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        lake = Lake(settings.storage_root)
        if WHOLE not in lake.partitions("withdrawn_items"):
            return dg.SkipReason("withdrawn_items has not been materialized")
        announced = set(json.loads(context.cursor)) if context.cursor else set()
        rows = {_mark(row): row for row in lake.read(WithdrawnItemRow, "withdrawn_items")}
        new = sorted(rows.keys() - announced)
        # An item that stands again is forgotten, so that it is announced if it falls a second time.
        cursor = json.dumps(sorted(rows))
        if not new:
            return dg.SensorResult(
                skip_reason=f"{len(rows)} withdrawn items, all of them published as such", cursor=cursor
            )
        try:
            waiting = _to_ask(context.instance, settings)
        except ConfigurationError as error:
            return _waits_for(error)
        if waiting:
            return dg.SkipReason(
                f"{len(new)} withdrawn items wait until {waiting[0][0]} has been asked task {waiting[0][1]}"
            )
        for mark in new:
            row = rows[mark]
            context.log.info(
                f"release {row.dataset_version}: {row.item_id} no longer stands ({row.reason or row.cause})"
            )
        key = hashlib.sha256("\n".join([*sorted(announced), "", *new]).encode()).hexdigest()[:16]
        request = dg.RunRequest(run_key=f"withdrawn:{key}", tags={"icfr-bench/newly_withdrawn": str(len(new))})
        return dg.SensorResult(run_requests=[request], cursor=cursor)

    return withdrawn


def _mark(row: WithdrawnItemRow) -> str:
    told = (row.dataset_version, row.item_id, row.cause, *sorted(row.evidence_accessions))
    return hashlib.sha256("\x1f".join(told).encode()).hexdigest()[:16]


def _failed(jobs: Sequence[dg.JobDefinition]) -> dg.SensorDefinition:
    @dg.sensor(
        name="failed_runs_are_retried",
        minimum_interval_seconds=600,
        jobs=jobs,
        description=(
            "A partition whose last run failed an hour ago, and that nobody has started again, is run again, three times at "
            "most. Runs of models are left to a person, because they cost money."
        ),
    )
    def failed(context: dg.SensorEvaluationContext) -> Iterator[dg.RunRequest | dg.SkipReason]:
        given_up = []
        requested = 0
        for failure in unattended_failures(context.instance, datetime.now(UTC)):
            if not failure.may_be_retried:
                given_up.append(str(failure))
                continue
            requested += 1
            yield dg.RunRequest(
                run_key=f"retry:{failure.run_id}",
                job_name=failure.job,
                partition_key=failure.partition,
                run_config=failure.run_config,
                tags={**failure.range_tags, RETRY_TAG: str(failure.attempt + 1)},
            )
        for line in given_up:
            context.log.warning(f"waits for a person: {line}")
        if not requested:
            yield dg.SkipReason("wait for a person: " + "; ".join(given_up) if given_up else "nothing failed")

    return failed


def _new_models(settings: Settings) -> dg.SensorDefinition:
    @dg.sensor(
        name="new_models_are_evaluated",
        job_name="evaluate_model",
        minimum_interval_seconds=60,
        description=(
            "A model that was enabled in models.yaml is asked every task, within ICFR_BENCH_NEW_MODEL_BUDGET_USD a task "
            "(0: only models that cost nothing)."
        ),
    )
    def new_models(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        if WHOLE not in Lake(settings.storage_root).partitions("labeled_items"):
            return dg.SkipReason("there are no items yet: run build_items")
        try:
            enabled = load_registry(settings.models_file).enabled
        except ConfigurationError as error:
            return _waits_for(error)
        known = set(context.instance.get_dynamic_partitions(MODELS.name or ""))
        new = [model for model in enabled if model not in known]
        if not new:
            return dg.SkipReason(f"all {len(enabled)} enabled models are known")
        return dg.SensorResult(
            dynamic_partitions_requests=[MODELS.build_add_request(new)],
            run_requests=[
                _ask(settings, model, task, f"{model}:{task}:{settings.dataset_version}:{settings.prompt_version}")
                for model in new
                for task in TASKS
            ],
        )

    return new_models


def _new_items(settings: Settings) -> dg.SensorDefinition:
    @dg.sensor(
        name="new_items_are_asked",
        job_name="evaluate_model",
        minimum_interval_seconds=120,
        description=(
            "Items that a refresh brought, or that took the place of withdrawn ones, are asked of every model that has answered "
            "before, within ICFR_BENCH_NEW_MODEL_BUDGET_USD a task (0: only models that cost nothing). What is answered stays."
        ),
    )
    def new_items(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        if context.instance.get_runs_count(RunsFilter(job_name="evaluate_model", statuses=UNDER_WAY)):
            return dg.SkipReason("evaluate_model is running; what it leaves open is seen when it has ended")
        try:
            waiting = _to_ask(context.instance, settings)
        except ConfigurationError as error:
            return _waits_for(error)
        if not waiting:
            return dg.SkipReason("every known model has been asked every item")
        # The items' own version: one attempt for each state of the item set, whatever became of it.
        items = (Lake(settings.storage_root).sha256("labeled_items") or "")[:16]
        return dg.SensorResult(
            run_requests=[
                _ask(settings, model, task, f"items:{items}:{model}:{task}:{settings.prompt_version}")
                for model, task in waiting
            ],
        )

    return new_items


def _waits_for(error: ConfigurationError) -> dg.SkipReason:
    """A models.yaml that is being edited is no failure: the next tick reads it again."""
    return dg.SkipReason(f"{error.what} ({error.remedy})")


def _to_ask(instance: dg.DagsterInstance, settings: Settings) -> list[tuple[str, Task]]:
    """Enabled models that have answered before, with the tasks of which a call is open."""
    if WHOLE not in Lake(settings.storage_root).partitions("labeled_items"):
        return []
    known = set(instance.get_dynamic_partitions(MODELS.name or ""))
    calls = OpenCalls(settings)
    return [
        (model, task)
        for model in load_registry(settings.models_file).enabled
        if model in known
        for task in TASKS
        if calls.exist(model, task)
    ]


def _ask(settings: Settings, model: str, task: Task, run_key: str) -> dg.RunRequest:
    return dg.RunRequest(
        run_key=run_key,
        partition_key=dg.MultiPartitionKey({"model": model, "task": task}),
        run_config={"ops": {"model_responses": {"config": {"max_cost_usd": settings.new_model_budget_usd}}}},
    )
