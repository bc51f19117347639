"""Whether a long run grows: resident memory of the model client while it makes calls, everything recorded.

    python benchmarks/model_client_memory.py [--calls 100000] [--in-flight 64] [--short-cut]

The plan is held before the run starts and is no part of the growth. Memory is read at every tenth of the way, each time
as the lowest of the samples since the last. With `--short-cut` litellm is left out and each call is answered in this
process, which shows the client's own growth within a minute; without it the calls go through litellm to the mock server,
at some 100 to 200 a second.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

TESTS = Path(__file__).resolve().parents[1] / "benchmark_pipeline_tests" / "evaluation"
sys.path.insert(0, str(TESTS))

from evaluation_examples import item, prompts, remote_model  # noqa: E402

from benchmark_pipeline import progress  # noqa: E402
from benchmark_pipeline.evaluation.capture import capture_body  # noqa: E402
from benchmark_pipeline.evaluation.planning import plan_calls  # noqa: E402
from benchmark_pipeline.resources import model_client  # noqa: E402
from benchmark_pipeline.resources.model_client import ModelClient  # noqa: E402


def resident() -> float:
    """Resident memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def answered_here(**asked):
    """What litellm would return, and the body as the hook below it would keep it."""
    await asyncio.sleep(0)
    body = {
        "id": "chatcmpl-1", "object": "chat.completion", "model": "echo-2026-01-31", "system_fingerprint": "fp_mock",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": '{"icfr": "clean"}'}}],
        "usage": {"prompt_tokens": 700, "completion_tokens": 8, "total_tokens": 708},
    }  # fmt: skip
    capture_body(json.dumps(body), status=200, headers={"x-request-id": "req-1"})
    message = SimpleNamespace(content='{"icfr": "clean"}', refusal=None)
    choice = SimpleNamespace(message=message, finish_reason="stop")
    return SimpleNamespace(choices=[choice], model="echo-2026-01-31", system_fingerprint="fp_mock", usage=None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--short-cut", action="store_true")
    asked = parser.parse_args()
    server = subprocess.Popen([sys.executable, str(TESTS / "mock_openai.py")], stdout=subprocess.PIPE, text=True)
    try:
        model = remote_model(server.stdout.readline().strip(), concurrency=asked.in_flight)
        if asked.short_cut:
            model_client.litellm_module().acompletion = answered_here
        prompt = prompts()["C"]
        items = [
            item("C", text=f"Filing {number}: ICFR was effective.", company=str(number))
            for number in range(asked.calls)
        ]
        plan = plan_calls(items, model, prompt)
        samples: list[tuple[int, float]] = []
        lowest = float("inf")

        def watch(what: str, done: int, total: int) -> None:
            nonlocal lowest
            if done % 50 == 0 or done == total:
                lowest = min(lowest, resident())
            if done in (500, total // 2) or done % max(total // 10, 1) == 0:
                samples.append((done, lowest))
                lowest = float("inf")

        with tempfile.TemporaryDirectory() as folder, progress.listening(watch):
            started = time.monotonic()
            client = ModelClient(Path(folder))
            summary = client.run(model, prompt, plan, items)
            print(f"{summary.calls_made:,} calls in {time.monotonic() - started:.0f} s, load {os.getloadavg()[0]:.1f}")
            size = sum(path.stat().st_size for path in Path(folder).rglob("*.jsonl"))
        print(f"response log {size / 1e6:.0f} MB")
    finally:
        server.kill()
        server.wait()
    for done, memory in dict(samples).items():
        print(f"{done:9,} calls  {memory:7.1f} MB")
    (first, at_first), (last, at_last) = samples[1], samples[-1]
    print(f"from {first:,} to {last:,} calls: {at_last - at_first:+.1f} MB")


if __name__ == "__main__":
    main()
