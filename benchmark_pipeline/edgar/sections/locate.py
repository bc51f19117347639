"""Cuts the controls section out of an annual report, or says why it cannot be cut."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from benchmark_pipeline.edgar.markup import PAGE_CHAPTER

from .candidates import ABOUT_CONTROLS, MAX_CHARACTERS, MIN_CHARACTERS, Closings, Concludes
from .forty_f import forty_f
from .headings import (
    CONTINUES_AS_SENTENCE,
    EXHIBIT_NEXT_TITLE,
    GOVERNANCE_TITLE,
    NEXT_TITLE_ALONE,
    POINTER,
    STATEMENTS_TITLE,
    TEN_K_9A,
    TEN_K_9A_BARE,
    TEN_K_14,
    TEN_K_OTHER_NUMBER,
    TRANSITIONAL,
    TWENTY_F_15,
    TWENTY_F_15_BARE,
    HeadingFamily,
)
from .model import FilingDocument, Item, Rejection, Section, Stretch
from .pointers import follow, heading_of, points_elsewhere, report_in, with_disclosure_controls
from .readability import language, unreadable
from .running_heads import trim
from .titles import by_title, in_an_exhibit, named_by

MIN_BODY_LETTERS = 60
"""Fewer letters after the heading: a row of a table of contents or of an index."""
_SUB_HEADING_CHARACTERS = 60
"""From a heading's words to a sub-heading right below it."""
MAX_BODY_BYTES = 100_000_000
MAX_HEADINGS = 20_000
"""More headings of one item: no report, and too many to weigh against each other."""


_TEN_K_CLOSINGS = (NEXT_TITLE_ALONE, STATEMENTS_TITLE, TEN_K_9A.closing)
_ICFR = re.compile(r"internal\s+controls?\s+over\s+financial", re.IGNORECASE)
_PAGE_AFTER = re.compile(
    rf"[^\n]{{0,80}}?(?:[.\u2026\xb7_ ]{{2,}}|\s)\s*\|?\s*(?:pages?\s+)?{PAGE_CHAPTER}\d{{1,3}}(?:\s*[-\u2013]\s*\d{{1,3}})?[^\S\n]*(?:\n|$)",
    re.IGNORECASE,
)
"""The end of a row of a table of contents: a page, after dots or a blank, on the line or alone on the next."""


def locate(documents: Sequence[FilingDocument], form: str, concludes: Concludes) -> Section | Rejection:
    """The controls section of an annual report.

    Args:
        documents: the filing's usable documents; the first is the primary one.
        form: exact form type; 10-K, 10-KT, 20-F and 40-F are covered.
        concludes: tells whether a text states a conclusion on ICFR.
    """
    # 10-K405 ended before Section 404 reports began, 10-KSB is a small business form: both are out by rule.
    if form not in ("10-K", "10-KT", "20-F", "40-F"):
        return Rejection("form_not_covered", f"form {form}")
    if not documents:
        return Rejection("document_missing", "no usable document of the filing is stored")
    primary = documents[0]
    if len(primary.body) > MAX_BODY_BYTES:
        return Rejection("too_complex", f"{primary.name} has {len(primary.body)} bytes")
    reason = unreadable(primary)
    if reason:
        return reason
    if form == "40-F":
        found = forty_f(documents, concludes)
    elif form == "20-F":
        found = _twenty_f(documents, concludes)
    else:
        found = _ten_k(documents, concludes)
    return found if isinstance(found, Rejection) else _settle(found, documents, concludes)


def _ten_k(documents: Sequence[FilingDocument], concludes: Concludes) -> Section | Rejection:
    document = documents[0]
    first = _by_heading(document, TEN_K_9A)
    if isinstance(first, Section):
        return _rather_a_title(document, first, _TEN_K_CLOSINGS)
    if first.reason == "too_complex":
        return first
    for family in (TEN_K_14, TEN_K_9A_BARE, TEN_K_OTHER_NUMBER):
        attempt = _by_heading(document, family)
        if isinstance(attempt, Section):
            return attempt
    untitled = by_title(document, _TEN_K_CLOSINGS, "9A")
    if isinstance(untitled, Section):
        return untitled
    if first.candidates:
        # Only rows of an index: the filer answers the item by management's report, wherever it stands.
        report = report_in(document, concludes)
        if report is not None:
            return Section(with_disclosure_controls(report), "9A", "index", heading_of(report.text), first.candidates)
        return in_an_exhibit(documents[1:], first, concludes, "9A") or first
    return first


def _twenty_f(documents: Sequence[FilingDocument], concludes: Concludes) -> Section | Rejection:
    document = documents[0]
    closings = (NEXT_TITLE_ALONE, EXHIBIT_NEXT_TITLE, GOVERNANCE_TITLE, STATEMENTS_TITLE, TWENTY_F_15.closing)
    first = _by_heading(document, TWENTY_F_15)
    if isinstance(first, Section):
        return _rather_a_title(document, first, closings)
    bare = _by_heading(document, TWENTY_F_15_BARE)
    if isinstance(bare, Section):
        return bare
    # An annual report filed on the form under titles of its own, with an index to the items.
    untitled = by_title(document, closings, "15")
    if isinstance(untitled, Section):
        return untitled
    return in_an_exhibit(documents[1:], first, concludes, "15") or first


def _rather_a_title(document: FilingDocument, section: Section, closings: Sequence[re.Pattern[str]]) -> Section:
    """Of a section that opens at a row of the contents, the un-numbered heading that the row names, where there is one."""
    row = section.stretch.start + len(section.heading)
    if not _is_contents_row(document.text, row):
        return section
    untitled = by_title(document, closings, section.item)
    # A title right below is the first sub-heading of a numbered item with a page beside its heading.
    below = isinstance(untitled, Section) and untitled.stretch.start - row > _SUB_HEADING_CHARACTERS
    return untitled if isinstance(untitled, Section) and below else section


def _by_heading(document: FilingDocument, family: HeadingFamily) -> Section | Rejection:
    """The best candidate among the family's headings."""
    titled = _headings(document, family, family.titled)
    if len(titled) > MAX_HEADINGS:
        return Rejection("too_complex", f"more than {MAX_HEADINGS} headings of item {family.item}")
    section = _best(document, titled, family, "heading", len(titled))
    if isinstance(section, Section) or family.numbered is None:
        return section
    taken = {match.start() for match in titled}
    bare = [match for match in _headings(document, family, family.numbered) if match.start() not in taken]
    if len(bare) > MAX_HEADINGS:
        return Rejection("too_complex", f"more than {MAX_HEADINGS} headings of item {family.item}")
    lines = Counter(_line(document.text, match.start()) for match in bare)
    # A line that repeats is a running head: it neither opens nor closes a section.
    bare = [match for match in bare if lines[_line(document.text, match.start())] < 3]
    second = _best(document, bare, family, "number_heading", len(titled) + len(bare))
    return second if isinstance(second, Section) or not titled else section


def _headings(document: FilingDocument, family: HeadingFamily, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    """Blocks that open with an item's heading, or the first of them where they are too many."""
    found: list[re.Match[str]] = []
    text = document.text
    for start in document.lines_with(*family.words):
        match = pattern.match(text, start)
        if match is not None and not CONTINUES_AS_SENTENCE.match(text, match.end()):
            found.append(match)
            if len(found) > 2 * MAX_HEADINGS:
                break
    return found


def _best(document: FilingDocument, headings: list[re.Match[str]], family: HeadingFamily, method: str,
          candidates: int) -> Section | Rejection:  # fmt: skip
    text = document.text
    fits: list[tuple[tuple[bool, bool, int], re.Match[str], int]] = []
    longest = unbounded = False
    closings = Closings(family.closing, text)
    for heading in headings:
        closing = closings.after(heading.end())
        end = closing.start() if closing else len(text)
        too_long = end - heading.start() > MAX_CHARACTERS
        if (too_long and longest) or (closing is None and not too_long and unbounded):
            # Another like one seen; a document may hold a million headings.
            continue
        body = text[heading.end() : min(end, heading.end() + MAX_CHARACTERS + 1)]
        letters = sum(map(str.isalpha, body[:4000]))
        about = ABOUT_CONTROLS.search(body) is not None
        foreign = not about and len(body) >= MIN_CHARACTERS and language(body) not in (None, "en")
        if letters < MIN_BODY_LETTERS or not (about or foreign or (len(body) < 1200 and POINTER.search(body))):
            continue
        if too_long:
            longest = True
            continue
        if closing is None:
            unbounded = True
            continue
        score = (bool(_ICFR.search(body)), "disclosure controls" in body.lower(), -heading.start())
        fits.append((score, heading, end))
    if fits:
        # A row of the contents that no other row follows reaches as far as the heading it names.
        fits = [fit for fit in fits if not _is_contents_row(text, fit[1].end())] or fits
        if len(fits) > 1:
            earlier = Closings(family.before, text)
            fits = [
                fit for fit in fits if (below := earlier.after(fit[1].end())) is None or below.start() >= fit[2]
            ] or fits
        # Among equals the earliest: a running head inside the section shares its end and would cut its beginning.
        reach: dict[int, int] = {}
        for _, heading, end in fits:
            reach[end] = max(reach.get(end, 0), end - heading.start())
        best = max(fits, key=lambda fit: (fit[0][0], fit[0][1], reach[fit[2]], fit[0][2]))
        heading, end = best[1], best[2]
        heading = _past_an_empty_item(text, heading, [fit[1] for fit in fits if fit[2] == end])
        item: Item = family.item
        if item == "9A" and TRANSITIONAL.search(heading[0]):
            item = "9A(T)"
        stretch = Stretch(document, heading.start(), trim(document, heading.start(), end))
        return Section(stretch, item, "heading" if method == "heading" else "number_heading",
                       " ".join(heading[0].split()), candidates)  # fmt: skip
    if longest:
        return Rejection("over_capture", f"no closing heading within {MAX_CHARACTERS} characters", candidates)
    if unbounded:
        return Rejection("no_boundary", "the document ends before a closing heading", candidates)
    if headings:
        return Rejection("no_heading", f"{len(headings)} headings, none followed by a disclosure", candidates)
    return Rejection("no_heading", f"no heading of item {family.item}", candidates)


def _is_contents_row(text: str, heading_end: int) -> bool:
    """Whether a heading stands in a table of contents: its line, or the next one alone, gives a page."""
    return _PAGE_AFTER.match(text, heading_end) is not None


def _past_an_empty_item(text: str, heading: re.Match[str], others: list[re.Match[str]]) -> re.Match[str]:
    """The heading of Item 9A(T) where that of Item 9A stands above it with nothing to it (`Not applicable`)."""
    for other in others:
        between = text[heading.end() : other.start()]
        if between and TRANSITIONAL.search(other[0]) and not TRANSITIONAL.search(heading[0]):
            return heading if sum(map(str.isalpha, between)) >= MIN_BODY_LETTERS else other
    return heading


def _settle(section: Section, documents: Sequence[FilingDocument], concludes: Concludes) -> Section | Rejection:
    """Takes the conclusion on ICFR from elsewhere in the filing where the item itself states none."""
    text = section.stretch.text
    if concludes(text):
        return section
    pointing = points_elsewhere(text) or (len(text) < 1200 and POINTER.search(text) is not None)
    # Some filers state the conclusion beside the statements and say nothing of it in the item; a newly public one
    # says in the item that there is none.
    if pointing or section.item == "40-F" or not _LEFT_OUT.search(text):
        followed = follow(section, documents, concludes, titled=not pointing and section.item != "40-F")
        if followed is None and pointing:
            followed = named_by(section, documents, concludes)
        if followed is not None:
            return followed
    says_little = len(text) < MIN_CHARACTERS and not (
        ABOUT_CONTROLS.search(text) and (_DCP_CONCLUDED.search(text) or _LEFT_OUT.search(text))
    )
    if says_little or (len(text) < 1200 and pointing and not _DCP_CONCLUDED.search(text)):
        if pointing:
            return Rejection("stub_cross_reference", text[:300], section.candidates)
        return Rejection("too_short", text[:300], section.candidates)
    return section


_LEFT_OUT = re.compile(
    r"\bnot\s+(?:required\s+to\s+)?(?:include|contain|provide)\b[^.]{0,80}\b(?:report|assessment)|newly\s+public|transition\s+period",
    re.IGNORECASE,
)
_DCP_CONCLUDED = re.compile(r"\beffective\b", re.IGNORECASE)


def _line(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start : end if end >= 0 else len(text)].strip().lower()
