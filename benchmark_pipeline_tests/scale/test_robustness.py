"""kill -9 at thirty random moments, a full disk, a read-only lake, a clock that jumps, two at once: nothing lost or doubled."""

import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import duckdb
import pytest
import writers
from daemon import daemon, dagster, runs, wait_for
from rich.console import Console

from benchmark_pipeline.cli.execution import PlannedRun, dagster_instance, execute
from benchmark_pipeline.definitions import build_defs
from benchmark_pipeline.demo.profile import demo_settings
from benchmark_pipeline.publication.warehouse import write_ahead_log
from benchmark_pipeline.settings import PROJECT_ROOT, Settings
from benchmark_pipeline.storage import AppendLog, DocumentStore, Lake
from benchmark_pipeline.tables.sources import RawFilingRow

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2400)]

WRITER_KILLS, WORKER_KILLS, DAEMON_KILLS = 16, 8, 6
YEAR = "2023"


@contextmanager
def writer(folder: Path, generation: int) -> Iterator["subprocess.Popen[bytes]"]:
    command = [sys.executable, str(Path(writers.__file__)), str(folder), str(generation)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(PROJECT_ROOT)})
    try:
        assert running.stdout is not None
        assert running.stdout.readline() == b"ready\n"
        yield running
    finally:
        running.kill()
        running.wait()


def look(folder: Path) -> int:
    """Everything that a reader may find after a kill; returns the generation of the table."""
    lake, store = Lake(str(folder)), DocumentStore(str(folder))
    rows = lake.read(RawFilingRow, "raw_filings") if lake.partitions("raw_filings") else []
    assert len(rows) in {0, writers.ROWS}
    assert len({row.size_bytes for row in rows}) <= 1, "a mixture of two writings"
    database = folder / "warehouse.duckdb"
    if database.exists():
        assert not write_ahead_log(database).exists()
        with duckdb.connect(str(database), read_only=True) as connection:
            found = connection.execute("SELECT count(*), count(DISTINCT size_bytes) FROM raw_filings").fetchone()
        assert found == (writers.ROWS, 1)
    for path in (folder / "documents").rglob("*.zst"):
        store.get(path.name.removesuffix(".zst"))
    return int(rows[0].size_bytes or 0) if rows else 0


def test_a_writer_that_is_killed_leaves_the_old_state_or_the_new(tmp_path: Path) -> None:
    moments = random.Random(10)
    generation = 1
    for _ in range(WRITER_KILLS):
        with writer(tmp_path, generation) as running:
            time.sleep(moments.uniform(0.0, 1.5))
            running.send_signal(signal.SIGKILL)
        generation = max(generation, look(tmp_path)) + 1
    logged = [record["generation"] for record in AppendLog(tmp_path / "log").read()]
    # What the table holds was logged before it, and no record was written twice.
    assert set(logged) >= {look(tmp_path)}
    again = Counter(logged)
    assert [one for one, times in again.items() if times > WRITER_KILLS] == []
    writers.write(tmp_path, generation)
    assert look(tmp_path) == generation
    left = [path for path in tmp_path.rglob(".*.tmp*") if "warehouse" in path.name]
    assert left == [], "what a killed build left behind is cleared by the next"


def test_two_writers_at_once_leave_one_of_their_states(tmp_path: Path) -> None:
    with writer(tmp_path, 1000), writer(tmp_path, 2000):
        for _ in range(10):
            time.sleep(0.3)
            look(tmp_path)
    look(tmp_path)


@pytest.mark.parametrize("megabytes", [0.001, 0.02, 0.2])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, megabytes: float) -> None:
    writers.write(tmp_path, 7)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")}
    child = f"""
import resource, signal, sys
sys.path.insert(0, {str(Path(writers.__file__).parent)!r})
import writers
from pathlib import Path
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = {int(megabytes * 1e6)}
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
writers.write(Path({str(tmp_path)!r}), 8)
"""
    done = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(PROJECT_ROOT)})  # fmt: skip
    if done.returncode == 0:
        pytest.fail("the limit was not reached")
    assert look(tmp_path) in {7, 8}
    assert all(path.exists() for path in before)
    writers.write(tmp_path, 9)
    assert look(tmp_path) == 9
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_a_read_only_lake_fails_with_its_path_and_stays_as_it_was(tmp_path: Path) -> None:
    writers.write(tmp_path, 7)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    child = f"""
import os, sys
sys.path.insert(0, {str(Path(writers.__file__).parent)!r})
import writers
from pathlib import Path
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)   # root may write everywhere
writers.write(Path({str(tmp_path)!r}), 8)
"""
    folders = [tmp_path, *(path for path in tmp_path.rglob("*") if path.is_dir())]
    above = [path for path in tmp_path.parents if path.stat().st_uid == os.getuid() and path != Path("/")]
    modes = {path: path.stat().st_mode for path in [*folders, *above]}
    try:
        for path in above:
            path.chmod(modes[path] | 0o011)
        for path in folders:
            path.chmod(0o555)
        done = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(PROJECT_ROOT)})  # fmt: skip
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
    assert done.returncode != 0
    assert str(tmp_path) in done.stderr
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("jump", [timedelta(days=-400), timedelta(days=400)])
def test_a_clock_that_jumps_orders_nothing_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump: timedelta
) -> None:
    class Jumped(datetime):
        @classmethod
        def now(cls, tz: object = None) -> "Jumped":
            return super().now(UTC) + jump

    log = AppendLog(tmp_path / "log")
    log.append({"answer": 1})
    log.close()
    monkeypatch.setattr("benchmark_pipeline.storage.append_log.datetime", Jumped)
    log.append({"answer": 2})
    log.close()
    assert sorted(record["answer"] for record in AppendLog(tmp_path / "log").read()) == [1, 2]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return demo_settings(data_root=tmp_path / "data")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The same year, acquired and read without a kill."""
    settings = demo_settings(data_root=tmp_path_factory.mktemp("undisturbed"))
    with dagster_instance(settings) as instance:
        execute(build_defs(settings), instance, [PlannedRun("acquire_filings", partition=YEAR)], Console(quiet=True))
    return settings


def content(settings: Settings) -> dict[str, list[str]]:
    """Rows of a year, without the moment of retrieval."""
    lake, found = Lake(settings.storage_root), {}
    for table in (
        "filing_index",
        "raw_filings",
        "eight_k_402_index",
        "icfr_sections",
        "icfr_assertions",
        "material_weaknesses",
    ):
        rows = lake.query(f"SELECT to_json(t) FROM {table} AS t", {}, tables=[table])
        parsed = [json.loads(text) for (text,) in rows]
        found[table] = sorted(
            json.dumps({key: value for key, value in one.items() if key not in {"retrieved_at", "headers"}})
            for one in parsed
        )
    return found


def process_of(instance: dg.DagsterInstance, run_id: str) -> int | None:
    """The process that executes a run, as its events name it."""
    for entry in instance.all_logs(run_id):
        event = entry.dagster_event
        named = re.search(r"\(pid: (\d+)\)", (event.message if event else None) or entry.user_message or "")
        if named:
            return int(named[1])
    return None


def succeeded(instance: dg.DagsterInstance) -> bool:
    """The last run of the year, which may be the daemon's retry of one that was killed."""
    return runs(instance, "acquire_filings")[0].status == dg.DagsterRunStatus.SUCCESS


def kill_at_a_moment(
    settings: Settings, log: Path, kills: int, seed: int, kill: Callable[[dg.DagsterInstance, str], None]
) -> None:
    """Runs the year under a daemon as often as there are kills, each time killing something in the middle."""
    moments = random.Random(seed)
    with dagster_instance(settings) as instance:
        for _ in range(kills):
            dagster(
                settings, "job", "launch", "-j", "acquire_filings", "--tags", json.dumps({"dagster/partition": YEAR})
            )
            run = runs(instance, "acquire_filings")[0]
            wait_for("start", lambda run_id=run.run_id: _is_past(instance, run_id, "STARTING"), log, 120)
            time.sleep(moments.uniform(0, 3))
            kill(instance, run.run_id)
            wait_for("end", lambda: succeeded(instance), log, 400)


def _is_past(instance: dg.DagsterInstance, run_id: str, status: str) -> bool:
    run = instance.get_run_by_id(run_id)
    return run is not None and run.status.value not in {"QUEUED", "NOT_STARTED", status}


def test_a_run_whose_process_is_killed_is_retried_and_ends_as_if_nothing_had_been(
    settings: Settings, undisturbed: Settings, tmp_path: Path
) -> None:
    log, killed = tmp_path / "daemon.log", []

    def kill(instance: dg.DagsterInstance, run_id: str) -> None:
        process = process_of(instance, run_id)
        assert process is not None
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:  # it was faster
            return
        killed.append(run_id)

    with dagster_instance(settings), daemon(settings, log):
        kill_at_a_moment(settings, log, WORKER_KILLS, 1, kill)
    assert content(settings) == content(undisturbed)
    with dagster_instance(settings) as instance:
        retried = [run for run in runs(instance, "acquire_filings") if run.parent_run_id]
        failed = [run for run in runs(instance, "acquire_filings") if run.status == dg.DagsterRunStatus.FAILURE]
    assert len(killed) >= WORKER_KILLS / 2
    assert len(retried) == len(failed) == len(killed)


def test_a_daemon_that_is_killed_and_started_again_goes_on_with_its_queue(
    settings: Settings, undisturbed: Settings, tmp_path: Path
) -> None:
    log = tmp_path / "daemon.log"
    moments = random.Random(2)
    with dagster_instance(settings) as instance:
        for number in range(DAEMON_KILLS):
            with daemon(settings, log) as running:
                tags = json.dumps({"dagster/partition": YEAR})
                dagster(settings, "job", "launch", "-j", "acquire_filings", "--tags", tags)
                time.sleep(moments.uniform(0, 8))
                os.killpg(running.pid, signal.SIGKILL)
            with daemon(settings, log):
                wait_for("end", lambda: succeeded(instance), log, 600)
            launched = [run for run in runs(instance, "acquire_filings") if not run.parent_run_id]
            assert len(launched) == number + 1, "a run was lost or doubled"
    assert content(settings) == content(undisturbed)
