"""Blocks of a section (paragraphs, list items, headings), and what role each plays around a weakness."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MARKER = re.compile(
    r"(?P<bullet>[•·●▪■◦○*\u2013\u2014-]|o(?=\s))\s*(?=\S)|(?P<open>\(?)(?P<number>\d{1,2}|[ivx]{1,4}|[a-zA-Z])(?P<close>\)\s*|\.\s+)(?=[^\s\d])"
)
FURNITURE = re.compile(
    r"(?:[-\u2013]?\s?(?:F-)?\d{1,3}\s?[-\u2013]?|[-=_*~\s]{3,}|table\s+of\s+contents|part\s+ii)$", re.IGNORECASE
)

_COMPONENTS = r"(?:control\s+environment|risk\s+assessment|control\s+activit(?:y|ies)|information\s*(?:and|&)\s*communications?|monitoring(?:\s+activities)?)"
COMPONENT_HEADINGS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (label, re.compile(rf"(?:[\d(a-z]{{0,3}}[.)]\s*)?(?:ineffective\s+)?(?:{words})\b(?:\s*(?:,|and\b|&|,\s*and\b)\s*{_COMPONENTS})*(?:\s+components?)?\s*(?:[-\u2013\u2014:.]|$)", re.IGNORECASE))
    for label, words in (
        ("control_environment", r"control\s+environment"),
        ("risk_assessment", r"risk\s+assessment"),
        ("control_activities", r"control\s+activit(?:y|ies)"),
        ("information_and_communication", r"information\s*(?:and|&)\s*communications?"),
        ("monitoring_activities", r"monitoring(?:\s+activities)?"),
    )
)  # fmt: skip
"""The five components of COSO's framework, as filers head their weaknesses with them."""


@dataclass(frozen=True)
class Block:
    """One line of normalised text, without leading blanks."""

    start: int
    end: int
    text: str
    marker: str | None
    """Shape of the list marker (`•`, `(1)`, `a.`), digits and letters made one; None where there is none."""

    @property
    def words(self) -> str:
        """The text without its list marker."""
        return self.text if self.marker is None else MARKER.sub("", self.text, count=1)

    @property
    def is_bullet(self) -> bool:
        """Whether the marker is a bullet, not a number or letter."""
        return self.marker is not None and len(self.marker) == 1

    @property
    def is_heading(self) -> bool:
        """A short line that is no sentence."""
        words = self.words
        return len(words) <= 110 and not words.endswith((".", ";", ",", ":")) and len(words.split()) <= 16


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a text, page furniture left out."""
    position = 0
    for line in text.split("\n"):
        stripped = line.strip()
        start = position + len(line) - len(line.lstrip())
        position += len(line) + 1
        if stripped and not FURNITURE.match(stripped):
            marker = MARKER.match(stripped)
            yield Block(start, start + len(stripped), stripped, _shape(marker) if marker else None)


def _shape(marker: re.Match[str]) -> str:
    if marker["bullet"]:
        return marker["bullet"]
    number = marker["number"]
    kind = "1" if number.isdigit() else ("i" if re.fullmatch("[ivx]+", number) else "a")
    return marker["open"] + kind + marker["close"].strip()


def component_heading(text: str) -> str | None:
    """The COSO component that a block opens with as its heading."""
    return next((label for label, pattern in COMPONENT_HEADINGS if pattern.match(text)), None)
