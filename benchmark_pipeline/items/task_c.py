"""Task C: does a controls section show clean or deficient ICFR at fiscal year end. The headline is measured here.

The text is the section as filed. The gold is the clean-pool decision and nothing else: an excluded filing is no
candidate, because nobody can say what the right answer is.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from benchmark_pipeline.tables.base import Span
from benchmark_pipeline.tables.clean_pool import Decision
from benchmark_pipeline.tables.items import ItemRow

from .drafting import draft_item, text_problem
from .selection import NOTHING_KEPT, TARGETS, Keep, reject, sample, select, with_hard_items
from .sentences import words
from .sources import Filing

WORDS = (40, 12_000)
_GOLD: dict[Decision, tuple[str, str | None]] = {
    "clean_attested": ("clean", "attested"),
    "clean_management_only": ("clean", "management_only"),
    "deficient": ("deficient", None),
}
_VOCABULARY = re.compile(r"material\s+weakness", re.IGNORECASE)


def build_task_c(
    filings: Sequence[Filing],
    items_per_registrant: int,
    targets: Mapping[str, int] = TARGETS,
    keep: Keep = NOTHING_KEPT,
) -> list[ItemRow]:
    """Candidates of Task C, those left out with a reason.

    Clean items are sampled to the distribution of the deficient ones over form, year, industry and length; of each
    rating 30 % come from hard strata where there are enough.
    """
    candidates = [item for filing in filings if (item := section_item(filing)) is not None]
    selected = select(candidates, items_per_registrant, keep)
    usable = [item for item in selected if item.reject_reason is None]
    deficient = sample(
        [item for item in usable if kind(item) == "deficient"], targets["C/deficient"], stratum, keep=keep
    )
    kept_deficient = [item for item in deficient if item.reject_reason is None]
    decided = {item.item_id: item for item in deficient}

    def draw(part: Sequence[ItemRow], target: int) -> list[ItemRow]:
        return sample(part, target, stratum, like=kept_deficient, keep=keep)

    for name in ("attested", "management_only"):
        clean = [item for item in usable if kind(item) == name]
        drawn = with_hard_items(clean, draw(clean, targets[f"C/{name}"]), is_hard, draw)
        decided |= {item.item_id: item for item in drawn}
    return [decided.get(item.item_id, item) for item in selected]


def section_item(filing: Filing) -> ItemRow | None:
    """A controls section as an item; None where the filing is excluded from the pool."""
    decision = filing.decision
    if decision.decision == "excluded":
        return None
    gold, rating = _GOLD[decision.decision]
    text = (filing.section.text if filing.section else None) or ""
    item = draft_item(
        "C",
        f"{decision.accession} {decision.cik} controls section",
        text,
        fiscal_year_end=decision.period_end,
        population="sec_annual_report",
        jurisdiction=filing.jurisdiction,
        regime="sox_404",
        fiscal_year=decision.fiscal_year,
        form=decision.form,
        cik=decision.cik,
        company_key=f"cik:{decision.cik}",
        accession=decision.accession,
        source_span=_section_span(filing),
        label_source="disclosure",
        gold_icfr=gold,
        clean_rating=rating,
        gold_evidence=_evidence(filing),
        seasoning_tier=decision.seasoning_tier if gold == "clean" else None,
        strata=_strata(filing, text),
        sic_division=filing.sic_division,
    )
    problem = text_problem(item.text, *WORDS)
    return reject(item, *problem) if problem else item


def kind(item: ItemRow) -> str:
    """`deficient`, `attested` or `management_only`."""
    return item.clean_rating or "deficient"


def stratum(item: ItemRow) -> Hashable:
    """Cell of the sampling: form, fiscal year, industry division, and length in steps of a doubling."""
    return (item.form, item.fiscal_year, item.sic_division, len(words(item.text)).bit_length())


def _section_span(filing: Filing) -> Span | None:
    section = filing.section
    if section is None or section.document_sha256 is None or section.start is None or section.end is None:
        return None
    # The quote would repeat the item's text: the span points, the text is in `text`.
    return Span(document_sha256=section.document_sha256, start=section.start, end=section.end, quote="")


def _evidence(filing: Filing) -> list[Span]:
    assertion = filing.assertion
    spans = [assertion.mgmt_conclusion_span if assertion else None, filing.decision.attest_opinion_span]
    return [span for span in spans if span is not None]


def _strata(filing: Filing, text: str) -> list[str]:
    decision = filing.decision
    flags: dict[str, Any] = {
        "remediated_prior_mw": decision.remediated_prior_mw,
        "scope_out": decision.scope_out,
        "little_r_overlap": decision.little_r_overlap,
        "nt_signal": decision.nt_signal,
        "first_attested_year": decision.first_attested_year,
        "watch": decision.watch,
        "foreign_private_issuer": decision.form in ("20-F", "40-F"),
        "weakness_vocabulary": _VOCABULARY.search(text) is not None,
        "dcp_not_effective": filing.assertion is not None and filing.assertion.dcp_conclusion == "ineffective",
    }
    tags = [name for name, present in flags.items() if present]
    return tags + ([f"followup_ended:{decision.followup_ended}"] if decision.followup_ended else [])


def is_hard(item: ItemRow) -> bool:
    """Whether a clean item belongs to a hard stratum: weakness words stand in a clean text, or a business was left out."""
    return item.gold_icfr == "clean" and bool(
        {"remediated_prior_mw", "scope_out", "weakness_vocabulary"} & {*item.strata}
    )
