"""Documents that hold no English text that could be read."""

from __future__ import annotations

import re

from .model import FilingDocument, Rejection

_WORD = re.compile(r"[^\W\d_]{2,}")
_ENGLISH = frozenset(
    ["the", "of", "and", "to", "in", "our", "for", "as", "or", "is", "on", "with", "that", "by", "are", "we", "not"]
)
_COMMON = {
    "en": _ENGLISH,
    "fr": frozenset(
        [
            "le",
            "la",
            "les",
            "des",
            "et",
            "que",
            "du",
            "est",
            "une",
            "dans",
            "pour",
            "sur",
            "par",
            "au",
            "aux",
            "ces",
            "ont",
            "cette",
            "ce",
        ]
    ),
    "es": frozenset(
        [
            "el",
            "la",
            "los",
            "las",
            "del",
            "de",
            "que",
            "en",
            "por",
            "una",
            "con",
            "para",
            "se",
            "su",
            "al",
            "es",
            "como",
        ]
    ),
    "de": frozenset(
        [
            "der",
            "die",
            "das",
            "und",
            "den",
            "von",
            "zu",
            "mit",
            "ist",
            "im",
            "für",
            "des",
            "dem",
            "ein",
            "eine",
            "auf",
            "nicht",
            "wir",
        ]
    ),
    "pt": frozenset(
        ["os", "as", "do", "da", "dos", "das", "que", "em", "uma", "com", "para", "por", "não", "ao", "na", "no", "se"]
    ),
    "it": frozenset(
        ["il", "di", "che", "la", "per", "una", "del", "della", "con", "sono", "gli", "nel", "alla", "dei", "delle"]
    ),
    "nl": frozenset(
        ["de", "het", "een", "van", "en", "dat", "is", "op", "te", "in", "zijn", "voor", "met", "niet", "aan"]
    ),
}
_SAMPLE_CHARACTERS = 20_000


def unreadable(document: FilingDocument) -> Rejection | None:
    """Why nothing can be read in a document, or None where something can."""
    body = document.body
    if body[:1024].lstrip().startswith(b"%PDF") or document.name.lower().endswith(".pdf"):
        return Rejection("pdf_only", f"{document.name} is a PDF")
    if body.count(b"\x00", 0, 65536) > 256:
        return Rejection("undecodable", f"{document.name} is binary")
    text = document.text
    words = _WORD.findall(_sample(text).lower())
    if len(words) < 200:
        if re.search(rb"<img\b", body[:2_000_000], re.IGNORECASE):
            return Rejection("image_only", f"{document.name} holds images and {len(words)} words")
        return None
    share = sum(word in _ENGLISH for word in words) / len(words)
    if share < 0.12:
        return Rejection("non_english", f"{share:.0%} of the words are common English ones")
    return None


def _sample(text: str) -> str:
    """The beginning and the middle: a cover page alone is names and numbers."""
    middle = len(text) // 2
    return text[:_SAMPLE_CHARACTERS] + " " + text[max(middle, _SAMPLE_CHARACTERS) : middle + _SAMPLE_CHARACTERS]


def language(text: str) -> str | None:
    """ISO 639-1 code of the language whose commonest words a text uses most; None for too short or mixed a text."""
    words = _WORD.findall(text.lower())
    if len(words) < 20:
        return None
    shares = {code: sum(word in common for word in words) / len(words) for code, common in _COMMON.items()}
    best = max(shares, key=lambda code: shares[code])
    return best if shares[best] >= 0.12 else None
