"""A Dagster daemon on a profile's instance, as `icfr-bench ui` runs it, and the runs that it is asked for."""

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import dagster as dg
from servers import process, wait_until

from benchmark_pipeline.settings import PROJECT_ROOT, Settings

COMMANDS = Path(sys.executable).parent
MODULE = ["-m", "benchmark_pipeline.definitions"]


def environment(settings: Settings, **more: str) -> dict[str, str]:
    """What a process of this profile is started with."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ICFR_BENCH_", "DAGSTER_"))}
    return {**kept, "PATH": f"{COMMANDS}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(PROJECT_ROOT),
            "DAGSTER_HOME": str(settings.dagster_home), "ICFR_BENCH_PROFILE": "demo",
            "ICFR_BENCH_DATA_ROOT": str(settings.data_root), **more}  # fmt: skip


def daemon(settings: Settings, log: Path, **more: str) -> AbstractContextManager["subprocess.Popen[bytes]"]:
    """The daemon in a process group of its own."""
    return process([str(COMMANDS / "dagster-daemon"), "run", *MODULE], log, env=environment(settings, **more))


def dagster(settings: Settings, *arguments: str, **more: str) -> str:
    """A `dagster` command on the instance, on our definitions."""
    done = subprocess.run(
        [str(COMMANDS / "dagster"), *arguments, *MODULE], env=environment(settings, **more), capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def runs(instance: dg.DagsterInstance, job: str) -> list[dg.DagsterRun]:
    return list(instance.get_runs(dg.RunsFilter(job_name=job)))


def wait_for(what: str, ready: Callable[[], bool], log: Path, seconds: float = 300) -> None:
    """Waits, and shows the daemon's log where it does not come."""
    try:
        wait_until(what, ready, seconds)
    except TimeoutError as error:
        raise AssertionError(f"{error}\n{log.read_text()[-4000:]}") from error
