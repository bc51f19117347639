"""A rate of requests that no second exceeds."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

_MARGIN = 1.02
"""Windows are this much longer than permitted: a request is counted where it arrives, and the way there varies by some
hundredths of a second."""
_SMOOTHNESS = 0.9
"""Requests keep this share of the even distance, so that one sent late can be caught up within the window."""
_POLL = 0.01
"""Seconds between two looks while every place is held by a request that is not sent yet."""


@dataclass(eq=False)
class Place:
    """The right to send one request; it counts against the rate until a window after the request was sent."""

    taken: float
    sent: float | None = None


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
        self._last = float("-inf")
        self._places: list[Place] = []
        self._set(rate)

    def _set(self, rate: float) -> None:
        self.rate = rate
        self._count = max(1, int(rate))
        self._window = self._count / rate * _MARGIN
        self._gap = _SMOOTHNESS / rate

    def try_take(self) -> Place | float:
        """A place to send one request now, or the seconds to wait before asking again."""
        with self._lock:
            now = self._clock()
            self._places = [one for one in self._places if one.sent is None or one.sent + self._window > now]
            earliest = max(self._closed_until, self._last + self._gap)
            if len(self._places) >= self._count:
                ends = sorted(one.sent + self._window for one in self._places if one.sent is not None)
                over = len(self._places) - self._count
                # A request that is still on its way to the socket holds its place: it will be sent later than now.
                earliest = max(earliest, ends[over] if over < len(ends) else now + _POLL)
            if now < earliest:
                return earliest - now
            self._last = now
            place = Place(now)
            self._places.append(place)
            return place

    async def take(self) -> Place:
        """Waits for a place; `sent` must be called for it, whatever comes of the request."""
        while not isinstance(found := self.try_take(), Place):
            await asyncio.sleep(found)
        return found

    def sent(self, place: Place) -> None:
        """The request of this place is sent, or never will be; only the first call counts."""
        with self._lock:
            if place.sent is None:
                place.sent = self._clock()
                self._last = max(self._last, place.sent)

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
