"""Minimal pairs: both halves right, or the pair is wrong (contrast sets, Gardner et al. 2020)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

PairOutcome = Literal["both_right", "only_control_right", "only_variant_right", "both_wrong"]


def pair_outcome(control: bool | None, variant: bool | None) -> PairOutcome:
    """Outcome of one pair; a half without an answer (None) is not right, so silence never helps."""
    if control:
        return "both_right" if variant else "only_control_right"
    return "only_variant_right" if variant else "both_wrong"


def possible_outcomes(control: bool | None, variant: bool | None) -> set[PairOutcome]:
    """Outcomes that a pair could have, whatever its halves without an answer would have answered."""
    first, second = ((half,) if half is not None else (True, False) for half in (control, variant))
    return {pair_outcome(one, two) for one in first for two in second}


def complete_pairs(halves: Iterable[tuple[str, str, bool | None]]) -> dict[str, tuple[bool | None, bool | None]]:
    """Pairs of which both halves were asked, from (pair id, `control` or `variant`, right) triples.

    Raises:
        ValueError: a half is given twice.
    """
    seen: dict[tuple[str, str], bool | None] = {}
    for pair_id, role, right in halves:
        if (pair_id, role) in seen:
            raise ValueError(f"pair {pair_id} has two halves with the role {role}")
        seen[pair_id, role] = right
    ids = sorted({pair_id for pair_id, _ in seen})
    return {
        pair_id: (seen[pair_id, "control"], seen[pair_id, "variant"])
        for pair_id in ids
        if (pair_id, "control") in seen and (pair_id, "variant") in seen
    }
