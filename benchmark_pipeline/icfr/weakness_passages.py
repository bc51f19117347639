"""Weaknesses told in paragraphs of their own after a lead-in or under headings, without the markers of a list."""

from __future__ import annotations

import re
from typing import Literal

from .blocks import Block
from .language import sentences
from .weakness_words import (
    ABSENT,
    ANSWER,
    CONSEQUENCE,
    DEFICIENT,
    DEFINITION,
    NOT_SAID,
    SEVERAL,
    TURNS,
    Weakness,
    answers,
    leaves,
    not_existing,
    turns_away,
)

_LEADS = re.compile(
    r"\bfollowing\b[^.]*:$|(?:following|below)\s+(?:is|are)\s+[^.]{0,60}material\s+weaknesses\s*[.:]$|following\s+(?:\w+\s+){0,3}material\s+weaknesses\s*[.:]$|\bas\s+follows\s*[.:]$|material\s+weakness(?:es)?[^.;]{0,120}:$",
    re.IGNORECASE,
)
"""The end of a sentence that opens a list."""
_MORE = re.compile(r"\b(?:contribut\w+|additional|further|other|also|led|gave\s+rise)\b", re.IGNORECASE)
_ANYTHING = re.compile(r"\w")
_SEVERAL_HEADING = re.compile(
    r"(?:(?:the|our|existing|identified|description\s+of|discussion\s+of)\s+)*material\s+weaknesses"
    r"(?:\s+identified|\s+(?:in|over|of)\s+(?:our\s+|the\s+)?internal\s+controls?(?:\s+over\s+financial\s+reporting)?)?$",
    re.IGNORECASE,
)
_SEMICOLON = re.compile(r";(?:\s*(?:and|or))?$", re.IGNORECASE)
_NUMBERED_HEADING = re.compile(
    r"material\s+weakness\s*(?:#|no\.?|number)?\s*(?:\d{1,2}|[IVX]{1,4}|[A-E]|one|two|three|four)\s*[-:.\u2013\u2014]",
    re.IGNORECASE,
)
_NAMING_HEADING = re.compile(r"material\s+weakness\s*[-:\u2013\u2014]\s*(?=[A-Z])", re.IGNORECASE)
_BELOW = re.compile(
    r"material\s+weaknesses\b[^.;]{0,60}\b(?:described|discussed|set\s+forth|noted|listed|identified|outlined|summari[sz]ed|presented)\s+below\s*[.:]?$",
    re.IGNORECASE,
)
_RUN_IN_TITLE = re.compile(r"([A-Z][^.:;]{3,90}?)(?:[.:]|\s[\u2013\u2014-])\s+(?=[A-Z])")
_VERB = re.compile(r"\b(?:is|are|was|were|did|does|do|has|have|had|we|our|it|they)\b", re.IGNORECASE)
"""What a title does not hold."""


def after_lead_in(lines: list[Block]) -> list[Weakness]:
    """Paragraphs after `the following material weaknesses:`, each with a title or none; fewer than two are no list."""
    for index, block in enumerate(lines):
        opening = _opening(block)
        if opening is None:
            continue
        rest = lines[index + 1 :]
        while rest and DEFINITION.search(rest[0].text):
            rest = rest[1:]
        titled = bool(rest) and rest[0].is_heading
        if opening == "sentence":
            found = _paragraphs(rest, ABSENT)
        elif opening == "heading":
            # Under a heading alone, paragraphs without titles may tell one weakness at length.
            found = _titled(rest) if titled else []
        else:
            found = _between_semicolons(rest) or _short_items(rest)
            found = found or (_titled(rest) if titled else _paragraphs(rest, DEFICIENT))
        if len(found) >= 2:
            return found
    return []


def added_after(rest: list[Block]) -> list[Weakness]:
    """Paragraphs after a later lead-in to more weaknesses: `This contributed to the following material weaknesses:`."""
    for index, block in enumerate(rest):
        if leaves(block) or answers(block):
            break
        if _opening(block) == "list" and _MORE.search(block.text):
            found = _between_semicolons(rest[index + 1 :]) or _paragraphs(rest[index + 1 :], DEFICIENT)
            return found if len(found) >= 2 else []
    return []


def _opening(block: Block) -> Literal["heading", "list", "sentence"] | None:
    """How a block opens a run of passages: as a heading, with words that open a list, or by naming several."""
    if block.is_heading:
        return "heading" if _SEVERAL_HEADING.match(block.words) else None
    told = sentences(block.text)
    lead = told[-1].text if told else ""
    if not SEVERAL.search(lead) or not_existing(lead):
        return None
    if _LEADS.search(lead):
        return "list"
    if ANSWER.search(lead) or NOT_SAID.search(lead.replace("may be considered", "")) or CONSEQUENCE.match(lead):
        return None
    return "sentence"


def _ends(block: Block) -> bool:
    """Whether a paragraph is none of the weaknesses told one after another."""
    return (
        answers(block)
        or CONSEQUENCE.match(block.words) is not None
        or DEFINITION.search(block.text) is not None
        or TURNS.match(block.words) is not None
        or (block.marker is None and turns_away(block))
    )


def _titled(rest: list[Block]) -> list[Weakness]:
    """Passages under a title each, with the paragraphs and list items that belong to it."""
    found: list[Weakness] = []
    title: Block | None = None
    for block in rest:
        if _ends(block):
            break
        if block.is_heading and block.marker == rest[0].marker:
            if title is not None:
                break
            title = block
        elif title is not None:
            if not DEFICIENT.search(block.words[:400]):
                break
            found.append(Weakness(title.start, block.end, "run_in_heading", None))
            title = None
        elif block.marker is not None or DEFICIENT.search(block.words[:400]):
            found[-1] = Weakness(found[-1].start, block.end, "run_in_heading", None)
        else:
            break
    return found


def _paragraphs(rest: list[Block], tells: re.Pattern[str]) -> list[Weakness]:
    """Paragraphs without titles, each of which tells what is missing."""
    found: list[Weakness] = []
    for block in rest:
        if _ends(block) or (tells.match if tells is ABSENT else tells.search)(block.words[:400]) is None:
            break
        found.append(Weakness(block.start, block.end, "prose", None))
    return found


def _short_items(rest: list[Block]) -> list[Weakness]:
    """Lines without markers that each open with what is missing: `Lack of an audit committee`."""
    found: list[Weakness] = []
    for block in rest:
        if block.marker is not None or not block.is_heading or not ABSENT.match(block.words):
            break
        found.append(Weakness(block.start, block.end, "list_item", None))
    return found if len(found) >= 2 else []


def _between_semicolons(rest: list[Block]) -> list[Weakness]:
    """Lines without markers that end with semicolons, and the one that closes them."""
    last = next((n for n, block in enumerate(rest) if not _SEMICOLON.search(block.text)), len(rest))
    if not 1 <= last < len(rest):
        return []
    return [Weakness(block.start, block.end, "list_item", None) for block in rest[: last + 1]]


def numbered_headings(lines: list[Block]) -> list[Weakness]:
    """Passages under `Material weakness 1` or `Material weakness: Leases`, each as a heading or run in."""
    starts = [
        n
        for n, block in enumerate(lines)
        if _NUMBERED_HEADING.match(block.words) or (block.is_heading and _NAMING_HEADING.match(block.words))
    ]
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
        if not SEVERAL.search(block.text) or not_existing(block.text):
            continue
        rest = lines[index + 1 :]
        while rest and DEFINITION.search(rest[0].text):
            rest = rest[1:]
        until = next((n for n, following in enumerate(rest) if leaves(following)), len(rest))
        for tells in (DEFICIENT, _ANYTHING):
            found = _paragraphs(rest[:until], tells)
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
