"""Visible characters of HTML markup and of plain text: tags out, character references resolved, lines joined."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

TAG = re.compile(rb"<(/?[a-zA-Z][a-zA-Z0-9:]*)[^<>]*>|<[!?][^<>]*>")
_SHORT_TAG = re.compile(TAG.pattern.decode("ascii"))
PLAIN_TAG = re.compile(rb"<(/?[a-zA-Z][a-zA-Z0-9-]{0,15})>")
"""Tags of the wrapper around plain text; a less-than sign in a table of figures is none."""
ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,30});?")
INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\x00")
_INVISIBLE_RUN = re.compile("[" + "".join(sorted(INVISIBLE)) + "]+")
_COMMON_REFERENCES = tuple(
    (f"&{name};", html.unescape(f"&{name};").replace("\xa0", " "))
    for name in ("#160", "nbsp", "#8217", "#8220", "#8221", "#8212", "#8211", "#8226", "#32", "#174", "#9746")
)
"""None of them gives an ampersand, so none can make another reference."""
_BLANK_BYTES = bytes.maketrans(b"\r\n\t\f\v\x00", b"      ")
_MARKER_LINE = re.compile(r"(?m)^([•·●▪■◦○\u2013\u2014*-]|\(?(?:[0-9]{1,2}|[a-zA-Z]|[ivx]{1,4})[.)])\n(?=\S)")
_UNDEFINED_IN_CP1252 = frozenset([0x81, 0x8D, 0x8F, 0x90, 0x9D])

_BLOCKS = [
    "p",
    "div",
    "tr",
    "br",
    "hr",
    "li",
    "ul",
    "ol",
    "dl",
    "dt",
    "dd",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "table",
    "thead",
    "tbody",
    "tfoot",
    "center",
    "body",
    "html",
    "section",
    "article",
    "header",
    "footer",
    "blockquote",
    "pre",
    "address",
    "caption",
    "form",
    "page",
    "document",
    "text",
]
_CELLS = ("td", "th")


def _forms(names: list[str] | tuple[str, ...]) -> list[str]:
    """Lower case, upper case and capitalised: the forms in use."""
    return [form for name in names for form in (name, name.upper(), name.capitalize())]


_BLOCK_NAMES = frozenset(_forms(_BLOCKS))
_CELL_NAMES = frozenset(_forms(_CELLS))
_KEY_BYTES = 16
"""More than the longest name that separates; two machine words."""
_OPEN, _CLOSE, _SLASH, _BANG, _QUESTION = b"<>/!?"


def _keys() -> dict[int, tuple[NDArray[np.uint64], NDArray[np.uint8]]]:
    """Names by their second word: the sorted first words, and the byte that stands for each."""
    grouped: dict[int, list[tuple[int, int]]] = {}
    for names, mark in ((_BLOCK_NAMES, 10), (_CELL_NAMES, 32)):
        for name in names:
            word = name.encode().ljust(_KEY_BYTES, b"\0")
            first, rest = int.from_bytes(word[:8], "little"), int.from_bytes(word[8:], "little")
            grouped.setdefault(rest, []).append((first, mark))
    return {
        rest: (
            np.array([first for first, _ in sorted(found)], dtype=np.uint64),
            np.array([mark for _, mark in sorted(found)], dtype=np.uint8),
        )
        for rest, found in grouped.items()
    }


_KEYS = _keys()
_IS_LETTER = np.array([chr(b).isascii() and chr(b).isalpha() for b in range(256)])
_IS_NAME = _IS_LETTER | np.array([b in b"0123456789:" for b in range(256)])


def decode(raw: bytes, encoding: str) -> str:
    """Text of bytes in `utf-8` or `cp1252`; a byte that Windows-1252 leaves undefined keeps its number."""
    if encoding == "utf-8":
        return raw.decode("utf-8", "replace")
    try:
        return raw.decode("cp1252")
    except UnicodeDecodeError:
        return "".join(chr(b) if b in _UNDEFINED_IN_CP1252 else bytes((b,)).decode("cp1252") for b in raw)


def without_tags(raw: bytes, cuts: list[int]) -> list[bytes]:
    """A stretch of HTML without its tags: a line break for the tags of a block, a blank for those of a table cell.

    Tags are found for the whole stretch in arrays, which is several times faster than one match a tag.

    Args:
        raw: the stretch.
        cuts: where its pieces begin, ascending from 0; none stands inside a tag.
    """
    marks = np.frombuffer(raw.translate(_BLANK_BYTES) + bytes(_KEY_BYTES + 2), dtype=np.uint8).copy()
    opening = np.flatnonzero(marks == _OPEN)
    closing = np.flatnonzero(marks == _CLOSE)
    end = np.append(closing, len(marks))[np.searchsorted(closing, opening)]
    second = marks[opening + 1]
    slash = second == _SLASH
    name = opening + 1 + slash
    is_tag = (end < np.append(opening[1:], len(marks))) & (
        _IS_LETTER[marks[name]] | (~slash & ((second == _BANG) | (second == _QUESTION)))
    )
    opening, end, name = opening[is_tag], end[is_tag], name[is_tag]
    letters = marks[name[:, None] + np.arange(_KEY_BYTES)]
    letters[~np.logical_and.accumulate(_IS_NAME[letters], axis=1)] = 0
    mark = _separators(letters)
    lengths = np.empty(2 * len(opening) + 1, dtype=np.int64)
    lengths[0::2] = np.append(opening, len(raw)) - np.insert(end + 1, 0, 0)
    lengths[1::2] = end + 1 - opening
    keep = np.repeat(np.arange(len(lengths)) % 2 == 0, lengths)
    separates = mark != 0
    marks[opening[separates]] = mark[separates]
    keep[opening[separates]] = True
    dropped = np.insert(np.cumsum(end + 1 - opening - separates), 0, 0)
    at = np.append(np.asarray(cuts, dtype=np.int64), len(raw))
    at = at - dropped[np.searchsorted(opening, at)]
    kept = marks[: len(raw)][keep].tobytes()
    return [kept[first:last] for first, last in pairwise(at.tolist())]


def _separators(letters: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The byte that stands for each tag, 0 for none, from the first `_KEY_BYTES` bytes of its name (0 after the name)."""
    first = np.ascontiguousarray(letters[:, :8]).view("<u8").ravel()
    rest = np.ascontiguousarray(letters[:, 8:16]).view("<u8").ravel()
    mark = np.zeros(len(letters), dtype=np.uint8)
    for tail, (keys, marks) in _KEYS.items():
        place = np.minimum(np.searchsorted(keys, first), len(keys) - 1)
        found = (keys[place] == first) & (rest == tail)
        mark[found] = marks[place[found]]
    return mark


def blocks_of(raw: bytes, encoding: str) -> str:
    """Blocks of a piece of HTML without its tags, one a line."""
    text = characters(decode(raw, encoding))
    joined = "\n".join(line for part in text.split("\n") if part and (line := " ".join(part.split())))
    return _MARKER_LINE.sub(r"\1 ", joined)


def short_text(raw: bytes) -> str:
    """A few bytes of HTML as one line; the arrays of `without_tags` do not pay for them."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = decode(raw, "cp1252")
    return " ".join(characters(_SHORT_TAG.sub(_short_separator, text)).split())


def _short_separator(match: re.Match[str]) -> str:
    name = (match[1] or "").removeprefix("/")
    return " " if name in _BLOCK_NAMES or name in _CELL_NAMES else ""


def plain_text(raw: bytes, encoding: str, mode: str, width: int) -> str:
    """Blocks of a stretch of plain text, or of text inside PRE, whose wrapped lines are joined."""
    token = PLAIN_TAG if mode == "plain" else TAG
    return _unwrap(characters(decode(token.sub(_plain_separator, raw), encoding)), width)


def _plain_separator(match: re.Match[bytes]) -> bytes:
    name = (match[1] or b"").removeprefix(b"/").decode("ascii")
    return b"\n" if name in _BLOCK_NAMES else (b" " if name in _CELL_NAMES else b"")


def characters(text: str) -> str:
    """The text with character references resolved and invisible characters left out."""
    if "&" in text:
        for reference, character in _COMMON_REFERENCES:
            text = text.replace(reference, character)
        if "&" in text:
            text = ENTITY.sub(_entity, text)
    invisible = any(character in text for character in INVISIBLE)
    return _INVISIBLE_RUN.sub("", text) if invisible else text


def _entity(match: re.Match[str]) -> str:
    return unescape(match[0])


@lru_cache(maxsize=4096)
def unescape(reference: str) -> str:
    """The characters of one reference."""
    value = html.unescape(reference)
    # A line break written as a reference is a blank, never a block.
    return " " if value.isspace() else value


_STARTS_A_BLOCK = re.compile(r"\s*(?:[•·●*-]\s|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s)")
_ITEM_LINE = re.compile(r"\s*(?:item|part)\s+(?:\d{1,2}[a-z]?|[ivx]{1,3})\b", re.I)
_RULE = re.compile(r"[-=_*~\s]{3,}$")
"""An underline of typewriter marks: the line above it is a heading."""
PAGE_CHAPTER = r"(?:(?:[A-Z]|I{1,3}|IV)-)?"
"""Before a page number, the chapter that some count pages by: `F-12`, `II-15`."""
_PAGE_LINE = re.compile(rf"\s{{12,}}[-\u2013]?\s?{PAGE_CHAPTER}\d{{1,3}}\s?[-\u2013]?\s*$")
"""A page number in the middle or at the right of the sheet: it joins neither the line above nor the one below."""
_COLUMNS = re.compile(r"\S {3,}\S")


def line_width(body: bytes) -> int:
    """The width at which a plain document is wrapped: its 80th percentile of line lengths above 40."""
    lengths = sorted(n for n in map(len, body[:400_000].splitlines()) if 40 < n < 200)
    return lengths[len(lengths) * 4 // 5] if lengths else 72


def _unwrap(text: str, width: int) -> str:
    """Joins the wrapped lines of a paragraph, so that a block is a line in plain text as in HTML."""
    blocks: list[str] = []
    current: list[str] = []

    def flush() -> None:
        if current:
            blocks.append(" ".join(" ".join(current).split()))
            current.clear()

    for line in text.splitlines():
        stripped = line.strip()
        if not stripped or (stripped[0] in "-=_*~" and _RULE.match(stripped)):
            flush()
            if stripped:
                blocks.append(stripped)
            continue
        if len(stripped) < 10 and _PAGE_LINE.match(line):
            flush()
            blocks.append(stripped)
            continue
        if current and (_STARTS_A_BLOCK.match(line) or ("   " in stripped and _COLUMNS.search(stripped))):
            flush()
        current.append(stripped)
        # A line that ends well before the margin closes its block; so does an item's heading in capitals.
        indented = len(line.rstrip())
        if indented < 0.62 * width or (len(current) == 1 and stripped.isupper() and _ITEM_LINE.match(stripped)):
            flush()
    flush()
    return "\n".join(block for block in blocks if block)
