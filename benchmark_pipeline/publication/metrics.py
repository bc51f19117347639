"""Every number of the report, as rows: one measure of one run on one split.

Pure: the same runs give the same rows at any time. Counting is done on arrays; what is the same for every run (which
items a split holds, and of which companies) is worked out once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np

from benchmark_pipeline.statistics.clusters import counts_by_code
from benchmark_pipeline.tables.items import TASKS
from benchmark_pipeline.tables.publication import HeadlineRow, MetricRow

from . import metrics_derived
from .comparisons import comparison_rows, cutoff_rows, with_false_discovery_rate
from .measures import MEASURES, bounds_of, counts_of, select, selections
from .metric_builder import Cell, MetricBuilder
from .results import OUTCOMES, USAGE, Run


def metric_rows(
    runs: Sequence[Run],
    headline: Sequence[HeadlineRow],
    cutoffs: Mapping[str, date | None] | None = None,
    statements: Mapping[str, str] | None = None,
) -> list[MetricRow]:
    """All metrics of the given runs.

    Args:
        runs: runs on one dataset version.
        headline: headline rows of the same runs, which decide what is comparable.
        cutoffs: last day of each model's training data, as its maker states it.
        statements: the same in words, with its source and the day it was read; printed with the runs of the model.
    """
    comparable = {
        (row.dataset_version, row.prompt_version, row.scoring_version, row.model_id, row.run_id): row.comparable
        for row in headline
    }
    rows: list[MetricRow] = []
    builders = []
    for run in runs:
        identity = run.identity
        builder = MetricBuilder(run, comparable[(*identity.versions, identity.model_id, identity.run_id)])
        rows += _measures(builder)
        for task in TASKS:
            rows += _outcomes(builder, task)
        rows += metrics_derived.rows(builder, cutoffs or {})
        rows += _usage(builder)
        if said := (statements or {}).get(identity.model_id):
            rows.append(builder.row(Cell("all", "training_cutoff"), run.asked, estimate=None, note=said))
        builders.append(builder)
    rows += cutoff_rows(builders, cutoffs or {})
    rows += comparison_rows(builders)
    return with_false_discovery_rate(rows)


def _measures(builder: MetricBuilder) -> list[MetricRow]:
    """Every measure on every split."""
    run = builder.run
    rows = []
    for measure in MEASURES:
        if run.asks(measure.task):
            for cell in selections(measure, run.items):
                counts = counts_of(measure, run, cell)
                where = Cell(measure.task, measure.name, cell.by, cell.split)
                bounds = bounds_of(measure, run, cell, counts)
                rows.append(builder.rate(where, cell.positions, counts, bounds=bounds))
    return rows


def _outcomes(builder: MetricBuilder, task: str) -> list[MetricRow]:
    """How the calls of a task ended: one row an outcome, by gold label too, since failures may hit one label more."""
    run = builder.run
    positions = run.items.of(task)
    if not len(positions) or not run.asks(task):
        return []
    # Fenced JSON is counted apart, so that a reader sees what salvaging would have bought.
    fenced = (run.outcome == OUTCOMES.index("parse_fail")) & run.fenced
    labels = {"parse_fail/fenced": int(fenced[positions].sum())}
    for code, name in enumerate(OUTCOMES):
        labels[name] = int(((run.outcome == code) & ~fenced)[positions].sum())
    rows = [
        builder.row(Cell(task, "outcome", "outcome", name), positions, estimate=count / len(positions), k=count,
                    n=len(positions))
        for name, count in sorted(labels.items()) if count
    ]  # fmt: skip
    gold = np.array([run.items.items[at].gold_icfr or "" for at in positions])
    groups = [("all", "all", positions)]
    groups += [("gold", str(label), positions[gold == label]) for label in np.unique(gold) if label]
    for by, split, members in groups:
        judged = members[~run.absent[members]]
        counts = counts_by_code(select(run.items, judged).company, run.failed[judged])
        rows.append(builder.rate(Cell(task, "failure_rate", by, split), members, counts))
    return rows


def _usage(builder: MetricBuilder) -> list[MetricRow]:
    """Tokens and cost over all calls of the run; a total is null when a call lacks the figure."""
    run = builder.run
    rows = []
    for metric in USAGE:
        known, total = run.usage.get(metric, (0, 0.0))
        complete = known > 0 and known == run.calls
        note = None if complete else f"known for {known} of {run.calls} calls"
        estimate = total if complete else None
        rows.append(builder.row(Cell("all", metric), run.asked, estimate=estimate, n=known, note=note))
    return rows
