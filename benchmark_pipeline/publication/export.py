"""Tables and views of the warehouse as files for other programs.

Text of filings and models may begin like a spreadsheet formula; a CSV cell that does is written with an apostrophe in
front, which spreadsheets show as text. JSON and Parquet carry the text unchanged: no program runs their cells.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any, Literal

import duckdb

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.storage.files import replace_file, temporary_beside

from .warehouse import literal

Format = Literal["csv", "json", "parquet"]
FORMATS: tuple[Format, ...] = ("csv", "json", "parquet")
_CHUNK = 10_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def safe_cell(value: Any) -> Any:
    """A value as a CSV cell: nested values as JSON, and nothing that a spreadsheet would run."""
    if isinstance(value, list | dict):
        value = json.dumps(value, default=str, ensure_ascii=False)
    return "'" + value if isinstance(value, str) and value.startswith(_FORMULA) else value


def export_table(connection: duckdb.DuckDBPyConnection, name: str, target: Path, kind: str) -> int:
    """Writes a table or view to a file, replaced as a whole; returns the number of rows.

    Raises:
        BenchError: there is no such table or view, or the format is unknown.
    """
    if kind not in FORMATS:
        raise BenchError(f"unknown format {kind!r}", remedy=f"one of: {', '.join(FORMATS)}")
    known = [
        row[0] for row in connection.execute("SELECT table_name FROM information_schema.tables ORDER BY 1").fetchall()
    ]
    if name not in known:
        raise BenchError(f"the warehouse has no table or view {name!r}", remedy=f"one of: {', '.join(known)}")
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_beside(target)
    try:
        if kind == "csv":
            rows = _csv(connection, name, temporary)
        else:
            how = "FORMAT parquet, COMPRESSION zstd" if kind == "parquet" else "FORMAT json, ARRAY true"
            done = connection.execute(f'COPY (SELECT * FROM "{name}") TO {literal(temporary)} ({how})').fetchone()
            rows = int(done[0]) if done else 0
        replace_file(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    return rows


def _csv(connection: duckdb.DuckDBPyConnection, name: str, target: Path) -> int:
    cursor = connection.execute(f'SELECT * FROM "{name}"')
    rows = 0
    with target.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow([column[0] for column in cursor.description or []])
        while chunk := cursor.fetchmany(_CHUNK):
            writer.writerows([[safe_cell(value) for value in row] for row in chunk])
            rows += len(chunk)
    return rows
