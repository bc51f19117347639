"""Task D: which single reference governs a described deficiency, with a verbatim evidence span.

The gold comes from drafted labels that a person verifies: a citation is a judgement in every case, also where the
filer's own heading settles the component.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from benchmark_pipeline.tables.base import Span
from benchmark_pipeline.tables.disclosures import MaterialWeaknessRow
from benchmark_pipeline.tables.items import ItemRow

from .drafting import draft_item, text_problem
from .identity import text_sha256
from .labels import Label, Labels
from .leak_filter import leaks, prepare
from .selection import NOTHING_KEPT, TARGETS, Keep, reject, sample_usable, select
from .sources import Filing
from .task_a import WORDS, component_gold, filing_columns


def build_task_d(
    weaknesses: Sequence[tuple[Filing, MaterialWeaknessRow]],
    labels: Labels,
    items_per_registrant: int,
    targets: Mapping[str, int] = TARGETS,
    keep: Keep = NOTHING_KEPT,
) -> list[ItemRow]:
    """Candidates of Task D, those left out with a reason."""
    items = [citation_item(filing, row, labels.of_weakness(row.accession, row.ordinal)) for filing, row in weaknesses]
    return sample_usable(
        select(items, items_per_registrant, keep), targets["D"], lambda item: item.gold_component, keep
    )


def citation_item(filing: Filing, row: MaterialWeaknessRow, label: Label | None) -> ItemRow:
    """A material weakness as an item with its gold citation; offsets of the evidence are in the item's text."""
    text = prepare(row.text, filing.names, "component")
    quote = prepare(label.evidence_quote, filing.names, "component") if label and label.evidence_quote else None
    span = locate(quote, text) if quote else None
    gold = component_gold(row, label)
    item = draft_item(
        "D",
        f"{row.accession} {row.cik} weakness {row.ordinal}",
        text,
        **filing_columns(filing, row),
        **{**gold, "label_source": "llm_draft_human_verified", "drafted_by": label.drafted_by if label else None},
        gold_citation=label.citations[0] if label and label.citations else None,
        gold_citations_accepted=label.citations if label else [],
        gold_evidence=[span] if span else [],
    )
    if problem := text_problem(item.text, *WORDS):
        return reject(item, *problem)
    if item.gold_citation is None:
        return reject(item, "no_label", "no drafted citation")
    if span is None:
        return reject(item, "no_label", f"the evidence quote does not stand in the passage: {quote!r}")
    if left := leaks(item.text, "component"):
        return reject(item, "label_leak", f"still says {', '.join(left)}")
    return item


def locate(quote: str, text: str) -> Span | None:
    """Where a quote stands in a text, white space folded; None where it does not."""
    pattern = r"\s+".join(re.escape(word) for word in quote.split())
    match = re.search(pattern, text)
    if match is None or not pattern:
        return None
    return Span(document_sha256=text_sha256(text), start=match.start(), end=match.end(), quote=match.group())
