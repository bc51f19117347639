"""Facts of the cover page: dei facts of inline XBRL, and the period from the words of an older cover.

A boolean's value sits in its transform, not in the glyph that is displayed: a filer may print a ticked box beside the
word "No" and tag it false (Regulation S-T, inline XBRL transformation registry). An absent fact is `absent` and an
unreadable one `unknown`; neither is ever read as false.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from benchmark_pipeline.tables.disclosures import Flag

from .dates import find_date
from .markup import short_text
from .text import NormalisedText

_FACT = re.compile(rb"<ix:non(?:Numeric|Fraction)\b[^<>]*\bname\s*=\s*[\"']dei:(\w+)[\"'][^<>]*>", re.I)
_FACT_EDGE = re.compile(rb"<(/?)ix:nonNumeric\b[^<>]*?(/?)>", re.I)
_ATTRIBUTE = re.compile(rb"\b(format|contextRef|xsi:nil)\s*=\s*[\"']([^\"']*)[\"']", re.I)
_CONTEXT = re.compile(rb"<xbrli:context\b[^<>]*\bid\s*=\s*[\"']([^\"']+)[\"'][^<>]*>(.*?)</xbrli:context>", re.I | re.S)
_MAX_FACT_BYTES = 4096
_DEEPEST = 16
"""Facts are nested a few deep at most; tags opened thousands of times are damage."""
_READ = frozenset(
    [
        "AuditorFirmId",
        "AuditorName",
        "DocumentAnnualReport",
        "DocumentFinStmtErrorCorrectionFlag",
        "DocumentFinStmtRestatementRecoveryAnalysisFlag",
        "DocumentFiscalYearFocus",
        "DocumentPeriodEndDate",
        "DocumentType",
        "EntityCentralIndexKey",
        "EntityEmergingGrowthCompany",
        "EntityFilerCategory",
        "EntityIncorporationStateCountryCode",
        "EntityRegistrantName",
        "EntityShellCompany",
        "IcfrAuditorAttestationFlag",
    ]
)
"""Names of the facts that are read."""
_WORDS = {"true": True, "yes": True, "1": True, "☒": True, "☑": True, "x": True,
          "false": False, "no": False, "0": False, "☐": False}  # fmt: skip
_FISCAL_YEAR_ENDED = re.compile(
    r"\bfor\s+(?:(?:the|its|our)\s+)?(?:fiscal\s+|transition\s+|financial\s+)?(?:year|period)s?\s*(?:ended|ending)\s*:?\s*([^\n]{6,60})",
    re.I,
)
_COVER_CHARACTERS = 12_000


@dataclass(frozen=True)
class CoverPage:
    """What the cover of one filing states about one registrant."""

    source: str
    """`inline_xbrl`, `text` or `none`."""
    entity_name: str | None = None
    cik: str | None = None
    """Ten digits."""
    document_type: str | None = None
    period_end: date | None = None
    fiscal_year_focus: int | None = None
    filer_category: str | None = None
    emerging_growth: Flag = "absent"
    shell_company: Flag = "absent"
    annual_report: Flag = "absent"
    attest_flag: Flag = "absent"
    error_correction_flag: Flag = "absent"
    recovery_flag: Flag = "absent"
    jurisdiction: str | None = None
    """State or country of incorporation as displayed, a code or a name."""
    auditor_name: str | None = None
    auditor_firm_id: str | None = None


@dataclass(frozen=True)
class _Fact:
    name: str
    context: str
    format: str
    value: str


def read_cover_pages(body: bytes, text: NormalisedText) -> list[CoverPage]:
    """One cover page a registrant, the filing's own (no legal-entity dimension) first.

    Args:
        body: the primary document as stored.
        text: its normalised text, for documents without inline XBRL.
    """
    facts = list(_facts(body))
    if not facts:
        return [_from_words(text)]
    entities = _entity_contexts(body, {fact.context for fact in facts})
    groups: dict[tuple[str, str], list[_Fact]] = {("", ""): []}
    for fact in facts:
        groups.setdefault(entities.get(fact.context, ("", "")), []).append(fact)
    main = _from_facts(groups.pop(("", "")))
    others = [_from_facts(group, identifier) for (_, identifier), group in groups.items()]
    return [main, *(page for page in others if page.cik and page.cik != main.cik)]


def boolean(value: str, transform: str) -> Flag:
    """The value of a tagged boolean: transform first, then the closed set of glyphs and words, else `unknown`."""
    name = transform.rsplit(":", 1)[-1].replace("-", "").lower()
    if name in ("fixedtrue", "booleantrue"):
        return "true"
    if name in ("fixedfalse", "booleanfalse"):
        return "false"
    read = _WORDS.get(value.strip().lower())
    return "unknown" if read is None else ("true" if read else "false")


def _facts(body: bytes) -> Iterator[_Fact]:
    for match in _fact_tags(body):
        attributes = {key.lower(): value.decode("latin-1") for key, value in _ATTRIBUTE.findall(match[0])}
        raw = b"" if match[0].endswith(b"/>") else _content(body, match.end())
        if attributes.get(b"xsi:nil", "").lower() == "true":
            continue
        value = short_text(raw)
        yield _Fact(match[1].decode("ascii"), attributes.get(b"contextref", ""), attributes.get(b"format", ""), value)


def _fact_tags(body: bytes) -> Iterator[re.Match[bytes]]:
    """Opening tags of the facts that a cover page is read from; only tags that hold the prefix are looked at."""
    last = position = -1
    while (position := body.find(b"dei:", position + 1)) >= 0:
        start = body.rfind(b"<", max(0, position - _MAX_FACT_BYTES), position)
        match = _FACT.match(body, start) if start > last else None
        last = max(last, start)
        if match is not None and match[1].decode("ascii") in _READ:
            yield match


def _content(body: bytes, start: int) -> bytes:
    """Bytes of the element opened just before `start`; elements of the same name may be nested in it."""
    depth = 1
    for edge in _FACT_EDGE.finditer(body, start, start + _MAX_FACT_BYTES):
        depth += 0 if edge[2] else (-1 if edge[1] else 1)
        if depth == 0:
            return body[start : edge.start()]
        if depth > _DEEPEST:
            break
    return b""


def _entity_contexts(body: bytes, wanted: set[str]) -> dict[str, tuple[str, str]]:
    """Context id to legal-entity member and entity identifier, for the contexts that carry such a member."""
    if b"LegalEntityAxis" not in body:
        return {}
    members: dict[str, tuple[str, str]] = {}
    for match in _CONTEXT.finditer(body):
        name = match[1].decode("latin-1")
        member = re.search(rb"LegalEntityAxis[\"'][^<>]*>\s*([\w:.-]+)", match[2]) if name in wanted else None
        if member:
            identifier = re.search(rb"identifier\b[^<>]*>\s*(\d{1,10})\s*<", match[2])
            members[name] = (member[1].decode("latin-1"), identifier[1].decode("ascii") if identifier else "")
    return members


def _from_facts(facts: list[_Fact], identifier: str = "") -> CoverPage:
    values: dict[str, list[_Fact]] = {}
    for fact in facts:
        values.setdefault(fact.name, []).append(fact)

    def word(name: str) -> str | None:
        found = list(dict.fromkeys(fact.value for fact in values.get(name, ()) if fact.value))
        return found[0] if found else None

    def flag(name: str) -> Flag:
        read: set[Flag] = {boolean(fact.value, fact.format) for fact in values.get(name, ())}
        if len(read) > 1:
            return "unknown"
        return read.pop() if read else "absent"

    focus = word("DocumentFiscalYearFocus")
    cik = word("EntityCentralIndexKey") or identifier
    end = word("DocumentPeriodEndDate")
    return CoverPage(
        source="inline_xbrl",
        entity_name=word("EntityRegistrantName"),
        cik=cik.zfill(10) if cik and cik.isdigit() and len(cik) <= 10 else None,
        document_type=word("DocumentType"),
        period_end=find_date(end) if end else None,
        fiscal_year_focus=int(focus) if focus and re.fullmatch(r"(?:19|20)\d\d", focus) else None,
        filer_category=_filer_category(word("EntityFilerCategory")),
        emerging_growth=flag("EntityEmergingGrowthCompany"),
        shell_company=flag("EntityShellCompany"),
        annual_report=flag("DocumentAnnualReport"),
        attest_flag=flag("IcfrAuditorAttestationFlag"),
        error_correction_flag=flag("DocumentFinStmtErrorCorrectionFlag"),
        recovery_flag=flag("DocumentFinStmtRestatementRecoveryAnalysisFlag"),
        jurisdiction=word("EntityIncorporationStateCountryCode"),
        auditor_name=word("AuditorName"),
        auditor_firm_id=word("AuditorFirmId"),
    )


def _filer_category(value: str | None) -> str | None:
    if value is None:
        return None
    words = value.lower()
    if "non" in words:
        return "Non-accelerated Filer"
    if "large" in words:
        return "Large Accelerated Filer"
    return "Accelerated Filer" if "accelerated" in words else None


def _from_words(text: NormalisedText) -> CoverPage:
    """Only the period is read from an untagged cover: its boxes cannot be told apart safely."""
    for match in _FISCAL_YEAR_ENDED.finditer(text.text, 0, min(len(text.text), _COVER_CHARACTERS)):
        found = find_date(match[1])
        if found:
            return CoverPage(source="text", period_end=found)
    return CoverPage(source="none")
