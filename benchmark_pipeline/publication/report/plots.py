"""What the charts of the page draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from markupsafe import Markup

from benchmark_pipeline.publication.charts import (
    MIDDLE,
    NARROW,
    WIDE,
    Bar,
    Estimate,
    Layout,
    Scale,
    bar_chart,
    forest_plot,
    in_layouts,
)

from . import words
from .collect import Record

T = TypeVar("T")
FOREST = {"wide": WIDE, "middle": MIDDLE, "narrow": NARROW}
"""The plot fills the page: one rendering for windows of every width would be too large or too small to read."""
BARS = {"wide middle": MIDDLE, "narrow": NARROW}


def estimates(headline: Iterable[Record]) -> list[Estimate]:
    """Headline rows that have a rate: models before rules, comparable ones first, low rates first."""
    rows = list(headline)
    runs = Counter(row["model_id"] for row in rows)
    shown = sorted(
        (row for row in rows if row["fpr"] is not None),
        key=lambda row: (row["kind"] != "model", not row["comparable"], row["fpr"], row["model_id"], row["run_id"]),
    )
    return [
        Estimate(
            name=row["model_id"],
            marks=[*([f"run {row['run_id']}"] if runs[row["model_id"]] > 1 else []), *filter(None, [words.marks(row)])],
            rule=row["kind"] == "baseline",
            rate=row["fpr"],
            low=row["ci_low"],
            high=row["ci_high"],
            weak=row["management_only_fpr"],
        )
        for row in shown
    ]


def forest(headline: Iterable[Record], axis: Scale) -> Markup:
    """The forest plot in its layouts."""
    rows = estimates(headline)
    sheets = list(_sheets(rows, 20))
    return _drawn(lambda layout: (forest_plot(sheet, axis, layout, beside=rows) for sheet in sheets), FOREST)


def bars(rows: Sequence[Bar]) -> Markup:
    """The bars in their layouts."""
    sheets = list(_sheets(rows, 10))
    return _drawn(lambda layout: (bar_chart(sheet, layout, beside=rows) for sheet in sheets), BARS)


def _drawn(draw: Callable[[Layout], Iterable[str]], layouts: Mapping[str, Layout]) -> Markup:
    """Altair has escaped what it drew."""
    return Markup(in_layouts(lambda layout: "".join(draw(layout)), layouts))  # noqa: S704


def _sheets(rows: Sequence[T], most: int) -> Iterator[Sequence[T]]:
    """Rows for one sheet each: a printed page breaks between sheets, never through one."""
    return (rows[at : at + most] for at in range(0, len(rows), most))


def funnel_bars(rows: Iterable[Record]) -> list[Bar]:
    """Steps from filings to items; grey is what left."""
    return [
        Bar(f"{row['step']}|{row['reason'] or ''}", _step(row), row["filings"], out=bool(row["reason"])) for row in rows
    ]


def pool_bars(rows: Iterable[Record]) -> list[Bar]:
    """Filings by decision."""
    return [
        Bar(row["decision"], _word(words.LABELS, row["decision"]), row["filings"], out=row["decision"] == "excluded")
        for row in rows
    ]


def exclusion_bars(rows: Iterable[Record]) -> list[Bar]:
    """Excluded filings by reason."""
    return [Bar(row["reason"], _word(words.EXCLUDED, row["reason"]), row["filings"], out=True) for row in rows]


def _step(row: Record) -> str:
    return f"{row['stage']}: {_word(words.LABELS, row['reason'])}" if row["reason"] else str(row["stage"])


def _word(said: Mapping[str, str], value: str) -> str:
    return said.get(value, value.replace("_", " "))
