"""The model client under a provider that fails at random, and killed at random moments."""

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
from evaluation_examples import remote_model
from mock_openai import Behaviour, MockOpenAI
from test_model_client import items_of, run

from benchmark_pipeline.evaluation.responses import outcome_counts
from benchmark_pipeline.resources.model_client import ModelClient

HERE = Path(__file__).resolve().parent


def faulty(seed: int):
    """10 % 429 (half of them with Retry-After), 2 % 500, 1 % reset connections, 1 % garbage; else an answer."""
    chance = random.Random(seed)

    def script(prompt: str, earlier: int) -> Behaviour:
        draw = chance.random()
        if draw < 0.10:
            return Behaviour(status=429, headers={"retry-after": "0.05"} if draw < 0.05 else {})
        if draw < 0.12:
            return Behaviour(status=500)
        if draw < 0.13:
            return Behaviour(reset=True)
        if draw < 0.14:
            return Behaviour(body=b"<html>Bad gateway</html>")
        return Behaviour()

    return script


def survives(folder: Path, count: int, **changes) -> None:
    answers: Counter[str] = Counter()
    script = faulty(20261130)

    def counting(prompt: str, earlier: int) -> Behaviour:
        told = script(prompt, earlier)
        answers[prompt] += told == Behaviour()
        return told

    with MockOpenAI(counting, keep=False) as server:
        model = remote_model(server.url, **changes)
        summary, rows = run(folder, model, items_of(count))
        assert outcome_counts(rows) == {"answered": count}
        assert len({row.request_key for row in rows}) == count
        assert summary.calls_made == sum(server.asked.values())
        assert summary.calls_made > count
    # No answer that was paid for was thrown away and asked again.
    assert set(answers.values()) == {1}
    lines = list(ModelClient(folder).log(model.name, "C").attempts())
    assert len(lines) == summary.calls_made
    assert max(Counter(line.request_key for line in lines if line.outcome == "answered").values()) == 1


def test_random_faults_lose_no_answer_and_pay_none_twice(tmp_path):
    survives(tmp_path, 100, concurrency=16, max_attempts=12)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_random_faults_over_two_thousand_calls_lose_none(tmp_path):
    survives(tmp_path, 2000, concurrency=64, max_attempts=12)


NURSERY = """
import os, sys
sys.path.insert(0, {here!r})
from pathlib import Path
from evaluation_examples import remote_model
from test_model_client import items_of, run
from benchmark_pipeline.resources.model_client import litellm_module
litellm_module()
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        run(Path({folder!r}), remote_model({url!r}, concurrency={in_flight}), items_of({count}))
        os._exit(0)
    print(child, flush=True)
    os.waitpid(child, 0)
    print("ended", flush=True)
"""
"""Starts a run as a process of its own for each line, so that litellm is imported once and not at every kill."""


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_twenty_kills_at_random_moments_lose_no_answer_and_repay_at_most_what_was_in_flight(tmp_path):
    chance, in_flight, count, kills = random.Random(7), 8, 500, 20
    with MockOpenAI(lambda prompt, earlier: Behaviour(latency=0.02), keep=False) as server:
        code = NURSERY.format(here=str(HERE), folder=str(tmp_path), url=server.url, in_flight=in_flight, count=count)
        model = remote_model(server.url, concurrency=in_flight)
        kept: set[str] = set()
        nursery = subprocess.Popen(
            [sys.executable, "-c", code], cwd=HERE.parents[1], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert nursery.stdin is not None
        assert nursery.stdout is not None
        for _ in range(kills):
            before = sum(server.asked.values())
            nursery.stdin.write("run\n")
            nursery.stdin.flush()
            process = int(nursery.stdout.readline())
            until = before + chance.randint(1, 20)
            while sum(server.asked.values()) < until and Path(f"/proc/{process}").exists():
                time.sleep(0.002)
            time.sleep(chance.uniform(0, 0.05))
            os.kill(process, signal.SIGKILL)
            assert nursery.stdout.readline() == "ended\n"
            time.sleep(0.1)  # the server ends what it had in hand
            log = ModelClient(tmp_path).log(model.name, "C")
            now = {key for key, state in log.settled().items() if state.is_result}
            assert kept <= now
            # This run's calls without a result are those that were in flight when it was killed.
            assert sum(server.asked.values()) - before - (len(now) - len(kept)) <= in_flight
            kept = now
        nursery.stdin.close()
        nursery.wait()
        assert 0 < len(kept) < count
        summary, rows = run(tmp_path, model, items_of(count))
        assert summary.answered_before == len(kept)
        assert outcome_counts(rows) == {"answered": count}
        assert sum(server.asked.values()) - count <= in_flight * kills
