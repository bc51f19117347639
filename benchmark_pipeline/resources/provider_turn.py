"""One run a provider at a time, over all processes of a machine.

Two runs that each keep to their own limit would be together over the provider's, and each would take the other's 429 for
its own. The lock is the operating system's: it ends with the process that holds it, however that ends.
"""

from __future__ import annotations

import fcntl
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmark_pipeline import progress


@contextmanager
def provider_turn(root: Path, account: str | None, what: str, *, poll_seconds: float = 0.5) -> Iterator[float]:
    """Waits until no other process asks this provider, then keeps it to itself.

    Args:
        root: Folder of the response log.
        account: Whose limits the calls count against (`ModelEntry.account`); null waits for nobody.
        what: The work that waits, as `progress` names it.
        poll_seconds: Time between two looks.

    Yields:
        Seconds waited.
    """
    if account is None:
        yield 0.0
        return
    folder = root / ".providers"
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / f"{re.sub(r'[^A-Za-z0-9.-]+', '_', account)}.lock", os.O_CREAT | os.O_RDWR, 0o644)
    started = time.monotonic()
    try:
        while not _locked(handle):
            progress.describe(what, f"waits for another run that asks {account}")
            progress.advance(what, 0, 1)
            time.sleep(poll_seconds)
        yield time.monotonic() - started
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
