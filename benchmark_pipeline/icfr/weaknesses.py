"""Splits a section into its material weaknesses, each a passage of its own.

Shapes, in the order in which they are tried: passages under headings of COSO components and items of a list after a
lead-in; a list inside one sentence; paragraphs after a lead-in; a passage under a heading of its own; weaknesses told in prose. Lists under
remediation never count. What the rest of the text says against the count (another number, another weakness) is a
conflict, and the count is then unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from .blocks import blocks
from .language import MATERIAL_WEAKNESS, sentences
from .regions import management_only, reading_view
from .weakness_doubts import doubts, stated_number
from .weakness_lists import listed
from .weakness_passages import added_after, after_lead_in, as_many_as_stated, numbered_headings, titled_below
from .weakness_prose import in_prose, under_heading
from .weakness_remediation import remediation_passage
from .weakness_sentences import by_ordinal, in_one_sentence
from .weakness_words import Weakness

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
    if MATERIAL_WEAKNESS.search(own) is None:
        return Weaknesses([], None, None)
    lines = list(blocks(own))
    shapes: tuple[tuple[str, Callable[[], list[Weakness]]], ...] = (
        ("weaknesses_listed", lambda: listed(lines)),
        ("weaknesses_in_one_sentence", lambda: in_one_sentence(lines, own)),
        ("weaknesses_under_numbered_headings", lambda: numbered_headings(lines)),
        ("weaknesses_after_lead_in", lambda: after_lead_in(lines)),
        ("weaknesses_titled_below", lambda: titled_below(lines)),
        ("weaknesses_by_ordinal", lambda: by_ordinal(lines, own)),
        ("weakness_under_heading", lambda: under_heading(lines)),
        ("weakness_in_prose", lambda: in_prose(lines, own)),
    )
    found: list[Weakness] = []
    rule = ""
    for name, shape in shapes:
        found = shape()
        if found:
            rule = name
            break
    if found:
        found = found + added_after([line for line in lines if line.start >= found[-1].end])
    found = _distinct(found, own)
    found = _as_one(found, own)
    stated = stated_number(own)
    if stated is not None and stated != len(found) and (counted := as_many_as_stated(lines, stated)):
        found, rule = counted, "weaknesses_as_many_as_stated"
    conflicts = doubts(own, found, rule)
    count = None if conflicts else len(found) or None
    return Weaknesses(found, count, remediation_passage(lines), conflicts, [rule] if found else [])


_AS_ONE = re.compile(
    r"\b(?:aggregat\w+|combin\w+|collectively|together)\b[^.]{0,60}\ba\s+material\s+weakness\b|\ba\s+material\s+weakness\b[^.]{0,40}\bin\s+(?:the\s+)?aggregate\b"
    r"|\ba\s+material\s+weakness\b[^.]{0,60}\b(?:following|these)\s+(?:\w+\s+)?(?:deficienc\w+|factors|matters|issues|causes)"
    r"|\bfollowing\s+(?:\w+\s+){0,2}(?:deficienc\w+|matters|issues)\b[^.]{0,40}\bconstitut\w*\s+a\s+material\s+weakness\b",
    re.IGNORECASE,
)
_OR_EACH = re.compile(r"\bindividually\b|\beach\b|material\s+weaknesses\b", re.IGNORECASE)


def _as_one(found: list[Weakness], text: str) -> list[Weakness]:
    """A list of deficiencies that its lead-in calls one weakness in the aggregate, as that one."""
    if len(found) < 2:
        return found
    lead = sentences(text[: found[0].start])[-1].text
    if not _AS_ONE.search(lead) or _OR_EACH.search(lead):
        return found
    return [Weakness(found[0].start, found[-1].end, found[0].kind, found[0].component)]


def _distinct(found: list[Weakness], text: str) -> list[Weakness]:
    kept: list[tuple[Weakness, set[str]]] = []
    for weakness in found:
        words = set(_WORD.findall(text[weakness.start : weakness.end].lower())) - _STOCK
        if words and any(len(words & other) / len(words | other) >= _SAME for _, other in kept):
            continue
        kept.append((weakness, words))
    return [weakness for weakness, _ in kept]
