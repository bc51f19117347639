"""Weaknesses as items of a list, or as passages under the headings of COSO's components."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .blocks import Block, component_heading
from .language import MATERIAL_WEAKNESS, sentences
from .weakness_words import (
    ABSENT,
    CONSEQUENCE,
    CURED,
    DEFICIENT,
    DEFINITION,
    ONE_CONSEQUENCE,
    TURNS,
    Kind,
    Weakness,
    answers,
    leaves,
    names_weakness,
)

_COMPONENT_HEADING_CHARACTERS = 70
_LABEL = re.compile(r"\(?(\d{1,2}|[a-z]|[ivx]{1,5})[.)]", re.IGNORECASE)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_DEFICIENCIES = re.compile(r"significant\s+deficienc(?:y|ies)", re.IGNORECASE)
_OPENS = re.compile(
    r"following\s+(?:\w+\s+){0,3}material\s+weaknesses\b[^.]{0,80}:$"
    r"|material\s+weaknesses\b[^.,]{0,60}\b(?:are|were|is|includ\w+|exist\w*|follow\w*|identified|below)\b[^.,]{0,40}:$",
    re.IGNORECASE,
)
"""A lead-in whose items may be as short as headings."""
_CAUSES = re.compile(
    r"\b(?:factors?|causes?|reasons?|effects?|impacts?|errors?|adjustments?|misstatements?)\b[^.:]{0,60}\bmaterial\s+weakness(?:es)?\b"
    r"|\bmaterial\s+weakness(?:es)?\b[^.:]{0,80}\b(?:resulted\s+in|led\s+to|caused|affected|restated|caused\s+by)\b[^.]*:$",
    re.IGNORECASE,
)
"""A lead-in to causes or effects of the weaknesses."""
_ADDITIONAL = re.compile(r"\b(?:additional|further|other)\s+material\s+weaknesses\b[^.]{0,80}:$", re.IGNORECASE)


@dataclass
class _State:
    found: list[Weakness] = field(default_factory=list)
    component: str | None = None
    collecting: bool = False
    answering: bool = False
    named: bool = False
    """A weakness was named before."""
    style: str | None = None
    """Shape of the list's markers."""
    number: int = 0
    """The number of the last item."""
    pending: list[Block] = field(default_factory=list)
    """Blocks between two items: they belong to the first, if a second follows."""

    def stop(self) -> None:
        self.collecting, self.component, self.style, self.pending = False, None, None, []


def listed(lines: list[Block]) -> list[Weakness]:
    """Items found, in order."""
    state = _State()
    for index, block in enumerate(lines):
        # What a weakness is may be told between the lead-in and the list.
        following = index + 1
        while following < len(lines) and lines[following].marker is None and DEFINITION.search(lines[following].text):
            following += 1
        _step(state, block, lines[following] if following < len(lines) else None)
        if state.collecting and _ADDITIONAL.search(block.text) and not state.found:
            _take_first(state, block, lines[index - 1] if index else None)
    return state.found


def _take_first(state: _State, lead: Block, before: Block | None) -> None:
    """The weakness that a lead-in to `additional` ones follows: told in the same paragraph, or in the one above."""
    told = list(sentences(lead.text))
    first = next((n for n, s in enumerate(told) if DEFICIENT.search(s.text) and not DEFINITION.search(s.text)), None)
    if first is not None and first < len(told) - 1:
        state.found.append(Weakness(lead.start + told[first].start, lead.start + told[-1].start - 1, "prose", None))
    elif before is not None and DEFICIENT.search(before.text) and not DEFINITION.search(before.text):
        state.found.append(Weakness(before.start, before.end, "prose", None))


def _step(state: _State, block: Block, following: Block | None) -> None:
    component = component_heading(block.words)
    inside = state.collecting and block.marker is not None and state.style in (None, block.marker)
    told = re.split(r"[-\u2013\u2014:.]\s", block.words, maxsplit=1)[-1] if component else ""
    short = len(block.words) <= _COMPONENT_HEADING_CHARACTERS and not DEFICIENT.search(
        block.words if inside else told if told != block.words else ""
    )
    if inside and component is None and _continues(state, block) and not _turns(block):
        _collect(state, block, None)
        return
    if component is None and state.named and answers(block) and not (inside and ABSENT.match(block.words)):
        state.stop()
        state.answering = True
        return
    if (
        component is None
        and leaves(block)
        and not (inside and not block.words.istitle() and DEFICIENT.search(block.words))
    ):
        state.stop()
        state.answering = False
        state.named = state.named or names_weakness(block.words)
        if block.is_heading:
            return
    if state.answering:
        return
    if component is not None and state.named and (short or state.collecting):
        state.component, state.collecting, state.pending = component, True, []
        if short:
            state.style = None
            return
        if block.marker is None:
            state.found.append(Weakness(block.start, block.end, "run_in_heading", component))
            return
    if block.marker is None or not state.collecting:
        naming = MATERIAL_WEAKNESS.search(block.text) is not None and names_weakness(block.text)
        cured = block.text.endswith(":") and CURED.search(block.text[-200:]) is not None
        state.named = state.named or naming
        if naming and not cured and following is not None and _leads(block, following):
            state.collecting, state.style, state.number, state.pending = True, None, 0, []
            return
    if state.collecting:
        _collect(state, block, component)


def _continues(state: _State, block: Block) -> bool:
    """Whether the block bears the list's bullet, or the number after that of its last item."""
    return block.is_bullet or state.number + 1 in _numbers(block)


def _numbers(block: Block) -> set[int]:
    """What the block's marker may count: `(i)` is the first of a list in Roman numbers and the ninth in letters."""
    label = _LABEL.match(block.text)
    if label is None:
        return set()
    text = label[1].lower()
    if text.isdigit():
        return {int(text)}
    found = {_ROMAN.index(text) + 1} if text in _ROMAN else set()
    return found | ({ord(text) - ord("a") + 1} if len(text) == 1 else set())


def _turns(block: Block) -> bool:
    return TURNS.match(block.words) is not None or (answers(block) and not ABSENT.match(block.words))


def _leads(block: Block, following: Block) -> bool:
    """Whether a list or a component's heading stands directly under the block, which names weaknesses last."""
    tail = list(_last_sentences(block.text))
    lead = tail[-1] if tail else ""
    if _CAUSES.search(lead):
        return False
    opens = _OPENS.search(lead) is not None
    return (
        following.marker is not None
        and (
            not leaves(following) or DEFICIENT.search(following.words) is not None or (opens and not _turns(following))
        )
        and block.marker != following.marker
        and any(MATERIAL_WEAKNESS.search(sentence) for sentence in tail)
        and not _of_deficiencies(tail[-1])
        and not any(DEFINITION.search(sentence) for sentence in tail[:1])
    )


def _of_deficiencies(lead: str) -> bool:
    """Whether significant deficiencies are what a lead-in names last, apart from a weakness that it names before."""
    last = [match.start() for match in _DEFICIENCIES.finditer(lead)]
    weakness = [match.start() for match in MATERIAL_WEAKNESS.finditer(lead)]
    return bool(last and weakness) and last[-1] > weakness[-1] + len("material weaknesses and ")


def _last_sentences(text: str) -> Iterator[str]:
    parts = text.replace("? ", ". ").split(". ")
    return iter(parts[-2:] if not text.rstrip().endswith(":") else parts[-1:])


def _collect(state: _State, block: Block, component: str | None) -> None:
    if block.marker is not None and state.style in (None, block.marker):
        numbers = _numbers(block)
        if 1 in numbers and state.style is not None:
            # Numbers that begin again are another list, of effects or plans.
            state.stop()
            return
        state.style = block.marker
        state.number = state.number + 1 if not numbers or state.number + 1 in numbers else min(numbers)
        if state.pending and state.found:
            last = state.found[-1]
            state.found[-1] = Weakness(last.start, state.pending[-1].end, last.kind, last.component)
        state.pending = []
        kind: Kind = "bullet" if block.is_bullet else "list_item"
        state.found.append(Weakness(block.start, block.end, kind, component or state.component))
        return
    if block.marker is not None or state.style is not None:
        if CONSEQUENCE.match(block.words) and not (ONE_CONSEQUENCE.match(block.words) and len(state.style or "") > 1):
            state.collecting = state.component is not None
        elif state.style is not None and (block.marker is not None or len(state.style) > 1):
            state.pending.append(block)
        elif state.component is None:
            state.collecting = False
        return
    if CONSEQUENCE.match(block.words) or DEFINITION.search(block.text):
        return
    if state.component is not None:
        state.found.append(Weakness(block.start, block.end, "prose", state.component))
        # The passage under a component's heading is one weakness, unless the filer lists several.
        state.collecting = False
