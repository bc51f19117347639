"""The configuration of a profile's Dagster instance: the project's dagster.yaml, changed by the environment.

On one machine nothing is set, and everything is kept in SQLite below the instance's folder. Several machines share a
Postgres database (`ICFR_BENCH_DAGSTER_POSTGRES_URL`) and hand runs to one another over a broker
(`ICFR_BENCH_CELERY_BROKER_URL`). Addresses hold passwords, so the file names the variables and never their values.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from benchmark_pipeline.errors import ConfigurationError

POSTGRES_URL = "ICFR_BENCH_DAGSTER_POSTGRES_URL"
"""`postgresql+psycopg2://user:password@host:port/database` of the runs, events and schedules."""
CELERY_BROKER_URL = "ICFR_BENCH_CELERY_BROKER_URL"
"""`redis://…` or `amqp://…`; runs are then taken by the workers that listen there."""
CELERY_BACKEND_URL = "ICFR_BENCH_CELERY_BACKEND_URL"
"""Where workers leave a run's end; the broker, if it is not set."""
MOST_RUNS = "ICFR_BENCH_MAX_CONCURRENT_RUNS"
"""Runs at the same time over all machines; dagster.yaml says how many where this is not set."""


def instance_config(base: Path, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The instance's configuration: the file `base` with what the environment asks for.

    Raises:
        ConfigurationError: the database's address lacks its driver, or the number of runs is no number.
    """
    given = os.environ if environment is None else environment
    config: dict[str, Any] = yaml.safe_load(base.read_text(encoding="utf-8"))
    if given.get(POSTGRES_URL):
        if not given[POSTGRES_URL].startswith("postgresql+psycopg2://"):
            # Without a driver SQLAlchemy takes another one than dagster-postgres brings.
            raise ConfigurationError(
                f"{POSTGRES_URL} does not name the driver",
                remedy="write it as postgresql+psycopg2://user:password@host/db",
            )
        config["storage"] = {"postgres": {"postgres_url": {"env": POSTGRES_URL}}}
    if given.get(CELERY_BROKER_URL):
        backend = CELERY_BACKEND_URL if given.get(CELERY_BACKEND_URL) else CELERY_BROKER_URL
        config["run_launcher"] = {
            "module": "dagster_celery.launcher",
            "class": "CeleryRunLauncher",
            "config": {"broker": {"env": CELERY_BROKER_URL}, "backend": {"env": backend}},
        }
    if given.get(MOST_RUNS):
        if not given[MOST_RUNS].isdigit() or int(given[MOST_RUNS]) < 1:
            raise ConfigurationError(f"{MOST_RUNS} is {given[MOST_RUNS]!r}", remedy="give a whole number from 1 on")
        config["concurrency"]["runs"]["max_concurrent_runs"] = int(given[MOST_RUNS])
    return config


def write_instance_config(base: Path, home: Path) -> None:
    """Gives the instance folder `home` its dagster.yaml; replaced at once, since another process may be reading it."""
    text = yaml.safe_dump(instance_config(base), sort_keys=False)
    temporary = home / f".dagster.yaml.{os.getpid()}"
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(home / "dagster.yaml")
