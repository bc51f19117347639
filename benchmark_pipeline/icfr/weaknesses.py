"""Splits a section into its material weaknesses, each a passage of its own.

Shapes, in the order in which they are tried: passages under headings of COSO components and items of a list after a
lead-in; a list inside one sentence; paragraphs after a lead-in; a passage under a heading of its own; weaknesses told in prose. Lists under
remediation never count. A number that the filer states and that differs from what was counted is a conflict, and the
count is then unknown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .blocks import blocks
from .language import sentences
from .regions import management_only, reading_view
from .weakness_lists import listed
from .weakness_prose import (
    after_lead_in,
    as_many_as_stated,
    by_ordinal,
    in_one_sentence,
    in_prose,
    not_existing,
    numbered_headings,
    titled_below,
    under_heading,
)
from .weakness_remediation import remediation_passage
from .weakness_words import REMEDIATED, Weakness

_NUMBERS = {
    word: number
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), start=1
    )
}
_STATED = re.compile(
    rf"\b({'|'.join(_NUMBERS)}|[1-9]|1\d)\s+(?:\(\d+\)\s+)?(?:\w+\s+)?material\s+weakness(?:es)?\b", re.IGNORECASE
)
_NOT_THIS_YEARS = re.compile(r"\b(?:previous|prior|no|of\s+the|in)\w*\s+$", re.IGNORECASE)
_MIXED = re.compile(r"material\s+weakness(?:es)?\s+(?:and|or)\s+significant\s+deficienc", re.IGNORECASE)
_WORD = re.compile(r"[a-z]{4,}")
_STOCK = frozenset(
    [
        "control",
        "controls",
        "over",
        "design",
        "designed",
        "maintain",
        "maintained",
        "effective",
        "ineffective",
        "effectively",
        "material",
        "weakness",
        "weaknesses",
        "internal",
        "financial",
        "reporting",
        "company",
        "management",
        "with",
        "that",
        "this",
        "these",
        "were",
        "have",
        "which",
        "from",
        "sufficient",
        "lack",
        "lacked",
        "adequate",
        "inadequate",
        "ensure",
        "related",
        "operate",
        "operated",
        "operating",
        "deficiency",
        "deficiencies",
        "identified",
    ]
)
"""Words of any weakness, which tell none from another."""
_SAME = 0.6
"""Token overlap from which two passages are the same weakness told twice."""


@dataclass(frozen=True)
class Weaknesses:
    """What a section says of its weaknesses."""

    found: list[Weakness]
    count: int | None
    """How many there are; None where they cannot be counted."""
    remediation: tuple[int, int] | None
    """The remediation passage, where the section has one."""
    conflicts: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)


def read_weaknesses(text: str, *, by_auditor: bool = False) -> Weaknesses:
    """The material weaknesses that a section describes as existing.

    Args:
        text: the section. The auditor's report in it, which repeats the list, is left out.
        by_auditor: the text is an auditor's report, and is read as such.
    """
    own = reading_view(text) if by_auditor else management_only(text)
    lines = list(blocks(own))
    found = listed(lines)
    rule = "weaknesses_listed"
    if not found:
        found, rule = in_one_sentence(lines, own), "weaknesses_in_one_sentence"
    if not found:
        found, rule = numbered_headings(lines), "weaknesses_under_numbered_headings"
    if not found:
        found, rule = after_lead_in(lines), "weaknesses_after_lead_in"
    if not found:
        found, rule = titled_below(lines), "weaknesses_titled_below"
    if not found:
        found, rule = by_ordinal(lines, own), "weaknesses_by_ordinal"
    if not found:
        found, rule = under_heading(lines), "weakness_under_heading"
    if not found:
        found, rule = in_prose(lines, own), "weakness_in_prose"
    found = _distinct(found, own)
    stated = _stated(own)
    if stated is not None and stated != len(found) and (counted := as_many_as_stated(lines, stated)):
        found, rule = counted, "weaknesses_as_many_as_stated"
    conflicts: list[str] = []
    count: int | None = len(found) or None
    if len(found) == 1 and rule in _ONE_BY_WORDS and _names_several(own):
        conflicts.append("weaknesses_named_in_the_plural_counted_1")
        count = None
    if stated is not None and found and stated != len(found):
        conflicts.append(f"weaknesses_stated_{stated}_counted_{len(found)}")
        count = None
    if _MIXED.search(own) and len(found) > 1:
        conflicts.append("weaknesses_mixed_with_significant_deficiencies")
        count = None
    return Weaknesses(found, count, remediation_passage(lines), conflicts, [rule] if found else [])


_ONE_BY_WORDS = ("weakness_under_heading", "weakness_in_prose")
_PLURAL = re.compile(
    r"\b(?:identified|following|because\s+of|due\s+to|result\s+of|had|has|have|exist\w*|constitut\w+|represent\w*)\s+(?:\w+\s+){0,3}material\s+weaknesses\b",
    re.IGNORECASE,
)


def _names_several(text: str) -> bool:
    """Whether a sentence says in the plural that weaknesses exist."""
    return any(
        _PLURAL.search(sentence.text) and not not_existing(sentence.text) and not _NOT_SAID.search(sentence.text)
        for sentence in sentences(text)
    )


_NOT_SAID = re.compile(
    r"\b(?:if|may|might|could|would|any|whether|prior|previous\w*|remediat\w*|plan\w*|intend\w*|address\w*|correct\w*)\b",
    re.IGNORECASE,
)
"""Doubt, condition, the past or a plan: the sentence does not say that several exist now."""


def _stated(text: str) -> int | None:
    numbers = set()
    for match in _STATED.finditer(text):
        if REMEDIATED.search(text[match.start() : match.end() + 120]) or _NOT_THIS_YEARS.search(
            text[max(0, match.start() - 12) : match.start()]
        ):
            continue
        word = match[1].lower()
        numbers.add(_NUMBERS.get(word) or int(word))
    numbers.discard(1)
    return numbers.pop() if len(numbers) == 1 else None


def _distinct(found: list[Weakness], text: str) -> list[Weakness]:
    kept: list[tuple[Weakness, set[str]]] = []
    for weakness in found:
        words = set(_WORD.findall(text[weakness.start : weakness.end].lower())) - _STOCK
        if words and any(len(words & other) / len(words | other) >= _SAME for _, other in kept):
            continue
        kept.append((weakness, words))
    return [weakness for weakness, _ in kept]
