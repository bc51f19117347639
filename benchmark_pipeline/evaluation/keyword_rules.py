"""The keyword baseline: what a short list of words gets right without any reading.

A benchmark that this rule solves tests reading of stock phrases; its score is printed beside every model's. The lists
follow the labelling guide's causes, not the benchmark's items.
"""

from __future__ import annotations

import re
from typing import Any

from benchmark_pipeline.items.registry import component_of_citation
from benchmark_pipeline.tables.items import ItemRow

_NOT_EFFECTIVE = re.compile(
    r"\b(not|in)[ -]?effective\b|\bwere ineffective\b|\bnot maintain(ed)? effective\b|\badverse opinion\b", re.I
)
_WEAKNESS = re.compile(r"\bmaterial weakness(es)?\b", re.I)
_DENIED = re.compile(
    r"\b(no|not|any|without|if|could|may|might|definition|defined|prior|previously|remediated|a combination)\b", re.I
)

_CAUSES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("COSO-2", re.compile(r"\baudit committee|\bindependent director|\bboard oversight", re.I)),
    ("COSO-16", re.compile(r"\binternal audit|\bmonitor(ing|ed)?\b|\bevaluat(e|ions?) (of )?(whether|controls)", re.I)),
    ("COSO-17", re.compile(r"\bfollow(ed)?[ -]up|\bcorrective action|\bprior[ -]year finding", re.I)),
    ("COSO-8", re.compile(r"\bfraud risk|\boverride", re.I)),
    ("COSO-9", re.compile(r"\bacqui(red|sition)|\bnew (accounting )?standard|\brapid growth|\bsignificant change", re.I)),
    ("COSO-7", re.compile(r"\brisk assessment|\bidentify(ing)? (and \w+ )?risks?\b|\bassess(ing)? risks?\b", re.I)),
    ("COSO-4", re.compile(r"\bpersonnel|\bstaff|\bexpertise|\bqualified|\btraining|\bexperience|\bturnover", re.I)),
    ("COSO-5", re.compile(r"\baccountab|\btone\b|\bincentive", re.I)),
    ("COSO-11", re.compile(r"\buser access|\bchange management|\binformation technology|\bIT general|\bpasswords?", re.I)),
    ("COSO-13", re.compile(r"\bspreadsheet|\bincomplete|\binaccurate data|\breports? used|\bcompleteness and accuracy", re.I)),
    ("COSO-14", re.compile(r"\bcommunicat|\binform(ed|ing) the accounting", re.I)),
    ("COSO-12", re.compile(r"\bpolic(y|ies)|\bprocedures?\b|\bdocumentation", re.I)),
    ("COSO-10", re.compile(r"\breconcil|\breview|\bapprov|\bsegregat", re.I)),
)  # fmt: skip

_GAPS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("segregation_of_duties", re.compile(r"\bsame (person|employee|clerk)|\balso (maintains|creates|records)", re.I)),
    ("override", re.compile(r"\bexempt|\bbypass|\boverride", re.I)),
    ("completeness", re.compile(r"\bexcludes?\b|\bexcept for\b|\bother than those", re.I)),
    ("evidence", re.compile(r"\bverbal|\bno (record|notes?|evidence)|\bnot (kept|retained|documented)", re.I)),
    ("information", re.compile(r"\bnot (checked|agreed|compared)|\bwithout (checking|agreeing)", re.I)),
    ("service_org", re.compile(r"\bservice (provider|organi[sz]ation)|\bSOC 1\b", re.I)),
    ("timeliness", re.compile(r"\bonce a year|\bannually|\byearly|\bafter the (report|filing)", re.I)),
    ("management_review", re.compile(r"\b(own|prepared) (work|entries|reconciliation)|\bwho prepared", re.I)),
    ("precision", re.compile(r"\btotal only|\bin total\b|\bexceed(s|ing)?\b|\babove\b", re.I)),
)  # fmt: skip
_NEGATIVE = re.compile(
    r"\b(not|no|never|without|only|exempt|excludes?|verbal(ly)?|same (person|employee|clerk))\b", re.I
)
_SEVERE = re.compile(r"\bmisstate|\brestate|\bmaterial\b|\bpervasive", re.I)


def keyword_answer(item: ItemRow) -> dict[str, Any]:
    """The rule's answer to one item, in the form of its task."""
    text = item.text
    if item.task == "C":
        return {"icfr": "deficient" if _says_deficient(text) else "clean"}
    if item.task == "B":
        # A scenario states the control last; the narrative before it is the same in both halves of most pairs.
        control = text[len(text) // 2 :]
        if not _NEGATIVE.search(control):
            return {"designed_effectively": True, "gap_type": None, "severity": None}
        gap = next((name for name, pattern in _GAPS if pattern.search(control)), "precision")
        return {"designed_effectively": False, "gap_type": gap, "severity": _severity(text)}
    citation, match = _cause(text)
    component = component_of_citation(citation)
    if item.task == "A":
        return {"component": component, "severity": _severity(text)}
    return {"citation": citation, "component": component, "evidence": _sentence(text, match)}


def _says_deficient(text: str) -> bool:
    if _NOT_EFFECTIVE.search(text):
        return True
    return any(
        _WEAKNESS.search(sentence) and not _DENIED.search(sentence) for sentence in re.split(r"(?<=[.;])\s", text)
    )


def _cause(text: str) -> tuple[str, re.Match[str] | None]:
    # The guide's fallback, a symptom without a cause, is a control activity.
    return next(
        ((citation, match) for citation, pattern in _CAUSES if (match := pattern.search(text))), ("COSO-10", None)
    )


def _severity(text: str) -> str:
    return "material_weakness" if _SEVERE.search(text) else "significant_deficiency"


def _sentence(text: str, match: re.Match[str] | None) -> str:
    at = match.start() if match else 0
    start = max(text.rfind(". ", 0, at) + 2, 0) if text.rfind(". ", 0, at) >= 0 else 0
    end = text.find(". ", at)
    return text[start : end + 1 if end >= 0 else len(text)][:400]
