"""The files of a dataset folder: tables as JSON Lines and Parquet with the canary, text files, checksums."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmark_pipeline.storage.engine import session
from benchmark_pipeline.tables import duckdb_type
from benchmark_pipeline.tables.base import Row

from .release_gate import CANARY
from .warehouse import literal

SUMS = "SHA256SUMS"


def write_text(path: Path, text: str) -> None:
    """A text file with Unix line ends on every system."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def write_table(path: Path, rows: Iterable[Row], columns: Sequence[str]) -> None:
    """The same rows as `path.jsonl` and as `path.parquet`."""
    members = list(rows)
    lines = [
        json.dumps(
            {**row.model_dump(mode="json", include=set(columns)), "canary": CANARY}, ensure_ascii=False, sort_keys=True
        )
        for row in members
    ]
    jsonl = path.with_suffix(".jsonl")
    write_text(jsonl, "".join(line + "\n" for line in lines))
    if not members:
        return  # Parquet needs a schema; an absent table says as much as an empty one
    rows_of_lines = read_lines_sql(jsonl, {name: column_type(type(members[0]), name) for name in columns})
    with session() as connection:
        connection.execute(
            f"COPY (SELECT * FROM {rows_of_lines}) TO {literal(path.with_suffix('.parquet'))} "
            f"(FORMAT parquet, COMPRESSION zstd, KV_METADATA {{canary: {literal(CANARY)}}})"
        )


def column_type(model: type[Row], name: str) -> str:
    """DuckDB type of a column."""
    return duckdb_type(model.model_fields[name].annotation)


def read_lines_sql(jsonl: Path, types: dict[str, str]) -> str:
    """SQL of a JSON Lines file as a table of these columns."""
    columns = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in types.items())
    return (
        f"read_json({literal(jsonl)}, format='newline_delimited', columns={{{columns}}}, maximum_object_size=268435456)"
    )


def write_checksums(folder: Path) -> str:
    """Writes SHA256SUMS over all other files (as `sha256sum -c` reads it) and returns its own SHA-256.

    Every file is on disk when this returns, so that the folder can be put in place by a rename.
    """
    lines = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as handle:
                digest = hashlib.file_digest(handle, "sha256").hexdigest()
                os.fsync(handle.fileno())
            lines.append(f"{digest}  {path.relative_to(folder).as_posix()}\n")
    text = "".join(lines)
    sums = folder / SUMS
    write_text(sums, text)
    with sums.open("rb") as handle:
        os.fsync(handle.fileno())
    return hashlib.sha256(text.encode()).hexdigest()
