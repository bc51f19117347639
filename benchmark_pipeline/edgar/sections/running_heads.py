"""Page furniture at the end of a section: page numbers and running heads between it and the next heading."""

from __future__ import annotations

import re

from benchmark_pipeline.edgar.dates import DATE
from benchmark_pipeline.edgar.markup import PAGE_CHAPTER

from .model import FilingDocument

_ALWAYS = re.compile(
    rf"(?:[-\u2013\s.]*(?:page\s+)?{PAGE_CHAPTER}\d{{0,3}}(?:\s+of\s+\d{{1,3}})?[-\u2013\s.]*|table\s+of\s+contents|index\s+to\s+financial\s+statements|part\s+i{{1,3}}v?(?:\s*,\s*i{{1,3}}v?)*"
    r"|items?\s+[\d(),\sA-C]{1,40}(?:and\s+\d{1,2}[A-C]?)?"
    r"|(?:\*\s*){2,}|[-=_\s]{2,})$",
    re.IGNORECASE,
)
_PAGE_NUMBER = re.compile(
    rf"[-\u2013\s]*(?:page\s+)?{PAGE_CHAPTER}\d{{1,3}}(?:\s+of\s+\d{{1,3}})?[-\u2013\s]*$", re.IGNORECASE
)
_LONGEST = 100
_REPEATS = 4
"""A line that stands this often in a document, page numbers aside, is printed on every page."""
_DIGITS = re.compile(r"\d+")
_FEWEST_WORDS_OF_A_SENTENCE = 6


def trim(document: FilingDocument, start: int, end: int) -> int:
    """The end of [start, end) without trailing blanks, page numbers and running heads."""
    kept = document.text[start:end].rstrip()
    while True:
        head, _, last = kept.rpartition("\n")
        if not head or not (
            _ALWAYS.match(last) or _is_running_head(document, last) or _heads_a_page(last, head.rpartition("\n")[2])
        ):
            return start + len(kept)
        kept = head.rstrip()


def _heads_a_page(line: str, before: str) -> bool:
    """Whether a line in capitals stands below a page number: the name on top of the next page."""
    return line.isupper() and len(line) <= _LONGEST and _PAGE_NUMBER.match(before) is not None


def _is_running_head(document: FilingDocument, line: str) -> bool:
    sentence = line.endswith(".") and len(line.split()) >= _FEWEST_WORDS_OF_A_SENTENCE
    # The date below a signature is printed below others too.
    if len(line) > _LONGEST or sentence or line.lower().startswith("/s/") or DATE.search(line):
        return False
    parts = [part for part in _DIGITS.split(line) if part.strip()]
    if not parts:
        return False
    longest = max(parts, key=len).strip()
    if len(longest) < 4 or document.text.count(longest) < _REPEATS:
        return False
    shape = re.compile(r"^" + r"\d+".join(re.escape(part) for part in _DIGITS.split(line)) + r"$", re.MULTILINE)
    return any(found >= _REPEATS for found, _ in enumerate(shape.finditer(document.text), start=1))
