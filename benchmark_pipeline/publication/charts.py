"""The charts: Altair specifications, rendered to still SVG when a page is built, so that a page needs no script."""

from __future__ import annotations

import base64
import io
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # Altair takes about a second to import: only what draws pays for it.
    import altair as alt


@dataclass(frozen=True)
class Palette:
    """Colours and fonts: those of the page's style sheet, or plain ones where an image stands alone."""

    ink: str
    soft: str
    line: str
    faint: str
    mark: str
    warn: str
    paper: str
    sans: str
    mono: str
    ground: str | None = None
    """Colour behind the whole chart."""


PAGE = Palette(
    *(f"var(--{name})" for name in ("ink", "soft", "line", "faint", "mark", "warn", "paper", "sans", "mono"))
)
IMAGE = Palette("#16222b", "#52616b", "#d5dde0", "#e9eef0", "#0d5c63", "#9a4a12", "#ffffff",
                "system-ui, sans-serif", "ui-monospace, monospace", ground="#ffffff")  # fmt: skip


@dataclass(frozen=True)
class Layout:
    """Where labels stand: in a column beside what is drawn, or stacked above it."""

    width: int
    """Of the whole chart, in CSS pixels. The page scales it a little, and shows one layout at a time."""
    stacked: bool


WIDE, MIDDLE, NARROW = Layout(930, stacked=False), Layout(780, stacked=False), Layout(340, stacked=True)


@dataclass(frozen=True)
class Estimate:
    """One line of the forest plot."""

    name: str
    marks: Sequence[str]
    """What stands under the name: which run it is, preview, not comparable."""
    rule: bool
    """Drawn in grey: a rule, not a model."""
    rate: float
    low: float | None
    high: float | None
    weak: float | None
    """The rate on management-only reports."""


@dataclass(frozen=True)
class Bar:
    """One bar with its label and count."""

    key: str
    """What is counted, for a reader of the page's source."""
    label: str
    count: int
    out: bool = False
    """Drawn in grey: what left."""


@dataclass(frozen=True)
class Scale:
    """A linear scale from zero."""

    top: float
    """Rate at the right end."""
    ticks: tuple[float, ...]


def scale(rates: Iterable[float | None]) -> Scale:
    """A scale that holds all rates: 20, 50 or 100 % at the right end, so that small rates are not blown up."""
    highest = max((rate for rate in rates if rate is not None), default=0.0)
    top, step = next((top, step) for top, step in ((0.2, 0.05), (0.5, 0.1), (1.0, 0.2)) if highest <= top or top == 1.0)
    return Scale(top, tuple(round(index * step, 2) for index in range(math.floor(top / step + 1.5))))


def forest_plot(rows: Sequence[Estimate], axis: Scale, layout: Layout, palette: Palette = PAGE, *,
                beside: Sequence[Estimate] = ()) -> str:  # fmt: skip
    """Each rate as a dot on its interval, the management-only rate as a hollow point, on one scale from zero, as SVG.

    `beside` are rows of other sheets of the same plot: their names share the column.
    """
    import altair as alt

    names = _column([row.name for row in (*rows, *beside)], layout, 7.8, value=74, share=0.42, least=150)
    names = replace(names, lines=names.lines[: len(rows)])
    spots, height = _places([(len(lines), len(row.marks)) for lines, row in zip(names.lines, rows, strict=True)],
                            names.stacked, beside=36, below=30)  # fmt: skip
    colours = [palette.soft if row.rule else palette.mark for row in rows]
    points = [{"rate": row.rate, "low": row.low, "high": row.high, "weak": row.weak, "y": spot.plot, "colour": colour}
              for row, spot, colour in zip(rows, spots, colours, strict=True)]  # fmt: skip
    small = [{"text": mark, "y": spot.small + 13 * at, "colour": palette.warn if "not" in mark else palette.soft}
             for row, spot in zip(rows, spots, strict=True) for at, mark in enumerate(row.marks)]  # fmt: skip
    x, y, colour = alt.X("rate:Q"), alt.Y("y:Q", scale=None, axis=None), alt.Color("colour:N", scale=None)
    ticks = alt.Axis(values=list(axis.ticks), labelExpr="format(100 * datum.value, '.0f') + ' %'", title=None, grid=True,
                     domain=False, ticks=False, gridColor=palette.line, labelColor=palette.soft, labelFlush=True,
                     labelFont=palette.sans, labelFontSize=11.5, labelPadding=7)  # fmt: skip
    held = alt.Scale(domain=[0, axis.top], nice=False)
    layers = [
        *_label_ground(spots, names, palette),
        _chart([{"y": spot.top} for spot in spots[1:]])
        .mark_rule(stroke=palette.faint)
        .encode(x=alt.XValue(-names.left), x2=alt.X2Value(names.plot + names.right), y=y),
        _chart([point for point in points if point["low"] is not None], "intervals")
        .mark_rule(strokeWidth=3)
        .encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=y, color=colour),
        _chart([point for point in points if point["weak"] is not None], "weaker")
        .mark_point(size=64, filled=False, fill=palette.paper, stroke=palette.soft, strokeWidth=1.5, opacity=1)
        .encode(x=alt.X("weak:Q"), y=y),
        _chart(points, "rates").mark_circle(size=113, opacity=1)
        .encode(x=x.scale(held).axis(ticks), y=y, color=colour),
        *_texts(names, spots, [f"{100 * row.rate:.1f} %" for row in rows], palette, font=palette.mono, size=12.5),
        _chart(small, "marks").mark_text(align="left", baseline="top", font=palette.sans, fontSize=11)
        .encode(x=alt.XValue(-names.left), y=y, text=alt.Text("text:N"), color=colour),
    ]  # fmt: skip
    return _svg(layers, names, height, 24, palette)


def bar_chart(rows: Sequence[Bar], layout: Layout, palette: Palette = PAGE, *, beside: Sequence[Bar] = ()) -> str:
    """Horizontal bars on one scale from zero, each with its label and its count, as SVG.

    `beside` are bars of other sheets of the same chart: they share the scale.
    """
    import altair as alt

    labels = _column([row.label for row in rows], layout, 7.3, value=48, share=0.42, least=0.42 * layout.width)
    spots, height = _places([(len(lines), 0) for lines in labels.lines], labels.stacked, beside=25, below=23)
    bars = [{"count": row.count, "y": spot.plot, "colour": palette.soft if row.out else palette.mark}
            for row, spot in zip(rows, spots, strict=True)]  # fmt: skip
    held = alt.Scale(domain=[0, max([1, *(row.count for row in (*rows, *beside))])], nice=False)
    drawn = _chart(bars, "bars").mark_bar(size=14, orient="horizontal").encode(
        x=alt.X("count:Q", scale=held, axis=None), y=alt.Y("y:Q", scale=None, axis=None),
        color=alt.Color("colour:N", scale=None),
    )  # fmt: skip
    texts = _texts(labels, spots, [str(row.count) for row in rows], palette, font=palette.sans, size=13.5)
    return _svg([drawn, *texts], labels, height, 0, palette)


def in_layouts(draw: Callable[[Layout], str], layouts: Mapping[str, Layout]) -> str:
    """The renderings of a chart, by the widths of windows they are for; the style sheet shows one of them."""
    return "".join(f'<div class="layout {widths}">{draw(layout)}</div>' for widths, layout in layouts.items())


def forest_image(rows: Sequence[Estimate]) -> str:
    """The forest plot as a Markdown image (a data URI), for the asset's page."""
    if not rows:
        return "(no headline to plot)"
    svg = forest_plot(rows, scale(value for row in rows for value in (row.rate, row.high, row.weak)), WIDE, IMAGE)
    image = f"![False-positive rate by model](data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()})"
    return f"{image}\n\nDot and line: attested, with its 95 % interval. Hollow point: management-only, the weaker measurement."


@dataclass(frozen=True)
class _Column:
    """Labels cut to lines, and the room beside them, in pixels."""

    lines: Sequence[Sequence[str]]
    stacked: bool
    left: int
    plot: int
    right: int


@dataclass(frozen=True)
class _Spot:
    """Heights within one row, from the top of the chart, in pixels."""

    top: float
    label: float
    small: float
    plot: float


def _column(labels: Sequence[str], layout: Layout, letter: float, *, value: int, share: float, least: float) -> _Column:
    """Nothing of a label is left out: one that is too long goes on on a further line.

    `letter` is a generous width of one letter: text is not measured, since the page's fonts are the reader's.
    """
    room = layout.width - value if layout.stacked else share * layout.width
    lines = [_balanced(label, int(room / letter)) for label in labels]
    if layout.stacked:
        return _Column(lines, True, 0, layout.width, 0)
    longest = max((len(line) for label in lines for line in label), default=0)
    left = math.ceil(max(least, longest * letter)) + 16
    return _Column(lines, False, left, layout.width - left - value, value)


def _balanced(text: str, limit: int) -> list[str]:
    """As few lines as `limit` letters allow, and these about equally long."""
    lines = _wrapped(text, limit)
    while limit > 1 and len(closer := _wrapped(text, limit - 1)) == len(lines) > 1:
        limit, lines = limit - 1, closer
    return lines


def _wrapped(text: str, limit: int) -> list[str]:
    """Lines of at most `limit` letters, broken after a space or a separator of model ids; a date at the end stays whole."""
    lines = [""]
    for piece in re.findall(r"\d{4}-\d{2}-\d{2}$|[^\s/_.:@-]*[\s/_.:@-]|[^\s/_.:@-]+", text):
        for part in (piece[at : at + limit] for at in range(0, len(piece), limit)):
            if len((lines[-1] + part).rstrip()) > limit:
                lines.append("")
            lines[-1] += part
    return [line.rstrip() for line in lines if line.strip()]


def _places(rows: Sequence[tuple[int, int]], stacked: bool, *, beside: int, below: int) -> tuple[list[_Spot], float]:
    """Rows of (lines, small lines) under each other, each as high as it needs, and the height of them all."""
    spots, top = [], 0.0
    for lines, small in rows:
        text = 16 * lines + 13 * small
        height = 6 + text + below if stacked else max(beside, text + (10 if lines + small > 1 else 0))
        label = top + (6 if stacked else (height - text) / 2)
        plot = top + (6 + text + below / 2 - 1 if stacked else height / 2)
        spots.append(_Spot(top, label, label + 16 * lines, plot))
        top += height
    return spots, top


def _texts(column: _Column, spots: Sequence[_Spot], values: Sequence[str], palette: Palette, *,
           font: str, size: float) -> list[alt.Chart]:  # fmt: skip
    """Labels at the left, values at the right."""
    import altair as alt

    y = alt.Y("y:Q", scale=None, axis=None)
    labels = [{"text": line, "y": spot.label + 1 + 16 * at}
              for lines, spot in zip(column.lines, spots, strict=True) for at, line in enumerate(lines)]  # fmt: skip
    numbers = [{"text": value, "y": spot.label + 8 if column.stacked else spot.plot}
               for value, spot in zip(values, spots, strict=True)]  # fmt: skip
    return [
        _chart(labels, "labels").mark_text(align="left", baseline="top", font=font, fontSize=size, color=palette.ink)
        .encode(x=alt.XValue(-column.left), y=y, text=alt.Text("text:N")),
        _chart(numbers, "values").mark_text(align="right", baseline="middle", font=palette.sans, fontSize=13.5,
                                            color=palette.ink)
        .encode(x=alt.XValue(column.plot + column.right), y=y, text=alt.Text("text:N")),
    ]  # fmt: skip


def _label_ground(spots: Sequence[_Spot], column: _Column, palette: Palette) -> list[alt.Chart]:
    """Keeps the grid out of labels that stand above what is drawn."""
    import altair as alt

    if not column.stacked:
        return []
    grounds = [{"y": spot.top, "to": spot.plot - 12} for spot in spots]
    y = alt.Y("y:Q", scale=None, axis=None)
    return [_chart(grounds).mark_rect(fill=palette.paper, opacity=1)
            .encode(x=alt.XValue(-1), x2=alt.X2Value(column.plot + 1), y=y, y2=alt.Y2("to:Q"))]  # fmt: skip


def _chart(values: list[dict[str, Any]], name: str | None = None) -> alt.Chart:
    """One layer. Its name becomes a class of its marks in the SVG."""
    import altair as alt

    chart = alt.Chart(alt.Data(values=values))
    return chart.properties(name=name) if name else chart


def _svg(layers: Sequence[alt.Chart], column: _Column, height: float, foot: int, palette: Palette) -> str:
    """Renders the layers on a sheet of a fixed size, the same on every machine whatever fonts it has."""
    import altair as alt

    edge = 8
    chart = (
        alt.layer(*layers)
        .properties(width=column.plot, height=height, background=palette.ground or "transparent",
                    autosize=alt.AutoSizeParams(type="none"),
                    padding={"left": column.left + edge, "right": column.right + edge, "top": 2, "bottom": foot + 2})
        .configure(aria=False, view=alt.ViewConfig(stroke=None))
    )  # fmt: skip
    drawn = io.StringIO()
    chart.save(drawn, format="svg")
    return drawn.getvalue().strip()
