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
_LEAD = 0.05
"""Seconds before its moment in which a request gets its place: time to be woken late, to connect and to write the headers.
What is lost before the moment comes costs no rate; what is lost after it could only be made up by breaking the window."""


@dataclass(eq=False)
class Place:
    """The right to send one request; it counts against the rate until a window after the request was sent."""

    due: float
    """The request may not be sent before."""
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

    def try_take(self, lead: float = 0.0) -> Place | float:
        """A place to send one request, due at most `lead` seconds from now, or the seconds to wait before asking again."""
        with self._lock:
            now = self._clock()
            self._places = [one for one in self._places if one.sent is None or one.sent + self._window > now]
            earliest = max(self._closed_until, self._last + self._gap)
            if len(self._places) >= self._count:
                ends = sorted(one.sent + self._window for one in self._places if one.sent is not None)
                over = len(self._places) - self._count
                if over >= len(ends):
                    # A request that is still on its way to the socket holds its place, and nobody knows until when.
                    return max(_POLL, earliest - lead - now)
                earliest = max(earliest, ends[over])
            if now < earliest - lead:
                return earliest - lead - now
            place = Place(max(now, earliest))
            self._last = place.due
            self._places.append(place)
            return place

    async def take(self) -> Place:
        """Waits for a place; `sent` must be called for it, whatever comes of the request, and `until_due` before."""
        while not isinstance(found := self.try_take(_LEAD), Place):
            await asyncio.sleep(found)
        return found

    async def until_due(self, place: Place) -> None:
        """Waits for the moment of a place: the request goes to its socket right after."""
        while (left := self.seconds_left(place)) > 0:
            await asyncio.sleep(left)

    def seconds_left(self, place: Place) -> float:
        """Seconds until this place's request may be sent; a pause that began since it was taken counts."""
        with self._lock:
            return max(place.due, self._closed_until) - self._clock()

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
