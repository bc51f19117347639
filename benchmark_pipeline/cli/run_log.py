"""A run log on SQLite that does not wait for the disk at every event.

Dagster opens, commits and closes its SQLite files once an event, and each commit and each last close waits for the
disk: on a small job that is most of its time. In write-ahead mode `synchronous=NORMAL` keeps the files whole through
a crash of the process or of the machine; only a power failure can lose the last events of the log, and no data of the
lake (https://www.sqlite.org/pragma.html#pragma_synchronous).
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Dialect, Engine


@contextmanager
def unhurried_commits(folder: Path) -> Iterator[None]:
    """While it is open, SQLite files below the folder are committed without waiting for the disk."""
    keepers = _Keepers(folder.resolve())
    event.listen(Engine, "do_connect", keepers.connect)
    try:
        yield
    finally:
        event.remove(Engine, "do_connect", keepers.connect)
        keepers.close()


class _Keepers:
    """One idle connection a file: without it every close of the only connection writes the whole log back."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._kept: dict[str, sqlite3.Connection] = {}

    def connect(
        self, dialect: Dialect, _record: object, arguments: Sequence[Any], options: Mapping[str, Any]
    ) -> sqlite3.Connection | None:
        """Opens one connection of SQLAlchemy; None leaves it to SQLAlchemy (another folder, another database)."""
        if dialect.name != "sqlite" or not Path(arguments[0]).resolve().is_relative_to(self._folder):
            return None
        connection: sqlite3.Connection = dialect.connect(*arguments, **options)  # type: ignore[assignment]
        if self._keep(str(arguments[0])):
            connection.execute("PRAGMA synchronous=NORMAL")
        return connection

    def _keep(self, path: str) -> bool:
        with self._lock:
            if path in self._kept:
                return True
            keeper = sqlite3.connect(path, timeout=0.1, check_same_thread=False, isolation_level=None)
            try:
                # Dagster sets this mode too, but on a new file only after it has made every table.
                written_ahead = bool(keeper.execute("PRAGMA journal_mode=WAL").fetchone()[0] == "wal")
                # The first read is what makes the keeper a user of the log.
                keeper.execute("SELECT count(*) FROM sqlite_master").fetchone()
            except sqlite3.OperationalError:  # another process holds the file just now
                written_ahead = False
            if written_ahead:
                self._kept[path] = keeper
            else:
                keeper.close()
            return written_ahead

    def close(self) -> None:
        """Lets the files go: the last close of each writes its log back."""
        with self._lock:
            for keeper in self._kept.values():
                keeper.close()
            self._kept.clear()
