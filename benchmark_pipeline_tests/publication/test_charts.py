"""The charts: every name, mark and number is on the sheet, and stands where its value belongs."""

from __future__ import annotations

import base64
import itertools
import re
from dataclasses import replace

import pytest
from drawn_charts import Drawn, drawn
from hypothesis import given, settings
from hypothesis import strategies as st
from published_corpus import Corpus

from benchmark_pipeline.publication import charts
from benchmark_pipeline.publication.charts import MIDDLE, NARROW, WIDE, Bar, Estimate, Layout, scale
from benchmark_pipeline.publication.headline import headline_rows
from benchmark_pipeline.publication.report.plots import estimates

ALPHA = Estimate("vendor/alpha-2026-01-15", ["preview"], False, 0.088, 0.018, 0.24, 0.083)
LONG = "gateway/laboratory/a-very-long-name-of-a-model-3.3-70b-instruct-turbo:q4_k_m@b179c952-2026-01-15"
ROWS = [
    ALPHA,
    replace(ALPHA, name=LONG, marks=["run r2", "preview, not comparable"], rate=0.35, low=None, high=None),
    Estimate("baseline/always-clean", [], True, 0.0, 0.0, 0.5, None),
]
LAYOUTS = pytest.mark.parametrize("layout", [WIDE, MIDDLE, NARROW])


def plot(layout: Layout, rows: list[Estimate] = ROWS) -> Drawn:
    return drawn(charts.forest_plot(rows, scale([0.5]), layout))


@LAYOUTS
def test_rates_intervals_and_the_weaker_rate_stand_at_their_place_on_the_scale(layout: Layout) -> None:
    chart = plot(layout)
    assert list(chart.ticks) == ["0 %", "10 %", "20 %", "30 %", "40 %", "50 %"]
    unit = chart.ticks["50 %"] / 0.5
    assert chart.ticks["20 %"] == pytest.approx(0.2 * unit) and chart.ticks["0 %"] == 0
    assert [x for x, _ in chart.places("rates")] == pytest.approx([unit * row.rate for row in ROWS])
    assert [x for x, _ in chart.places("weaker")] == pytest.approx([unit * 0.083, unit * 0.083])
    ends = [(x, x + float(mark.get("x2", "nan"))) for mark, (x, _) in zip(chart.layer("intervals"), chart.places("intervals"), strict=True)]  # fmt: skip
    assert ends == [pytest.approx((unit * 0.018, unit * 0.24)), pytest.approx((0, unit * 0.5))]
    assert chart.texts("values") == ["8.8 %", "35.0 %", "0.0 %"]


@LAYOUTS
def test_management_only_rates_are_hollow_and_rules_are_grey(layout: Layout) -> None:
    chart = plot(layout)
    assert {mark.get("fill") for mark in chart.layer("weaker")} == {"var(--paper)"}
    assert [mark.get("fill") for mark in chart.layer("rates")] == ["var(--mark)", "var(--mark)", "var(--soft)"]
    assert [mark.get("stroke") for mark in chart.layer("intervals")] == ["var(--mark)", "var(--soft)"]
    assert dict(zip(chart.texts("marks"), [mark.get("fill") for mark in chart.layer("marks")], strict=True)) == {
        "preview": "var(--soft)", "run r2": "var(--soft)", "preview, not comparable": "var(--warn)"
    }  # fmt: skip


@LAYOUTS
def test_ids_stand_whole_on_the_sheet_and_apart_from_each_other(layout: Layout) -> None:
    chart = plot(layout)
    lines = chart.texts("labels")
    assert "".join(lines) == "".join(row.name for row in ROWS) and len(lines) > len(ROWS)
    assert lines[-2].endswith("2026-01-15")
    (left, top), (width, height) = chart.origin, chart.size
    # The widest letters of the fonts at hand take 0.61 of their size; the plot begins where the lines end.
    room = width if layout.stacked else left - 8
    assert all(0.61 * 12.5 * len(line) <= room for line in lines)
    rows = sorted([*(y for _, y in chart.places("labels")), *(y for _, y in chart.places("marks"))])
    assert min(later - earlier for earlier, later in itertools.pairwise(rows)) >= 13
    assert top + rows[0] >= 0 and top + rows[-1] < height


@LAYOUTS
def test_bars_are_as_long_as_their_counts_and_printed_with_them(layout: Layout) -> None:
    rows = [Bar("a", "found " * 20, 40), Bar("b", "left", 10, out=True), Bar("c", "none", 0)]
    chart = drawn(charts.bar_chart(rows, layout))
    lengths = [float(re.findall(r"h([\d.]+)", mark.get("d", ""))[0]) for mark in chart.layer("bars")]
    assert [length / lengths[0] for length in lengths] == pytest.approx([1, 0.25, 0], abs=2e-3)
    assert lengths[0] > 250
    assert chart.texts("values") == ["40", "10", "0"]
    assert " ".join(chart.texts("labels")) == ("found " * 20).strip() + " left none"


@LAYOUTS
def test_sheets_of_one_chart_share_the_column_of_names_and_the_scale(layout: Layout) -> None:
    first, second = ROWS[:1], ROWS[1:]
    sheets = [drawn(charts.forest_plot(rows, scale([0.5]), layout, beside=ROWS)) for rows in (first, second)]
    assert {(sheet.origin[0], sheet.ticks["50 %"]) for sheet in sheets} == {
        (plot(layout).origin[0], plot(layout).ticks["50 %"])
    }
    assert [len(sheet.texts("values")) for sheet in sheets] == [1, 2]
    high, low = Bar("a", "many", 40), Bar("b", "few", 10)
    lengths = [
        drawn(charts.bar_chart([bar], layout, beside=[high, low])).layer("bars")[0].get("d", "") for bar in (high, low)
    ]
    assert [float(re.findall(r"h([\d.]+)", d)[0]) for d in lengths] == pytest.approx(
        [lengths_of(layout), lengths_of(layout) / 4], abs=0.1
    )


def lengths_of(layout: Layout) -> float:
    chart = drawn(charts.bar_chart([Bar("a", "many", 40)], layout))
    return float(re.findall(r"h([\d.]+)", chart.layer("bars")[0].get("d", ""))[0])


@LAYOUTS
def test_a_rate_without_interval_and_without_a_weaker_rate_is_a_dot_alone(layout: Layout) -> None:
    chart = plot(layout, [replace(ALPHA, marks=[], low=None, high=None, weak=None)])
    assert chart.layer("intervals") == [] and chart.layer("weaker") == [] and len(chart.layer("rates")) == 1


@LAYOUTS
def test_what_is_drawn_is_escaped(layout: Layout) -> None:
    attack = "<script>alert(1)</script>&\"'"
    for svg in (
        charts.forest_plot([replace(ALPHA, name=attack, marks=[attack])], scale([0.5]), layout),
        charts.bar_chart([Bar(attack, attack, 1)], layout),
    ):
        assert "<script" not in svg
        assert "".join(drawn(svg).texts("labels")) == attack


def test_a_chart_is_the_same_each_time_and_names_no_id_that_two_charts_could_share() -> None:
    svg = charts.forest_plot(ROWS, scale([0.5]), WIDE)
    assert svg == charts.forest_plot(ROWS, scale([0.5]), WIDE)
    assert not re.search(r"\bid=|url\(|<style|<script", svg)


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("abcde/-_.:@ 0123"), min_size=1, max_size=120), st.integers(1, 60))
def test_lines_lose_no_letter_and_are_never_longer_than_their_room(text: str, limit: int) -> None:
    lines = charts._balanced(text, limit)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(len(line) <= limit for line in lines)


def test_the_image_of_the_asset_page_stands_alone_with_models_first(corpus: Corpus) -> None:
    rows = [row.model_dump() for row in headline_rows(corpus.runs())]
    image = charts.forest_image(estimates([*rows, rows[-1] | {"model_id": LONG, "kind": "model", "fpr": 0.5}]))
    data = re.match(r"!\[[^]]+\]\(data:image/svg\+xml;base64,([^)]+)\)\n\n", image)
    assert data and image.endswith("Hollow point: management-only, the weaker measurement.")
    svg = base64.b64decode(data[1]).decode()
    names = "".join(drawn(svg).texts("labels"))
    assert names.endswith(LONG + "baseline/always-clean") and names.startswith("vendor/")
    assert "var(" not in svg and 'fill="#ffffff"' in svg
    assert charts.forest_image([]) == "(no headline to plot)"


@pytest.mark.parametrize(("highest", "top"), [(0.0, 0.2), (0.2, 0.2), (0.21, 0.5), (0.9, 1.0), (1.0, 1.0)])
def test_the_scale_holds_the_highest_rate_and_ends_on_a_tick(highest: float, top: float) -> None:
    found = scale([highest, None])
    assert found.top == top and found.ticks[0] == 0 and found.ticks[-1] == top
    assert highest <= found.top
