"""The adaptive limit: lowered by the share of refusals, raised one by one where there are none."""

from __future__ import annotations

import asyncio
import random
import time

import pytest

from benchmark_pipeline.resources.concurrency import AdaptiveLimit


def windows(limit: AdaptiveLimit, count: int, refused_share: float, chance: random.Random) -> list[int]:
    """The limit after each of `count` windows of calls refused at random."""
    seen = []
    for _ in range(count):
        for _ in range(max(limit.limit, 8)):
            if chance.random() < refused_share:
                limit.refused(None)
            else:
                limit.succeeded()
        seen.append(limit.limit)
    return seen


def test_a_burst_that_refuses_every_call_halves_the_limit_once():
    limit = AdaptiveLimit(64)
    for _ in range(63):
        limit.refused(None)
    assert limit.limit == 64
    limit.refused(None)
    assert limit.limit == 33
    for _ in range(32):
        limit.refused(None)
    assert limit.limit == 33
    limit.refused(None)
    assert limit.limit == 17


def test_a_window_without_refusals_raises_the_limit_by_one_up_to_the_maximum():
    limit = AdaptiveLimit(16)
    for _ in range(16):
        limit.refused(None)
    assert limit.limit == 9
    for _ in range(9):
        limit.succeeded()
    assert limit.limit == 10
    for _ in range(1000):
        limit.succeeded()
    assert (limit.limit, limit.lowest) == (16, 9)


@pytest.mark.parametrize("seed", range(5))
def test_refusals_that_no_load_explains_leave_many_calls_in_flight(seed):
    settled = windows(AdaptiveLimit(64), 300, 0.1, random.Random(seed))[50:]
    assert 8 <= sum(settled) / len(settled) <= 32


def test_a_provider_that_takes_eight_at_a_time_is_asked_by_about_eight():
    limit, seen = AdaptiveLimit(64), []
    for _ in range(300):
        for number in range(max(limit.limit, 8)):
            # Of each round of calls in flight the first eight are taken.
            if number % limit.limit < 8:
                limit.succeeded()
            else:
                limit.refused(None)
        seen.append(limit.limit)
    assert all(6 <= value <= 10 for value in seen[20:])


@pytest.mark.parametrize("maximum", [1, 4, 64])
def test_a_provider_that_refuses_everything_is_asked_by_one_or_two(maximum):
    limit = AdaptiveLimit(maximum)
    for _ in range(200):
        limit.refused(None)
    assert 1 <= limit.limit <= 2


def waited(*ended: float | None) -> float:
    """Seconds that the next caller waits after calls that were answered (null) or refused for so long."""

    async def work() -> float:
        limit = AdaptiveLimit(4)
        for retry_after in ended:
            limit.succeeded() if retry_after is None else limit.refused(retry_after)
        started = time.monotonic()
        async with limit.slot():
            return time.monotonic() - started

    return asyncio.run(work())


def test_two_refusals_in_a_row_hold_back_every_caller_for_the_retry_after():
    assert waited(0.2, 0.2) >= 0.2


def test_a_refusal_among_answers_holds_back_nobody_else():
    assert waited(0.5, None, 0.5) < 0.3


def test_a_long_retry_after_holds_back_every_caller_at_once():
    assert waited(1.2) >= 1.2


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
