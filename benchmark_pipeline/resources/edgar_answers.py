"""What an answer of EDGAR means: the document asked for, or one of the things that come in its place.

A status alone does not tell. 403 has three meanings, maintenance pages come with 200, and a body may be cut short. Nothing
is stored before it has been recognised as what was asked.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
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
"""`busy`: 429, 5xx, or no answer at all."""


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
_BEFORE_HTML = re.compile(rb"\s+|<\?xml[^>]*>|<!--.*?-->", re.DOTALL)
_HTML = re.compile(rb"<!doctype html|<html", re.IGNORECASE)
_HEAD = 8192


def read_answer(status: int, path: str, body: bytes, expected: Expectation) -> Verdict:
    """The meaning of a complete answer."""
    head = body[:_HEAD]
    if status == 304:
        return Verdict("not_modified")
    if status in (404, 410):
        return Verdict("not_found", f"status {status}")
    # The two pages that speak of the client itself come with 403, at times with 429 or 200: the words count.
    if status in (403, 429) or _SITE_PAGE.search(head):
        if _UNDECLARED.search(head):
            return Verdict("undeclared_tool", f"{status}: undeclared automated tool")
        if _THRESHOLD.search(head):
            return Verdict("rate_threshold", f"{status}: request rate threshold exceeded")
    if status == 429 or status >= 500:
        return Verdict("busy", f"status {status}")
    if status == 403:
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


def is_asked_again(verdict: Verdict, status: int | None, seen: Counter[Meaning]) -> bool:
    """Whether another request may bring another answer.

    Args:
        verdict: the last answer.
        status: its status.
        seen: how often each meaning came for this address, the last included.
    """
    if verdict.meaning == "too_large" or (verdict.meaning == "not_found" and status != 403):
        return False
    if verdict.meaning == "wrong_document" and status != 200:
        return False  # a redirect or a refusal: to ask again would only be a nuisance
    # A 403 for something that exists comes and goes, and an empty answer may be an accident: both are asked twice.
    return verdict.meaning not in ("not_found", "access_denied", "empty") or seen[verdict.meaning] < 2


def a_document(body: bytes) -> Verdict:
    """Any document; HTML that does not end is suspected to be cut short."""
    if _starts_as_html(body[:_HEAD]) and b"</html>" not in body[-4096:].lower():
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
        return _not_this_json(body, error)
    return Verdict("ok")


def submissions_of(cik: str | None) -> Expectation:
    """The submissions of a registrant, or (null) one of the older pages."""

    def expected(body: bytes) -> Verdict:
        try:
            found = parse_submissions(body)
        except InconsistentArrays:
            return Verdict("ok")  # as served; the reader rejects it by name
        except NotSubmissions as error:
            return _not_this_json(body, error)
        if found.cik != cik:
            return Verdict("wrong_document", f"submissions of {found.cik} instead of {cik}")
        return Verdict("ok")

    return expected


def submission_of(accession: str) -> Expectation:
    """The full submission of a filing, with its closing marker."""
    return lambda body: _with_header(body, accession, is_complete)


def header_of(accession: str) -> Expectation:
    """The header page of a filing, with the end of its document list."""

    def is_whole(body: bytes) -> bool:
        tail = body[-4096:].lower()
        return any(mark in tail for mark in (b"</html>", b"/sec-document", b"</sec-header>"))

    return lambda body: _with_header(body, accession, is_whole)


def decompressed(body: bytes, encoding: str, largest: int) -> bytes | Verdict:
    """The body without its content encoding, or what is wrong with it.

    The stream's own end marker is checked, which HTTP libraries leave out. No more than `largest` bytes are unpacked: a
    small body can hold any number of them.
    """
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        return body
    if encoding not in ("gzip", "x-gzip", "deflate"):
        return Verdict("wrong_document", f"content encoding {encoding[:40]!r}, which was not asked for")
    for window in (31,) if "gzip" in encoding else (15, -15):
        try:
            plain = _unpacked(body, window, largest)
        except zlib.error:
            continue
        return Verdict("too_large", f"more than {largest} bytes unpacked") if len(plain) > largest else plain
    return Verdict("truncated", "the compressed body is cut short or broken")


def _unpacked(body: bytes, window: int, largest: int) -> bytes:
    """One stream after the other; at most one byte more than `largest`."""
    plain, left = b"", body
    while left and len(plain) <= largest:
        decoder = zlib.decompressobj(window)
        plain += decoder.decompress(left, largest + 1 - len(plain))
        if not decoder.eof and len(plain) <= largest:
            raise zlib.error("the stream does not end")
        left = decoder.unused_data
    return plain


def _starts_as_html(head: bytes) -> bool:
    """Whether HTML follows a declaration and comments. Step by step: one expression for all takes exponential time."""
    at = 0
    while passed := _BEFORE_HTML.match(head, at):
        at = passed.end()
    return _HTML.match(head, at) is not None


def _with_header(body: bytes, accession: str, is_whole: Callable[[bytes], bool]) -> Verdict:
    try:
        found = parse_header(body).accession
    except ValueError as error:
        return Verdict("wrong_document", str(error))
    if found != accession:
        return Verdict("wrong_document", f"the filing {found}")
    return Verdict("ok") if is_whole(body) else Verdict("truncated", "the filing's header or text does not end")


def _not_this_json(body: bytes, error: ValueError) -> Verdict:
    cut = body.lstrip()[:1] == b"{" and body.rstrip()[-1:] != b"}"
    return Verdict("truncated" if cut else "wrong_document", str(error)[:200])


def _excerpt(body: bytes) -> str:
    return " ".join(body[:200].decode("latin-1").split())
