"""Metrics that are not one rate over items: F1, severity, precision at natural prevalence, and pairs of scenarios."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import date

import numpy as np
from numpy.typing import NDArray

from benchmark_pipeline.statistics.agreement import quadratic_kappa
from benchmark_pipeline.statistics.bootstrap import cluster_bootstrap, ratio
from benchmark_pipeline.statistics.classification import macro_f1
from benchmark_pipeline.statistics.clusters import counts_by_code
from benchmark_pipeline.statistics.pairs import complete_pairs, pair_outcome
from benchmark_pipeline.statistics.power import precision_at
from benchmark_pipeline.tables.publication import MetricRow

from . import metrics_wording
from .measures import (
    FALSE_POSITIVE_RATE,
    MEASURES,
    RECALL,
    counts_of,
    headline_selection,
    outcomes,
    select,
)
from .metric_builder import Cell, MetricBuilder
from .results import TIERS, Run

PREVALENCE = {"7.6 %": 0.076, "24 %": 0.24}
"""Share of annual reports that state a material weakness: among attested ones, and among all (design base rates)."""


def rows(run: MetricBuilder, cutoffs: Mapping[str, date | None]) -> list[MetricRow]:
    """All derived rows of one run."""
    found = [*_pairs(run), *_severity(run), *metrics_wording.rows(run, cutoffs)]
    if run.run.asks("C"):
        found += [*_headline_checks(run), *_icfr_f1(run), *_precision(run)]
    return found


def _headline_checks(run: MetricBuilder) -> list[MetricRow]:
    """The headline rate a second way: bootstrap over companies, and each company weighing one."""
    cell = headline_selection(FALSE_POSITIVE_RATE, run.run.items)
    if not len(cell.positions):
        return []
    counts = counts_of(FALSE_POSITIVE_RATE, run.run, cell)
    table = np.column_stack([counts.k, counts.n]).astype(np.float64)
    k, n, clusters = counts.successes, counts.trials, counts.clusters
    return [
        run.row(
            Cell("C", "false_positive_rate_bootstrap"),
            cell.positions,
            estimate=counts.rate,
            interval=cluster_bootstrap(table, ratio, accelerated=True),
            note="check of the headline interval",
            k=k,
            n=n,
            clusters=clusters,
        ),
        run.row(
            Cell("C", "false_positive_rate_company_mean"),
            cell.positions,
            estimate=counts.mean_of_cluster_rates,
            note="each company weighs one",
            k=k,
            n=n,
            clusters=clusters,
        ),
    ]


def _icfr_f1(run: MetricBuilder) -> list[MetricRow]:
    """Macro-F1 over clean and deficient. A failure is a miss for its label."""
    items = run.run.items
    positions = items.of("C")
    positions = positions[~run.run.absent[positions]]
    gold = [items.items[at].gold_icfr for at in positions]
    kept = [index for index, label in enumerate(gold) if label is not None]
    if not kept:
        return []
    positions = positions[kept]
    flagged = run.run.verdict("flagged_deficient")[positions]
    words: dict[int, str | None] = {-1: None, 0: "clean", 1: "deficient"}
    company = items.local(positions)
    found = macro_f1(
        [str(gold[index]) for index in kept],
        [words[flag] for flag in flagged.tolist()],
        company,
        ("clean", "deficient"),
    )
    cell, clusters = Cell("C", "macro_f1"), len(np.unique(company))
    return [
        run.row(cell, positions, estimate=found.value, interval=found.interval, n=len(positions), clusters=clusters)
    ]


def _precision(run: MetricBuilder) -> list[MetricRow]:
    """What a flag would be worth where weaknesses are as rare as among registrants."""
    items = run.run.items
    clean, bad = headline_selection(FALSE_POSITIVE_RATE, items), headline_selection(RECALL, items)
    rate, recall = counts_of(FALSE_POSITIVE_RATE, run.run, clean).rate, counts_of(RECALL, run.run, bad).rate
    if rate is None or recall is None:
        return []
    table = np.column_stack([_by_company(run.run, RECALL), _by_company(run.run, FALSE_POSITIVE_RATE)])
    table = table[table.sum(axis=1) > 0]
    found = []
    for label, share in PREVALENCE.items():
        cell = Cell("C", "precision_at_prevalence", "prevalence", label)
        found.append(
            run.row(
                cell,
                items.of("C"),
                estimate=precision_at(recall, rate, share),
                interval=cluster_bootstrap(table, _precision_of(share)),
                clusters=len(table),
                note="from recall and the headline rate",
            )
        )
    return found


def _by_company(run: Run, measure: object) -> NDArray[np.float64]:
    """Successes and trials of each company of the dataset, shape (companies, 2)."""
    chosen = next(m for m in MEASURES if m is measure)
    cell = headline_selection(chosen, run.items)
    counted, success = outcomes(chosen, run, cell)
    company = run.items.company[cell.positions]
    sides = (company[counted & success], company[counted])
    return np.column_stack([np.bincount(side, minlength=run.items.companies) for side in sides]).astype(np.float64)


def _precision_of(share: float) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    def statistic(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        recall, rate = ratio(sums[:, :2]), ratio(sums[:, 2:])
        flagged = recall * share + rate * (1 - share)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(flagged > 0, recall * share / flagged, np.nan)

    return statistic


def _severity(run: MetricBuilder) -> list[MetricRow]:
    """Ordered tiers: quadratic kappa and mean distance. A failed answer counts at the worst distance."""
    found = []
    tiers = len(TIERS)
    for measure in MEASURES:
        cell = headline_selection(measure, run.run.items)
        if measure.name != "severity" or not run.run.asks(measure.task):
            continue
        present = ~run.run.absent[cell.positions]
        positions, company = cell.positions[present], cell.company[present]
        if not len(positions):
            continue
        gold = np.array([TIERS.index(run.run.items.items[at].gold_severity) for at in positions])
        worst = np.where(gold >= tiers / 2, 0, tiers - 1)
        given = np.where(run.run.answered[positions], run.run.severity[positions], -1)
        given = np.where(given < 0, worst, given).astype(np.int64)
        table = np.zeros((int(company.max()) + 1, tiers * tiers))
        np.add.at(table, (company, gold * tiers + given), 1)
        table = table[table.sum(axis=1) > 0]
        distance = np.abs(np.arange(tiers)[:, None] - np.arange(tiers)[None, :]).reshape(-1)

        def kappa(sums: NDArray[np.float64]) -> NDArray[np.float64]:
            return quadratic_kappa(sums.reshape(-1, tiers, tiers))

        def error(sums: NDArray[np.float64], distance: NDArray[np.int64] = distance) -> NDArray[np.float64]:
            return np.asarray(sums @ distance / sums.sum(axis=1))

        for name, statistic in (("severity_quadratic_kappa", kappa), ("severity_mean_distance", error)):
            value = float(statistic(table.sum(axis=0, keepdims=True))[0])
            found.append(
                run.row(
                    Cell(measure.task, name),
                    positions,
                    estimate=None if np.isnan(value) else value,
                    interval=cluster_bootstrap(table, statistic),
                    n=len(positions),
                    clusters=len(table),
                    note="failed answers at the worst distance",
                )
            )
    return found


def _pairs(run: MetricBuilder) -> list[MetricRow]:
    """Pair accuracy and its 2 x 2, by kind of pair and by drafting model. Null pairs are about not moving."""
    items = run.run.items
    if not run.run.asks("B"):
        return []
    right = run.run.verdict("correct")
    halves: dict[str, dict[str, int]] = defaultdict(dict)
    for at in items.of("B").tolist():
        item = items.items[at]
        if item.pair_id and item.pair_role and not run.run.absent[at]:
            halves[item.pair_id][item.pair_role] = at
    judged = complete_pairs(
        (pair_id, role, None if right[at] < 0 else bool(right[at]))
        for pair_id, roles in halves.items()
        for role, at in roles.items()
    )
    cells: dict[tuple[str, str], list[str]] = defaultdict(list)
    for pair_id in judged:
        item = items.items[halves[pair_id]["control"]]
        cells["all", "all"].append(pair_id)
        cells["pair_kind", item.pair_kind or "minimal"].append(pair_id)
        cells["drafted_by", item.drafted_by or "human"].append(pair_id)
    found = []
    for (by, split), ids in sorted(cells.items()):
        cell = select(items, np.array([halves[pair_id]["control"] for pair_id in ids]))
        ends = np.array([pair_outcome(*judged[pair_id]) for pair_id in ids])
        for name, wanted in (
            ("pair_accuracy", "both_right"),
            ("pair_only_control_right", "only_control_right"),
            ("pair_only_variant_right", "only_variant_right"),
            ("pair_both_wrong", "both_wrong"),
        ):
            counts = counts_by_code(cell.company, ends == wanted)
            found.append(run.rate(Cell("B", name, by, split), cell.positions, counts, note="unit: a pair"))
    return found
