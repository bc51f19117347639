"""What must hold before a dataset may be called a release: one rule each, with the items that break it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from benchmark_pipeline.icfr.decision_order import CONTRADICTING, stands
from benchmark_pipeline.icfr.evidence_review import resolve_rows
from benchmark_pipeline.items.identity import text_sha256
from benchmark_pipeline.items.item_rules import (
    incomplete,
    leaking,
    repeated_accessions,
    wrong_gold,
    wrong_gradient,
    wrong_provenance,
)
from benchmark_pipeline.items.reviews import ReviewState, review_states
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow, EvidenceAnswerRow
from benchmark_pipeline.tables.items import ItemReviewRow, ItemRow

from .headline import MINIMUM_ITEMS
from .holdout import is_held_out
from .measures import attested_clean
from .results import REVIEWED

WANTED_ITEMS = 300
"""Attested clean items below which the headline's interval is wide: at 5 % observed it reaches from 3 to 8 %."""
SHARE_OF_CLEAN = (0.35, 0.65)
"""Bounds of the clean share of Task C, so that neither constant answer looks good."""
CANARY = "ICFR-BENCH-CANARY-7b1f2c1e-3f0a-4c55-9d0e-52a6f3a1c9d4"
"""Stands in every data file of a release and never in what a model is asked: a model that completes it has been trained
on the files."""


@dataclass(frozen=True)
class GateInput:
    """What the gate judges."""

    items: Sequence[ItemRow]
    pool: Sequence[CleanPoolRow]
    decisions: Sequence[ItemReviewRow]
    """Human decisions, of which the review states must follow."""
    prompts: Sequence[str] = ()
    """Templates that items are put into."""
    evidence: Sequence[ContradictingEvidenceRow] = ()
    """Evidence about the filings of the pool."""
    answers: Sequence[EvidenceAnswerRow] = ()
    """Answers to questions on that evidence."""
    holdout_share: float = 0.0
    """Share of companies whose items are private."""

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
    """What breaks it: ids of items, with the reason where the rule has several, or a number in words."""


@dataclass(frozen=True)
class Finding:
    """A rule that is broken."""

    rule: str
    problem: str
    offenders: tuple[str, ...]


def findings(given: GateInput) -> list[Finding]:
    """Every broken rule, with all its offenders; empty where the items may be released."""
    return _broken(GATE, given)


def warnings(given: GateInput) -> list[Finding]:
    """What a reader of the results should know and what stops no release."""
    return _broken(WARNINGS, given)


def _broken(rules: Sequence[Rule], given: GateInput) -> list[Finding]:
    broken = []
    for rule in rules:
        if found := rule.offenders(given):
            said = rule.says.format(count=len(found), total=len(given.items), first=found[0])
            broken.append(Finding(rule.name, said, tuple(found)))
    return broken


def _misfits(given: GateInput) -> list[str]:
    found = []
    for item in given.items:
        try:
            ItemRow.model_validate(item.model_dump(warnings=False))
        except ValidationError as error:
            columns = sorted({str(problem["loc"][0]) for problem in error.errors() if problem["loc"]})
            found.append(f"{item.item_id}: {', '.join(columns)}")
    return found


def _undecided(given: GateInput) -> list[str]:
    states, _ = review_states(given.decisions, given.items)
    return [item.item_id for item in given.items if not _follows(item, states.get(item.item_id))]


def _follows(item: ItemRow, state: ReviewState | None) -> bool:
    """Whether the item's review stamp is what the decisions give; `review_states` asks for enough readers."""
    if state is None or state.status not in REVIEWED or item.review_status != state.status:
        return False
    if list(item.reviewed_by) != list(state.reviewers):
        return False
    values = item.model_dump(mode="json", warnings=False)
    return all(values[name] == value for name, value in state.changes.items()) and (
        not state.changes or item.label_source == "human"
    )


def _repeated(given: GateInput) -> list[str]:
    return sorted(key for key, count in Counter(item.item_id for item in given.items).items() if count > 1)


def _other_text(given: GateInput) -> list[str]:
    return [item.item_id for item in given.items if text_sha256(item.text) != item.text_sha256]


def _too_few_attested(given: GateInput) -> list[str]:
    attested = sum(attested_clean(item) for item in given.task_c)
    return [str(attested)] if attested < MINIMUM_ITEMS else []


def _fewer_than_wanted(given: GateInput) -> list[str]:
    attested = sum(attested_clean(item) for item in given.task_c)
    return [str(attested)] if attested < WANTED_ITEMS else []


def _unbalanced(given: GateInput) -> list[str]:
    items = given.task_c
    share = sum(item.gold_icfr == "clean" for item in items) / len(items) if items else 0.5
    return [] if SHARE_OF_CLEAN[0] <= share <= SHARE_OF_CLEAN[1] else [f"{share:.0%}"]


def _unrated(given: GateInput) -> list[str]:
    return [item.item_id for item in given.items if item.gold_icfr == "clean" and item.clean_rating is None]


def _contradicted(given: GateInput) -> list[str]:
    decisions = {(row.accession, row.cik): row.decision for row in given.pool}
    against = {(row.accession, row.cik) for row in given.evidence if row.code in (*CONTRADICTING, "E8") and stands(row)}
    wanted = {"attested": "clean_attested", "management_only": "clean_management_only"}
    found = []
    for item in given.task_c:
        key = (item.accession or "", item.cik or "")
        rests_on = wanted.get(item.clean_rating or "", "clean")
        if item.gold_icfr == "clean" and (decisions.get(key) != rests_on or key in against):
            found.append(item.item_id)
    return found


def _resolved_otherwise(given: GateInput) -> list[str]:
    again = resolve_rows(given.evidence, given.answers)
    return [
        row.evidence_id for row, fresh in zip(given.evidence, again, strict=True) if row.resolution != fresh.resolution
    ]


def _held_out(given: GateInput) -> list[str]:
    return [item.item_id for item in given.items if is_held_out(item.company_key, given.holdout_share)]


def _canary_in_input(given: GateInput) -> list[str]:
    found = [item.item_id for item in given.items if CANARY in item.text]
    return found + ["a prompt template" for template in given.prompts if CANARY in template]


GATE: tuple[Rule, ...] = (
    Rule("there_are_items", "There is no item", lambda given: [] if given.items else ["none"]),
    Rule("every_item_fits_the_schema", "{count} items do not fit the schema, such as {first}", _misfits),
    Rule("every_item_has_its_human_decisions", "{count} of {total} items have no human decision", _undecided),
    Rule("item_ids_are_unique", "{count} item ids occur twice, such as {first}", _repeated),
    Rule("every_text_is_the_text_that_was_hashed", "{count} texts differ from their hash, such as {first}", _other_text),
    Rule("an_accession_gives_one_item_a_task", "{count} filings give two items of a task: {first}",
         lambda given: repeated_accessions(given.items)),
    Rule("every_item_states_its_provenance", "{count} items do not state their provenance: {first}",
         lambda given: wrong_provenance(given.items)),
    Rule("every_item_has_the_gold_of_its_task", "{count} items lack the gold of their task: {first}",
         lambda given: wrong_gold(given.items)),
    Rule("every_clean_item_is_rated", "{count} clean items do not say who concluded, such as {first}", _unrated),
    Rule("there_are_enough_attested_clean_items", f"Only {{first}} attested clean items; {MINIMUM_ITEMS} are needed",
         _too_few_attested),
    Rule("clean_and_deficient_are_balanced", "The clean share of Task C is {first}, outside 35-65 %", _unbalanced),
    Rule("no_clean_item_is_contradicted", "{count} clean items are contradicted or not decided clean, such as {first}",
         _contradicted),
    Rule("every_answer_on_evidence_is_a_persons", "{count} rows of evidence are resolved otherwise than people answered, "
         "such as {first}", _resolved_otherwise),
    Rule("severity_stands_only_where_it_could_differ", "{count} items bear a severity that their source could not grade: {first}",
         lambda given: wrong_gradient(given.items)),
    Rule("every_scenario_pair_and_every_twin_is_complete", "{count} pairs or twins are incomplete: {first}",
         lambda given: incomplete(given.items)),
    Rule("no_text_prints_its_own_label", "{count} texts state their own label: {first}",
         lambda given: leaking(given.items)),
    Rule("no_model_input_holds_the_canary", "The canary stands in {first}", _canary_in_input),
    Rule("no_held_out_item_is_published", "{count} items belong to the private hold-out, such as {first}", _held_out),
)  # fmt: skip
"""All rules, in the order in which they are reported."""
WARNINGS: tuple[Rule, ...] = (
    Rule("there_are_300_attested_clean_items", f"Only {{first}} attested clean items: with fewer than {WANTED_ITEMS} the "
         "headline's interval is wide", _fewer_than_wanted),
)  # fmt: skip
"""Rules that warn."""
