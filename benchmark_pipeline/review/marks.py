"""Marking text: evidence in a passage, and the words in which two texts differ. Segments are escaped when rendered."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Mark = Literal["", "evidence", "passage", "removed", "added"]


@dataclass(frozen=True)
class Segment:
    """A stretch of text and how it is marked."""

    text: str
    mark: Mark = ""


def highlight(text: str, ranges: Iterable[tuple[int, int]], mark: Mark = "evidence") -> list[Segment]:
    """The text cut at the ranges, which may overlap or reach outside it."""
    segments, position = [], 0
    for first, last in sorted(ranges):
        start, end = max(first, position), min(last, len(text))
        if start >= end:
            continue
        if start > position:
            segments.append(Segment(text[position:start]))
        segments.append(Segment(text[start:end], mark))
        position = end
    return [*segments, Segment(text[position:])] if position < len(text) else segments


def word_differences(old: str, new: str) -> tuple[list[Segment], list[Segment]]:
    """Both texts with the words marked that the other has not."""
    a, b = (re.findall(r"\s+|\w+|[^\w\s]", text) for text in (old, new))
    left: list[Segment] = []
    right: list[Segment] = []
    for kind, a0, a1, b0, b1 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        _add(left, "".join(a[a0:a1]), "" if kind == "equal" else "removed")
        _add(right, "".join(b[b0:b1]), "" if kind == "equal" else "added")
    return left, right


def _add(segments: list[Segment], text: str, mark: Mark) -> None:
    if text:
        segments.append(Segment(text, mark))
