"""The passage that tells what is done against the weaknesses: under a heading of its own, else the paragraphs that do."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .blocks import Block, component_heading
from .language import MATERIAL_WEAKNESS
from .weakness_words import TURNS, answers, leaves, names_weakness, opens_with_title, turns_away

_OTHER_MATTER = re.compile(
    r"^(?:this|our|the)\s+(?:annual\s+report|form)\b|^(?:this|our)\s+report\b|^there\s+(?:was|were|has\s+been|have\s+been)\s+no\s+(?:\w+\s+)?changes?\b"
    r"|^no\s+(?:\w+\s+)?changes?\b|^(?:because\s+of|due\s+to)\s+(?:its|their)\s+inherent|^(?:except\s+as|other\s+than)\b[^.]{0,80}\bno\b[^.]{0,40}\bchanges?\b"
    r"|^management['\u2019]s\s+report\s+(?:was|is)\s+not\s+subject|^signatures?$",
    re.IGNORECASE,
)
"""A paragraph that turns to another matter without a heading."""
_STATEMENTS_ARE_FAIR = re.compile(
    r"financial\s+statements\b.{0,200}?\b(?:fairly\s+present|present\s+fairly|(?:were|are)\s+prepared\s+in\s+accordance)",
    re.IGNORECASE,
)
"""More work on this year's statements cures none of the weaknesses."""

_CURED = re.compile(r"remediat", re.IGNORECASE)
"""A conclusion that the work is done belongs to the passage."""


@dataclass
class _Passage:
    headed: bool
    marker: str | None
    """Shape of the heading's own marker: another heading of that shape ends the passage."""
    start: int
    body: int
    """Where the text under the heading begins; the start where there is no heading."""
    end: int


def remediation_passage(lines: list[Block]) -> tuple[int, int] | None:
    """Characters [start, end) of the passage on remediation that follows a weakness named before, or None."""
    found: list[_Passage] = []
    current: _Passage | None = None
    named = False
    for block in lines:
        component = component_heading(block.words) is not None
        if not component and named and answers(block):
            headed = opens_with_title(block)
            if current is None or (headed and not current.headed):
                if not headed and _STATEMENTS_ARE_FAIR.search(block.words):
                    continue
                body = block.end if block.is_heading else block.start
                current = _Passage(headed, block.marker if headed else None, block.start, body, block.end)
                found.append(current)
            else:
                current.end = block.end
            continue
        if current is not None:
            if not component and _ends(current, block):
                current = None
            else:
                current.end = block.end
        named = named or (MATERIAL_WEAKNESS.search(block.text) is not None and names_weakness(block.text))
    told = [passage for passage in found if passage.end > passage.body]
    if not told:
        return None
    chosen = next((passage for passage in told if passage.headed), told[0])
    return chosen.start, chosen.end


def _ends(passage: _Passage, block: Block) -> bool:
    if _OTHER_MATTER.match(block.words) or (turns_away(block) and not _CURED.search(block.words)):
        return True
    if block.marker is None:
        return leaves(block)
    # The items of a list are short, too; a heading among them is told by its words or by the shape of its marker.
    return leaves(block) and (TURNS.match(block.words) is not None or block.marker == passage.marker)
