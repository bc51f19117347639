"""The response log: one line per attempt, on disk before the next step, and what it says about each request.

Resuming is an anti-join of plan and log: a request with a result is not asked again, whatever became of the run that
asked it. A kill can lose the calls in flight at that moment and nothing else.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.storage import AppendLog
from benchmark_pipeline.tables.base import Utc
from benchmark_pipeline.tables.evaluation import INCOMPLETE, Outcome

from .answers import Question
from .request import PlannedCall


class Attempt(BaseModel):
    """One attempt of one request, as the log keeps it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    request_key: str
    run_id: str
    model_id: str
    task: Question
    item_id: str
    prompt_version: str
    prompt_sha256: str
    parameters: str
    schema_enforcement: str
    attempt: int
    """From 1, over all runs of the process."""
    final: bool
    """False where a retry follows; the outcome of a request is that of its last final attempt."""
    outcome: Outcome
    outcome_detail: str | None = None
    http_status: int | None = None
    headers: dict[str, str] | None = None
    """Response headers that tell how and by what the request was served (`replies.HEADERS`)."""
    provider_request_id: str | None = None
    retry_after_seconds: float | None = None
    error: str | None = None
    raw_body: str | None = None
    content: str | None = None
    finish_reason: str | None = None
    returned_model: str | None = None
    fingerprint: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    usage: dict[str, Any] | None = None
    """The provider's own count, verbatim."""
    batch_id: str | None = None
    """The provider's batch that this call was part of."""
    latency_seconds: float | None = None
    """Null in a batch."""
    started_at: Utc
    finished_at: Utc


@dataclass(frozen=True)
class Settled:
    """What the log says about one request: its deciding attempt and how many there were."""

    last: Attempt
    attempts: int
    first_started_at: Utc

    @property
    def is_result(self) -> bool:
        """Whether the request needs no further call."""
        return self.last.outcome not in INCOMPLETE


@dataclass(slots=True)
class Known:
    """What a run has to know of a request that was tried before; no bodies, so that a long log fits in memory."""

    attempts: int = 0
    is_result: bool = False
    returned_model: str | None = None
    """Of the result."""


class ResponseLog:
    """The attempts of one model on one task or drafting question, in a folder of their own."""

    def __init__(self, root: Path, model_id: str, task: Question) -> None:
        self.folder = root / _folder_name(model_id) / task
        # Every append is a write to the file before it returns, which a killed process cannot lose. `sync` is apart,
        # so that waiting for the disk holds up no call.
        self._log = AppendLog(self.folder, fsync=False)

    def append(self, attempt: Attempt) -> None:
        """Writes one attempt to its file."""
        self._log.append(attempt.model_dump(mode="json", exclude_none=True))

    def sync(self) -> None:
        """Makes everything appended so far survive a loss of power."""
        self._log.sync()

    def attempts(self) -> Iterator[Attempt]:
        """Every complete line. A line that a kill cut short is counted in `torn_lines` and left alone."""
        for record in self._log.read():
            yield Attempt.model_validate(record)

    @property
    def torn_lines(self) -> int:
        """Unfinished lines seen by the last complete read."""
        return self._log.torn_lines

    def known(self) -> dict[str, Known]:
        """The state of every request that was tried, by the rule of `settled` and without the answers."""
        states: dict[str, Known] = {}
        for record in self._log.read():
            state = states.setdefault(record["request_key"], Known())
            state.attempts += 1
            if not state.is_result and record["outcome"] not in INCOMPLETE:
                state.is_result, state.returned_model = True, record.get("returned_model")
        return states

    def settled(self) -> dict[str, Settled]:
        """The state of every request that was tried.

        The first result of a request decides and is never re-rolled; a transport failure gives way to what comes later.
        """
        return settle(self.attempts())

    def close(self) -> None:
        """Closes the file of this process."""
        self._log.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Holds the log for one writer, so that two runs of the same partition cannot both pay.

        Raises:
            BenchError: another process is writing it.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.folder / ".writer", os.O_CREAT | os.O_RDWR, 0o644)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise BenchError(
                    f"another process is asking the same model the same task (it holds {self.folder}/.writer)",
                    remedy="wait for it to end, or end it; its answers are kept and will be used",
                ) from error
            yield
        finally:
            self.sync()
            self.close()
            os.close(handle)


def settle(attempts: Iterable[Attempt]) -> dict[str, Settled]:
    """Folds attempts, oldest first, into one state a request."""
    states: dict[str, Settled] = {}
    for attempt in attempts:
        known = states.get(attempt.request_key)
        if known is None:
            states[attempt.request_key] = Settled(attempt, 1, attempt.started_at)
            continue
        last = known.last if known.is_result and known.last.final else attempt
        states[attempt.request_key] = Settled(last, known.attempts + 1, known.first_started_at)
    return states


def remaining(plan: Sequence[PlannedCall], settled: Mapping[str, Settled | Known]) -> list[PlannedCall]:
    """Calls of the plan that have no result yet: the anti-join of plan and log."""
    return [call for call in plan if call.request_key not in settled or not settled[call.request_key].is_result]


def _folder_name(model_id: str) -> str:
    # Readable, and unique: two ids that differ only in punctuation must not share a log.
    readable = re.sub(r"[^A-Za-z0-9.-]+", "_", model_id)[:80]
    return f"{readable}-{hashlib.sha256(model_id.encode()).hexdigest()[:8]}"
