"""Metrics that are not one rate over items: F1, precision at natural prevalence, pairs, and gaps between twins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from benchmark_pipeline.statistics.bootstrap import cluster_bootstrap, ratio
from benchmark_pipeline.statistics.classification import macro_f1
from benchmark_pipeline.statistics.paired import paired_difference
from benchmark_pipeline.statistics.pairs import complete_pairs, pair_outcome
from benchmark_pipeline.tables.items import ItemRow
from benchmark_pipeline.tables.publication import MetricRow

from .measures import FALSE_POSITIVE_RATE, RECALL, answered_outcomes, counts_of
from .metric_builder import Cell, MetricBuilder
from .results import Result

PREVALENCE = {"7.6 %": 0.076, "24 %": 0.24}
"""Share of annual reports that state a material weakness: among attested ones, and among all (design base rates)."""


def rows(run: MetricBuilder) -> list[MetricRow]:
    """All derived rows of one run."""
    return [*_headline_checks(run), *_icfr_f1(run), *_precision(run), *_pairs(run), *_twin_gaps(run)]


def _of(run: MetricBuilder, task: str, arm: str = "verbatim") -> list[Result]:
    return [result for result in run.run.results if result.item.task == task and result.item.arm == arm]


def _headline_checks(run: MetricBuilder) -> list[MetricRow]:
    """The headline rate a second way: bootstrap over companies, and each company weighing one."""
    results = [result for result in _of(run, "C") if FALSE_POSITIVE_RATE.applies(result.item)]
    if not results:
        return []
    counts = counts_of(answered_outcomes(FALSE_POSITIVE_RATE, results))
    table = np.column_stack([counts.k, counts.n]).astype(np.float64)
    k, n, clusters = counts.successes, counts.trials, counts.clusters
    return [
        run.row(
            Cell("C", "false_positive_rate_bootstrap"),
            results,
            estimate=counts.rate,
            interval=cluster_bootstrap(table, ratio),
            note="check of the headline interval",
            k=k,
            n=n,
            clusters=clusters,
        ),
        run.row(
            Cell("C", "false_positive_rate_company_mean"),
            results,
            estimate=counts.mean_of_cluster_rates,
            note="each company weighs one",
            k=k,
            n=n,
            clusters=clusters,
        ),
    ]


def _icfr_f1(run: MetricBuilder) -> list[MetricRow]:
    """Macro-F1 over clean and deficient. A failure is a miss for its label."""
    results = [result for result in _of(run, "C") if not result.missing and result.item.gold_icfr is not None]
    if not results:
        return []
    answers: list[str | None] = []
    for result in results:
        flagged = result.score.flagged_deficient if result.score and result.answered else None
        answers.append(None if flagged is None else "deficient" if flagged else "clean")
    found = macro_f1(
        [str(result.item.gold_icfr) for result in results],
        answers,
        [result.item.company_key for result in results],
        ("clean", "deficient"),
    )
    clusters = len({result.item.company_key for result in results})
    cell = Cell("C", "macro_f1")
    return [run.row(cell, results, estimate=found.value, interval=found.interval, n=len(results), clusters=clusters)]


def _precision(run: MetricBuilder) -> list[MetricRow]:
    """What a flag would be worth where weaknesses are as rare as among registrants."""
    results = _of(run, "C")
    rate = counts_of(answered_outcomes(FALSE_POSITIVE_RATE, results)).rate
    recall = counts_of(answered_outcomes(RECALL, results)).rate
    if rate is None or recall is None:
        return []
    found = []
    for label, share in PREVALENCE.items():
        flagged = recall * share + rate * (1 - share)
        cell = Cell("C", "precision_at_prevalence", "prevalence", label)
        estimate = recall * share / flagged if flagged else None
        found.append(run.row(cell, results, estimate=estimate, note="from recall and the headline rate"))
    return found


def _pairs(run: MetricBuilder) -> list[MetricRow]:
    """Pair accuracy and its 2 x 2, by kind of pair and by drafting model. Null pairs are about not moving."""
    halves: dict[str, dict[str, Result]] = defaultdict(dict)
    for result in _of(run, "B"):
        if result.item.pair_id and result.item.pair_role and not result.missing:
            halves[result.item.pair_id][result.item.pair_role] = result
    judged = complete_pairs(
        (pair_id, role, result.score.correct if result.score else None)
        for pair_id, roles in halves.items()
        for role, result in roles.items()
    )
    cells: dict[tuple[str, str], list[str]] = defaultdict(list)
    for pair_id in judged:
        item = halves[pair_id]["control"].item
        cells["all", "all"].append(pair_id)
        cells["pair_kind", item.pair_kind or "minimal"].append(pair_id)
        cells["drafted_by", item.drafted_by or "human"].append(pair_id)
    found = []
    for (by, split), ids in sorted(cells.items()):
        members = [halves[pair_id]["control"] for pair_id in ids]
        outcomes = {pair_id: pair_outcome(*judged[pair_id]) for pair_id in ids}
        for name, wanted in (
            ("pair_accuracy", "both_right"),
            ("pair_only_control_right", "only_control_right"),
            ("pair_only_variant_right", "only_variant_right"),
            ("pair_both_wrong", "both_wrong"),
        ):
            hits = [(halves[pair_id]["control"], outcomes[pair_id] == wanted) for pair_id in ids]
            found.append(run.rate(Cell("B", name, by, split), hits, members, note="unit: a pair"))
    return found


def _twin_gaps(run: MetricBuilder) -> list[MetricRow]:
    """Verbatim less twin on the same items, both answered: accuracy of every task, and flags on clean items."""
    verbatim = {result.item.item_id: result for result in run.run.results if result.item.arm == "verbatim"}
    twins: dict[tuple[str, str], list[tuple[Result, Result]]] = defaultdict(list)
    for result in run.run.results:
        original = verbatim.get(result.item.twin_of or "")
        if result.item.arm != "verbatim" and original is not None:
            twins[result.item.task, result.item.arm].append((original, result))
    found = []
    for (task, arm), members in sorted(twins.items()):
        found.append(_gap(run, task, "accuracy_gap", arm, members))
        clean = [pair for pair in members if _is_clean(pair[0].item)]
        if clean:
            found.append(_gap(run, task, "false_positive_rate_gap", arm, clean))
    return found


def _is_clean(item: ItemRow) -> bool:
    return item.task == "C" and item.gold_icfr == "clean"


def _gap(run: MetricBuilder, task: str, metric: str, arm: str, members: Sequence[tuple[Result, Result]]) -> MetricRow:
    field = "correct" if metric == "accuracy_gap" else "flagged_deficient"
    both = []
    for original, twin in members:
        first, second = (getattr(half.score, field) if half.answered else None for half in (original, twin))
        if first is not None and second is not None:
            both.append((original.item.company_key, bool(first), bool(second)))
    found = paired_difference(both)
    return run.row(
        Cell(task, metric, "arm", arm),
        [twin for _, twin in members],
        estimate=found.difference,
        interval=found.interval,
        k=found.only_first + found.only_second,
        n=found.n,
        clusters=found.clusters,
        note=f"verbatim less twin; only verbatim {found.only_first}, only twin {found.only_second}",
    )
