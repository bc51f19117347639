"""Masks of company, auditor and subsidiary names.

The same name always becomes the same mark, in the verbatim and in the rewritten text alike, so that masking alone never
makes a difference between the two arms. Masking is a control and not a cure: models can rebuild an entity from its
context (Lopez-Lira et al., arXiv 2504.14765).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

COMPANY = "[COMPANY]"
AUDITOR = "[AUDITOR]"
_SUFFIX = re.compile(
    r"(?:,?\s+(?:incorporated|inc|corporation|corp|company|co|limited|ltd|l\.?l\.?c|l\.?l\.?p|l\.?p|plc|n\.?v|s\.?a|"
    r"a\.?g|s\.?e|s\.?p\.?a|trust|holdings?|group|the)\b\.?)+\s*(?:/[A-Z]{2}/?)?\s*$",
    re.IGNORECASE,
)
_KNOWN_AUDITORS = (
    "PricewaterhouseCoopers", "PwC", "Deloitte & Touche", "Deloitte", "Ernst & Young", "KPMG", "Grant Thornton",
    "BDO USA", "BDO", "RSM US", "Crowe", "Forvis Mazars", "FORVIS", "Baker Tilly", "Moss Adams", "Marcum", "CohnReznick",
    "EisnerAmper", "Plante & Moran", "MaloneBailey", "WithumSmith+Brown", "UHY", "Haskell & White", "Weaver and Tidwell",
)  # fmt: skip
_ORDINARY = frozenset(
    [
        "american",
        "national",
        "general",
        "united",
        "first",
        "global",
        "international",
        "advanced",
        "applied",
        "energy",
        "financial",
        "capital",
        "bank",
        "bancorp",
        "medical",
        "health",
        "digital",
        "systems",
        "technologies",
        "technology",
        "resources",
        "industries",
        "solutions",
        "services",
        "power",
        "water",
        "pacific",
        "atlantic",
        "western",
        "eastern",
        "northern",
        "southern",
        "central",
        "great",
        "new",
        "home",
        "public",
        "data",
        "power",
        "food",
        "foods",
        "natural",
        "premier",
        "standard",
        "universal",
        "integrated",
        "control",
        "internal",
        "company",
        "annual",
        "report",
        "material",
        "partners",
        "the",
    ]
)
"""Words that begin company names and ordinary sentences alike: alone they are not masked."""
_TICKER = re.compile(
    r"\((?:the\s+)?(?:NYSE(?: American| Arca)?|NASDAQ|Nasdaq|OTCQB|OTCQX|OTC)(?:\s*[:]\s*)[“\"]?[A-Z.]{1,6}[”\"]?\)"
)
_CIK = re.compile(r"\b(?:CIK(?:\s+(?:No\.?|number))?[:#\s]*)\d{4,10}\b|\b\d{10}-\d{2}-\d{6}\b")


@dataclass(frozen=True)
class Names:
    """Names to mask in one filing."""

    company: str | None
    """Registrant's name as filed."""
    auditor: str | None = None
    """Firm that signed."""
    subsidiaries: tuple[str, ...] = ()
    """Businesses named in the text, in order of the mark they get."""

    @cached_property
    def patterns(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        """Each name's pattern with its mark, the longest names first."""
        marked = [(name, COMPANY) for name in company_variants(self.company or "")]
        marked += [(name, AUDITOR) for name in (*company_variants(self.auditor or ""), *_KNOWN_AUDITORS)]
        for number, subsidiary in enumerate(self.subsidiaries, start=1):
            marked += [(name, f"[SUBSIDIARY_{number}]") for name in company_variants(subsidiary)]
        marked.sort(key=lambda pair: -len(pair[0]))
        return tuple((_pattern(name), mark) for name, mark in marked)


def company_variants(name: str) -> list[str]:
    """Ways in which a text may write a company's name: in full, without its legal form, and its first word alone.

    The first word alone counts only where it is not an ordinary word of reports and has five letters or more.
    """
    name = " ".join(name.split())
    if not name:
        return []
    bare = _SUFFIX.sub("", name).strip(" ,") or name
    variants = [name, bare]
    first = bare.split()[0].strip(",")
    if len(first) >= 5 and first.lower() not in _ORDINARY:
        variants.append(first)
    return [variant for variant in dict.fromkeys(variants) if len(variant) >= 3]


def mask_names(text: str, names: Names) -> str:
    """The text with names, tickers and filer numbers replaced by marks."""
    text = _CIK.sub("[NUMBER]", _TICKER.sub("[TICKER]", text))
    for pattern, mark in names.patterns:
        text = pattern.sub(mark, text)
    return text


def names_left(text: str, names: Names) -> list[str]:
    """Names, tickers and filer numbers that still stand in a text."""
    patterns: Iterable[re.Pattern[str]] = (_CIK, _TICKER, *(pattern for pattern, _ in names.patterns))
    return sorted({match.group() for pattern in patterns for match in pattern.finditer(text)})


def _pattern(name: str) -> re.Pattern[str]:
    # The legal form is taken with the name ("Tarn Corp." leaves no "Corp." behind), and any white space may part words.
    # A full stop goes with the name only inside a sentence: at its end it is the sentence's.
    stop = r"(?:\.(?=\s*[,;)]|\s+[a-z]))?"
    body = r"[\s\-]+".join(re.escape(part) for part in name.rstrip(".").split())
    legal = r"(?:,?\s+(?:Inc|Corp|Ltd|LLC|LLP|L\.L\.P|L\.P|PLC|plc|N\.V|S\.A|AG)\b)?"
    flags = re.IGNORECASE if name.isupper() and len(name) > 4 else re.NOFLAG
    return re.compile(rf"(?<![\w-]){body}(?!\w){legal}{stop}", flags)
