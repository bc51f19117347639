"""`icfr-bench worker`: a process that takes runs from the broker, on any machine."""

from __future__ import annotations

import importlib.util
import os
import socket
import sys

from benchmark_pipeline.cli.execution import dagster_instance
from benchmark_pipeline.errors import ConfigurationError
from benchmark_pipeline.instance import CELERY_BROKER_URL, POSTGRES_URL
from benchmark_pipeline.settings import Settings


def work(settings: Settings, runs: int) -> None:
    """Replaces this process with a Celery worker on the profile's instance.

    Raises:
        ConfigurationError: what all machines have to share is not named, or the extra is not installed.
    """
    missing = [name for name in (POSTGRES_URL, CELERY_BROKER_URL, "ICFR_BENCH_STORAGE_URL") if not os.environ.get(name)]
    if missing:
        raise ConfigurationError(
            f"a worker shares database, broker and storage with the others; not set: {', '.join(missing)}",
            remedy="export them as docs/scale.md shows",
        )
    if importlib.util.find_spec("dagster_celery") is None:
        raise ConfigurationError("Celery is not installed", remedy="pip install -c constraints.txt -e '.[scale]'")
    with dagster_instance(settings):
        pass  # writes the instance's configuration, and says now if the database cannot be reached
    name = f"icfr-bench-{os.getpid()}@{socket.gethostname()}"
    arguments = [sys.executable, "-m", "celery", "-A", "benchmark_pipeline.celery_worker", "worker", "-Q", "dagster",
                 "-c", str(runs), "--prefetch-multiplier=1", "--loglevel", "info", "-n", name]  # fmt: skip
    print(f"worker {name} takes {runs} run(s) at a time (Ctrl-C ends it)", flush=True)
    os.execv(sys.executable, arguments)  # noqa: S606 - the same signals must reach Celery itself
