"""A limit on the processor time that one filing may take."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TimeLimitExceededError(Exception):
    """The work took more processor time than it was given."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises inside the block once this process has computed for `seconds` in it, a running pattern search included.

    Processor time, not the clock: a loaded machine rejects no filing. Only the main thread can be interrupted, and only
    where the system has interval timers; elsewhere the block runs without a limit.

    Raises:
        TimeLimitExceededError: the limit is reached.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TimeLimitExceededError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
