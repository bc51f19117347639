"""Masking of names in finding texts: the auditee, its auditor, and every person.

Findings are public, but a benchmark item needs no name: a person's name adds nothing to the question, and an auditee's
would let a model recall the report. Names come from the report's own header and from the places where auditors print
people (contact lines, titles, honorifics), backed by a list of common given names. Where a pattern is in doubt it masks:
a masked office costs an item little, a printed name cannot be taken back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources

from .records import Report

AUDITEE, AUDITOR, PERSON, PHONE, EMAIL = "[AUDITEE]", "[AUDITOR]", "[PERSON]", "[PHONE]", "[EMAIL]"


def _words_of(name: str) -> frozenset[str]:
    return frozenset(resources.files(__package__).joinpath("words", name).read_text("utf-8").split())


_SUFFIX = re.compile(
    r"(?:,?\s+(?:and\s+(?:subsidiar(?:y|ies)|affiliates?)|inc|incorporated|llc|llp|lp|ltd|corp|corporation|co|pc|p\.?c|"
    r"pllc|plc|l\.?l\.?p|l\.?l\.?c|p\.?l\.?l\.?c|n\.?p\.?c|cpas?)\.?)+$",
    re.I,
)
_PREFIX = re.compile(
    r"^(?:the\s+)?(?:(?:city|town|village|county|state|commonwealth|borough|township|parish)\s+of\s+)", re.I
)
_GENERIC = _words_of("organisation_words.txt")
"""Words that many organisations' names share: alone they identify nobody."""
_SMALL_WORDS = frozenset({"of", "the", "and", "for", "at", "in", "on", "a", "an", "de", "la", "y", "&", "no"})
_TITLES = (
    r"(?:Executive|Associate|Assistant|Deputy|Vice|Interim|Acting|Senior|Chief|Managing|General|Program|Business|Finance|"
    r"Financial|Fiscal|Grants?|Federal|Accounting|Project|City|County|Town|Village|State|School|District|Board|Office|"
    r"Human\s+Resources|Food\s+Service|Budget|Division|Regional|Compliance|Operations?|Administrative)\s+"
)
_OFFICES = (
    r"(?:Director|Commissioner|Superintendent|Controller|Comptroller|Treasurer|Manager|Officer|Administrator|President|"
    r"Chair(?:man|woman|person)?|Clerk|Auditor|Accountant|Coordinator|Supervisor|Secretary|Bookkeeper|Partner|Principal|"
    r"Registrar|Provost|Dean|Bursar|Mayor|Judge|Sheriff|Recorder|Assessor|Specialist|Analyst|CEO|CFO|COO|CIO|CPA|CFE|"
    r"CTM|Esq|Ph\.?D|Chief|Vice[\s-]President|Administrator-Treasurer)"
)
_TITLE = rf"(?:{_TITLES}){{0,3}}{_OFFICES}\b"
# One part of a name: McLucas, O'Brien, Roberts-Scott, ROBINSON. Words run together ("SewellPlanned") end at the capital.
_WORD = r"(?:(?:Mc|Mac|De|Di|Le|La|Van|O['’]|D['’])?[A-Z][a-zé-ÿ]+(?:[-'’][A-Z][a-z]+){0,2}|[A-Z]{2,}(?:[-'’][A-Z]{2,}){0,2})"
_INITIAL = r"(?:[A-Z]\.?)"
_NAME = rf"(?!{_TITLE})(?:{_WORD}|{_INITIAL})(?:\s+(?:{_INITIAL}(?=\s)|[“\"(][A-Z][a-z]+[”\")])){{0,2}}(?:\s+(?:{_WORD}|van|von|de|del|la)){{1,3}}"
_NAMES = rf"{_NAME}(?:(?:\s*[,;&/]\s*|\s+(?:and|or)\s+|\s*,\s*and\s+){_NAME})*"
_CONTACT = (
    r"(?:(?i:name(?:\(s\)|s)?\s+(?:and\s+title\s+)?of\s+(?:the\s+)?(?:contact\s+)?(?:responsible\s+)?(?:person|official|individual|employee)s?(?:\(s\))?"
    r"(?:\s+responsible)?(?:\s+for\s+(?:the\s+)?(?:corrective\s+action|implementation|completion)(?:\s+plan)?)?"
    r"|contact\s+(?:persons?|names?|officials?|individuals?|information)(?:\s+responsible)?(?:\s+for\s+(?:the\s+)?corrective\s+action(?:\s+plan)?)?|contacts?"
    r"|(?:persons?|individuals?|party|parties|officials?|employees?)(?:\(s\))?\s+responsible(?:\s+for\s+(?:the\s+)?(?:corrective\s+action|implementation|completion)(?:\s+plan)?)?"
    r"|responsible\s+(?:persons?|individuals?|part(?:y|ies)|officials?|contacts?)(?:\(s\))?(?:\s+for\s+(?:the\s+)?corrective\s+action(?:\s+plan)?)?"
    r"|(?:prepared|submitted|signed|completed|reviewed|approved|monitored)\s+by|please\s+(?:call|contact)|questions\s+to|sincerely|respectfully(?:\s+submitted)?|attn|attention))"
)
_MASK = r"\[PERSON\]"
_HONORIFIC = r"(?:Mr|Mrs|Ms|Miss|Messrs|Dr|Hon|Rev|Prof)\b\.?"
_STATUTES = re.compile(
    r"Richard\s+B\.?\s+Russell|Robert\s+T\.?\s+Stafford|Carl\s+D\.?\s+Perkins|William\s+D\.?\s+Ford|John\s+H\.?\s+Chafee|"
    r"Robert\s+C\.?\s+Byrd|Ryan\s+White|Martin\s+Luther\s+King|Gramm[\s-]+Leach[\s-]+Bliley|Davis[\s-]+Bacon|"
    r"Byrne(?:\s+Justice|\s+Memorial)|Edward\s+Byrne|Paul\s+Coverdell|William\s+F\.?\s+Goodling|Wagner[\s-]+Peyser",
    re.I,
)
_NOT_NAME_WORDS = _words_of("not_names.txt")
"""Capitalised words beside names in findings that are no part of a name."""


@dataclass(frozen=True)
class Masked:
    """A masked text and how many names were taken out."""

    text: str
    names: int


class Masker:
    """Masks the texts of one report."""

    def __init__(self, report: Report | None) -> None:
        self._patterns: list[tuple[re.Pattern[str], str]] = []
        if report is not None:
            self._patterns += [(pattern, AUDITEE) for pattern in name_patterns(report.auditee_name)]
            self._patterns += [(pattern, AUDITOR) for pattern in name_patterns(report.auditor_firm_name)]
            people = (
                report.auditee_certify_name,
                report.auditee_contact_name,
                report.auditor_certify_name,
                report.auditor_contact_name,
            )
            organisations = {_folded(report.auditee_name), _folded(report.auditor_firm_name)}
            for name in people:
                if name and _folded(name) not in organisations:
                    self._patterns += [(pattern, PERSON) for pattern in person_patterns(name)]

    def mask(self, text: str) -> Masked:
        """Masks names from the header, then whatever looks like a person.

        Masking a masked text again changes nothing.
        """
        count = 0
        for pattern, token in self._patterns:
            text, times = _substitute(pattern, token, text)
            count += times
        text, times = _acronyms(text)
        masked = mask_people(text)
        return Masked(masked.text, count + times + masked.names)


def name_patterns(name: str | None) -> list[re.Pattern[str]]:
    """Patterns for an organisation's name as a text may print it: in full, without its legal form, and by its core.

    The core ("Elk Grove" of "City of Elk Grove") counts only where every word of it is capitalised; a name made of
    generic words alone ("Housing Authority") is masked in full only.
    """
    if not name:
        return []
    whole = " ".join(name.split()).strip(" ,.")
    variants = {whole, _SUFFIX.sub("", whole).strip(" ,.")}
    variants |= {variant.split(",")[0].strip() for variant in tuple(variants)}
    variants |= {re.sub(r"^the\s+", "", variant, flags=re.I) for variant in tuple(variants)}
    cores = {_PREFIX.sub("", variant) for variant in variants} | {_core(variant) for variant in variants}
    found = [
        _words(variant, exact_case=False)
        for variant in sorted(variants, key=len, reverse=True)
        if len(variant) >= 4 and (" " in variant or variant.lower() not in _GENERIC)
    ]
    found += [
        _words(core, exact_case=True)
        for core in sorted(cores - variants, key=len, reverse=True)
        if len(core) >= 4 and not {word.lower() for word in core.split()} <= _GENERIC
    ]
    return found


def person_patterns(name: str) -> list[re.Pattern[str]]:
    """Patterns for a person named in the header: in full, without middle parts, last name first, after an honorific."""
    parts = [part.strip(",.") for part in re.split(r"[\s,]+", name) if part.strip(",.")]
    parts = [part for part in parts if not re.fullmatch(_OFFICES + r"|Jr|Sr|I{2,3}|IV|MBA|EdD|MD|RN", part, re.I)]
    if len(parts) < 2 or any(part.lower() in _NOT_NAME_WORDS for part in parts):
        return []
    first, last = parts[0], parts[-1]
    gap = r"(?:\s+[A-Za-z][\w.'’-]*){0,2}?\s+"
    options = [
        r"\s+".join(re.escape(part) + r"\.?" for part in parts),
        rf"{re.escape(first)}{gap}{re.escape(last)}",
        rf"{re.escape(last)},\s*{re.escape(first)}(?:\s+[A-Z]\b\.?)?",
        rf"{re.escape(first[0])}\.\s*{re.escape(last)}",
        rf"{_HONORIFIC}\s+{re.escape(last)}",
    ]
    return [re.compile(rf"(?<![A-Za-z])(?:{'|'.join(options)})(?![a-z])", re.I)]


def mask_people(text: str) -> Masked:
    """Masks what looks like a person, a telephone number or an e-mail address, without any header."""
    protected: list[str] = []

    def keep(match: re.Match[str]) -> str:
        protected.append(match.group(0))
        return f"\ue000{chr(0xE100 + len(protected) - 1)}\ue001"

    text = _STATUTES.sub(keep, text)
    count = 0
    # A mask may bring the next name of a list beside a title, so the patterns run until nothing changes.
    previous = None
    while previous != text:
        previous = text
        for pattern, token in _people():
            text, times = _replace(pattern, token, text)
            count += times
        text, times = _given_names(text)
        count += times
        text = re.sub(rf"(?<![A-Za-z])(?:[A-Z]\.\s?){{1,3}}(?={re.escape(PERSON)})", "", text)
    text = re.sub(r"\ue000(.)\ue001", lambda match: protected[ord(match.group(1)) - 0xE100], text)
    return Masked(text, count)


@cache
def _people() -> tuple[tuple[re.Pattern[str], str], ...]:
    return (
        (re.compile(r"[\w.+-]{1,64}\s?@\s?[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}"), EMAIL),
        (re.compile(r"(?<![\d-])(?:\+?1[\s.-]?)?(?:\(\d{3}\)\s?|\d{3}[\s.-])\d{3}[\s.-]\d{4}(?!\d)(?:\s*(?:x|ext\.?)\s*\d+)?"), PHONE),
        (re.compile(rf"(?P<keep>\b{_CONTACT}\s*[:;–—-]?\s*(?:{_HONORIFIC}\s*)?(?:{_TITLE},?\s+)?)(?P<name>{_NAMES})"), PERSON),
        (re.compile(rf"(?P<keep>(?:^|\n)[ \t]*Name:\s*)(?P<name>{_NAME})"), PERSON),
        (re.compile(rf"(?P<name>{_HONORIFIC}\s*(?:{_INITIAL}\s+)?{_WORD}(?:\s+(?:{_INITIAL}\s+)?{_WORD}){{0,2}})"), PERSON),
        (re.compile(rf"(?P<name>\b{_NAME})(?P<after>\s*(?:,\s*|[–—-]\s+|\(\s*|:\s*|\s+(?:is|was)\s+(?:the|our)\s+)(?:the\s+|our\s+)?{_TITLE})"), PERSON),
        (re.compile(rf"(?P<keep>\b{_TITLE}(?:\s+of\s+(?:[A-Z][a-z]+\s*(?:and\s+)?){{1,4}})?\s*[,:–—-]\s*)(?P<name>{_NAME})(?=\s*[,.;)]|\s+(?:is|was|will|has)\b|\s*$)"), PERSON),
        (re.compile(rf"\b(?P<name>[A-Z][a-z]+\s+[A-Z]\.\s+{_WORD})\b"), PERSON),
        # Beside a person or a telephone number stands a person.
        (re.compile(rf"\b(?P<name>{_NAME})(?P<after>\s*(?:,|;|/|&|\band\b|\bor\b)\s*{_MASK})"), PERSON),
        (re.compile(rf"(?P<keep>{_MASK}\s*(?:;|/|&|\band\b|\bor\b)\s*)(?P<name>{_NAME})"), PERSON),
        (re.compile(rf"\b(?P<name>{_NAME})(?P<after>\s*[,:;(–—-]*\s*(?:(?i:at|phone|tel|telephone|e-?mail)\W*)*(?:\[PHONE\]|\[EMAIL\]))"), PERSON),
    )  # fmt: skip


_GIVEN_NAMES = _words_of("given_names.txt")
"""Common given names in the United States, lower case."""
_WORDS_TOO = frozenset(
    {
        "dean",
        "drew",
        "gene",
        "grant",
        "hope",
        "jean",
        "joy",
        "mark",
        "may",
        "mason",
        "pearl",
        "penny",
        "rob",
        "rose",
        "sandy",
        "sue",
        "wade",
    }
)
_PAIR = re.compile(rf"\b([A-Z][a-z]+|[A-Z]{{3,}})((?:\s+[A-Z]\.?(?=\s))?)\s+({_WORD})")


def _given_names(text: str) -> tuple[str, int]:
    count = 0

    def mask(match: re.Match[str]) -> str:
        nonlocal count
        first, last = match.group(1).lower(), match.group(3).lower()
        shouted = match.group(1).isupper() and first in _WORDS_TOO
        if (
            first in _GIVEN_NAMES
            and not shouted
            and last not in _NOT_NAME_WORDS
            and last not in _GENERIC
            and len(last) > 1
        ):
            count += 1
            return PERSON
        return match.group(0)

    # The pattern consumes two words, so a name that starts at the second word needs another pass.
    previous = None
    while previous != text:
        previous = text
        text = _PAIR.sub(mask, text)
        text = _OFFSET_PAIR.sub(lambda match: match.group(1) + _PAIR.sub(mask, match.group(2)), text)
    return text, count


_OFFSET_PAIR = re.compile(rf"\b([A-Z][A-Za-z]+\s+)((?:[A-Z][a-z]+|[A-Z]{{3,}})(?:\s+[A-Z]\.?(?=\s))?\s+{_WORD})")


def _replace(pattern: re.Pattern[str], token: str, text: str) -> tuple[str, int]:
    groups = pattern.groupindex
    if "name" not in groups:
        return pattern.subn(token, text)
    count = 0

    def mask(match: re.Match[str]) -> str:
        nonlocal count
        words = re.findall(r"[A-Za-z'’-]+", match.group("name"))
        if any(word.lower() in _NOT_NAME_WORDS for word in words) and "keep" not in groups:
            return match.group(0)
        if words and words[0].lower() in _NOT_NAME_WORDS:
            return match.group(0)
        count += 1
        before = match.group("keep") if "keep" in groups else ""
        after = match.group("after") if "after" in groups else ""
        return f"{before}{token}{after}"

    return pattern.sub(mask, text), count


def _substitute(pattern: re.Pattern[str], token: str, text: str) -> tuple[str, int]:
    return pattern.subn(token, text)


def _acronyms(text: str) -> tuple[str, int]:
    """An acronym introduced in brackets behind a masked auditee stands for it: `[AUDITEE] (the “ABC”)`."""
    found = re.findall(rf"{re.escape(AUDITEE)}\s*\((?:the\s+)?[“\"']?([A-Z][A-Z&]{{1,9}})[”\"']?\)", text)
    count = 0
    for acronym in found:
        text, times = re.subn(rf"(?<![A-Za-z]){re.escape(acronym)}(?![A-Za-z])", AUDITEE, text)
        count += times
    return text, count


def _core(name: str) -> str:
    words = name.split()
    while words and (words[-1].strip(".,#").lower() in _GENERIC or words[-1].isdigit()):
        words.pop()
    while words and words[0].lower() in ("the", "city", "town", "village", "county", "state", "of"):
        words.pop(0)
    return " ".join(words).strip(" ,.")


def _words(name: str, *, exact_case: bool) -> re.Pattern[str]:
    words = name.split()
    if exact_case:
        parts = [re.escape(word) if not word.isalpha() else _cased(word) for word in words]
        return re.compile(rf"(?<![A-Za-z\[]){_SPACE.join(parts)}(?:['’]s)?(?![A-Za-z\]])")
    return re.compile(rf"(?<![A-Za-z\[]){_SPACE.join(re.escape(word) for word in words)}(?![a-z\]])", re.I)


_SPACE = r",?\s+"


def _cased(word: str) -> str:
    if word.lower() in _SMALL_WORDS:
        return f"(?i:{word})"
    return f"(?:{word[0].upper()}{word[1:].lower()}|{word.upper()}|{re.escape(word)})"


def _folded(name: str | None) -> str:
    return re.sub(r"\W+", "", name or "").lower()


def leaked(text: str, names: Iterable[str | None]) -> list[str]:
    """Header names that a text still prints in full; an asset check demands that there are none."""
    folded = f" {' '.join(re.findall(r'[a-z0-9]+', text.lower()))} "
    found = []
    for name in names:
        needle = " ".join(re.findall(r"[a-z0-9]+", (name or "").lower()))
        if len(needle) >= 4 and needle not in _GENERIC and f" {needle} " in folded:
            found.append(str(name))
    return found
