"""The auditor's opinion on ICFR, wherever it stands in a filing (AS 2201, before it AS 2).

Only the auditor's own words count: an opinion sentence, or its reference to its opinion in the report on the
statements. Management's sentence that an opinion was issued is no opinion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

from benchmark_pipeline.edgar.dates import DATE, find_date, find_dates, to_date
from benchmark_pipeline.edgar.sections import FilingDocument, Stretch
from benchmark_pipeline.tables.base import Span
from benchmark_pipeline.tables.disclosures import Opinion

from .auditees import audited_company, registrant_text, whose
from .language import ICFR
from .regions import reading_view
from .registrants import Voice

DAYS_APART = 10
_WINDOW = 900
_MARGIN = 400
"""Longer than what any pattern of an opinion spans before or after that word."""
_OPINION = re.compile(r"\b(?:our\s+opinion|in\s+our\s+judgment|we\s+are\s+of\s+the\s+opinion)\b")
_MAINTAINED = re.compile(
    r"\b(?:maintain(?:ed|s)?|had|has\s+maintained|have\s+maintained|held)\b[\s,]*(?:in\s+all\s+material\s+respects[\s,]*)?(?:an?\s+)?effective\s+(?:system\s+of\s+)?internal\s+control",
    re.IGNORECASE,
)
_NOT_MAINTAINED = re.compile(
    r"\b(?:(?:has|have|had|did|does|do)\s+not\b[\s,]*(?:in\s+all\s+material\s+respects[\s,]*)?(?:\w+\s+){0,2}(?:maintain(?:ed)?|have|had)|failed\s+to\s+maintain)\b[\s,]*(?:in\s+all\s+material\s+respects[\s,]*)?(?:an?\s+)?effective\s+(?:system\s+of\s+)?internal\s+control",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|never|unable|failed|neither)\b", re.IGNORECASE)
_DENIAL_CHARACTERS = 80
_WAS = re.compile(
    r"internal\s+controls?\s+over\s+financial\s+reporting\b[^.;]{0,120}?\b(?:was|is|were)\s*,?\s*(?:in\s+all\s+material\s+respects,?\s+)?(not\s+effective|ineffective|effective)\b",
    re.IGNORECASE,
)
_ON_ASSESSMENT = re.compile(r"assessment\b.{0,400}?\bfairly\s+stated", re.IGNORECASE | re.DOTALL)
"""Within one sentence, in which the company's name may hold a full stop."""
_REFERENCE = re.compile(
    r"\bour\s+report\b[^.]{0,120}?\bexpress(?:ed|es)\s+(?:an?\s+)?(?:(unqualified|unmodified|adverse)\s+opinion|opinion\s+that\b[^.]{0,120}?\b(?P<not>not\s+)?maintain)",
)
_ADVERSE_TOO = re.compile(r"\badverse\s+opinion", re.IGNORECASE)
"""The reports of fiscal years 2004 to 2006 held two opinions: on management's assessment and on the controls."""
_AUDITED_ICFR = re.compile(r"\b(?:we\s+have\s+(?:also\s+)?audited|we\s+also\s+have\s+audited)\b", re.IGNORECASE)
_DISCLAIMER = re.compile(
    r"(?:do\s+not\s+express|does\s+not\s+express|disclaim)[^.]{0,80}\bopinion\b[^.]{0,160}internal\s+control\s+over\s+financial\s+reporting",
)
_SCOPE_LIMITED = re.compile(
    r"scope\s+(?:of\s+our\s+work|limitation)|limitation\s+on\s+the\s+scope|not\s+(?:sufficient|able)\s+to\s+(?:enable\s+us|obtain|complete)",
    re.IGNORECASE,
)
_FIRM = re.compile(
    r"(?:/s/\s*)?\b((?:Pricewaterhouse\s?Coopers|Ernst\s*&\s*Young|Deloitte\s*(?:&|and)\s*Touche|Deloitte|KPMG|Grant\s+Thornton|BDO|RSM|Crowe|Marcum"
    r"|[A-Z][\w&.,'\u2019-]*(?:[ ,&]+[A-Z][\w&.'\u2019-]*){0,6}?)[ ,]+(?:LLP|L\.L\.P\.|LLC|PLLC|P\.?C\.?|P\.?A\.?|Ltd\.?|Limited|CPAs?|AG|GmbH|S\.?A\.?|N\.V\.|Inc\.)(?=[\s,.;]|$))",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"/s/\s*([^\n]{3,80})", re.IGNORECASE)
_PLACE_AND_DATE = re.compile(
    rf"^[A-Z][^\n\d]{{2,40}},[^\n\d]{{2,30}}\n\s*((?:{DATE.pattern}))\s*$", re.IGNORECASE | re.MULTILINE
)
_END_OF_REPORT = 25_000


@dataclass(frozen=True)
class AuditorOpinion:
    """One opinion on ICFR found in a filing."""

    opinion: Opinion
    span: Span
    as_of: date | None
    firm: str | None
    signed: date | None
    by_reference: bool
    """The auditor refers to its opinion in another report."""
    subject: str
    """The sentence, in which the audited company may be named."""
    company: str | None
    """Whom the report names as audited; the sentence may call it `the Company`."""


@dataclass(frozen=True)
class Attestation:
    """What the filing holds of auditors' opinions on ICFR at year end."""

    opinion: Opinion
    chosen: AuditorOpinion | None
    found: list[AuditorOpinion] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)


def read_attestation(
    documents: Sequence[FilingDocument], period_end: date | None, voice: Voice | None = None, names: Sequence[str] = ()
) -> Attestation:
    """The auditor's opinion on ICFR at fiscal year end, over all documents of a filing.

    Args:
        documents: usable documents.
        period_end: fiscal year end: an opinion as of another date is recorded and not taken.
        voice: the registrant, where the filing has several.
        names: of all registrants; without them no opinion is told to be on another company.
    """
    found = [opinion for document in documents for opinion in _opinions(document)]
    if voice is not None:
        found = [o for o in found if voice.concerns(o.subject if voice.named(o.subject) else o.company or "")]
    conflicts: list[str] = []
    if names and found:
        found, others = _own(found, names, registrant_text(documents[0].text))
        conflicts += others
    current = found
    if period_end is not None:
        current = [o for o in found if o.as_of is None or abs((o.as_of - period_end).days) <= DAYS_APART]
        conflicts += sorted({f"opinion_as_of_{o.as_of}_not_{period_end}" for o in found if o not in current})
    direct = [o for o in current if not o.by_reference]
    considered = direct or current
    kinds = {o.opinion for o in current}
    if not considered:
        return Attestation("none", None, found, conflicts, [])
    if len(kinds) > 1:
        conflicts.append("opinions_differ:" + ",".join(sorted(kinds)))
    chosen = max(considered, key=lambda o: (o.opinion != "unqualified", o.as_of is not None, o.firm is not None))
    return Attestation(chosen.opinion, chosen, found, conflicts, [
        "opinion_by_reference" if chosen.by_reference else f"opinion_{chosen.opinion}"
    ])  # fmt: skip


def _own(found: list[AuditorOpinion], names: Sequence[str], cover: str) -> tuple[list[AuditorOpinion], list[str]]:
    """The opinions on the registrants, and a conflict for each other company that one is on."""
    kinds = [whose(opinion.company, names, cover) for opinion in found]
    # Beside an opinion on the registrant, one on a company with a similar name is on that company.
    foreign = ("another", "unclear") if "own" in kinds else ("another",)
    own: list[AuditorOpinion] = []
    others: set[str] = set()
    for opinion, kind in zip(found, kinds, strict=True):
        if kind in foreign and opinion.company is not None:
            others.add(f"opinion_on_another_company:{opinion.company[:80]}")
        else:
            own.append(opinion)
    return own, sorted(others)


def _opinions(document: FilingDocument) -> list[AuditorOpinion]:
    text = document.text
    # Searching lower case with case-sensitive patterns is several times faster; one letter may not become two.
    searched = document.lowered
    windows = _windows(searched)
    found: list[AuditorOpinion] = []
    for match in _matches(_OPINION, searched, windows):
        end = _sentence_end(text, match.end())
        start = _sentence_start(text, match.start())
        sentence = reading_view(text[start:end])
        if not ICFR.search(sentence) and not re.search(r"internal\s+control", sentence, re.IGNORECASE):
            continue
        on_assessment = _ON_ASSESSMENT.search(sentence)
        if on_assessment and not _OPINION.search(sentence.lower(), on_assessment.end()):
            continue
        verdict: Opinion | None = None
        if _NOT_MAINTAINED.search(sentence):
            verdict = "adverse"
        elif maintained := _MAINTAINED.search(sentence):
            # A denial in other words than those above: which opinion it is cannot be told.
            denied = _DENIED.search(sentence, max(0, maintained.start() - _DENIAL_CHARACTERS), maintained.start())
            verdict = None if denied else "unqualified"
        elif stated := _WAS.search(sentence):
            verdict = "unqualified" if stated[1].lower() == "effective" else "adverse"
        if verdict is not None:
            found.append(_opinion(document, start, end, sentence, verdict, by_reference=False))
    for match in _matches(_REFERENCE, searched, windows):
        start = max(text.rfind("\n", 0, match.start()), match.start() - _WINDOW, 0)
        sentence = reading_view(text[start : _sentence_end(text, match.end())])
        audited = list(_AUDITED_ICFR.finditer(sentence, 0, match.start() - start))
        # The ICFR report refers to the statements in the same form: what was audited decides.
        if (
            audited
            and ICFR.search(sentence[audited[-1].end() : match.start() - start][:400])
            and not re.search(
                r"financial\s+statements|balance\s+sheets?",
                sentence[audited[-1].end() : match.start() - start],
                re.IGNORECASE,
            )
        ):
            begin = start + audited[-1].start()
            end = _sentence_end(text, match.end())
            adverse = match["not"] or _ADVERSE_TOO.search(text, match.start(), end)
            kind: Opinion = "adverse" if adverse else "unqualified"
            found.append(_opinion(document, begin, end, text[begin:end], kind, by_reference=True))
    for match in _matches(_DISCLAIMER, searched, windows):
        near = text[max(0, match.start() - _WINDOW) : match.end() + 200]
        if _SCOPE_LIMITED.search(near) and not re.search(r"express\s+no\s+such\s+opinion", near, re.IGNORECASE):
            start = max(text.rfind(". ", 0, match.start()) + 2, text.rfind("\n", 0, match.start()) + 1)
            end = _sentence_end(text, match.end())
            found.append(_opinion(document, start, end, text[start:end], "disclaimer", by_reference=False))
    return found


def _windows(searched: str) -> list[tuple[int, int]]:
    """Where an opinion can stand: around the words that every opinion holds, neighbouring stretches made one."""
    positions = sorted(m.start() for word in ("opinion", "judgment") for m in re.finditer(word, searched))
    windows: list[tuple[int, int]] = []
    for position in positions:
        start, end = max(0, position - _MARGIN), position + _MARGIN
        if windows and start <= windows[-1][1]:
            windows[-1] = (windows[-1][0], end)
        else:
            windows.append((start, end))
    return windows


def _matches(pattern: re.Pattern[str], searched: str, windows: list[tuple[int, int]]) -> Iterator[re.Match[str]]:
    for start, end in windows:
        yield from pattern.finditer(searched, start, end)


def _sentence_start(text: str, position: int) -> int:
    """Start of the sentence that runs at `position`, at most 600 characters before."""
    low = max(0, position - 600)
    before = text[low:position]
    starts = [m.end() for m in re.finditer(r"(?<!\b[A-Z])(?<!Inc)(?<!Co)(?<!Corp)(?<!Ltd)\.[\"\u201d]?\s+|\n", before)]
    return low + starts[-1] if starts else (low if low == 0 else position)


def _sentence_end(text: str, position: int) -> int:
    """End of the sentence that runs at `position`: a full stop before a capital, or the end of the block."""
    for match in re.finditer(
        r"\.(?=\s+[A-Z\u201c\"]|\s*\n|$)|\n(?!\s*(?:\d{1,3}\s*\n\s*)?[a-z\d(])", text[position : position + 2500]
    ):
        before = text[position : position + match.start() + 1][-8:]
        if re.search(r"\b(?:Inc|Corp|Co|Ltd|No|U\.S|L\.P|S\.A|N\.V|[A-Z])\.$", before):
            continue
        return position + match.start() + (match[0] == ".")
    return min(len(text), position + 2500)


def _opinion(document: FilingDocument, start: int, end: int, sentence: str, verdict: Opinion, *,
             by_reference: bool) -> AuditorOpinion:  # fmt: skip
    clause = sentence
    mention = ICFR.search(sentence) or re.search(r"internal\s+control", sentence, re.IGNORECASE)
    if mention:
        clause = sentence[mention.start() :]
    dates = find_dates(clause) or find_dates(sentence)
    firm, signed = _signature(document.text, end)
    return AuditorOpinion(
        opinion=verdict,
        span=Stretch(document, 0, len(document.text)).span(start, end),
        as_of=dates[0] if dates else None,
        firm=firm,
        signed=signed,
        by_reference=by_reference,
        subject=sentence,
        company=audited_company(document.text, start),
    )


def _signature(text: str, start: int) -> tuple[str | None, date | None]:
    """The firm that signed the report, and the first date near its signature."""
    tail = text[start : start + _END_OF_REPORT]
    position = 0
    firm: str | None = None
    signed = _SIGNATURE.search(tail)
    if signed:
        match = _FIRM.search(signed[0])
        firm, position = (match[1] if match else signed[1].strip()), signed.start()
    else:
        for match in _FIRM.finditer(tail):
            line_start, line_end = tail.rfind("\n", 0, match.start()) + 1, tail.find("\n", match.end())
            line = tail[line_start : line_end if line_end >= 0 else len(tail)]
            # A signature stands on a line of its own.
            if len(line) <= len(match[1]) + 25:
                firm, position = match[1], match.start()
                break
    if firm is None:
        # The signature may be a picture, with the place and the date printed below it.
        below = _PLACE_AND_DATE.search(tail)
        return None, find_date(below[1]) if below else None
    near = DATE.search(tail, max(0, position - 250), position + 400)
    after = DATE.search(tail, position, position + 400)
    chosen = after or near
    return " ".join(firm.split()).strip(" ,"), to_date(chosen) if chosen else None
