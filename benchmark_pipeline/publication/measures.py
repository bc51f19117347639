"""The measures of each task: which items they are about, what counts as a success, and what a failure does.

Every measure is a rate. Where failures are misses, silence cannot improve it; the false-positive rate alone leaves
them out, which is why the failure rate and both bounds are printed beside it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from benchmark_pipeline.statistics.clusters import ClusterCounts, counts_by_code
from benchmark_pipeline.tables.items import ItemRow, Task

from .results import ItemSet, Positions, Run


@dataclass(frozen=True)
class Measure:
    """One rate of one task."""

    task: Task
    name: str
    applies: Callable[[ItemRow], bool]
    """Which items of the task it is about."""
    success: str
    """Column of the scores that says whether a call succeeded; null where the measure does not apply to the answer."""
    failures_are_misses: bool
    """Failed calls and answers to which the measure does not apply stay in the denominator."""
    meaning: str
    """One sentence for a reader."""


def attested_clean(item: ItemRow) -> bool:
    """The items of the headline: clean with an auditor's ICFR opinion, as filed."""
    return item.task == "C" and item.gold_icfr == "clean" and item.clean_rating == "attested"


def management_only_clean(item: ItemRow) -> bool:
    """Clean on management's word alone."""
    return item.task == "C" and item.gold_icfr == "clean" and item.clean_rating == "management_only"


def deficient(item: ItemRow) -> bool:
    """Management or the auditor states a material weakness."""
    return item.task == "C" and item.gold_icfr == "deficient"


FALSE_POSITIVE_RATE = Measure(
    "C", "false_positive_rate", attested_clean, "flagged_deficient", False,
    "Attested clean disclosures that the model called deficient, of those it answered.",
)  # fmt: skip
MANAGEMENT_ONLY_RATE = Measure(
    "C", "false_positive_rate_management_only", management_only_clean, "flagged_deficient", False,
    "The same on disclosures that no auditor stands behind: the weaker measurement.",
)  # fmt: skip
RECALL = Measure(
    "C", "recall", deficient, "true_positive", True,
    "Deficient disclosures that the model called deficient, of all asked.",
)  # fmt: skip

MEASURES: tuple[Measure, ...] = (
    FALSE_POSITIVE_RATE,
    MANAGEMENT_ONLY_RATE,
    RECALL,
    Measure("C", "accuracy", lambda i: True, "correct", True, "Verdicts that equal the label."),
    Measure("A", "component_primary", lambda i: True, "component_correct", True,
            "COSO component equals the primary label."),
    Measure("A", "component_accepted", lambda i: True, "component_accepted", True,
            "COSO component is one of the accepted labels."),
    Measure("A", "severity", lambda i: i.gradient_bearing and i.gold_severity is not None,
            "severity_correct", True,
            "Severity tier is right, on sources that could have stated another."),
    Measure("B", "verdict", lambda i: True, "correct", True,
            "Design called effective or not as the stated facts demand."),
    Measure("B", "gap_type", lambda i: i.gold_effective is False, "gap_type_correct", False,
            "Kind of gap is right, of the gaps that were seen as gaps."),
    Measure("B", "severity", lambda i: i.gold_severity is not None, "severity_correct", True,
            "Severity tier of the gap is right."),
    Measure("D", "citation_accepted", lambda i: True, "correct", True, "Reference is one of the accepted ones."),
    Measure("D", "citation_exact", lambda i: True, "citation_exact", True, "Reference is the primary one."),
    Measure("D", "citation_hallucinated", lambda i: True, "citation_hallucinated", False,
            "Reference does not exist, of the answers given."),
    Measure("D", "citation_abstained", lambda i: True, "citation_abstained", False,
            "The model answered that no reference fits, of the answers given."),
    Measure("D", "component_primary", lambda i: True, "component_correct", True,
            "COSO component equals the primary label."),
    Measure("D", "evidence_exact", lambda i: True, "evidence_exact", True,
            "The quoted words stand in the passage."),
    Measure("D", "evidence_hit", lambda i: bool(i.gold_evidence), "evidence_hit", True,
            "The quoted words cover half or more of a marked span."),
)  # fmt: skip
"""Every rate of the report; the first is the headline."""


def splits(item: ItemRow) -> list[tuple[str, str]]:
    """Every (split by, split) that an item belongs to. Strata overlap, the others partition the items."""
    found = [
        ("all", "all"),
        ("label_source", item.label_source),
        ("population", item.population),
        ("jurisdiction", item.jurisdiction),
        ("review_status", item.review_status),
        ("touches_itgc", "yes" if item.touches_itgc else "no"),
    ]
    optional = {
        "drafted_by": item.drafted_by,
        "form": item.form,
        "seasoning_tier": item.seasoning_tier,
        "sic_division": item.sic_division,
        "fiscal_year": str(item.fiscal_year) if item.fiscal_year is not None else None,
        "pair_kind": item.pair_kind,
    }
    found += [(by, value) for by, value in optional.items() if value is not None]
    if item.form is not None:
        found.append(("issuer", "foreign" if item.form in ("20-F", "40-F") else "domestic"))
    found += [("stratum", stratum) for stratum in item.strata]
    return found


@dataclass(frozen=True)
class Selection:
    """Items of one cell of a measure, with their companies numbered from 0."""

    by: str
    split: str
    positions: Positions
    company: Positions


def selections(measure: Measure, items: ItemSet) -> list[Selection]:
    """The cells of a measure: the items as filed by every split, and each other arm as a split of its own."""
    key = f"measure {measure.task} {measure.name}"
    if key not in items.cache:
        cells: dict[tuple[str, str], list[int]] = defaultdict(list)
        for at in np.flatnonzero(items.task == measure.task).tolist():
            item = items.items[at]
            if not measure.applies(item):
                continue
            cells["arm", item.arm].append(at)
            if item.arm == "verbatim":
                for split in splits(item):
                    cells[split].append(at)
        items.cache[key] = [select(items, np.array(found), *cell) for cell, found in sorted(cells.items())]
    return cast("list[Selection]", items.cache[key])


def select(items: ItemSet, positions: Positions, by: str = "all", split: str = "all") -> Selection:
    """A cell of the given items."""
    return Selection(by, split, positions, items.local(positions))


def headline_selection(measure: Measure, items: ItemSet) -> Selection:
    """All items of a measure as filed."""
    for cell in selections(measure, items):
        if (cell.by, cell.split) == ("all", "all"):
            return cell
    return select(items, np.zeros(0, dtype=np.int64))


def outcomes(measure: Measure, run: Run, cell: Selection) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """For each item of a cell: whether it is in the measure's denominator, and whether the call succeeded."""
    found = run.verdict(measure.success)[cell.positions]
    counted = ~run.absent[cell.positions] & (measure.failures_are_misses | (found >= 0))
    return counted, found == 1


def bounds_of(measure: Measure, run: Run, cell: Selection, counts: ClusterCounts) -> tuple[float, float] | None:
    """The measure if no failed call had succeeded, and if all had; None where nothing was asked.

    A failed call stands in the denominator of both, so that two models are bounded on the same items.
    """
    failures = int(run.failed[cell.positions].sum())
    asked = counts.trials + (0 if measure.failures_are_misses else failures)
    return (counts.successes / asked, (counts.successes + failures) / asked) if asked else None


def counts_of(measure: Measure, run: Run, cell: Selection) -> ClusterCounts:
    """The measure's counts by company."""
    counted, success = outcomes(measure, run, cell)
    return counts_by_code(cell.company[counted], success[counted])
