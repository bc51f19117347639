"""What an answer of EDGAR means: the document asked for, or one of the things that come in its place.

A status alone does not tell. 403 has three meanings, maintenance pages come with 200, and a body may be cut short. Nothing
is stored before it has been recognised as what was asked.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from typing import Literal, NamedTuple

from benchmark_pipeline.edgar.filing_folder import parse_folder_index
from benchmark_pipeline.edgar.full_submission import is_complete
from benchmark_pipeline.edgar.indexes import is_master_index
from benchmark_pipeline.edgar.sgml_header import parse_header
from benchmark_pipeline.edgar.submissions import InconsistentArrays, NotSubmissions, parse_submissions

Meaning = Literal[
    "ok",
    "not_modified",
    "not_found",
    "access_denied",
    "undeclared_tool",
    "rate_threshold",
    "busy",
    "truncated",
    "maintenance_page",
    "wrong_document",
    "empty",
    "too_large",
]
"""`busy`: 429 or 5xx."""


class Verdict(NamedTuple):
    """A meaning and what it was read from."""

    meaning: Meaning
    detail: str = ""


Expectation = Callable[[bytes], Verdict]
"""Says whether a body with status 200 is what was asked."""

_SITE_PAGE = re.compile(rb"<title>[^<]*SEC\.gov\s*\|", re.IGNORECASE)
_THRESHOLD = re.compile(rb"request rate threshold exceeded", re.IGNORECASE)
_UNDECLARED = re.compile(rb"undeclared automated tool", re.IGNORECASE)
_MAINTENANCE = re.compile(rb"maintenance|temporarily unavailable|try again later", re.IGNORECASE)
_INDEX_PATH = re.compile(r"/Archives/edgar/(?:full|daily)-index/")
_STARTS_AS_HTML = re.compile(
    rb"\A\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<!doctype html|<html)", re.IGNORECASE | re.DOTALL
)
_HEAD = 8192


def read_answer(status: int, path: str, body: bytes, expected: Expectation) -> Verdict:
    """The meaning of a complete answer."""
    head = body[:_HEAD]
    if status == 304:
        return Verdict("not_modified")
    if status in (404, 410):
        return Verdict("not_found", f"status {status}")
    if status == 429 or status >= 500:
        return Verdict("busy", f"status {status}")
    if status == 403:
        if _UNDECLARED.search(head):
            return Verdict("undeclared_tool", "403: undeclared automated tool")
        if _THRESHOLD.search(head):
            return Verdict("rate_threshold", "403: request rate threshold exceeded")
        if b"<Code>AccessDenied</Code>" in head and _INDEX_PATH.search(path):
            return Verdict("not_found", "403 AccessDenied: there is no such index")
        return Verdict("access_denied", f"403: {_excerpt(body)}")
    if status != 200:
        return Verdict("wrong_document", f"status {status}: {_excerpt(body)}")
    if not body.strip():
        return Verdict("empty", "status 200 without a body")
    if _SITE_PAGE.search(head):
        kind: Meaning = "maintenance_page" if _MAINTENANCE.search(head) else "wrong_document"
        return Verdict(kind, f"a page of the site instead: {_excerpt(body)}")
    return expected(body)


def a_document(body: bytes) -> Verdict:
    """Any document; HTML that does not end is suspected to be cut short."""
    if _STARTS_AS_HTML.match(body[:_HEAD]) and b"</html>" not in body[-4096:].lower():
        return Verdict("truncated", "the HTML does not end with </html>")
    return Verdict("ok")


def a_master_index(body: bytes) -> Verdict:
    """A master index whose last line is whole."""
    if not is_master_index(body):
        return Verdict("wrong_document", f"not a master index: {_excerpt(body)}")
    last = body.rstrip().rsplit(b"\n", 1)[-1]
    if not (last.rstrip().endswith(b".txt") or set(last.strip()) == {ord("-")}):
        return Verdict("truncated", f"the index ends with {_excerpt(last)}")
    return Verdict("ok")


def a_folder_listing(body: bytes) -> Verdict:
    """The JSON listing of a folder."""
    try:
        parse_folder_index(body)
    except ValueError as error:
        cut = body.lstrip()[:1] == b"{" and body.rstrip()[-1:] != b"}"
        return Verdict("truncated" if cut else "wrong_document", str(error)[:200])
    return Verdict("ok")


def submission_of(accession: str) -> Expectation:
    """The full submission of a filing, with its closing marker."""

    def expected(body: bytes) -> Verdict:
        try:
            found = parse_header(body).accession
        except ValueError as error:
            return Verdict("wrong_document", str(error))
        if found != accession:
            return Verdict("wrong_document", f"the submission {found}")
        return Verdict("ok") if is_complete(body) else Verdict("truncated", "the submission does not end")

    return expected


def submissions_of(cik: str | None) -> Expectation:
    """The submissions of a registrant, or (null) one of the older pages."""

    def expected(body: bytes) -> Verdict:
        try:
            found = parse_submissions(body)
        except InconsistentArrays:
            return Verdict("ok")  # as served; the reader rejects it by name
        except NotSubmissions as error:
            cut = body.lstrip()[:1] == b"{" and body.rstrip()[-1:] != b"}"
            return Verdict("truncated" if cut else "wrong_document", str(error))
        if found.cik != cik:
            return Verdict("wrong_document", f"submissions of {found.cik} instead of {cik}")
        return Verdict("ok")

    return expected


def header_of(accession: str) -> Expectation:
    """The header page of a filing, with the end of its document list."""

    def expected(body: bytes) -> Verdict:
        try:
            found = parse_header(body).accession
        except ValueError as error:
            return Verdict("wrong_document", str(error))
        if found != accession:
            return Verdict("wrong_document", f"the header of {found}")
        tail = body[-4096:].lower()
        if b"</html>" not in tail and b"/sec-document" not in tail and b"</sec-header>" not in tail:
            return Verdict("truncated", "the header page does not end")
        return Verdict("ok")

    return expected


def decompressed(body: bytes, encoding: str) -> bytes | None:
    """The body without its content encoding; null where the compressed stream is cut short or broken.

    The stream's own end marker is checked, which HTTP libraries leave out.
    """
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        return body
    if encoding not in ("gzip", "x-gzip", "deflate"):
        return None
    for window in (31,) if "gzip" in encoding else (15, -15):
        decoder = zlib.decompressobj(window)
        try:
            plain = decoder.decompress(body)
        except zlib.error:
            continue
        if decoder.eof:
            return plain
    return None


def _excerpt(body: bytes) -> str:
    return " ".join(body[:200].decode("latin-1").split())
