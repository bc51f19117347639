"""What must hold before a dataset may be called a release: one rule each, with the items that break it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmark_pipeline.items.identity import text_sha256
from benchmark_pipeline.items.leak_filter import Gold, leaks
from benchmark_pipeline.items.reviews import ReviewState, review_states
from benchmark_pipeline.tables.clean_pool import CleanPoolRow
from benchmark_pipeline.tables.items import ItemReviewRow, ItemRow

from .headline import MINIMUM_ITEMS
from .measures import attested_clean
from .results import REVIEWED

SHARE_OF_CLEAN = (0.35, 0.65)
"""Bounds of the clean share of Task C, so that neither constant answer looks good."""
CANARY = "ICFR-BENCH-CANARY-7b1f2c1e-3f0a-4c55-9d0e-52a6f3a1c9d4"
"""Stands in every data file of a release and never in what a model is asked: a model that completes it has been trained
on the files."""
_REGIME = {"sec_annual_report": "sox_404", "single_audit": "uniform_guidance", "synthetic_scenario": "none"}


@dataclass(frozen=True)
class GateInput:
    """What the gate judges."""

    items: Sequence[ItemRow]
    pool: Sequence[CleanPoolRow]
    decisions: Sequence[ItemReviewRow]
    """Human decisions, of which the review states must follow."""
    prompts: Sequence[str] = ()
    """Templates that items are put into."""

    @property
    def task_c(self) -> list[ItemRow]:
        """Task C as filed."""
        return [item for item in self.items if item.task == "C" and item.arm == "verbatim"]


@dataclass(frozen=True)
class Rule:
    """One condition of a release."""

    name: str
    """Reads as a sentence."""
    says: str
    """What is wrong where it is broken; `{count}` of `{total}` items."""
    offenders: Callable[[GateInput], list[str]]
    """Ids of the items that break it, or a number in words where no single item does."""


@dataclass(frozen=True)
class Finding:
    """A rule that is broken."""

    rule: str
    problem: str
    offenders: tuple[str, ...]


def findings(given: GateInput) -> list[Finding]:
    """Every broken rule, with all its offenders."""
    broken = []
    for rule in GATE:
        if found := rule.offenders(given):
            said = rule.says.format(count=len(found), total=len(given.items), first=found[0])
            broken.append(Finding(rule.name, said, tuple(found)))
    return broken


def gate(given: GateInput) -> list[str]:
    """Every reason why these items may not be released, in words; empty where they may."""
    return [finding.problem for finding in findings(given)]


def _undecided(given: GateInput) -> list[str]:
    states, _ = review_states(given.decisions, given.items)
    return [item.item_id for item in given.items if not _follows(item, states.get(item.item_id))]


def _follows(item: ItemRow, state: ReviewState | None) -> bool:
    """Whether the item's review stamp is what the decisions give; `review_states` asks for enough readers."""
    if state is None or state.status not in REVIEWED or item.review_status != state.status:
        return False
    if list(item.reviewed_by) != list(state.reviewers):
        return False
    values = item.model_dump(mode="json")
    return all(values[name] == value for name, value in state.changes.items()) and (
        not state.changes or item.label_source == "human"
    )


def _repeated(given: GateInput) -> list[str]:
    return sorted(key for key, count in Counter(item.item_id for item in given.items).items() if count > 1)


def _other_text(given: GateInput) -> list[str]:
    return [item.item_id for item in given.items if text_sha256(item.text) != item.text_sha256]


def _second_of_accession(given: GateInput) -> list[str]:
    found: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for item in given.items:
        if item.accession:
            found[(item.task, item.arm, item.accession)].append(item.item_id)
    return [name for names in found.values() for name in sorted(names)[1:]]


def _without_provenance(given: GateInput) -> list[str]:
    return [
        item.item_id
        for item in given.items
        if item.regime != _REGIME[item.population]
        or len(item.jurisdiction) != 2
        or (item.population == "sec_annual_report" and not (item.accession and item.cik))
        or (item.population == "synthetic_scenario" and not item.drafted_by)
        or (item.label_source == "llm_draft_human_verified" and not item.drafted_by)
    ]


def _too_few_attested(given: GateInput) -> list[str]:
    attested = sum(attested_clean(item) for item in given.task_c)
    return [str(attested)] if attested < MINIMUM_ITEMS else []


def _unbalanced(given: GateInput) -> list[str]:
    items = given.task_c
    share = sum(item.gold_icfr == "clean" for item in items) / len(items) if items else 0.5
    return [] if SHARE_OF_CLEAN[0] <= share <= SHARE_OF_CLEAN[1] else [f"{share:.0%}"]


def _contradicted(given: GateInput) -> list[str]:
    decisions = {(row.accession, row.cik): row.decision for row in given.pool}
    wanted = {"attested": "clean_attested", "management_only": "clean_management_only"}
    return [
        item.item_id
        for item in given.task_c
        if item.gold_icfr == "clean"
        and decisions.get((item.accession or "", item.cik or "")) != wanted.get(item.clean_rating or "")
    ]


def _graded(given: GateInput) -> list[str]:
    return [item.item_id for item in given.items if item.population == "sec_annual_report" and item.gradient_bearing]


def _orphans(given: GateInput) -> list[str]:
    ids = {item.item_id for item in given.items}
    return [item.item_id for item in given.items if item.arm != "verbatim" and item.twin_of not in ids]


def _halves(given: GateInput) -> list[str]:
    pairs: dict[str, list[str]] = defaultdict(list)
    for item in given.items:
        if item.pair_id:
            pairs[item.pair_id].append(item.pair_role or "")
    return [pair for pair, roles in pairs.items() if sorted(roles) != ["control", "variant"]]


def _leaking(given: GateInput) -> list[str]:
    found = []
    for item in given.items:
        golds: list[Gold] = ["component"] if item.task in ("A", "D") else []
        golds += ["severity"] if item.task == "A" and item.gradient_bearing else []
        if leaks(item.text, *golds):
            found.append(item.item_id)
    return found


def _canary_in_input(given: GateInput) -> list[str]:
    found = [item.item_id for item in given.items if CANARY in item.text]
    return found + ["a prompt template" for template in given.prompts if CANARY in template]


GATE: tuple[Rule, ...] = (
    Rule("there_are_items", "There is no item", lambda given: [] if given.items else ["none"]),
    Rule("every_item_has_its_human_decisions", "{count} of {total} items have no human decision", _undecided),
    Rule("item_ids_are_unique", "{count} item ids occur twice, such as {first}", _repeated),
    Rule("every_text_is_the_text_that_was_hashed", "{count} texts differ from their hash, such as {first}", _other_text),
    Rule("an_accession_gives_one_item_a_task", "{count} items share task and filing with another, such as {first}",
         _second_of_accession),
    Rule("every_item_states_its_provenance", "{count} items do not state their provenance, such as {first}",
         _without_provenance),
    Rule("there_are_enough_attested_clean_items", f"Only {{first}} attested clean items; {MINIMUM_ITEMS} are needed",
         _too_few_attested),
    Rule("clean_and_deficient_are_balanced", "The clean share of Task C is {first}, outside 35-65 %", _unbalanced),
    Rule("no_clean_item_is_contradicted", "{count} clean items are not decided clean, such as {first}", _contradicted),
    Rule("no_annual_report_bears_a_severity_gradient",
         "{count} items from annual reports are marked as bearing a severity gradient", _graded),
    Rule("every_twin_has_its_original", "{count} twins have no original", _orphans),
    Rule("every_scenario_pair_is_complete", "Scenario pairs are incomplete", _halves),
    Rule("no_text_prints_its_own_label", "{count} texts state their own label, such as {first}", _leaking),
    Rule("no_model_input_holds_the_canary", "The canary stands in {first}", _canary_in_input),
)  # fmt: skip
"""All rules, in the order in which they are reported."""
