"""Sentences of a normalised text with their offsets, and the cues that later documents are read by.

The rules find candidates; a person confirms what is ambiguous. They look for assertions, so a sentence that is
hypothetical ("if we fail to …") never counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchmark_pipeline.tables.base import Span


@dataclass(frozen=True)
class DocumentText:
    """The normalised text of one stored document, or of a part of it."""

    sha256: str
    text: str
    offset: int = 0
    """Position of `text` in the document's normalised text."""


@dataclass(frozen=True)
class Sentence:
    """A sentence and its place [start, end) in the text it was cut from."""

    start: int
    end: int
    text: str

    def span(self, document: DocumentText) -> Span:
        """The sentence as a locator in its document."""
        return Span(
            document_sha256=document.sha256,
            start=document.offset + self.start,
            end=document.offset + self.end,
            quote=document.text[self.start : self.end],
        )


_ABBREVIATION = re.compile(
    r"(?:\b(?:Inc|Corp|Co|Ltd|LLC|No|Nos|Mr|Ms|Mrs|Dr|St|Jr|Sr|vs|etc|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)"
    r"|\b[A-Z]|U\.S|N\.V|S\.A|i\.e|e\.g|a\.m|p\.m)\.$"
)
_END = re.compile(r"[.?!][\"”’')\]]*(?=[ \t]+[\"“‘(\[•·●▪]*[A-Z])|\s*\n\s*")
_OPEN = re.compile(r"(?:[:;,—–]|\b(?:and|or|of|the|that|in|for|as|with))$")
_LIST_MARKER = re.compile(r"[•·●▪■◦○–—*-]\s|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s|[a-z]")


def sentences(text: str) -> Iterator[Sentence]:
    """Sentences in order.

    A new block (line of the normalised text) ends a sentence, unless the block before is left open (a colon, a
    semicolon, no full stop before a list item): a lead-in stays together with its list.
    """
    start = 0
    for match in _END.finditer(text):
        if "\n" in match.group():
            before = text[start : match.start()].rstrip()
            closed = before.endswith((".", "?", "!", ".”", '."'))
            if _OPEN.search(before) or (not closed and _LIST_MARKER.match(text, match.end())):
                continue
            yield from _sentence(text, start, match.start())
        else:
            if _ABBREVIATION.search(text, max(0, match.start() - 8), match.start() + 1):
                continue
            yield from _sentence(text, start, match.end())
        start = match.end()
    yield from _sentence(text, start, len(text))


def _sentence(text: str, start: int, end: int) -> Iterator[Sentence]:
    raw = text[start:end]
    stripped = raw.strip()
    if stripped:
        first = start + len(raw) - len(raw.lstrip())
        yield Sentence(first, first + len(stripped), " ".join(stripped.split()))


MATERIAL_WEAKNESS = re.compile(r"\bmaterial\s+weakness(?:es)?\b", re.I)
WEAKNESS = re.compile(r"\b(?:material\s+)?weakness(?:es)?\b", re.I)
"""A weakness by either name; only where the text is already known to speak of material ones."""
ICFR = re.compile(r"\binternal\s+controls?\s+over\s+financial\s+reporting\b|\bICFR\b", re.I)
NOT_EFFECTIVE = re.compile(
    r"\b(?:not\s+(?:been\s+|be\s+)?(?:operating\s+)?effective|ineffective"
    r"|(?:did|has|have|had)\s+not\s+maintain(?:ed)?\b[^.;]{0,60}?\beffective)\b",
    re.I,
)
HYPOTHETICAL = re.compile(
    r"\b(?:if\s+(?:we|the\s+company|our|management|one|any|material)|might|unless|failure\s+to"
    r"|(?:could|would|may)\s+(?:not\s+be|be|identify|conclude|discover|find|have\s+(?:a\s+|additional\s+|other\s+)?material)"
    r"|cannot\s+(?:assure|be\s+certain)|no\s+assurance|reasonable\s+possibility|is\s+a\s+deficiency)\b",
    re.I,
)
NO_WEAKNESS = re.compile(
    r"\b(?:no|not\s+(?:identif\w+|aware\s+of|find|found|discover\w*|constitut\w+|have|result\s+in)(?:\s+\w+){0,3}?(?:\s+any|\s+a)?|without\s+any|did\s+not\s+(?:identify|have|constitute)\s+(?:any|a))"
    r"\s+(?:other\s+|such\s+|new\s+|additional\s+)?(?:material\s+)?weakness",
    re.I,
)
RESTATEMENT = re.compile(r"\brestat(?:e|ed|es|ing|ement|ements)\b", re.I)
ERROR = re.compile(r"\b(?:errors?|misstatements?|misstated|misappli\w+|incorrectly)\b", re.I)


def admits_weakness(sentence: str) -> bool:
    """Whether the sentence asserts a material weakness or ineffective ICFR (not a hypothesis, not a denial)."""
    if HYPOTHETICAL.search(sentence) or NO_WEAKNESS.search(sentence):
        return False
    return bool(MATERIAL_WEAKNESS.search(sentence)) or concludes_ineffective(sentence)


_DISCLOSURE_CONTROLS = re.compile(r"\bdisclosure\s+controls?\b", re.I)


def concludes_ineffective(sentence: str) -> bool:
    """Whether the sentence concludes that ICFR (not merely disclosure controls) is or was not effective.

    The subject is the kind of control named last before the verdict, else the first one after it.
    """
    if HYPOTHETICAL.search(sentence) or not ICFR.search(sentence):
        return False
    for verdict in NOT_EFFECTIVE.finditer(sentence):
        icfr = [match.start() for match in ICFR.finditer(sentence)]
        disclosure = [match.start() for match in _DISCLOSURE_CONTROLS.finditer(sentence)]
        icfr_before = max((at for at in icfr if at < verdict.start()), default=-1)
        disclosure_before = max((at for at in disclosure if at < verdict.start()), default=-1)
        if icfr_before == disclosure_before == -1:
            icfr_before, disclosure_before = -min(icfr), -min(disclosure, default=len(sentence))
        if icfr_before > disclosure_before or MATERIAL_WEAKNESS.search(sentence):
            return True
    return False
