"""Reads a notice that issued statements should not be relied upon: 8-K Item 4.02, a 6-K, or an amended annual report.

Source of the item: Form 8-K Item 4.02 (in force since 23 August 2004): (a) the registrant concludes, (b) its accountant
advises. EDGAR's item code does not separate the two, so the words decide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from benchmark_pipeline.tables.base import Span
from benchmark_pipeline.tables.sources import AffectedPeriod

from .affected_periods import parse_periods
from .evidence_sentences import (
    ERROR,
    HYPOTHETICAL,
    MATERIAL_WEAKNESS,
    NO_WEAKNESS,
    RESTATEMENT,
    DocumentText,
    Sentence,
    sentences,
)
from .periods import FiscalCalendar

EXTRACTOR_VERSION = "non_reliance/1"

Limb = Literal["a", "b", "both", "unknown"]
Concluder = Literal["board", "audit_committee", "officers", "accountant", "unknown"]

_RELIANCE = re.compile(
    r"(?:\b(?:no\s+longer|not|cease\s+to|never)\b[^.;]{0,40}?\b(?:be\s+)?(?:relied|rely|reliance)\b|\bnon-?\s?reliance\b|\bunreliable\b)",
    re.I,
)
_STATEMENTS = re.compile(
    r"\b(?:(?:financial\s+)?statements|financial\s+statement|financial\s+information|balance\s+sheets?|audit\s+reports?|reports?|review|Form\s+(?:10-[KQ]|20-F|40-F)|earnings|results|affected\s+period|restated\s+period|opinions?)\b",
    re.I,
)
_FORWARD_LOOKING = re.compile(
    r"\bforward[\s-]looking\b|\bundue\s+reliance\b|\bpredictions?\b|\binvestment\s+decision", re.I
)
_STILL_RELIABLE = re.compile(
    r"\b(?:may|can|should)\s+(?:still\s+|continue\s+to\s+|again\s+|now\s+)*be\s+relied\s+up?on\b", re.I
)
_TAKES_BACK = re.compile(
    r"\b(?:withdraw(?:s|n|ing|al)?|rescind(?:s|ed|ing)?|retract(?:s|ed|ing)?|revers(?:es|ed|ing))\b"
    r"[^.;]{0,140}\b(?:item\s+4\.02|non-?\s?reliance|(?:original|prior|previous|initial|earlier)\s+(?:form\s+8-K|8-K|report|notice|disclosure|conclusion|determination))",
    re.I,
)
_DEFINED_TERM = re.compile(r"[“\"]([^”\"]{3,60})[”\"]")
_CONCLUDES = re.compile(
    r"\b(?:conclu(?:ded|sion|des)|determin(?:ed|ation|es)|decided|advised|notified|informed|received)\b", re.I
)
_ACTORS: tuple[tuple[Concluder, re.Pattern[str]], ...] = (
    ("audit_committee", re.compile(r"\baudit\s+(?:and\s+\w+\s+)?committee\b", re.I)),
    ("board", re.compile(r"\bboard(?:\s+of\s+(?:directors|trustees|managers))?\b", re.I)),
    ("officers", re.compile(r"\bmanagement\b|\bchief\s+(?:financial|executive|accounting)\s+officer\b|\bauthorized\s+officers?\b", re.I)),
    ("accountant", re.compile(
        r"\b(?:independent\s+(?:registered\s+)?(?:public\s+)?(?:accounting\s+firm|accountants?|auditors?)|auditors?|registered\s+public\s+accounting\s+firm|\w+\s+LLP)\b", re.I)),
)  # fmt: skip
_ACCOUNTANT_ADVISED = re.compile(
    r"(?:\b(?:advised|notified|informed)\s+(?:in\s+writing\s+)?by\b[^.;]{0,120}\b(?:accounting\s+firm|accountants?|auditors?|LLP|P\.?C\.?|CPAs?)\b"
    r"|\b(?:accounting\s+firm|accountants?|auditors?|LLP|P\.?C\.?|CPAs?)\b[^.;]{0,100}\b(?:advised|notified|informed)\s+(?:the\s+(?:company|registrant|board|audit\s+committee|partnership|trust)|us|our|management)\b"
    r"|\breceived\b[^.;]{0,60}\b(?:notice|letter|communication)\s+from\b[^.;]{0,80}\b(?:accounting\s+firm|auditors?|LLP)\b)"
    r"(?=[^.;]*(?:\bits?\b|\btheir\b|\baudit\s+report|\breport|\breliance\b|\brelied\b))",
    re.I,
)
_ITEM_A = re.compile(r"item\s*4\.02\s*\(?a\)?", re.I)
_ITEM_B = re.compile(r"item\s*4\.02\s*\(?b\)?|4\.02\s*\(a\)\s*(?:and|&|,)\s*\(b\)", re.I)
_ICFR_REPORT = re.compile(
    r"\b(?:reports?|opinions?|assessments?|conclusions?|evaluations?)\b[^.;]{0,90}\binternal\s+controls?\s+over\s+financial\s+reporting\b"
    r"|\binternal\s+controls?\s+over\s+financial\s+reporting\b[^.;]{0,60}\b(?:reports?|opinions?|assessments?)\b",
    re.I,
)
_STILL_OPEN = re.compile(
    r"\b(?:whether|evaluating|is\s+considering|are\s+considering|is\s+assessing|are\s+assessing|has\s+not\s+(?:yet\s+)?(?:completed|determined))\b",
    re.I,
)
_TO_BE_FILED = re.compile(
    r"(?<!included )(?<!contained )(?<!presented )(?<!reported )"
    r"\b(?:in|as\s+part\s+of|with|conjunction\s+with)\s+(?:the\s+filing\s+of\s+)?(?:its|our|the|the\s+company[’']s|an?)"
    r"\s+(?:upcoming\s+|forthcoming\s+|next\s+|amended\s+)?(?:annual|quarterly)\s+report[^;]*$",
    re.I,
)
_FUTURE = re.compile(r"\b(?:will|intends?|expects?|anticipates?|plans?|to\s+be\s+filed)\b", re.I)
_ITEM_HEADING = re.compile(
    r"^\W*item\s*4\.02\W*(?:\(?[ab]\)\W*)*(?:non-?\s?reliance)?(?:\s*on\s+previously\s+issued\s+financial\s+statements)?"
    r"(?:\s*or\s+a\s+related\s+audit\s+report\s+or\s+completed\s+interim\s+review)?",
    re.I,
)


@dataclass(frozen=True)
class NonReliance:
    """What a notice says."""

    limb: Limb
    concluded_by: Concluder
    periods: tuple[AffectedPeriod, ...]
    periods_parsed: bool
    mw_admitted: bool
    icfr_reports_withdrawn: bool
    takes_back: bool
    """The notice withdraws an earlier one."""
    spans: tuple[Span, ...]


def says_non_reliance(sentence: str) -> bool:
    """Whether a sentence says that statements or reports should not be relied upon."""
    said = _ITEM_HEADING.sub("", sentence)
    return bool(_RELIANCE.search(said) and _STATEMENTS.search(said) and not _FORWARD_LOOKING.search(said))


def read_notice(
    section: DocumentText, calendar: FiscalCalendar | None = None, exhibits: Sequence[DocumentText] = ()
) -> NonReliance:
    """Reads the section of an 8-K, or the whole text of a 6-K or an amended annual report.

    Args:
        section: The Item 4.02 section (`eight_k_items.item_section`), or a document of a foreign channel.
        calendar: The registrant's year ends, for periods that are named and not dated.
        exhibits: Documents to which the item may point (a press release); they are read for periods only where the
            section names none.
    """
    parts = [(section, sentence) for sentence in sentences(section.text)]
    periods, unresolved, used = _periods(parts, calendar)
    if not periods and not unresolved:
        outside = [(exhibit, sentence) for exhibit in exhibits for sentence in sentences(exhibit.text)]
        periods, unresolved, more = _periods(outside, calendar)
        used += more
        parts += more
    texts = [(document, sentence) for document, sentence in parts if sentence.text]
    weakness = [part for part in texts if _admits(part[1].text)]
    withdrawn = [part for part in texts if _withdraws_icfr_report(part[1].text)]
    back = [part for part in texts if _TAKES_BACK.search(part[1].text) and not _ICFR_REPORT.search(part[1].text)]
    heading = section.text[:200]
    accountant = any(_ACCOUNTANT_ADVISED.search(sentence.text) for _, sentence in texts)
    concluder = _concluder([sentence.text for _, sentence in used], [sentence.text for _, sentence in texts])
    spans = dict.fromkeys((document, sentence) for document, sentence in (*used, *weakness, *withdrawn, *back))
    return NonReliance(
        limb=_limb(heading, accountant, concluder),
        concluded_by=concluder,
        periods=tuple(periods),
        periods_parsed=bool(periods) and not unresolved,
        mw_admitted=bool(weakness),
        icfr_reports_withdrawn=bool(withdrawn),
        takes_back=bool(back) or any(_STILL_RELIABLE.search(sentence.text) for _, sentence in texts),
        spans=tuple(sentence.span(document) for document, sentence in spans),
    )


_Part = tuple[DocumentText, Sentence]


def _periods(
    parts: Sequence[_Part], calendar: FiscalCalendar | None
) -> tuple[list[AffectedPeriod], list[str], list[_Part]]:
    """Periods from the sentences on non-reliance and the definitions they use; else from those on the restatement."""
    reliance = [part for part in parts if says_non_reliance(part[1].text)]
    terms = {term for _, sentence in reliance for term in _terms(sentence.text, parts)}
    defining = [part for part in parts if part not in reliance and any(_defines(part[1].text, term) for term in terms)]
    restated = [part for part in parts if RESTATEMENT.search(part[1].text)]
    erroneous = [part for part in parts if ERROR.search(part[1].text)]
    unresolved: list[str] = []
    for group in ([*reliance, *defining], restated, erroneous):
        found: list[AffectedPeriod] = []
        used: list[_Part] = []
        for part in group:
            text = _without_future_report(part[1].text)
            named = parse_periods(text, calendar)
            found += [period for period in named.periods if period not in found]
            unresolved += named.unresolved
            if named.periods or part in reliance:
                used.append(part)
        if found or unresolved:
            return _unique(found), unresolved, used
    return [], [], list(reliance)


def _unique(periods: Sequence[AffectedPeriod]) -> list[AffectedPeriod]:
    return list({(period.kind, period.start, period.end): period for period in reversed(periods)}.values())[::-1]


def _without_future_report(text: str) -> str:
    """A restatement that will appear "in the Form 10-K for the year ended X" does not affect the year X."""
    later = _TO_BE_FILED.search(text)
    if later is None or _RELIANCE.search(text, later.start()) or not _FUTURE.search(text, 0, later.start()):
        return text
    return text[: later.start()]


def _terms(sentence: str, parts: Sequence[_Part]) -> set[str]:
    """Defined terms ("the Affected Periods") that a sentence uses and another one defines."""
    defined = {
        term for _, other in parts for term in _DEFINED_TERM.findall(other.text) if term[:1].isupper() or " " in term
    }
    noise = {"Company", "the Company", "Board", "SEC", "Commission", "GAAP", "Audit Committee", "Registrant"}
    return {term for term in (word.strip(" ,.") for word in defined) if term not in noise and term in sentence}


def _defines(sentence: str, term: str) -> bool:
    return any(term == found.strip(" ,.") for found in _DEFINED_TERM.findall(sentence))


def _admits(sentence: str) -> bool:
    if not MATERIAL_WEAKNESS.search(sentence) or NO_WEAKNESS.search(sentence) or _STILL_OPEN.search(sentence):
        return False
    return not HYPOTHETICAL.search(sentence)


def _withdraws_icfr_report(sentence: str) -> bool:
    return bool(_ICFR_REPORT.search(sentence) and _RELIANCE.search(sentence))


def _concluder(first: Sequence[str], rest: Sequence[str]) -> Concluder:
    """The first actor named before the verb of concluding, in the deciding sentences and then in the others."""
    for sentence in (*first, *rest):
        verb = _CONCLUDES.search(sentence)
        if not verb:
            continue
        named = [
            (match.start(), who) for who, pattern in _ACTORS if (match := pattern.search(sentence, 0, verb.start()))
        ]
        if named:
            return min(named)[1]
    return "accountant" if any(_ACCOUNTANT_ADVISED.search(sentence) for sentence in (*first, *rest)) else "unknown"


def _limb(heading: str, accountant_advised: bool, concluder: Concluder) -> Limb:
    by_registrant = concluder in ("board", "audit_committee", "officers")
    names_a, names_b = bool(_ITEM_A.search(heading)), bool(_ITEM_B.search(heading))
    if names_a and names_b:
        return "both"
    if names_b:
        return "b"
    if accountant_advised or concluder == "accountant":
        return "both" if by_registrant or names_a else "b"
    return "a" if names_a or by_registrant else "unknown"
