"""Runs as local processes, whose death is noticed even when the server that started them died with them.

Dagster's code server reports a run whose process it sees die. When daemon, code server and run are killed together, as the
stop of a service or the lack of memory does it, nobody is left to report, and the run would stay STARTED and keep its pools
for ever. The daemon's monitor asks the launcher about each started run; this one looks for its process.
"""

import os
from pathlib import Path

import dagster as dg
from dagster._core.launcher import CheckRunHealthResult, DefaultRunLauncher, WorkerStatus
from dagster._core.storage.dagster_run import DagsterRun
from dagster._core.storage.tags import GRPC_INFO_TAG


class WatchingRunLauncher(DefaultRunLauncher):
    """Dagster's launcher of local processes, which also says whether they live."""

    @property
    def supports_check_run_worker_health(self) -> bool:
        """The monitor may ask."""
        return True

    def check_run_worker_health(self, run: DagsterRun) -> CheckRunHealthResult:
        """FAILED for a run of a local code server whose process is gone; RUNNING for all others."""
        # A server with a port may run on another machine, and a command's run has none: their processes are not ours to judge.
        if '"socket"' not in run.tags.get(GRPC_INFO_TAG, ""):
            return CheckRunHealthResult(WorkerStatus.RUNNING)
        found = _process_of(self._instance, run.run_id)
        if found is None or is_alive(found):
            return CheckRunHealthResult(WorkerStatus.RUNNING)
        return CheckRunHealthResult(WorkerStatus.FAILED, f"process {found} ended without finishing this run")


def _process_of(instance: dg.DagsterInstance, run_id: str) -> int | None:
    """Process that told that the run had started."""
    for entry in instance.all_logs(run_id, of_type=dg.DagsterEventType.RUN_START):
        if entry.dagster_event is not None and entry.dagster_event.pid is not None:
            return entry.dagster_event.pid
    return None


def is_alive(process: int) -> bool:
    """Whether a Python process of this number lives on this machine.

    A process that has ended and that nobody has waited for is dead; so is one whose number another program has taken.
    """
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        state = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
        command = Path(f"/proc/{process}/cmdline").read_bytes()
    except (OSError, IndexError):  # a system without /proc; or it ended just now, which the next look will see
        return True
    return state not in "ZX" and b"python" in command
