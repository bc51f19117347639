"""The text of a finding as filed: cleaning that loses no word, placeholders, pointers and printed tiers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal

from .records import KEYWORD_MISSING

MINIMUM_CHARACTERS = 40
"""Shorter texts describe nothing; the shortest real pointer to another document has 75 characters."""

_PLACEHOLDERS = re.compile(
    r"(?:GSA_MIGRATION|Exemption for Indian Tribes|N/?A|None|Not applicable|Pending|TBD|No text)[.\s]*", re.I
)
_REDACTED = re.compile(r"content of this finding has been redacted|omitted details from this finding", re.I)
_POINTER = re.compile(
    r"^\W*(?:finding\s*(?:no\.?|number|#)?\s*[\d-]*\W*)?"
    r"(?:please\s+)?(?:see|refer\s+to|reference\s+is\s+made\s+to|included\s+in|as\s+(?:described|noted)\s+in)\b.{0,200}"
    r"\b(?:schedule|report|attach\w*|pdf|page|uploaded|package|section|financial\s+statements|appendix|above|below)\b"
    r"|no\s+formal\s+response\s+provided",
    re.I | re.S,
)
_POINTER_LIMIT = 300
_TIER = re.compile(
    r"material[\s-]*weakness|significant[\s-]*deficienc(?:y|ies)|\((?:MW|SD)\)"
    r"|type\s+of\s+finding\s*[:–-]\s*(?:MW|SD)\b",
    re.I,
)


def clean(text: str) -> str:
    """NFC, one kind of line break, no control characters, no runs of spaces. Line breaks that were lost stay lost."""
    text = unicodedata.normalize("NFC", text).replace("_x000D_", "\n").replace("\r\n", "\n").replace("\r", "\n")
    text = "".join(c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs") else " " for c in text)
    # Runs are shortened before anything looks around a line break: some plans are padded with thousands of spaces.
    text = re.sub(r"\t|[ \u00a0]{2,}|\u00a0", "  ", text)
    text = re.sub(r" {2,}", "  ", text)
    text = re.sub(r" {0,2}\n {0,2}", "\n", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def single_spaced(text: str) -> str:
    """The text with the double spaces, which `clean` keeps as a trace of tabs, made single."""
    return re.sub(r" {2,}", " ", text).strip()


def concatenate(parts: Sequence[str | None]) -> str | None:
    """All texts filed for one reference, in the order served; a part that is repeated word for word counts once."""
    kept: list[str] = []
    for part in parts:
        if part is not None and part.strip() not in ("", KEYWORD_MISSING) and part not in kept:
            kept.append(part)
    return "\n".join(kept) if kept else None


def unusable(text: str | None) -> tuple[Literal["no_text", "text_points_elsewhere"], str] | None:
    """Why a text cannot be an item, with what was seen; null where it can."""
    if text is None:
        return "no_text", "no text was filed, migrated or served"
    bare = single_spaced(clean(text))
    if _PLACEHOLDERS.fullmatch(bare):
        return "no_text", f"placeholder: {bare}"
    if _REDACTED.search(bare):
        return "no_text", "redacted as confidential by the auditor"
    if len(bare) <= _POINTER_LIMIT and _POINTER.search(bare):
        return "text_points_elsewhere", bare[:200]
    if len(bare) < MINIMUM_CHARACTERS:
        return "no_text", f"{len(bare)} characters"
    return None


def names_tier(text: str) -> bool:
    """Whether the text prints a severity tier, spaced, hyphenated or run together."""
    return _TIER.search(text) is not None
