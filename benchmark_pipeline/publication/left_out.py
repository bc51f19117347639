"""Why items are not in the dataset: contradicted by a later document, rejected by readers, replaced, not chosen, private."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmark_pipeline.items.labeled import build_labeled
from benchmark_pipeline.items.reviews import standing
from benchmark_pipeline.tables.clean_pool import WithdrawnItemRow
from benchmark_pipeline.tables.items import ItemReviewRow, ItemRow, ParaphraseRow

from .changes import Withdrawn


def left_out(
    candidates: Sequence[ItemRow],
    twins: Sequence[ParaphraseRow],
    decisions: Sequence[ItemReviewRow],
    contradicted: Iterable[WithdrawnItemRow],
    private: Iterable[ItemRow],
) -> list[Withdrawn]:
    """What the build knows of items that it does not publish; of several reasons the one that says most.

    Args:
        candidates: every candidate, those left out included.
        twins: paraphrase twins.
        decisions: human decisions.
        contradicted: items of earlier releases whose label no longer stands.
        private: items of the hold-out.
    """
    found = {
        item.item_id: Withdrawn(item.item_id, f"no longer chosen: {_words(item.reject_reason)}")
        for item in candidates
        if item.reject_reason
    }
    found |= {twin.item_id: Withdrawn(twin.item_id, f"the twin broke {', '.join(twin.reject_reasons)}")
              for twin in twins if twin.status != "usable"}  # fmt: skip
    found |= {item.item_id: Withdrawn(item.item_id, "moved to the private hold-out") for item in private}
    found |= {
        item.replaces: Withdrawn(item.replaces, "its text changed", replaced_by=item.item_id)
        for item in candidates
        if item.replaces and item.reject_reason is None
    }
    rejected = build_labeled(candidates, twins, decisions).rejected_by_reviewers
    said = {row.item_id: row.reason for row in standing(decisions) if row.decision == "reject"}
    hidden = {item.item_id for item in private}
    for item_id in set(rejected) - hidden:
        why = f": {said[item_id]}" if item_id in said else ", with the item that it belongs to"
        found[item_id] = Withdrawn(item_id, f"rejected in human review{why}", by_readers=True)
    for row in contradicted:
        why = f"{_words(row.cause)}: {_words(row.reason or row.decision or 'the filing is not judged')}"
        found[row.item_id] = Withdrawn(row.item_id, why, tuple(row.evidence_accessions))
    return [found[item_id] for item_id in sorted(found)]


def _words(name: object) -> str:
    return str(name).replace("_", " ")
