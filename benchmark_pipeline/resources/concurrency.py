"""How many calls are in flight: as many as allowed, fewer while the provider says that it is too many."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_SMALLEST_WINDOW = 8
_MOMENT_SECONDS = 1.0


class AdaptiveLimit:
    """Additive increase, and a decrease in proportion to the share of refusals, as Data Center TCP does it (RFC 8257).

    Calls are counted in windows of `limit` calls, eight at least. Each window adds one call, and takes off half the share
    that was refused: about a half where all were, a twentieth where a tenth was. A provider that refuses some calls whatever
    the load is so still asked by many callers, where halving at each refusal would end with one. A refused call
    waits for the `Retry-After` that it was given. All callers of this provider wait with it where the provider means them
    all: two refusals came without an answer between them, or the time is longer than a moment.
    """

    def __init__(self, maximum: int) -> None:
        self.maximum = maximum
        self.lowest = maximum
        self._exact = float(maximum)
        self._in_flight = 0
        self._last_refused = False
        self._ended = 0
        self._refused = 0
        self._closed_until = 0.0
        self._waiters = asyncio.Condition()

    @property
    def limit(self) -> int:
        """Calls that may be in flight now."""
        return int(self._exact)

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
        self._count(refused=False)

    def refused(self, retry_after: float | None) -> None:
        """The provider answered 429."""
        if retry_after is not None and (self._last_refused or retry_after > _MOMENT_SECONDS):
            self._closed_until = max(self._closed_until, time.monotonic() + retry_after)
        self._count(refused=True)

    def _count(self, *, refused: bool) -> None:
        self._last_refused = refused
        self._ended += 1
        self._refused += refused
        if self._ended < max(self.limit, _SMALLEST_WINDOW):
            return
        grown = self._exact + 1 - self._exact * self._refused / self._ended / 2
        self._exact = min(float(self.maximum), max(1.0, grown))
        self.lowest = min(self.lowest, self.limit)
        self._ended = self._refused = 0

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
