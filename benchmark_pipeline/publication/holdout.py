"""The private hold-out: companies whose items are kept apart from the published files.

Whole companies (and whole scenario pairs) are held out, by a hash of their key. A company therefore stays on its side in
every later version, and adding companies moves none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from benchmark_pipeline.tables.clean_pool import CleanPoolRow
from benchmark_pipeline.tables.items import ItemRow


def is_held_out(company_key: str, share: float) -> bool:
    """Whether a company's items are private, given the share that is."""
    return int(hashlib.sha256(f"holdout-1\x1f{company_key}".encode()).hexdigest()[:12], 16) / 16**12 < share


def split(items: Sequence[ItemRow], share: float) -> tuple[list[ItemRow], list[ItemRow]]:
    """Public and private items."""
    private = [item for item in items if is_held_out(item.company_key, share)]
    return [item for item in items if not is_held_out(item.company_key, share)], private


def private_filers(private: Sequence[ItemRow], pool: Sequence[CleanPoolRow], share: float) -> set[str]:
    """CIKs whose decisions and evidence stay with the private items: they tell the gold of Task C."""
    chosen = {row.cik for row in pool if is_held_out(f"cik:{row.cik}", share)}
    accessions = {item.accession for item in private if item.accession}
    # A filing of several registrants is one text: the decisions on all of them would tell it.
    return chosen | {row.cik for row in pool if row.accession in accessions}
