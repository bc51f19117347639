"""Cuts one item out of an 8-K.

An item begins at the start of a block and ends at the next item, the signatures or the exhibit index, so neither the
signature block nor the next item's text can leak in.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .evidence_sentences import DocumentText

_NEXT = re.compile(
    r"^[ \t]*(?:item[ \t\n]*\d\.\d\d\b|signatures?[ \t]*$|exhibit\s+index"
    r"|pursuant\s+to\s+the\s+requirements\s+of\s+the\s+securities)",
    re.I | re.M,
)
_TITLES = {
    "4.01": r"changes?\s+in\s+(?:the\s+)?registrant[’']?s?\s+certifying\s+accountants?",
    "4.02": r"non-?\s?reliance\s+on\s+previously\s+issued\s+financial\s+statements",
}


@lru_cache
def _patterns(number: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    escaped, title = re.escape(number), _TITLES[number]
    return (
        re.compile(rf"^[ \t]*item[ \t\n]*{escaped}(?!\d)[^\n]*", re.I | re.M),
        re.compile(rf"^[ \t]*{title}[^\n]*", re.I | re.M),
        re.compile(rf"\bitem\s*{escaped}\s*\.?\s*(?:\([ab]\)\s*)*[-–—:.]*\s*{title}", re.I),
    )


def item_section(document: DocumentText, number: str) -> DocumentText | None:
    """The text of one 8-K item from its heading on; None where the document has no such item.

    Of several headings (a contents row, an item split over two headings) the one with the longest body is taken.
    """
    text = document.text
    numbered, titled, inline = _patterns(number)
    starts = [match for pattern in (numbered, titled) for match in pattern.finditer(text)]
    starts = starts or list(inline.finditer(text))
    bodies: list[tuple[int, int]] = []
    for heading in starts:
        boundary = _NEXT.search(text, heading.end())
        bodies.append((heading.start(), boundary.start() if boundary else len(text)))
    if not bodies:
        return None
    start, end = max(bodies, key=lambda body: (body[1] - body[0], -body[0]))
    return DocumentText(document.sha256, text[start:end].rstrip(), document.offset + start)
