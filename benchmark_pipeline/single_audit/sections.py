"""Condition and cause of a finding, cut from its text by the auditor's own labels.

The parts are those of Government Auditing Standards 6.17-6.28 (criteria, condition, cause, effect). Auditors label them
in their own ways, and many filed texts have lost their line breaks ("…expenditures.Cause:Lack of…"), so a label is
recognised by its words, by the capital it starts with and by the mark behind it, never by the start of a line alone.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from .text import clean, single_spaced

Part = Literal["condition", "cause", "context", "other"]


class Label(NamedTuple):
    """A label found in a text: its part, and where its words start and the labelled text begins."""

    part: Part
    start: int
    content: int


class Parts(NamedTuple):
    """What was cut; null where the text has no such label."""

    condition: str | None
    cause: str | None


_JOIN = r"\s*(?:and|&|/|,)\s*(?:and\s+)?"
# Order matters: a longer label comes before the one that starts like it.
_VOCABULARY: tuple[tuple[Part, str], ...] = (
    ("other", r"(?:possible\s+(?:asserted\s+)?|potential\s+)?effects?\s+of\s+(?:the\s+)?conditions?"),
    ("cause", r"causes?\s+of\s+(?:the\s+)?conditions?"),
    ("cause", rf"context,\s*cause{_JOIN}effects?"),
    ("condition", r"(?:(?:statement|description|nature|summary)\s+of\s+)?(?:the\s+)?conditions?(?:\s+(?:found|noted))?"
                  rf"(?:{_JOIN}(?:context|criteria|perspective|description|cause)(?:\s+information)?)?"),
    ("condition", rf"criteria{_JOIN}conditions?"),
    ("cause", rf"(?:(?:root|underlying|possible|probable)\s+)?causes?(?:{_JOIN}(?:possible\s+|potential\s+)?effects?)?"),
    ("context", rf"context(?:{_JOIN}(?:sampling|perspective|effect))?"),
    ("context", r"perspective(?:\s+information)?"),
    ("other", r"criteria(?:\s+or\s+specific\s+requirements?|(?:\s*/\s*|\s+and\s+)specific\s+requirements?)?"),
    ("other", rf"(?:possible\s+(?:asserted\s+)?|potential\s+)?effects?(?:(?:\s+or|{_JOIN})\s*(?:potential\s+|possible\s+)?(?:effects?|cause))?"),
    ("other", r"(?:known\s+|likely\s+)?questioned\s+costs?(?:\s+and\s+disallowances|\s+amount)?"),
    ("other", r"identification\s+of\s+(?:how\s+questioned\s+costs?\s+were\s+computed|(?:a\s+)?repeat\s+findings?)"),
    ("other", r"(?:auditor'?s?'?\s+|audit\s+)?recommendations?"),
    ("other", r"views?\s+of\s+(?:the\s+)?responsible\s+officials?(?:\s+(?:and|of)\s+(?:the\s+)?(?:planned\s+)?(?:corrective\s+actions?|auditee)(?:\s+plans?)?)?"),
    ("other", r"(?:planned\s+)?corrective\s+actions?(?:\s+plans?)?"),
    ("other", r"(?:[A-Z][\w-]{1,30}'?s?'?\s+){0,2}(?:responses?|reply)"),
    ("other", r"(?:identification\s+as\s+a\s+)?repeat(?:ed)?\s+findings?(?:\s+from\s+prior\s+years?(?:\(s\))?)?"),
    ("other", r"prior\s+(?:year\s+)?(?:audit\s+)?findings?"),
    ("other", r"statistically\s+valid(?:ity)?(?:\s+(?:of\s+)?sample)?"),
    ("other", r"types?\s+of\s+findings?|findings?\s+types?|classification"),
    ("other", r"(?:type\s+of\s+)?compliance\s+(?:requirements?|area)"),
    ("other", r"auditor'?s?'?\s+concluding\s+remarks|finding\s+resolution\s+status|reference|contact(?:\s+person)?"),
    ("other", r"background|universe(?:\s*/?\s*population)?(?:\s+size)?|population|sample\s+size(?:\s+information)?"),
    ("other", r"(?:person|individual|party|official)s?\s+responsible(?:\s+for\s+corrective\s+action)?"),
)  # fmt: skip
_LABELS = "|".join(f"(?P<g{i}>{words})" for i, (_, words) in enumerate(_VOCABULARY))
_BEFORE = r"(?:(?<=\n)|^|(?<=[.;:)\]”\"’'%\d?!*–-])|(?<=[a-z])|(?<=\s))"
_NUMBERING = re.compile(r"\s*(?:\(?[A-Za-z\d]{1,2}[.)])?\s*")
_AFTER = r"(?:\s*\(?S-\d{4}-\d{3}\)?)?\s*(?:(?P<mark>[:—–]|-(?=\s)|\s-\s)|(?P<gap>  (?=\S))|(?P<line>(?=\.?\n)|$))"
_LABEL = re.compile(rf"{_BEFORE}(?P<words>{_LABELS}){_AFTER}", re.I)
_SEE_CONTEXT = re.compile(r"\W*(?:see|refer\s+to)\s+(?:the\s+)?(?:context|below|perspective)\W*", re.I)
_SEE_CONDITION = re.compile(
    r"\W*(?:see|refer\s+to|same\s+as)\s+(?:the\s+)?(?:\W?condition\W?|above|effect)\b.{0,20}", re.I
)
_CODE = re.compile(r"^\s*\(?S-\d{4}-\d{3}\)?\s*")


def labels(text: str) -> list[Label]:
    """All labels of a cleaned text, in order.

    A label starts with a capital. Inside a line it must be followed by a colon or a dash; a heading alone on its line
    needs no mark.
    """
    straight = text.replace("’", "'").replace("‘", "'")
    found: list[Label] = []
    for match in _LABEL.finditer(straight):
        words = match.group("words")
        start = match.start("words")
        at_line_start = _NUMBERING.fullmatch(straight[straight.rfind("\n", 0, start) + 1 : start]) is not None
        # Joined labels may be written in small letters after the first word ("Condition and context"), never before it.
        if not words[0].isupper():
            continue
        after_sentence = match.group("gap") is not None and straight[start - 1 : start] in (".", ")")
        if match.group("mark") is None and not (at_line_start or after_sentence):
            continue
        part = next(part for i, (part, _) in enumerate(_VOCABULARY) if match.group(f"g{i}") is not None)
        found.append(Label(part, start, match.end()))
    return found


def cut(text: str) -> Parts:
    """Condition and cause of a finding's text.

    Each runs from its label to the next label of any kind; a part that is labelled twice is joined. A condition that
    only says "see context" is the context.
    """
    cleaned = clean(text)
    found = labels(cleaned)
    pieces: dict[Part, list[str]] = {}
    ends = [label.start for label in found[1:]] + [len(cleaned)]
    for label, end in zip(found, ends, strict=False):
        content = _tidy(cleaned[label.content : end])
        if content:
            pieces.setdefault(label.part, []).append(content)
    condition = _joined(pieces.get("condition"))
    if condition is not None and _SEE_CONTEXT.fullmatch(condition):
        condition = _joined(pieces.get("context"))
    cause = _joined(pieces.get("cause"))
    if cause is not None and _SEE_CONDITION.fullmatch(cause):
        cause = None
    return Parts(condition, cause)


def _tidy(text: str) -> str:
    text = _CODE.sub("", text)
    # A numbering such as "9." or "b)" belongs to the label that follows.
    text = re.sub(r"\s+\(?(?:\d{1,2}|[a-zA-Z])[.)]\s*$", "", text)
    return single_spaced(text).strip(" \n:–—-\t")


def _joined(pieces: list[str] | None) -> str | None:
    return "\n".join(pieces) if pieces else None
