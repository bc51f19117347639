"""`icfr-bench pools`: the limits of the instance's concurrency pools, set where they are missing, changed where asked."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
from rich.console import Console

from benchmark_pipeline.cli.execution import dagster_instance
from benchmark_pipeline.errors import ConfigurationError
from benchmark_pipeline.pools import apply_pool_limits
from benchmark_pipeline.settings import Settings


def show_pools(settings: Settings, console: Console, changes: Sequence[str]) -> None:
    """Sets missing limits, applies `name=limit` changes, and prints every pool with its slots.

    Raises:
        ConfigurationError: a change is not `name=limit`.
    """
    wanted = dict(_change(text) for text in changes)
    with _instance(settings) as instance:
        apply_pool_limits(instance)
        storage = instance.event_log_storage
        for name, limit in wanted.items():
            storage.set_concurrency_slots(name, limit)
        for pool in sorted(storage.get_pool_limits(), key=lambda one: one.name):
            taken = len(storage.get_concurrency_info(pool.name).claimed_slots)
            console.print(f"{pool.name}: {pool.limit} at a time, {taken} taken", markup=False)


@contextmanager
def _instance(settings: Settings) -> Iterator[dg.DagsterInstance]:
    """The profile's instance, or the one that a deployment has laid out at DAGSTER_HOME."""
    home = os.environ.get("DAGSTER_HOME")
    if home and (Path(home) / "dagster.yaml").exists() and Path(home) != settings.dagster_home:
        with dg.DagsterInstance.get() as instance:
            yield instance
    else:
        with dagster_instance(settings) as instance:
            yield instance


def _change(text: str) -> tuple[str, int]:
    name, equals, limit = text.partition("=")
    if not equals or not name or not limit.isdigit():
        raise ConfigurationError(f"{text!r} is no limit of a pool", remedy="write it as sec_http=1")
    return name, int(limit)
