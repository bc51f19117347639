"""All candidate items of the four tasks, and what a reader must know of them as a set."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmark_pipeline.tables.clean_pool import CleanPoolRow
from benchmark_pipeline.tables.disclosures import IcfrAssertionRow, IcfrSectionRow, MaterialWeaknessRow
from benchmark_pipeline.tables.items import TASKS, ItemRow, ScenarioRow
from benchmark_pipeline.tables.sources import SingleAuditFindingRow

from .arms import DiagnosticArm, diagnostic_items
from .identity import link_replacements
from .labels import Labels, source_key
from .leak_filter import keyword_accuracy, keyword_icfr
from .masking import Names
from .selection import HARD_SHARE, NOTHING_KEPT, TARGETS, Keep, displaced
from .sentences import words
from .sources import deficient_weaknesses, join_filings
from .task_a import build_task_a
from .task_b import build_task_b
from .task_c import build_task_c, is_hard
from .task_d import build_task_d

MAX_SURFACE_AUC = 0.65
"""Above it a rule that looks at length alone, or at keywords alone, tells the classes of Task C apart."""
CLEAN_SHARE = (0.35, 0.65)


def build_candidates(
    *,
    decisions: Iterable[CleanPoolRow],
    assertions: Iterable[IcfrAssertionRow],
    sections: Iterable[IcfrSectionRow],
    weaknesses: Iterable[MaterialWeaknessRow],
    findings: Iterable[SingleAuditFindingRow],
    scenarios: Iterable[ScenarioRow],
    labels: Labels,
    items_per_registrant: int,
    targets: Mapping[str, int] = TARGETS,
    earlier: Iterable[ItemRow] = (),
    arms: Sequence[DiagnosticArm] = (),
    keep: Keep = NOTHING_KEPT,
) -> list[ItemRow]:
    """Every candidate of tasks A to D, in order of task and id.

    Args:
        decisions: the clean pool.
        assertions: what each annual report states.
        sections: controls sections.
        weaknesses: material weaknesses as described.
        findings: Single Audit findings.
        scenarios: Task B scenarios.
        labels: drafted labels.
        items_per_registrant: items of one task that one company may give.
        targets: items wanted by kind.
        earlier: candidates of the build before, for `replaces`.
        arms: diagnostic arms to add to Task C.
        keep: items chosen before. They decide only where a choice without them would lose one: so long as it does
            not, the items are a function of the sources alone.
    """
    filings = join_filings(decisions, assertions, sections)
    described = deficient_weaknesses(filings, weaknesses)
    usable_findings, pairs = list(findings), list(scenarios)

    def choose(kept: Keep) -> list[ItemRow]:
        return [
            *build_task_a(described, usable_findings, labels, items_per_registrant, targets=targets, keep=kept),
            *build_task_b(pairs),
            *build_task_c(filings, items_per_registrant, targets, kept),
            *build_task_d(described, labels, items_per_registrant, targets, kept),
        ]

    items = choose(NOTHING_KEPT)
    if displaced(items, keep):
        items = choose(keep)
    items = [_with_refusal(item, labels) for item in items]
    if arms:
        names = {
            (filing.decision.accession, filing.decision.cik): Names(
                filing.assertion.company_name, filing.assertion.auditor_name
            )
            for filing in filings
            if filing.assertion
        }
        items += diagnostic_items(items, arms, names)
    return sorted(link_replacements(items, earlier), key=lambda item: (item.task, item.arm, item.item_id))


def _with_refusal(item: ItemRow, labels: Labels) -> ItemRow:
    """An unlabelled candidate, with the reason why a model's proposal was refused where there was one."""
    why = labels.refused.get(source_key(item.source_ref)) if item.reject_reason == "no_label" else None
    return item if why is None else item.model_copy(update={"reject_detail": why})


def accepted(items: Iterable[ItemRow]) -> list[ItemRow]:
    """Candidates without a reject reason."""
    return [item for item in items if item.reject_reason is None]


def counts(items: Sequence[ItemRow]) -> list[dict[str, Any]]:
    """Candidates by task, with those accepted and those left out by reason."""
    rows = []
    for task in TASKS:
        own = [item for item in items if item.task == task]
        reasons = Counter(item.reject_reason for item in own if item.reject_reason)
        rows.append(
            {
                "task": task,
                "candidates": len(own),
                "accepted": len(accepted(own)),
                "left_out": ", ".join(f"{reason} {number}" for reason, number in sorted(reasons.items())),
            }
        )
    return rows


def composition(items: Sequence[ItemRow]) -> list[dict[str, Any]]:
    """Accepted items by task, arm, population and label source, with the most frequent strata of each."""
    groups: dict[tuple[str, str, str, str], list[ItemRow]] = defaultdict(list)
    for item in accepted(items):
        groups[item.task, item.arm, item.population, item.label_source].append(item)
    return [
        {
            "task": task,
            "arm": arm,
            "population": population,
            "label_source": label_source,
            "items": len(members),
            "strata": ", ".join(
                f"{tag} {count}"
                for tag, count in Counter(tag for item in members for tag in item.strata).most_common(12)
            ),
        }
        for (task, arm, population, label_source), members in sorted(groups.items())
    ]


def auc(scores: Sequence[tuple[float, bool]]) -> float | None:
    """Area under the ROC curve (Mann-Whitney, ties count a half); None where a class is empty."""
    positive = [score for score, truth in scores if truth]
    negative = [score for score, truth in scores if not truth]
    if not positive or not negative:
        return None
    wins = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    return wins / (len(positive) * len(negative))


def surface_baselines(items: Sequence[ItemRow]) -> dict[str, float | None]:
    """What can be told without understanding: AUC of length and of keywords on Task C, accuracy of keyword rules on A and D.

    The length AUC is folded to 0.5 and above: a rule that is wrong most of the time tells as much as one that is right.
    """
    task_c = [item for item in accepted(items) if item.task == "C" and item.arm == "verbatim"]
    length = auc([(float(len(words(item.text))), item.gold_icfr == "deficient") for item in task_c])
    keyword = auc([(float(keyword_icfr(item.text) == "deficient"), item.gold_icfr == "deficient") for item in task_c])
    task_a = [item for item in accepted(items) if item.task == "A"]
    audit = [item for item in task_a if item.gradient_bearing]
    return {
        "task_c_length_auc": None if length is None else max(length, 1 - length),
        "task_c_keyword_auc": None if keyword is None else max(keyword, 1 - keyword),
        "task_a_component_keyword_accuracy": keyword_accuracy(task_a, "component")[0],
        "task_a_severity_keyword_accuracy": keyword_accuracy(audit, "severity")[0],
        "task_d_component_keyword_accuracy": keyword_accuracy(
            [item for item in accepted(items) if item.task == "D"], "component"
        )[0],
    }


def clean_share(items: Sequence[ItemRow]) -> float | None:
    """Share of clean items among the accepted items of Task C; None where there are none."""
    task_c = [item for item in accepted(items) if item.task == "C" and item.arm == "verbatim"]
    return sum(item.gold_icfr == "clean" for item in task_c) / len(task_c) if task_c else None


def hard_share(items: Sequence[ItemRow], rating: str | None = None) -> float | None:
    """Share of clean items, of one rating or of all, in a hard stratum; None where there are none."""
    clean = [
        item
        for item in accepted(items)
        if item.task == "C" and item.arm == "verbatim" and item.gold_icfr == "clean"
        and rating in (None, item.clean_rating)
    ]  # fmt: skip
    return sum(is_hard(item) for item in clean) / len(clean) if clean else None


def hard_items_left_out(items: Sequence[ItemRow], rating: str) -> list[str]:
    """Hard clean items that could have been drawn and were not, where too few of the drawn ones are hard."""
    share = hard_share(items, rating)
    if share is None or share >= HARD_SHARE:
        return []
    return [
        item.item_id
        for item in items
        if item.arm == "verbatim" and item.clean_rating == rating and is_hard(item)
        and item.reject_reason == "not_sampled"
    ]  # fmt: skip
