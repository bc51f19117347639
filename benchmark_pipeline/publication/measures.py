"""The measures of each task: which items they are about, what counts as a success, and what a failure does.

Every measure is a rate. Where failures are misses, silence cannot improve it; the false-positive rate alone leaves
them out, which is why the failure rate and both bounds are printed beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from benchmark_pipeline.statistics.clusters import ClusterCounts, cluster_counts
from benchmark_pipeline.tables.evaluation import ScoreRow
from benchmark_pipeline.tables.items import ItemRow, Task

from .results import Result


@dataclass(frozen=True)
class Measure:
    """One rate of one task."""

    task: Task
    name: str
    applies: Callable[[ItemRow], bool]
    """Which items of the task it is about."""
    success: Callable[[ScoreRow], bool | None]
    """Whether a call succeeded; None where the measure does not apply to the answer."""
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
    "C", "false_positive_rate", attested_clean, lambda s: s.flagged_deficient, False,
    "Attested clean disclosures that the model called deficient, of those it answered.",
)  # fmt: skip
MANAGEMENT_ONLY_RATE = Measure(
    "C", "false_positive_rate_management_only", management_only_clean, lambda s: s.flagged_deficient, False,
    "The same on disclosures that no auditor stands behind: the weaker measurement.",
)  # fmt: skip
RECALL = Measure(
    "C", "recall", deficient, lambda s: s.true_positive, True,
    "Deficient disclosures that the model called deficient, of all asked.",
)  # fmt: skip

MEASURES: tuple[Measure, ...] = (
    FALSE_POSITIVE_RATE,
    MANAGEMENT_ONLY_RATE,
    RECALL,
    Measure("C", "accuracy", lambda i: True, lambda s: s.correct, True, "Verdicts that equal the label."),
    Measure("A", "component_primary", lambda i: True, lambda s: s.component_correct, True,
            "COSO component equals the primary label."),
    Measure("A", "component_accepted", lambda i: True, lambda s: s.component_accepted, True,
            "COSO component is one of the accepted labels."),
    Measure("A", "severity", lambda i: i.gradient_bearing and i.gold_severity is not None,
            lambda s: s.severity_correct, True,
            "Severity tier is right, on sources that could have stated another."),
    Measure("B", "verdict", lambda i: True, lambda s: s.correct, True,
            "Design called effective or not as the stated facts demand."),
    Measure("B", "gap_type", lambda i: i.gold_effective is False, lambda s: s.gap_type_correct, False,
            "Kind of gap is right, of the gaps that were seen as gaps."),
    Measure("B", "severity", lambda i: i.gold_severity is not None, lambda s: s.severity_correct, True,
            "Severity tier of the gap is right."),
    Measure("D", "citation_accepted", lambda i: True, lambda s: s.correct, True, "Reference is one of the accepted ones."),
    Measure("D", "citation_exact", lambda i: True, lambda s: s.citation_exact, True, "Reference is the primary one."),
    Measure("D", "citation_hallucinated", lambda i: True, lambda s: s.citation_hallucinated, False,
            "Reference does not exist, of the answers given."),
    Measure("D", "citation_abstained", lambda i: True, lambda s: s.citation_abstained, False,
            "The model answered that no reference fits, of the answers given."),
    Measure("D", "component_primary", lambda i: True, lambda s: s.component_correct, True,
            "COSO component equals the primary label."),
    Measure("D", "evidence_exact", lambda i: True, lambda s: s.evidence_exact, True,
            "The quoted words stand in the passage."),
    Measure("D", "evidence_hit", lambda i: bool(i.gold_evidence), lambda s: s.evidence_hit, True,
            "The quoted words cover half or more of a marked span."),
)  # fmt: skip
"""Every rate of the report; the first is the headline."""


def splits(item: ItemRow) -> list[tuple[str, str]]:
    """Every (split by, split) that an item belongs to. Strata overlap, the others partition the items."""
    found = [
        ("all", "all"),
        ("label_source", item.label_source),
        ("population", item.population),
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


def answered_outcomes(measure: Measure, results: Iterable[Result]) -> list[tuple[Result, bool]]:
    """The results that enter a measure's denominator, with their success."""
    found = []
    for result in results:
        if not measure.applies(result.item) or result.missing:
            continue
        success = measure.success(result.score) if result.answered and result.score else None
        if success is not None or measure.failures_are_misses:
            found.append((result, bool(success)))
    return found


def counts_of(outcomes: Iterable[tuple[Result, bool]]) -> ClusterCounts:
    """Outcomes counted by company."""
    return cluster_counts((result.item.company_key, success) for result, success in outcomes)
