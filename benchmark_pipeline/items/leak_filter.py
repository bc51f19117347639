"""Leak filters: words of a passage that state its gold answer are masked, and a check proves that none is left.

Findings usually print their own tier, and many filers sort their weaknesses under the names of the COSO components. A
model that reads those words reads the label. Task C is not filtered in the verbatim arm: the disclosure is shown as
filed, and the conclusion-masked arm is its diagnostic.

Beside each filter stands a keyword rule. Its accuracy on the filtered texts is what a reader without understanding
would score; it is printed as a baseline, and more than 60 % of accuracy warns of a leak.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from benchmark_pipeline.tables.items import Component, ItemRow

from .masking import Names, mask_names

Gold = Literal["component", "severity"]
MAX_KEYWORD_ACCURACY = 0.60
COMPONENT_MARK = "[COMPONENT]"
FRAMEWORK_MARK = "[FRAMEWORK]"
TIER_MARK = "[TIER]"

_COMPONENT_NAME = re.compile(
    r"\b(?:entity[- ]level\s+)?control\s+environments?\b|\brisk\s+assessments?\b|\bcontrol\s+activit(?:y|ies)\b|"
    r"\binformation\s*(?:and|&)\s*communications?\b|\bmonitoring\s+activit(?:y|ies)\b|"
    r"\bmonitoring\s+(?:component|of\s+(?:internal\s+)?controls?)\b",
    re.IGNORECASE,
)
_MONITORING_HEADING = re.compile(r"(?m)^[\s•●\-–(]*(?:[ivx\d]{1,4}[.)]\s*)?Monitoring\s*(?=[:.—–-])", re.IGNORECASE)
_FRAMEWORK = re.compile(
    r"\bCOSO(?:[- ]\d{1,2})?\b|\bCommittee\s+of\s+Sponsoring\s+Organi[sz]ations(?:\s+of\s+the\s+Treadway\s+Commission)?|"
    r"\b[Pp]rinciples?\s+(?:No\.?\s*)?\d{1,2}(?:\s*(?:,|and|&|through|to|-|–)\s*\d{1,2})*\b|"
    r"\bAS\s?2201(?:\.\w+)?\b|\bAuditing\s+Standard\s+(?:No\.?\s*)?(?:5|2201)\b",
)
_TIER = re.compile(
    r"\bmaterial(?:ly)?\s+weak(?:ness(?:es)?)?\b|\bsignificant\s+deficienc(?:y|ies)\b|(?-i:\b(?:MW|SD)s?\b)|"
    r"\btype\s+of\s+finding\s*:?[^\n.]*|\b(?:un)?modified\s+opinion\b|\b(?:un)?qualified\s+opinion\b|"
    r"\badverse\s+opinion\b|\bmaterial\s+(?:non-?compliance|instance)\b|\bdeficienc(?:y|ies)\s+in\s+internal\s+control\b|"
    r"\brepeat(?:ed)?\s+(?:finding|of\s+(?:prior|finding))[^\n.]*|\bprior[- ](?:year\s+)?finding(?:\s+(?:no\.?|number|#))?[^\n.]*",
    re.IGNORECASE,
)

_BULLET = re.compile(r"^\s*(?:[•●▪◦·*–—-]+|\(?(?:[ivx]{1,4}|[a-z]|\d{1,2})[.)])\s*(?=\S)")

_FILTERS: dict[Gold, tuple[tuple[re.Pattern[str], str], ...]] = {
    "component": (
        (_COMPONENT_NAME, COMPONENT_MARK),
        (_MONITORING_HEADING, COMPONENT_MARK),
        (_FRAMEWORK, FRAMEWORK_MARK),
    ),
    "severity": ((_TIER, TIER_MARK),),
}


def mask_leaks(text: str, *golds: Gold) -> str:
    """The text without the words that state these golds; every place keeps a mark."""
    for gold in golds:
        for pattern, mark in _FILTERS[gold]:
            text = pattern.sub(mark, text)
    return re.sub(r"(\[[A-Z]+\])(?:[\s,/()-]*\1)+", r"\1", text)


def leaks(text: str, *golds: Gold) -> list[str]:
    """Words that state a gold and still stand in the text."""
    return sorted(
        {match.group() for gold in golds for pattern, _ in _FILTERS[gold] for match in pattern.finditer(text)}
    )


def prepare(text: str, names: Names, *golds: Gold) -> str:
    """A passage as an item of A or D shows it: names masked, leaks masked, white space folded, the mark of a list left out."""
    masked = _BULLET.sub("", mask_leaks(mask_names(text, names), *golds))
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", masked) if part.strip())


_KEYWORDS: tuple[tuple[Component, re.Pattern[str]], ...] = (
    (
        "control_environment",
        re.compile(
            r"sufficient (?:number|complement)|personnel|qualified|expertise|competen|tone|accountab|staff|"
            r"audit committee|board|resources|training|turnover",
            re.IGNORECASE,
        ),
    ),
    (
        "risk_assessment",
        re.compile(r"\brisks?\b|new (?:accounting )?standard|acquisition|changes? in|growth|fraud", re.IGNORECASE),
    ),
    (
        "information_and_communication",
        re.compile(
            r"completeness and accuracy|reports? used|\bdata\b|information|communicat|spreadsheet", re.IGNORECASE
        ),
    ),
    (
        "monitoring_activities",
        re.compile(r"monitor|internal audit|follow(?:ed)?[- ]up|self-assess|evaluat|remediat", re.IGNORECASE),
    ),
    (
        "control_activities",
        re.compile(
            r"reconcil|review|approv|segregat|journal|procedure|polic|access|authori[sz]|verif|document", re.IGNORECASE
        ),
    ),
)


def keyword_component(text: str) -> Component:
    """The component whose keywords occur most often; ties go to the first of the list, no keyword to control activities."""
    counts = {component: len(pattern.findall(text)) for component, pattern in _KEYWORDS}
    best = max(counts, key=lambda component: counts[component])
    return best if counts[best] else "control_activities"


_GRAVE = re.compile(
    r"questioned|\bnot\b|\bno\b|fail(?:ed|ure)|lack|systemic|all\b|material|significant|repeat|pervasive", re.IGNORECASE
)


def keyword_severity(text: str) -> Literal["significant_deficiency", "material_weakness"]:
    """Material weakness where three or more grave words stand in a hundred, else significant deficiency."""
    words = max(len(text.split()), 1)
    return "material_weakness" if 100 * len(_GRAVE.findall(text)) / words >= 3 else "significant_deficiency"


def keyword_icfr(text: str) -> Literal["clean", "deficient"]:
    """Task C by keyword: deficient where the text says `not effective`, `ineffective` or has a material weakness stated."""
    cue = re.compile(
        r"(?:was|were|is|are)\s+not\s+effective|ineffective|(?:identified|following|constitut\w+|existence\s+of)"
        r"[^.]{0,60}material\s+weakness",
        re.IGNORECASE,
    )
    return "deficient" if cue.search(text) else "clean"


def keyword_accuracy(items: Sequence[ItemRow], gold: Gold) -> tuple[float | None, int]:
    """Share of items whose gold the keyword rule hits, and their number; None where there is no item."""
    pairs: list[tuple[str, str | None]]
    if gold == "component":
        pairs = [(keyword_component(item.text), item.gold_component) for item in items if item.gold_component]
    else:
        pairs = [(keyword_severity(item.text), item.gold_severity) for item in items if item.gold_severity]
    if not pairs:
        return None, 0
    return sum(guess == truth for guess, truth in pairs) / len(pairs), len(pairs)
