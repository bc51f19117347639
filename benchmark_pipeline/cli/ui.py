"""The Dagster UI on a profile's instance."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from benchmark_pipeline.cli.execution import dagster_instance, end_orphaned_runs, prepare_dagster_home
from benchmark_pipeline.settings import PROJECT_ROOT, Settings


def serve(settings: Settings, port: int) -> None:
    """Replaces this process with `dagster dev`: webserver, daemon and code server in one process group."""
    prepare_dagster_home(settings)
    with dagster_instance(settings) as instance:
        end_orphaned_runs(instance)
    dagster = Path(sys.executable).with_name("dagster")
    arguments = [str(dagster), "dev", "-w", str(PROJECT_ROOT / "workspace.yaml"), "-h", "127.0.0.1", "-p", str(port)]
    print(f"Dagster UI of the {settings.profile} profile: http://127.0.0.1:{port}  (Ctrl-C ends it)", flush=True)
    os.execv(str(dagster), arguments)  # noqa: S606 - the same signals must reach dagster itself
