"""Controls under a title without a number: of filers with an index to the items, and in exhibits."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .candidates import ABOUT_CONTROLS, MAX_CHARACTERS, MIN_CHARACTERS, Closings, Concludes
from .headings import (
    ANY_ITEM,
    EXHIBIT_NEXT_TITLE,
    GOVERNANCE_TITLE,
    NEXT_TITLE_ALONE,
    STATEMENTS_TITLE,
    TITLE_ALONE,
)
from .model import FilingDocument, Item, Rejection, Section, Stretch
from .pointers import PRINCIPAL_EXHIBITS, heading_of, report_in
from .running_heads import trim


def by_title(document: FilingDocument, closings: Sequence[re.Pattern[str]],
              item: Item) -> Section | Rejection:  # fmt: skip
    """An un-numbered block `Controls and Procedures`, closed by another title of the form or a numbered item."""
    text = document.text
    titles = list(TITLE_ALONE.finditer(text))
    ends = [Closings(pattern, text) for pattern in closings]
    for title in titles:
        end = min((match.start() for closing in ends if (match := closing.after(title.end()))), default=None)
        if end is None or not MIN_CHARACTERS < end - title.end() <= MAX_CHARACTERS:
            continue
        if ABOUT_CONTROLS.search(text[title.end() : end]):
            stretch = Stretch(document, title.start(), trim(document, title.start(), end))
            return Section(stretch, item, "index", " ".join(title[0].split()), len(titles))
    return Rejection("no_heading", "no un-numbered heading with a disclosure under it", len(titles))


def in_an_exhibit(
    exhibits: Sequence[FilingDocument], row: Rejection, concludes: Concludes, item: Item
) -> Section | None:
    """The disclosure in the annual report filed as an exhibit, where the form itself is an index to it."""
    for exhibit in exhibits:
        if exhibit.type.upper().startswith(PRINCIPAL_EXHIBITS):
            titled = _titled(exhibit, item, concludes)
            if titled is not None:
                return Section(titled.stretch, item, "exhibit", titled.heading, row.candidates)
            report = report_in(exhibit, concludes)
            if report is not None:
                return Section(report, item, "exhibit", heading_of(report.text), row.candidates)
    return None


def named_by(section: Section, documents: Sequence[FilingDocument], concludes: Concludes) -> Section | None:
    """The un-numbered passage `Controls and Procedures` that an item points to, in its document or in an exhibit."""
    own = section.stretch
    for document in documents:
        if document is own.document or document.type.upper().startswith(PRINCIPAL_EXHIBITS):
            found = _titled(document, section.item, concludes)
            apart = found is not None and (
                document is not own.document or found.stretch.end <= own.start or found.stretch.start >= own.end
            )
            if found is not None and apart:
                return Section(found.stretch, section.item, "pointer" if document is own.document else "exhibit",
                               found.heading, section.candidates, item_stretch=own)  # fmt: skip
    return None


def _titled(document: FilingDocument, item: Item, concludes: Concludes) -> Section | None:
    """An un-numbered passage `Controls and Procedures` that states a conclusion on ICFR, in whatever document."""
    found = by_title(
        document,
        (NEXT_TITLE_ALONE, EXHIBIT_NEXT_TITLE, GOVERNANCE_TITLE, STATEMENTS_TITLE, ANY_ITEM),
        item,
    )
    return found if isinstance(found, Section) and concludes(found.stretch.text) else None
