"""One process of a machine asks a service at a time.

A service's rate is per user, and a process only knows its own requests: a run started by hand beside a scheduled one would
double it. One process uses the whole rate anyway, so the other waits.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import tempfile
import threading
from pathlib import Path

from benchmark_pipeline import progress

_POLL = 0.5


class Turn:
    """A lock between the processes of a user; within one process it may be held any number of times."""

    def __init__(self, service: str, folder: Path | None = None) -> None:
        self._service = service
        self._path = (folder or Path(tempfile.gettempdir())) / f"icfr-bench-{service}-{os.getuid()}.lock"
        self._lock = threading.Lock()
        self._handle: int | None = None
        self._holders = 0

    async def take(self) -> None:
        """Waits until no other process holds it. The lock ends with its process, however that ends."""
        while not self._try():
            progress.advance(f"waiting for another process that asks {self._service}", 0, 1)
            await asyncio.sleep(_POLL)

    def give_back(self) -> None:
        """Lets others in, once every holder of this process has given it back."""
        with self._lock:
            self._holders -= 1
            if self._holders == 0 and self._handle is not None:
                os.close(self._handle)
                self._handle = None

    def _try(self) -> bool:
        with self._lock:
            if self._handle is None:
                # Never through a link that somebody else put into the shared folder.
                handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    os.close(handle)
                    return False
                self._handle = handle
            self._holders += 1
            return True


EDGAR_TURN = Turn("EDGAR")
