"""A filing's folder: which documents it holds, and which of them can say something about ICFR."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass

from .sgml_header import SubmissionHeader, parse_header

_DOCUMENT = re.compile(r"^<DOCUMENT>\s*$(.*?)(?=^<TEXT>|^</DOCUMENT>|^<DOCUMENT>|\Z)", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^<(TYPE|SEQUENCE|FILENAME|DESCRIPTION)>([^\r\n]*)", re.MULTILINE)
_EXHIBITS = {
    "10-K": re.compile(r"EX-13(?:\.\S*)?"),
    "10-KT": re.compile(r"EX-13(?:\.\S*)?"),
    "20-F": re.compile(r"EX-15(?:\.\S*)?"),
    "40-F": re.compile(r"EX-99(?:\.\S*)?"),
    "6-K": re.compile(r"EX-99(?:\.\S*)?"),
}
"""Where an annual form may carry its ICFR reports outside the primary document: the annual report to shareholders that
a 10-K incorporates by reference (of a 20-F that is Exhibit 15; its Exhibit 13 is a certification), and the statements and
MD&A of a 40-F, which are exhibits."""
_BY_DESCRIPTION = re.compile(r"annual\s+report|financial\s+statements|internal\s+control", re.I)
"""Exhibit 99 of another annual report is read where its description says that it holds one of these."""
_TEXT_SUFFIXES = (".htm", ".html", ".txt", ".xhtml")


@dataclass(frozen=True)
class FilingDocument:
    """One entry of a filing's document list."""

    type: str
    sequence: int | None
    filename: str
    description: str | None

    @property
    def is_text(self) -> bool:
        """Whether the file can be read as text."""
        return self.filename.lower().endswith(_TEXT_SUFFIXES)


@dataclass(frozen=True)
class FolderItem:
    """One entry of `index.json`; its document type is not in there."""

    name: str
    size_bytes: int | None
    last_modified: str


@dataclass(frozen=True)
class DocumentList:
    """What `-index-headers.html` or `.hdr.sgml` says about a filing."""

    header: SubmissionHeader
    documents: tuple[FilingDocument, ...]


def parse_document_list(body: bytes) -> DocumentList:
    """Reads the header page of a filing.

    Raises:
        ValueError: the body has no SGML header.
    """
    text = html.unescape(body.decode("latin-1"))
    found = []
    for match in _DOCUMENT.finditer(re.sub(r"^<PRE>", "", text, flags=re.MULTILINE)):
        fields = {name: value.strip() for name, value in _FIELD.findall(match.group(1))}
        if not fields.get("FILENAME"):
            continue
        sequence = fields.get("SEQUENCE", "")
        found.append(
            FilingDocument(
                fields.get("TYPE", ""),
                int(sequence) if sequence.isdecimal() else None,
                fields["FILENAME"],
                fields.get("DESCRIPTION") or None,
            )
        )
    return DocumentList(parse_header(body), tuple(found))


def parse_folder_index(body: bytes) -> list[FolderItem]:
    """Reads a folder's `index.json`.

    Raises:
        ValueError: the body is not such a listing.
    """
    try:
        entries = json.loads(body)["directory"]["item"]
        return [
            FolderItem(
                str(entry["name"]),
                int(entry["size"]) if str(entry.get("size") or "").isdecimal() else None,
                str(entry.get("last-modified") or ""),
            )
            for entry in entries
        ]
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"not a folder listing: {error!r}") from error


def needed_documents(form: str, documents: tuple[FilingDocument, ...]) -> list[FilingDocument]:
    """The primary document and, for annual forms, the exhibits that may carry ICFR reports, by sequence.

    The primary document is sequence 1, or the first entry where no sequence is given. An amendment is treated as the
    form that it amends.
    """
    if not documents:
        return []
    primary = next((document for document in documents if document.sequence == 1), documents[0])
    exhibits = [
        document
        for document in documents
        if document is not primary and document.is_text and _may_carry_reports(form.removesuffix("/A"), document)
    ]
    return [primary, *sorted(exhibits, key=lambda document: (document.sequence or 10_000, document.filename))]


def _may_carry_reports(form: str, document: FilingDocument) -> bool:
    pattern = _EXHIBITS.get(form)
    if pattern is None:
        return False
    kind = document.type.upper()
    described = kind.startswith("EX-99") and _BY_DESCRIPTION.search(document.description or "")
    return bool(pattern.fullmatch(kind) or described)
