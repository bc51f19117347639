"""Who speaks: the parts of a section that are the auditor's report, not management's."""

from __future__ import annotations

import re

_AUDITOR_HEADING = re.compile(
    r"^(?:(?:attestation\s+)?reports?\s+of\s+(?:the\s+)?(?:our\s+)?independent\s+(?:registered|public|auditor)[^\n]{0,100}"
    r"|opinions?\s+on\s+(?:the\s+)?(?:consolidated|financial|internal)[^\n]{0,100}"
    r"|report\s+of\s+(?:ernst|deloitte|kpmg|pricewaterhouse|grant\s+thornton|bdo)[^\n]{0,100}"
    r"|to\s+the\s+(?:(?:board|share|stock|unit|member|partner)[^\n]{0,160}))$",
    re.IGNORECASE | re.MULTILINE,
)
_ADDRESSED = re.compile(r"to\s+the\b", re.IGNORECASE)
_ADDRESS_CHARACTERS = 900
"""Within this much of an address the auditor says that it has audited; management's report may be addressed too."""
_AUDITOR_SPEAKS = re.compile(
    r"\bwe\s+have\s+(?:also\s+)?audited|\bin\s+our\s+opinion\b|\bour\s+audits?\b", re.IGNORECASE
)
_MANAGEMENT_RESUMES = re.compile(
    r"^(?:\(?[a-d]\)\s*)?(?:changes?\s+in\s+(?:our\s+)?internal|management(?:['\u2019]s)?\s+(?:annual\s+)?report|limitations|inherent\s+limitations\s+on"
    r"|remediation|evaluation\s+of|item\s+\d|disclosure\s+controls|conclusion\s+regarding|part\s+i)",
    re.IGNORECASE | re.MULTILINE,
)


def auditor_regions(text: str) -> list[tuple[int, int]]:
    """Stretches of a section that are an auditor's report, from its heading to where management speaks again."""
    found: list[tuple[int, int]] = []
    for match in _AUDITOR_HEADING.finditer(text):
        if found and match.start() < found[-1][1]:
            continue
        resume = _MANAGEMENT_RESUMES.search(text, match.end())
        end = resume.start() if resume else len(text)
        near = min(end, match.end() + _ADDRESS_CHARACTERS) if _ADDRESSED.match(match[0]) else end
        if not _AUDITOR_SPEAKS.search(text, match.end(), near):
            continue
        if _AUDITOR_SPEAKS.search(text, match.end(), end):
            found.append((match.start(), end))
    return found


_PAGE_BREAK = re.compile(
    r"\n(?:[ \t]*(?:[-\u2013]?\s?(?:page\s+)?(?:(?:[A-Z]|I{1,3}|IV)-)?\d{1,3}(?:\s+of\s+\d{1,3})?\s?[-\u2013]?|table\s+of\s+contents|part\s+ii)[ \t]*\n)+(?=[a-z(])",
    re.IGNORECASE,
)
_SPLIT_SENTENCE = re.compile(r"(?<=[a-z,])\n((?:(?=[^\na-z])[^\n]{1,100}\n){1,4}?)(?=[a-z])")
_NAMED_PAGE = re.compile(
    r"^(?:[-\u2013]?\s?\d{1,3}\b[^\n]*(?:{0})[^\n]*|[^\n]*(?:{0})[^\n]*\s[-\u2013]?\s?\d{1,3}\s?[-\u2013]?|[-\u2013]?\s?(?:page\s+)?(?:(?:[A-Z]|I{1,3}|IV)-)?\d{1,3}(?:\s+of\s+\d{1,3})?\s?[-\u2013]?|table\s+of\s+contents)$".replace(
        "{0}", r"\b(?:10-K|20-F|40-F|form|annual\s+report|page|inc|corp(?:oration)?|ltd|plc|company)\b"
    ),
    re.IGNORECASE | re.MULTILINE,
)
"""A line of the running head or foot that tells the page, alone or beside the name of the report or of the company."""
_WRAP = re.compile(r"(?<=[a-z,])\n(?=[a-z])")


def reading_view(text: str) -> str:
    """The text with page numbers and line breaks inside a sentence blanked; every offset stays what it was."""
    text = _PAGE_BREAK.sub(lambda m: " " * len(m[0]) if text[m.end() : m.end() + 1].islower() else m[0], text)
    text = _SPLIT_SENTENCE.sub(lambda m: " " * len(m[0]) if _NAMED_PAGE.search(m[1]) else m[0], text)
    return _WRAP.sub(" ", text)


def management_only(text: str) -> str:
    """The reading view with the auditor's reports blanked, so that every offset stays what it was."""
    text = reading_view(text)
    for start, end in auditor_regions(text):
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text
