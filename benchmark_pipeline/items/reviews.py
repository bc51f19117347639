"""Human decisions: read from the append-only review log, judged, and applied. Nothing else sets a review status.

A record that cannot be a person's decision (a model's id as reviewer, a time in the future, a missing reason) is
refused and counted. A decision on a text that has changed since stays in the table as history and has no effect.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from pydantic import ValidationError

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.tables.items import ItemReviewRow, ItemRow, ReviewStatus, Task

from .identity import pair_text_sha256

CLOCK_SKEW = timedelta(minutes=5)
"""Clocks of two machines may differ by as much; beyond it a time lies in the future."""
_FAMILY = (
    r"(?:gpt|chatgpt|claude|gemini|gemma|llama|mistral|mixtral|qwen|deepseek|phi|grok|smollm\d*|command-r|copilot|o[1345]|"
    r"davinci|palm|titan|nova|kimi|glm|yi)"
)
_MODEL_NAME = re.compile(
    # `vendor/model`, a family with a version, or a bare family or role: "Claude Martin" and "Yi Chen" are people.
    rf"/|\b{_FAMILY}(?:[-_.:]\w|\s?\d)|^{_FAMILY}$|^(?:openai|anthropic|llm|bot|agent|model|assistant|auto(?:mat\w+)?)$",
    re.IGNORECASE,
)
CHANGEABLE = frozenset(
    {
        "gold_icfr", "clean_rating", "gold_effective", "gold_gap_type", "gold_severity", "gold_component",
        "gold_components_accepted", "gold_citation", "gold_citations_accepted", "root_cause_stated", "touches_itgc",
    }
)  # fmt: skip
"""Columns that a reviewer may change: gold and tags, never text, source or identity."""


@dataclass(frozen=True)
class RefusedDecision:
    """A record of the log that is not a decision."""

    decision_id: str
    why: str


@dataclass(frozen=True)
class ReviewLog:
    """What the log holds."""

    decisions: list[ItemReviewRow] = field(default_factory=list)
    refused: list[RefusedDecision] = field(default_factory=list)
    records: int = 0
    """Records read: decisions, refused and exact repeats."""
    repeats: int = 0
    """Records with a decision id that was read before."""


READERS: Mapping[Task, int] = {"A": 2, "B": 2, "C": 1, "D": 2}
"""Readers that an item as filed needs. The label of Task C follows from what was filed, so one person confirms it; the
others are judgements. A twin takes its gold from its original and needs one reader for its text."""


@dataclass(frozen=True)
class ReviewState:
    """State of one item after all decisions that hold."""

    status: ReviewStatus = "pending"
    reviewers: tuple[str, ...] = ()
    changes: Mapping[str, Any] = field(default_factory=dict)
    needs: Literal["second_reader", "adjudication"] | None = None
    """What keeps a pending item pending; with a rejection that another reader does not share, what may bring it back."""


def is_model_id(reviewer: str, known_models: Collection[str] = ()) -> bool:
    """Whether a reviewer's name is a model's: one of the known ids, or in the form of one."""
    name = reviewer.strip().lower()
    return name in {model.lower() for model in known_models} or _MODEL_NAME.search(name) is not None


def read_reviews(records: Iterable[Mapping[str, Any]], now: datetime, known_models: Collection[str] = ()) -> ReviewLog:
    """Decisions of the log, each judged by itself.

    Args:
        records: records as stored, oldest first.
        now: time of reading; later decisions are refused.
        known_models: ids of evaluated and drafting models.
    """
    decisions: dict[str, ItemReviewRow] = {}
    refused: list[RefusedDecision] = []
    total = repeats = 0
    for record in records:
        total += 1
        decision_id = str(record.get("decision_id") or f"record {total}")
        try:
            row = ItemReviewRow.model_validate(record)
        except ValidationError as error:
            problems = "; ".join(f"{p['loc'][0] if p['loc'] else 'record'}: {p['msg']}" for p in error.errors())
            refused.append(RefusedDecision(decision_id, problems))
            continue
        if why := _why_refused(row, now, known_models):
            refused.append(RefusedDecision(decision_id, why))
        elif row.decision_id in decisions:
            if decisions[row.decision_id] == row:
                repeats += 1
            else:
                refused.append(RefusedDecision(decision_id, "decision id was used for another decision"))
        else:
            decisions[row.decision_id] = row
    ordered = sorted(decisions.values(), key=lambda row: (row.decided_at, row.decision_id))
    return ReviewLog(ordered, refused, total, repeats)


def require_valid(row: ItemReviewRow, now: datetime, known_models: Collection[str] = ()) -> None:
    """Refuses a decision before it is written to the log.

    Raises:
        BenchError: the reviewer is a model, the time lies in the future, or the reason or the changes are missing.
    """
    if why := _why_refused(row, now, known_models):
        raise BenchError(f"decision {row.decision_id} on {row.item_id} is refused: {why}", remedy="correct and resend")


def _why_refused(row: ItemReviewRow, now: datetime, known_models: Collection[str]) -> str | None:
    if not row.reviewer.strip():
        return "no reviewer"
    if is_model_id(row.reviewer, known_models):
        return f"reviewer {row.reviewer!r} is the id of a model; a person decides"
    if row.decided_at > now + CLOCK_SKEW:
        return f"decided at {row.decided_at.isoformat()}, in the future"
    if (row.decision == "undo") != (row.voids is not None):
        return "undo names the decision it takes back, and nothing else does"
    if row.decision in ("change", "reject") and not (row.reason or "").strip():
        return f"{row.decision} needs a reason"
    if row.decision == "change" and row.kind in ("item", "paraphrase"):
        try:
            changes = json.loads(row.changes or "null")
        except ValueError:
            return "changes are not JSON"
        if not isinstance(changes, dict) or not changes:
            return "change names no changed column"
        if unknown := sorted(set(changes) - CHANGEABLE):
            return f"changes columns that a review may not: {', '.join(unknown)}"
    return None


def standing(decisions: Sequence[ItemReviewRow]) -> list[ItemReviewRow]:
    """Decisions that were not taken back, without the records that take back. One undoes only one's own decision."""
    undone = {(row.voids, row.reviewer.strip()) for row in decisions if row.decision == "undo"}
    return [
        row for row in decisions if row.decision != "undo" and (row.decision_id, row.reviewer.strip()) not in undone
    ]


def readers_needed(item: ItemRow) -> int:
    """Readers whose decision an item needs before it can be accepted."""
    return READERS[item.task] if item.arm == "verbatim" else 1


def decisions_by_item(
    decisions: Sequence[ItemReviewRow], items: Sequence[ItemRow]
) -> tuple[dict[str, dict[str, ItemReviewRow]], list[ItemReviewRow]]:
    """The latest standing decision of each reviewer on each item, and the decisions on other texts, which are void.

    A decision on a scenario pair counts for both halves. `skip` decides nothing.
    """
    texts = {item.item_id: item.text_sha256 for item in items}
    pairs: dict[str, list[ItemRow]] = defaultdict(list)
    for item in items:
        if item.pair_id is not None and item.arm == "verbatim":
            pairs[item.pair_id].append(item)
    latest: dict[str, dict[str, ItemReviewRow]] = defaultdict(dict)
    void: list[ItemReviewRow] = []
    for row in standing(decisions):
        if row.kind == "scenario_pair":
            halves = pairs.get(row.item_id, [])
            targets = [half.item_id for half in halves] if row.text_sha256 == pair_text_sha256(halves) else []
        else:
            targets = [row.item_id] if texts.get(row.item_id) == row.text_sha256 else []
        if not targets:
            void.append(row)
        elif row.decision != "skip":
            for target in targets:
                before = latest[target].get(row.reviewer.strip())
                if before is not None and before.role == "reader" and row.role == "adjudicator":
                    void.append(row)  # a reader does not judge between himself and another
                else:
                    latest[target][row.reviewer.strip()] = row
    return dict(latest), void


def review_states(
    decisions: Sequence[ItemReviewRow], items: Sequence[ItemRow]
) -> tuple[dict[str, ReviewState], list[ItemReviewRow]]:
    """State of every item that has a decision which holds, and the decisions that are void.

    A decision holds for the text that the reviewer saw, and of one reviewer the latest counts. An item is accepted or
    changed once enough readers gave the same answer, or, where their answers differ, an adjudicator gave one. Any rejection
    keeps it out until an adjudicator overrules it. Without a difference an adjudicator is one more reader, so that nobody
    can stand for two.

    Args:
        decisions: decisions in order of time.
        items: items and paraphrase twins of this build.
    """
    by_id = {item.item_id: item for item in items}
    latest, void = decisions_by_item(decisions, items)
    return {item_id: _combine(rows, readers_needed(by_id[item_id])) for item_id, rows in latest.items()}, void


def _combine(by_reviewer: Mapping[str, ItemReviewRow], needed: int) -> ReviewState:
    rows = sorted(by_reviewer.values(), key=lambda row: row.decided_at)
    reviewers = tuple(sorted(by_reviewer))
    readers = [row for row in rows if row.role == "reader"]
    answers = {_answer(row) for row in readers}
    adjudicated = [row for row in rows if row.role == "adjudicator"]
    if adjudicated and len(answers) > 1:
        return _state(adjudicated[-1], reviewers)
    if adjudicated:  # there is nothing to judge between: he has read the item like any other reader
        readers = rows
        answers = {_answer(row) for row in readers}
    if any(row.decision == "reject" for row in readers):
        return ReviewState("rejected", reviewers, needs="adjudication" if len(answers) > 1 else None)
    if len(answers) > 1:
        return ReviewState("pending", reviewers, needs="adjudication")
    if len(readers) < needed:
        return ReviewState("pending", reviewers, needs="second_reader")
    return _state(readers[-1], reviewers)


def _answer(row: ItemReviewRow) -> str:
    """What two readers must have in common to agree."""
    return f"{row.decision} {json.dumps(_changes(row), sort_keys=True)}"


def _changes(row: ItemReviewRow) -> dict[str, Any]:
    return dict(json.loads(row.changes)) if row.decision == "change" and row.changes else {}


def _state(row: ItemReviewRow, reviewers: tuple[str, ...]) -> ReviewState:
    if row.decision == "reject":
        return ReviewState("rejected", reviewers)
    if row.decision == "change":
        return ReviewState("changed", reviewers, _changes(row))
    return ReviewState("accepted", reviewers)


def apply_state(item: ItemRow, state: ReviewState | None) -> ItemRow:
    """The item with its review status, and with the changed gold where a reviewer changed it (`label_source: human`).

    Raises:
        BenchError: a change is not a value of the column.
    """
    if state is None:
        return item.model_copy(update={"review_status": "pending", "reviewed_by": []})
    update: dict[str, Any] = {"review_status": state.status, "reviewed_by": list(state.reviewers)}
    if state.changes:
        update |= {**state.changes, "label_source": "human"}
    try:
        return ItemRow.model_validate({**item.model_dump(), **update})
    except ValidationError as error:
        raise BenchError(
            f"the review of {item.item_id} changes its gold to what the column cannot hold: {error}",
            remedy="record a corrected decision of the same reviewer: the latest counts",
        ) from error
