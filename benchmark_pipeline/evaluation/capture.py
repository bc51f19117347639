"""The raw body of a provider's reply, caught below litellm, which does not keep it.

A reply belongs to the attempt whose task is running: a context variable holds that attempt's slot, and the HTTP hook
(or the embedded model) puts what it received there.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass
class Capture:
    """What one attempt received."""

    body: str | None = None
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)


_current: ContextVar[Capture | None] = ContextVar("icfr_bench_capture", default=None)


def start_capture() -> Capture:
    """Opens the slot of the attempt that runs in this task."""
    capture = Capture()
    _current.set(capture)
    return capture


def capture_body(body: str, *, status: int | None = None, headers: dict[str, str] | None = None) -> None:
    """Puts a received body into the running attempt's slot; outside an attempt it does nothing."""
    capture = _current.get()
    if capture is not None:
        capture.body, capture.status, capture.headers = body, status, headers or {}
