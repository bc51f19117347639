"""The five classification flags of a finding, the sets of them that intake allows, and the severity tier they give.

Source: the FAC's intake rules for the findings section; 2 CFR 200.516(a). Since 2023 a material weakness and a
significant deficiency exclude each other. A finding with neither is about compliance only and has no tier.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Flag = Literal["Y", "N", "?"]
"""`?`: the flag was not migrated or cannot be read; it is never taken for N."""
Tier = Literal["material_weakness", "significant_deficiency"]

ALLOWED_PATTERNS = frozenset(
    {"YNNNN", "YNYNN", "YNNYN", "NYNNN", "NYYNN", "NYNYN", "NNYNN", "NNNYN", "NNNNY"},
)
"""Modified opinion, other matters, material weakness, significant deficiency, other findings."""


def read_flag(value: str | None) -> Flag:
    """`Y`, `Yes`, `YES` and `true` are one answer, so are their opposites; anything else is unknown."""
    text = (value or "").strip().lower()
    if text in ("y", "yes", "true"):
        return "Y"
    if text in ("n", "no", "false"):
        return "N"
    return "?"


class Flags(NamedTuple):
    """The flags of one row of `findings`."""

    modified_opinion: Flag
    other_matters: Flag
    material_weakness: Flag
    significant_deficiency: Flag
    other_findings: Flag

    @classmethod
    def read(cls, *values: str | None) -> Flags:
        """Reads the five flags in the order of the fields."""
        return cls(*(read_flag(value) for value in values))

    @property
    def pattern(self) -> str:
        """The flags as one word, such as `NNYNN`."""
        return "".join(self)

    @property
    def allowed(self) -> bool:
        """Whether intake allows this set of flags."""
        return self.pattern in ALLOWED_PATTERNS

    @property
    def tier(self) -> Tier | None:
        """The severity; null where neither is set, where both are, or where one is unknown."""
        pair = (self.material_weakness, self.significant_deficiency)
        if pair == ("Y", "N"):
            return "material_weakness"
        return "significant_deficiency" if pair == ("N", "Y") else None
