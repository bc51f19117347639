"""Sentences of a disclosure, and the nouns that decide what a sentence is about."""

from __future__ import annotations

import re
from dataclasses import dataclass

_END = re.compile(
    r"(?<=[.!?])[\"\u201d\u2019')\]]*\s+(?=[A-Z\u201c\"(\[\u2022])|\n+|(?<=;)\s+(?=and\s+\(|\(\w{1,3}\)\s)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:Inc|Corp|Co|Ltd|No|Nos|Mr|Mrs|Ms|Dr|Jr|Sr|St|vs|et al|i\.e|e\.g|U\.S|U\.K|N\.A|S\.A|L\.P|P\.C|Messrs|approx|Sec|Item|Art|Rule|Cie)"
    r"|(?<![-\u2010\u2011\u2013])\b[A-Z])\.$"
)
"""The name of a form (10-K) is no initial."""
_COMPANY = re.compile(r"\b(?:Inc|Corp|Co|Ltd|L\.?P|N\.?A|S\.?A|P\.?C)\.$")
_OPENS = re.compile(
    r"(?:Our|We|The|This|These|Based|In|It|As|There|Although|However|Because|Under|During|Such|Notwithstanding|Accordingly)\s"
)
"""Words that stand with a capital only where a sentence begins: after them a company's name has ended one."""

ICFR = re.compile(
    r"internal\s+controls?\s+(?:over|on|for|and\s+procedures\s+over)\s+(?:(?:our|its|the|consolidated|the\s+company['\u2019]s)\s+)?(?:external\s+)?financial\s+(?:reporting|statement)"
    r"|\bICFR\b|\bICOFR\b|internal\s+financial\s+reporting\s+controls?",
    re.IGNORECASE,
)
"""Internal control over financial reporting (Regulation S-K Item 308)."""
WEAK_ICFR = re.compile(
    r"(?:system\s+of\s+)?internal\s+(?:accounting\s+)?controls?(?:\s+and\s+procedures)?", re.IGNORECASE
)
"""`Internal controls` without the rest: it counts where no better noun stands in the sentence."""
DCP = re.compile(
    r"disclosure\s+controls?(?:\s*,?\s*(?:and|&)\s+(?:internal\s+controls?\s+and\s+)?procedures?)?|disclosure\s+(?:and|&)\s+(?:internal\s+)?controls?\s+(?:and\s+)?procedures?",
    re.IGNORECASE,
)
"""Disclosure controls and procedures (Regulation S-K Item 307)."""
MATERIAL_WEAKNESS = re.compile(r"material\s+weakness(?:es)?", re.IGNORECASE)


@dataclass(frozen=True)
class Sentence:
    """Characters [start, end) of a text."""

    start: int
    end: int
    text: str
    block: int
    """Number of the block (line) that it stands in."""


def sentences(text: str) -> list[Sentence]:
    """The sentences of a normalised text, in order; a block never runs into the next."""
    found: list[Sentence] = []
    start = block = 0
    for match in _END.finditer(text):
        piece = text[start : match.start()]
        newline = "\n" in match[0]
        if (
            not newline
            and _ABBREVIATION.search(piece[-14:])
            and not (_COMPANY.search(piece[-14:]) and _OPENS.match(text, match.end()))
        ):
            continue
        _append(found, text, start, match.start(), block)
        start = match.end()
        block += newline
    _append(found, text, start, len(text), block)
    return found


def _append(found: list[Sentence], text: str, start: int, end: int, block: int) -> None:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        first = start + len(piece) - len(piece.lstrip())
        found.append(Sentence(first, first + len(stripped), " ".join(stripped.split()), block))
