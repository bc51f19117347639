"""Since when a weakness existed, as a later sentence tells it relative to an earlier fiscal year end.

"Identified in 2024" is no onset: the weakness may be older than its discovery. Only words about existence, or about an
event that made it, count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import Literal, NamedTuple

from .affected_periods import parse_periods
from .date_lists import date_lists
from .evidence_sentences import HYPOTHETICAL, ICFR, NO_WEAKNESS, NOT_EFFECTIVE, WEAKNESS
from .periods import FiscalCalendar, period_start, same_period_end

Onset = Literal["existed", "later", "unstated"]

_EFFECTIVE = re.compile(
    r"(?<!not )(?<!not operating )\b(?:effective|no\s+material\s+weakness(?:es)?)\b|\bdid\s+not\s+exist\b", re.I
)
_AT = re.compile(r"\b(?:as\s+(?:of|at)|at|on|through(?:out)?|since|from|both)\s+(?:each\s+of\s+)?(?:both\s+)?$", re.I)
_SINCE = re.compile(
    r"\b(?:since(?:\s+at\s+least)?|dat(?:es?|ed|ing)\s+back\s+to|beg(?:an|inning|un)\s+(?:in|with)|originat(?:ed|ing)\s+(?:in|during)"
    r"|ar(?:ose|isen)\s+(?:in|during)|existed\s+(?:in|during|since|throughout|prior\s+to|before|as\s+early\s+as|from)"
    r"|(?:was|were|been)\s+(?:present|in\s+existence)\s+(?:in|during|since|throughout|from)|throughout|as\s+early\s+as)\b",
    re.I,
)
_EVENT = re.compile(
    r"\b(?:acqui(?:red|sition|sitions)|business\s+combination|merger|migrat(?:ion|ed|ing)|implement(?:ation|ed|ing)|conver(?:sion|ted)"
    r"|new\s+(?:ERP|enterprise|accounting|system|ledger|subsidiary|business)|departures?|departed|resign(?:ation|ations|ed)|turnover|left\s+the\s+company|termination|loss\s+of|relocat\w+|adoption|adopted)\b",
    re.I,
)
_AROSE = re.compile(
    r"\b(?:ar(?:ose|isen|ising)|originat(?:ed|ing|es)|beg(?:an|un)|first\s+(?:occurred|existed)|came\s+into\s+existence|result(?:ed|ing|s)\s+from|(?:was|were)\s+(?:caused|introduced)|due\s+to|because|following|as\s+a\s+result\s+of|did\s+not\s+exist)\b",
    re.I,
)
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
           "november", "december")  # fmt: skip
_MONTH_YEAR = re.compile(rf"\b({'|'.join(_MONTHS)})\s+(?:of\s+)?((?:19|20)\d\d)\b", re.I)
_BARE_YEAR = re.compile(
    r"\b(?:in|during|since|of|for|throughout|to|until|early|late|mid-?)\s*(?:fiscal\s+(?:year\s+)?)?((?:19|20)\d\d)\b",
    re.I,
)
_CURRENT = re.compile(
    r"\b(?:during|in)\s+(?:the\s+)?(?:current\s+|fourth\s+|third\s+|second\s+|first\s+|last\s+)?(?:fiscal\s+)?(?:year|quarter)\b",
    re.I,
)


def onset(
    sentence: str, year_end: date, calendar: FiscalCalendar | None, *, next_report_end: date | None = None
) -> Onset:
    """Whether the weakness of a sentence existed at `year_end`, arose later, or the sentence does not tell.

    Args:
        sentence: A sentence of a weakness passage, or one that admits a weakness.
        year_end: Fiscal year end of the earlier annual report.
        calendar: The registrant's year ends, for named years and quarters.
        next_report_end: Year end of the report that holds the sentence, where it is the next one: "during the year"
            then means after `year_end`.
    """
    cues = _cues(sentence)
    if cues.hypothetical:
        return "unstated"
    if weak_at(sentence, year_end):
        return "existed"
    moments = _moments(sentence, calendar)
    if cues.since is not None and not cues.denied:
        first = min(_moments(sentence[cues.since :], calendar), default=None)
        if first is not None and first[0] <= year_end:
            return "existed"
    if cues.did_not_exist and any(same_period_end(end, year_end) for _, end in moments):
        return "later"
    if not (cues.arose and (cues.event or cues.since is not None)):
        return "unstated"
    # The as-of date of the report's own conclusion tells nothing about the beginning.
    telling = [
        (start, end)
        for start, end in moments
        if start != end or next_report_end is None or not same_period_end(end, next_report_end)
    ]
    if not telling:
        return "later" if next_report_end is not None and cues.current else "unstated"
    return "later" if all(start > year_end for start, _ in telling) else "unstated"


class _Cues(NamedTuple):
    hypothetical: bool
    denied: bool
    did_not_exist: bool
    since: int | None
    arose: bool
    event: bool
    current: bool


@lru_cache(maxsize=16_384)
def _cues(sentence: str) -> _Cues:
    since = _SINCE.search(sentence)
    return _Cues(
        hypothetical=bool(HYPOTHETICAL.search(sentence)),
        denied=bool(NO_WEAKNESS.search(sentence)),
        did_not_exist="did not exist" in sentence.lower(),
        since=since.start() if since else None,
        arose=bool(_AROSE.search(sentence)),
        event=bool(_EVENT.search(sentence)),
        current=bool(_CURRENT.search(sentence)),
    )


def weak_at(sentence: str, day: date) -> bool:
    """Whether the sentence says that ICFR was ineffective, or a weakness existed, at that very date.

    The verdict on a date is the last one before it: "effective as of December 31, 2023 although a weakness existed as of
    December 31, 2022" speaks of 2022 only.
    """
    return any(same_period_end(found, day) for found in _weak_dates(sentence))


@lru_cache(maxsize=16_384)
def _weak_dates(sentence: str) -> tuple[date, ...]:
    if _cues(sentence).hypothetical or not (WEAKNESS.search(sentence) or ICFR.search(sentence)):
        return ()
    weak: list[date] = []
    previous_end = 0
    verdict: bool | None = None
    for dates in date_lists(sentence):
        before = sentence[previous_end : dates.start]
        verdicts = [(match.start(), True) for match in NOT_EFFECTIVE.finditer(before)]
        denied = [match.span() for match in NO_WEAKNESS.finditer(before)]
        verdicts += [
            (match.start(), True)
            for match in WEAKNESS.finditer(before)
            if not any(start <= match.start() < end for start, end in denied)
        ]
        verdicts += [
            (match.start(), False)
            for match in _EFFECTIVE.finditer(before)
            if not any(weak.start() <= match.start() < weak.end() for weak in NOT_EFFECTIVE.finditer(before))
        ]
        verdicts += [(start, False) for start, _ in denied]
        if verdicts:
            verdict = max(verdicts)[1]
        # A weakness named without a word on existence is tied to a date only by "as of" or "at" before it.
        if verdict and _AT.search(before):
            weak += dates.dates
        previous_end = dates.end
    return tuple(weak)


@lru_cache(maxsize=16_384)
def _moments(sentence: str, calendar: FiscalCalendar | None) -> tuple[tuple[date, date], ...]:
    """First and last day of every date, month, quarter or year that a sentence names."""
    return tuple(_named_moments(sentence, calendar))


def _named_moments(sentence: str, calendar: FiscalCalendar | None) -> Iterator[tuple[date, date]]:
    for period in parse_periods(sentence, calendar).periods:
        yield period.start, period.end
    covered: list[tuple[int, int]] = []
    for dates in date_lists(sentence):
        covered.append((dates.start, dates.end))
        if not re.search(r"\bended?(?:\s+on)?\s*$", sentence[: dates.start], re.I):
            for day in dates.dates:
                yield day, day
    for match in _MONTH_YEAR.finditer(sentence):
        if not any(start <= match.start() < end for start, end in covered):
            month, year = _MONTHS.index(match[1].lower()) + 1, int(match[2])
            yield date(year, month, 1), date(year, month, 28)
    for match in _BARE_YEAR.finditer(sentence):
        if not any(start <= match.start(1) < end for start, end in covered):
            year = int(match[1])
            end = calendar.year_end(year) if calendar else date(year, 12, 31)
            yield period_start(end, 12), end
