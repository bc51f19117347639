"""Macro-F1 over a fixed list of labels.

The list is fixed, because a single answer outside it would otherwise become a class of its own and change the mean.
A failed or unknown answer is a miss for its gold label and a false alarm for none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bootstrap import SEED, cluster_bootstrap
from .intervals import Interval


@dataclass(frozen=True)
class MacroF1:
    """Unweighted mean of the per-label F1, with its cluster bootstrap."""

    value: float | None
    """None without items."""
    interval: Interval | None
    per_label: dict[str, float]
    """F1 of each label; 0 where a label is neither gold nor answered."""


def macro_f1(
    gold: Sequence[str],
    answers: Sequence[str | None],
    clusters: Sequence[str] | NDArray[np.int64],
    labels: Sequence[str],
    *,
    seed: int = SEED,
) -> MacroF1:
    """Macro-F1 of `answers` (None: no answer) against `gold`.

    Raises:
        ValueError: a gold label is not in `labels`.
    """
    if not gold:
        return MacroF1(None, None, dict.fromkeys(labels, 0.0))
    flat = _counts(gold, answers, np.unique(np.asarray(clusters), return_inverse=True)[1], labels)
    scores = _f1(flat.sum(axis=0, keepdims=True), len(labels))[0]
    return MacroF1(
        value=float(scores.mean()),
        interval=cluster_bootstrap(flat, lambda sums: _f1(sums, len(labels)).mean(axis=1), seed=seed),
        per_label=dict(zip(labels, map(float, scores), strict=True)),
    )


def macro_f1_value(gold: Sequence[str], answers: Sequence[str | None], labels: Sequence[str]) -> float:
    """Macro-F1 alone, of at least one item.

    Raises:
        ValueError: a gold label is not in `labels`.
    """
    return float(_f1(_counts(gold, answers, np.zeros(len(gold), dtype=np.int64), labels), len(labels)).mean())


def _counts(
    gold: Sequence[str], answers: Sequence[str | None], row: NDArray[np.int64], labels: Sequence[str]
) -> NDArray[np.float64]:
    """True positives, false positives and false negatives of each label, one row a cluster."""
    unknown = sorted(set(gold) - set(labels))
    if unknown:
        raise ValueError(f"gold labels {unknown} are not among {list(labels)}")
    column = {label: index for index, label in enumerate(labels)}
    truth = np.array([column[label] for label in gold], dtype=np.int64)
    given = np.array([column.get(answer, -1) if answer is not None else -1 for answer in answers], dtype=np.int64)
    counts = np.zeros((int(row.max()) + 1, 3, len(labels)))
    right, listed = given == truth, given >= 0
    np.add.at(counts, (row[right], 0, truth[right]), 1)
    np.add.at(counts, (row[~right & listed], 1, given[~right & listed]), 1)
    np.add.at(counts, (row[~right], 2, truth[~right]), 1)
    return counts.reshape(len(counts), -1)


def _f1(sums: NDArray[np.float64], labels: int) -> NDArray[np.float64]:
    planes = sums.reshape(len(sums), 3, labels)
    hits, misses = planes[:, 0], planes[:, 1] + planes[:, 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(2 * hits + misses > 0, 2 * hits / (2 * hits + misses), 0.0)
