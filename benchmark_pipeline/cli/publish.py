"""The published page and files at a terminal."""

from __future__ import annotations

import webbrowser
from pathlib import Path

from rich.console import Console

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.publication.export import export_table
from benchmark_pipeline.publication.warehouse import open_warehouse
from benchmark_pipeline.settings import Settings


def open_report(settings: Settings, console: Console, *, browser: bool) -> None:
    """Prints where the report is and opens it in the browser.

    Raises:
        BenchError: it has not been built.
    """
    path = settings.report_path.resolve()
    if not path.is_file():
        raise BenchError(f"there is no report at {path}", remedy="run `make demo`, or materialize the asset `report`")
    console.print(str(path), markup=False, soft_wrap=True)
    if browser and not webbrowser.open(path.as_uri()):
        console.print("no browser could be started: open the file by hand", style="yellow")


def export(settings: Settings, table: str, kind: str, output: Path | None, console: Console) -> None:
    """Writes a table or view of the published warehouse to a file."""
    target = output or Path(f"{table}.{kind}")
    with open_warehouse(settings.warehouse_path) as connection:
        rows = export_table(connection, table, target, kind)
    console.print(f"{rows} rows of {table} in {target}", markup=False, soft_wrap=True)
