"""`icfr-bench doctor`: what is missing here, and the remedy."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import httpx
from rich.console import Console

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.settings import Settings

MIN_FREE_GB = 2
BAD_LITELLM = {"1.82.7", "1.82.8"}


@dataclass(frozen=True)
class Finding:
    """One thing looked at."""

    what: str
    ok: bool
    seen: str
    remedy: str = ""
    needed: bool = True
    """False: only some commands need it."""


def examine(settings: Settings, console: Console) -> bool:
    """Prints every finding; true when nothing that is needed is missing."""
    findings = [check(settings) for check in CHECKS]
    findings[-1:-1] = _instance(settings)
    for finding in findings:
        mark = "[green]ok     [/]" if finding.ok else ("[red]missing[/]" if finding.needed else "[yellow]optional[/]")
        console.print(f"{mark} {finding.what}: ", end="")
        console.print(finding.seen, markup=False)
        if not finding.ok:
            console.print(f"        remedy: {finding.remedy}", markup=False)
    return all(finding.ok for finding in findings if finding.needed)


def _python(_: Settings) -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding(
        "Python 3.11 or newer", sys.version_info >= (3, 11), version, "install Python 3.11 and run make install"
    )


def _disk(settings: Settings) -> Finding:
    folder = settings.data_root
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free / 1e9
    return Finding(f"{MIN_FREE_GB} GB free for {settings.data_root}", free >= MIN_FREE_GB, f"{free:.0f} GB free",
                   "free space, or set ICFR_BENCH_DATA_ROOT to another disk")  # fmt: skip


def _writable(settings: Settings) -> Finding:
    folder = settings.data_root
    while not folder.exists():
        folder = folder.parent
    ok = os.access(folder, os.W_OK)
    return Finding(
        "data folder can be written", ok, str(settings.data_root), "set ICFR_BENCH_DATA_ROOT to a folder of yours"
    )


def _litellm(_: Settings) -> Finding:
    try:
        version = importlib.metadata.version("litellm")
    except importlib.metadata.PackageNotFoundError:
        return Finding("litellm", False, "not installed", "make install")
    bad = version in BAD_LITELLM or version.startswith("1.107.")
    return Finding("litellm is not a compromised release", not bad, version, "pip install -c constraints.txt litellm")


def _embedded_model(_: Settings) -> Finding:
    from benchmark_pipeline.evaluation.local_model import verify_model_file

    try:
        path = verify_model_file()
    except BenchError as error:
        return Finding("embedded model", False, error.what, error.remedy or "make install")
    return Finding("embedded model (SHA-256 checked)", True, str(path.name))


def _prompts(settings: Settings) -> Finding:
    found = sorted(path.parent.name for path in settings.prompts_folder.glob(f"*/{settings.prompt_version}"))
    return Finding(f"prompts {settings.prompt_version} for tasks A to D", len(found) >= 4, ", ".join(found) or "none",
                   "restore the prompts/ folder of the repository")  # fmt: skip


def _identity(settings: Settings) -> Finding:
    identity = settings.edgar_identity
    return Finding("EDGAR identity (for `icfr-bench run`)", bool(identity), identity or "not set",
                   'export ICFR_BENCH_EDGAR_IDENTITY="Jane Doe jane.doe@example.org"', needed=settings.profile == "full")  # fmt: skip


def _fac_key(settings: Settings) -> Finding:
    return Finding("FAC API key (for Single Audit findings)", settings.fac_api_key is not None,
                   "set" if settings.fac_api_key else "not set",
                   "get a free key at api.data.gov and export ICFR_BENCH_FAC_API_KEY", needed=settings.profile == "full")  # fmt: skip


def _warehouse(settings: Settings) -> Finding:
    exists = settings.warehouse_path.exists()
    command = "make demo" if settings.profile == "demo" else "make run"
    return Finding(f"warehouse of the {settings.profile} profile", exists,
                   str(settings.warehouse_path) if exists else "not built yet", command, needed=False)  # fmt: skip


def _wal(settings: Settings) -> Finding:
    wal = settings.warehouse_path.with_name(settings.warehouse_path.name + ".wal")
    return Finding("no stale write-ahead log beside the warehouse", not wal.exists(), str(wal) if wal.exists() else "none",
                   f"somebody opened the warehouse for writing: close that program, then delete {wal}")  # fmt: skip


def _instance(settings: Settings) -> Iterator[Finding]:
    if not (settings.dagster_home / "dagster.yaml").exists():
        yield Finding("Dagster instance", False, "not created yet", f"make ui PROFILE={settings.profile}", needed=False)
        return
    from datetime import UTC, datetime

    from benchmark_pipeline.cli.execution import dagster_instance
    from benchmark_pipeline.failures import unattended_failures

    with dagster_instance(settings) as instance:
        storage = type(instance.event_log_storage).__name__.removesuffix("EventLogStorage")
        pools = {pool.name: pool.limit for pool in instance.event_log_storage.get_pool_limits()}
        failures = [str(failure) for failure in unattended_failures(instance, datetime.now(UTC))]
    yield Finding("Dagster instance", True, storage)
    yield Finding("concurrency pools", True, ", ".join(f"{name} {limit}" for name, limit in sorted(pools.items())))
    yield Finding("no failed run that nobody retries", not failures, "; ".join(failures) or "none",
                  "open the run in the UI, read its error, and start it again", needed=False)  # fmt: skip


def _ui(settings: Settings) -> Finding:
    try:
        answer = httpx.get("http://127.0.0.1:3000/server_info", timeout=0.5)
        return Finding("Dagster UI", True, f"running on port 3000 ({answer.status_code})", needed=False)
    except httpx.HTTPError:
        return Finding("Dagster UI", False, "not running", f"make ui PROFILE={settings.profile}", needed=False)


CHECKS: tuple[Callable[[Settings], Finding], ...] = (
    _python,
    _disk,
    _writable,
    _litellm,
    _embedded_model,
    _prompts,
    _identity,
    _fac_key,
    _warehouse,
    _wal,
    _ui,
)
