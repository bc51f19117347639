"""`build_everything`, started as a person starts it in the UI: one run that begins those of all stages, one after another."""

import json
from pathlib import Path

import dagster as dg
import pytest
from daemon import daemon, dagster, runs, wait_for

from benchmark_pipeline.cli.execution import dagster_instance
from benchmark_pipeline.demo.fac_replay import FacReplay
from benchmark_pipeline.demo.profile import demo_settings
from benchmark_pipeline.demo.replay import ReplayServer
from benchmark_pipeline.demo.site import build_site
from benchmark_pipeline.jobs import SELECTIONS
from benchmark_pipeline.publication.warehouse import open_warehouse

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


def test_the_full_build_runs_every_stage_and_asks_the_named_models(tmp_path: Path) -> None:
    log, settings = tmp_path / "daemon.log", demo_settings(data_root=tmp_path / "data")
    build_site(tmp_path / "site")
    with (
        ReplayServer(tmp_path / "site", mounts={"/fac": FacReplay.of_corpus()}) as server,
        dagster_instance(settings) as instance,
    ):
        more = {"ICFR_BENCH_CONNECT_TO": server.url}
        config = {"ops": {"build_and_evaluate": {"config": {"models": ["baseline/keyword"]}}}}
        with daemon(settings, log, **more):
            dagster(settings, "job", "launch", "-j", "build_everything", "--config-json", json.dumps(config), **more)
            wait_for("full build", lambda: runs(instance, "build_everything")[0].is_finished, log, 1500)
        assert {run.status for run in instance.get_runs()} == {dg.DagsterRunStatus.SUCCESS}
        assert {run.job_name for run in instance.get_runs()} == {"build_everything", *SELECTIONS}
        assets = [dg.AssetKey(name) for names in SELECTIONS.values() for name in names]
        assert all(instance.get_latest_materialization_event(asset) for asset in assets)
        assert instance.get_materialized_partitions(dg.AssetKey("model_responses")) == {
            f"baseline/keyword|{task}" for task in "ABCD"
        }
    with open_warehouse(settings.warehouse_path) as warehouse:
        assert warehouse.execute("SELECT model_id, k, n FROM headline").fetchall() == [("baseline/keyword", 8, 31)]
