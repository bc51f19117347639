"""Why the weaknesses found may not be all, or may be too many: each reason makes the count unknown."""

from __future__ import annotations

import re

from .language import MATERIAL_WEAKNESS, Sentence, sentences
from .weakness_words import ANOTHER, CURED, EARLIER, INTRODUCES, NOT_SAID, REMEDIATED, Weakness, not_existing

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
_PLURAL = re.compile(
    r"\b(?:to\s+be|(?:these|they|which|both)\s+(?:are|were)|deem\w*|consider\w*|identified|following|because\s+of|due\s+to|result\s+of|had|has|have|exist\w*|reported|disclosed|constitut\w+|represent\w*)\s+(?:\w+\s+){0,3}material\s+weaknesses\b",
    re.IGNORECASE,
)
_EACH = re.compile(
    r"\beach\b[^.;]{0,80}\b(?:constitut\w+|represent\w*|considered|deemed|is|was|are|were|as)\b[^.;]{0,30}\ba\s+material\s+weakness\b|\ba\s+material\s+weakness\s+(?:\w+\s+){0,3}each\s+of\b|\ba\s+material\s+weakness,?\s+as\s+(?:is|are|was|were)\b",
    re.IGNORECASE,
)
_BY_LIST = ("weaknesses_listed", "weaknesses_after_lead_in", "weaknesses_in_one_sentence")
_SINGULAR = re.compile(r"\b(?:a|an|one|following|the|this)\s+(?:\w+\s+)?material\s+weakness\b", re.IGNORECASE)
_ANY_PLURAL = re.compile(
    r"(?<!any )material\s+weaknesses\b|\b(?:another|each|second|additional)\b[^.]{0,60}material\s+weakness\b",
    re.IGNORECASE,
)
_OPENS = re.compile(r"\bfollowing\s+(?:\w+\s+){0,3}material\s+weaknesses\b[^.:]{0,80}:$", re.IGNORECASE)
_BELOW_CHARACTERS = 900
"""Room for the definition of a weakness between a lead-in and its list."""
_NAMED = re.compile(r"[\u201c\"]([^\u201c\u201d\"]{1,60}?)\s+material\s+weakness[\u201d\"]", re.IGNORECASE)
"""A name given to one weakness: `(the “Payroll Material Weakness”)`."""
_AS_OF = re.compile(r"\b(?:[Aa]s\s+of|at|ended)\s+[A-Z][a-z]+\s+\d{1,2},\s+(\d{4})")
_BY_WORDS = ("weakness_under_heading", "weakness_in_prose")
_POINTS_BACK = re.compile(
    r"(?:this|these|such|that|those|it|which|each|all|both|collectively|the\s+(?:\w+\s+){0,2}(?:deficienc\w+|weakness\w*|matters?|conditions?|issues?|above|foregoing))\b",
    re.IGNORECASE,
)


def stated_number(text: str) -> int | None:
    """The number of this year's weaknesses that a text states in words or digits, where it states one number."""
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


def doubts(text: str, found: list[Weakness], rule: str) -> list[str]:
    """Conflicts between the weaknesses found and what the rest of management's text says of them.

    Args:
        text: management's text, the auditor's reports blanked.
        found: the weaknesses, in order.
        rule: the rule that found them.
    """
    if not found:
        return []
    conflicts: list[str] = []
    present = [
        sentence
        for sentence in sentences(text)
        if MATERIAL_WEAKNESS.search(sentence.text)
        and not not_existing(sentence.text)
        and not NOT_SAID.search(sentence.text.rpartition("; these are ")[2])
    ]
    apart = [s for s in present if all(s.end <= w.start or w.end <= s.start for w in found)]
    count = len(found)
    if count == 1 and rule in _BY_WORDS and any(_PLURAL.search(sentence.text) for sentence in present):
        conflicts.append("weaknesses_named_in_the_plural_counted_1")
    if count == 1 and any(_EACH.search(sentence.text) for sentence in present):
        conflicts.append("weaknesses_each_called_one_counted_1")
    if len({name.lower() for s in present for name in _NAMED.findall(s.text)}) > count:
        conflicts.append(f"weaknesses_named_apart_counted_{count}")
    if any(ANOTHER.search(sentence.text) for sentence in apart):
        conflicts.append("weakness_named_as_another_not_counted")
    called = [s for s in present if INTRODUCES.search(s.text) and not _POINTS_BACK.match(s.text)]
    if rule in _BY_WORDS and (len(called) > count or any(sentence in apart for sentence in called)):
        conflicts.append("weakness_told_apart_not_counted")
    if any(_opens_uncounted(sentence, found, text) for sentence in present):
        conflicts.append("weaknesses_led_in_not_counted")
    if count > 1 and rule in _BY_LIST and _SINGULAR.search(_lead(text, found[0])) and not _ANY_PLURAL.search(text):
        conflicts.append(f"weakness_named_in_the_singular_counted_{count}")
    stated = stated_number(text)
    if stated is not None and stated != count:
        conflicts.append(f"weaknesses_stated_{stated}_counted_{count}")
    if count > 1 and _MIXED.search(text):
        conflicts.append("weaknesses_mixed_with_significant_deficiencies")
    if count > 1 and CURED.search(text) and _of_an_earlier_year(text, found[0]):
        conflicts.append("weaknesses_of_an_earlier_year_partly_remediated")
    return conflicts


def _lead(text: str, first: Weakness) -> str:
    """The sentence that leads to a weakness: the one before it, or the part of its own sentence before it."""
    before = sentences(text[: first.start])
    return before[-1].text if before else ""


def _opens_uncounted(sentence: Sentence, found: list[Weakness], text: str) -> bool:
    """Whether a sentence opens a list of weaknesses at the end of its paragraph, and none was found below it."""
    if not _OPENS.search(sentence.text) or text[sentence.end : sentence.end + 1].strip():
        return False
    below = [w for w in found if w.start >= sentence.start or w.end > sentence.end]
    return not any(len(text[sentence.end : w.start]) < _BELOW_CHARACTERS for w in below)


def _of_an_earlier_year(text: str, first: Weakness) -> bool:
    """Whether the sentence that leads to the first weakness tells what an earlier report said."""
    lead = _lead(text, first)
    latest = max((int(year) for year in _AS_OF.findall(text)), default=0)
    dated = [int(year) for year in _AS_OF.findall(lead)]
    return bool(EARLIER.search(lead)) or bool(dated and max(dated) < latest)
