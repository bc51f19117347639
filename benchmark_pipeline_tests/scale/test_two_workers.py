"""The same tables on two workers as in one process, byte for byte.

The workers share an object store, Postgres and Redis, and nothing else: each has its own Dagster folder, data folder and
working directory.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from rich.console import Console
from servers import object_store, postgres, process, redis, wait_until

from benchmark_pipeline.cli.execution import PlannedRun, dagster_instance, execute
from benchmark_pipeline.definitions import build_defs
from benchmark_pipeline.demo.profile import demo_settings
from benchmark_pipeline.instance import CELERY_BROKER_URL, POSTGRES_URL
from benchmark_pipeline.jobs import READ_FILINGS
from benchmark_pipeline.settings import PROJECT_ROOT, Settings
from benchmark_pipeline.storage import Lake, files

YEARS = ("2022", "2023", "2024")
STORAGE = "s3://icfr/demo"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]


@pytest.fixture(scope="module")
def one_process(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The demo's filings, acquired and read in this process and on this disk."""
    settings = demo_settings(data_root=tmp_path_factory.mktemp("one"), storage_url=None)
    with dagster_instance(settings) as instance:
        runs = [PlannedRun("acquire_filings", partition_range=(YEARS[0], YEARS[-1]))]
        execute(build_defs(settings), instance, runs, Console(quiet=True))
    return settings


@pytest.fixture(scope="module")
def cluster(one_process: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, str]]]:
    """The three shared servers, the fetched documents in the bucket, and two workers beside a coordinator."""
    pytest.importorskip("dagster_celery", reason="install the extra `scale`")
    folder = tmp_path_factory.mktemp("cluster")
    with ExitStack() as stack:
        shared = {
            **stack.enter_context(object_store(folder)),
            POSTGRES_URL: stack.enter_context(postgres(folder)),
            CELERY_BROKER_URL: stack.enter_context(redis(folder)),
            "ICFR_BENCH_STORAGE_URL": STORAGE,
            "ICFR_BENCH_PROFILE": "demo",
            "ICFR_BENCH_PARTITIONS_PER_RUN": "1",
            "ICFR_BENCH_MAX_CONCURRENT_RUNS": "2",
            "PYTHONPATH": str(PROJECT_ROOT),
        }
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for name, value in shared.items():
            patch.setenv(name, value)
        _upload(one_process)
        # The coordinator's instance is made first: the tables of an empty database are made once.
        coordinator = _machine(folder / "coordinator", shared)
        with dagster_instance(_settings(coordinator)):
            pass
        for name in ("first", "second"):
            machine = _machine(folder / name, shared)
            command = [sys.executable, "-m", "benchmark_pipeline.cli", "worker"]
            stack.enter_context(process(command, folder / f"{name}.log", cwd=machine["CWD"], env=machine))
        for name in ("first", "second"):
            wait_until(f"worker {name}", lambda log=folder / f"{name}.log": " ready." in log.read_text(), 240)
        daemon = [str(Path(sys.executable).with_name("dagster-daemon")), "run", "-m", "benchmark_pipeline.definitions"]
        stack.enter_context(process(daemon, folder / "daemon.log", cwd=coordinator["CWD"], env=coordinator))
        yield folder, coordinator


def _machine(folder: Path, shared: dict[str, str]) -> dict[str, str]:
    """Environment of a machine of its own: nothing of it is below another's folder."""
    (folder / "work").mkdir(parents=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ICFR_BENCH_", "DAGSTER_"))}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**kept, **shared, "PATH": path, "ICFR_BENCH_DATA_ROOT": str(folder / "data"), "CWD": str(folder / "work"),
            "DAGSTER_HOME": str(folder / "data" / "demo" / "dagster")}  # fmt: skip


def _settings(machine: dict[str, str]) -> Settings:
    return demo_settings(data_root=Path(machine["ICFR_BENCH_DATA_ROOT"]))


def _upload(settings: Settings) -> None:
    """What was fetched, and nothing that was read from it."""
    fs, base = files.filesystem(STORAGE)
    root = Path(settings.storage_root)
    sources = [*root.glob("documents/**/*.zst"), *root.glob("lake/filing_index/*"), *root.glob("lake/raw_filings/*")]
    assert len(sources) > 300
    for path in sources:
        fs.pipe_file(f"{base}/{path.relative_to(root)}", path.read_bytes())


def test_two_workers_that_share_nothing_else_write_the_tables_of_one_process(
    one_process: Settings, cluster: tuple[Path, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, machine = cluster
    for name in (POSTGRES_URL, CELERY_BROKER_URL):
        monkeypatch.setenv(name, machine[name])
    near, far = Lake(one_process.storage_root), Lake(STORAGE)
    assert [far.partitions(table) for table in READ_FILINGS] == [[]] * len(READ_FILINGS)
    backfill = [str(Path(sys.executable).with_name("dagster")), "job", "backfill", "-m", "benchmark_pipeline.definitions",
                "-j", "read_filings", "--partitions", ",".join(YEARS), "--noprompt"]  # fmt: skip
    with process(backfill, folder / "backfill.log", cwd=machine["CWD"], env=machine) as launching:
        assert launching.wait(timeout=240) == 0, (folder / "backfill.log").read_text()
    with dagster_instance(_settings(machine)) as instance:
        assert type(instance.event_log_storage).__name__ == "PostgresEventLogStorage"

        def finished() -> bool:
            runs = instance.get_runs()
            return len(runs) == len(YEARS) and all(run.is_finished for run in runs)

        wait_until("the end of the runs", finished, 600)
        assert {run.status.value for run in instance.get_runs()} == {"SUCCESS"}
    for table in READ_FILINGS:
        for year in YEARS:
            assert far.sha256(table, year) == near.sha256(table, year), (table, year)
    taken = {name: (folder / f"{name}.log").read_text().count("received") for name in ("first", "second")}
    assert sum(taken.values()) == len(YEARS)
    assert min(taken.values()) >= 1, f"one worker did everything: {taken}"
    # Nothing but Dagster's configuration and logs was left on the workers' own disks.
    for name in ("first", "second"):
        assert not list((folder / name / "data" / "demo").glob("lake/**/*.parquet"))
