"""The one reading text of a filed document, with a way back to the bytes as stored.

`normalise` is deterministic and linear in the size of the body. It builds no tree, resolves no entity beyond the
character references of HTML, and never recurses, so that a deeply nested or hostile document costs no more than its
length. It only ever drops markup and changes blanks: the sequence of visible characters is that of the document, which
is what makes every text offset translatable into a byte offset.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from .markup import blocks_of, line_width, plain_text, without_tags
from .text_offsets import Piece, visible_at

CHUNK_BYTES = 8192
"""Least size of the pieces that are normalised on their own; one offset pair is kept for each."""

_BATCH_BYTES = 4_000_000
"""Most bytes whose tags are found at once, so that memory stays bounded on the largest documents."""
_LONGEST_PIECE = 1_000_000
"""A block longer than this is cut where it can be: no paragraph of a filing comes near."""
_LOOKS_LIKE_HTML = re.compile(rb"<(?:html|body|div|p|font|span|br|tr|td|ix:\w+|xbrl)[\s/>]", re.I)
_DROPPED = re.compile(rb"<!--|<(script|style|head|title|ix:header)(?=[\s/>])")
"""Openings of what is not read, in lower case."""
_BLOCK_START = re.compile(rb"<(?:p|div|t(?:r|able)|li|h[1-6r]|br|[uo]l)(?=[\s/>])")
"""In lower case: a search without regard to case is several times slower."""
_PRE = re.compile(rb"<(/?)pre(?=[\s>])[^<>]*>", re.I)
_BLANK_LINE = re.compile(rb"\n[ \t]*\r?\n")


@dataclass(frozen=True)
class NormalisedText:
    """The reading text of one document: blocks (paragraphs, rows, list items) separated by one newline.

    Offsets are characters of `text`. `byte_offset` and `byte_range` translate them into the stored body.
    """

    text: str
    """The text. Runs of blanks are one space; zero-width characters and soft hyphens are gone."""
    is_html: bool
    """Whether markup was read; false for plain text, whose wrapped lines were joined."""
    encoding: str
    """`utf-8` or `cp1252`, as the bytes were read."""
    _body: bytes = field(repr=False)
    _starts: tuple[int, ...] = field(repr=False)
    _pieces: tuple[Piece, ...] = field(repr=False)

    def byte_offset(self, index: int) -> int:
        """First byte of the visible character at `index` (of the next visible one, where that is a blank).

        Raises:
            IndexError: `index` is outside the text.
        """
        if not 0 <= index <= len(self.text):
            raise IndexError(f"offset {index} is outside a text of {len(self.text)} characters")
        return self._locate(index)[0]

    def byte_range(self, start: int, end: int) -> tuple[int, int]:
        """The bytes [start, end) that hold the visible characters of [start, end)."""
        first = self.byte_offset(start)
        last = start + len(self.text[start:end].rstrip())
        return first, max(first, self._locate(last - 1)[1] if last > start else first)

    def _locate(self, index: int) -> tuple[int, int]:
        position = max(0, bisect_right(self._starts, index) - 1)
        if not self._pieces:
            return len(self._body), len(self._body)
        text_start, piece = self._starts[position], self._pieces[position]
        skip = sum(map(len, self.text[text_start:index].split()))
        found = visible_at(self._body, piece, self.encoding, skip)
        if found is not None:
            return found
        if position + 1 < len(self._pieces):
            return self._locate(self._starts[position + 1])
        return piece.end, piece.end


def normalise(body: bytes) -> NormalisedText:
    """The reading text of a document as stored: HTML, inline XBRL, text inside PRE, or plain text with page breaks.

    Args:
        body: the stored bytes. UTF-8 is assumed where they are valid UTF-8, else Windows-1252.
    """
    encoding = _encoding(body)
    is_html = _LOOKS_LIKE_HTML.search(body[:65536]) is not None
    pieces = _html_pieces(body) if is_html else _chunks(body, 0, len(body), "plain")
    width = line_width(body) if any(piece.mode != "html" for piece in pieces) else 0
    starts: list[int] = []
    kept: list[Piece] = []
    texts: list[str] = []
    length = 0
    for piece, text in _read(body, pieces, encoding, width):
        if text:
            starts.append(length)
            kept.append(piece)
            texts.append(text)
            length += len(text) + 1
    return NormalisedText("\n".join(texts), is_html, encoding, body, tuple(starts), tuple(kept))


def _encoding(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _html_pieces(body: bytes) -> list[Piece]:
    """Kept stretches of an HTML document, cut into pieces, each in one white-space mode."""
    lowered = body.lower()
    holds_pre = b"<pre" in lowered
    pieces: list[Piece] = []
    mode = "html"
    for start, end in _kept_stretches(body, lowered):
        position = start
        for tag in _PRE.finditer(body, start, end) if holds_pre else ():
            pieces += _chunks(lowered, position, tag.start(), mode)
            mode, position = ("html" if tag[1] else "pre"), tag.start()
        pieces += _chunks(lowered, position, end, mode)
    return pieces


def _kept_stretches(body: bytes, lowered: bytes) -> list[tuple[int, int]]:
    """The body without comments, scripts, styles, the head and the inline XBRL header."""
    endless: set[bytes] = set()
    stretches: list[tuple[int, int]] = []
    position = 0
    for match in _DROPPED.finditer(lowered):
        if match.start() < position:
            continue
        closing = b"-->" if match[1] is None else b"</" + match[1]
        if closing in endless:
            continue
        end = lowered.find(closing, match.end())
        if end < 0:
            # An element that never ends (a truncated document) hides nothing: its text is kept.
            endless.add(closing)
            continue
        stretches.append((position, match.start()))
        tail = body.find(b">", end)
        position = tail + 1 if tail >= 0 else len(body)
    stretches.append((position, len(body)))
    return [(start, end) for start, end in stretches if end > start]


def _chunks(body: bytes, start: int, end: int, mode: str) -> list[Piece]:
    pieces: list[Piece] = []
    boundary = _BLOCK_START if mode == "html" else _BLANK_LINE
    while end - start > CHUNK_BYTES:
        target = start + CHUNK_BYTES
        limit = min(end, start + _LONGEST_PIECE)
        match = boundary.search(body, target, limit)
        if match is not None:
            cut = match.start() if mode == "html" else match.end()
        else:
            cut = end if limit == end else _forced_cut(body, target, limit)
        pieces.append(Piece(start, cut, mode))
        start = cut
    if end > start:
        pieces.append(Piece(start, end, mode))
    return pieces


def _forced_cut(body: bytes, target: int, limit: int) -> int:
    """Where a block without an end is cut: before a tag, else at a blank, else between two characters."""
    cut = max(body.rfind(b"<", target, limit), body.rfind(b"\n", target, limit))
    if cut < 0:
        cut = body.rfind(b" ", target, limit)
    if cut < 0:
        cut = limit
        # A byte of the form 10xxxxxx continues a character of UTF-8.
        while cut > target and body[cut] & 0xC0 == 0x80:
            cut -= 1
    return cut


def _read(body: bytes, pieces: list[Piece], encoding: str, width: int) -> Iterator[tuple[Piece, str]]:
    """Each piece with its text; neighbouring pieces of HTML are freed of their tags together."""
    group: list[Piece] = []
    for piece in pieces:
        if group and (
            piece.mode != "html" or piece.start != group[-1].end or piece.end - group[0].start > _BATCH_BYTES
        ):
            yield from _read_html(body, group, encoding)
            group = []
        if piece.mode == "html":
            group.append(piece)
        else:
            yield piece, plain_text(body[piece.start : piece.end], encoding, piece.mode, width)
    yield from _read_html(body, group, encoding)


def _read_html(body: bytes, group: list[Piece], encoding: str) -> Iterator[tuple[Piece, str]]:
    if not group:
        return
    first = group[0].start
    cuts = [piece.start - first for piece in group]
    for piece, raw in zip(group, without_tags(body[first : group[-1].end], cuts), strict=True):
        yield piece, blocks_of(raw, encoding)
