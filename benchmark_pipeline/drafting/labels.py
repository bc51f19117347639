"""Labels by a model: which passages wait for one, and whether an answer keeps the labelling guide."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from pydantic import ValidationError

from benchmark_pipeline.evaluation.outcomes import read_answer
from benchmark_pipeline.items.labels import Label, ProposedLabel, source_key, source_of
from benchmark_pipeline.items.selection import rank
from benchmark_pipeline.tables.items import ItemRow

from .log import DraftRecord
from .planning import Passage


def passages_to_label(items: Iterable[ItemRow], labelled: Collection[str], limit: int | None = None) -> list[Passage]:
    """Weaknesses and findings that have no label, in a seeded order.

    A weakness is shown as Task D shows it, a finding as Task A does: names and leaks masked.

    Args:
        items: candidates.
        labelled: keys of sources that people or other models have labelled.
        limit: passages at most.
    """
    waiting = {
        source_key(item.source_ref): item
        for item in items
        if item.arm == "verbatim"
        and (item.task == "D" or (item.task == "A" and item.population == "single_audit"))
        and (item.reject_reason == "no_label" or item.drafted_by is not None)
    }
    passages = [item for key, item in waiting.items() if key not in labelled]
    passages.sort(key=lambda item: rank("label", item.source_ref))
    return [Passage(item, {"text": item.text}) for item in passages[:limit]]


def proposed_labels(records: Sequence[DraftRecord]) -> list[ProposedLabel]:
    """Every record as a proposal: a label, or the reason why it is none."""
    return [_proposal(record) for record in records]


def _proposal(record: DraftRecord) -> ProposedLabel:
    key = source_key(record.source_ref)
    if record.why_unusable is not None:
        return ProposedLabel(key, record.drafted_by, None, record.why_unusable)
    verdict = read_answer("label", record.content or "")
    if verdict.answer is None:
        return ProposedLabel(key, record.drafted_by, None, f"{verdict.outcome} ({verdict.detail})")
    answer = verdict.answer.model_dump()
    answer["evidence_quote"] = answer.pop("evidence") or None
    try:
        label = Label.model_validate(
            {"source": source_of(record.source_ref), **answer, "drafted_by": record.drafted_by}
        )
    except ValidationError as error:
        problems = "; ".join(problem["msg"].removeprefix("Value error, ") for problem in error.errors())
        return ProposedLabel(key, record.drafted_by, None, problems)
    return ProposedLabel(key, record.drafted_by, label, None)
