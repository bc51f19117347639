"""Whose controls an auditor's report is about, the registrant's or another company's; and who the auditor is.

A report can hold the statements of a company that the registrant only holds a part of (Regulation S-X Rule 3-09) or
has bought (Rule 3-05), with the report of that company's auditor. Its opinion on ICFR is not the registrant's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

Whose = Literal["own", "unclear", "another"]

_COVER_CHARACTERS = 8_000
_SIGNED = re.compile(r"duly\s+caused\b", re.IGNORECASE)
_SIGNATURE_CHARACTERS = 500
_SIGNATURES = 4
_AFTER_COVER = re.compile(r"^\s*(?:part\s+i{1,3}\b|items?\s+\d)", re.IGNORECASE | re.MULTILINE)
_REPORT_CHARACTERS = 9_000
"""How far above the opinion the address may stand."""
_ADDRESS = re.compile(
    r"^(?:to\s+)?(?:the\s+)?(?:supervisory\s+board|management\s+board|audit\s+committee|managers|(?:board\s+of\s+)?(?:directors|trustees|managers)"
    r"|(?:share|stock|unit|security)\s?(?:holders|owners)|(?:general\s+|limited\s+)?partners|members|owners|sponsor)\b[^\n]{0,200}$",
    re.IGNORECASE | re.MULTILINE,
)
_REPORT_HEADING = re.compile(
    r"^[^\n]{0,40}\breports?\s+of\s+(?:\S+\s+){0,5}?(?:independent|registered)\b[^\n]{0,100}$|^[^\n]{0,30}\bauditors?['\u2019]?s?['\u2019]?\s+report\b[^\n]{0,60}$",
    re.IGNORECASE | re.MULTILINE,
)
_OF = re.compile(r"\bof\s+(?!(?:directors|trustees|managers|the\s+board)\b)(?:the\s+)?(\S[^\n]*)$", re.IGNORECASE)
_ENDS_WITHOUT_NAME = re.compile(
    r"(?:\bof|\band|directors|trustees|managers|holders|owners|partners|members|board|sponsor)[\s,:]*$", re.IGNORECASE
)
_AUDITED = re.compile(
    r"\bwe\s+(?:have\s+)?(?:also\s+)?(?:have\s+)?audited\s+(?:the\s+internal\s+control\s+over\s+financial\s+reporting\s+of\s+(?P<of>[^\n;]{3,120}?)"
    r"|(?P<whose>[^\n;]{3,120}?)['\u2019]s?\s+internal\s+control\s+over\s+financial\s+reporting)\s+(?:\(|as\s+of\b|at\b|and\s+(?:its\s+)?subsidiar)",
    re.IGNORECASE,
)
_ABOUT_SUBSIDIARIES = re.compile(
    r"\s*(?:,?\s+and\s+(?:its\s+)?(?:consolidated\s+)?(?:subsidiar\w+|affiliate\w*).*|\(.*|:\s*|,?\s+a\s+\w+\s+(?:corporation|company).*)$",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"(?:the|our|its|such|this)\s+(?:\w+\s+)?(?:company|corporation|partnership|trust|fund|bank|group|registrant|entity)$",
    re.IGNORECASE,
)
_FIRM = (
    r"((?:Pricewaterhouse\s?Coopers|Ernst\s*&\s*Young|Deloitte\s*(?:&|and)\s*Touche|KPMG|Grant\s+Thornton|BDO(?:\s+USA|\s+Seidman)?|RSM(?:\s+US)?|Crowe|Marcum"
    r"|(?:(?:(?:[A-Z]\.)+|[A-Z][\w\u2019'-]*)(?:,\s|\s&\s|\s)){1,5}?)\s*,?\s*(?:LLP|L\.L\.P\.|PLLC|P\.C\.|PC|P\.A\.|CPAs))"
)
_INDEPENDENT = r"independent\s+(?:registered\s+)?(?:public\s+)?account(?:ing\s+firm|ants?|ing\s+firms)"
_AUDITOR_TOLD = re.compile(rf"{_FIRM},?\s+(?:(?:an|our|the\s+\S+|its)\s+)?{_INDEPENDENT}|{_INDEPENDENT}\s*,\s*{_FIRM}")
_HAS_ATTESTED = re.compile(
    r"attestation\s+report|\baudited\b[^\n]{0,200}\binternal\s+control|\breport\b[^\n]{0,80}\bon\b[^\n]{0,60}\binternal\s+control",
    re.IGNORECASE,
)
_TOLD_WITHIN = 400
_WORD = re.compile(r"[a-z0-9]+")
_GENERAL_WORDS = """
the and of for a an in at de la le les des und y e company companies co corp corporation inc incorporated
limited ltd llc llp lp plc sa nv ag se spa ab asa oyj as bv kk gmbh sab cv group groupe holding holdings trust
fund partners partnership subsidiary subsidiaries international global national american united general new
first bank bancorp bancshares financial capital energy resources technologies technology systems services
industries pharmaceuticals therapeutics health healthcare medical power electric gas oil water communications
media entertainment insurance realty properties property investment investments acquisition ventures venture
joint operating us usa
"""
_GENERAL = frozenset(_GENERAL_WORDS.split())
"""Words of many names, which tell no two companies apart."""


def audited_company(text: str, start: int) -> str | None:
    """The company that an auditor's report names in its address, or as the one whose controls it audited.

    Args:
        text: a document's text.
        start: where the opinion begins.
    """
    low = max(0, start - _REPORT_CHARACTERS)
    headings = list(_REPORT_HEADING.finditer(text, low, start))
    if headings:
        low = headings[-1].end()
        address = _ADDRESS.search(text, low, start)
    else:
        # Without the report's heading only a line that addresses someone is taken.
        addresses = [m for m in _ADDRESS.finditer(text, low, start) if m[0].lower().startswith("to ")]
        address = addresses[-1] if addresses else None
    named = _named_in(address, text) if address else None
    if named is not None:
        return named
    audited = list(_AUDITED.finditer(text, low, start + 1))
    if audited:
        return _clean(audited[-1]["of"] or audited[-1]["whose"])
    return None


def registrant_text(text: str) -> str:
    """Where a registrant prints its name as its charter has it: the cover, before the first item, and the signatures."""
    beginning = text[:_COVER_CHARACTERS]
    item = _AFTER_COVER.search(beginning)
    cover = beginning[: item.start()] if item else beginning
    # Some print the name on the cover as a picture only.
    signed = [text[m.end() : m.end() + _SIGNATURE_CHARACTERS] for m in _SIGNED.finditer(text)]
    return "\n".join([cover, *signed[:_SIGNATURES]])


def whose(company: str | None, names: Iterable[str], cover: str) -> Whose:
    """Whether a company that a report names is the registrant.

    Args:
        company: as the auditor names it.
        names: of the registrants, from the header and the cover's tags.
        cover: where the registrant prints its name.
    """
    if company is None:
        return "unclear"
    short = _without_legal_form(company)
    if f" {short} " in f" {' '.join(_words(cover))} ":
        return "own"
    known = [_without_legal_form(name) for name in names]
    if short in known:
        return "own"
    told = set(short.split()) - _GENERAL
    if not told:
        return "unclear"
    for name in known:
        others = set(name.split())
        distinct = others - _GENERAL
        if told <= others or (distinct and distinct <= set(short.split())):
            return "own"
    return "unclear" if any(told & set(name.split()) for name in known) else "another"


_LEGAL_WORDS = "the company co corp corporation inc incorporated limited ltd llc llp lp plc sa nv ag se"
_LEGAL = frozenset(_LEGAL_WORDS.split())


def firm_told(text: str) -> str | None:
    """The firm that management says attested ICFR; None where it names none, or several.

    For reports whose signature is a picture.
    """
    firms = {
        " ".join((match[1] or match[2]).split())
        for match in _AUDITOR_TOLD.finditer(text)
        if _HAS_ATTESTED.search(text, match.end(), match.end() + _TOLD_WITHIN)
    }
    return firms.pop() if len(firms) == 1 else None


def _without_legal_form(name: str) -> str:
    return " ".join(word for word in _words(name) if word not in _LEGAL)


def _named_in(address: re.Match[str], text: str) -> str | None:
    line = address[0].strip()
    if _ENDS_WITHOUT_NAME.search(line):
        following = text[address.end() + 1 : address.end() + 161].split("\n", 1)[0].strip()
        if len(following.split()) > 12 or following.lower().startswith(("opinion", "we ", "in our")):
            return None
        return _clean(following)
    found = list(_OF.finditer(line))
    return _clean(found[0][1]) if found else None


def _clean(name: str) -> str | None:
    cleaned = _ABOUT_SUBSIDIARIES.sub("", " ".join(name.split())).strip(" ,.:")
    return None if not re.match(r"[^\Wa-z_]", cleaned) or _PRONOUN.match(cleaned) else cleaned


def _words(name: str) -> list[str]:
    """Words in lower case, initials (`S. A.`) and apostrophes made one."""
    plain = re.sub(r"['\u2019]", "", name.lower())
    plain = re.sub(r"\b([a-z])\.\s?(?=[a-z]\b)", r"\1", plain)
    return _WORD.findall(plain)
