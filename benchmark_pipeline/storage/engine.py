"""The DuckDB engine that reads and writes lake files: one a process, since starting one takes longer than a small file."""

from __future__ import annotations

import os
from functools import cache

import duckdb


def session() -> duckdb.DuckDBPyConnection:
    """A connection of its own to the process's engine, on one thread, so that equal rows are written as equal bytes.

    Closing it leaves the engine running. It holds no tables: nothing is kept from one session to the next.
    """
    return _engine(os.getpid()).cursor()


@cache
def _engine(_process: int) -> duckdb.DuckDBPyConnection:
    # A forked process starts its own, and never closes its parent's: threads do not survive a fork. Files are replaced under their
    # names, so that no part of one is answered from memory.
    return duckdb.connect(config={"threads": 1, "enable_external_file_cache": False})
