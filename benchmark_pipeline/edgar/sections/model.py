"""What section extraction takes and gives."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from heapq import merge
from typing import Literal

from benchmark_pipeline.edgar.text import NormalisedText, normalise
from benchmark_pipeline.tables.base import Span
from benchmark_pipeline.tables.disclosures import SectionReject

Item = Literal["9A", "9A(T)", "14", "15", "40-F"]


@dataclass(frozen=True)
class FilingDocument:
    """One document of a filing, as stored."""

    name: str
    type: str
    """EDGAR document type: `10-K`, `EX-13`, `EX-99.3`."""
    body: bytes = field(repr=False)

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the body."""
        return hashlib.sha256(self.body).hexdigest()

    @cached_property
    def normalised(self) -> NormalisedText:
        """The document's reading text, made once."""
        return normalise(self.body)

    @property
    def text(self) -> str:
        """The reading text."""
        return self.normalised.text

    @cached_property
    def lowered(self) -> str:
        """The reading text in lower case, character for character; as it is where that is not possible."""
        # The one letter whose lower case is longer than itself.
        lowered = self.text.replace("\u0130", "i").lower()
        return lowered if len(lowered) == len(self.text) else self.text

    def lines_with(self, *words: str) -> Iterator[int]:
        """Starts of the lines that hold one of some words (lower case), and of the line before each; ascending."""
        last = -1
        for start in merge(*(self._lines_with(word) for word in words)):
            if start != last:
                yield start
                last = start

    def _lines_with(self, word: str) -> Iterator[int]:
        text, lowered = self.text, self.lowered
        last = -1
        position = lowered.find(word)
        while position >= 0:
            start = text.rfind("\n", 0, position) + 1
            if start and (before := text.rfind("\n", 0, start - 1) + 1) != last:
                yield before
            yield start
            last = start
            # The rest of the line cannot add to it.
            after = text.find("\n", position)
            position = lowered.find(word, after) if after >= 0 else -1


@dataclass(frozen=True)
class Stretch:
    """Characters [start, end) of a document's normalised text."""

    document: FilingDocument
    start: int
    end: int

    @property
    def text(self) -> str:
        """The characters."""
        return self.document.text[self.start : self.end]

    def span(self, start: int, end: int) -> Span:
        """A span of the table's kind for [start, end) of this stretch."""
        first, last = self.start + start, self.start + end
        return Span(document_sha256=self.document.sha256, start=first, end=last, quote=self.document.text[first:last])


@dataclass(frozen=True)
class Section:
    """The controls section of an annual report."""

    stretch: Stretch
    """Where the text about ICFR stands."""
    item: Item
    method: Literal["heading", "number_heading", "index", "pointer", "exhibit"]
    heading: str
    candidates: int
    item_stretch: Stretch | None = None
    """The item itself, where it only points to `stretch`."""

    @property
    def followed_pointer(self) -> bool:
        """Whether the item points elsewhere and the text was taken from there."""
        return self.item_stretch is not None

    @property
    def stretches(self) -> list[Stretch]:
        """The section's text, and the pointing item's where there is one."""
        return [self.stretch] if self.item_stretch is None else [self.stretch, self.item_stretch]


@dataclass(frozen=True)
class Rejection:
    """Why no section was cut."""

    reason: SectionReject
    detail: str
    candidates: int = 0
