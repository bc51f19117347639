"""The fixture corpus with every item read by test readers, as a gate wants it."""

from __future__ import annotations

from datetime import UTC, datetime

from published_corpus import Corpus, full_corpus, sha

from benchmark_pipeline.evaluation.scoring import score_answer
from benchmark_pipeline.items.reviews import readers_needed
from benchmark_pipeline.publication.release import ReleaseContents
from benchmark_pipeline.tables.evaluation import ParsedAnswerRow, PromptTemplateRow
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


PROMPT = PromptTemplateRow(task="C", prompt_version="pv1", template="Read: {{ text }}", json_schema='{"type":"object"}',
                           notes="", sha256="0" * 64)  # fmt: skip


def contents(corpus: Corpus, **changes: object) -> ReleaseContents:
    """What a release of the corpus is cut from."""
    values = {"dataset_version": "0.1.0", "items": corpus.items, "clean_pool": corpus.pool, "prompts": [PROMPT],
              "licence_code": "MIT", "licence_data": "CC-BY-4.0", "decisions": decisions(corpus)}  # fmt: skip
    return ReleaseContents(**{**values, **changes})  # type: ignore[arg-type]


def answers(corpus: Corpus, model: str, flags: set[str]) -> list[ParsedAnswerRow]:
    """A model that knows the gold and yet flags these clean items."""
    rows = []
    for item in corpus.items:
        deficient = item.gold_icfr == "deficient" or item.item_id in flags
        values: dict[str, object] = dict.fromkeys(ParsedAnswerRow.model_fields)
        values |= {
            "request_key": sha(f"{model}{item.item_id}"), "dataset_version": "0.1.0", "prompt_version": "pv1",
            "model_id": model, "run_id": "r1", "task": item.task, "item_id": item.item_id, "arm": item.arm,
            "outcome": "answered", "answer_icfr": ("deficient" if deficient else "clean") if item.task == "C" else None,
            "answer_effective": item.gold_effective, "answer_gap_type": item.gold_gap_type,
            "answer_severity": item.gold_severity, "answer_component": item.gold_component,
            "answer_citation": item.gold_citation, "answer_evidence": item.text[:15] if item.task == "D" else None,
        }  # fmt: skip
        rows.append(ParsedAnswerRow.model_validate(values))
    return rows


def scored(corpus: Corpus, rows: list[ParsedAnswerRow]) -> dict[str, object]:
    """The answers with their scores, as a release takes them."""
    by_id = {item.item_id: item for item in corpus.items}
    return {"answers": rows, "scores": [score_answer(row, by_id[row.item_id]) for row in rows]}
