"""Progress of long work, told to whoever listens.

Domain code calls `advance`; the command line shows a bar, a Dagster step logs every tenth of the way. No listener, no
cost. Listeners are process-wide on purpose: a step may do its work on threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Listener = Callable[[str, int, int], None]
"""Called with (what, done, total)."""

_listeners: list[Listener] = []
_notes: dict[str, str] = {}


def advance(what: str, done: int, total: int) -> None:
    """Tells every listener that `done` of `total` are finished."""
    for listener in tuple(_listeners):
        listener(what, done, total)


def describe(what: str, text: str) -> None:
    """Says more about a piece of work in progress: time left, cost, failures. An empty text takes it back."""
    if text:
        _notes[what] = text
    else:
        _notes.pop(what, None)


def note(what: str) -> str:
    """What `describe` said last."""
    return _notes.get(what, "")


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Listens while the block runs."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def every_tenth(log: Callable[[str], None]) -> Listener:
    """A listener that logs one line each tenth of the way, so that an event log stays readable."""
    last: dict[str, int] = {}

    def listen(what: str, done: int, total: int) -> None:
        tenth = 10 * done // max(total, 1)
        if last.get(what) != tenth or done == total:
            last[what] = tenth
            log(" · ".join(part for part in (f"{what}: {done} of {total}", note(what)) if part))

    return listen
