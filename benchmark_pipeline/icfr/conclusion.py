"""Management's conclusions: on ICFR (Regulation S-K Item 308) and, apart from it, on disclosure controls (Item 307).

Rules that disagree are recorded and never resolved by a guess: two conclusions that differ give `mixed`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date

from benchmark_pipeline.edgar.dates import DATE, find_dates
from benchmark_pipeline.tables.disclosures import Conclusion

from .language import MATERIAL_WEAKNESS, Sentence, sentences
from .predicates import Subject, mentions, predicates
from .regions import management_only
from .registrants import Voice

DAYS_APART = 10
"""52/53-week years end within days of the month's end; farther apart is another date."""
WITHOUT_CONCLUSION = "icfr_weakness_stated_without_conclusion"
"""The rule that takes a weakness stated as present for the conclusion, where no sentence concludes."""
_FRAMEWORKS = (
    (re.compile(r"internal\s+control\s*[-\u2013\u2014\s]*integrated\s+framework|COSO|committee\s+of\s+sponsoring|treadway", re.I), "COSO"),
    (re.compile(r"turnbull|FRC\s+guidance", re.I), "Turnbull"),
    (re.compile(r"guidance\s+on\s+control[^.]{0,80}chartered|\bCoCo\b", re.I), "CoCo"),
)  # fmt: skip
_YEAR_OF_FRAMEWORK = re.compile(
    r"(?<!fiscal\s)(?<!year\s)(?<!years\s)(?<!during\s)(?<!ended\s)(?<!quarter\sof\s)(?<!\bIn\s)(?<!\bsince\s)\b(1992|2013)\b(?!\s+(?:fiscal|annual))"
)
"""An edition, not the year that was audited."""
_NO_WEAKNESS = re.compile(
    r"\b(?:no|not\s+any|any|did\s+not\s+(?:identify|find|have)|none)\b[^.]{0,40}material\s+weakness", re.I
)
_HAS_WEAKNESS = re.compile(
    r"\b(?:identified|existed|exists?|had|has|have|were|was|are|is|constitut\w+|represent\w*|conclu\w+|determin\w+|detected|discovered)\b[^.;]{0,160}material\s+weakness|material\s+weakness(?:es)?\b[^.;]{0,80}\b(?:existed|exist|identified|were\s+identified|was\s+identified|have\s+been\s+identified)",
    re.I,
)
_PAST_WEAKNESS = re.compile(
    r"remediat|previous|prior|formerly|earlier|in\s+the\s+past|could|may\b|if\b|would|reasonable\s+possibility|\bis\s+a\s+(?:deficiency|control)|such\s+that|definition|defined",
    re.I,
)


@dataclass(frozen=True)
class Statement:
    """One conclusion sentence."""

    subject: Subject
    effective: bool
    sentence: Sentence
    as_of: date | None
    earlier: bool
    except_for: bool


@dataclass(frozen=True)
class ManagementConclusion:
    """Conclusions of one text, with the sentences that state them. Offsets are characters of that text."""

    icfr: Conclusion
    icfr_sentence: Sentence | None
    as_of: date | None
    dcp: Conclusion
    dcp_sentence: Sentence | None
    framework: str | None
    statements: list[Statement] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)


def read_conclusion(text: str, period_end: date | None, voice: Voice | None = None) -> ManagementConclusion:
    """Management's conclusions in a section.

    Args:
        text: the section (auditor's reports in it are left out).
        period_end: fiscal year end; a conclusion as of another date is not this year's.
        voice: the registrant, where the filing has several; sentences about the others alone are left out.
    """
    own = management_only(voice.own_text(text) if voice else text)
    found = sentences(own)
    statements = [s for s in _statements(found, period_end) if voice is None or voice.concerns(s.sentence.text)]
    icfr, icfr_s, icfr_conflicts, icfr_rules = _decide(
        [s for s in statements if s.subject in ("icfr", "both")], period_end, "icfr"
    )
    dcp, dcp_s, dcp_conflicts, dcp_rules = _decide(
        [s for s in statements if s.subject in ("dcp", "both")], period_end, "dcp"
    )
    rules = icfr_rules + dcp_rules
    if (
        icfr_s is not None
        and icfr_s.as_of is not None
        and icfr_s.as_of == period_end
        and _in_words(icfr_s.sentence.text)
    ):
        rules.append("icfr_as_of_in_words")
    if icfr == "absent":
        named = _weakness_without_conclusion(found) if dcp != "effective" else None
        if named is not None:
            icfr, icfr_s = "ineffective", Statement("icfr", False, named, _as_of(named.text), False, False)
            rules.append(WITHOUT_CONCLUSION)
    elif icfr == "effective" and (beside := _weakness_beside(found, period_end)) is not None:
        icfr, icfr_s = "mixed", Statement("icfr", False, beside, _as_of(beside.text), False, False)
        icfr_conflicts.append("icfr_effective_beside_a_material_weakness")
    return ManagementConclusion(
        icfr=icfr,
        icfr_sentence=icfr_s.sentence if icfr_s else None,
        as_of=icfr_s.as_of if icfr_s else None,
        dcp=dcp,
        dcp_sentence=dcp_s.sentence if dcp_s else None,
        framework=framework(own),
        statements=statements,
        conflicts=icfr_conflicts + dcp_conflicts,
        rules=rules,
    )


def states_icfr_conclusion(text: str) -> bool:
    """Whether a text states a conclusion of management on ICFR."""
    return any(s.subject in ("icfr", "both") for s in _statements(sentences(management_only(text))))


def framework(text: str) -> str | None:
    """The control framework named, with its year where it is printed near: `COSO 2013`."""
    for pattern, name in _FRAMEWORKS:
        found = list(pattern.finditer(text))
        if found and name == "COSO":
            year = next((year for match in found if (year := _edition(text, match)) is not None), None)
            return name if year is None else f"{name} {year}"
        if found:
            return name
    return None


_FULL_STOP = re.compile(r"\.\s+(?=[A-Z])")


def _edition(text: str, mention: re.Match[str]) -> str | None:
    """The edition of the framework printed near a mention of it and in the same sentence."""
    before = _FULL_STOP.split(text[max(0, mention.start() - 60) : mention.start()])[-1]
    after = _FULL_STOP.split(text[mention.end() : mention.end() + 120])[0]
    year = _YEAR_OF_FRAMEWORK.search(DATE.sub(" ", before + mention[0] + after))
    return year[1] if year else None


def _statements(found: list[Sentence], period_end: date | None = None) -> list[Statement]:
    statements: list[Statement] = []
    last_named: Subject | None = None
    last_dates: list[date] = []
    last_block = -2
    for sentence in found:
        named = _named(sentence.text)
        for predicate in predicates(sentence.text):
            subject = predicate.subject
            if subject == "unnamed":
                if last_named is None or sentence.block - last_block > 1:
                    continue
                subject = last_named
            as_of = _as_of(sentence.text)
            if as_of is None and sentence.block - last_block <= 1 and len(set(last_dates)) == 1:
                as_of = last_dates[0]
            if as_of is None and _AT_PERIOD_END.search(sentence.text):
                as_of = period_end
            earlier = predicate.earlier or (
                _INTERIM.search(sentence.text) is not None and not find_dates(sentence.text)
            )
            statements.append(Statement(subject, predicate.effective, sentence, as_of, earlier, predicate.except_for))
        if named is not None:
            last_named, last_block = named, sentence.block
            last_dates = find_dates(sentence.text)
    return statements


_TITLE_OF_FRAMEWORK = re.compile(r"internal\s+control\s*[-\u2013\u2014\s]*integrated\s+framework", re.I)
_INTERIM = re.compile(
    r"\b(?:during|in|for|of|at)\s+(?:the\s+)?(?:end\s+of\s+)?(?:the\s+|each\s+of\s+the\s+)?(?:first|second|third)(?:\s+(?:two|three|and\s+(?:second|third)))?\s+(?:fiscal\s+)?quarters?\b|\binterim\s+periods?\b",
    re.IGNORECASE,
)
"""An interim date in words: what was so then is not said of the year end."""


def _named(sentence: str) -> Subject | None:
    """What a sentence speaks of; the framework's title names no control."""
    found = mentions(_TITLE_OF_FRAMEWORK.sub("", sentence))
    return found[-1][2] if found else None


_AT_PERIOD_END = re.compile(
    r"\b(?:as\s+of|as\s+at|at)\s+(?:(?:the|our|its)\s+)?(?:(?:fiscal\s+|financial\s+)?year[\s-]?end\b(?!\s*,?\s*\d)"
    r"|end\s+of\s+(?:the|our|its|such|this)\s+(?:most\s+recent(?:ly\s+completed)?\s+|recently\s+completed\s+|last\s+)?"
    r"(?:(?:fiscal|financial|annual|reporting)\s+)?(?:year|period)\b)",
    re.I,
)
"""The day told in words: the end of the year that the report covers."""


_AS_OF = re.compile(
    r"\b(?:as\s+of|as\s+at|at|on|ended|ending)\s+(?:the\s+(?:fiscal\s+)?(?:year|period)\s+ended\s+)?([A-Z0-9][^.;]{5,40})",
    re.I,
)


def _in_words(sentence: str) -> bool:
    return _AT_PERIOD_END.search(sentence) is not None and not find_dates(sentence)


def _as_of(sentence: str) -> date | None:
    for match in _AS_OF.finditer(sentence):
        dates = find_dates(match[1])
        if dates:
            return dates[0]
    dates = find_dates(sentence)
    return dates[0] if dates else None


def _decide(statements: list[Statement], period_end: date | None,
            what: str) -> tuple[Conclusion, Statement | None, list[str], list[str]]:  # fmt: skip
    if not statements:
        return "absent", None, [], []
    current = [s for s in statements if not s.earlier]
    if not current:
        return "absent", None, [f"{what}_only_an_earlier_conclusion"], []
    conflicts: list[str] = []
    if period_end is not None:
        on_date = [s for s in current if s.as_of is not None and abs((s.as_of - period_end).days) <= DAYS_APART]
        undated = [s for s in current if s.as_of is None]
        if on_date or undated:
            for other in current:
                if other not in on_date and other not in undated:
                    conflicts.append(f"{what}_statement_as_of_{other.as_of}")
            # An undated statement speaks of the year end, unless a dated one says the same more exactly.
            current = on_date + undated
        else:
            conflicts.append(f"{what}_as_of_{current[0].as_of}_not_{period_end}")
    if any(s.except_for and s.effective for s in current):
        conflicts.append(f"{what}_effective_except_for")
        return "mixed", next(s for s in current if s.except_for), conflicts, [f"{what}_except_for"]
    effective = [s for s in current if s.effective]
    ineffective = [s for s in current if not s.effective]
    if effective and ineffective:
        conflicts.append(f"{what}_effective_and_not_effective")
        return "mixed", _dated(ineffective), conflicts, [f"{what}_mixed"]
    if effective:
        return "effective", _dated(effective), conflicts, [f"{what}_effective"]
    return "ineffective", _dated(ineffective), conflicts, [f"{what}_not_effective"]


_SAYS_SO = re.compile(r"\b(?:conclu|determin|believe|opin|found\b|consider|deem|assert)", re.I)


def _dated(group: list[Statement]) -> Statement:
    """The statement that names the day, and of several the one in which somebody concludes."""
    dated = [s for s in group if s.as_of is not None] or group
    return next((s for s in dated if _SAYS_SO.search(s.sentence.text)), dated[0])


def _weakness_without_conclusion(found: list[Sentence]) -> Sentence | None:
    """A sentence that states a present weakness in ICFR, for reports that conclude in no other words."""
    for sentence in found:
        text = sentence.text
        if (
            MATERIAL_WEAKNESS.search(text)
            and _HAS_WEAKNESS.search(text)
            and not _NO_WEAKNESS.search(text)
            and not _PAST_WEAKNESS.search(text)
            and _named(text) != "dcp"
        ):
            return sentence
    return None


_NOT_OURS = re.compile(
    r"subsidiar|investee|joint\s+venture|acquir|did\s+not\s+exist|not\s+constitute|significant\s+deficienc", re.I
)
_LISTED = re.compile(r"\bfollowing\b[^.]{0,60}material\s+weakness(?:es)?[^.]{0,120}:$", re.I)


def _weakness_beside(found: list[Sentence], period_end: date | None) -> Sentence | None:
    """A sentence that states an own weakness at year end, or opens a list of them, beside an effective conclusion."""
    for sentence in found:
        text = sentence.text
        if not MATERIAL_WEAKNESS.search(text) or not _HAS_WEAKNESS.search(text):
            continue
        if _NO_WEAKNESS.search(text) or _PAST_WEAKNESS.search(text) or _NOT_OURS.search(text):
            continue
        dates = find_dates(text)
        at_year_end = period_end is not None and any(abs((d - period_end).days) <= DAYS_APART for d in dates)
        if at_year_end or (not dates and _LISTED.search(text)):
            return sentence
    return None
