"""The adaptive limit: halved by a refusal, raised one by one by successes."""

from __future__ import annotations

import asyncio
import time

from benchmark_pipeline.resources.concurrency import AdaptiveLimit


def test_a_burst_of_refusals_counts_once_and_successes_raise_the_limit_again():
    limit = AdaptiveLimit(16, hold_seconds=60)
    for _ in range(10):
        limit.refused(None)
    assert limit.limit == 8
    for _ in range(8):
        limit.succeeded()
    assert limit.limit == 9
    for _ in range(1000):
        limit.succeeded()
    assert (limit.limit, limit.lowest) == (16, 8)


def test_calls_that_were_in_flight_at_a_refusal_do_not_lower_the_limit_again():
    limit = AdaptiveLimit(16, hold_seconds=0)
    limit.refused(None)
    for _ in range(7):
        limit.refused(None)
    assert limit.limit == 8
    limit.refused(None)
    assert limit.limit == 4


def test_the_limit_never_falls_below_one():
    limit = AdaptiveLimit(4, hold_seconds=0)
    for _ in range(10):
        limit.refused(None)
    assert limit.limit == 1


def test_a_retry_after_holds_back_every_caller():
    async def work() -> float:
        limit = AdaptiveLimit(4)
        limit.refused(0.2)
        started = time.monotonic()
        async with limit.slot():
            return time.monotonic() - started

    assert asyncio.run(work()) >= 0.2


def test_waiting_callers_are_let_in_when_others_leave():
    async def work() -> list[int]:
        limit, inside, most = AdaptiveLimit(2), 0, []

        async def one() -> None:
            nonlocal inside
            async with limit.slot():
                inside += 1
                most.append(inside)
                await asyncio.sleep(0.01)
                inside -= 1

        await asyncio.gather(*(one() for _ in range(10)))
        return most

    seen = asyncio.run(work())
    assert len(seen) == 10
    assert max(seen) == 2
