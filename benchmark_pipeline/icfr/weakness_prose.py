"""Weaknesses told in prose: a passage under its own heading, or a sentence that says what the weakness is."""

from __future__ import annotations

import re

from .blocks import Block, component_heading
from .language import DCP, MATERIAL_WEAKNESS, Sentence, sentences
from .predicates import predicates
from .weakness_words import (
    ANOTHER,
    ANSWER,
    CONSEQUENCE,
    CURED,
    DEFICIENT,
    EARLIER,
    INTRODUCES,
    NAMED_HEADING,
    SEVERAL,
    Weakness,
    answers,
    leaves,
    not_existing,
)

_RUN_IN = re.compile(r"^(?:the\s+|our\s+)?material\s+weakness(?:es)?\s*[.:\u2013\u2014-]\s+(?=\S)", re.IGNORECASE)
_FOLLOWS = re.compile(
    r"following\s+(?:\w+\s+){0,3}material\s+weakness(?:es)?\s*[.:]?$|material\s+weakness(?:es)?[^.]{0,60}\b(?:as\s+follows|was\s+this|is\s+this|is\s+the\s+following|was\s+the\s+following|were\s+these|described\s+next)\s*[.:]?$",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(
    r"\b(?:deficien\w+|failure\w*)\b[^.]{5,200}\b(?:that|which)\s+(?:\w+\s+){0,3}(?:constitut|represent|amount)\w*\b[^.]{0,50}\ba\s+material\s+weakness"
    r"|\b(?:an?|one|following)\s+(?:\w+\s+)?material\s+weakness\s*:\s+\w|relat(?:es|ed|ing)\s+to|\b(?:concern|pertain|involv|stem|lie)\w*\b|due\s+to|because|result(?:ing|s|ed)?\s+(?:from|of|in)|with\s+respect\s+to|regarding|consist\w*\s+of|\black|insufficient|did\s+not|\bin\s+the\s+(?:design|operation|area)"
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
_ONE_AND_ANOTHER = re.compile(
    r"(?P<and>[,;]?\s+and)\s+(?=(?:an\s+additional|another|a\s+(?:second|separate|further))\s+material\s+weakness)"
    r"|(?<=\ba\smaterial\sweakness\s)[^.]{5,}?(?P<twice>[,;]?\s+and)\s+(?=(?:because\s+of\s+|due\s+to\s+|by\s+|of\s+|in\s+)?a\s+material\s+weakness\b)"
    r"|two\s+(?:\w+\s+)?material\s+weaknesses\b[^.]*?\bone\b[^.]{10,}?(?P<and_>[,;]?\s+and)\s+(?=(?:the\s+other|the\s+second|another|one|a\s+second)\b)",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(r"\b(?:concluded|determined|assessment|evaluation)\b", re.IGNORECASE)
_DEEMED = re.compile(
    r"^(?:this|these|which|it),?\s+(?:in\s+turn\s+|too,?\s+|also\s+)?(?:constitut|represent|amount|is|are|was|were|r[io]se)\w*\b[^.]{0,60}material\s+weakness"
    r"|^(?:we|the\s+company|management)\s+(?:regard|consider|view|deem)(?:s|ed)?\s+(?:this|these|it|them|that)\b[^.]{0,60}material\s+weakness"
    r"|^(?:(?:accordingly|therefore|thus|as\s+a\s+result|consequently|(?:since|because|as)\b[^,.]*),\s+)?(?:we|the\s+company|management)\s+(?:has\s+|have\s+)?(?:determined|concluded|believes?)\s+(?:that\s+)?"
    r"(?:this|these|such|each\s+of\s+these)\s+(?:\w+\s+){0,2}(?:deficienc\w+|circumstances?|conditions?|matters?)\b[^.]{0,60}material\s+weakness"
    r"|^(?:this|these|such|the|each\s+of\s+these)\s+(?:\w+\s+){0,3}?(?:deficienc(?:y|ies)|weakness(?:es)?|matters?|errors?|issues?|failures?|conditions?)\b[^.]{0,80}?\b(?:constitut|represent|amount|result|was|were|is|are)\w*\b[^.]{0,60}material\s+weakness",
    re.IGNORECASE,
)
"""A sentence that calls what was told before it a weakness."""


def under_heading(lines: list[Block]) -> list[Weakness]:
    """The passage under `Material weakness`, as a heading of its own or run in; it ends where another matter begins."""
    for index, block in enumerate(lines):
        run_in = _RUN_IN.match(block.text)
        if run_in and len(block.text) > 120:
            return [Weakness(block.start, block.end, "run_in_heading", None)]
        if not (block.is_heading and NAMED_HEADING.match(block.words)):
            continue
        if re.search(r"weakness(?:es)?\s.*\b(?:remediat|remed|action|status|plan)", block.words, re.IGNORECASE):
            continue  # the first row of a table
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
        if block.is_heading or not MATERIAL_WEAKNESS.search(block.text):
            continue
        told = list(sentences(text[block.start : block.end]))
        following = lines[index + 1] if index + 1 < len(lines) else None
        first = True
        for position, sentence in enumerate(told):
            if not first and not (ANOTHER.search(sentence.text) or _called(sentence.text)):
                continue
            weakness = _told(block, told, position, following)
            if weakness is None:
                continue
            component = component_heading(block.words)
            if first and component is not None:
                weakness = Weakness(block.start, weakness.end, "run_in_heading", component)
            if not first:
                last = found[-1][1]
                found[-1] = (found[-1][0], Weakness(last.start, weakness.start - 1, last.kind, None))
            found.append((bool(DCP.search(sentence.text)), weakness))
            first = False
    own = [weakness for about_dcp, weakness in found if not about_dcp] or [weakness for _, weakness in found]
    if not own:
        own = _told_before(lines, text)
    if not (SEVERAL.search(text) or ANOTHER.search(text)):
        called = [weakness for weakness in own if INTRODUCES.search(text[weakness.start : weakness.end])]
        own = called if len(called) > 1 else own[:1]
    return [part for weakness in own for part in _split(weakness, text)]


def _split(weakness: Weakness, text: str) -> list[Weakness]:
    """The two weaknesses of one sentence: `a material weakness in X, and another in Y`, `one in X and the other in Y`."""
    raw = text[weakness.start : weakness.end]
    cut = _ONE_AND_ANOTHER.search(raw)
    if cut is None:
        return [weakness]
    middle = weakness.start + cut.end()
    return [
        Weakness(weakness.start, weakness.start + cut.start(cut.lastgroup or 0), "prose", None),
        Weakness(middle, weakness.end, "prose", None),
    ]


def _told_before(lines: list[Block], text: str) -> list[Weakness]:
    """What `This material weakness resulted in …` points back to: the deficient sentence before it."""
    for block in lines:
        told = sentences(text[block.start : block.end]) if MATERIAL_WEAKNESS.search(block.text) else []
        for position, sentence in enumerate(told[1:], start=1):
            before = told[position - 1].text
            if (
                re.match(r"this\s+(?:control\s+)?material\s+weakness\b", sentence.text, re.IGNORECASE)
                and DEFICIENT.search(before)
                and not not_existing(before)
                and not MATERIAL_WEAKNESS.search(before)
                and not any(said.subject != "unnamed" for said in predicates(before))
            ):
                start = block.start + told[position - 1].start
                return [Weakness(start, block.start + sentence.end, "prose", None)]
    return []


def _told(block: Block, told: list[Sentence], position: int, following: Block | None) -> Weakness | None:
    said = told[position].text
    if not MATERIAL_WEAKNESS.search(said) or not_existing(said) or CONSEQUENCE.match(said):
        return None
    if ANSWER.search(said) and not re.search(r"identified|existed|conclude", said, re.IGNORECASE):
        return None
    if EARLIER.search(said) and any(CURED.search(later.text) for later in told[position:]):
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
    if not (_DESCRIBES.search(said) or _called(said)) or _MENTIONS_ONLY.search(said):
        return None
    end = block.end
    if following is not None and re.match(r"specifically|in\s+particular", following.text, re.IGNORECASE):
        end = following.end
    return Weakness(block.start + told[position].start, end, "prose", None)


def _called(said: str) -> bool:
    """Whether a sentence tells what is missing and calls it a weakness: `the lack of X constitutes a material weakness`."""
    verdict = INTRODUCES.search(said)
    return verdict is not None and DEFICIENT.search(said[: verdict.start()]) is not None


def _told_apart(sentence: str) -> bool:
    """Whether a sentence speaks of weaknesses in general, or concludes."""
    return (
        not_existing(sentence)
        or MATERIAL_WEAKNESS.search(sentence) is not None
        or _CONCLUDES.search(sentence) is not None
    )
