"""Diagnostic arms of Task C: the section with its names masked, or without the sentences that state the conclusion.

Neither enters the headline. `names_masked` is the third arm beside verbatim and paraphrase: it tells what a name alone
gives away. `conclusion_masked` shows whether a model flags a section in which nothing is said; of a clean section little
is left by nature, so that it measures over-flagging and not skill (Lopez-Lira et al. on what masking cannot do).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from benchmark_pipeline.tables.items import ItemRow

from .drafting import text_problem
from .identity import item_id, text_sha256
from .masking import Names, mask_names, names_left
from .selection import reject
from .sentences import sentences

DiagnosticArm = Literal["names_masked", "conclusion_masked"]
OMISSION = "[…]"
"""Stands where sentences were removed, so that a reader sees that something is missing, and how many times."""
LEAST_WORDS = 25
_CONCLUSION = re.compile(
    r"\b(?:in)?effective(?:ly|ness)?\b|material\s+weakness|significant\s+deficienc|"
    r"\b(?:adverse|unqualified|qualified|clean)\s+(?:\w+\s+){0,2}(?:opinion|report)|remediat|"
    r"\bconclu(?:de[sd]?|sions?)\b|reportable\s+condition",
    re.IGNORECASE,
)


def without_conclusion(text: str) -> str:
    """The section without the sentences that state a conclusion, a weakness by its name, or its remediation.

    Lines stay lines. One mark stands for each run of removed sentences.
    """
    lines = []
    for line in text.split("\n"):
        kept: list[str] = []
        for sentence in sentences(line):
            if not _CONCLUSION.search(sentence):
                kept.append(sentence)
            elif not kept or kept[-1] != OMISSION:
                kept.append(OMISSION)
        lines.append(" ".join(kept))
    return "\n".join(lines)


def states_conclusion(text: str) -> bool:
    """Whether a sentence of the text still states what was to be removed."""
    return _CONCLUSION.search(text) is not None


def diagnostic_items(
    items: Iterable[ItemRow], arms: Sequence[DiagnosticArm], names: Mapping[tuple[str, str], Names]
) -> list[ItemRow]:
    """Twins of the accepted verbatim items of Task C, one an arm; those that cannot be used carry the reason.

    Args:
        items: candidates.
        arms: arms wanted.
        names: names to mask, by (accession, cik).
    """
    originals = [item for item in items if item.task == "C" and item.arm == "verbatim" and item.reject_reason is None]
    return [_twin(item, arm, names.get((item.accession or "", item.cik or ""), Names(None))) for arm in arms
            for item in originals]  # fmt: skip


def _twin(original: ItemRow, arm: DiagnosticArm, names: Names) -> ItemRow:
    text = mask_names(original.text, names) if arm == "names_masked" else without_conclusion(original.text)
    twin = original.model_copy(
        update={
            "item_id": item_id("C", original.source_ref, text, arm),
            "arm": arm,
            "text": text,
            "text_sha256": text_sha256(text),
            "twin_of": original.item_id,
            # Offsets of the evidence point into the document, where the conclusion still stands.
            "gold_evidence": [],
            "replaces": None,
        }
    )
    if problem := text_problem(text, LEAST_WORDS, 1_000_000):
        return reject(twin, *problem)
    if arm == "names_masked" and (left := names_left(text, names)):
        return reject(twin, "label_leak", f"names left: {', '.join(left)}")
    return twin
