"""When a failed attempt is tried again, and after how long. Ours alone: the providers' own retries are off."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

RETRIED_STATUS = frozenset({408, 409, 425, 429})
LONGEST_RETRY_AFTER_SECONDS = 300.0
"""A provider that asks for more is not waited for: the call fails now and the next run asks again."""


def is_retried(status: int | None) -> bool:
    """Whether a status is worth another attempt; None is a failure below HTTP (timeout, reset)."""
    return status is None or status in RETRIED_STATUS or status >= 500


def retry_after_seconds(value: str | None, *, now: datetime | None = None) -> float | None:
    """The `Retry-After` header in seconds: a number, or an HTTP date (RFC 9110, 10.2.3). Nonsense is None."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            when = parsedate_to_datetime(value)
        except (TypeError, ValueError):
            return None
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        seconds = (when - (now or datetime.now(UTC))).total_seconds()
    return max(0.0, seconds) if seconds == seconds and seconds != float("inf") else None  # noqa: PLR0124 - NaN


def wait_seconds(attempt: int, retry_after: float | None, *, base: float = 0.5, cap: float = 30.0) -> float:
    """Wait before the next attempt: what the provider asked for, else exponential with full jitter.

    Args:
        attempt: The attempt that failed, from 1.
        retry_after: Seconds the provider asked for.
        base: First backoff.
        cap: Longest backoff.
    """
    if retry_after is not None:
        # A little more than asked, and not the same for all: a crowd that returns at once is limited again.
        return retry_after + random.uniform(0, 0.1 * max(retry_after, base))  # noqa: S311 - jitter
    return random.uniform(0, min(cap, base * 2**attempt))  # noqa: S311 - jitter
