"""The item set that every model answers: accepted candidates and usable paraphrase twins, with their review state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from benchmark_pipeline.tables.items import ItemReviewRow, ItemRow, ParaphraseRow

from .candidates import accepted
from .reviews import apply_state, review_states


@dataclass(frozen=True)
class LabeledItems:
    """The set, and where its parts come from; `candidates + twins = items + rejected_by_reviewers`."""

    items: list[ItemRow]
    candidates: int
    """Candidates without a reject reason."""
    twins: int
    """Usable paraphrase twins."""
    rejected_by_reviewers: list[str]
    """Ids of items that a reviewer rejected, with the other half of a rejected scenario and twins of rejected items."""
    void_decisions: int
    """Decisions on texts that are not in this build."""

    @property
    def status(self) -> Literal["preview", "release"]:
        """`preview` while any item waits for a person."""
        return "preview" if any(item.review_status == "pending" for item in self.items) else "release"


def build_labeled(
    candidates: Sequence[ItemRow], twins: Iterable[ParaphraseRow], decisions: Sequence[ItemReviewRow]
) -> LabeledItems:
    """Puts the item set together.

    A half without its other half cannot be scored as a pair, and a twin without its verbatim item cannot be compared:
    both leave with what they belong to.
    """
    kept = accepted(candidates)
    by_id = {item.item_id: item for item in kept}
    usable = [
        twin_item(by_id[twin.twin_of], twin) for twin in twins if twin.status == "usable" and twin.twin_of in by_id
    ]
    states, void = review_states(decisions, [*kept, *usable])
    stated = [apply_state(item, states.get(item.item_id)) for item in (*kept, *usable)]
    gone = {item.item_id for item in stated if item.review_status == "rejected"}
    gone_pairs = {item.pair_id for item in stated if item.item_id in gone and item.pair_id is not None}
    gone |= {item.item_id for item in stated if item.pair_id in gone_pairs}
    gone |= {item.item_id for item in stated if item.twin_of in gone}
    items = [item for item in stated if item.item_id not in gone]
    return LabeledItems(items, len(kept), len(usable), sorted(gone), len(void))


def twin_item(original: ItemRow, twin: ParaphraseRow) -> ItemRow:
    """A paraphrase as an item: gold and source of its verbatim item, text and drafter of its own.

    Evidence offsets point into the verbatim document and not into the rewritten text, so they are left out.
    """
    return original.model_copy(
        update={
            "item_id": twin.item_id,
            "arm": twin.arm,
            "text": twin.text,
            "text_sha256": twin.text_sha256,
            "twin_of": original.item_id,
            "drafted_by": None if twin.paraphrased_by == "rule" else twin.paraphrased_by,
            "gold_evidence": [],
            "replaces": None,
            "inclusion_probability": None,
        }
    )
