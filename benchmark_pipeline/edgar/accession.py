"""Accession numbers, CIKs and the paths that EDGAR builds from them.

Nothing from a filing reaches a URL or a path unchecked: an accession has one form, and a document name is one path
segment of plain characters.
"""

from __future__ import annotations

import re

_DASHED = re.compile(r"(\d{10})-(\d{2})-(\d{6})", re.ASCII)
_PLAIN = re.compile(r"(\d{10})(\d{2})(\d{6})", re.ASCII)
_DOCUMENT_NAME = re.compile(r"[A-Za-z0-9_.()+,=~@ &'-]{1,200}", re.ASCII)
_IN_PATH = re.compile(r"edgar/data/\d{1,10}/(?:\d{18}/)?(\d{10}-\d{2}-\d{6})\.txt", re.ASCII)


def accession_number(text: str) -> str:
    """The accession number with dashes, from either spelling.

    Raises:
        ValueError: for anything else, surrounding blanks included.
    """
    match = _DASHED.fullmatch(text) or _PLAIN.fullmatch(text)
    if match is None:
        raise ValueError(f"not an accession number: {text[:60]!r} (expected 0001234567-25-000001)")
    return "-".join(match.groups())


def accession_of_path(path: str) -> str:
    """The accession in an index's file name, `edgar/data/<cik>/<accession>.txt`.

    Raises:
        ValueError: for a path of another shape.
    """
    match = _IN_PATH.fullmatch(path)
    if match is None:
        raise ValueError(f"not the path of a submission: {path[:80]!r}")
    return match.group(1)


def padded_cik(value: str | int) -> str:
    """The CIK with ten digits.

    Raises:
        ValueError: not a number of one to ten digits, or zero.
    """
    text = str(value)
    if not re.fullmatch(r"\d{1,10}", text, re.ASCII) or int(text) == 0:
        raise ValueError(f"not a CIK: {text[:40]!r}")
    return text.zfill(10)


def submitter_cik(accession: str) -> str:
    """The prefix of the accession: who transmitted it, a registrant or a filing agent."""
    return accession_number(accession)[:10]


def folder_path(cik: str, accession: str) -> str:
    """Path of the filing's folder; any co-registrant's CIK leads there."""
    return f"/Archives/edgar/data/{int(padded_cik(cik))}/{accession_number(accession).replace('-', '')}"


def document_path(cik: str, accession: str, name: str) -> str:
    """Path of one document of a filing.

    Raises:
        ValueError: the name is not a plain file name (a separator, `..`, a control character).
    """
    if not _DOCUMENT_NAME.fullmatch(name) or name.strip(". ") == "" or name != name.strip():
        raise ValueError(f"not a document name: {name[:80]!r}")
    return f"{folder_path(cik, accession)}/{name}"


def full_submission_path(cik: str, accession: str) -> str:
    """Path of the whole submission as one text."""
    return f"/Archives/edgar/data/{int(padded_cik(cik))}/{accession_number(accession)}.txt"


def index_headers_path(cik: str, accession: str) -> str:
    """Path of the page with the SGML header and the document list."""
    return document_path(cik, accession, f"{accession_number(accession)}-index-headers.html")
