"""Memory or reading: verbatim against twins, split by who drafted them, and before against past the training cutoff.

A gap between a filing's words and a paraphrase can be memory, but also style or difficulty. On items past a model's
cutoff memory is impossible, so the difference of the two gaps is the estimate of memory (difference in differences).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import date
from typing import cast

import numpy as np
from numpy.typing import NDArray

from benchmark_pipeline.statistics.bootstrap import cluster_bootstrap, ratio
from benchmark_pipeline.statistics.paired import PairedDifference, paired_counts
from benchmark_pipeline.tables.publication import MetricRow

from .cutoffs import past
from .metric_builder import Bounds, Cell, MetricBuilder, difference_bounds
from .results import ItemSet, Positions, Run

_GAPS = {"accuracy_gap": "correct", "false_positive_rate_gap": "flagged_deficient"}


def rows(run: MetricBuilder, cutoffs: Mapping[str, date | None]) -> list[MetricRow]:
    """Gaps of a run between verbatim items and their twins, both answered."""
    found: list[MetricRow] = []
    known: dict[tuple[str, bytes, bytes], PairedDifference] = {}
    items = run.run.items
    cutoff = cutoffs.get(run.run.identity.model_id)
    for (task, by, split), (originals, twins) in sorted(_twins(items).items()):
        if not run.run.asks(task):
            continue
        for metric, column in _GAPS.items():
            first, second = originals, twins
            if metric == "false_positive_rate_gap":
                clean = np.array([items.items[at].gold_icfr == "clean" for at in originals], dtype=bool)
                if task != "C" or not clean.any():
                    continue
                first, second = originals[clean], twins[clean]
            verdict = run.run.verdict(column)
            # One drafter or label source alone gives the same twins again: their resampling is most of the cost.
            pairs = (column, first.tobytes(), second.tobytes())
            if pairs not in known:
                known[pairs] = _difference(items, first, second, verdict)
            found.append(_gap(run, Cell(task, metric, by, split), first, second, verdict, found=known[pairs]))
            if by == "arm" and split == "paraphrase" and cutoff is not None:
                found += _by_cutoff(run, Cell(task, metric), first, second, verdict, cutoff=cutoff)
    return found


def _twins(items: ItemSet) -> dict[tuple[str, str, str], tuple[Positions, Positions]]:
    """Positions of originals and twins by (task, split by, split)."""
    if "twins" not in items.cache:
        cells: dict[tuple[str, str, str], list[tuple[int, int]]] = defaultdict(list)
        for at in np.flatnonzero(~items.verbatim).tolist():
            twin = items.items[at]
            original = items.position.get(twin.twin_of or "")
            if original is None or not items.verbatim[original]:
                continue
            cells[twin.task, "arm", twin.arm].append((original, at))
            if twin.arm == "paraphrase":
                cells[twin.task, "paraphrased_by", twin.drafted_by or "human"].append((original, at))
                cells[twin.task, "label_source", items.items[original].label_source].append((original, at))
        items.cache["twins"] = {key: tuple(np.array(found).T) for key, found in cells.items()}
    return cast("dict[tuple[str, str, str], tuple[Positions, Positions]]", items.cache["twins"])


def _gap(
    run: MetricBuilder,
    cell: Cell,
    originals: Positions,
    twins: Positions,
    verdict: NDArray[np.int8],
    *,
    found: PairedDifference | None = None,
) -> MetricRow:
    found = found or _difference(run.run.items, originals, twins, verdict)
    # The rows by label source repeat those by arm: their tests would count twice among the exploratory ones.
    tested = found.p_value is not None and cell.by != "label_source"
    return run.row(
        cell,
        twins,
        estimate=found.difference,
        interval=found.interval,
        bounds=_bounds(run.run, originals, twins, verdict),
        k=found.only_first + found.only_second,
        n=found.n,
        clusters=found.clusters,
        note=f"verbatim less twin; only verbatim {found.only_first}, only twin {found.only_second}"
        + (f"; exploratory, p {found.p_value:.3g}" if tested else ""),
    )


def _bounds(run: Run, originals: Positions, twins: Positions, verdict: NDArray[np.int8]) -> Bounds | None:
    return difference_bounds((verdict[originals], run.failed[originals]), (verdict[twins], run.failed[twins]))


def _difference(items: ItemSet, originals: Positions, twins: Positions, verdict: NDArray[np.int8]) -> PairedDifference:
    first, second = verdict[originals], verdict[twins]
    both = (first >= 0) & (second >= 0)
    return paired_counts(items.local(originals[both]), first[both] == 1, second[both] == 1)


def _by_cutoff(
    run: MetricBuilder,
    cell: Cell,
    originals: Positions,
    twins: Positions,
    verdict: NDArray[np.int8],
    *,
    cutoff: date,
) -> list[MetricRow]:
    """The gap before and past the cutoff, and the first less the second."""
    items = run.run.items
    before, after = past(items, cutoff)
    found = []
    for split, chosen in (("before", before[originals]), ("past", after[originals])):
        if chosen.any():
            where = Cell(cell.task, cell.metric, "training_cutoff", split)
            found.append(_gap(run, where, originals[chosen], twins[chosen], verdict))
    first, second = verdict[originals], verdict[twins]
    both = (first >= 0) & (second >= 0)
    ends = [_bounds(run.run, originals[side], twins[side], verdict) for side in (before[originals], after[originals])]
    old, new = both & before[originals], both & after[originals]
    if old.any() and new.any():
        company = items.local(originals)
        change = first.astype(np.float64) - second
        size = int(company.max()) + 1
        table = np.column_stack(
            [np.bincount(company[side], weights=w, minlength=size)
             for side in (old, new) for w in (change[side], np.ones(int(side.sum())))]
        )  # fmt: skip
        table = table[table[:, [1, 3]].sum(axis=1) > 0]
        sums = table.sum(axis=0, keepdims=True)
        where = Cell(cell.task, cell.metric.replace("_gap", "_gap_difference"), "training_cutoff", "before_less_past")
        found.append(
            run.row(
                where,
                twins,
                estimate=float(_change(sums)[0]),
                interval=cluster_bootstrap(table, _change),
                bounds=(ends[0][0] - ends[1][1], ends[0][1] - ends[1][0]) if ends[0] and ends[1] else None,
                n=int(old.sum() + new.sum()),
                clusters=len(table),
                note=f"cutoff {cutoff.isoformat()}; {int(old.sum())} items before, {int(new.sum())} past",
            )
        )
    return found


def _change(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(ratio(sums[:, :2]) - ratio(sums[:, 2:]))
