"""Weaknesses told in prose: a list inside a sentence, a passage under its own heading, a sentence that says what it is."""

from __future__ import annotations

import re

from .blocks import Block
from .language import DCP, MATERIAL_WEAKNESS, Sentence, sentences
from .weakness_words import (
    ABSENT,
    ANSWER,
    CONSEQUENCE,
    DEFICIENT,
    DEFINITION,
    DENIES,
    NAMED_HEADING,
    REMEDIATED,
    TURNS,
    Weakness,
    answers,
    leaves,
)

_INLINE_NUMBER = re.compile(r"(?:^|[\s;,:])\((?:\d|[ivx]{1,3}|[a-h])\)\s+")
_RUN_IN = re.compile(r"^(?:the\s+|our\s+)?material\s+weakness(?:es)?\s*[.:\u2013\u2014-]\s+(?=\S)", re.IGNORECASE)
_FOLLOWS = re.compile(
    r"following\s+(?:\w+\s+){0,3}material\s+weakness(?:es)?\s*[.:]?$|material\s+weakness(?:es)?[^.]{0,60}\b(?:as\s+follows|was\s+this|is\s+this|is\s+the\s+following|was\s+the\s+following|were\s+these|described\s+next)\s*[.:]?$",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"\bfollowing\b[^.]*:$|\bas\s+follows\s*[.:]$|material\s+weakness(?:es)?[^.;]{0,120}:$", re.IGNORECASE
)
"""The end of a sentence that opens a list."""
_SEVERAL_HEADING = re.compile(
    r"(?:(?:the|our|existing|identified)\s+)?material\s+weaknesses(?:\s+identified)?$", re.IGNORECASE
)
_SEMICOLON = re.compile(r";(?:\s*(?:and|or))?$", re.IGNORECASE)
_NUMBERED_HEADING = re.compile(
    r"material\s+weakness\s*(?:#|no\.?|number)?\s*(?:\d{1,2}|[IVX]{1,4}|[A-E]|one|two|three|four)\s*[-:.\u2013\u2014]",
    re.IGNORECASE,
)
_BELOW = re.compile(
    r"material\s+weaknesses\b[^.;]{0,60}\b(?:described|discussed|set\s+forth|noted|listed|identified|outlined|summari[sz]ed|presented)\s+below\s*[.:]?$",
    re.IGNORECASE,
)
_RUN_IN_TITLE = re.compile(r"([A-Z][^.:;]{3,90}?)(?:[.:]|\s[\u2013\u2014-])\s+(?=[A-Z])")
_VERB = re.compile(r"\b(?:is|are|was|were|did|does|do|has|have|had|we|our|it|they)\b", re.IGNORECASE)
"""What a title does not hold."""
_ORDINAL = re.compile(r"(?:first|second|third|fourth|fifth)(?:ly)?,\s", re.IGNORECASE)
_DESCRIBES = re.compile(
    r"relat(?:es|ed|ing)\s+to|\b(?:concern|pertain|involv|stem|lie)\w*\b|due\s+to|because|result(?:ing|s|ed)?\s+(?:from|of|in)|with\s+respect\s+to|regarding|consist\w*\s+of|\black|insufficient|did\s+not|\bin\s+the\s+(?:design|operation|area)"
    r"|^(?:the|this|our|one|a|that)\s+(?:\w+\s+){0,2}material\s+weakness(?:es)?\s+(?:\w+\s+){0,2}(?:is|was|were|are)\s+(?!remediated|described|discussed|reported|identified\s*[.,]|set\s+forth|defined|present|a\s+deficiency)"
    r"|material\s+weakness(?:es)?\s+(?:in|over|surrounding|around|concerning|at)\s+(?!(?:our|its|the\s+company\S*|the)\s+internal\s+control\s+over\s+financial\s+reporting\s*[.,])",
    re.IGNORECASE,
)
"""What the weakness is, told in the sentence that names it."""
_MENTIONS_ONLY = re.compile(
    r"(?:due\s+to|because\s+of|by\s+reason\s+of|on\s+account\s+of|as\s+a\s+result\s+of|given|in\s+light\s+of|notwithstanding|despite|since|based\s+on[^,.]{0,40}and)\s+(?:the|such|these|this|those|certain|a|an|one|two|three|our|effect\s+of\s+the)?\s*(?:effect\s+of\s+the\s+)?(?:previously\s+identified\s+|aforementioned\s+|identified\s+|foregoing\s+)?material\s+weakness(?:es)?(?:\s+or\s+weaknesses)?\s*(?:$|\.|,|described|discussed|identified|noted|reported|dealt|listed|set\s+(?:forth|out)|above|below|mentioned|they|it|management|we|our\s+(?:disclosure|internal))"
    r"|since\s+a\s+material\s+weakness|will\s+not\s+be\s+considered|\bidentified\s+material\s+weaknesses?,|expresses\s+an\s+adverse|material\s+weakness(?:es)?\s+did\s+not",
    re.IGNORECASE,
)
"""The weakness as a cause, described elsewhere."""
_COMMA = re.compile(
    r",\s+(?:and\s+|or\s+)?|\s+and\s+(?=(?:an?\s+|the\s+)?(?:lack|no|insufficient|inadequate|ineffective|absence|limited)\b)",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(r"\b(?:concluded|determined|assessment|evaluation)\b", re.IGNORECASE)
_DEEMED = re.compile(
    r"^(?:this|these|which)\s+(?:in\s+turn\s+)?(?:constitut|represent|amount)\w*\b[^.]{0,60}material\s+weakness"
    r"|^(?:this|these|such|the|each\s+of\s+these)\s+(?:\w+\s+){0,3}?(?:deficienc(?:y|ies)|matters?|errors?|issues?|failures?|conditions?)\b[^.]{0,80}?\b(?:constitut|represent|amount|result|was|were|is|are)\w*\b[^.]{0,60}material\s+weakness",
    re.IGNORECASE,
)
"""A sentence that calls what was told before it a weakness."""
_SEVERAL = re.compile(
    r"material\s+weaknesses\b|(?:another|second|additional|also\s+identified\s+a)\s+material\s+weakness", re.IGNORECASE
)


def in_one_sentence(lines: list[Block], text: str) -> list[Weakness]:
    """A list in one sentence: parts between semicolons after a colon, or `(1) … (2) …`."""
    for block in lines:
        if not MATERIAL_WEAKNESS.search(block.text):
            continue
        for sentence in _whole(sentences(text[block.start : block.end])):
            if (
                MATERIAL_WEAKNESS.search(sentence.text) is None
                or not_existing(sentence.text)
                or ANSWER.search(sentence.text[:200])
            ):
                continue
            raw = text[block.start + sentence.start : block.start + sentence.end]
            start = block.start + sentence.start
            named = raw.lower().find("material")
            numbers = [m for m in _INLINE_NUMBER.finditer(raw) if m.start() > named]
            colon = raw.find(":", named)
            if len(numbers) >= 2:
                edges = zip((m.end() for m in numbers), [*(m.start() for m in numbers[1:]), len(raw)], strict=True)
                return _parts(raw, start, list(edges))
            if colon >= 0 and (enumerated := _enumerated(raw, colon + 1)):
                return _parts(raw, start, enumerated)
            if colon >= 0 and raw.count(";", colon) >= 1:
                cuts = [colon + 1, *(colon + 1 + m.end() for m in re.finditer(";", raw[colon + 1 :]))]
                return _parts(raw, start, list(zip(cuts, [*(cut - 1 for cut in cuts[1:]), len(raw)], strict=True)))
    return []


def _enumerated(raw: str, first: int) -> list[tuple[int, int]]:
    """Edges of parts between commas, where every part says what is missing: `no X, lack of Y and inadequate Z`."""
    if ";" in raw[first:]:
        return []
    cuts = [first, *(first + m.end() for m in _COMMA.finditer(raw[first:]))]
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


def after_lead_in(lines: list[Block]) -> list[Weakness]:
    """Paragraphs after `the following material weaknesses:`, each with a title or none; fewer than two are no list."""
    for index, block in enumerate(lines):
        lead = list(sentences(block.text))[-1].text if block.text else ""
        heading = block.is_heading and _SEVERAL_HEADING.match(block.words) is not None
        if not heading and (not (_LEADS.search(lead) and _SEVERAL.search(lead)) or not_existing(lead)):
            continue
        rest = lines[index + 1 :]
        if not heading and (parts := _between_semicolons(rest)):
            return parts
        titled = bool(rest) and rest[0].is_heading
        # Under a heading alone, paragraphs without titles may tell one weakness at length.
        if heading and not titled:
            continue
        found: list[Weakness] = []
        open_from: Block | None = None
        for following in rest:
            if answers(following) or CONSEQUENCE.match(following.words) or DEFINITION.search(following.text):
                break
            if titled and following.is_heading:
                if open_from is not None or TURNS.match(following.words):
                    break
                open_from = following
            elif TURNS.match(following.words) or not DEFICIENT.search(following.words[:400]):
                break
            elif titled and open_from is None and found:
                found[-1] = Weakness(found[-1].start, following.end, "run_in_heading", None)
            else:
                start = open_from.start if open_from is not None else following.start
                found.append(Weakness(start, following.end, "run_in_heading" if titled else "prose", None))
                open_from = None
        if len(found) >= 2:
            return found
    return []


def _between_semicolons(rest: list[Block]) -> list[Weakness]:
    """Lines without markers that end with semicolons, and the one that closes them."""
    last = next((n for n, block in enumerate(rest) if not _SEMICOLON.search(block.text)), len(rest))
    if not 1 <= last < len(rest):
        return []
    return [Weakness(block.start, block.end, "list_item", None) for block in rest[: last + 1]]


def numbered_headings(lines: list[Block]) -> list[Weakness]:
    """Passages under `Material weakness 1`, `Material weakness 2`, each as a heading or run in."""
    starts = [n for n, block in enumerate(lines) if _NUMBERED_HEADING.match(block.words)]
    found: list[Weakness] = []
    for position, index in enumerate(starts):
        end = starts[position + 1] if position + 1 < len(starts) else len(lines)
        passage = [lines[index]]
        for following in lines[index + 1 : end]:
            if leaves(following) or answers(following) or CONSEQUENCE.match(following.words):
                break
            passage.append(following)
        found.append(Weakness(passage[0].start, passage[-1].end, "run_in_heading", None))
    return found if len(found) >= 2 else []


def as_many_as_stated(lines: list[Block], stated: int) -> list[Weakness]:
    """The paragraphs after a sentence that states a number of weaknesses, where they are as many as it states."""
    for index, block in enumerate(lines):
        if not _SEVERAL.search(block.text) or not_existing(block.text):
            continue
        found: list[Weakness] = []
        for following in lines[index + 1 :]:
            if DEFINITION.search(following.text) and not found:
                continue
            if leaves(following) or answers(following) or CONSEQUENCE.match(following.words):
                break
            if TURNS.match(following.words) or not DEFICIENT.search(following.words[:400]):
                break
            found.append(Weakness(following.start, following.end, "prose", None))
        if len(found) == stated:
            return found
    return []


def titled_below(lines: list[Block]) -> list[Weakness]:
    """Paragraphs with a run-in title each, under `the material weaknesses described below`; one alone is no list."""
    for index, block in enumerate(lines):
        lead = list(sentences(block.text))[-1].text if block.text else ""
        if not _BELOW.search(lead) or not_existing(lead):
            continue
        found: list[Weakness] = []
        for following in lines[index + 1 :]:
            title = _RUN_IN_TITLE.match(following.words)
            if title is None or _VERB.search(title[1]) or not DEFICIENT.search(following.words[:400]):
                break
            if answers(following) or CONSEQUENCE.match(following.words) or TURNS.match(following.words):
                break
            found.append(Weakness(following.start, following.end, "run_in_heading", None))
        if len(found) >= 2:
            return found
    return []


def by_ordinal(lines: list[Block], text: str) -> list[Weakness]:
    """`First, … Second, …` after a sentence that names several weaknesses, in one paragraph."""
    for block in lines:
        told = list(sentences(text[block.start : block.end]))
        firsts = [n for n, sentence in enumerate(told) if _ORDINAL.match(sentence.text)]
        if len(firsts) < 2 or not _SEVERAL.search(told[firsts[0] - 1].text if firsts[0] else ""):
            continue
        if any(not_existing(sentence.text) for sentence in told[: firsts[0]]):
            continue
        lasts = [n - 1 for n in firsts[1:]] + firsts[-1:]
        return [
            Weakness(block.start + told[a].start, block.start + told[b].end, "prose", None)
            for a, b in zip(firsts, lasts, strict=True)
        ]
    return []


def under_heading(lines: list[Block]) -> list[Weakness]:
    """The passage under `Material weakness`, as a heading of its own or run in; it ends where another matter begins."""
    for index, block in enumerate(lines):
        run_in = _RUN_IN.match(block.text)
        if run_in and len(block.text) > 120:
            return [Weakness(block.start, block.end, "run_in_heading", None)]
        if not (block.is_heading and NAMED_HEADING.match(block.words)):
            continue
        passage: list[Block] = []
        for following in lines[index + 1 :]:
            if leaves(following) or answers(following) or CONSEQUENCE.match(following.words):
                break
            if passage and not re.match(
                r"specifically|in\s+particular|this|these|for\s+example", following.words, re.IGNORECASE
            ):
                break
            passage.append(following)
        if passage and not MATERIAL_WEAKNESS.search(passage[0].text):
            return [Weakness(passage[0].start, passage[-1].end, "prose", None)]
    return []


def in_prose(lines: list[Block], text: str) -> list[Weakness]:
    """Paragraphs that say what a present weakness is; each block counts once, from the telling sentence on.

    Where disclosure controls are said to fail because of the same weakness, the passage on ICFR is the one taken.
    """
    found: list[tuple[bool, Weakness]] = []
    for index, block in enumerate(lines):
        if not MATERIAL_WEAKNESS.search(block.text):
            continue
        told = list(sentences(text[block.start : block.end]))
        for position, sentence in enumerate(told):
            following = lines[index + 1] if index + 1 < len(lines) else None
            weakness = _told(block, told, position, following)
            if weakness is not None:
                found.append((bool(DCP.search(sentence.text)), weakness))
                break
    own = [weakness for about_dcp, weakness in found if not about_dcp] or [weakness for _, weakness in found]
    return own if _SEVERAL.search(text) else own[:1]


def _told(block: Block, told: list[Sentence], position: int, following: Block | None) -> Weakness | None:
    said = told[position].text
    if not MATERIAL_WEAKNESS.search(said) or not_existing(said) or CONSEQUENCE.match(said):
        return None
    if ANSWER.search(said) and not re.search(r"identified|existed|conclude", said, re.IGNORECASE):
        return None
    if _FOLLOWS.search(said):
        if position + 1 < len(told):
            return Weakness(block.start + told[position + 1].start, block.end, "prose", None)
        if following is not None and not leaves(following):
            return Weakness(following.start, following.end, "prose", None)
        return None
    if _DEEMED.match(said):
        # What it is stands before: the deficient sentences directly above, in the same block.
        first = position
        while first and DEFICIENT.search(told[first - 1].text) and not _told_apart(told[first - 1].text):
            first -= 1
        if first == position and position and not _told_apart(told[position - 1].text):
            first -= 1
        if first < position:
            return Weakness(block.start + told[first].start, block.start + told[position].end, "prose", None)
    if not _DESCRIBES.search(said) or _MENTIONS_ONLY.search(said):
        return None
    end = block.end
    if following is not None and re.match(r"specifically|in\s+particular", following.text, re.IGNORECASE):
        end = following.end
    return Weakness(block.start + told[position].start, end, "prose", None)


def _told_apart(sentence: str) -> bool:
    """Whether a sentence speaks of weaknesses in general, or concludes."""
    return (
        not_existing(sentence)
        or MATERIAL_WEAKNESS.search(sentence) is not None
        or _CONCLUDES.search(sentence) is not None
    )


def not_existing(sentence: str) -> bool:
    """Whether a sentence denies a weakness, defines one or tells one as remediated."""
    return any(pattern.search(sentence) for pattern in (DEFINITION, DENIES, REMEDIATED))


def _parts(raw: str, start: int, edges: list[tuple[int, int]]) -> list[Weakness]:
    found = []
    for first, last in edges:
        piece = re.sub(r"^(?:\s|,|and\b|or\b)+", "", raw[first:last])
        begin = last - len(piece)
        piece = re.sub(r"(?:[\s,;.]|\band)+$", "", piece)
        if len(piece) > 2:
            found.append(Weakness(start + begin, start + begin + len(piece), "list_item", None))
    return found
