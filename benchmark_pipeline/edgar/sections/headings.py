"""Headings that open and close the controls section, by form.

Every pattern is anchored at the start of a block of normalised text, so that a reference inside a sentence is never
taken for a heading. Item letters come from closed sets: an unknown letter is not an item.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .model import Item

_BEFORE = r"^(?:\d{1,3}[^\S\n]+)?(?:part\s+i{1,3}\b(?:[^\S\n]|[,.:;\u2013\u2014-])*)?"
"""The part on the same line; on a line of its own it is the running head of the page."""
_ITEM = r"(?:items?|i t e m)\s*(?:no\.?\s*|number\s*)?"
_NINE_A = r"(?:9\s*(?:,|&|and)\s*)?9\s*[.\u2013-]?\s*\(?a\)?"
"""Alone, or with the item before it under one heading."""
_MARKS = r"[\s.:;,|\u2013\u2014-]*"
_TITLE = r"(?:(?:disclosure\s+)?controls?\s+(?:and|&)\s+procedures?|evaluation\s+of\s+(?:disclosure\s+)?controls)"
_FLAGS = re.IGNORECASE | re.MULTILINE


@dataclass(frozen=True)
class HeadingFamily:
    """The headings of one item and what may follow it."""

    item: Item
    titled: re.Pattern[str]
    """Number and title."""
    numbered: re.Pattern[str] | None
    """Number alone, the title being missing or unusual; null where the number is ambiguous."""
    closing: re.Pattern[str]
    """The first block that no longer belongs to the item."""
    before: re.Pattern[str]
    """The heading of an item that stands before this one: below it, the list of items is a table of contents."""
    words: tuple[str, ...] = ("item", "i t e m")
    """Every heading of the family holds one of these (lower case): only lines that do are looked at."""


_ITS_TITLE = ("controls and procedures",)


def _closing(numbers: str, parts: str) -> re.Pattern[str]:
    number = rf"{_BEFORE}{_ITEM}(?:{numbers})(?![\w(])\s*(?:[.:;|\u2013\u2014-]|\n|\s(?=[A-Z\[(]))"
    # The letter after the number decides between heading and sentence, so this one class is case-sensitive.
    number = number.replace("(?=[A-Z\\[(])", "(?-i:(?=[A-Z\\[(]))")
    part = rf"^part\s+(?:{parts})\b[\s.:,\u2013\u2014-]*(?:$|\n|item|directors|exhibits)"
    return re.compile(rf"{number}|{part}|^signatures?[\s.:]*$", _FLAGS)


def _before(numbers: str) -> re.Pattern[str]:
    """Headings of the items with some numbers: number, mark and a word in capitals or with a capital."""
    return re.compile(
        rf"{_BEFORE}{_ITEM}(?:{numbers})\s*\(?[a-c]?\)?(?:\s*[.:;|\u2013\u2014-]|\s)\s*(?-i:[A-Z\[(])", _FLAGS
    )


TEN_K_9A = HeadingFamily(
    item="9A",
    titled=re.compile(rf"{_BEFORE}{_ITEM}{_NINE_A}\s*(?:[-\u2013]?\s*\(?\s*[ti1]\s*\)?)?{_MARKS}{_TITLE}", _FLAGS),
    numbered=re.compile(rf"{_BEFORE}{_ITEM}{_NINE_A}(?:\s*\(\s*[ti]\s*\))?(?!\w)", _FLAGS),
    closing=re.compile(
        _closing(r"9\s*\(?[bc]\)?|1[0-5]", "iii|iv").pattern
        + rf"|{_BEFORE}{_ITEM}9bother|^other\s+information[\s.:]*\n\s*(?:none|not\s+applicable)\b",
        _FLAGS,
    ),
    before=_before(r"[1-8]"),
)
TEN_K_9A_BARE = HeadingFamily(
    item="9A",
    titled=re.compile(rf"{_BEFORE}9\s*\(?a\)?\s*(?:\(\s*t\s*\))?{_MARKS}{_TITLE}", _FLAGS),
    numbered=None,
    closing=re.compile(
        TEN_K_9A.closing.pattern
        + rf"|{_BEFORE}9\s*\(?[bc]\)?{_MARKS}(?:other|disclosure)\b|{_BEFORE}10{_MARKS}directors\b",
        _FLAGS,
    ),
    before=_before(r"[1-8]"),
    words=_ITS_TITLE,
)
"""Number and title without the word `Item`."""
TEN_K_OTHER_NUMBER = HeadingFamily(
    item="9A",
    titled=re.compile(
        rf"{_BEFORE}{_ITEM}(?:8\s*\(?[ab]\)?|9|1[0-5])\s*(?:\(\s*t\s*\))?{_MARKS}{_TITLE}",
        _FLAGS,
    ),
    numbered=None,
    closing=re.compile(
        _closing(r"8\s*\(?b\)?|9\s*\(?[a-c]?\)?|1[0-6]", "iii|iv").pattern
        + r"|^other\s+information[\s.:]*\n\s*(?:none|not\s+applicable)\b",
        _FLAGS,
    ),
    before=_before(r"[1-7]"),
    words=_ITS_TITLE,
)
"""The title under a number of another form or year, as small filers carry it over: it counts only with its title."""
TEN_K_14 = HeadingFamily(
    item="14",
    titled=re.compile(rf"{_BEFORE}{_ITEM}14{_MARKS}{_TITLE}", _FLAGS),
    numbered=None,
    closing=_closing(r"1[56]", "iv"),
    before=_before(r"[1-9]|1[0-3]"),
)
TWENTY_F_15 = HeadingFamily(
    item="15",
    titled=re.compile(rf"{_BEFORE}{_ITEM}15\s*(?:\(?[at]\)?)?{_MARKS}{_TITLE}", _FLAGS),
    numbered=None,
    closing=_closing(r"16\s*\(?[a-k]?\)?|1[7-9]", "iii"),
    before=_before(r"[1-9]|1[0-4]"),
)
TWENTY_F_15_BARE = HeadingFamily(
    item="15",
    titled=re.compile(rf"{_BEFORE}15\s*(?:\(?[at]\)?)?{_MARKS}{_TITLE}", _FLAGS),
    numbered=None,
    closing=re.compile(
        TWENTY_F_15.closing.pattern + rf"|{_BEFORE}16\s*\(?a?\)?{_MARKS}(?:\[?reserved|audit\s+committee)", _FLAGS
    ),
    before=_before(r"[1-9]|1[0-4]"),
    words=_ITS_TITLE,
)
ANY_ITEM = _before("[1-9]|1[0-9]")
"""The heading of any item."""
TRANSITIONAL = re.compile(r"(?:9\s*a|15)\s*\(?\s*t\b\s*\)?", re.IGNORECASE)
"""The temporary item of non-accelerated filers, 9A(T) or 15T, fiscal years 2007-2010."""

CONTINUES_AS_SENTENCE = re.compile(
    r"[\s\"\u201d\u2019')]*(?:(?-i:of|in|to|above|below|is|are|was|were|for|on|at|under|contains?|includes?|and\s+in|as|hereof|herein|"
    r"which|that|by|from|this|describes?)\b|,\s*(?-i:[a-z]))"
)
"""What follows a heading's words when they stand in a sentence."""

TITLE_ALONE = re.compile(r"^(?:disclosure\s+)?controls?\s+(?:and|&)\s+procedures?[\s.:]*$", _FLAGS)
"""An un-numbered heading, as filers with a cross-reference index print it."""
NEXT_TITLE_ALONE = re.compile(
    r"^(?:other\s+information|directors,\s+executive\s+officers[^\n]{0,60}|executive\s+compensation|properties"
    r"|legal\s+proceedings|exhibits[^\n]{0,60}|risk\s+factors|form\s+10-k\s+cross[- ]reference[^\n]{0,30}"
    r"|disclosure\s+regarding\s+foreign\s+jurisdictions[^\n]{0,50}|security\s+ownership[^\n]{0,110}"
    r"|principal\s+account\w+\s+fees[^\n]{0,30}|market\s+for\s+[^\n]{0,140}|audit\s+report[^\n]{0,20}"
    r"|certain\s+relationships\s+and\s+related[^\n]{0,80}|changes\s+in\s+and\s+disagreements\s+with[^\n]{0,90}"
    r"|unresolved\s+staff\s+comments|cybersecurity|mine\s+safety\s+disclosures?|form\s+10-k\s+summary"
    r"|selected\s+financial\s+data|quantitative\s+and\s+qualitative[^\n]{0,60}|financial\s+statements\s+and\s+supplementa\w+[^\n]{0,40}"
    r"|(?:information\s+about\s+(?:our\s+)?executive\s+officers)[^\n]{0,40}|repurchases\s+of[^\n]{0,40}"
    r"|rule\s+10b5-1[^\n]{0,60}|insider\s+trading[^\n]{0,60}|availability\s+of[^\n]{0,60}|signatures?)[\s.:]*$",
    _FLAGS,
)
_RUN_IN = (
    r"(?-i:(?:[ ,/-]+(?:[A-Z(][\w'\u2019)-]*|of|the|and|to|for|by|on|under|in|with|from|required)){0,10})"
    r"\s*[.:\u2014]\s*(?-i:(?=[A-Z(]))"
)
"""The rest of a heading, in capitals or with capitals, with the paragraph run in after it."""
FORTY_F_TITLE = re.compile(
    r"^(?:\(?[a-z0-9]{1,2}[.)]\s*)?(?:certifications\s+and\s+|evaluation\s+of\s+)?(?:disclosure\s+)?(?:regarding\s+)?controls?\s+and\s+procedures"
    rf"(?:[^\n.]{{0,60}}[\s.:]*$|{_RUN_IN})",
    _FLAGS,
)
FORTY_F_NEXT_TITLE = re.compile(
    r"^(?:\(?[a-z0-9]{1,2}[.)]\s*)?(?:notices?\s+(?:required\s+by|pursuant\s+to|of\s+pension)|pension\s+fund\s+blackout|board\s+of\s+directors"
    r"|director\s+independence|presiding\s+director|communications?\s+with|correspondence|exemptions?\s+from|audit\s+committee|identification\s+of\s+the\s+audit"
    r"|code\s+of\s+(?:ethics|business|conduct)|principal\s+account|off[- ]balance|tabular\s+disclosure|contractual\s+obligations"
    r"|disclosure\s+of\s+contractual|mine\s+safety|corporate\s+governance|undertaking|interactive\s+data"
    r"|disclosure\s+regarding\s+foreign|recovery\s+of\s+erroneously|comparison\s+of\s+(?:nyse|nasdaq)|nyse|nasdaq"
    r"|consent\s+to\s+service|signatures?\b|exhibit\s+index|incorporation\s+by\s+reference)(?:[^\n]{0,100}$|"
    + _RUN_IN
    + ")",
    _FLAGS,
)
EXHIBIT_NEXT_TITLE = re.compile(
    FORTY_F_NEXT_TITLE.pattern
    + r"|^(?:[a-z0-9]{1,2}[.)]\s*)?(?:forward[- ]looking|caution|risks?\b|critical|additional\s+information|non-?\s?(?:gaap|ifrs)"
    r"|outstanding\s+share|share\s+capital|subsequent|(?:significant\s+|new\s+|changes\s+in\s+)?accounting|outlook|financial\s+instruments"
    r"|related\s+part|other\s+information|approval|glossary|quarterly|selected|liquidity|commitments|advisory|cautionary"
    r"|future\s+accounting|consolidated|management['\u2019]s\s+responsibility\s+for\s+financial)[^\n.]{0,90}$",
    _FLAGS,
)
"""Titles of a discussion and analysis, where controls are described in an exhibit."""

GOVERNANCE_TITLE = re.compile(
    r"^(?:supervisory\s+board|remuneration|nominations?\s+committee|going\s+concern|viability|relations\s+with"
    r"|(?:annual\s+)?general\s+meeting|shareholder\s+information|directors['\u2019]\s+(?:report|statement|interests))[^\n.]{0,60}$",
    _FLAGS,
)
"""Titles of a report on corporate governance, where a foreign issuer may describe its controls."""

STATEMENTS_TITLE = re.compile(
    r"^(?:(?:notes\s+to\s+(?:the\s+)?)?consolidated\s+(?:statements?|balance\s+sheets?|financial\s+statements)"
    r"|statements?\s+of\s+(?:consolidated\s+)?(?:earnings|income|operations|financial\s+position))[^\n.]{0,80}$",
    _FLAGS,
)
"""Titles of the financial statements, which may follow the auditor's report below an un-numbered heading."""

MANAGEMENT_REPORT = re.compile(
    r"^(?![^\n]*(?:opinion|independent|auditor['\u2019]?s?\s+report))(?:[^\n]{0,60}[^\S\n])?(?:management(?:['\u2019]?s|s['\u2019])?\s+(?:annual\s+|assessment\s+)?(?:responsibility\s+for\s+financial\s+statements\s+and\s+)?"
    r"report(?:s)?\s+(?:of\s+management\s+)?(?:on|regarding|and)\b"
    r"|report\s+(?:of|by)\s+(?:the\s+)?(?:company['\u2019]s\s+)?management|management(?:['\u2019]s)?\s+report"
    r"|management(?:['\u2019]?s)?\s+(?:responsibility|assessment|statement|discussion\s+of\s+responsibility)"
    r"|statement\s+of\s+management|internal\s+control\s+over\s+financial\s+reporting)[^\n]{0,110}$"
    r"|^management['\u2019]?s\s+(?:annual\s+)?report\s+on\s+internal\s+control\s+over\s+financial\s+reporting\s*[.:\u2014\u2013]\s",
    _FLAGS,
)
"""A heading of management's report where it stands outside the item."""
AFTER_MANAGEMENT_REPORT = re.compile(
    r"^(?:reports?\s+of\s+independent\s+(?:registered|public|auditors)|report\s+of\s+[A-Z][\w&. ]+llp|to\s+the\s+(?:board|share|stock)"
    r"|independent\s+auditor|consolidated\s+(?:statements?|balance)|notes\s+to|selected\s+financial|attestation\s+report\s+of"
    r"|/s/|opinions?\s+on\s+(?:the\s+)?(?:consolidated|financial|internal)|statements?\s+of\s+(?:earnings|income|operations|financial)"
    r"|index\s+to|item\s+\d{1,2}[a-c]?\b|schedule\s+ii|five[- ]year)",
    _FLAGS,
)
POINTER = re.compile(
    r"\b(?:incorporated\s+(?:herein\s+|by\s+reference|into)|included\s+(?:in|on|under|herein|at|elsewhere|beginning)|set\s+forth\b"
    r"|appears?\s+(?:in|on|under|at|elsewhere)|contained\s+(?:in|on|under|elsewhere)|see\b|refer(?:red)?\s+to|presented\s+(?:in|on|under)|found\s+(?:in|on|under)"
    r"|located\s+(?:in|on)|\b(?:is|are)\s+(?:in|under|at)\s+(?:part|item|exhibit|the\s+section)\b|provided\s+(?:in|on|under)|filed\s+(?:as|herewith)|is\s+on\s+page|exhibit\s+13|annual\s+report\s+to\s+(?:share|stock))",
    re.IGNORECASE,
)
"""Words that send the reader to another place."""
