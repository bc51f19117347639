"""Runs read from the lake's files in SQL: a million scores become arrays without becoming Python objects."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from benchmark_pipeline.storage import Lake
from benchmark_pipeline.storage.files import filesystem, is_local
from benchmark_pipeline.tables.items import ItemRow

from .results import (
    OUTCOMES,
    TIERS,
    USAGE,
    VERDICTS,
    ItemSet,
    ResultIdentity,
    Run,
    empty_arrays,
    scored_twice,
    unknown_item,
)

_IDENTITY = ("dataset_version", "prompt_version", "scoring_version", "model_id", "run_id")
_CALL = ("request_key", "prompt_version", "model_id", "run_id")
"""What names one call within a dataset version."""
_MEMORY = "1500MB"


def load_runs(lake: Lake, dataset_version: str, *, details: bool = True) -> list[Run]:
    """What `collect_runs` gives for the tables of the lake.

    Args:
        lake: holds `labeled_items`, `scores`, `model_responses` and `parsed_answers`.
        dataset_version: scores of other versions are left out.
        details: read responses and answers too: tokens and cost, fenced JSON, severity tiers. The headline needs none.

    Raises:
        BenchError: a table is missing, a score names an unknown item, or an item has two scores in one run.
    """
    items = ItemSet(lake.read(ItemRow, "labeled_items"))
    with (
        tempfile.TemporaryDirectory(prefix="icfr-runs-") as folder,
        duckdb.connect(config={"threads": 2, "memory_limit": _MEMORY, "temp_directory": folder}) as connection,
    ):
        connection.execute("SET enable_progress_bar = false")
        _views(connection, lake, Path(folder), dataset_version)
        connection.execute(
            "CREATE TEMP TABLE items AS SELECT unnest($ids::VARCHAR[]) AS item_id, unnest($at::BIGINT[]) AS at",
            {"ids": list(items.position), "at": list(items.position.values())},
        )
        _refuse(connection)
        identities = [
            ResultIdentity(*row)
            for row in connection.execute(f"SELECT DISTINCT {', '.join(_IDENTITY)} FROM s ORDER BY ALL").fetchall()
        ]
        columns = ", ".join(f"unnest(${name}::VARCHAR[]) AS {name}" for name in _IDENTITY)
        connection.execute(
            f"CREATE TEMP TABLE runs AS SELECT {columns}, unnest(range($count)) AS run",
            {name: [getattr(i, name) for i in identities] for name in _IDENTITY} | {"count": len(identities)},
        )
        return _arrays(connection, identities, items, details)


def _views(connection: duckdb.DuckDBPyConnection, lake: Lake, folder: Path, dataset_version: str) -> None:
    """Views `s`, `responses` and `answers` over the lake's files; files of an object store are fetched first."""
    fs, _ = filesystem(lake.root)
    for view, table, where in (
        ("s", "scores", "WHERE dataset_version = getvariable('version')"),
        ("responses", "model_responses", "WHERE dataset_version = getvariable('version')"),
        ("answers", "parsed_answers", "WHERE dataset_version = getvariable('version')"),
    ):
        files: Sequence[str] = lake.files(table) or _nothing(connection, lake, table, folder)
        if not is_local(fs):
            local = [str(folder / f"{table}-{number}.parquet") for number in range(len(files))]
            for remote, copy in zip(files, local, strict=True):
                if not Path(remote).exists():
                    fs.get_file(remote, copy)
            files = [copy if Path(copy).exists() else remote for remote, copy in zip(files, local, strict=True)]
        names = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
        connection.execute("SET VARIABLE version = ?", [dataset_version])
        connection.execute(f"CREATE VIEW {view} AS SELECT * FROM read_parquet([{names}]) {where}")


def _nothing(connection: duckdb.DuckDBPyConnection, lake: Lake, table: str, folder: Path) -> list[str]:
    """An empty file with a table's columns; scores themselves must be there."""
    from benchmark_pipeline.errors import BenchError
    from benchmark_pipeline.tables import TABLES

    if table == "scores":
        raise BenchError(f"scores is not in the lake: {lake.path(table)}", remedy="materialize scores first")
    columns = ", ".join(f'CAST(NULL AS {kind}) AS "{name}"' for name, kind in TABLES[table].columns.items())
    target = folder / f"{table}-none.parquet"
    connection.execute(f"COPY (SELECT {columns} WHERE false) TO '{target}' (FORMAT parquet)")
    return [str(target)]


def _refuse(connection: duckdb.DuckDBPyConnection) -> None:
    stray = connection.execute("SELECT item_id, request_key FROM s ANTI JOIN items USING (item_id) LIMIT 1").fetchone()
    if stray:
        raise unknown_item(*stray)
    twice = connection.execute(
        f"SELECT item_id, run_id, model_id FROM s GROUP BY {', '.join(_IDENTITY)}, item_id HAVING count(*) > 1 LIMIT 1"
    ).fetchone()
    if twice:
        raise scored_twice(*twice)


def _arrays(
    connection: duckdb.DuckDBPyConnection, identities: list[ResultIdentity], items: ItemSet, details: bool
) -> list[Run]:
    codes = ", ".join(f"coalesce(CAST(s.{name} AS TINYINT), -1)::TINYINT AS {name}" for name in VERDICTS)
    usage = ", ".join(f"r.{name}::DOUBLE AS {name}" for name in USAGE)
    where = "" if details else " WHERE false"
    keys = ", ".join(_CALL)
    on_run = " AND ".join(f"runs.{name} = s.{name}" for name in _IDENTITY)
    cursor = connection.execute(
        f"SELECT runs.run, items.at, (list_position($outcomes, s.outcome) - 1)::TINYINT AS outcome, {codes}, "
        "(r.outcome_detail IS NOT DISTINCT FROM 'fenced') AS fenced, (r.request_key IS NOT NULL) AS called, "
        f"(coalesce(list_position($tiers, a.answer_severity), 0) - 1)::TINYINT AS severity, {usage} "
        f"FROM s JOIN runs ON {on_run} JOIN items ON items.item_id = s.item_id "
        # A request keeps its key where another dataset or prompt version asks the same: only the run's own call is its call.
        f"LEFT JOIN (SELECT DISTINCT ON ({keys}) {keys}, outcome_detail, prompt_tokens, completion_tokens, cost_usd "
        f"FROM responses{where}) AS r ON {_on_keys('r')} "
        f"LEFT JOIN (SELECT DISTINCT ON ({keys}) {keys}, answer_severity FROM answers{where}) AS a ON {_on_keys('a')}",
        {"outcomes": list(OUTCOMES), "tiers": list(TIERS)},
    )
    table = {name: _plain(np.ma.asarray(values)) for name, values in cursor.fetchnumpy().items()}
    order = np.argsort(table["run"], kind="stable")
    ends = np.searchsorted(table["run"][order], np.arange(len(identities) + 1))
    runs = []
    for number, identity in enumerate(identities):
        rows = order[ends[number] : ends[number + 1]]
        at = table["at"][rows]
        outcome, verdicts, fenced, severity = empty_arrays(len(items))
        outcome[at], fenced[at], severity[at] = (table[name][rows] for name in ("outcome", "fenced", "severity"))
        for name in VERDICTS:
            verdicts[name][at] = table[name][rows]
        used = {}
        for name in USAGE:
            figures = table[name][rows]
            known = figures[~np.isnan(figures)]
            used[name] = (len(known), float(known.sum()))
        tasks = frozenset(map(str, np.unique(items.task[at])))
        called = int(table["called"][rows].sum())
        runs.append(Run(identity, items, outcome, verdicts, tasks, fenced, severity, called, used))
    return runs


def _on_keys(side: str) -> str:
    return " AND ".join(f"{side}.{name} = s.{name}" for name in _CALL)


def _plain(values: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    """A column without its mask; nulls occur in the figures of usage alone and become NaN."""
    return np.asarray(values.filled(float("nan") if values.dtype.kind == "f" else 0))
