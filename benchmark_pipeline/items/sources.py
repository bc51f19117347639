"""What the item builders know of a filing, joined from the upstream tables, and the passages they may use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmark_pipeline.tables.clean_pool import CleanPoolRow
from benchmark_pipeline.tables.disclosures import IcfrAssertionRow, IcfrSectionRow, MaterialWeaknessRow

from .masking import Names

BUILDER_VERSION = "items-1"
"""Version of the builders: raised with every change that can move an item's text or gold."""

_SIC_DIVISIONS = (
    (1, 9, "A agriculture"), (10, 14, "B mining"), (15, 17, "C construction"), (20, 39, "D manufacturing"),
    (40, 49, "E transport and utilities"), (50, 51, "F wholesale"), (52, 59, "G retail"),
    (60, 67, "H finance"), (70, 89, "I services"), (91, 99, "J public administration"),
)  # fmt: skip
_ITGC = re.compile(
    r"information technology general controls?|general (?:IT|information technology)|\bITGCs?\b|general controls over|"
    r"(?:user|logical|privileged) access|change management|program change|computer operations",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Filing:
    """One annual report of one registrant: its decision, and what it states."""

    decision: CleanPoolRow
    assertion: IcfrAssertionRow | None
    section: IcfrSectionRow | None

    @property
    def names(self) -> Names:
        """Names to mask."""
        if self.assertion is None:
            return Names(None)
        return Names(self.assertion.company_name, self.assertion.auditor_name)

    @property
    def jurisdiction(self) -> str:
        """Country of incorporation; ZZ (ISO 3166: unknown) where no assertion was read."""
        return self.assertion.jurisdiction if self.assertion else "ZZ"

    @property
    def sic_division(self) -> str | None:
        """Division of the SIC code at filing."""
        return sic_division(self.assertion.sic_at_filing if self.assertion else None)


def join_filings(
    decisions: Iterable[CleanPoolRow],
    assertions: Iterable[IcfrAssertionRow],
    sections: Iterable[IcfrSectionRow],
) -> list[Filing]:
    """One `Filing` a decision, in order of accession and registrant."""
    by_assertion = {(row.accession, row.cik): row for row in assertions}
    by_section = {(row.accession, row.cik): row for row in sections}
    return [
        Filing(row, by_assertion.get((row.accession, row.cik)), by_section.get((row.accession, row.cik)))
        for row in sorted(decisions, key=lambda row: (row.accession, row.cik))
    ]


def deficient_weaknesses(
    filings: Sequence[Filing], weaknesses: Iterable[MaterialWeaknessRow]
) -> list[tuple[Filing, MaterialWeaknessRow]]:
    """Weaknesses of filings decided deficient, with their filing.

    A weakness that a clean filing describes is a remediated one, and one of an excluded filing has no settled date:
    neither describes a deficiency at year end.
    """
    deficient = {
        (filing.decision.accession, filing.decision.cik): filing
        for filing in filings
        if filing.decision.decision == "deficient"
    }
    return [
        (deficient[key], row)
        for row in sorted(weaknesses, key=lambda row: (row.accession, row.cik, row.ordinal))
        if (key := (row.accession, row.cik)) in deficient
    ]


def sic_division(sic: str | None) -> str | None:
    """Industry division of a four-digit SIC code; None where there is no code or no such division."""
    if sic is None or not sic.strip().isdigit():
        return None
    major = int(sic) // 100
    return next((name for first, last, name in _SIC_DIVISIONS if first <= major <= last), None)


def touches_itgc(text: str) -> bool:
    """Whether a passage speaks of IT general controls, by rule; a label overrides it."""
    return bool(_ITGC.search(text))
