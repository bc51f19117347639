"""What must hold before a dataset may be called a release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchmark_pipeline.tables.clean_pool import CleanPoolRow
from benchmark_pipeline.tables.items import ItemRow

from .headline import MINIMUM_ITEMS
from .measures import attested_clean
from .results import REVIEWED

SHARE_OF_CLEAN = (0.35, 0.65)
"""Bounds of the clean share of Task C, so that neither constant answer looks good."""


def gate(items: Sequence[ItemRow], pool: Sequence[CleanPoolRow]) -> list[str]:
    """Every reason why these items may not be released; empty where they may."""
    problems = []
    unreviewed = [item for item in items if item.review_status not in REVIEWED or not item.reviewed_by]
    if not items:
        problems.append("There is no item")
    if unreviewed:
        problems.append(f"{len(unreviewed)} of {len(items)} items have no human decision")
    doubled = [key for key, count in Counter(item.item_id for item in items).items() if count > 1]
    if doubled:
        problems.append(f"Item ids occur twice: {', '.join(sorted(doubled)[:5])}")
    task_c = [item for item in items if item.task == "C" and item.arm == "verbatim"]
    attested = sum(attested_clean(item) for item in task_c)
    if attested < MINIMUM_ITEMS:
        problems.append(f"Only {attested} attested clean items; {MINIMUM_ITEMS} are needed")
    clean = sum(item.gold_icfr == "clean" for item in task_c)
    if task_c and not SHARE_OF_CLEAN[0] <= clean / len(task_c) <= SHARE_OF_CLEAN[1]:
        problems.append(f"The clean share of Task C is {clean / len(task_c):.0%}, outside 35-65 %")
    decisions = {(row.accession, row.cik): row.decision for row in pool}
    wanted = {"attested": "clean_attested", "management_only": "clean_management_only"}
    contradicted = [
        item.item_id
        for item in task_c
        if item.gold_icfr == "clean"
        and decisions.get((item.accession or "", item.cik or "")) != wanted.get(item.clean_rating or "")
    ]
    if contradicted:
        problems.append(f"{len(contradicted)} clean items are not decided clean, such as {contradicted[0]}")
    graded = [item.item_id for item in items if item.population == "sec_annual_report" and item.gradient_bearing]
    if graded:
        problems.append(f"{len(graded)} items from annual reports are marked as bearing a severity gradient")
    undrafted = [item.item_id for item in items if item.population == "synthetic_scenario" and not item.drafted_by]
    if undrafted:
        problems.append(f"{len(undrafted)} scenarios do not say who drafted them")
    ids = {item.item_id for item in items}
    orphans = [item.item_id for item in items if item.arm != "verbatim" and item.twin_of not in ids]
    if orphans:
        problems.append(f"{len(orphans)} twins have no original")
    halves = Counter(item.pair_id for item in items if item.pair_id)
    if any(count != 2 for count in halves.values()):
        problems.append("Scenario pairs are incomplete")
    return problems
