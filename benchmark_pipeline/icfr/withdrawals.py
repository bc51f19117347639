"""Published items whose label no longer stands (`withdrawals`). What was published is read, never edited."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Literal

from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow, WithdrawnItemRow

from .decision_order import stands

_DECISION = {"attested": "clean_attested", "management_only": "clean_management_only"}


@dataclass(frozen=True)
class ReleasedItem:
    """An item on an annual report as one release published it."""

    dataset_version: str
    item_id: str
    accession: str
    cik: str
    gold_icfr: Literal["clean", "deficient"]
    clean_rating: Literal["attested", "management_only"] | None

    @property
    def rests_on(self) -> str:
        """The decision that the label needs."""
        return _DECISION[self.clean_rating or "attested"] if self.gold_icfr == "clean" else "deficient"


def withdrawals(
    released: Iterable[ReleasedItem],
    pool: Iterable[CleanPoolRow],
    evidence: Iterable[ContradictingEvidenceRow],
    snapshot: date,
) -> Iterator[WithdrawnItemRow]:
    """One row for each released item whose filing is no longer decided as the label needs, in order of release and item.

    A clean item whose rating alone changed is withdrawn too: attested items make the headline, the others do not.
    """
    decisions = {(row.accession, row.cik): row for row in pool}
    against: Mapping[tuple[str, str], list[ContradictingEvidenceRow]] = defaultdict(list)
    for row in evidence:
        if stands(row):
            against[row.accession, row.cik].append(row)
    for item in sorted(released, key=lambda item: (item.dataset_version, item.item_id)):
        now = decisions.get((item.accession, item.cik))
        if now is not None and now.decision == item.rests_on:
            continue
        cause = _cause(now)
        telling = cause in ("contradicted", "onset_unstated")
        found = against.get((item.accession, item.cik), []) if telling else []
        found = sorted(found, key=lambda row: (row.evidence_filed_date, row.evidence_id))
        yield WithdrawnItemRow(
            dataset_version=item.dataset_version,
            item_id=item.item_id,
            accession=item.accession,
            cik=item.cik,
            gold_icfr=item.gold_icfr,
            clean_rating=item.clean_rating,
            cause=cause,
            decision=now.decision if now else None,
            reason=now.reason if now else None,
            evidence_ids=[row.evidence_id for row in found],
            evidence_accessions=list(dict.fromkeys(row.evidence_accession for row in found)),
            evidence=[row.locator for row in found if row.locator],
            contradicted_on=found[0].evidence_filed_date if found else None,
            rule_version=now.rule_version if now else None,
            snapshot_date=snapshot,
        )


def _cause(
    now: CleanPoolRow | None,
) -> Literal["contradicted", "onset_unstated", "judged_otherwise", "not_judged"]:
    if now is None:
        return "not_judged"
    if now.reason == "subsequent_mw_onset_unstated":
        return "onset_unstated"
    return "contradicted" if (now.reason or "").startswith("contradicted_") else "judged_otherwise"
