"""Follows an item that only points: to Item 8 or the F-pages of the same document, or to an exhibit of the same filing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .headings import AFTER_MANAGEMENT_REPORT, EXHIBIT_NEXT_TITLE, MANAGEMENT_REPORT, POINTER
from .model import FilingDocument, Section, Stretch
from .running_heads import trim

MAX_REPORT_CHARACTERS = 12_000
"""A management report is a page or two."""
_LEAST_CHARACTERS = 300
_BEGINNING = 300
"""A heading of management's report holds a word that tells it within so many characters."""
PRINCIPAL_EXHIBITS = ("EX-13", "EX-99", "EX-15", "40-F", "20-F")
_BELOW_CHARACTERS = 800
"""Signatures, titles and a date are shorter."""
_DISCLOSURE_CONTROLS = re.compile(
    r"^disclosure\s+controls?(?:\s+and\s+procedures)?\s*[.:\u2014\u2013\n]\s*\S", re.IGNORECASE | re.MULTILINE
)
_RUN_IN = re.compile(r"([^.:\u2014\u2013]{10,160}(?:[.:](?=\s)|(?<=\S)(?=\s*[\u2014\u2013])))")
_HEADING_CHARACTERS = 160
_WORDS_OF_A_SENTENCE = 12
_SIGNATURE = re.compile(r"^/s/[^\n]*$", re.IGNORECASE | re.MULTILINE)
_AUDITED = re.compile(r"\bwe\s+have\s+(?:also\s+)?audited", re.IGNORECASE)
_IN_SENTENCE = re.compile(r":\s*$|\b(?:includes?|is|was|are|were|has|have|had|may|can|maintains?|provides?)\b")
"""What shows that a block that names internal control is a sentence, not a heading."""
_REPORT_TITLE = re.compile(
    r"(?:management(?:['\u2019]?s|s['\u2019])?\s+(?:\w+\s+){0,2}reports?\b|reports?\s+(?:of|by)\s+(?:the\s+)?(?:\S+\s+)?management)[^\n.:]{0,100}$",
    re.IGNORECASE | re.MULTILINE,
)
_ABOUT_ICFR = re.compile(r"internal\s+controls?\s+(?:over|and)", re.IGNORECASE)


def points_elsewhere(text: str) -> bool:
    """Whether a text sends its reader to another place for something about internal control."""
    return any(_ABOUT_ICFR.search(text, max(0, m.start() - 500), m.end() + 500) or "management" in
               text[max(0, m.start() - 300) : m.end() + 300].lower() for m in POINTER.finditer(text))  # fmt: skip


def follow(section: Section, documents: Sequence[FilingDocument], concludes: Callable[[str], bool], *,
           titled: bool = False) -> Section | None:  # fmt: skip
    """The section with management's report taken from where the item points, or None where it is not found.

    The same document is searched first (Item 8, F-pages), then exhibits 13, 99 and 15 in the order filed.

    Args:
        section: the item, which states no conclusion.
        documents: the filing's usable documents.
        concludes: tells whether a text states a conclusion on ICFR.
        titled: only a report under a title of its own is taken, as for an item that points nowhere.
    """
    own = section.stretch
    for document in [own.document, *(d for d in documents if d is not own.document)]:
        exhibit = document is not own.document
        if exhibit and not document.type.upper().startswith(PRINCIPAL_EXHIBITS):
            continue
        for start, end in _reports(document):
            if not exhibit and start < own.end and end > own.start:
                continue
            if titled and not _REPORT_TITLE.match(document.text, start):
                continue
            if concludes(document.text[start:end]):
                first = _nearest_heading(document.text, start, end, concludes)
                # In the document itself a numbered item or a signature ends the report.
                last = _next_title(document.text, first, end, concludes) if exhibit else end
                heading = heading_of(document.text[first:last])
                return Section(Stretch(document, first, trim(document, first, last)), section.item,
                               "exhibit" if exhibit else "pointer", heading, section.candidates, item_stretch=own)  # fmt: skip
    return None


def _next_title(text: str, start: int, end: int, concludes: Callable[[str], bool]) -> int:
    """Where the next title of a discussion and analysis stands below the conclusion, as no signature ends a report there."""
    for title in EXHIBIT_NEXT_TITLE.finditer(text, text.find("\n", start, end) + 1 or end, end):
        if concludes(text[start : title.start()]):
            return title.start()
    return end


def heading_of(report: str) -> str:
    """The heading that a report opens with, as filed; of a paragraph with its heading run in, that heading."""
    line = report.split("\n", 1)[0].strip()
    run_in = _RUN_IN.match(line) if len(line) > _HEADING_CHARACTERS else None
    return run_in[1] if run_in else line


def report_in(document: FilingDocument, concludes: Callable[[str], bool]) -> Stretch | None:
    """The first management report on internal control in a document that states a conclusion."""
    for start, end in _reports(document):
        if concludes(document.text[start:end]):
            first = _nearest_heading(document.text, start, end, concludes)
            last = _next_title(document.text, first, end, concludes)
            return Stretch(document, first, trim(document, first, last))
    return None


def with_disclosure_controls(report: Stretch) -> Stretch:
    """Management's report and the paragraph on disclosure controls that stands below its signatures, where one does."""
    text = report.document.text
    below = _DISCLOSURE_CONTROLS.search(text, report.end, report.end + _BELOW_CHARACTERS)
    if below is None or AFTER_MANAGEMENT_REPORT.search(_SIGNATURE.sub("", text[report.end : below.start()])):
        return report
    end = text.find("\n", below.end())
    return Stretch(report.document, report.start, end if end >= 0 else len(text))


def _nearest_heading(text: str, start: int, end: int, concludes: Callable[[str], bool]) -> int:
    """The last heading on internal control under which the conclusion still stands; an umbrella heading is left out."""
    for match in reversed(list(MANAGEMENT_REPORT.finditer(text, start + 1, end))):
        if (
            _ABOUT_ICFR.search(match[0])
            and not _IN_SENTENCE.search(match[0])
            and end - match.start() >= _LEAST_CHARACTERS
            and concludes(text[match.start() : end])
        ):
            return match.start()
    return start


def _names_a_report(beginning: str) -> bool:
    """A quick look before the pattern of headings, which is slow on a line that is none."""
    return (
        "report" in beginning
        or "responsib" in beginning
        or "assessment" in beginning
        or "statement" in beginning
        or "internal control over financial" in beginning
    )


def _is_sentence(line: str) -> bool:
    """Whether a line that names internal control is a sentence about it, not a heading."""
    return line.endswith(".") and line.count(" ") >= _WORDS_OF_A_SENTENCE


def _reports(document: FilingDocument) -> list[tuple[int, int]]:
    """Stretches that begin with a heading of management's report, in order."""
    text, lowered = document.text, document.lowered
    found: list[tuple[int, int]] = []
    for line in document.lines_with("management", "internal control over financial reporting"):
        if not _names_a_report(lowered[line : line + _BEGINNING]):
            continue
        match = MANAGEMENT_REPORT.match(text, line)
        if match is None or (found and match.start() < found[-1][1]) or _is_sentence(match[0]):
            continue
        limit = match.end() + MAX_REPORT_CHARACTERS
        closing = AFTER_MANAGEMENT_REPORT.search(text, match.end(), limit)
        end = closing.start() if closing else min(limit, len(text))
        stretch = text[match.start() : end].rstrip()
        if len(stretch) >= _LEAST_CHARACTERS and _ABOUT_ICFR.search(stretch) and not _AUDITED.search(stretch[:900]):
            found.append((match.start(), match.start() + len(stretch)))
    return found
