"""The headline at a terminal: one row a model, with everything that must be printed with the rate."""

from __future__ import annotations

from rich.console import Console

from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.publication import HeadlineRow


def print_headline(settings: Settings, console: Console) -> None:
    """Prints the headline table of the lake, and where warehouse and report are."""
    rows = Lake(settings.storage_root).read(HeadlineRow, "headline_false_positive_rate")
    rows = [row for row in rows if row.dataset_version == settings.dataset_version]
    console.print()
    if any(row.status == "preview" for row in rows):
        console.print("[bold yellow]PREVIEW[/]: no item has been accepted by a human reviewer yet.")
    console.print(f"[bold]False-positive rate on attested clean filings[/], dataset {settings.dataset_version}")
    console.print(_HEAD, style="dim", markup=False)
    for row in sorted(rows, key=lambda row: (row.kind != "model", row.model_id)):
        console.print(row.model_id, style="bold" if row.kind == "model" else "", markup=False)
        console.print(_line(row), markup=False)
    console.print(
        "Interval: Korn-Graubard, clustered by company. Bounds: all failed answers passing, "
        "all flagging. mgmt: management-only items, the weaker measurement. Recall: a failed "
        "answer is a miss.",
        style="dim",
    )
    if any(row.kind == "model" and row.k == 0 and row.recall_k == 0 for row in rows):
        console.print("A model that flags nothing has a rate of 0 and finds nothing: read FPR and recall together.")
    for row in rows:
        if row.why_not and row.kind == "model":
            console.print(f"{row.model_id}: {row.why_not}", style="yellow", markup=False)
    console.print()
    console.print(f"warehouse  {settings.warehouse_path}", markup=False)
    console.print(f"report     {settings.report_path}", markup=False)
    console.print("follow it  icfr-bench trace headline      look at it  make ui", markup=False)


_WIDTHS = (7, 13, 6, 5, 6, 12, 6, 6)
_NAMES = ("FPR %", "95 % interval", "k/n", "firms", "fail %", "bounds %", "mgmt %", "recall")
_HEAD = "  ".join(f"{name:>{width}}" for name, width in zip(_NAMES, _WIDTHS, strict=True))


def _line(row: HeadlineRow) -> str:
    """One model's numbers, in 80 columns; rates in percent."""
    cells = (
        _percent(row.fpr),
        _range(row.ci_low, row.ci_high),
        f"{row.k}/{row.n}",
        str(row.companies),
        _percent(row.failure_rate),
        _range(row.fpr_if_failures_pass, row.fpr_if_failures_flag),
        _percent(row.management_only_fpr),
        _percent(row.recall),
    )
    return "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, _WIDTHS, strict=True))


def _range(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{100 * low:.1f}–{100 * high:.1f}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"
