"""The item model with the defaults that most tasks share, and the tests that every text has to pass."""

from __future__ import annotations

from typing import Any

from benchmark_pipeline.tables.items import Arm, ItemReject, ItemRow, Task

from .identity import item_id, text_sha256
from .language import english_share, is_english
from .sentences import words
from .sources import BUILDER_VERSION

_DEFAULTS: dict[str, Any] = {
    "fiscal_year_end": None, "language": "en", "fiscal_year": None, "form": None, "cik": None, "accession": None,
    "source_span": None, "drafted_by": None, "gradient_bearing": False, "gold_icfr": None, "clean_rating": None,
    "gold_effective": None, "gold_gap_type": None, "gold_severity": None, "gold_component": None,
    "gold_components_accepted": [], "gold_citation": None, "gold_citations_accepted": [], "gold_evidence": [],
    "root_cause_stated": None, "touches_itgc": False, "pair_id": None, "pair_role": None, "pair_kind": None,
    "twin_of": None, "replaces": None, "seasoning_tier": None, "strata": [], "sic_division": None,
    "inclusion_probability": None, "review_status": "pending", "reviewed_by": [],
    "builder_version": BUILDER_VERSION, "reject_reason": None, "reject_detail": None,
}  # fmt: skip


def draft_item(task: Task, source_ref: str, text: str, arm: Arm = "verbatim", **columns: Any) -> ItemRow:
    """An item with its id and hash; columns that do not apply to the task are null.

    Raises:
        pydantic.ValidationError: a column is missing or unknown.
    """
    return ItemRow(
        **{
            **_DEFAULTS,
            "item_id": item_id(task, source_ref, text, arm),
            "task": task,
            "arm": arm,
            "text": text,
            "text_sha256": text_sha256(text),
            "source_ref": source_ref,
            **columns,
        }
    )


def text_problem(text: str | None, least: int, most: int) -> tuple[ItemReject, str] | None:
    """Why a text cannot be an item: missing, outside `least` to `most` words, or not English."""
    if text is None or not text.strip():
        return "text_missing", "no text"
    count = len(words(text))
    if count < least:
        return "too_short", f"{count} words; at least {least} wanted"
    if count > most:
        return "too_long", f"{count} words; at most {most} wanted"
    if not is_english(text):
        return "not_english", f"{english_share(text):.0%} English function words"
    return None
