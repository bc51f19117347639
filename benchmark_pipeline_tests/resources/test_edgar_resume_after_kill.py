"""A pull that is killed at random moments: nothing is lost, and nothing that was logged is fetched again."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from edgar_example import client_for, path_of, settings_for, wanted, write_site

from benchmark_pipeline.demo.faults import FaultPlan
from benchmark_pipeline.demo.replay import ReplayServer
from benchmark_pipeline.storage import AppendLog, DocumentStore

DOCUMENTS = 500
IN_FLIGHT = 12
REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=[pytest.mark.slow, pytest.mark.timeout(400)])])
def test_a_pull_killed_at_random_moments_resumes_with_what_is_missing(tmp_path: Path, kills: int) -> None:
    draw = random.Random(20250630 + kills)
    site = tmp_path / "site"
    write_site(site, DOCUMENTS)
    # A little slowness now and then spreads the moments over fetching, storing and logging.
    faults = FaultPlan.scattered(0.1, ("slow",), seed=kills)
    with ReplayServer(site, faults=faults) as server:
        settings = settings_for(tmp_path, server.url)
        log = AppendLog(settings.fetch_log_folder / "edgar")
        for _ in range(kills):
            before, known = len(server.arrivals), {line["url"] for line in log.read()}
            _run_and_kill(
                tmp_path, server, after=before + draw.randint(1, DOCUMENTS // (kills + 3)), wait=draw.random() / 50
            )
            asked = {f"{server.url}{arrival.path}" for arrival in server.arrivals[before:]}
            assert asked, "the process was killed before it asked for anything"
            assert not asked & known, "a document that was in the log was asked again"
        with client_for(settings) as client:
            answers = client.fetch(wanted(DOCUMENTS), "documents")
        store = DocumentStore(settings.storage_root)
        for number, answer in enumerate(answers):
            assert f"annual report {number} ".encode() in store.get(str(answer.sha256))
        repeated = sum((Counter(arrival.path for arrival in server.arrivals) - Counter(server.counts.keys())).values())
        assert len(server.counts) == DOCUMENTS
        assert repeated <= kills * IN_FLIGHT
        assert f"/www{path_of(0)}" in server.counts


def _run_and_kill(data_root: Path, server: ReplayServer, *, after: int, wait: float) -> None:
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("edgar_example.py")), str(data_root), server.url, str(DOCUMENTS)],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    try:
        deadline = time.monotonic() + 60
        while len(server.arrivals) < after and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(wait)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=10)
