"""What follows by itself: every sensor evaluated without a daemon, on instances that hold the runs in question."""

import hashlib
import warnings
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml
from dagster import DagsterRunStatus

from benchmark_pipeline.cli.execution import dagster_instance, prepare_dagster_home
from benchmark_pipeline.definitions import build_defs
from benchmark_pipeline.demo.profile import demo_settings
from benchmark_pipeline.errors import ConfigurationError
from benchmark_pipeline.failures import COMMAND_TAG, RANGE_TAGS, RETRY_TAG, unattended_failures
from benchmark_pipeline.instance import instance_config
from benchmark_pipeline.pools import POOL_LIMITS, apply_pool_limits
from benchmark_pipeline.settings import PROJECT_ROOT, Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.clean_pool import WithdrawnItemRow
from benchmark_pipeline.tables.items import ItemRow

LATER = timedelta(hours=2)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    root = tmp_path_factory.mktemp("sensors")
    models = root / "models.yaml"
    models.write_text((PROJECT_ROOT / "models.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    return demo_settings(data_root=root, models_file=models)


@pytest.fixture(scope="module")
def definitions(settings: Settings) -> dg.Definitions:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)
        return build_defs(settings)


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as ephemeral:
        yield ephemeral


def tick(definitions: dg.Definitions, instance: dg.DagsterInstance, name: str, cursor: str | None = None) -> Any:
    context = dg.build_sensor_context(instance=instance, cursor=cursor, definitions=definitions)
    return definitions.resolve_sensor_def(name).evaluate_tick(context)


def add_run(instance: dg.DagsterInstance, job: str, status: DagsterRunStatus, **tags: str) -> str:
    named = {"partition": "dagster/partition", "first": RANGE_TAGS[0], "last": RANGE_TAGS[1],
             "retry": RETRY_TAG, "process": COMMAND_TAG}  # fmt: skip
    run = dg.DagsterRun(job_name=job, status=status, tags={named[key]: value for key, value in tags.items()})
    return instance.add_run(run).run_id


def failed(instance: dg.DagsterInstance, after: timedelta = LATER) -> list[str]:
    return [str(failure).split(" (")[0] for failure in unattended_failures(instance, datetime.now(UTC) + after)]


def withdrawn(item: str, cause: str = "contradicted") -> WithdrawnItemRow:
    return WithdrawnItemRow(
        dataset_version="0.1.0", item_id=item, accession="0000000001-24-000001", cik="0000000001", gold_icfr="clean",
        clean_rating="attested", cause=cause, decision="excluded", reason="contradicted_E1", evidence_ids=["e"],
        evidence_accessions=["0000000001-25-000009"], evidence=[], contradicted_on=date(2025, 5, 1), rule_version="r",
        snapshot_date=date(2025, 6, 30),
    )  # fmt: skip


def test_a_newly_withdrawn_item_is_published_once(
    definitions: dg.Definitions, instance: dg.DagsterInstance, settings: Settings
) -> None:
    name, lake = "withdrawn_items_are_published", Lake(settings.storage_root)
    assert "not been materialized" in tick(definitions, instance, name).skip_message
    lake.write("withdrawn_items", [withdrawn("C-1")])
    first = tick(definitions, instance, name)
    (request,) = first.run_requests
    assert request.run_key.startswith("withdrawn:")
    assert {target.job_name for target in definitions.resolve_sensor_def(name).targets} == {"publish_results"}
    # The same tick evaluated again, before its cursor was kept, asks under the same key, and no second run starts.
    assert tick(definitions, instance, name).run_requests[0].run_key == request.run_key
    assert "all of them published" in tick(definitions, instance, name, first.cursor).skip_message
    lake.write("withdrawn_items", [withdrawn("C-1"), withdrawn("C-2")])
    second = tick(definitions, instance, name, first.cursor)
    assert second.run_requests[0].run_key != request.run_key
    assert second.run_requests[0].tags["icfr-bench/newly_withdrawn"] == "1"


def test_an_item_that_falls_a_second_time_is_published_again(
    definitions: dg.Definitions, instance: dg.DagsterInstance, settings: Settings
) -> None:
    name, lake = "withdrawn_items_are_published", Lake(settings.storage_root)
    cursor, keys = None, []
    for items in (["C-1", "C-2"], ["C-2"], ["C-1", "C-2"]):
        lake.write("withdrawn_items", [withdrawn(item) for item in items])
        result = tick(definitions, instance, name, cursor)
        cursor = result.cursor
        keys.append([request.run_key for request in result.run_requests])
    assert [len(part) for part in keys] == [1, 0, 1]
    assert keys[0] != keys[2]


def test_a_failed_partition_that_nobody_retries_is_run_again(
    definitions: dg.Definitions, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = add_run(instance, "acquire_filings", DagsterRunStatus.FAILURE, partition="2023")
    assert tick(definitions, instance, "failed_runs_are_retried").skip_message == "nothing failed"  # not an hour ago
    monkeypatch.setattr("benchmark_pipeline.failures.QUIET", timedelta(0))
    monkeypatch.setattr("benchmark_pipeline.sensors.datetime", Tomorrow)
    (request,) = tick(definitions, instance, "failed_runs_are_retried").run_requests
    assert (request.job_name, request.partition_key, request.run_key) == ("acquire_filings", "2023", f"retry:{run_id}")
    assert request.tags[RETRY_TAG] == "1"


class Tomorrow(datetime):
    """A clock that is a day ahead."""

    @classmethod
    def now(cls, tz: Any = None) -> "Tomorrow":
        return super().now(tz) + timedelta(days=1)


def test_only_the_last_run_of_a_partition_counts(instance: dg.DagsterInstance) -> None:
    add_run(instance, "acquire_filings", DagsterRunStatus.FAILURE, partition="2022")
    add_run(instance, "acquire_filings", DagsterRunStatus.FAILURE, partition="2023")
    add_run(instance, "acquire_filings", DagsterRunStatus.SUCCESS, partition="2022")
    add_run(instance, "acquire_findings", DagsterRunStatus.FAILURE, partition="2023")
    assert failed(instance) == ["acquire_filings [2023]", "acquire_findings [2023]"]
    # A run over a range of years follows each of them, and one under way is somebody's retry.
    add_run(instance, "acquire_filings", DagsterRunStatus.STARTED, first="2022", last="2024")
    assert failed(instance) == ["acquire_findings [2023]"]
    add_run(instance, "acquire_findings", DagsterRunStatus.CANCELED, partition="2023")
    assert failed(instance) == ["acquire_findings [2023]"]


def test_a_failed_range_is_not_made_good_by_one_of_its_years(instance: dg.DagsterInstance) -> None:
    add_run(instance, "acquire_filings", DagsterRunStatus.FAILURE, first="2022", last="2023")
    add_run(instance, "acquire_filings", DagsterRunStatus.SUCCESS, partition="2022")
    assert failed(instance) == ["acquire_filings [2022 to 2023]"]


@pytest.mark.parametrize(
    ("job", "tags"),
    [
        ("evaluate_model", {"partition": "a-model|C"}),  # costs money
        ("acquire_filings", {"partition": "2023", "retry": "3"}),  # has been tried
    ],
)
def test_what_costs_money_or_was_tried_three_times_waits_for_a_person(
    instance: dg.DagsterInstance, job: str, tags: dict[str, str]
) -> None:
    add_run(instance, job, DagsterRunStatus.FAILURE, **tags)
    (failure,) = unattended_failures(instance, datetime.now(UTC) + LATER)
    assert not failure.may_be_retried


def test_a_commands_run_is_its_users_affair(instance: dg.DagsterInstance) -> None:
    add_run(instance, "build_items", DagsterRunStatus.FAILURE, process="1")
    assert failed(instance) == []


def test_a_failure_of_last_month_is_history(instance: dg.DagsterInstance) -> None:
    add_run(instance, "build_items", DagsterRunStatus.FAILURE)
    assert failed(instance) == ["build_items"]
    assert failed(instance, timedelta(days=30)) == []


def follow(
    definitions: dg.Definitions, instance: dg.DagsterInstance, sensor: str, job: str, tags: dict[str, str]
) -> Any:
    job_def = definitions.resolve_job_def(job)
    run = dg.DagsterRun(job_name=job, status=DagsterRunStatus.SUCCESS, tags=tags)
    event = dg.DagsterEvent(event_type_value="PIPELINE_SUCCESS", job_name=job_def.name)
    context = dg.build_run_status_sensor_context(
        sensor_name=sensor, dagster_event=event, dagster_instance=instance, dagster_run=run
    )
    return definitions.resolve_sensor_def(sensor)(context), run.run_id


@pytest.mark.parametrize(
    ("sensor", "job"),
    [("items_are_built_after_a_refresh", "acquire_filings"), ("items_are_built_after_a_refresh", "acquire_findings"),
     ("answers_are_published", "evaluate_model")],
)  # fmt: skip
def test_the_next_stage_follows_the_last_of_several_runs(
    definitions: dg.Definitions, instance: dg.DagsterInstance, sensor: str, job: str
) -> None:
    request, run_id = follow(definitions, instance, sensor, job, {})
    assert request.run_key == f"after:{run_id}"
    # Two that had ended before the tick ask for one run between them.
    last = [add_run(instance, job, DagsterRunStatus.SUCCESS) for _ in range(2)][-1]
    keys = {follow(definitions, instance, sensor, job, {})[0].run_key for _ in range(2)}
    assert keys == {f"after:{last}"}
    skipped, _ = follow(definitions, instance, sensor, job, {COMMAND_TAG: "7"})
    assert "goes on by itself" in skipped.skip_message
    add_run(instance, job, DagsterRunStatus.STARTED)
    skipped, _ = follow(definitions, instance, sensor, job, {})
    assert "still running" in skipped.skip_message


def test_a_new_model_is_asked_every_task_once_and_within_the_budget(
    definitions: dg.Definitions, settings: Settings
) -> None:
    name, lake = "new_models_are_evaluated", Lake(settings.storage_root)
    # Called and not ticked: a tick resolves the new partitions in the daemon's storage.
    sensor = definitions.resolve_sensor_def(name)
    with dg.DagsterInstance.ephemeral() as instance:
        context = dg.build_sensor_context(instance=instance, definitions=definitions)
        assert "no items yet" in sensor(context).skip_message
        lake.write("labeled_items", [])
        result = sensor(context)
        (added,) = result.dynamic_partitions_requests
        models = list(added.partition_keys)
        assert "baseline/keyword" in models
        assert {request.run_key for request in result.run_requests} == {
            f"{model}:{task}:0.1.0-demo:pv1" for model in models for task in "ABCD"
        }
        configs = [request.run_config["ops"]["model_responses"]["config"] for request in result.run_requests]
        assert {config["max_cost_usd"] for config in configs} == {0.0}
        instance.add_dynamic_partitions("models", models)
        assert "are known" in sensor(context).skip_message
        settings.models_file.write_text("not: a registry", encoding="utf-8")
        assert str(settings.models_file) in sensor(context).skip_message


def unasked_item(number: int) -> ItemRow:
    text = f"Management concluded that internal control over financial reporting was effective ({number})."
    values = dict.fromkeys(ItemRow.model_fields) | {
        "item_id": f"C-{number:016x}", "task": "C", "arm": "verbatim", "text": text,
        "text_sha256": hashlib.sha256(text.encode()).hexdigest(), "population": "sec_annual_report", "jurisdiction": "US",
        "regime": "sox_404", "language": "en", "company_key": f"cik:{number}", "source_ref": f"filing {number}",
        "label_source": "disclosure", "gradient_bearing": False, "gold_components_accepted": [],
        "gold_citations_accepted": [], "gold_evidence": [], "touches_itgc": False, "strata": [],
        "fiscal_year_end": date(2024, 12, 31), "gold_icfr": "clean", "review_status": "pending", "reviewed_by": [],
        "builder_version": "i1",
    }  # fmt: skip
    return ItemRow.model_validate(values)


def test_items_that_a_refresh_brought_are_asked_of_the_models_that_answered_before(
    instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    settings = demo_settings(data_root=tmp_path)
    definitions, lake = build_defs(settings), Lake(settings.storage_root)

    def asked_now() -> Any:
        # Called and not ticked: a tick resolves the partitions in the daemon's storage.
        context = dg.build_sensor_context(instance=instance, definitions=definitions)
        return definitions.resolve_sensor_def("new_items_are_asked")(context)

    assert "has been asked every item" in asked_now().skip_message
    lake.write("labeled_items", [unasked_item(1)])
    assert "has been asked every item" in asked_now().skip_message
    instance.add_dynamic_partitions("models", ["baseline/keyword"])
    asked = {request.partition_key: request for request in asked_now().run_requests}
    assert dg.MultiPartitionKey({"model": "baseline/keyword", "task": "C"}) in asked
    again = {request.run_key for request in asked_now().run_requests}
    assert again == {request.run_key for request in asked.values()}
    lake.write("labeled_items", [unasked_item(1), unasked_item(2)])
    assert not again & {request.run_key for request in asked_now().run_requests}
    add_run(instance, "evaluate_model", DagsterRunStatus.STARTED)
    assert "is running" in asked_now().skip_message


def test_a_withdrawn_item_is_published_when_its_replacement_has_been_asked(
    instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    settings = demo_settings(data_root=tmp_path)
    definitions, lake, name = build_defs(settings), Lake(settings.storage_root), "withdrawn_items_are_published"
    lake.write("withdrawn_items", [withdrawn("C-1")])
    lake.write("labeled_items", [unasked_item(1)])
    instance.add_dynamic_partitions("models", ["baseline/keyword"])
    waiting = tick(definitions, instance, name)
    assert "wait until baseline/keyword has been asked task" in waiting.skip_message
    assert waiting.cursor is None
    instance.delete_dynamic_partition("models", "baseline/keyword")
    (request,) = tick(definitions, instance, name, waiting.cursor).run_requests
    assert request.tags["icfr-bench/newly_withdrawn"] == "1"


@pytest.mark.parametrize("name", ["new_models_are_evaluated", "new_items_are_asked", "withdrawn_items_are_published"])
def test_a_broken_models_file_is_waited_for_by_name(instance: dg.DagsterInstance, tmp_path: Path, name: str) -> None:
    models = tmp_path / "models.yaml"
    models.write_text("models: [", encoding="utf-8")
    settings = demo_settings(data_root=tmp_path, models_file=models)
    definitions, lake = build_defs(settings), Lake(settings.storage_root)
    lake.write("withdrawn_items", [withdrawn("C-1")])
    lake.write("labeled_items", [unasked_item(1)])
    instance.add_dynamic_partitions("models", ["baseline/keyword"])
    assert str(models) in tick(definitions, instance, name).skip_message


def test_sensors_are_stopped_until_somebody_starts_them(definitions: dg.Definitions) -> None:
    states = {sensor.default_status for sensor in definitions.sensors or []}
    assert states == {dg.DefaultSensorStatus.STOPPED}


def test_only_a_dataset_that_follows_the_present_ages(definitions: dg.Definitions) -> None:
    def policies(graph: Any) -> dict[str, Any]:
        return {key.to_user_string(): graph.get(key).freshness_policy for key in graph.get_all_asset_keys()}

    assert set(policies(definitions.resolve_asset_graph()).values()) == {None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)
        live = policies(build_defs(Settings(profile="full")).resolve_asset_graph())
    assert live["filing_index"].fail_window.to_timedelta() == timedelta(hours=54)
    assert live["single_audit_findings"].fail_window.to_timedelta() == timedelta(days=15)
    assert live["report"] is None


def test_years_are_one_run_on_one_machine_and_shared_out_on_several(definitions: dg.Definitions) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)
        shared = build_defs(demo_settings(partitions_per_run=1)).resolve_asset_graph()
    alone = definitions.resolve_asset_graph()
    for table in ("filing_index", "raw_filings", "icfr_sections", "eight_k_402_index", "single_audit_findings"):
        assert alone.get(dg.AssetKey(table)).backfill_policy == dg.BackfillPolicy.single_run()
        assert shared.get(dg.AssetKey(table)).backfill_policy == dg.BackfillPolicy.multi_run(1)


def test_the_instance_has_the_pools_limits_and_keeps_those_that_somebody_changed(tmp_path: Path) -> None:
    settings = demo_settings(data_root=tmp_path)
    with dagster_instance(settings) as instance:
        limits = {pool.name: pool.limit for pool in instance.event_log_storage.get_pool_limits()}
        assert {name: limits[name] for name in POOL_LIMITS} == POOL_LIMITS
        instance.event_log_storage.set_concurrency_slots("fac_http", 3)
        apply_pool_limits(instance)
        assert {p.name: p.limit for p in instance.event_log_storage.get_pool_limits()}["fac_http"] == 3
        settings_of_monitoring = instance.run_monitoring_settings
    assert settings_of_monitoring["free_slots_after_run_end_seconds"] == 60


def test_every_pool_of_an_asset_has_a_limit(definitions: dg.Definitions) -> None:
    pools = {pool for asset in definitions.assets or [] for pool in getattr(asset.op, "pools", None) or [asset.op.pool]}
    assert pools - {None} <= {*POOL_LIMITS, "llm_api"}
    assert set(POOL_LIMITS) <= pools


def test_postgres_and_celery_come_from_the_environment_and_their_passwords_stay_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = PROJECT_ROOT / "dagster.yaml"
    assert "storage" not in instance_config(base, {})
    monkeypatch.setenv("ICFR_BENCH_DAGSTER_POSTGRES_URL", "postgresql+psycopg2://icfr:secret-word@db/dagster")
    monkeypatch.setenv("ICFR_BENCH_CELERY_BROKER_URL", "redis://:secret-word@queue/0")
    monkeypatch.setenv("ICFR_BENCH_MAX_CONCURRENT_RUNS", "16")
    settings = demo_settings(data_root=tmp_path)
    prepare_dagster_home(settings)
    text = (settings.dagster_home / "dagster.yaml").read_text(encoding="utf-8")
    assert "secret-word" not in text
    config = yaml.safe_load(text)
    assert config["storage"] == {"postgres": {"postgres_url": {"env": "ICFR_BENCH_DAGSTER_POSTGRES_URL"}}}
    assert config["run_launcher"]["config"] == {
        "broker": {"env": "ICFR_BENCH_CELERY_BROKER_URL"}, "backend": {"env": "ICFR_BENCH_CELERY_BROKER_URL"},
    }  # fmt: skip
    assert config["concurrency"]["runs"]["max_concurrent_runs"] == 16


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("ICFR_BENCH_DAGSTER_POSTGRES_URL", "postgresql://db/dagster", "driver"),
        ("ICFR_BENCH_MAX_CONCURRENT_RUNS", "many", "many"),
    ],
)
def test_an_instance_that_would_not_start_is_refused_with_the_remedy(name: str, value: str, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        instance_config(PROJECT_ROOT / "dagster.yaml", {name: value})
