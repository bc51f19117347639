"""Statements beside the conclusion: no attestation, no assessment, businesses left out, a weakness remediated."""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchmark_pipeline.tables.disclosures import ScopeOut

from .language import ICFR, MATERIAL_WEAKNESS, Sentence, sentences
from .regions import management_only
from .registrants import Voice

_ATTESTATION = re.compile(
    r"attest(?:ation|ed|s)?\b|audited\s+by|audit\s+of\s+(?:our|its|their|the\s+company['\u2019]s)\s+internal\s+control|report\s+of\s+(?:the\s+|our\s+)?(?:company['\u2019]s\s+)?(?:independent\s+)?registered",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"(?:does|do|did)\s+not\s+(?:include|contain)|(?:was|were|is|are)\s+not\s+(?:subject\s+to|required|included|audited)|not\s+(?:been\s+(?:audited|attested)|attested|audited|issued)"
    r"|\bexempt(?:s|ed|ion|ions)?\b|not\s+required\s+to\s+(?:include|provide|obtain|have|be|comply)|\bno\s+attestation|not\s+subject\s+to",
    re.IGNORECASE,
)
_AUDITOR_DID_NOT = re.compile(
    r"(?:auditors?|accountants?|accounting\s+firm|\bLLP)\b[^.;]{0,120}?\b(?:(?:was|were|has|have|is|are)\s+not(?:\s+been)?\s+(?:engaged|asked|requested|retained)\s+to"
    r"\s+(?:\w+\s+){0,3}?(?:examine|audit|attest|report|perform|express|opine|issue)|(?:has|have|did|does|do)\s+not\s+(?:\w+\s+){0,2}?"
    r"(?:audit(?:ed)?|attest(?:ed)?|examined?|express(?:ed)?\s+an\s+opinion|issued?\s+an?\s+(?:attestation|audit|opinion|report)))\b"
    r"[^.;]{0,200}?\binternal\s+controls?\b(?!\s+over\s+financial\s+reporting\s+(?:of|at)\s+(?!the\s+(?:company|registrant|trust|partnership)|our\b))",
    re.IGNORECASE,
)
"""An auditor who was not engaged for ICFR, or gave no opinion on it, as management says."""
_ATTESTATION_TITLE = re.compile(
    r"(?:part\s+)?(?:\(?\w{1,3}[.)]\s*)?(?:item\s+\d\S*\s+)?(?:auditor['\u2019]s\s+)?attestation\s+report\b(?!.*\b(?:is|was|has|does|do|not)\b).{0,120}$",
    re.IGNORECASE,
)
_NOT_APPLICABLE = re.compile(r"(?:not\s+(?:applicable|required|included)|none|n/a)\s*\.?$", re.IGNORECASE)
_FOR_LONG_AS = re.compile(
    r"\bmay\s+(?:elect|take\s+advantage|choose)|\bwill\s+(?:not\s+)?be\s+(?:required|subject|exempt)|as\s+long\s+as\s+we",
    re.IGNORECASE,
)
_NO_ASSESSMENT = re.compile(
    r"(?:(?:does|do|did)\s+not\s+(?:include|contain|provide)|(?:was|were|is|are)\s+not\s+(?:yet\s+)?(?:required|included)|not\s+(?:required|able)\s+to\s+(?:include|provide|perform|conduct)|exclud\w+|has\s+not\s+(?:included|performed|conducted)|did\s+not\s+(?:perform|conduct))"
    r"[^.]{0,120}\b(?:management(?:['\u2019]s)?|our)?\s*(?:annual\s+)?(?:report\s+(?:of|on|by|regarding)|assessment|evaluation)",
    re.IGNORECASE,
)
_LEFT_OUT = re.compile(
    r"(?:report\s+of\s+management|management['\u2019]?s?\s+(?:annual\s+)?(?:report|assessment))\b[^.]{0,120}\b(?:is|was|has\s+been)\s+"
    r"(?:not\s+(?:yet\s+)?(?:required|included|provided)(?!\s+to\s+be\s+(?:attested|audited))|omitted)\b",
    re.IGNORECASE,
)
"""The same, with the report first."""
_MANAGEMENTS = re.compile(
    r"management(?:['\u2019]s)?\s+(?:annual\s+)?(?:report|assessment)|report\s+of\s+management|(?:assessment|evaluation)\s+(?:by\s+management|of\s+(?:the\s+effectiveness\s+of\s+)?(?:our\s+|its\s+|their\s+|the\s+\S+\s+)?internal\s+control|regarding)",
    re.IGNORECASE,
)
_NEW = re.compile(
    r"newly[\s-]+public|new(?:ly)?\s+public|transition\s+period|initial\s+public\s+offering|second\s+annual\s+report|newly\s+registered|recently\s+completed\s+(?:its\s+|our\s+)?initial",
    re.IGNORECASE,
)
_AUDITORS = re.compile(
    r"\b(?:auditors?|accounting\s+firm|accountants?)\b[^.]{0,40}\b(?:is|are|was|were)\s+not\s+(?:yet\s+)?required",
    re.IGNORECASE,
)
"""It is the auditor that need not assess."""
_REVERSE = re.compile(
    r"reverse\s+(?:merger|acquisition|recapitali[sz]ation|takeover)|215\.02|business\s+combination|de-?SPAC|\bthe\s+merger\b",
    re.IGNORECASE,
)
_LEAVES_OUT_A_BUSINESS = re.compile(
    r"\bexcluded\s+from\s+(?:management['\u2019]s|our|its|the)\b[^.]{0,40}\bassessment|\bexclud\w+\b[^.]{0,160}\bfrom\s+(?:its|our|the|their)\s+assessment",
    re.IGNORECASE,
)
"""A business is left out of the assessment; the assessment itself was made."""
_EXCLUDES = re.compile(
    r"\bexclud(?:e|es|ed|ing)\b|\bdid\s+not\s+include\b|\bdoes\s+not\s+include\b|\bnot\s+included\s+in\b|\bwas\s+not\s+evaluated|\bnot\s+assess",
    re.IGNORECASE,
)
_LEAVES_OUT = re.compile(r"\bexcluded\s+[A-Z]")
_ASSESSMENT = re.compile(r"\bassess\w*|\bevaluat\w*|\bscope\b", re.IGNORECASE)
_BUSINESS = re.compile(
    r"\bacqui\w+|\bbusiness(?:es)?\b|\bsubsidiar\w+|\bjoint\s+venture|variable\s+interest|\bVIEs?\b|\bmerger\b|\boperations\s+of\b|internal\s+controls?\s+of\b"
    r"|\binvestees?\b|\bequity[\s-]method|\bunconsolidated\b|\baffiliates?\b",
    re.IGNORECASE,
)
_PERMITTED = re.compile(
    r"\bpermitted\s+to\s+exclude|\bpermits?\b|\bmay\s+(?:be\s+)?(?:exclude|omit)|\bcompanies\s+are\b", re.IGNORECASE
)
_LEAVES_NOTHING_OUT = re.compile(r"\b(?:did|does|do|has|have)\s+not\s+exclude", re.IGNORECASE)
_WHAT = (
    re.compile(r"^(.{3,140}?)\s+(?:has|have|was|were)\s+(?:been\s+)?excluded\s+from\b", re.IGNORECASE),
    re.compile(r"exclud(?:e|es|ed|ing)\s+(?:from\s+(?:its|our|the|their|this)\s+[^,.]{0,90}?,?\s+)?(?:(?:the\s+)?internal\s+controls?\s+(?:over\s+financial\s+reporting\s+)?(?:of|at)\s+)?(.{3,140}?)(?=\s+from\b|,|(?<!\bin)\s+which\b|\s+that\b|\s+acquired\b|\.$|\s+as\s+of\b|\s+because\b|\s+in\s+(?:its|our)\b)", re.IGNORECASE),
    re.compile(r"(?:did|does)\s+not\s+include\s+(?:an\s+(?:assessment|evaluation)\s+of\s+)?(?:the\s+)?(?:effectiveness\s+of\s+)?(?:internal\s+controls?\s+(?:over\s+financial\s+reporting\s+)?(?:of|at|for|related\s+to)\s+)?(.{3,140}?)(?=,|(?<!\bin)\s+which\b|\s+that\b|\s+acquired\b|\.$|\s+because\b)", re.IGNORECASE),
)  # fmt: skip
_RESTATES = re.compile(r"\b(?:assets|revenues?|sales)\b[^.]{0,60}\bexcluded\s+from\b", re.IGNORECASE)
"""The size of what an earlier sentence left out."""
_PERCENT = r"(\d{1,3}(?:\.\d+)?)\s*(?:%|percent\b)"
_NO_PERCENT = r"(?:(?!percent)[^%.;])"
_BASE = r"\b(assets|revenues?|net\s+sales|sales)\b"
_BETWEEN_SHARES = r"\s*(?:,\s*|,?\s*and\s+)(?:(?:approximately|about|less\s+than|under|nearly|only)\s+)*"
_SHARE_BEHIND = re.compile(rf"\b(assets|revenues?|net\s+sales|sales)\s+of\s+(?:\w+\s+){{0,2}}{_PERCENT}", re.IGNORECASE)
"""`Assets of 12% and revenues of 7%`."""
_PCT_OF = re.compile(rf"{_PERCENT}(?!\s*(?:-\s*)?owned){_NO_PERCENT}{{0,60}}?{_BASE}", re.IGNORECASE)
_AND_ANOTHER_BASE = re.compile(
    rf"{_NO_PERCENT}{{0,60}}?\band\s+(?:(?:of|our|its|the|total|consolidated|combined|\S+['\u2019]s)\s+){{0,4}}{_BASE}"
    r"(?!\s*,?\s*respectively|\W*(?:\w+\s+){0,3}\d[\d.]*\s*(?:%|percent))",
    re.IGNORECASE,
)
"""`3 percent of each of our total assets and total revenue`: one share of both."""
_TWO_OF_TWO = re.compile(
    rf"{_PERCENT}{_BETWEEN_SHARES}{_PERCENT}{_NO_PERCENT}{{0,100}}?{_BASE}{_NO_PERCENT}{{0,80}}?{_BASE}", re.IGNORECASE
)
"""`3% and 2%, respectively, of total assets and revenues`."""
_TWO_THEN_SHARES = re.compile(
    rf"{_BASE}(?:(?!percent)[^%;]){{0,80}}?{_BASE}(?:(?!percent)[^%;]){{0,200}}?{_PERCENT}(?:{_BETWEEN_SHARES}{_PERCENT})?",
    re.IGNORECASE,
)
"""`Total assets and revenues of the business represented 3% and 2%`."""
_REMEDIATED = re.compile(
    r"\b(?:has|have|had|was|were|is|are|been)\s+(?:also\s+|now\s+|since\s+)?(?:been\s+)?(?:fully\s+|successfully\s+|effectively\s+)?remediated\b|\b(?:completed|concluded)\b[^.]{0,120}\bremediat\w+|\bremediat(?:ed|ion)\b[^.]{0,80}\b(?:complete|completed|successful)|\bwe\s+(?:have\s+)?(?:successfully\s+|fully\s+)?remediated"
    r"|\bmaterial\s+weakness(?:es)?\b[^.]{0,80}\b(?:no\s+longer\s+exist(?:s|ed)?|(?:was|were|(?:has|have|had)\s+been)\s+(?:eliminated|resolved|corrected|cured))\b",
    re.IGNORECASE,
)
_NOT_YET = re.compile(
    r"\b(?:will|cannot|can|would|may|might|until|once|when|if|not\s+(?:yet\s+|been\s+|be\s+|considered\s+|fully\s+)*(?:remediated|complete)|plan|expect|intend|in\s+process|ongoing|to\s+be\s+remediated|not\s+be)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Statements:
    """What one section states beside its conclusion; each with the sentence that states it."""

    no_attestation: Sentence | None
    new_registrant: Sentence | None
    reverse_merger: Sentence | None
    scope_outs: list[ScopeOut]
    prior_remediated: Sentence | None


def read_statements(text: str, voice: Voice | None = None) -> Statements:
    """The statements in a section. Offsets of the sentences are characters of `text`.

    Args:
        text: the section.
        voice: the registrant, where the filing has several.
    """
    found = sentences(management_only(voice.own_text(text) if voice else text))
    if voice is not None:
        found = [sentence for sentence in found if voice.concerns(sentence.text)]
    return Statements(
        no_attestation=_no_attestation(found),
        new_registrant=next((s for i, s in enumerate(found) if _newly_public(found, i)), None),
        reverse_merger=next((s for i, s in enumerate(found) if _after_reverse_merger(found, i)), None),
        scope_outs=_scope_outs(found),
        prior_remediated=next((s for s in found if _is_remediated(s.text)), None),
    )


def _no_attestation(found: list[Sentence]) -> Sentence | None:
    """The sentence that says that there is no attestation, or its title and `Not applicable` under it."""
    for index, sentence in enumerate(found):
        if states_no_attestation(sentence.text):
            return sentence
        answer = found[index + 1] if index + 1 < len(found) else None
        if (
            answer is not None
            and answer.block - sentence.block <= 1
            and _ATTESTATION_TITLE.match(sentence.text)
            and _NOT_APPLICABLE.match(answer.text)
        ):
            return Sentence(sentence.start, answer.end, f"{sentence.text} {answer.text}", sentence.block)
    return None


def states_no_attestation(sentence: str) -> bool:
    """Whether a sentence says that the report holds no attestation of an auditor."""
    if _AUDITOR_DID_NOT.search(sentence):
        return True
    return (
        _ATTESTATION.search(sentence) is not None
        and _NONE.search(sentence) is not None
        and not (
            _FOR_LONG_AS.search(sentence)
            and not re.search(r"does\s+not\s+(?:include|contain)", sentence, re.IGNORECASE)
        )
        and re.search(r"internal\s+control|\battest", sentence, re.IGNORECASE) is not None
    )


def _no_assessment(sentence: str) -> bool:
    return (
        (_NO_ASSESSMENT.search(sentence) is not None or _LEFT_OUT.search(sentence) is not None)
        and _MANAGEMENTS.search(sentence) is not None
        and re.search(r"internal\s+control", sentence, re.IGNORECASE) is not None
        and not re.match(
            r"\s*(?:this\s+)?(?:annual\s+report|report)[^.]{0,60}not\s+include\s+an\s+attestation",
            sentence,
            re.IGNORECASE,
        )
    )


def _newly_public(found: list[Sentence], index: int) -> bool:
    """No assessment, and the rule for newly public companies told in the same sentence or beside it."""
    text = found[index].text
    if not _no_assessment(text) or _AUDITORS.search(text):
        return False
    return any(_NEW.search(sentence.text) for sentence in (found[index], *found[max(0, index - 1) : index + 2]))


def _after_reverse_merger(found: list[Sentence], index: int) -> bool:
    """No assessment, and the merger told in the same sentence or in one of the three before it."""
    text = found[index].text
    if not _no_assessment(text) or _NEW.search(text) or _LEAVES_OUT_A_BUSINESS.search(text):
        return False
    return any(_REVERSE.search(sentence.text) for sentence in found[max(0, index - 3) : index + 1])


def _scope_outs(found: list[Sentence]) -> list[ScopeOut]:
    outs: list[ScopeOut] = []
    for index, sentence in enumerate(found):
        text = sentence.text
        # A sentence beside it may tell that it was bought; the excluding one then only names it.
        beside = found[max(0, index - 1) : index + 2] if _LEAVES_OUT.search(text) else found[index : index + 1]
        told = " ".join(s.text for s in beside)
        if not (_EXCLUDES.search(text) and _ASSESSMENT.search(text)):
            continue
        assets, revenue = _shares(" ".join(s.text for s in found[index : index + 3]))
        if not _BUSINESS.search(told) and assets is None and revenue is None:
            continue
        if _PERMITTED.search(text) or _LEAVES_NOTHING_OUT.search(text):
            continue
        if re.search(
            r"attestation|newly\s+public|report\s+of\s+management|definition|misstatement", text, re.IGNORECASE
        ):
            continue
        if _RESTATES.search(text):
            continue
        what = next((m[1].strip() for pattern in _WHAT if (m := pattern.search(text))), text[:140])
        what = re.sub(r"\s+(?:and|or)$", "", what)
        if not any(out.what == what for out in outs):
            outs.append(ScopeOut(what=what, pct_assets=assets, pct_revenue=revenue))
    return outs


def _shares(text: str) -> tuple[float | None, float | None]:
    """Shares of total assets and of revenue, percent; of `less than 1 %` the 1."""
    text = re.sub(r"\([^()\d]*\)", " ", text)
    shares: dict[bool, float] = {}
    two = _TWO_OF_TWO.search(text)
    if two and _is_assets(two[3]) != _is_assets(two[4]):
        shares = {_is_assets(two[3]): float(two[1]), _is_assets(two[4]): float(two[2])}
        return shares[True], shares[False]
    behind = {_is_assets(match[1]): float(match[2]) for match in _SHARE_BEHIND.finditer(text)}
    if len(behind) == 2:
        return behind[True], behind[False]
    for match in _PCT_OF.finditer(text):
        shares.setdefault(_is_assets(match[2]), float(match[1]))
        also = _AND_ANOTHER_BASE.match(text, match.end())
        if also:
            shares.setdefault(_is_assets(also[1]), float(match[1]))
    if not shares and (two := _TWO_THEN_SHARES.search(text)) and _is_assets(two[1]) != _is_assets(two[2]):
        shares = {_is_assets(two[1]): float(two[3]), _is_assets(two[2]): float(two[4] or two[3])}
    return shares.get(True), shares.get(False)


def _is_assets(base: str) -> bool:
    return base.lower() == "assets"


def _is_remediated(sentence: str) -> bool:
    return (
        MATERIAL_WEAKNESS.search(sentence) is not None
        and _REMEDIATED.search(sentence) is not None
        and not _NOT_YET.search(sentence)
        and (
            ICFR.search(sentence) is not None
            or re.search(r"material\s+weakness(?:es)?\b", sentence, re.IGNORECASE) is not None
        )
    )
