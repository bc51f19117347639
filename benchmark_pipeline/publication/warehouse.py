"""The warehouse: one DuckDB file, built whole from the lake and swapped in.

The published file is never opened for writing. A build goes to a temporary file beside it, is checkpointed, closed and
checked, and is then renamed over the old one: a reader that has the old file open keeps it, the next reader gets the
new one, and a killed build leaves the old one untouched. A `.wal` beside the target is refused, because DuckDB may
replay it into the new file.
"""

from __future__ import annotations

import fcntl
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from benchmark_pipeline.errors import BenchError, CorruptFileError
from benchmark_pipeline.progress import advance
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.storage.files import filesystem, is_local, replace_file, temporary_beside
from benchmark_pipeline.tables import TABLES, TableSpec

VIEWS_FOLDER = Path(__file__).parent / "views"
VIEW_ORDER = (
    "headline",
    "leaderboard",
    "model_pairs",
    "item_lineage",
    "response_detail",
    "confusion",
    "false_positives",
    "clean_pool_audit",
    "clean_pool_funnel",
    "item_funnel",
    "item_composition",
)
"""Views that are kept as files, in the order in which they may use one another."""
MADE_VIEWS = ("dataset", "rejects")
"""Views that are made from the build's version and the tables."""
_DATASET = "The dataset version in force: the items of labeled_items are of this one, and views read only its results with them."

Connect = Callable[[Path], AbstractContextManager[duckdb.DuckDBPyConnection]]
"""Opens a new database file for writing and closes it."""


@dataclass(frozen=True)
class BuiltWarehouse:
    """What one build published."""

    path: Path
    size_bytes: int
    rows: dict[str, int]
    """Rows a table."""
    missing: tuple[str, ...]
    """Tables that the lake does not hold; they are present and empty."""


def write_ahead_log(database: Path) -> Path:
    """Where DuckDB keeps the write-ahead log of a database."""
    return database.with_name(database.name + ".wal")


def build_warehouse(lake: Lake, target: Path, connect: Connect, dataset_version: str) -> BuiltWarehouse:
    """Builds the warehouse from the lake and swaps it in.

    Args:
        lake: what is published.
        target: file that is replaced.
        connect: opens the new file.
        dataset_version: version of the items in `labeled_items`. No view reads results of another version with them.

    Raises:
        BenchError: another build is under way, a stale `.wal` stands beside the target, or the build left one.
        CorruptFileError: a lake file holds other columns than its table.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with _publisher_lock(target):
        _refuse_stale_log(target)
        temporary = temporary_beside(target)
        try:
            with connect(temporary) as connection:
                connection.execute("SET enable_progress_bar = false")
                counts, missing = _fill(connection, lake, dataset_version)
                connection.execute("CHECKPOINT")
            _verify(temporary, counts)
            # A program may have opened the old file for writing while this build ran.
            _refuse_stale_log(target)
            size = temporary.stat().st_size
            replace_file(temporary, target)
        finally:
            for leftover in (temporary, write_ahead_log(temporary)):
                leftover.unlink(missing_ok=True)
    return BuiltWarehouse(target, size, counts, missing)


@contextmanager
def open_warehouse(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The published warehouse, read-only.

    Raises:
        BenchError: it does not exist or cannot be opened.
    """
    if not path.exists():
        raise BenchError(f"there is no warehouse at {path}", remedy="materialize the asset `warehouse`")
    try:
        connection = duckdb.connect(str(path), read_only=True)
    except duckdb.Error as error:
        raise BenchError(
            f"the warehouse {path} cannot be opened: {error}",
            remedy="close the program that has it open for writing, or materialize `warehouse` again",
        ) from error
    with connection:
        yield connection


@contextmanager
def _publisher_lock(target: Path) -> Iterator[None]:
    """One build at a time on this machine, over processes and Dagster instances; the kernel frees it on a kill."""
    lock = target.with_name(f".{target.name}.lock")
    with lock.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BenchError(
                f"another process is building {target}", remedy="wait until it has finished, then materialize again"
            ) from None
        # Holding the lock, no other build can be alive: what a killed one left behind may go.
        for leftover in target.parent.glob(f".{target.name}.*.tmp*"):
            leftover.unlink(missing_ok=True)
        yield


def _refuse_stale_log(target: Path) -> None:
    log = write_ahead_log(target)
    if log.exists():
        raise BenchError(
            f"{log} stands beside the warehouse: somebody opened the published file for writing, and DuckDB could "
            "replay that log into the new file",
            remedy=f"close the program that wrote to it, then delete {log}; the warehouse is rebuilt from the lake and "
            "is opened with read_only=True",
        )


def _fill(
    connection: duckdb.DuckDBPyConnection, lake: Lake, dataset_version: str
) -> tuple[dict[str, int], tuple[str, ...]]:
    counts: dict[str, int] = {}
    missing = []
    for done, spec in enumerate(TABLES.values(), start=1):
        # One transaction a table: each statement on its own would wait for the disk, hundreds of comments long.
        with _transaction(connection):
            counts[spec.name] = _load(connection, lake, spec)
        if not lake.files(spec.name):
            missing.append(spec.name)
        advance("warehouse tables", done, len(TABLES))
    with _transaction(connection):
        _view(connection, "dataset", f"SELECT {literal(dataset_version)} AS dataset_version", _DATASET)
        _view(
            connection, "rejects", _rejects_sql(), "Every rejected row of every table: which, why, and what was seen."
        )
        for name in VIEW_ORDER:
            description, sql = read_view(name)
            _view(connection, name, sql, description)
    return counts, tuple(missing)


@contextmanager
def _transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    connection.begin()
    try:
        yield
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


def _load(connection: duckdb.DuckDBPyConnection, lake: Lake, spec: TableSpec) -> int:
    columns = ", ".join(f'"{name}" {kind}' for name, kind in spec.columns.items())
    connection.execute(f'CREATE TABLE "{spec.name}" ({columns})')
    names = ", ".join(f'"{name}"' for name in spec.columns)
    with _local_files(lake, spec.name) as files:
        for original, file in files:
            remedy = f"delete {original} and materialize {spec.name} again"
            try:
                found = connection.execute(f"DESCRIBE SELECT * FROM read_parquet({literal(file)})").fetchall()
                if [row[0] for row in found] != list(spec.columns):
                    raise CorruptFileError(f"lake file {original} holds other columns than {spec.name}", remedy=remedy)
                connection.execute(f'INSERT INTO "{spec.name}" SELECT {names} FROM read_parquet({literal(file)})')
            except duckdb.Error as error:
                raise CorruptFileError(f"lake file {original} cannot be read: {error}", remedy=remedy) from error
    connection.execute(f'COMMENT ON TABLE "{spec.name}" IS {literal(spec.description)}')
    for name in spec.columns:
        description = literal(spec.column_description(name))
        connection.execute(f'COMMENT ON COLUMN "{spec.name}"."{name}" IS {description}')
    count = connection.execute(f'SELECT count(*) FROM "{spec.name}"').fetchone()
    return int(count[0]) if count else 0


@contextmanager
def _local_files(lake: Lake, table: str) -> Iterator[list[tuple[str, Path]]]:
    """Path in the lake and local path of each file of a table; files of an object store are fetched for the block."""
    fs, _ = filesystem(lake.root)
    paths = lake.files(table)
    if is_local(fs):
        yield [(path, Path(path)) for path in paths]
        return
    with tempfile.TemporaryDirectory(prefix="icfr-warehouse-") as folder:
        local = []
        for number, path in enumerate(paths):
            copy = Path(folder) / f"{number}.parquet"
            fs.get_file(path, str(copy))
            local.append((path, copy))
        yield local


def read_view(name: str) -> tuple[str, str]:
    """Description and statement of a view: the comment lines at the head of its file, and the rest."""
    lines = (VIEWS_FOLDER / f"{name}.sql").read_text(encoding="utf-8").splitlines()
    head = [line for line in lines if line.startswith("--")]
    return " ".join(line.removeprefix("--").strip() for line in head), "\n".join(lines[len(head) :])


def _view(connection: duckdb.DuckDBPyConnection, name: str, sql: str, description: str) -> None:
    connection.execute(f'CREATE VIEW "{name}" AS {sql.rstrip().rstrip(";")}')
    connection.execute(f'COMMENT ON VIEW "{name}" IS {literal(description)}')


def _rejects_sql() -> str:
    """One branch a table that has a reject reason, so that a table added later cannot be forgotten."""
    branches = []
    for spec in TABLES.values():
        key = " || ' ' || ".join(f"coalesce(CAST(\"{column}\" AS VARCHAR), '?')" for column in spec.key)
        if "reject_reason" in spec.columns:
            reason, detail, where = '"reject_reason"', '"reject_detail"', '"reject_reason" IS NOT NULL'
        elif "reject_reasons" in spec.columns:
            reason, detail = "array_to_string(\"reject_reasons\", ', ')", "NULL"
            where = 'len("reject_reasons") > 0'
        else:
            continue
        branches.append(
            f'SELECT {literal(spec.name)} AS "table", {key} AS row_key, {reason} AS reason, {detail} AS detail '
            f'FROM "{spec.name}" WHERE {where}'
        )
    branches.append(
        "SELECT 'clean_pool', accession || ' ' || cik, reason, trace[-1].saw FROM clean_pool WHERE decision = 'excluded'"
    )
    return "\nUNION ALL ".join(branches)


def _verify(database: Path, counts: dict[str, int]) -> None:
    """The closed file reads back with every table and row, every view fits its tables, and no log stands beside it."""
    if write_ahead_log(database).exists():
        raise BenchError(
            f"the new warehouse {database} still has a write-ahead log", remedy="materialize `warehouse` again"
        )
    with duckdb.connect(str(database), read_only=True) as connection:
        for table, expected in counts.items():
            found = connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()
            if not found or found[0] != expected:
                raise CorruptFileError(f"{table} of the new warehouse holds {found} rows instead of {expected}")
        for view in (*VIEW_ORDER, *MADE_VIEWS):
            # Planned and not run: a million responses would be joined again and again only to be counted.
            connection.execute(f'SELECT * FROM "{view}" LIMIT 0').fetchall()
    database.chmod(0o644)


def literal(value: object) -> str:
    """A value as an SQL string literal."""
    return "'" + str(value).replace("'", "''") + "'"
