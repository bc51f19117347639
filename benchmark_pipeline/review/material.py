"""What a reviewer reads: the passage as the model gets it, its place in the filing, and what the label rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from benchmark_pipeline.edgar.text import normalise
from benchmark_pipeline.errors import BenchError, CorruptFileError
from benchmark_pipeline.icfr.questions import Question, answered_questions, open_questions
from benchmark_pipeline.items.labeled import twin_item
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore, Lake
from benchmark_pipeline.tables.base import Span
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow
from benchmark_pipeline.tables.disclosures import IcfrAssertionRow
from benchmark_pipeline.tables.items import ItemRow, ParaphraseRow

from .marks import Segment, highlight

BEFORE, AFTER = 700, 500
"""Characters of the filing shown around a passage."""


@dataclass(frozen=True)
class Excerpt:
    """A stretch of a document around a span."""

    title: str
    segments: list[Segment]


@dataclass(frozen=True)
class Material:
    """Everything that can be reviewed, loaded once."""

    items: list[ItemRow]
    """Accepted candidates and usable twins, with the gold as drafted."""
    questions: list[Question]
    """Questions on evidence on whose answer a label hangs, and those that people have answered."""
    companies: dict[str, str] = field(default_factory=dict)
    """Company name by accession."""
    twins: dict[str, ParaphraseRow] = field(default_factory=dict)

    @property
    def by_id(self) -> dict[str, ItemRow]:
        """Items by id."""
        return {item.item_id: item for item in self.items}


def load_material(lake: Lake) -> Material:
    """Reads the lake.

    Raises:
        BenchError: no items have been built yet.
    """
    candidates = [item for item in lake.read(ItemRow, "candidate_items") if item.reject_reason is None]
    if not candidates:
        raise BenchError(
            "there is nothing to review: no items in the lake", remedy="run `icfr-bench demo`, or `icfr-bench run`"
        )
    by_id = {item.item_id: item for item in candidates}
    twins = [row for row in lake.read(ParaphraseRow, "paraphrased_subset") if row.status == "usable"]
    kept = [(row, by_id[row.twin_of]) for row in twins if row.twin_of is not None and row.twin_of in by_id]
    evidence, pool = (
        lake.read(ContradictingEvidenceRow, "contradicting_evidence"),
        lake.read(CleanPoolRow, "clean_pool"),
    )
    names = {row.accession: row.company_name or "" for row in lake.read(IcfrAssertionRow, "icfr_assertions")}
    return Material(
        [*candidates, *(twin_item(verbatim, row) for row, verbatim in kept)],
        [*open_questions(evidence, pool), *answered_questions(evidence, pool)],
        names,
        {row.item_id: row for row, _ in kept},
    )


class Reader:
    """Texts of stored documents, normalised once."""

    def __init__(self, settings: Settings) -> None:
        self._documents = DocumentStore(settings.storage_root)
        self._text = lru_cache(maxsize=64)(self._read)

    def _read(self, sha256: str) -> str | None:
        try:
            return normalise(self._documents.get(sha256)).text
        except CorruptFileError:
            return None

    def passage(self, item: ItemRow, *, blind: bool) -> list[Segment]:
        """The text that the model reads, with the sentences that carry the label."""
        ranges = []
        for span in [] if blind else item.gold_evidence:
            if span.document_sha256 == item.text_sha256:
                ranges.append((span.start, span.end))
            elif (position := item.text.find(span.quote)) >= 0 and span.quote:
                ranges.append((position, position + len(span.quote)))
        return highlight(item.text, ranges)

    def surroundings(self, item: ItemRow, *, blind: bool) -> list[Excerpt]:
        """The passage in its filing, and evidence that stands elsewhere in it."""
        if item.source_span is None:
            return []
        found = [span for span in ([] if blind else item.gold_evidence) if span.document_sha256 != item.text_sha256]
        around = self._around("In the filing", item.source_span, found or [item.source_span])
        elsewhere = [
            excerpt
            for span in found
            if not _inside(span, item.source_span)
            for excerpt in [self._around("Elsewhere: the label also rests on this", span, [span], 400, 400)]
        ]
        return [excerpt for excerpt in [around, *elsewhere] if excerpt is not None]

    def evidence(self, question: Question) -> Excerpt | None:
        """The sentence of a later document, where one was read."""
        if question.locator is None:
            return None
        title = f"{question.evidence_form} filed {question.evidence_filed_date}"
        return self._around(title, question.locator, [question.locator])

    def _around(
        self, title: str, span: Span, evidence: Sequence[Span], before: int = BEFORE, after: int = AFTER
    ) -> Excerpt | None:
        text = self._text(span.document_sha256)
        if text is None:
            return Excerpt(f"{title} (the document is not in the store)", [Segment(span.quote, "evidence")])
        low, high = max(0, span.start - before), min(len(text), span.end + after)
        low = max(low, text.find("\n", low, span.start) + 1)  # from a whole line on, where there is one
        marked = [(s.start - low, s.end - low) for s in evidence if s.document_sha256 == span.document_sha256]
        segments = highlight(text[low:high], [r for r in marked if r[1] > 0 and r[0] < high - low])
        ends = [Segment("… ")] if low else [], [Segment(" …")] if high < len(text) else []
        return Excerpt(title, [*ends[0], *segments, *ends[1]])


def _inside(span: Span, outer: Span) -> bool:
    return span.document_sha256 == outer.document_sha256 and outer.start <= span.start and span.end <= outer.end
