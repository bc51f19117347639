"""Agreement of the readers of an item set, by task."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmark_pipeline.statistics.agreement import Agreement, agreement
from benchmark_pipeline.tables.items import COMPONENTS, ItemReviewRow, ItemRow, Task

from .reviews import decisions_by_item

MINIMUM_ALPHA = 0.6
"""Below it on a task the labelling guide is revised before a release."""
MINIMUM_UNITS = 10
"""Doubly read items below which alpha is too unsure to judge the guide by."""
ANSWER_COLUMN: dict[Task, str] = {
    "A": "gold_component",
    "B": "gold_effective",
    "C": "gold_icfr",
    "D": "gold_component",
}
"""What readers of a task agree or disagree on."""
_CATEGORIES: dict[Task, int] = {"A": len(COMPONENTS) + 1, "B": 3, "C": 3, "D": len(COMPONENTS) + 1}
"""Possible answers, a rejection included."""


@dataclass(frozen=True)
class TaskAgreement:
    """Agreement on one task."""

    task: Task
    agreement: Agreement

    @property
    def too_low(self) -> bool:
        """Whether the guide has to be revised."""
        found = self.agreement
        return found.units >= MINIMUM_UNITS and found.alpha is not None and found.alpha < MINIMUM_ALPHA

    def as_row(self) -> dict[str, Any]:
        """For a table."""
        return {"task": self.task, **asdict(self.agreement)}


def agreement_by_task(decisions: Sequence[ItemReviewRow], items: Sequence[ItemRow]) -> list[TaskAgreement]:
    """Agreement of readers (adjudicators left out) on verbatim items with a standing decision on their present text.

    Args:
        decisions: decisions in order of time.
        items: items with the gold that the readers saw, as `candidate_items` holds them.
    """
    latest, _ = decisions_by_item(decisions, items)
    units: dict[Task, list[list[str]]] = defaultdict(list)
    for item in items:
        if item.arm == "verbatim" and item.item_id in latest:
            readers = [row for row in latest[item.item_id].values() if row.role == "reader"]
            units[item.task].append([answer(row, item) for row in readers])
    return [TaskAgreement(task, agreement(units[task], _CATEGORIES[task])) for task in sorted(units)]


def answer(row: ItemReviewRow, item: ItemRow) -> str:
    """The reader's own answer: the gold he accepted, the one he put in its place, or `rejected`."""
    column = ANSWER_COLUMN[item.task]
    if row.decision == "reject":
        return "rejected"
    gold = getattr(item, column)
    if row.decision == "change" and row.changes:
        gold = json.loads(row.changes).get(column, gold)
    return str(gold)
