"""Texts for evidence: documents of a filing from the document store, controls sections from the lake."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from benchmark_pipeline.edgar.text import normalise
from benchmark_pipeline.icfr.evidence_sentences import DocumentText
from benchmark_pipeline.storage import DocumentStore
from benchmark_pipeline.tables.disclosures import IcfrSectionRow
from benchmark_pipeline.tables.sources import RawFilingRow

NOT_READ = ("HEADER", "GRAPHIC", "XML", "ZIP", "JSON", "EXCEL")
"""Document types without running text."""


class StoredTexts:
    """Normalised texts, read when asked for; the last few documents are kept."""

    def __init__(
        self, raw: Iterable[RawFilingRow], sections: Iterable[IcfrSectionRow], documents: DocumentStore
    ) -> None:
        stored: dict[str, dict[str, RawFilingRow]] = defaultdict(dict)
        for row in raw:
            if row.sha256 and row.document_type not in NOT_READ and not row.document_type.startswith("EX-101"):
                stored[row.accession][row.document_name] = row
        self._stored: Mapping[str, dict[str, RawFilingRow]] = stored
        self._sections = {(row.accession, row.cik): row for row in sections if row.document_sha256 and row.text}
        self._text = lru_cache(maxsize=64)(lambda sha256: normalise(documents.get(sha256)).text)

    def documents(self, accession: str) -> Sequence[DocumentText]:
        """The documents of a filing, the primary one first."""
        rows = sorted(
            self._stored.get(accession, {}).values(),
            key=lambda row: (row.sequence is None, row.sequence or 0, row.document_name),
        )
        return [DocumentText(row.sha256, self._text(row.sha256)) for row in rows if row.sha256]

    def section(self, accession: str, cik: str) -> DocumentText | None:
        """The controls section, cut from the document so that offsets hold even where the stored text drops page marks."""
        row = self._sections.get((accession, cik))
        if row is None or row.document_sha256 is None or row.text is None or row.start is None or row.end is None:
            return None
        if row.end - row.start == len(row.text):
            return DocumentText(row.document_sha256, row.text, row.start)
        return DocumentText(row.document_sha256, self._text(row.document_sha256)[row.start : row.end], row.start)
