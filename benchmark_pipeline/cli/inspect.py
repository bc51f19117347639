"""`trace`, `why` and `query`: reading what was published, never writing."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import duckdb
from rich.console import Console
from rich.table import Table

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.icfr.explain import explain
from benchmark_pipeline.publication.export import safe_cell
from benchmark_pipeline.publication.trace import trace_headline, trace_item
from benchmark_pipeline.publication.trace_text import headline_lines, item_lines
from benchmark_pipeline.publication.warehouse import open_warehouse
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.storage.lake import WHOLE
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow
from benchmark_pipeline.tables.disclosures import IcfrAssertionRow
from benchmark_pipeline.tables.sources import RawFilingRow


def print_trace(settings: Settings, what: str, model: str | None, console: Console, limit: int) -> None:
    """Follows the headline (of one model, or of every language model) or one item back to its sentence."""
    path = settings.warehouse_path
    if what != "headline":
        for line in item_lines(trace_item(path, what)):
            console.print(line)
        return
    traces = trace_headline(path, model)
    if model is None:
        # Baselines are rules: their items are the same, and following them would only repeat the list.
        traces = [trace for trace in traces if trace.headline["kind"] == "model"] or traces
    for trace in traces:
        for line in headline_lines(trace, limit=limit):
            console.print(line)


def print_why(settings: Settings, accession: str, console: Console) -> None:
    """Explains the decision on one annual report.

    Raises:
        BenchError: there is no decision on that accession number.
    """
    lake = Lake(settings.storage_root)
    decisions = [row for row in lake.read(CleanPoolRow, "clean_pool", [WHOLE]) if row.accession == accession]
    if not decisions:
        raise BenchError(
            f"there is no decision on {accession}",
            remedy='`icfr-bench query "SELECT accession, decision, reason FROM clean_pool"` lists those there are',
        )
    evidence = lake.read(ContradictingEvidenceRow, "contradicting_evidence", [WHOLE])
    read = {
        row.cik: row
        for row in lake.read(IcfrAssertionRow, "icfr_assertions", where=("accession = $accession", {"accession": accession}))
    }  # fmt: skip
    told = sorted({accession, *(row.evidence_accession for row in evidence if row.accession == accession)})
    documents = lake.read(RawFilingRow, "raw_filings", where=("accession IN (SELECT unnest($told))", {"told": told}))
    addresses = {row.sha256: row.url for row in documents if row.sha256}
    for decision in decisions:
        for line in explain(decision, evidence, read.get(decision.cik), addresses):
            console.print(line, markup=False, soft_wrap=True)


def print_query(settings: Settings, sql: str, output: str, console: Console) -> None:
    """Runs one statement, or the one in a file, and prints the result as a table, CSV or JSON.

    Raises:
        BenchError: the statement or the file is not right, or the format is unknown.
    """
    if sql.endswith(".sql"):
        if not Path(sql).is_file():
            raise BenchError(f"there is no file {sql}", remedy="give a statement, or the path of a file with one")
        sql = Path(sql).read_text(encoding="utf-8")
    with open_warehouse(settings.warehouse_path) as connection:
        try:
            cursor = connection.execute(sql)
            names = [column[0] for column in cursor.description or []]
            rows = cursor.fetchall()
        except duckdb.Error as error:
            raise BenchError(
                f"the query failed: {error}", remedy='`icfr-bench query "SHOW TABLES"` lists what there is'
            ) from error
    if output == "csv":
        writer = csv.writer(sys.stdout)
        writer.writerow(names)
        writer.writerows([[safe_cell(value) for value in row] for row in rows])
    elif output == "json":
        print(
            json.dumps([dict(zip(names, row, strict=True)) for row in rows], default=str, ensure_ascii=False, indent=1)
        )
    elif output == "table":
        table = Table(*[str(name) for name in names])
        for row in rows:
            table.add_row(*["" if value is None else str(value).replace("[", "\\[") for value in row])
        console.print(table)
        console.print(f"{len(rows)} rows")
    else:
        raise BenchError(f"unknown format {output!r}", remedy="one of: table, csv, json")
