"""Controls in an annual report on Form 40-F: titles without numbers in the main document, or its exhibits."""

from __future__ import annotations

from collections.abc import Sequence

from .candidates import ABOUT_CONTROLS, MAX_CHARACTERS, Closings, Concludes
from .headings import EXHIBIT_NEXT_TITLE, FORTY_F_NEXT_TITLE, FORTY_F_TITLE, POINTER
from .model import FilingDocument, Rejection, Section, Stretch
from .pointers import heading_of, report_in
from .running_heads import trim

_TYPES = ("40-F", "EX-99", "EX-13")
_LEAST_ANSWER = 100
"""Characters of an answer under a title of the form; a shorter one only points."""


def forty_f(documents: Sequence[FilingDocument], concludes: Concludes) -> Section | Rejection:
    """The passage on controls in the main document, else in an exhibit, where management's report may stand alone."""
    candidates = 0
    partial: Section | None = None
    pointing: Stretch | None = None
    main, *others = documents
    answering = [main, *(other for other in others if other.type.upper().startswith(_TYPES))]
    for document in answering:
        text = document.text
        closings = Closings(FORTY_F_NEXT_TITLE if document is main else EXHIBIT_NEXT_TITLE, text)
        for title in FORTY_F_TITLE.finditer(text):
            candidates += 1
            closing = closings.after(title.end())
            if closing is None or closing.start() - title.end() > MAX_CHARACTERS:
                continue
            end = closing.start()
            body = text[title.end() : end]
            if len(body) < _LEAST_ANSWER or not ABOUT_CONTROLS.search(body):
                if document is main and POINTER.search(body):
                    pointing = pointing or Stretch(document, title.start(), trim(document, title.start(), end))
                continue
            stretch = Stretch(document, title.start(), trim(document, title.start(), end))
            section = _section(stretch, main, " ".join(title[0].split()), candidates, pointing)
            if concludes(body):
                return section
            partial = partial or section
        if partial is not None:
            return partial
    for document in answering:
        report = report_in(document, concludes)
        if report is not None:
            return _section(report, main, heading_of(report.text), candidates, pointing)
    return Rejection("no_heading", "no heading on controls and procedures", candidates)


def _section(stretch: Stretch, main: FilingDocument, heading: str, candidates: int,
                pointing: Stretch | None) -> Section:  # fmt: skip
    """A section of Form 40-F, with the passage of the main document that points to an exhibit, where one does."""
    if stretch.document is main:
        return Section(stretch, "40-F", "heading", heading, candidates)
    return Section(stretch, "40-F", "exhibit", heading, candidates, item_stretch=pointing)
