"""The one reading text of a filed document, with a way back to the bytes as stored.

`normalise` is deterministic and linear in the size of the body. It builds no tree, resolves no entity beyond the
character references of HTML, and never recurses, so that a deeply nested or hostile document costs no more than its
length. It only ever drops markup and changes blanks: the sequence of visible characters is that of the document, which
is what makes every text offset translatable into a byte offset.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache

CHUNK_BYTES = 8192
"""Least size of the pieces that are normalised on their own; one offset pair is kept for each."""

_LOOKS_LIKE_HTML = re.compile(rb"<(?:html|body|div|p|font|span|br|tr|td|ix:\w+|xbrl)[\s/>]", re.I)
_TOKEN = re.compile(rb"<(/?[a-zA-Z][a-zA-Z0-9:]*)[^<>]*>|<[!?][^<>]*>")
_PLAIN_TAG = re.compile(rb"<(/?[a-zA-Z][a-zA-Z0-9-]{0,15})>")
_DROPPED = re.compile(rb"<!--|<(script|style|head|title|ix:header)(?=[\s>/])", re.I)
_BLOCK_START = re.compile(rb"<(?:p|div|tr|table|li|h[1-6]|br|hr|ul|ol)(?=[\s/>])", re.I)
_PRE = re.compile(rb"<(/?)pre(?=[\s>])[^<>]*>", re.I)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,30});?")
_BLANK_BYTES = bytes.maketrans(b"\r\n\t\f\v\x00", b"      ")
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\x00")
_INVISIBLE_RUN = re.compile("[" + "".join(sorted(_INVISIBLE)) + "]+")
_MARKER_LINE = re.compile(r"(?m)^([•·●▪■◦○\u2013\u2014*-]|\(?(?:[0-9]{1,2}|[a-zA-Z]|[ivx]{1,4})[.)])\n(?=\S)")
_UNDEFINED_IN_CP1252 = {0x81: 0x81, 0x8D: 0x8D, 0x8F: 0x8F, 0x90: 0x90, 0x9D: 0x9D}

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
_SEPARATOR: dict[bytes, bytes] = {}
for _names, _mark in ((_BLOCKS, b"\n"), (_CELLS, b" ")):
    for _name in _names:
        for _form in (_name, _name.upper(), _name.capitalize()):
            _SEPARATOR[_form.encode()] = _SEPARATOR[b"/" + _form.encode()] = _mark


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
    _pieces: tuple[_Piece, ...] = field(repr=False)

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
        for start, end in piece.visible(self._body, self.encoding):
            if skip == 0:
                return start, end
            skip -= 1
        if position + 1 < len(self._pieces):
            return self._locate(self._starts[position + 1])
        return piece.end, piece.end


@dataclass(frozen=True)
class _Piece:
    start: int
    end: int
    mode: str
    """`html`, `pre` or `plain`."""

    def visible(self, body: bytes, encoding: str) -> list[tuple[int, int]]:
        """Byte range of each visible character of the piece, in order. Slow; used for one piece at a time."""
        token = _PLAIN_TAG if self.mode == "plain" else _TOKEN
        ranges: list[tuple[int, int]] = []
        position = self.start
        for match in token.finditer(body, self.start, self.end):
            ranges += _visible_ranges(body, position, match.start(), encoding)
            position = match.end()
        return ranges + _visible_ranges(body, position, self.end, encoding)


def normalise(body: bytes) -> NormalisedText:
    """The reading text of a document as stored: HTML, inline XBRL, text inside PRE, or plain text with page breaks.

    Args:
        body: the stored bytes. UTF-8 is assumed where they are valid UTF-8, else Windows-1252.
    """
    encoding = _encoding(body)
    is_html = _LOOKS_LIKE_HTML.search(body[:65536]) is not None
    pieces = _html_pieces(body) if is_html else _chunks(body, 0, len(body), "plain")
    width = _line_width(body) if not is_html or _PRE.search(body) else 0
    texts: list[str] = []
    starts: list[int] = []
    kept: list[_Piece] = []
    length = 0
    for piece in pieces:
        text = _read(body, piece, encoding, width)
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


def _decode(raw: bytes, encoding: str) -> str:
    if encoding == "utf-8":
        return raw.decode("utf-8", "replace")
    try:
        return raw.decode("cp1252")
    except UnicodeDecodeError:
        return "".join(chr(b) if b in _UNDEFINED_IN_CP1252 else bytes((b,)).decode("cp1252") for b in raw)


def _html_pieces(body: bytes) -> list[_Piece]:
    """Kept stretches of an HTML document, cut into pieces, each in one white-space mode."""
    pieces: list[_Piece] = []
    mode = "html"
    for start, end in _kept_stretches(body):
        position = start
        for tag in _PRE.finditer(body, start, end):
            pieces += _chunks(body, position, tag.start(), mode)
            mode, position = ("html" if tag[1] else "pre"), tag.start()
        pieces += _chunks(body, position, end, mode)
    return pieces


def _kept_stretches(body: bytes) -> list[tuple[int, int]]:
    """The body without comments, scripts, styles, the head and the inline XBRL header."""
    lowered: bytes | None = None
    endless: set[bytes] = set()
    stretches: list[tuple[int, int]] = []
    position = 0
    for match in _DROPPED.finditer(body):
        if match.start() < position:
            continue
        closing = b"-->" if match[1] is None else b"</" + match[1].lower()
        if closing in endless:
            continue
        if match[1] is not None and lowered is None:
            lowered = body.lower()
        end = (body if match[1] is None else lowered or body).find(closing, match.end())
        if end < 0:
            # An element that never ends (a truncated document) hides nothing: its text is kept.
            endless.add(closing)
            continue
        stretches.append((position, match.start()))
        tail = body.find(b">", end)
        position = tail + 1 if tail >= 0 else len(body)
    stretches.append((position, len(body)))
    return [(start, end) for start, end in stretches if end > start]


def _chunks(body: bytes, start: int, end: int, mode: str) -> list[_Piece]:
    pieces: list[_Piece] = []
    while end - start > CHUNK_BYTES:
        target = start + CHUNK_BYTES
        if mode == "html":
            match = _BLOCK_START.search(body, target, end)
            cut = match.start() if match else end
        else:
            blank = _BLANK_LINE.search(body, target, end)
            cut = blank.end() if blank else end
        pieces.append(_Piece(start, cut, mode))
        start = cut
    if end > start:
        pieces.append(_Piece(start, end, mode))
    return pieces


_BLANK_LINE = re.compile(rb"\n[ \t]*\r?\n")


def _read(body: bytes, piece: _Piece, encoding: str, width: int) -> str:
    raw = body[piece.start : piece.end]
    if piece.mode == "html":
        raw = raw.translate(_BLANK_BYTES)
        parts: list[bytes] = _TOKEN.split(raw)
        parts[1::2] = [_SEPARATOR.get(name, b"") for name in parts[1::2]]
        text = _characters(_decode(b"".join(parts), encoding))
        joined = "\n".join(line for line in (" ".join(part.split()) for part in text.split("\n")) if line)
        return _MARKER_LINE.sub(r"\1 ", joined)
    token = _PLAIN_TAG if piece.mode == "plain" else _TOKEN
    text = _characters(_decode(token.sub(_plain_separator, raw), encoding))
    return _unwrap(text, width)


def _plain_separator(match: re.Match[bytes]) -> bytes:
    return _SEPARATOR.get(match[1] or b"", b"")


def _characters(text: str) -> str:
    if "&" in text:
        text = text.replace("&#160;", " ").replace("&nbsp;", " ")
        if "&" in text:
            text = _ENTITY.sub(_entity, text)
    return text if text.isascii() else _INVISIBLE_RUN.sub("", text)


def _entity(match: re.Match[str]) -> str:
    return _unescape(match[0])


@lru_cache(maxsize=4096)
def _unescape(reference: str) -> str:
    value = html.unescape(reference)
    # A line break written as a reference is a blank, never a block.
    return " " if value.isspace() else value


_STARTS_A_BLOCK = re.compile(r"\s*(?:[•·●*-]\s|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s)")
_ITEM_LINE = re.compile(r"\s*(?:item|part)\s+(?:\d{1,2}[a-z]?|[ivx]{1,3})\b", re.I)
_RULE = re.compile(r"[-=_*~\s]{3,}$")
"""An underline of typewriter marks: the line above it is a heading."""
_COLUMNS = re.compile(r"\S {3,}\S")


def _line_width(body: bytes) -> int:
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
        if not stripped or _RULE.match(stripped):
            flush()
            if stripped:
                blocks.append(stripped)
            continue
        if current and (_STARTS_A_BLOCK.match(line) or _COLUMNS.search(line.rstrip())):
            flush()
        current.append(stripped)
        # A line that ends well before the margin closes its block; so does an item's heading in capitals.
        indented = len(line.rstrip())
        if indented < 0.62 * width or (_ITEM_LINE.match(line) and stripped.isupper() and len(current) == 1):
            flush()
    flush()
    return "\n".join(block for block in blocks if block)


def _visible_ranges(body: bytes, start: int, end: int, encoding: str) -> list[tuple[int, int]]:
    """Byte ranges of the visible characters between two tags."""
    ranges: list[tuple[int, int]] = []
    position = start
    text = _decode(body[start:end], encoding)
    index = 0
    for match in _ENTITY.finditer(text):
        position = _plain_ranges(text[index : match.start()], position, encoding, ranges)
        after = position + len(match[0])
        ranges += [(position, after)] * sum(map(_is_visible, _unescape(match[0])))
        position, index = after, match.end()
    _plain_ranges(text[index:], position, encoding, ranges)
    return ranges


def _plain_ranges(text: str, position: int, encoding: str, ranges: list[tuple[int, int]]) -> int:
    for character in text:
        size = len(character.encode("utf-8")) if encoding == "utf-8" else 1
        if _is_visible(character):
            ranges.append((position, position + size))
        position += size
    return position


def _is_visible(character: str) -> bool:
    return not character.isspace() and character not in _INVISIBLE
