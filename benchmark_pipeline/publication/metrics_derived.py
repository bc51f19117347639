"""Metrics that are not one rate over items: F1, severity, precision at natural prevalence, and pairs of scenarios."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmark_pipeline.statistics.agreement import quadratic_kappa
from benchmark_pipeline.statistics.bootstrap import cluster_bootstrap, ratio
from benchmark_pipeline.statistics.classification import macro_f1, macro_f1_value
from benchmark_pipeline.statistics.clusters import counts_by_code
from benchmark_pipeline.statistics.pairs import complete_pairs, pair_outcome, possible_outcomes
from benchmark_pipeline.statistics.power import precision_at
from benchmark_pipeline.tables.publication import MetricRow

from . import metrics_wording
from .measures import (
    FALSE_POSITIVE_RATE,
    MEASURES,
    RECALL,
    Measure,
    Selection,
    bounds_of,
    counts_of,
    headline_selection,
    outcomes,
    select,
)
from .metric_builder import Bounds, Cell, MetricBuilder
from .results import TIERS, ItemSet, Run

PREVALENCE = {"7.6 %": 0.076, "24 %": 0.24}
"""Share of annual reports that state a material weakness: among attested ones, and among all (design base rates)."""


def rows(run: MetricBuilder, cutoffs: Mapping[str, date | None]) -> list[MetricRow]:
    """All derived rows of one run."""
    found = [*_pairs(run), *metrics_wording.rows(run, cutoffs)]
    for measure in MEASURES:
        if measure.name == "severity" and run.run.asks(measure.task):
            found += _by_label_source(run.run.items, measure.task, partial(_severity, run, measure))
    if run.run.asks("C"):
        found += _by_label_source(run.run.items, "C", partial(_headline_checks, run))
        found += _by_label_source(run.run.items, "C", partial(_icfr_f1, run))
        found += _precision(run)
    return found


class Part(NamedTuple):
    """Items that a derived number is taken on."""

    by: str
    split: str
    held: NDArray[np.bool_]
    """One entry an item of the dataset."""


def _by_label_source(items: ItemSet, task: str, make: Callable[[Part], list[MetricRow]]) -> list[MetricRow]:
    """The rows on all items, and again on those of each label source; one source alone gives the same numbers twice."""
    source = np.array([item.label_source for item in items.items])
    rows = make(Part("all", "all", np.ones(len(items), dtype=bool)))
    present = np.unique(source[items.of(task)]).tolist()
    if len(present) == 1:
        return rows + [row.model_copy(update={"split_by": "label_source", "split": present[0]}) for row in rows]
    return rows + [row for name in present for row in make(Part("label_source", name, source == name))]


def _kept(cell: Selection, items: ItemSet, part: Part) -> Selection:
    return select(items, cell.positions[part.held[cell.positions]])


def _headline_checks(run: MetricBuilder, part: Part) -> list[MetricRow]:
    """The headline rate a second way: bootstrap over companies, and each company weighing one."""
    cell = _kept(headline_selection(FALSE_POSITIVE_RATE, run.run.items), run.run.items, part)
    if not len(cell.positions):
        return []
    counts = counts_of(FALSE_POSITIVE_RATE, run.run, cell)
    table = np.column_stack([counts.k, counts.n]).astype(np.float64)
    k, n, clusters = counts.successes, counts.trials, counts.clusters
    return [
        run.row(
            Cell("C", "false_positive_rate_bootstrap", part.by, part.split),
            cell.positions,
            bounds=bounds_of(FALSE_POSITIVE_RATE, run.run, cell, counts),
            estimate=counts.rate,
            interval=cluster_bootstrap(table, ratio, accelerated=True),
            note="check of the headline interval",
            k=k,
            n=n,
            clusters=clusters,
        ),
        run.row(
            Cell("C", "false_positive_rate_company_mean", part.by, part.split),
            cell.positions,
            bounds=_bounds_of_company_mean(run.run, cell),
            estimate=counts.mean_of_cluster_rates,
            note="each company weighs one",
            k=k,
            n=n,
            clusters=clusters,
        ),
    ]


def _bounds_of_company_mean(run: Run, cell: Selection) -> Bounds | None:
    counted, success = outcomes(FALSE_POSITIVE_RATE, run, cell)
    failed = run.failed[cell.positions]
    asked = np.bincount(cell.company[counted | failed])
    flags, failures = (np.bincount(cell.company[side], minlength=len(asked)) for side in (counted & success, failed))
    held = asked > 0
    if not held.any():
        return None
    low, high = (float(np.mean(k[held] / asked[held])) for k in (flags, flags + failures))
    return low, high


def _icfr_f1(run: MetricBuilder, part: Part) -> list[MetricRow]:
    """Macro-F1 over clean and deficient. A failure is a miss for its label."""
    items = run.run.items
    positions = items.of("C")
    positions = positions[~run.run.absent[positions] & part.held[positions]]
    gold = [items.items[at].gold_icfr for at in positions]
    kept = [index for index, label in enumerate(gold) if label is not None]
    if not kept:
        return []
    positions = positions[kept]
    flagged = run.run.verdict("flagged_deficient")[positions]
    words: dict[int, str | None] = {-1: None, 0: "clean", 1: "deficient"}
    company = items.local(positions)
    truth, labels = [str(gold[index]) for index in kept], ("clean", "deficient")
    answers = [words[flag] for flag in flagged.tolist()]
    found = macro_f1(truth, answers, company, labels)
    bounds = (found.value, found.value) if found.value is not None else None
    if run.run.failed[positions].any():
        # An answer that is right lifts its label's F1, and one that is wrong lowers both: these are the two ends.
        right = dict(zip(labels, labels, strict=True))
        wrong = dict(zip(labels, labels[::-1], strict=True))
        low, high = (
            macro_f1_value(truth, [given or guess[label] for given, label in zip(answers, truth, strict=True)], labels)
            for guess in (wrong, right)
        )
        bounds = (low, high)
    return [
        run.row(
            Cell("C", "macro_f1", part.by, part.split),
            positions,
            estimate=found.value,
            interval=found.interval,
            bounds=bounds,
            n=len(positions),
            clusters=len(np.unique(company)),
        )
    ]


def _precision(run: MetricBuilder) -> list[MetricRow]:
    """What a flag would be worth where weaknesses are as rare as among registrants."""
    items = run.run.items
    clean, bad = headline_selection(FALSE_POSITIVE_RATE, items), headline_selection(RECALL, items)
    of_clean, of_bad = counts_of(FALSE_POSITIVE_RATE, run.run, clean), counts_of(RECALL, run.run, bad)
    rate, recall = of_clean.rate, of_bad.rate
    if rate is None or recall is None:
        return []
    rates = bounds_of(FALSE_POSITIVE_RATE, run.run, clean, of_clean) or (rate, rate)
    recalls = bounds_of(RECALL, run.run, bad, of_bad) or (recall, recall)
    table = np.column_stack([_by_company(run.run, RECALL), _by_company(run.run, FALSE_POSITIVE_RATE)])
    table = table[table.sum(axis=1) > 0]
    found = []
    for label, share in PREVALENCE.items():
        cell = Cell("C", "precision_at_prevalence", "prevalence", label)
        # A flag is worth least where the failures miss what is deficient and flag what is clean.
        low, high = precision_at(recalls[0], rates[1], share), precision_at(recalls[1], rates[0], share)
        found.append(
            run.row(
                cell,
                items.of("C"),
                estimate=precision_at(recall, rate, share),
                interval=cluster_bootstrap(table, _precision_of(share)),
                bounds=(low, high) if low is not None and high is not None else None,
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


def _severity(run: MetricBuilder, measure: Measure, part: Part) -> list[MetricRow]:
    """Ordered tiers: quadratic kappa and mean distance. A failed answer counts at the worst distance.

    Kappa has no bounds: it depends on the margins, so that no choice of answers is known to be its extreme.
    """
    tiers = len(TIERS)
    cell = _kept(headline_selection(measure, run.run.items), run.run.items, part)
    present = ~run.run.absent[cell.positions]
    positions, company = cell.positions[present], cell.company[present]
    if not len(positions):
        return []
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

    def error(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(sums @ distance / sums.sum(axis=1))

    farthest = float(np.abs(gold - given).mean())
    nearest = float(np.where(run.run.failed[positions], 0, np.abs(gold - given)).mean())
    found = []
    for name, statistic, bounds in (
        ("severity_quadratic_kappa", kappa, None),
        ("severity_mean_distance", error, (nearest, farthest)),
    ):
        value = float(statistic(table.sum(axis=0, keepdims=True))[0])
        found.append(
            run.row(
                Cell(measure.task, name, part.by, part.split),
                positions,
                estimate=None if np.isnan(value) else value,
                interval=cluster_bootstrap(table, statistic),
                bounds=bounds,
                n=len(positions),
                clusters=len(table),
                note="failed answers at the worst distance",
            )
        )
    return found


def _pairs(run: MetricBuilder) -> list[MetricRow]:
    """Pair accuracy and its 2 x 2, by kind of pair, drafting model and label source. Null pairs are about not moving."""
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
        cells["label_source", item.label_source].append(pair_id)
    found = []
    for (by, split), ids in sorted(cells.items()):
        cell = select(items, np.array([halves[pair_id]["control"] for pair_id in ids]))
        ends = np.array([pair_outcome(*judged[pair_id]) for pair_id in ids])
        open_ends = [possible_outcomes(*judged[pair_id]) for pair_id in ids]
        for name, wanted in (
            ("pair_accuracy", "both_right"),
            ("pair_only_control_right", "only_control_right"),
            ("pair_only_variant_right", "only_variant_right"),
            ("pair_both_wrong", "both_wrong"),
        ):
            counts = counts_by_code(cell.company, ends == wanted)
            bounds = (
                sum(possible == {wanted} for possible in open_ends) / len(ids),
                sum(wanted in possible for possible in open_ends) / len(ids),
            )
            found.append(run.rate(Cell("B", name, by, split), cell.positions, counts, "unit: a pair", bounds))
    return found
