"""The fixture corpus with every item read by test readers, as a gate wants it."""

from __future__ import annotations

from datetime import UTC, datetime

from published_corpus import Corpus, full_corpus

from benchmark_pipeline.items.reviews import readers_needed
from benchmark_pipeline.tables.items import ItemReviewRow, ItemRow

READERS = ("R. Quill", "T. Marsh")


def decision(item: ItemRow, reviewer: str, **values: object) -> ItemReviewRow:
    base = {
        "decision_id": f"{item.item_id}:{reviewer}", "item_id": item.item_id,
        "kind": "item" if item.arm == "verbatim" else "paraphrase", "text_sha256": item.text_sha256,
        "reviewer": reviewer, "decision": "accept", "reason": None, "changes": None, "seconds": 31.0,
        "decided_at": datetime(2025, 7, 2, tzinfo=UTC),
    }  # fmt: skip
    return ItemReviewRow.model_validate(base | values)


def decisions(corpus: Corpus) -> list[ItemReviewRow]:
    """What the readers of the items decided, as far as the items say that they were read."""
    return [decision(item, name) for item in corpus.items for name in READERS if name in item.reviewed_by]


def reviewed() -> Corpus:
    """All items accepted by as many people as they need, with Task C balanced."""
    corpus = full_corpus()
    for number in range(70, 95):
        corpus.filing(number, "deficient")
    corpus.items = [
        row.model_copy(update={"review_status": "accepted", "reviewed_by": list(READERS[: readers_needed(row)])})
        for row in corpus.items
    ]
    return corpus
