"""The queue: what waits for whom."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from benchmark_pipeline.icfr.evidence_review import answers_by_question, standing_rows
from benchmark_pipeline.icfr.questions import Question, resolve
from benchmark_pipeline.items.reviews import ReviewState, decisions_by_item, review_states, standing
from benchmark_pipeline.tables.clean_pool import EvidenceAnswerRow
from benchmark_pipeline.tables.items import ItemReviewRow, ItemRow

Kind = Literal["item", "paraphrase", "scenario_half", "clean_pool"]
Need = Literal["reader", "second_reader", "adjudication", "nothing"]
SUBJECTS = ("C", "A", "D", "B", "paraphrase", "clean_pool")
"""Order of work: the headline's items first."""
SUBJECT_NAMES = {
    "A": "Task A · component", "B": "Task B · control design", "C": "Task C · disclosure", "D": "Task D · citation",
    "paraphrase": "Paraphrases", "clean_pool": "Questions on evidence",
}  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """One thing to decide, as it stands for one reviewer."""

    key: str
    """Item id or evidence id."""
    kind: Kind
    subject: str
    """Task, `paraphrase` or `clean_pool`."""
    stratum: str
    """Where it belongs within the task."""
    need: Need
    """What it still needs."""
    mine: ItemReviewRow | EvidenceAnswerRow | None
    """The reviewer's own decision, where there is one."""
    readers: tuple[ItemReviewRow | EvidenceAnswerRow, ...]
    """The decision of each reviewer that stands."""
    status: str
    """Review status of the item, or the resolution of the evidence."""
    open: bool
    """This reviewer can do what it needs."""
    blind: bool
    """The answer is hidden until the reviewer has given his own."""


def build_queue(
    items: Sequence[ItemRow],
    questions: Sequence[Question],
    decisions: Sequence[ItemReviewRow],
    answers: Sequence[EvidenceAnswerRow],
    reviewer: str,
) -> list[Entry]:
    """All entries in the order of work of one reviewer.

    The halves of a scenario pair are read blind, so the second half of every pair comes after the first half of all.
    """
    states, _ = review_states(decisions, items)
    latest, _ = decisions_by_item(decisions, items)
    skipped = _skipped(decisions, answers, reviewer)
    entries = [
        _item_entry(item, states.get(item.item_id), tuple(latest.get(item.item_id, {}).values()), reviewer)
        for item in items
    ]
    given = answers_by_question(answers)
    entries += [_question_entry(question, given.get(question.question_id, []), reviewer) for question in questions]
    halves = _second_halves(items, reviewer)
    return sorted(
        entries,
        key=lambda entry: (
            SUBJECTS.index(entry.subject), entry.key in halves, entry.key in skipped,
            entry.need != "adjudication", "" if entry.kind == "scenario_half" else entry.stratum, _mixed(entry.key, reviewer),
        ),
    )  # fmt: skip


def _item_entry(item: ItemRow, state: ReviewState | None, rows: tuple[ItemReviewRow, ...], reviewer: str) -> Entry:
    mine = next((row for row in rows if row.reviewer == reviewer), None)
    need: Need = "reader" if state is None else state.needs or "nothing"
    kind: Kind = "paraphrase" if item.arm != "verbatim" else "scenario_half" if item.task == "B" else "item"
    blind = need != "adjudication" and (
        kind == "scenario_half" or (item.arm == "verbatim" and item.task in "AD" and need == "second_reader")
    )
    return Entry(
        item.item_id, kind, "paraphrase" if kind == "paraphrase" else item.task, stratum(item), need, mine, rows,
        "pending" if state is None else state.status, need != "nothing" and mine is None, blind and mine is None,
    )  # fmt: skip


def _question_entry(question: Question, answers: Sequence[EvidenceAnswerRow], reviewer: str) -> Entry:
    latest = {row.reviewer: row for row in answers if row.text_sha256 == question.text_sha256}
    resolved = resolve(list(latest.values()))
    return Entry(
        question.question_id, "clean_pool", "clean_pool", question.kind, "nothing" if resolved else "reader",
        latest.get(reviewer), tuple(latest.values()), resolved[0] if resolved else "pending", resolved is None, False,
    )  # fmt: skip


def stratum(item: ItemRow) -> str:
    """Where an item belongs within its task: rating, population or archetype."""
    if item.task == "C":
        return item.clean_rating or item.gold_icfr or "none"
    if item.task == "B":
        return next((tag.split(":", 1)[1] for tag in item.strata if tag.startswith("archetype:")), "scenario")
    return item.population


def _skipped(decisions: Sequence[ItemReviewRow], answers: Sequence[EvidenceAnswerRow], reviewer: str) -> set[str]:
    """What the reviewer put off: it comes after what he has not seen."""
    keys = {row.item_id for row in standing(decisions) if row.decision == "skip" and row.reviewer == reviewer}
    return keys | {r.evidence_id for r in standing_rows(answers) if r.resolution == "skip" and r.reviewer == reviewer}


def _mixed(key: str, reviewer: str) -> str:
    # Each reviewer has an order of his own, so that tiredness does not fall on the same items.
    return hashlib.sha256(f"{reviewer}\x1f{key}".encode()).hexdigest()


def _second_halves(items: Sequence[ItemRow], reviewer: str) -> set[str]:
    pairs: dict[str, list[str]] = {}
    for item in items:
        if item.pair_id is not None and item.arm == "verbatim":
            pairs.setdefault(item.pair_id, []).append(item.item_id)
    return {max(halves, key=lambda key: _mixed(key, reviewer)) for halves in pairs.values() if len(halves) == 2}
