"""Weaknesses numbered or told apart inside one paragraph: `(1) … (2) …`, parts between semicolons, `First, … Second, …`."""

from __future__ import annotations

import re

from .blocks import Block
from .language import MATERIAL_WEAKNESS, Sentence, sentences
from .weakness_words import ABSENT, ANSWER, CONSEQUENCE, SEVERAL, Weakness, answers, leaves, not_existing

_NUMBER = re.compile(
    r"(?:^|(?<=[\s;,:]))(?:\((?P<both>\d|[ivx]{1,4}|[a-jA-J])\)\s*|(?P<right>\d|[ivx]{1,4}|[a-j])\)\s+|(?P<point>\d|[IVX]{1,4})\.\s+(?=[A-Z]))"
)
_SEQUENCES = (
    tuple("123456789"),
    tuple("abcdefghij"),
    tuple("ABCDEFGHIJ"),
    ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"),
    ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"),
)
_COMMA = re.compile(
    r",\s+(?:and\s+|or\s+)?|\s+and\s+(?=(?:an?\s+|the\s+)?(?:lack|no|insufficient|inadequate|ineffective|absence|limited)\b)",
    re.IGNORECASE,
)
_KINDS = re.compile(r"material\s+weakness|significant\s+deficienc", re.IGNORECASE)
_FIRST = re.compile(
    r"first(?:ly)?,\s|(?:the\s+)?(?:first|one)\s+(?:of\s+(?:these|the|which)\s+(?:\w+\s+)*)?(?:material\s+weakness|weakness|deficiency|relate|concern|is\b|was\b)",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"(?:second|third|fourth|fifth|sixth|final|last)(?:ly)?,\s|(?:the\s+)?(?:second|third|fourth|fifth|sixth|final|last|other)\s+(?:material\s+weakness|weakness|deficiency|relate|concern|is\b|was\b)",
    re.IGNORECASE,
)


def in_one_sentence(lines: list[Block], text: str) -> list[Weakness]:
    """A list in one paragraph: `(1) … (2) …`, or parts between semicolons or commas after a colon."""
    for block in lines:
        if not MATERIAL_WEAKNESS.search(block.text):
            continue
        told = _whole(sentences(text[block.start : block.end]))
        for position, sentence in enumerate(told):
            if (
                MATERIAL_WEAKNESS.search(sentence.text) is None
                or not_existing(sentence.text)
                or ANSWER.search(sentence.text[:200])
            ):
                continue
            start = block.start + sentence.start
            raw = text[start : block.start + sentence.end]
            named = raw.lower().find("material")
            last = sentence
            if position + 1 < len(told) and not (
                not_existing(told[position + 1].text) or ANSWER.search(told[position + 1].text[:200])
            ):
                last = told[position + 1]
            if numbered := _numbered(text[start : block.end], named, last.end - sentence.start):
                return _parts(text[start : block.end], start, numbered)
            colon = raw.find(":", named)
            if colon < 0 or not _of_weaknesses(raw[:colon]):
                continue
            if enumerated := _enumerated(raw, colon + 1):
                return _parts(raw, start, enumerated)
            if raw.count(";", colon) >= 1:
                cuts = [colon + 1, *(colon + 1 + m.end() for m in re.finditer(";", raw[colon + 1 :]))]
                return _parts(raw, start, list(zip(cuts, [*(cut - 1 for cut in cuts[1:]), len(raw)], strict=True)))
    return []


def _of_weaknesses(lead: str) -> bool:
    """Whether the last kind of finding that a lead-in names is the material weakness."""
    kinds = _KINDS.findall(lead)
    return bool(kinds) and kinds[-1].lower().startswith("material")


def _numbered(rest: str, named: int, latest: int) -> list[tuple[int, int]]:
    """Edges of the parts that numbers in sequence (1, 2, 3; a, b; i, ii) open, from the naming sentence on.

    Args:
        rest: the paragraph from the naming sentence on.
        named: where it names the weaknesses.
        latest: where the first number has to stand before.
    """
    marks = [(m, m.lastgroup, m[m.lastgroup or 0]) for m in _NUMBER.finditer(rest, named)]
    for shape in ("both", "right", "point"):
        for sequence in _SEQUENCES:
            chain: list[re.Match[str]] = []
            for match, kind, label in marks:
                if kind == shape and len(chain) < len(sequence) and label == sequence[len(chain)]:
                    chain.append(match)
            if len(chain) < 2 or chain[0].start() > latest or not _of_weaknesses(rest[: chain[0].start()]):
                continue
            last = chain[-1].end()
            end = next((last + s.end for s in sentences(rest[last:])), len(rest))
            return list(zip((m.end() for m in chain), [*(m.start() for m in chain[1:]), end], strict=True))
    return []


def _enumerated(raw: str, first: int) -> list[tuple[int, int]]:
    """Edges of parts between commas, where every part says what is missing: `no X, lack of Y and inadequate Z`."""
    if ";" in raw[first:]:
        return []
    commas = list(_COMMA.finditer(raw[first:]))
    if not commas or not re.search(r"\b(?:and|or)\b", commas[-1][0]):
        return []
    cuts = [first, *(first + m.end() for m in commas)]
    edges = list(zip(cuts, [*(cut - 1 for cut in cuts[1:]), len(raw)], strict=True))
    return edges if len(edges) >= 2 and all(ABSENT.match(raw[a:b].strip()) for a, b in edges) else []


def _whole(told: list[Sentence]) -> list[Sentence]:
    """Sentences whose list was cut at its semicolons, in one again."""
    joined: list[Sentence] = []
    for sentence in told:
        last = joined[-1] if joined else None
        if last is not None and last.text.endswith(";"):
            joined[-1] = Sentence(last.start, sentence.end, f"{last.text} {sentence.text}", last.block)
        else:
            joined.append(sentence)
    return joined


def by_ordinal(lines: list[Block], text: str) -> list[Weakness]:
    """`First, … Second, …` or `The first … The second …` after a sentence that names several weaknesses."""
    found: list[Weakness] = []
    if not SEVERAL.search(text):
        return found
    before = ""
    for block in lines:
        if found and (answers(block) or leaves(block)):
            break
        told = sentences(text[block.start : block.end])
        inside = False
        for sentence in told:
            opens = (_NEXT if found else _FIRST).match(sentence.text) is not None
            if opens and (found or (SEVERAL.search(before) and not not_existing(before))):
                found.append(Weakness(block.start + sentence.start, block.start + sentence.end, "prose", None))
                inside = True
            elif inside and not (
                MATERIAL_WEAKNESS.search(sentence.text)
                or ANSWER.search(sentence.text)
                or CONSEQUENCE.match(sentence.text)
            ):
                found[-1] = Weakness(found[-1].start, block.start + sentence.end, "prose", None)
            else:
                inside = False
            before = sentence.text
    return found if len(found) >= 2 else []


def _parts(raw: str, start: int, edges: list[tuple[int, int]]) -> list[Weakness]:
    found = []
    for first, last in edges:
        piece = re.sub(r"^(?:\s|,|and\b|or\b)+", "", raw[first:last])
        begin = last - len(piece)
        piece = re.sub(r"(?:[\s,;.]|\band)+$", "", piece)
        if len(piece) > 2:
            found.append(Weakness(start + begin, start + begin + len(piece), "list_item", None))
    return found
