"""The forest plot: each model's rate as a dot on its interval, on one common scale from zero."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import escape

from benchmark_pipeline.tables.publication import HeadlineRow


@dataclass(frozen=True)
class Scale:
    """A linear scale from zero, as shares of the width."""

    top: float
    """Rate at the right end."""
    ticks: tuple[float, ...]

    def position(self, rate: float) -> float:
        """Percent of the width, clipped to it."""
        return round(100 * min(max(rate / self.top, 0.0), 1.0), 2)


def scale(rates: Iterable[float | None]) -> Scale:
    """A scale that holds all rates: 20, 50 or 100 % at the right end, so that small rates are not blown up."""
    highest = max((rate for rate in rates if rate is not None), default=0.0)
    top, step = next((top, step) for top, step in ((0.2, 0.05), (0.5, 0.1), (1.0, 0.2)) if highest <= top or top == 1.0)
    return Scale(top, tuple(round(index * step, 2) for index in range(math.floor(top / step + 1.5))))


def forest_image(rows: Iterable[HeadlineRow]) -> str:
    """The plot as a Markdown image (a data URI), for the asset's page. Rows without a headline are left out."""
    shown = [row for row in rows if row.fpr is not None]
    if not shown:
        return "(no headline to plot)"
    svg = forest_svg(shown)
    return f"![False-positive rate by model](data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()})"


def forest_svg(rows: Iterable[HeadlineRow]) -> str:
    """A stand-alone SVG of the given rows, models before rules and low rates first, on a white ground."""
    shown = sorted(
        (row for row in rows if row.fpr is not None), key=lambda row: (row.kind != "model", row.fpr or 0, row.model_id)
    )
    axis = scale(value for row in shown for value in (row.fpr, row.ci_high))
    # Ids are not cut: the widest letters of the fonts at hand take about 7.4 points at this size.
    left, width, line = 30 + max((int(7.4 * len(row.model_id)) for row in shown), default=0), 420, 30
    height = line * (len(shown) + 1) + 14

    def x(rate: float) -> float:
        return round(left + width * axis.position(rate) / 100, 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 30}" height="{height}" '
        'font-family="system-ui, sans-serif" font-size="12" fill="#1b2530">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    for tick in axis.ticks:
        parts.append(f'<line x1="{x(tick)}" x2="{x(tick)}" y1="6" y2="{height - 26}" stroke="#d9dfe3"/>')
        parts.append(f'<text x="{x(tick)}" y="{height - 10}" text-anchor="middle" fill="#5b6670">{tick:.0%}</text>')
    for index, row in enumerate(shown):
        y = 6 + line * index + line / 2
        colour = "#0f5c66" if row.kind == "model" else "#8a949c"
        parts.append(f'<text x="{left - 12}" y="{y + 4}" text-anchor="end">{escape(row.model_id)}</text>')
        if row.ci_low is not None and row.ci_high is not None:
            parts.append(
                f'<line x1="{x(row.ci_low)}" x2="{x(row.ci_high)}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="3"/>'
            )
        parts.append(f'<circle cx="{x(row.fpr or 0)}" cy="{y}" r="6" fill="{colour}"/>')
    return "".join([*parts, "</svg>"])
