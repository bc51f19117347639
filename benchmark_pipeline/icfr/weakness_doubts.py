"""Why the weaknesses found may not be all, or may be too many: each reason makes the count unknown."""

from __future__ import annotations

import re

from .language import MATERIAL_WEAKNESS, sentences
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
    r"\b(?:identified|following|because\s+of|due\s+to|result\s+of|had|has|have|exist\w*|constitut\w+|represent\w*)\s+(?:\w+\s+){0,3}material\s+weaknesses\b",
    re.IGNORECASE,
)
_EACH = re.compile(
    r"\beach\b[^.;]{0,80}\b(?:constitut\w+|represent\w*|considered|deemed|is|was|are|were|as)\b[^.;]{0,30}\ba\s+material\s+weakness\b",
    re.IGNORECASE,
)
_AS_OF = re.compile(r"\b(?:[Aa]s\s+of|at|ended)\s+[A-Z][a-z]+\s+\d{1,2},\s+(\d{4})")
_BY_WORDS = ("weakness_under_heading", "weakness_in_prose")
_POINTS_BACK = re.compile(r"(?:this|these|such|that|those|the|which|each|all|both|collectively)\b", re.IGNORECASE)


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
        and not NOT_SAID.search(sentence.text)
    ]
    apart = [s for s in present if all(s.end <= w.start or w.end <= s.start for w in found)]
    count = len(found)
    if count == 1 and rule in _BY_WORDS and any(_PLURAL.search(sentence.text) for sentence in present):
        conflicts.append("weaknesses_named_in_the_plural_counted_1")
    if count == 1 and any(_EACH.search(sentence.text) for sentence in present):
        conflicts.append("weaknesses_each_called_one_counted_1")
    if any(ANOTHER.search(sentence.text) for sentence in apart):
        conflicts.append("weakness_named_as_another_not_counted")
    if rule in _BY_WORDS and any(
        INTRODUCES.search(sentence.text) and not _POINTS_BACK.match(sentence.text) for sentence in apart
    ):
        conflicts.append("weakness_told_apart_not_counted")
    stated = stated_number(text)
    if stated is not None and stated != count:
        conflicts.append(f"weaknesses_stated_{stated}_counted_{count}")
    if count > 1 and _MIXED.search(text):
        conflicts.append("weaknesses_mixed_with_significant_deficiencies")
    if count > 1 and CURED.search(text) and _of_an_earlier_year(text, found[0]):
        conflicts.append("weaknesses_of_an_earlier_year_partly_remediated")
    return conflicts


def _of_an_earlier_year(text: str, first: Weakness) -> bool:
    """Whether the sentence that leads to the first weakness tells what an earlier report said."""
    lead = next((s.text for s in reversed(sentences(text[: first.start + 1]))), "")
    before = sentences(text[: first.start])
    lead = before[-1].text if before and len(lead) < 4 else lead
    latest = max((int(year) for year in _AS_OF.findall(text)), default=0)
    dated = [int(year) for year in _AS_OF.findall(lead)]
    return bool(EARLIER.search(lead)) or bool(dated and max(dated) < latest)
