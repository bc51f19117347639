"""What recording everything costs: the model client against bare litellm, same server, same prompts, same concurrency.

    python benchmarks/model_client.py [--calls 1000] [--in-flight 64] [--latency 0.02] [--rounds 3]
                                      [--peer inspect_ai=<its environment>/bin/python]
    python benchmarks/model_client.py --faults 429=0.1,500=0.02 --calls 2000

The server is a process of its own on the other core. Rounds alternate, so that a noisy machine hits both alike; the
median of each side is printed, with the calls a second and the client's CPU milliseconds a call. Bare litellm asks a
model of another name, so that it shares no cached look-up with the client. A peer runs in an environment of its own
(`peer_inspect_ai.py`), on the same core and against the same server.

With `--faults` the server fails as told (see `mock_openai.py --help`) and the run is counted instead of timed: calls
without an outcome, requests with two results, and answers that were paid and not kept.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from functools import partial
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "benchmark_pipeline_tests" / "evaluation"
sys.path.insert(0, str(TESTS))

from evaluation_examples import item, prompts, remote_model  # noqa: E402

from benchmark_pipeline.evaluation.planning import plan_calls  # noqa: E402
from benchmark_pipeline.resources.model_client import ModelClient, litellm_module, request_parameters  # noqa: E402
from benchmark_pipeline.tables.evaluation import INCOMPLETE  # noqa: E402

PADDING = "The Company maintains controls over the recording, processing and summarising of its transactions. " * 25


def bare(url, model, plan, prompt, in_flight):
    """litellm.acompletion and a semaphore; nothing is kept."""
    litellm = litellm_module()
    parameters = request_parameters(model, prompt)

    async def everything():
        slots = asyncio.Semaphore(in_flight)

        async def one(call):
            async with slots:
                await litellm.acompletion(
                    model=f"{model.route}-bare", api_base=url, api_key="not-needed", max_retries=0, num_retries=0, timeout=60,
                    messages=call.messages, **parameters,
                )  # fmt: skip

        await asyncio.gather(*(one(call) for call in plan))

    asyncio.run(everything())


def peer(python, url, prompts_of_calls, schema, in_flight) -> tuple[float, float]:
    """Wall and CPU seconds of inspect_ai, answers of every prompt kept in its log."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "asked.json"
        file.write_text(json.dumps({"prompts": prompts_of_calls, "schema": schema}), "utf-8")
        script = Path(__file__).with_name("peer_inspect_ai.py")
        told = subprocess.run(
            [python, str(script), url, "echo-peer", str(in_flight), str(file)], stdout=subprocess.PIPE, check=True
        )
    counts = json.loads(told.stdout.splitlines()[-1])
    assert counts["answered"] == len(prompts_of_calls), counts
    return counts["wall"], counts["cpu"]


def under_faults(url, model, plan, prompt, items) -> None:
    """Runs one plan against a failing server and counts."""
    litellm_module()  # its import takes seconds and belongs to no call
    with tempfile.TemporaryDirectory() as folder:
        client = ModelClient(Path(folder))
        summary = client.run(model, prompt, plan, items)
        results: Counter[str] = Counter()
        attempts: Counter[str] = Counter()
        for line in client.log(model.id, "C").attempts():
            attempts[line.outcome_detail or line.outcome] += 1
            results[line.request_key] += line.outcome not in INCOMPLETE
    print(", ".join(f"{count} {kind}" for kind, count in attempts.most_common()))
    with urllib.request.urlopen(url.removesuffix("/v1") + "/counts") as reply:
        sent = json.load(reply)
    lost = sum(results[call.request_key] == 0 for call in plan)
    twice = sum(count > 1 for count in results.values())
    print(f"{len(plan)} calls, {summary.calls_made} attempts, {summary.seconds:.1f} s, lowest concurrency "
          f"{summary.lowest_concurrency}")  # fmt: skip
    print(f"the server gave {sent['answers']} answers; {lost} calls without a result, {twice} with two, "
          f"{sent['answers'] - sum(results.values())} answers paid and not kept")  # fmt: skip


def measured(work) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--latency", type=float, default=0.02)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--faults", default="", help="share of each fault, such as 429=0.1,500=0.02")
    parser.add_argument("--peer", metavar="inspect_ai=PYTHON", help="a peer, and an interpreter that has it")
    asked = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    server = subprocess.Popen(
        [sys.executable, str(TESTS / "mock_openai.py"), "--latency", str(asked.latency), "--faults", asked.faults],
        stdout=subprocess.PIPE,
        text=True,
    )
    os.sched_setaffinity(server.pid, {cores[0]})
    os.sched_setaffinity(0, {cores[-1]})
    try:
        url = server.stdout.readline().strip()
        model = remote_model(url, concurrency=asked.in_flight, timeout_seconds=60, max_attempts=12)
        prompt = prompts()["C"]
        items = [item("C", text=f"Filing {n}. {PADDING}", company=str(n)) for n in range(asked.calls)]
        plan = plan_calls(items, model, prompt)
        if asked.faults:
            under_faults(url, model, plan, prompt, items)
            return
        bare(url, model, plan[:50], prompt, asked.in_flight)  # imports and connections are not what is compared
        sides: dict[str, list[tuple[float, float]]] = {"bare litellm": [], "model client": []}
        peer_name, _, python = (asked.peer or "").partition("=")
        if python:
            sides[peer_name] = []
        contents = [call.messages[0]["content"] for call in plan]
        for _ in range(asked.rounds):
            if python:
                sides[peer_name].append(peer(python, url, contents, prompt.schema, asked.in_flight))
            sides["bare litellm"].append(measured(lambda: bare(url, model, plan, prompt, asked.in_flight)))
            with tempfile.TemporaryDirectory() as folder:
                client = ModelClient(Path(folder))
                sides["model client"].append(measured(partial(client.run, model, prompt, plan, items)))
                kept = sum(1 for _ in client.log(model.id, "C").attempts())
                assert kept == asked.calls, f"{kept} of {asked.calls} answers kept"
    finally:
        server.kill()
        server.wait()
    rates = {}
    for name, runs in sides.items():
        wall, cpu = (statistics.median(values) for values in zip(*runs, strict=True))
        rates[name] = asked.calls / wall
        print(f"{name:13} {rates[name]:7.1f} calls/s  {1000 * cpu / asked.calls:5.2f} ms CPU a call  "
              f"(walls {', '.join(f'{w:.2f}' for w, _ in runs)} s)")  # fmt: skip
    if python:
        print(f"model client: {rates['model client'] / rates[peer_name]:.1f} times {peer_name}")
    print(f"load average at the end {os.getloadavg()[0]:.1f}")
    print(
        f"model client reaches {rates['model client'] / rates['bare litellm']:.1%} of bare litellm, everything recorded"
    )


if __name__ == "__main__":
    main()
