"""Faults that the replay server plays: what EDGAR and the network between do to a client.

A plan is a list of `Fault`s, tried in order; the first that applies is played and used up. `scattered` draws a fault for
a share of all requests from a seed, never twice in a row for one path, so that a client that retries gets through.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

FaultKind = Literal[
    "undeclared_tool",
    "rate_threshold",
    "access_denied",
    "not_found",
    "too_many_requests",
    "unavailable",
    "slow",
    "truncated",
    "cut_body",
    "reset",
    "maintenance_page",
    "wrong_body",
]
"""`truncated` breaks off before Content-Length is reached; `cut_body` sends half a body with a length that agrees."""

UNDECLARED_TOOL_PAGE = (
    b"<!DOCTYPE html><html><head><title>SEC.gov | Your Request Originates from an Undeclared Automated Tool</title>"
    b"</head><body><h1>Your Request Originates from an Undeclared Automated Tool</h1>"
    b"<p>Declare your traffic by updating your user agent to include company specific information.</p></body></html>"
)
RATE_THRESHOLD_PAGE = (
    b"<!DOCTYPE html><html><head><title>SEC.gov | Request Rate Threshold Exceeded</title></head>"
    b"<body><h1>Request Rate Threshold Exceeded</h1><p>Access resumes once the rate has been below the threshold for "
    b"10 minutes.</p></body></html>"
)
ACCESS_DENIED_XML = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>'
)
NO_SUCH_KEY_XML = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n'
    b"<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>"
)
MAINTENANCE_PAGE = (
    b"<!DOCTYPE html><html><head><title>SEC.gov | Site Maintenance</title></head><body><h1>This page is temporarily "
    b"unavailable</h1><p>SEC.gov is undergoing scheduled maintenance. Please try again later.</p></body></html>"
)
WRONG_BODY = b"<html><head><title>SEC.gov | Home</title></head><body><p>Welcome to the home page.</p></body></html>"


@dataclass
class Fault:
    """One fault: which requests it meets, and how often."""

    kind: FaultKind
    path: str = ".*"
    """Regular expression searched in the request path."""
    times: int = 1
    """How many requests it meets before it is used up."""
    skip: int = 0
    """How many matching requests pass before the first is met."""
    retry_after: str | None = None
    """Retry-After header of `too_many_requests` and `unavailable`."""
    seconds: float = 1.0
    """Delay of `slow`."""


@dataclass
class FaultPlan:
    """Which fault, if any, meets a request. Thread-safe."""

    faults: list[Fault] = field(default_factory=list)
    share: float = 0.0
    """Share of requests that get one of `kinds`, drawn from `seed`."""
    kinds: tuple[FaultKind, ...] = ()
    seed: int = 0
    retry_after: str | None = None
    played: Counter[str] = field(default_factory=Counter)
    """Faults played, by kind."""
    _attempts: Counter[str] = field(default_factory=Counter)
    _last: dict[str, bool] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def scattered(
        cls, share: float, kinds: tuple[FaultKind, ...], *, seed: int = 0, retry_after: str | None = None
    ) -> FaultPlan:
        """Faults for about `share` of the requests, the same for the same seed and paths."""
        return cls(share=share, kinds=kinds, seed=seed, retry_after=retry_after)

    def draw(self, path: str) -> Fault | None:
        """The fault for this request."""
        with self._lock:
            fault = self._listed(path) or self._scattered(path)
            if fault is not None:
                self.played[fault.kind] += 1
            return fault

    def _listed(self, path: str) -> Fault | None:
        for fault in self.faults:
            if fault.times > 0 and re.search(fault.path, path):
                if fault.skip > 0:
                    fault.skip -= 1
                    continue
                fault.times -= 1
                return fault
        return None

    def _scattered(self, path: str) -> Fault | None:
        if not self.kinds or self._last.get(path):
            self._last[path] = False
            return None
        self._attempts[path] += 1
        digest = hashlib.sha256(f"{self.seed}:{path}:{self._attempts[path]}".encode()).digest()
        hit = int.from_bytes(digest[:4], "big") / 2**32 < self.share
        self._last[path] = hit
        if not hit:
            return None
        return Fault(self.kinds[digest[4] % len(self.kinds)], retry_after=self.retry_after, seconds=0.05)
