"""How many calls are in flight: as many as allowed, fewer while the provider says that it is too many."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class AdaptiveLimit:
    """Additive increase, multiplicative decrease, as TCP does it.

    A 429 halves the limit, at most once a `hold` and once in `limit` calls, so that one burst of refusals counts once and
    a slow provider is not slowed for each of its refusals; each `limit` successes raise it by one. A `Retry-After` also keeps new calls back until it has passed, for all callers of this provider.
    """

    def __init__(self, maximum: int, *, hold_seconds: float = 1.0) -> None:
        self.maximum = maximum
        self.limit = maximum
        self.lowest = maximum
        self._hold = hold_seconds
        self._in_flight = 0
        self._successes = 0
        self._ended_since_lowered = maximum
        self._lowered_at = float("-inf")
        self._closed_until = 0.0
        self._waiters = asyncio.Condition()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Waits for a free slot and holds it."""
        await self._acquire()
        try:
            yield
        finally:
            await self._release()

    def succeeded(self) -> None:
        """A call went through."""
        self._successes += 1
        self._ended_since_lowered += 1
        if self._successes >= self.limit and self.limit < self.maximum:
            self.limit += 1
            self._successes = 0

    def refused(self, retry_after: float | None) -> None:
        """The provider answered 429."""
        now = time.monotonic()
        if retry_after is not None:
            self._closed_until = max(self._closed_until, now + retry_after)
        self._ended_since_lowered += 1
        if now - self._lowered_at >= self._hold and self._ended_since_lowered >= self.limit:
            self.limit = max(1, self.limit // 2)
            self.lowest = min(self.lowest, self.limit)
            self._lowered_at, self._successes, self._ended_since_lowered = now, 0, 0

    async def _acquire(self) -> None:
        while True:
            async with self._waiters:
                await self._waiters.wait_for(lambda: self._in_flight < self.limit)
                closed_for = self._closed_until - time.monotonic()
                if closed_for <= 0:
                    self._in_flight += 1
                    return
            await asyncio.sleep(closed_for)

    async def _release(self) -> None:
        async with self._waiters:
            self._in_flight -= 1
            self._waiters.notify_all()
