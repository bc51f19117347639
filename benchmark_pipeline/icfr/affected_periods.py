"""Which periods a passage on non-reliance or restatement names (`parse_periods`).

Forms met in notices: year ends, quarter ends, cumulative interim periods, balance-sheet dates, ranges ("each of the
three years in the period ended"), fiscal years and quarters by name, and documents ("the 2023 Form 10-K"). A date counts
only behind a word that makes it a period end, so the date of a meeting or of a filing does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from benchmark_pipeline.tables.sources import AffectedPeriod

from .date_lists import DateList, date_lists
from .periods import FiscalCalendar, period_start, same_period_end

_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
            "ten": 10, "twelve": 12, "thirteen": 13, "fourteen": 14, "twenty-six": 26, "twenty-seven": 27,
            "thirty-nine": 39, "forty": 40, "fifty-two": 52, "fifty-three": 53}  # fmt: skip
_N = r"(?:\d{1,2}|one|two|three|fourteen|four|five|six|seven|eight|nine|ten|twelve|thirteen|twenty-(?:six|seven)|thirty-nine|forty|fifty-(?:two|three))"
_ENDED = r"(?:then\s+)?end(?:ed|ing)(?:\s+on)?"
_TAIL = r"[\s:,\-–—•·●\(\)ivx\d]{0,6}$"
_LIST_ITEM = r"(?:\s*(?:of|on|at|in|the|each|our|as)\b){0,2}" + _TAIL

_YEARS_RANGE = re.compile(
    rf"(?:(?P<n>{_N})[\s-]+(?:fiscal\s+)?years?(?:[\s-]+period)?|years\s+in\s+the\s+(?:(?P<m>{_N})[\s-]+years?\s+)?period)"
    rf"\s+(?:in\s+the\s+(?:(?P<k>{_N})[\s-]+years?\s+)?period\s+)?{_ENDED}{_LIST_ITEM}",
    re.I,
)
_ANNUAL = re.compile(
    rf"(?:\byears?(?:\s*\([^)]{{0,30}}\))?|\bannual\s+periods?|\btwelve[\s-]+months?(?:\s+periods?)?|\b12[\s-]+months?(?:\s+periods?)?"
    rf"|\b5[23][\s-]+weeks?(?:\s+(?:fiscal\s+)?(?:year|period)s?)?)\s+{_ENDED}{_LIST_ITEM}",
    re.I,
)
_MONTHS = re.compile(
    rf"(?P<list>\b{_N}(?:[\s-]+months?)?(?:[\s-]*(?:,|and|&|or)[\s-]*{_N}(?:[\s-]+months?)?)*)[\s-]+(?P<unit>months?|weeks?)"
    rf"(?:\s+(?:interim\s+)?periods?)?\s+{_ENDED}{_LIST_ITEM}",
    re.I,
)
_QUARTER = re.compile(
    rf"\b(?:quarter(?:s|ly)?|interim)(?:\s*\([^)]{{0,30}}\))?(?:\s+(?:and\s+)?(?:year[\s-]+to[\s-]+date\s+)?(?:periods?|reports?|financial\s+statements))?"
    rf"(?:\s+(?:that|which))?\s+{_ENDED}{_LIST_ITEM}",
    re.I,
)
_PERIOD = re.compile(rf"\bperiods?\s+{_ENDED}{_LIST_ITEM}", re.I)
_BALANCE_SHEET = re.compile(
    r"\b(?:balance\s+sheets?|statements?\s+of\s+(?:financial\s+(?:position|condition)|assets\s+and\s+liabilities))\b[^.;]{0,80}?"
    rf"\b(?:as\s+(?:of|at)|dated(?:\s+as\s+of)?|at){_LIST_ITEM}",
    re.I,
)
_AS_OF = re.compile(rf"\b(?:as\s+(?:of|at)|at){_LIST_ITEM}", re.I)
_STATEMENTS = re.compile(r"\b(?:balance\s+sheet|financial\s+statements?|financial\s+position)", re.I)
_THEN_ENDED = re.compile(
    rf"^[^.;]{{0,90}}?\bfor\s+(?:each\s+of\s+)?the\s+(?:(?P<n>{_N})\s+)?(?:fiscal\s+)?(?P<unit>years?|quarters?|(?:interim\s+)?periods?|months?)\s+(?:then|in\s+the\s+period\s+then)\s+ended",
    re.I,
)
_FROM = re.compile(
    rf"\b(?:from|between|commencing|beginning)(?:\s+(?:inception|incorporation)\s*\(?|\s+on)?\s*(?:the\s+)?{_TAIL}",
    re.I,
)
_TO = re.compile(
    r"^[^.;]{0,70}?\b(?:through|to|until|and\s+end(?:ed|ing)(?:\s+on)?|thru|[–—-]|and)\s*(?:and\s+including\s+)?$", re.I
)
_TRANSITION = re.compile(rf"\btransition\s+period\s+{_ENDED}{_LIST_ITEM}", re.I)

_Y = r"(?:19|20)\d\d"
_YEAR_LIST = rf"{_Y}(?:\s*(?:,\s*(?:and|or)?|and|or|&|through|to|until|[-–—/])\s*(?:(?:fiscal|FY|fiscal\s+years?|years?)\s*)?{_Y}(?!\s*(?:first|second|third)\b))*"
_NAMED_YEARS = re.compile(
    rf"(?:\b(?:fiscal(?:\s+(?:and\s+calendar\s+)?years?)?|FY|calendar(?:\s+years?)?|years?|annual\s+reports?[^.;,]{{0,30}}?\sfor|10-K(?:/A|T)?s?\s+for|20-F(?:/A)?\s+for|40-F(?:/A)?\s+for|statements\s+for)\s*(?:the\s+)?(?P<a>{_YEAR_LIST}))"
    rf"|(?P<b>{_YEAR_LIST})(?=\s+(?:(?:audited|annual|consolidated|fiscal)\s+)*(?:fiscal\s+years?|annual\s+(?:report|financial)|financial\s+statements|audited|Forms?\s+(?:10-K|20-F|40-F)|10-K|20-F|40-F))",
    re.I,
)
_ORDINAL = r"(?:first|second|third|fourth|1st|2nd|3rd|4th|Q[1-4])"
_NAMED_QUARTERS = re.compile(
    rf"(?:\b(?P<all>(?:each|all)\s+of\s+the\s+(?:(?P<count>two|three|four)\s+)?(?:interim\s+|fiscal\s+)?quarter(?:s|ly\s+periods)|(?:the\s+)?first\s+(?P<first>two|three)\s+(?:fiscal\s+)?quarters|(?:the\s+)?(?:interim|quarterly)\s+periods?)"
    rf"|\b(?P<list>{_ORDINAL}(?:(?:\s+(?:fiscal\s+)?quarters?)?\s*(?:,\s*(?:and)?|and|&|through|to|[-–])\s*(?:the\s+)?{_ORDINAL})*)(?:\s+(?:fiscal\s+)?quarters?)?)"
    rf"(?:\s+(?:ended|contained|included))?\s*(?:\bof\b|\bin\b|\bwithin\b|\bduring\b|\bfor\b|,)?\s*(?:\beach\s+of\b\s*)?(?:the\s+)?(?:(?:fiscal|calendar|FY)\s*(?:years?)?|years?)?\s*(?P<years>{_YEAR_LIST})\b",
    re.I,
)


@dataclass(frozen=True)
class NamedPeriods:
    """What a passage names, and the names that could not be turned into dates."""

    periods: tuple[AffectedPeriod, ...]
    unresolved: tuple[str, ...] = ()


@lru_cache(maxsize=16_384)
def parse_periods(sentence: str, calendar: FiscalCalendar | None = None) -> NamedPeriods:
    """Periods that a sentence names.

    Args:
        sentence: One sentence (or a lead-in with its list).
        calendar: The registrant's fiscal year ends; without it "fiscal 2023" stays unresolved, because its last day is
            not known.
    """
    found: list[tuple[str, date, date]] = []
    taken: list[tuple[int, int]] = []
    lists = list(date_lists(sentence))
    for position, dates in enumerate(lists):
        found += _of_list(sentence, lists, position, calendar)
        taken.append((dates.start, dates.end))
    named, unresolved = _named(sentence, taken, calendar)
    unique = dict.fromkeys([*found, *named])
    return NamedPeriods(
        tuple(
            AffectedPeriod(kind=kind, start=start, end=end, source_sentence=sentence)
            for kind, start, end in unique
            if start <= end
        ),
        tuple(unresolved),
    )


def _of_list(
    sentence: str, lists: list[DateList], position: int, calendar: FiscalCalendar | None
) -> Iterator[tuple[str, date, date]]:
    dates = lists[position]
    before = sentence[lists[position - 1].end if position else 0 : dates.start]
    following = lists[position + 1] if position + 1 < len(lists) else None
    previous = lists[position - 1] if position else None
    if previous and _TO.match(before) and _FROM.search(sentence[max(0, previous.start - 60) : previous.start]):
        start, end = previous.dates[0], dates.dates[-1]
        yield _from_to(start, end)
        return
    if following and _FROM.search(before) and _TO.match(sentence[dates.end : following.start]):
        return  # The start of a range: its end yields the period.
    if _FROM.search(before) and len(dates.dates) == 2 and re.search(r"\bbetween\b", before, re.I):
        yield _from_to(dates.dates[0], dates.dates[1])
        return
    if match := _YEARS_RANGE.search(before):
        years = _count(match["n"] or match["m"] or match["k"]) or 3
        if len(dates.dates) > 1:  # "the two years ended December 31, 2021 and 2020": each is named.
            years = 1
        for end in dates.dates:
            yield ("range" if years > 1 else "annual"), period_start(end, 12 * years), end
        return
    then_ended = _THEN_ENDED.match(sentence[dates.end :])
    for end in dates.dates:
        yield from _ending(before, end, then_ended, sentence, calendar)


def _ending(
    before: str, end: date, then_ended: re.Match[str] | None, sentence: str, calendar: FiscalCalendar | None
) -> Iterator[tuple[str, date, date]]:
    if _TRANSITION.search(before):
        # A transition period has no length of its own in the words: the calendar bounds it, else a year.
        earlier = [known for known in calendar.year_ends if known < end] if calendar else []
        start = max(earlier) + timedelta(days=1) if earlier else period_start(end, 12)
        yield "range", max(start, period_start(end, 12)), end
    elif match := _MONTHS.search(before):
        for number in re.findall(_N, match["list"], re.I):
            months = _count(number)
            weeks = match["unit"].lower().startswith("week")
            if months and weeks:
                kind = "annual" if months >= 50 else "quarter"
                yield kind, end - timedelta(weeks=months) + timedelta(days=1), end
            elif months:
                yield ("annual" if months == 12 else "quarter"), period_start(end, months), end
    elif _ANNUAL.search(before):
        yield "annual", period_start(end, 12), end
    elif _QUARTER.search(before):
        yield "quarter", period_start(end, 3), end
    elif _PERIOD.search(before):
        yield _unqualified_period(before, end, calendar)
    elif then_ended and _AS_OF.search(before):
        unit = then_ended["unit"].lower()
        annual = unit.startswith("year") or (unit.endswith(("period", "periods")) and "quarter" not in sentence.lower())
        months = _count(then_ended["n"]) if unit.startswith("month") else None
        if months:
            yield ("annual" if months == 12 else "quarter"), period_start(end, months), end
        else:
            yield ("annual", period_start(end, 12), end) if annual else ("quarter", period_start(end, 3), end)
    elif _BALANCE_SHEET.search(before) or (_AS_OF.search(before) and _STATEMENTS.search(sentence)):
        yield "balance_sheet", end, end


def _unqualified_period(before: str, end: date, calendar: FiscalCalendar | None) -> tuple[str, date, date]:
    """What "period ended" means: the nearest form before it tells, then a known year end; a year where nothing tells."""
    forms = re.findall(r"10-K|20-F|40-F|annual|10-Q|quarterly|interim|quarter", before, re.I)
    if forms:
        annual = forms[-1].lower() in ("10-k", "20-f", "40-f", "annual")
    elif calendar:
        annual = same_period_end(end, calendar.year_end(end.year))
    else:
        annual = True
    return ("annual", period_start(end, 12), end) if annual else ("quarter", period_start(end, 3), end)


def _from_to(start: date, end: date) -> tuple[str, date, date]:
    days = (end - start).days
    kind = "annual" if 350 <= days <= 380 else "quarter" if days <= 100 else "range"
    return kind, start, end


def _named(
    sentence: str, taken: list[tuple[int, int]], calendar: FiscalCalendar | None
) -> tuple[list[tuple[str, date, date]], list[str]]:
    found: list[tuple[str, date, date]] = []
    unresolved: list[str] = []
    used = list(taken)
    for match in _NAMED_QUARTERS.finditer(sentence):
        if _overlaps(match.span("years"), taken):
            continue
        used.append(match.span())
        if calendar is None:
            unresolved.append(match.group().strip())
            continue
        numbers = _quarter_numbers(match)
        found += [("quarter", *calendar.quarter(year, number)) for year in _years(match["years"]) for number in numbers]
    for match in _NAMED_YEARS.finditer(sentence):
        group = "a" if match["a"] else "b"
        if _overlaps(match.span(group), used):
            continue
        if calendar is None:
            unresolved.append(match.group().strip())
            continue
        for year in _years(match[group]):
            start, end = calendar.named_year(year)
            found.append(("annual" if (end - start).days <= 380 else "range", start, end))
    return found, unresolved


def _quarter_numbers(match: re.Match[str]) -> list[int]:
    if match["all"]:
        count = _count(match["first"] or match["count"]) or 4
        return list(range(1, count + 1))
    words = match["list"].lower()
    numbers = [
        1 + ("first", "second", "third", "fourth").index(word) if word.isalpha() else int(re.sub(r"\D", "", word))
        for word in re.findall(_ORDINAL, words, re.I)
    ]
    if re.search(r"through|\bto\b|-|–", words) and len(numbers) == 2:
        return list(range(numbers[0], numbers[1] + 1))
    return numbers


def _years(words: str) -> list[int]:
    years = [int(year) for year in re.findall(_Y, words)]
    if len(years) == 2 and re.search(r"through|\bto\b|until|[-–—/]", words) and years[0] < years[1] <= years[0] + 30:
        return list(range(years[0], years[1] + 1))
    return years


def _count(words: str | None) -> int | None:
    if not words:
        return None
    return int(words) if words.isdigit() else _NUMBERS.get(words.lower())


def _overlaps(span: tuple[int, int], others: list[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)
