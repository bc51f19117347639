"""From a visible character of a piece of a document to the bytes that hold it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .markup import ENTITY, INVISIBLE, PLAIN_TAG, TAG, decode, unescape


@dataclass(frozen=True)
class Piece:
    """Bytes [start, end) of a body, read in one white-space mode."""

    start: int
    end: int
    mode: str
    """`html`, `pre` or `plain`."""


def visible_at(body: bytes, piece: Piece, encoding: str, skip: int) -> tuple[int, int] | None:
    """Byte range of the visible character that follows `skip` others in a piece, or None past its last one."""
    for start, end, text in _runs(body, piece, encoding):
        if text.startswith("&") and end - start == len(text) and ENTITY.fullmatch(text):
            visible = sum(map(_is_visible, unescape(text)))
            if skip < visible:
                return start, end
            skip -= visible
            continue
        visible = sum(map(len, text.split())) if text.isascii() and "\x00" not in text else sum(map(_is_visible, text))
        if skip >= visible:
            skip -= visible
            continue
        position = start
        for character in text:
            size = len(character.encode("utf-8")) if encoding == "utf-8" else 1
            if _is_visible(character):
                if skip == 0:
                    return position, position + size
                skip -= 1
            position += size
    return None


def _runs(body: bytes, piece: Piece, encoding: str) -> Iterator[tuple[int, int, str]]:
    """The stretches between tags and character references, and the references, with their text."""
    token = PLAIN_TAG if piece.mode == "plain" else TAG
    position = piece.start
    for match in token.finditer(body, piece.start, piece.end):
        yield from _references(body, position, match.start(), encoding)
        position = match.end()
    yield from _references(body, position, piece.end, encoding)


def _references(body: bytes, start: int, end: int, encoding: str) -> Iterator[tuple[int, int, str]]:
    if start == end:
        return
    text = decode(body[start:end], encoding)
    if "&" not in text:
        yield start, end, text
        return
    index, position = 0, start
    for match in ENTITY.finditer(text):
        before = text[index : match.start()]
        after = position + (len(before.encode("utf-8", "replace")) if encoding == "utf-8" else len(before))
        yield position, after, before
        position, index = after + len(match[0]), match.end()
        yield after, position, match[0]
    yield position, end, text[index:]


def _is_visible(character: str) -> bool:
    return not character.isspace() and character not in INVISIBLE
