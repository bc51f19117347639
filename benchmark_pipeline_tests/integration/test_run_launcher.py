"""A started run whose process is gone is told to the monitor, whatever became of the server that had started it."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
import yaml
from dagster import DagsterRunStatus
from dagster._core.launcher import WorkerStatus
from dagster._core.storage.tags import GRPC_INFO_TAG
from dagster._core.test_utils import instance_for_test

from benchmark_pipeline.run_launcher import WatchingRunLauncher, is_alive
from benchmark_pipeline.settings import PROJECT_ROOT

OURS = yaml.safe_load((PROJECT_ROOT / "dagster.yaml").read_text("utf-8"))
LOCAL = '{"host": "localhost", "socket": "/tmp/gone"}'


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with instance_for_test(overrides={"run_launcher": OURS["run_launcher"]}) as temporary:
        yield temporary


def started_by(instance: dg.DagsterInstance, process: int, server: str | None) -> dg.DagsterRun:
    """A run whose first event came from this process, launched by such a code server."""
    tags = {GRPC_INFO_TAG: server} if server else {}
    run = instance.add_run(dg.DagsterRun(job_name="acquire_filings", status=DagsterRunStatus.STARTING, tags=tags))
    event = dg.DagsterEvent(
        event_type_value=dg.DagsterEventType.RUN_START.value, job_name=run.job_name, pid=process, message="started"
    )
    instance.report_dagster_event(event, run.run_id)
    found = instance.get_run_by_id(run.run_id)
    assert found is not None and found.status == DagsterRunStatus.STARTED
    return found


def health(instance: dg.DagsterInstance, run: dg.DagsterRun) -> WorkerStatus:
    assert instance.run_launcher.supports_check_run_worker_health
    return instance.run_launcher.check_run_worker_health(run).status


def gone() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_the_instance_uses_it(instance: dg.DagsterInstance) -> None:
    assert isinstance(instance.run_launcher, WatchingRunLauncher)


def test_a_run_whose_process_is_gone_has_failed_and_one_that_lives_runs(instance: dg.DagsterInstance) -> None:
    assert health(instance, started_by(instance, gone(), LOCAL)) == WorkerStatus.FAILED
    assert health(instance, started_by(instance, os.getpid(), LOCAL)) == WorkerStatus.RUNNING


@pytest.mark.parametrize("server", [None, '{"host": "code.internal", "port": 4000}'])
def test_a_run_of_a_command_or_of_another_machine_is_not_judged(
    instance: dg.DagsterInstance, server: str | None
) -> None:
    assert health(instance, started_by(instance, gone(), server)) == WorkerStatus.RUNNING


def test_a_run_that_has_told_nothing_is_not_judged(instance: dg.DagsterInstance) -> None:
    run = instance.add_run(
        dg.DagsterRun(job_name="acquire_filings", status=DagsterRunStatus.STARTED, tags={GRPC_INFO_TAG: LOCAL})
    )
    assert health(instance, run) == WorkerStatus.RUNNING


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system has no /proc")
def test_a_process_that_nobody_waited_for_and_a_number_that_another_program_took_are_dead() -> None:
    unwaited = subprocess.Popen([sys.executable, "-c", ""])
    deadline = time.monotonic() + 20
    while is_alive(unwaited.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_alive(unwaited.pid)
    unwaited.wait()
    with subprocess.Popen(["sleep", "30"]) as other:
        assert not is_alive(other.pid)
        other.kill()
