"""From what a reviewer sent to a decision. What he read is checked by its hash: a page left open over a rebuild decides nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, get_args

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.icfr.questions import Question, answer, new_answer_id
from benchmark_pipeline.items.registry import is_registered
from benchmark_pipeline.tables.clean_pool import EvidenceAnswerRow
from benchmark_pipeline.tables.items import COMPONENTS, GapType, ItemReviewRow, ItemRow, Severity

from .queue import Entry
from .store import new_id

REJECT_REASONS = (
    "text cut off or unreadable",
    "label does not follow from the text",
    "needs facts that the text does not state",
    "two answers are equally right",
    "meaning differs from the original",
    "the text prints its own label",
)
"""Offered to the reviewer; another may be typed."""


def decide(entry: Entry, item: ItemRow, form: Mapping[str, str], reviewer: str, now: datetime) -> ItemReviewRow:
    """The decision on an item.

    Args:
        entry: the item's place in the reviewer's queue.
        item: the item with the gold as drafted.
        form: `action` (or a blind reader's `answer`), `text_sha256`, `seconds`, and what the action needs.
        reviewer: a person.
        now: time of the decision.

    Raises:
        BenchError: the text has changed since it was read, or the form is incomplete.
    """
    if form.get("text_sha256") != item.text_sha256:
        raise BenchError("the text has changed since this page was opened", remedy="read the item again and decide")
    action = form.get("action") or ("answer" if "answer" in form else "")
    reason = form.get("reason", "").strip() or None
    changes: dict[str, Any] = {}
    if action == "answer":
        if not entry.blind:
            raise BenchError("this item is not read blind", remedy="accept, change or reject it")
        action, reason, changes = blind_decision(item, form.get("answer", ""))
    elif entry.blind and action in ("accept", "change"):
        raise BenchError("this item is read blind", remedy="give your own answer first")
    elif action == "change":
        changes = _changes(item, form)
    if action not in ("accept", "change", "reject", "skip"):
        raise BenchError(f"unknown action {action!r}", remedy="one of: accept, change, reject, skip")
    if action in ("change", "reject") and not reason:
        raise BenchError(f"to {action} needs a reason", remedy="say in a few words why")
    adjudicates = entry.need == "adjudication" and entry.mine is None and action != "skip"
    return ItemReviewRow(
        decision_id=new_id(), item_id=item.item_id, kind="paraphrase" if entry.kind == "paraphrase" else "item",
        text_sha256=item.text_sha256, reviewer=reviewer, decision=action, reason=reason,
        changes=json.dumps(changes, sort_keys=True) if changes else None, seconds=_seconds(form.get("seconds")),
        decided_at=now, role="adjudicator" if adjudicates else "reader",
    )  # fmt: skip


def decide_question(question: Question, form: Mapping[str, str], reviewer: str, now: datetime) -> EvidenceAnswerRow:
    """The answer to a question on evidence, or its putting off.

    Raises:
        BenchError: the evidence has changed since it was read, or the form is incomplete.
    """
    if form.get("text_sha256") != question.text_sha256:
        raise BenchError("the evidence has changed since this page was opened", remedy="read it again and decide")
    seconds = _seconds(form.get("seconds"))
    if form.get("action") == "skip":
        return EvidenceAnswerRow(
            answer_id=new_answer_id(), evidence_id=question.question_id, text_sha256=question.text_sha256,
            resolution="skip", reviewer=reviewer, reason="", seconds=seconds, decided_at=now,
        )  # fmt: skip
    resolution = _one_of(form.get("answer"), ("upholds", "dismissed"))
    return answer(
        question, "upholds" if resolution == "upholds" else "dismissed", reviewer=reviewer,
        reason=form.get("reason", ""), decided_at=now, seconds=seconds,
    )  # fmt: skip


def blind_decision(item: ItemRow, answer: str) -> tuple[str, str, dict[str, Any]]:
    """What a reader's own answer, given without having seen the draft, decides: action, reason and changes.

    Raises:
        BenchError: it is no answer to this item.
    """
    if item.task == "B":
        if answer not in ("effective", "not_effective"):
            raise BenchError("no answer was chosen", remedy="choose effective or not effective")
        if (answer == "effective") == item.gold_effective:
            return "accept", f"blind reading: {answer}", {}
        return "reject", f"blind reading reached another verdict: {answer}", {}
    if answer not in COMPONENTS:
        raise BenchError("no component was chosen", remedy="choose one of the five components")
    if answer == item.gold_component:
        return "accept", f"blind reading: {answer}", {}
    return "change", f"blind reading: {answer}", {"gold_component": answer, "gold_components_accepted": [answer]}


def _changes(item: ItemRow, form: Mapping[str, str]) -> dict[str, Any]:
    """Columns whose value the form changes."""
    wanted: dict[str, Any] = {}
    if item.task in "AD":
        component = _one_of(form.get("gold_component"), COMPONENTS)
        others = [name for name in COMPONENTS if form.get(f"accepted_{name}") and name != component]
        wanted |= {"gold_component": component, "gold_components_accepted": [component, *others]}
        wanted |= {"root_cause_stated": bool(form.get("root_cause_stated")), "touches_itgc": bool(form.get("touches_itgc"))}  # fmt: skip
    if item.task == "D":
        citation = form.get("gold_citation", "").strip()
        if not is_registered(citation):
            raise BenchError(f"{citation!r} is no reference of the registry", remedy="COSO-1 to COSO-17, or AS2201.<paragraph>")  # fmt: skip
        if citation != item.gold_citation:
            wanted |= {"gold_citation": citation, "gold_citations_accepted": [citation]}
    if item.task == "C":
        answer = _one_of(form.get("gold_icfr"), ("attested", "management_only", "deficient"))
        clean = answer != "deficient"
        wanted |= {"gold_icfr": "clean" if clean else "deficient", "clean_rating": answer if clean else None}
    if item.task == "B":
        effective = _one_of(form.get("gold_effective"), ("yes", "no")) == "yes"
        gap = None if effective else _one_of(form.get("gold_gap_type"), get_args(GapType))
        severity = None if effective else _one_of(form.get("gold_severity"), get_args(Severity))
        wanted |= {"gold_effective": effective, "gold_gap_type": gap, "gold_severity": severity}
    changes = {name: value for name, value in wanted.items() if getattr(item, name) != value}
    if not changes:
        raise BenchError("nothing differs from the drafted answer", remedy="accept it, or change a field")
    return changes


def _one_of(value: str | None, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise BenchError(f"{value!r} is not an answer here", remedy=f"one of: {', '.join(allowed)}")
    return value


def _seconds(value: str | None) -> float | None:
    try:
        seconds = float(value or "")
    except ValueError:
        return None
    return round(seconds, 1) if 0 <= seconds < 86_400 else None
