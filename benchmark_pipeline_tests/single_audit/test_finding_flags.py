"""Flags: what is read as yes, which sets are allowed, which tier they give."""

from __future__ import annotations

from itertools import product

import pytest

from benchmark_pipeline.single_audit.flags import ALLOWED_PATTERNS, Flags, read_flag


@pytest.mark.parametrize(
    ("value", "flag"),
    [
        ("Y", "Y"),
        ("YES", "Y"),
        ("yes ", "Y"),
        ("N", "N"),
        ("No", "N"),
        ("GSA_MIGRATION", "?"),
        ("", "?"),
        (None, "?"),
        ("X", "?"),
    ],
)
def test_an_unknown_flag_is_never_taken_for_no(value: str | None, flag: str) -> None:
    assert read_flag(value) == flag


def test_nine_of_all_sets_of_flags_are_allowed_and_none_of_them_has_two_tiers() -> None:
    allowed = [flags for letters in product("YN", repeat=5) if (flags := Flags.read(*letters)).allowed]
    assert {flags.pattern for flags in allowed} == ALLOWED_PATTERNS
    assert len(allowed) == 9
    assert sorted(flags.pattern for flags in allowed if flags.tier == "material_weakness") == [
        "NNYNN",
        "NYYNN",
        "YNYNN",
    ]
    assert sorted(flags.pattern for flags in allowed if flags.tier == "significant_deficiency") == [
        "NNNYN",
        "NYNYN",
        "YNNYN",
    ]


def test_both_tiers_at_once_or_an_unknown_one_give_no_tier() -> None:
    assert Flags.read("N", "N", "Y", "Y", "N").tier is None
    assert Flags.read("N", "N", "Y", "GSA_MIGRATION", "N").tier is None
