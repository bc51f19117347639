"""Confusion matrices: gold labels down, a model's answers across."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from benchmark_pipeline.tables.items import COMPONENTS, GapType, Severity

from .collect import Record, ResultSet, run_key

SHOWN = (
    ("C", "icfr", "Task C: verdict on the report", ("clean", "deficient")),
    ("B", "design", "Task B: design of the control", ("effective", "gap")),
    ("A", "component", "Task A: COSO component", COMPONENTS),
    ("A", "severity", "Task A: severity", get_args(Severity)),
    ("B", "severity", "Task B: severity of the gap", get_args(Severity)),
    ("B", "gap_type", "Task B: kind of gap", get_args(GapType)),
    ("D", "component", "Task D: COSO component", COMPONENTS),
)
"""Task, field, title, and labels in their order. Labels that are neither gold nor answered are left out."""


@dataclass(frozen=True)
class Count:
    """One cell."""

    key: str
    """What is counted, for a reader of the page's source: task, field, gold, answer, model, run."""
    items: int
    right: bool
    """The answer is the gold label."""
    share: float
    """Of the items with this gold label."""


@dataclass(frozen=True)
class Matrix:
    """One model on one field."""

    run: Record
    """Headline row of the run."""
    answers: Sequence[str]
    """Heads of the columns."""
    rows: Sequence[tuple[str, Sequence[Count]]]
    """Gold label and its counts."""


@dataclass(frozen=True)
class MatrixGroup:
    """One field, with a matrix a model."""

    title: str
    matrices: Sequence[Matrix]


def confusion_groups(results: ResultSet) -> list[MatrixGroup]:
    """Every field that any language model answered; rules stand in the warehouse view alone."""
    groups = []
    for task, field, title, labels in SHOWN:
        counted = [row for row in results.confusion if (row["task"], row["field"]) == (task, field)]
        matrices = [_matrix(model, own, labels) for model in results.models
                    if (own := [row for row in counted if run_key(row) == run_key(model)])]  # fmt: skip
        if matrices:
            groups.append(MatrixGroup(title, matrices))
    return groups


def _matrix(model: Record, counted: Sequence[Record], labels: Sequence[str]) -> Matrix:
    items = {(row["gold"], row["answer"]): row["items"] for row in counted}
    golds = [label for label in labels if any(gold == label for gold, _ in items)]
    seen = {answer for _, answer in items}
    # Answers outside the list come last, and after them the calls without a usable answer.
    order: list[str | None] = [label for label in labels if label in seen or label in golds]
    order += [*sorted(answer for answer in seen - set(labels) if answer is not None), *([None] if None in seen else [])]

    def cell(gold: str, answer: str | None) -> Count:
        count, of = items.get((gold, answer), 0), sum(n for (label, _), n in items.items() if label == gold)
        parts = (counted[0]["task"], counted[0]["field"], gold, answer or "", model["model_id"], model["run_id"])
        return Count("|".join(parts), count, gold == answer, count / of)

    return Matrix(
        model,
        ["no usable answer" if answer is None else answer.replace("_", " ") for answer in order],
        [(gold.replace("_", " "), [cell(gold, answer) for answer in order]) for gold in golds],
    )
