"""The lake: one Parquet file a table and partition, replaced as a whole.

Files are written by DuckDB from validated rows, in the order given, on one thread, so that the same rows give the same
bytes. A re-run replaces its file and never appends.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import duckdb
from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from benchmark_pipeline.errors import BenchError, CorruptFileError
from benchmark_pipeline.tables import TABLES, Row, TableSpec
from benchmark_pipeline.tables.base import stored_values

from .engine import session
from .files import filesystem, is_local, replace_file, temporary_beside
from .recent import FileState, RecentFiles

WHOLE = "all"
"""Partition name of a table that has no partitions."""
_MAX_ROW_BYTES = 256 * 1024 * 1024
_SORT_MEMORY = "700MB"
"""Beyond this a revision sorts on disk."""

R = TypeVar("R", bound=Row)


@dataclass(frozen=True)
class WrittenFile:
    """What one write left in the lake."""

    path: str
    rows: int
    size_bytes: int
    sha256: str
    """Of the file: equal rows give equal bytes, so this is the version of the data."""


class Lake:
    """Tables below `<root>/lake/<table>/<partition>.parquet`; the root is a folder or an fsspec URL."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._fs, base = filesystem(root)
        self._base = f"{base}/lake"
        self._recent = RecentFiles()

    def path(self, table: str, partition: str | None = None) -> str:
        """Where a partition of a table is kept."""
        _spec(table)
        name = (partition or WHOLE).replace("|", "__").replace("/", "_")
        return f"{self._base}/{table}/{name}.parquet"

    def partitions(self, table: str) -> list[str]:
        """Partition file stems that exist, sorted."""
        _spec(table)
        found = self._fs.glob(f"{self._base}/{table}/*.parquet")
        return sorted(str(path).rsplit("/", 1)[-1].removesuffix(".parquet") for path in found)

    def write(self, table: str, rows: Iterable[Row], partition: str | None = None) -> WrittenFile:
        """Replaces one partition of a table with these rows (an empty list leaves an empty file with the schema)."""
        spec = _spec(table)
        with tempfile.TemporaryDirectory(prefix="icfr-lake-") as folder:
            lines = Path(folder) / "rows.jsonl"
            count = _write_lines(spec, rows, lines)
            return self._replace(table, partition, _rows_query(spec, lines, count), count)

    def revise(self, table: str, rows: Iterable[Row], *, of: Sequence[str], recomputed: str = "") -> WrittenFile:
        """Replaces the rows of some registrants in an unpartitioned table; the others' stay in the file unread by Python.

        Args:
            table: A table with a column `cik`, ordered by its key.
            rows: The new rows of these registrants, in the order of the key.
            of: The registrants.
            recomputed: SQL of the columns that change on the kept rows (`expression AS column, …`).

        Raises:
            BenchError: the table has not been written yet.
        """
        spec, path = _spec(table), self.path(table)
        if not self._fs.exists(path):
            raise BenchError(f"{table} is not in the lake: {path}", remedy=f"materialize {table} first")
        with tempfile.TemporaryDirectory(prefix="icfr-lake-") as folder, duckdb.connect(config={
            "threads": 1, "memory_limit": _SORT_MEMORY, "temp_directory": folder,
        }) as connection:  # fmt: skip
            # What DuckDB knows of the old file would change how it writes: the bytes are those of a write of all rows.
            connection.execute("SET disabled_optimizers = 'statistics_propagation'")
            present, lines = path, Path(folder) / "rows.jsonl"
            if not is_local(self._fs):
                present = f"{folder}/present.parquet"
                self._fs.get_file(path, present)
            count = _write_lines(spec, rows, lines)
            connection.execute(
                "CREATE TEMP TABLE revised AS SELECT unnest($ciks::VARCHAR[]) AS cik", {"ciks": list(of)}
            )
            replace = f" REPLACE ({recomputed})" if recomputed else ""
            query = (
                f"SELECT *{replace} FROM read_parquet({_literal(present)}) WHERE cik NOT IN (SELECT cik FROM revised) "
                f"UNION ALL BY NAME {_rows_query(spec, lines, count)} ORDER BY {', '.join(spec.key)}"
            )
            return self._replace(table, None, query, None, connection)

    def write_query(self, table: str, connection: duckdb.DuckDBPyConnection, query: str,
                    partition: str | None = None) -> WrittenFile:  # fmt: skip
        """Replaces one partition with the result of a query, for tables too large to pass through Python."""
        return self._replace(table, partition, query, None, connection)

    def _replace(self, table: str, partition: str | None, query: str, count: int | None,
                 connection: duckdb.DuckDBPyConnection | None = None) -> WrittenFile:  # fmt: skip
        target = self.path(table, partition)
        if is_local(self._fs):
            Path(target).parent.mkdir(parents=True, exist_ok=True)
            temporary = temporary_beside(Path(target))
            try:
                written = _copy_to(temporary, target, query, count, connection)
                replace_file(temporary, Path(target))
            finally:
                temporary.unlink(missing_ok=True)
            return written
        with tempfile.TemporaryDirectory(prefix="icfr-lake-") as folder:
            part = Path(folder) / "part.parquet"
            written = _copy_to(part, target, query, count, connection)
            self._fs.put_file(str(part), target)
        return written

    def read(
        self, model: type[R], table: str, partitions: Sequence[str] | None = None,
        where: tuple[str, dict[str, Any]] | None = None,
    ) -> list[R]:  # fmt: skip
        """All rows of a table (or of some partitions), validated; `where` is an SQL condition with its parameters.

        Raises:
            BenchError: the table has not been materialized.
            CorruptFileError: a file cannot be read, or holds other columns than the model.
        """
        rows: list[R] = []
        with session() as connection:
            for name in self.partitions(table) if partitions is None else partitions:
                rows.extend(self._read_file(connection, model, table, name, where))
        return rows

    def query(self, sql: str, parameters: dict[str, Any], *, tables: Sequence[str]) -> list[tuple[Any, ...]]:
        """Rows of a query over whole tables, each a view under its name; a table without files is empty.

        Raises:
            CorruptFileError: a file cannot be read.
        """
        with duckdb.connect() as connection, tempfile.TemporaryDirectory() as folder:
            for table in tables:
                paths = []
                for number, path in enumerate(self.files(table)):
                    local = path
                    if not is_local(self._fs):
                        local = f"{folder}/{table}-{number}.parquet"
                        self._fs.get_file(path, local)
                    paths.append(_literal(local))
                source = f"SELECT * FROM read_parquet([{', '.join(paths)}])" if paths else _empty(_spec(table))
                try:
                    connection.execute(f"CREATE VIEW {table} AS {source}")
                except duckdb.Error as error:
                    raise CorruptFileError(
                        f"the lake's files of {table} cannot be read: {error}", remedy=f"materialize {table} again"
                    ) from error
            return connection.execute(sql, parameters).fetchall()

    def sha256(self, table: str, partition: str | None = None) -> str | None:
        """Digest of a partition's file; None where there is none."""
        path = self.path(table, partition)
        return hashlib.sha256(self._fs.cat_file(path)).hexdigest() if self._fs.exists(path) else None

    def _read_file(
        self, connection: duckdb.DuckDBPyConnection, model: type[R], table: str, partition: str,
        where: tuple[str, dict[str, Any]] | None,
    ) -> list[R]:  # fmt: skip
        path = self.path(table, partition)
        if not self._fs.exists(path):
            raise BenchError(f"{table} ({partition}) is not in the lake: {path}", remedy=f"materialize {table} first")
        remedy = f"delete {path} and materialize {table} again"
        local = is_local(self._fs)
        state = FileState.of(path) if local and where is None else None
        known: list[R] | None = self._recent.get(path, model) if state else None
        if known is not None:
            return known
        condition, parameters = (f" WHERE {where[0]}", where[1]) if where else ("", {})
        try:
            if local:
                names, values = _select(connection, path, condition, parameters)
            else:
                with tempfile.TemporaryDirectory(prefix="icfr-lake-") as folder:
                    copy = f"{folder}/part.parquet"
                    self._fs.get_file(path, copy)
                    names, values = _select(connection, copy, condition, parameters)
        except duckdb.Error as error:
            raise CorruptFileError(f"lake file {path} cannot be read: {error}", remedy=remedy) from error
        if names != list(model.model_fields):
            raise CorruptFileError(
                f"lake file {path} holds other columns than {model.__name__} of this version", remedy=remedy
            )
        rows = _rows(model).validate_python([stored_values(dict(zip(names, value, strict=True))) for value in values])
        if state:
            self._recent.keep(path, model, rows, state)
        return rows

    def files(self, table: str) -> list[str]:
        """Paths of all partition files of a table, for set operations in DuckDB."""
        return [self.path(table, name) for name in self.partitions(table)]


def _copy_to(
    file: Path, target: str, query: str, count: int | None, connection: duckdb.DuckDBPyConnection | None
) -> WrittenFile:
    """Writes the result of a query to a local file that is to become `target`."""
    own = connection or session()
    try:
        own.execute(f"COPY ({query}) TO {_literal(file)} (FORMAT parquet, COMPRESSION zstd)")
        if count is None:
            found = own.execute(f"SELECT count(*) FROM read_parquet({_literal(file)})").fetchone()
            count = int(found[0]) if found else 0
    finally:
        if connection is None:
            own.close()
    with file.open("rb") as handle:
        sha256 = hashlib.file_digest(handle, "sha256").hexdigest()
    return WrittenFile(path=target, rows=count, size_bytes=file.stat().st_size, sha256=sha256)


def _spec(table: str) -> TableSpec:
    try:
        return TABLES[table]
    except KeyError:
        raise BenchError(f"there is no table {table!r}", remedy=f"one of: {', '.join(TABLES)}") from None


@cache
def _rows(model: type[R]) -> TypeAdapter[list[R]]:
    return TypeAdapter(list[model])  # type: ignore[valid-type]


def _select(
    connection: duckdb.DuckDBPyConnection, path: str, condition: str, parameters: dict[str, Any]
) -> tuple[list[str], list[tuple[Any, ...]]]:
    cursor = connection.execute(f"SELECT * FROM read_parquet({_literal(path)}){condition}", parameters)
    return [column[0] for column in cursor.description or []], cursor.fetchall()


def _write_lines(spec: TableSpec, rows: Iterable[Row], lines: Path) -> int:
    """One JSON object a line; the number of rows."""
    slow = any("TIMESTAMP" in kind or "DOUBLE" in kind for kind in spec.columns.values())
    count = 0
    with lines.open("wb") as handle:
        for row in rows:
            if not isinstance(row, spec.model):
                raise TypeError(f"{spec.name} takes {spec.model.__name__} rows, got {type(row).__name__}")
            handle.write(_json_line(row) if slow else _quick_json_line(row))
            count += 1
    return count


def _quick_json_line(row: Row) -> bytes:
    """`_json_line` for rows without instants and fractions, by pydantic's serializer; text that JSON takes badly goes the slow way."""
    try:
        line: bytes = row.__pydantic_serializer__.to_json(row)
    except PydanticSerializationError:  # a lone surrogate
        return _json_line(row)
    return _json_line(row) if b"\\u0000" in line else line + b"\n"


def _json_line(row: Row) -> bytes:
    # Lone surrogates would make invalid UTF-8: they become U+FFFD here, and the raw bytes stay in the document store.
    return json.dumps(_plain(row.model_dump(mode="python")), ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None).isoformat()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")
    return value


def _rows_query(spec: TableSpec, lines: Path, count: int) -> str:
    columns = ", ".join(f"{_literal(name)}: {_literal(kind)}" for name, kind in spec.columns.items())
    names = ", ".join(f'"{name}"' for name in spec.columns)
    if count == 0:
        return _empty(spec)
    return (
        f"SELECT {names} FROM read_json({_literal(lines)}, format='newline_delimited', columns={{{columns}}}, "
        f"maximum_object_size={_MAX_ROW_BYTES})"
    )


def _empty(spec: TableSpec) -> str:
    columns = ", ".join(f'CAST(NULL AS {kind}) AS "{name}"' for name, kind in spec.columns.items())
    return f"SELECT {columns} WHERE false"


def _literal(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"
