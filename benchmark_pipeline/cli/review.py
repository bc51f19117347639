"""`review export` and `review import`: the exchange with other tools. `review apply`: from decisions to numbers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from rich.console import Console

from benchmark_pipeline.cli import plan
from benchmark_pipeline.cli.execution import dagster_instance, end_orphaned_runs, execute, quiet
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.review.exchange import LABEL_CONFIG, export_csv, export_label_studio, import_file
from benchmark_pipeline.review.material import load_material
from benchmark_pipeline.review.serve import open_store
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.items import ItemRow
from benchmark_pipeline.tables.publication import HeadlineRow


def export_reviews(settings: Settings, path: Path, output: str, console: Console, *, blind: bool = False) -> None:
    """Writes the file.

    Raises:
        BenchError: there is nothing to review, or the format is unknown.
    """
    items = load_material(Lake(settings.storage_root)).items
    if output == "csv":
        text = export_csv(items, open_store(settings).read().decisions, blind=blind)
    elif output == "label-studio":
        text = export_label_studio(items, blind=blind)
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
    console.print(f"{imported.decisions} decisions appended; `icfr-bench review apply` applies them")
    return True


def apply_decisions(settings: Settings, console: Console) -> None:
    """Judges, builds, scores and publishes again from the lake and the review log, and says how far the reading is.

    Raises:
        BenchError: there is nothing to review, or a step failed.
    """
    quiet()
    lake = Lake(settings.storage_root)
    load_material(lake)
    with dagster_instance(settings) as instance:
        from benchmark_pipeline.definitions import build_defs

        end_orphaned_runs(instance)
        execute(build_defs(settings), instance, [*plan.dataset(), *plan.publication()], console)
    items = lake.read(ItemRow, "labeled_items")
    counts = Counter(item.review_status for item in items)
    console.print(f"{len(items)} items: {', '.join(f'{counts[name]} {name}' for name in sorted(counts))}", markup=False)
    unasked = [row.model_id for row in lake.read(HeadlineRow, "headline_false_positive_rate") if not row.complete]
    if unasked:
        again = "demo" if settings.profile == "demo" else "run"
        console.print(
            f"not asked every item: {', '.join(unasked)}; `icfr-bench {again}` asks what is missing", markup=False
        )
    if not counts["pending"]:
        console.print(
            "every item is read: `icfr-bench release build` cuts the release if its gate is open", markup=False
        )
