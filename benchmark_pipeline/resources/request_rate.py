"""A rate of requests that no second exceeds."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable

_MARGIN = 1.04
"""Windows are this much longer than permitted: a request is counted where it arrives, and the way there varies by some
hundredths of a second."""
_SMOOTHNESS = 0.9
"""Requests keep this share of the even distance, so that one sent late can be caught up within the window."""


class RequestRate:
    """At most `rate` requests in any second, whoever shares this object: threads and event loops of one process.

    The limit is a sliding window over the requests sent and not a bucket that fills up while idle: a bucket allows twice
    the rate after a pause, and EDGAR throttles a user for ten minutes who crosses the line once.
    """

    def __init__(self, rate: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        if rate <= 0:
            raise ValueError(f"a rate must be positive, got {rate}")
        self._clock = clock
        self._lock = threading.Lock()
        self._closed_until = float("-inf")
        self._sent: deque[list[float]] = deque()
        self._set(rate)

    def _set(self, rate: float) -> None:
        self.rate = rate
        self._count = max(1, int(rate))
        self._window = self._count / rate * _MARGIN
        self._gap = _SMOOTHNESS / rate
        self._sent = deque(self._sent, maxlen=self._count)

    def try_take(self) -> float:
        """Takes a place now and returns 0, or returns the seconds to wait before asking again."""
        with self._lock:
            now = self._clock()
            earliest = self._closed_until
            if self._sent:
                earliest = max(earliest, self._sent[-1][0] + self._gap)
            if len(self._sent) == self._count:
                earliest = max(earliest, self._sent[0][0] + self._window)
            if now >= earliest:
                self._sent.append([now])
                return 0.0
            return earliest - now

    async def take(self) -> None:
        """Waits for a place."""
        while (wait := self.try_take()) > 0:
            await asyncio.sleep(wait)

    def sent_now(self) -> None:
        """The request of the last place taken goes out now: time lost on the way to the socket is not counted twice."""
        with self._lock:
            if self._sent:
                self._sent[-1][0] = max(self._sent[-1][0], self._clock())

    def pause(self, seconds: float) -> None:
        """Nothing is sent for so long."""
        with self._lock:
            self._closed_until = max(self._closed_until, self._clock() + seconds)

    def halve(self) -> None:
        """Half the rate from now on."""
        with self._lock:
            self._set(self.rate / 2)


_shared: dict[str, RequestRate] = {}
_shared_lock = threading.Lock()


def shared_rate(service: str, rate: float) -> RequestRate:
    """The one rate of this process towards a service; a lower rate asked for later lowers it for all."""
    with _shared_lock:
        found = _shared.get(service)
        if found is None or rate < found.rate:
            found = _shared[service] = RequestRate(rate)
        return found
