"""`review export` and `review import`: the exchange with other tools."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.review.exchange import LABEL_CONFIG, export_csv, export_label_studio, import_file
from benchmark_pipeline.review.material import load_material
from benchmark_pipeline.review.serve import open_store
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake


def export_reviews(settings: Settings, path: Path, output: str, console: Console) -> None:
    """Writes the file.

    Raises:
        BenchError: there is nothing to review, or the format is unknown.
    """
    items = load_material(Lake(settings.storage_root)).items
    if output == "csv":
        text = export_csv(items, open_store(settings).read().decisions)
    elif output == "label-studio":
        text = export_label_studio(items)
    elif output == "label-studio-config":
        text = LABEL_CONFIG
    else:
        raise BenchError(f"unknown format {output!r}", remedy="one of: csv, label-studio, label-studio-config")
    path.write_text(text, encoding="utf-8", newline="")
    console.print(f"wrote {path}: {len(items)} items", markup=False)


def import_reviews(settings: Settings, path: Path, console: Console) -> bool:
    """Imports the file and says what became of it; False where it was refused."""
    items = load_material(Lake(settings.storage_root)).items
    imported = import_file(path, items, open_store(settings))
    for problem in imported.problems:
        console.print(f"line {problem.line}: {problem.why}", markup=False)
    if imported.problems:
        console.print(f"refused: {len(imported.problems)} problems, nothing was imported")
        return False
    console.print(f"{imported.decisions} decisions appended; materialize item_reviews to apply them")
    return True
