"""Paraphrases by a model: which sections are asked for, and what its answers are worth as drafts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from benchmark_pipeline.evaluation.outcomes import read_answer
from benchmark_pipeline.items.masking import Names, mask_names
from benchmark_pipeline.items.selection import rank
from benchmark_pipeline.paraphrase.drafts import Draft
from benchmark_pipeline.tables.items import ItemRow, ParaphraseRow

from .log import DraftRecord
from .planning import Passage


def sections_to_paraphrase(
    items: Iterable[ItemRow],
    twins: Iterable[ParaphraseRow],
    names: Mapping[tuple[str, str], Names],
    model_id: str,
    limit: int | None = None,
) -> list[Passage]:
    """Accepted sections of Task C, names masked, in a seeded order.

    A section that has a usable twin by another hand is left out. The choice does not depend on what this model has
    drafted before, so that the same command asks for the same sections and a second run finds them all answered.

    Args:
        items: candidates.
        twins: twins as they stand.
        names: names to mask, by (accession, cik).
        model_id: the drafting model.
        limit: sections at most.
    """
    done = {twin.twin_of for twin in twins if twin.status == "usable" and twin.paraphrased_by != model_id}
    open_items = [
        item
        for item in items
        if item.task == "C" and item.arm == "verbatim" and item.reject_reason is None and item.item_id not in done
    ]
    open_items.sort(key=lambda item: rank("paraphrase", item.source_ref))
    return [
        Passage(item, {"text": mask_names(item.text, names.get((item.accession or "", item.cik or ""), Names(None)))})
        for item in open_items[:limit]
    ]


def paraphrase_drafts(records: Sequence[DraftRecord]) -> list[Draft]:
    """Every record as a draft; one whose answer could not be read carries what it holds, and why it cannot be used."""
    return [_draft(record) for record in records]


def _draft(record: DraftRecord) -> Draft:
    accession, cik = record.source_ref.split()[:2]
    text, problem = record.content or "", record.why_unusable
    if problem is None:
        verdict = read_answer("paraphrase", text)
        if verdict.answer is not None:
            text = verdict.answer.paraphrase.strip()  # type: ignore[attr-defined]  # the answer of this question
        else:
            problem = f"{verdict.outcome} ({verdict.detail})"
    return Draft.model_construct(
        accession=accession,
        cik=cik,
        text=text,
        paraphrased_by=record.drafted_by,
        drafting_prompt_sha256=record.drafting_prompt_sha256,
        problem=problem,
    )
