"""A full submission: the header and every document of a filing in one text.

Documents are found by their markers at line starts. Parts that carry binary files (uuencoded images, archives, PDFs) are
named but not decoded: nothing downstream reads them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .sgml_header import HeaderFiler, SubmissionHeader, parse_header

__all__ = ["HeaderFiler", "SubmissionDocument", "SubmissionHeader", "documents", "header"]

_DOCUMENT = re.compile(rb"^<DOCUMENT>[ \t]*\r?$", re.MULTILINE)
_DOCUMENT_END = re.compile(rb"^</DOCUMENT>", re.MULTILINE)
_TEXT = re.compile(rb"^<TEXT>[ \t]*\r?\n?", re.MULTILINE)
_FIELD = re.compile(rb"^<(TYPE|SEQUENCE|FILENAME|DESCRIPTION)>([^\r\n]*)", re.MULTILINE)
_WRAPPER = re.compile(rb"\A\s*<(XBRL|XML|PDF)>[ \t]*\r?\n(.*?)\r?\n?</\1>\s*\Z", re.DOTALL)
_UUENCODED = re.compile(rb"\A\s*begin [0-7]{3,4} [^\r\n]+\r?\n")


@dataclass(frozen=True)
class SubmissionDocument:
    """One document of a submission."""

    type: str
    """EDGAR document type: `10-K`, `EX-13`, `GRAPHIC`."""
    sequence: int | None
    """1 is the primary document."""
    filename: str | None
    """Early filings name no file."""
    description: str | None
    text: bytes
    """What stands between the text markers; empty for a binary part."""
    is_binary: bool = False
    """The part is uuencoded."""


def header(body: bytes) -> SubmissionHeader:
    """The submission's header.

    Raises:
        ValueError: there is none.
    """
    return parse_header(body)


def documents(body: bytes) -> list[SubmissionDocument]:
    """Every document, in the order of the submission.

    A last document that was cut short keeps what is there; whether the submission is complete is told by
    `is_complete`.
    """
    starts = [match.end() for match in _DOCUMENT.finditer(body)]
    found = []
    for index, start in enumerate(starts):
        limit = starts[index + 1] if index + 1 < len(starts) else len(body)
        end = _DOCUMENT_END.search(body, start, limit)
        found.append(_document(body[start : end.start() if end else limit]))
    return found


def is_complete(body: bytes) -> bool:
    """Whether the submission ends with its closing marker."""
    tail = body[-400:].rstrip()
    return re.search(rb"</(?:SEC|IMS)-DOCUMENT>(?:\s*-----END PRIVACY-ENHANCED MESSAGE-----)?\Z", tail) is not None


def _document(part: bytes) -> SubmissionDocument:
    opening = _TEXT.search(part)
    head = part[: opening.start()] if opening else part
    fields = {name.decode(): value.decode("latin-1").strip() for name, value in _FIELD.findall(head)}
    sequence = fields.get("SEQUENCE", "")
    text = b""
    if opening:
        closing = part.rfind(b"</TEXT>")
        text = part[opening.end() : closing if closing >= opening.end() else len(part)]
        wrapper = _WRAPPER.match(text)
        text = wrapper.group(2) if wrapper else text
    binary = _UUENCODED.match(text) is not None
    return SubmissionDocument(
        type=fields.get("TYPE", ""),
        sequence=int(sequence) if sequence.isdecimal() else None,
        filename=fields.get("FILENAME") or None,
        description=fields.get("DESCRIPTION") or None,
        text=b"" if binary else text,
        is_binary=binary,
    )
