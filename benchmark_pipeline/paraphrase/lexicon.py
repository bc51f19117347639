"""What a paraphrase must not move: numbers, negations, hedges and terms of art, found by rule."""

from __future__ import annotations

import re
from collections import Counter

from benchmark_pipeline.items.sentences import sentences

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = re.compile(rf"\b(?:{_MONTHS})\s+\d{{1,2}},?\s+\d{{4}}\b|\b\d{{1,2}}\s+(?:{_MONTHS})\s+\d{{4}}\b")
_NUMBER = re.compile(
    r"[$€£]?\s?\d+(?:,\d{3})*(?:\.\d+)?\s?(?:%|percent|per\s+cent|million|billion|thousand)?", re.IGNORECASE
)
_SPELLED = re.compile(
    r"\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|first|second|third|fourth|half)\b", re.IGNORECASE
)
"""`one` is left out: it is a pronoun more often than a number."""
NEGATIONS = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|unable|fail(?:s|ed|ing|ure|ures)?|lack(?:s|ed|ing)?|absence|"
    r"ineffective|insufficient(?:ly)?|inadequate(?:ly)?|except|nothing)\b|\w+n['’]t\b",
    re.IGNORECASE,
)
MODALS = re.compile(
    r"\b(?:may|might|could|can|would|should|must|will|shall|possib(?:le|ly|ility)|likely|likelihood|reasonabl[ey]|"
    r"believe[sd]?|appear(?:s|ed)?|seem(?:s|ed)?|expect(?:s|ed)?|intend(?:s|ed)?|potential(?:ly)?|generally|absolute)\b",
    re.IGNORECASE,
)
HEDGES = re.compile(
    r"\b(?:may|might|could|possib(?:le|ly|ility)|likely|likelihood|reasonabl[ey]|believe[sd]?|potential(?:ly)?|"
    r"generally|seem(?:s|ed)?)\b",
    re.IGNORECASE,
)
"""The modals that weaken a statement: without one of them the sentence claims more."""
_TERMS = (
    r"material\s+weakness(?:es)?", r"significant\s+deficienc(?:y|ies)", r"not\s+effective", r"(?<!not\s)\beffective",
    r"ineffective", r"internal\s+control\s+over\s+financial\s+reporting", r"disclosure\s+controls\s+and\s+procedures",
    r"reasonable\s+assurance", r"attestation\s+report", r"registered\s+public\s+accounting\s+firm",
    r"Internal\s+Control\s*[-–—]+\s*Integrated\s+Framework", r"Committee\s+of\s+Sponsoring\s+Organizations",
    r"\bCOSO\b", r"generally\s+accepted\s+accounting\s+principles", r"remediat(?:ed|ion)",
    r"material\s+misstatement", r"adverse\s+opinion", r"unqualified\s+opinion",
)  # fmt: skip
TERMS_OF_ART = tuple(re.compile(term, re.IGNORECASE) for term in _TERMS)
_STATUTORY = re.compile(
    r"(?:Rules?\s+)?13a-15\(\w\)(?:\s*(?:and|or)\s*15d-15\(\w\))?|Securities\s+Exchange\s+Act\s+of\s+1934|Exchange\s+Act|"
    r"Securities\s+and\s+Exchange\s+Commission|Public\s+Company\s+Accounting\s+Oversight\s+Board|"
    r"[Cc]hief\s+(?:[Ee]xecutive|[Ff]inancial)\s+[Oo]fficer|Treadway\s+Commission|Sarbanes[- ]Oxley\s+Act(?:\s+of\s+2002)?|"
    r"(?:Annual\s+Report\s+on\s+)?Form\s+\d{2}-[KF]|Item\s+\d{1,2}[A-Z]?"
)
"""Names of offices, statutes and forms: they have no synonyms, so they are left out of the overlap measures too."""


def numbers(text: str) -> Counter[str]:
    """Numbers, percentages, amounts and dates with their frequency, in one spelling each."""
    found: Counter[str] = Counter()
    for match in _DATE.finditer(text):
        parts = re.findall(r"[A-Za-z]+|\d+", match.group())
        day, month = (parts[1], parts[0]) if parts[0].isalpha() else (parts[0], parts[1])
        found[f"{int(parts[2])}-{month.lower()}-{int(day)}"] += 1
    rest = _DATE.sub(" ", text)
    for match in _NUMBER.finditer(rest):
        value = re.sub(r"[,\s]", "", match.group().lower())
        found[re.sub(r"percent|per\s*cent", "%", value)] += 1
    for match in _SPELLED.finditer(rest):
        found[match.group().lower()] += 1
    return found


def negations(text: str) -> int:
    """Negation cues in a text."""
    return len(NEGATIONS.findall(text))


def negative_sentences(text: str) -> int:
    """Sentences with a negation cue."""
    return sum(bool(NEGATIONS.search(sentence)) for sentence in sentences(text))


def modals(text: str) -> Counter[str]:
    """Modals and hedges with their frequency."""
    return Counter(match.group().lower() for match in MODALS.finditer(text))


def hedges(text: str) -> int:
    """Hedges in a text."""
    return len(HEDGES.findall(text))


def terms_of_art(text: str) -> Counter[str]:
    """Terms of art with their frequency, white space and case folded, `deficiencies` and `deficiency` as one."""
    found: Counter[str] = Counter()
    for pattern in TERMS_OF_ART:
        count = len(pattern.findall(text))
        if count:
            found[pattern.pattern] = count
    return found


def without_terms(text: str) -> str:
    """The text with what has to stay as it is (terms of art, statutes, offices, dates) replaced by a break.

    No run of words may cross a break.
    """
    for pattern in (*TERMS_OF_ART, _STATUTORY, _DATE):
        text = pattern.sub(" \x1e ", text)
    return text
