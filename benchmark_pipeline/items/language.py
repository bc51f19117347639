"""A test of English by function words: no model, no download, and a verdict that can be read.

Running English prose holds a third to a half of function words; other languages in Latin script hold few of them.
"""

from __future__ import annotations

from .sentences import words

MIN_SHARE = 0.20
MIN_WORDS = 20
_FUNCTION_WORDS = frozenset(
    [
        "the",
        "of",
        "and",
        "to",
        "in",
        "a",
        "that",
        "is",
        "for",
        "on",
        "as",
        "with",
        "by",
        "our",
        "we",
        "or",
        "not",
        "be",
        "are",
        "was",
        "were",
        "this",
        "at",
        "from",
        "an",
        "have",
        "has",
        "which",
        "it",
        "its",
        "their",
        "did",
        "no",
        "any",
        "may",
        "such",
        "these",
        "will",
        "there",
        "than",
        "been",
        "if",
        "all",
        "other",
    ]
)


def english_share(text: str) -> float:
    """Share of English function words among the words of a text; 0 for a text without words."""
    found = [word for word in words(text) if word[0].isalpha()]
    return sum(word in _FUNCTION_WORDS for word in found) / len(found) if found else 0.0


def is_english(text: str) -> bool:
    """Whether a text of twenty words or more reads as English; shorter texts are not judged and pass."""
    return len(words(text)) < MIN_WORDS or english_share(text) >= MIN_SHARE
