"""Words and sentences of plain prose: one definition for scenarios, masks and paraphrase checks."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

_WORD = re.compile(r"\d+(?:[.,]\d+)*|\[[A-Z_0-9]+\]|[^\W\d_]+(?:['’][^\W\d_]+)*", re.UNICODE)
_END = re.compile(r"(?<=[.!?])[\"”’)]*\s+(?=[\"“(\[]?[A-Z0-9$\[])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|No|Nos|Inc|Corp|Co|Ltd|LLP|vs|e\.g|i\.e|U\.S|Sec|Rule|Item|approx|St|Jr|Sr)|\b[A-Z])\.$"
)


def words(text: str) -> list[str]:
    """Words and numbers of a text, in lower case; a number keeps its separators (`1,250.50` is one word)."""
    return [match.group().lower().replace("’", "'") for match in _WORD.finditer(text)]


def sentences(text: str) -> list[str]:
    """Sentences of a text, trimmed. Headings and list items on lines of their own count as sentences.

    A line that begins with a capital, a digit or a bracket begins a sentence; a wrapped line goes on in lower case.
    """
    found: list[str] = []
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[•●▪\-–]\s|[A-Z0-9(\[“\"$]))", text):
        flat = " ".join(block.split())
        start = 0
        for match in _END.finditer(flat):
            if _ABBREVIATION.search(flat[start : match.start()]):
                continue
            found.append(flat[start : match.end()].strip())
            start = match.end()
        if flat[start:].strip():
            found.append(flat[start:].strip())
    return found


def changed_words(before: str, after: str) -> tuple[list[str], list[str]]:
    """Words that leave and words that enter between two texts, by a longest-common-subsequence alignment."""
    left, right = words(before), words(after)
    out: list[str] = []
    entered: list[str] = []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag != "equal":
            out += left[i:j]
            entered += right[k:m]
    return out, entered


def diff_size(before: str, after: str) -> int:
    """Size of a change in words: the longer of the two sides, so that replacing five words by five is a change of 5."""
    out, entered = changed_words(before, after)
    return max(len(out), len(entered))


def ngrams(tokens: Sequence[str], size: int) -> set[tuple[str, ...]]:
    """All runs of `size` consecutive tokens."""
    return {tuple(tokens[index : index + size]) for index in range(len(tokens) - size + 1)}
