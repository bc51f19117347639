"""Append-only JSON Lines: what was paid for or fetched is on disk before the next step.

A process writes its own file, so two processes never interleave. A line that a kill or a full disk cut short is at the
end of a file; it is skipped and counted on reading, never repaired, and nothing is appended behind it.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import threading
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


class AppendLog:
    """A folder of JSON Lines files, read as one log in order of file name.

    The folder is local: an append must be durable at once, which object stores do not offer.
    """

    def __init__(self, folder: Path, *, fsync: bool = True) -> None:
        self.folder = folder
        self._fsync = fsync
        self._handle: Any = None
        self._lock = threading.Lock()
        self.torn_lines = 0
        """Unfinished lines seen by the last complete `read`."""

    def append(self, record: dict[str, Any]) -> None:
        """Writes one record and flushes it to disk. Lone surrogates are escaped, so a record never kills the log."""
        line = json.dumps(record, ensure_ascii=True, separators=(",", ":"), default=str).encode("ascii") + b"\n"
        with self._lock:
            if self._handle is None:
                self.folder.mkdir(parents=True, exist_ok=True)
                stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
                path = self.folder / f"{stamp}-{os.getpid()}-{uuid.uuid4().hex[:6]}.jsonl"
                self._handle = path.open("ab", buffering=0)
            try:
                _write_whole(self._handle, line)
                if self._fsync:
                    os.fsync(self._handle.fileno())
            except BaseException:
                # Part of the line may be in the file: the next record goes to a new one, where it cannot be glued to it.
                self._abandon()
                raise

    def _abandon(self) -> None:
        with contextlib.suppress(OSError):
            self._handle.close()
        self._handle = None

    def sync(self) -> None:
        """Makes everything appended so far survive a loss of power; for logs opened with `fsync=False`."""
        with self._lock:
            handle = None if self._handle is None else os.dup(self._handle.fileno())
        if handle is not None:
            # Outside the lock: appends go on while the disk works.
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def read(self) -> Iterator[dict[str, Any]]:
        """Every complete record, oldest file first."""
        torn = 0
        for path in sorted(self.folder.glob("*.jsonl")) if self.folder.is_dir() else []:
            with path.open("rb") as handle:
                for line in handle:
                    try:
                        yield json.loads(line)
                    except ValueError:
                        torn += 1
        self.torn_lines = torn

    def close(self) -> None:
        """Closes the file of this process; the next append opens a new one."""
        with self._lock:
            if self._handle is not None:
                self._handle.close()
                self._handle = None


def _write_whole(handle: Any, line: bytes) -> None:
    """An unbuffered write may take a part only, without an error, where the disk is nearly full."""
    left = memoryview(line)
    while left:
        written = handle.write(left)
        if not written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left = left[written:]
