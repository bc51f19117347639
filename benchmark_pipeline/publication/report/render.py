"""Data and template to a page."""

from __future__ import annotations

import re
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from benchmark_pipeline.publication.charts import scale
from benchmark_pipeline.publication.warehouse import open_warehouse
from benchmark_pipeline.statistics.power import paired_power
from benchmark_pipeline.storage.files import replace_file, temporary_beside

from . import plots, tables, words
from .collect import Record, ReportData, collect
from .confusion import confusion_groups

TEMPLATES = Path(__file__).parent / "templates"


def write_report(warehouse: Path, target: Path, dataset_version: str) -> None:
    """Reads the published warehouse and replaces the page as a whole.

    Raises:
        BenchError: there is no warehouse, or it holds no item.
    """
    with open_warehouse(warehouse) as connection:
        page = render(collect(connection, dataset_version))
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_beside(target)
    try:
        temporary.write_text(page, encoding="utf-8")
        replace_file(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def render(data: ReportData) -> str:
    """The page. Everything from filings and models is escaped; the style sheet is part of the page."""
    environment = Environment(
        loader=PackageLoader("benchmark_pipeline.publication.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": words.percent,
        "points": words.points,
        "plain": words.plain,
        "breakable": _breakable,
    }
    rates = [
        v for s in data.sets for row in s.headline for v in (row["fpr"], row["ci_high"], row["management_only_fpr"])
    ]
    return environment.get_template("report.html.j2").render(
        data=data,
        style=Markup((TEMPLATES / "style.css").read_text(encoding="utf-8")),  # noqa: S704 (our own file)
        label=lambda value: words.LABELS.get(value, value),
        meaning=words.meaning,
        marks=words.marks,
        with_recall=words.with_recall,
        blind=words.blind,
        axis=scale(rates),
        clean_tables=tables.clean_tables,
        other_task_tables=tables.other_task_tables,
        comparisons=tables.comparisons,
        confusion_groups=confusion_groups,
        key=_key,
        power=_power,
        twin_tables=tables.twin_tables,
        label_tables=tables.label_tables,
        label_source_table=tables.label_source_table,
        outcome_table=tables.outcome_table,
        cutoffs=tables.cutoffs,
        forest=plots.forest,
        bars=plots.bars,
        funnel_bars=plots.funnel_bars(data.funnel),
        pool_bars=plots.pool_bars(data.pool),
        exclusion_bars=plots.exclusion_bars(data.exclusions),
        flagged=tables.flagged,
        edgar=lambda url: bool(url) and url.startswith("https://www.sec.gov/"),
    )


def _key(cell: Record) -> str:
    """Which row of `metrics` a number is: printed with it, so that every number of the page can be counted again."""
    return "|".join(str(cell[name]) for name in ("task", "metric", "split_by", "split", "model_id", "run_id"))


def _power(companies: int) -> list[tuple[str, str]]:
    """How often a difference of two models would be seen on so many items, one a company."""
    pairs = ((0.06, 0.03), (0.08, 0.04), (0.10, 0.05), (0.20, 0.10))
    return [(f"{100 * a:.0f} % / {100 * b:.0f} %", f"{100 * paired_power(companies, a, b):.0f} %") for a, b in pairs]


def _breakable(model_id: str) -> Markup:
    """A model id that may wrap after `/`, `-`, `_`, `.`, `:` and `@`, and nowhere else; a date at its end stays whole."""
    dated = re.search(r"\d{4}-\d{2}-\d{2}$", model_id)
    end = dated.start() if dated else len(model_id)
    parts = [escape(part) for part in re.findall(r"[^/_.:@-]*[/_.:@-]|[^/_.:@-]+$", model_id[:end])]
    if dated:
        parts.append(Markup('<span class="whole">{}</span>').format(dated[0]))
    return Markup("<wbr>").join(parts)
