"""Checks of the `items` stage. Blocking: no model is asked while one of them fails."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import dagster as dg

from benchmark_pipeline.assets.common import table_markdown
from benchmark_pipeline.assets.items import review_log
from benchmark_pipeline.items.agreement import agreement_by_task
from benchmark_pipeline.items.candidates import (
    CLEAN_SHARE,
    MAX_SURFACE_AUC,
    accepted,
    clean_share,
    hard_items_left_out,
    surface_baselines,
)
from benchmark_pipeline.items.item_rules import (
    incomplete,
    leaking,
    not_english,
    repeated_accessions,
    wrong_gold,
    wrong_gradient,
    wrong_ids,
    wrong_provenance,
)
from benchmark_pipeline.items.labeled import build_labeled
from benchmark_pipeline.items.leak_filter import MAX_KEYWORD_ACCURACY
from benchmark_pipeline.items.scenario_rules import validate
from benchmark_pipeline.items.sources import deficient_weaknesses, join_filings
from benchmark_pipeline.paraphrase.checks import failed
from benchmark_pipeline.paraphrase.drafts import ANOTHER_TWIN, NO_ITEM, UNREADABLE
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.clean_pool import CleanPoolRow
from benchmark_pipeline.tables.disclosures import MaterialWeaknessRow
from benchmark_pipeline.tables.items import TASKS, ItemReviewRow, ItemRow, ParaphraseRow, ScenarioRow
from benchmark_pipeline.tables.sources import SingleAuditFindingRow

SHOWN = 10
"""Examples listed in a check's metadata."""


def build(settings: Settings) -> list[dg.AssetChecksDefinition]:
    """The stage's checks for these settings."""

    @dg.asset_check(asset="scenarios", blocking=True)
    def every_scenario_pair_keeps_the_construction_rules(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """One sentence differs by at most fifteen words, lengths agree within a tenth, verdicts fit the kind of pair."""
        violations = [v for v in validate(lake.read(ScenarioRow, "scenarios")) if v.severity == "error"]
        return _result([f"{v.where}: {v.rule}: {v.explanation}" for v in violations])

    @dg.asset_check(asset="scenarios")
    def scenario_pairs_are_balanced_and_cover_the_plan(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Warns where verdicts are unbalanced, or an archetype, process or company size has no pair."""
        violations = [v for v in validate(lake.read(ScenarioRow, "scenarios")) if v.severity == "warning"]
        return _result([f"{v.rule}: {v.explanation}" for v in violations], warn=True)

    @dg.asset_check(asset="candidate_items", blocking=True)
    def every_item_id_is_unique_and_derives_from_its_text(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """No id twice, and each id is what task, source and text give."""
        return _result(wrong_ids(lake.read(ItemRow, "candidate_items")))

    @dg.asset_check(asset="candidate_items", blocking=True)
    def severity_stands_only_on_gradient_bearing_items(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """A severity is gold only where the source could have expressed another one; no filing's item can."""
        return _result(wrong_gradient(lake.read(ItemRow, "candidate_items")))

    @dg.asset_check(asset="candidate_items", blocking=True)
    def every_item_states_its_provenance_and_regime(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Jurisdiction and regime fit the population; drafted text names its drafter; a filing's item its accession."""
        return _result(wrong_provenance(accepted(lake.read(ItemRow, "candidate_items"))))

    @dg.asset_check(asset="candidate_items", blocking=True)
    def every_accepted_item_has_the_gold_of_its_task(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Task A a component, B a verdict, C a state with a rating on clean items, D a citation with evidence."""
        return _result(wrong_gold(accepted(lake.read(ItemRow, "candidate_items"))))

    @dg.asset_check(asset="candidate_items", blocking=True)
    def no_item_text_prints_its_own_label(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """After masking no component name, framework name or severity tier stands in a text whose gold it is."""
        return _result(leaking(accepted(lake.read(ItemRow, "candidate_items"))))

    @dg.asset_check(asset="candidate_items", blocking=True)
    def an_accession_gives_at_most_one_item_a_task(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Also where two registrants file one document: their section is one text."""
        return _result(repeated_accessions(accepted(lake.read(ItemRow, "candidate_items"))))

    @dg.asset_check(asset="candidate_items", blocking=True)
    def candidates_reconcile_with_their_sources(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Each decided filing, described weakness, usable finding and scenario half is exactly one candidate a task."""
        return _result(
            unreconciled(
                lake.read(ItemRow, "candidate_items"),
                lake.read(CleanPoolRow, "clean_pool"),
                lake.read(MaterialWeaknessRow, "material_weaknesses"),
                lake.read(SingleAuditFindingRow, "single_audit_findings"),
                lake.read(ScenarioRow, "scenarios"),
            )
        )

    @dg.asset_check(asset="candidate_items")
    def clean_share_lies_between_35_and_65_percent(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Warns where one class of Task C outweighs the other."""
        share = clean_share(lake.read(ItemRow, "candidate_items"))
        problems = [] if share is None or CLEAN_SHARE[0] <= share <= CLEAN_SHARE[1] else [f"clean share {share:.1%}"]
        return _result(problems, warn=True)

    @dg.asset_check(asset="candidate_items")
    def hard_strata_hold_30_percent_of_clean_items_where_there_are_enough(
        lake: dg.ResourceParam[Lake],
    ) -> dg.AssetCheckResult:
        """Warns where easy texts outnumber the hard ones (remediated, scope-out, weakness words) and hard ones are left."""
        items = lake.read(ItemRow, "candidate_items")
        left = [name for rating in ("attested", "management_only") for name in hard_items_left_out(items, rating)]
        return _result([f"{name} is hard and was not drawn" for name in left], warn=True)

    @dg.asset_check(asset="candidate_items", blocking=True)
    def every_item_text_reads_as_english(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """By its function words: the language column is proved by the text and not assumed."""
        return _result(not_english(accepted(lake.read(ItemRow, "candidate_items"))))

    @dg.asset_check(asset="candidate_items")
    def surface_rules_do_not_recover_the_gold(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Warns where length or keywords alone tell the answers: the benchmark would then measure reading of cues."""
        baselines = surface_baselines(lake.read(ItemRow, "candidate_items"))
        limits = {name: MAX_SURFACE_AUC if name.endswith("auc") else MAX_KEYWORD_ACCURACY for name in baselines}
        problems = [
            f"{name} is {value:.2f}, over {limits[name]:.2f}"
            for name, value in baselines.items()
            if value is not None and value > limits[name]
        ]
        return _result(problems, warn=True, **baselines)

    @dg.asset_check(asset="item_reviews", blocking=True)
    def every_record_of_the_review_log_is_accounted_for(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Records read are decisions in the table, exact repeats or refusals, and no reviewer is a model."""
        log = review_log(settings)
        rows = lake.read(ItemReviewRow, "item_reviews")
        known = {row.decision_id for row in log.decisions}
        problems = [
            f"{row.decision_id} is in the table and not in the log" for row in rows if row.decision_id not in known
        ]
        if log.records != len(log.decisions) + len(log.refused) + log.repeats:
            problems.append(f"{log.records} records, {len(log.decisions)} decisions, {len(log.refused)} refused")
        return _result(problems)

    @dg.asset_check(asset="item_reviews")
    def no_review_decision_was_refused(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Warns where the log holds records that cannot be a person's decision."""
        return _result([f"{r.decision_id}: {r.why}" for r in review_log(settings).refused], warn=True)

    @dg.asset_check(asset="item_reviews", additional_deps=["candidate_items"])
    def readers_agree_beyond_chance(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Warns where Krippendorff's alpha of a task is below 0.6 on ten items or more: the labelling guide is then revised."""
        found = agreement_by_task(
            lake.read(ItemReviewRow, "item_reviews"), accepted(lake.read(ItemRow, "candidate_items"))
        )
        low = [f"task {row.task}: alpha {row.agreement.alpha:.2f}" for row in found if row.too_low]
        return _result(low, warn=True, agreement=table_markdown([row.as_row() for row in found]))

    @dg.asset_check(asset="paraphrased_subset", blocking=True)
    def every_usable_paraphrase_keeps_all_blocking_invariants(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Twelve invariants a twin, none of the blocking ones failed where it may be used."""
        kept = {item.item_id for item in accepted(lake.read(ItemRow, "candidate_items"))}
        return _result(wrong_twins(lake.read(ParaphraseRow, "paraphrased_subset"), kept))

    @dg.asset_check(asset="labeled_items", blocking=True)
    def the_item_set_reconciles_with_candidates_twins_and_reviews(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Accepted candidates plus usable twins less what reviewers rejected, with the review state of the log alone."""
        return _result(
            unlabeled(
                lake.read(ItemRow, "labeled_items"),
                lake.read(ItemRow, "candidate_items"),
                lake.read(ParaphraseRow, "paraphrased_subset"),
                lake.read(ItemReviewRow, "item_reviews"),
            )
        )

    @dg.asset_check(asset="labeled_items", blocking=True)
    def every_scenario_pair_and_every_twin_is_complete(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Both halves of a pair, and the verbatim item of a twin, are in the set."""
        return _result(incomplete(lake.read(ItemRow, "labeled_items")))

    return [
        every_scenario_pair_keeps_the_construction_rules,
        scenario_pairs_are_balanced_and_cover_the_plan,
        every_item_id_is_unique_and_derives_from_its_text,
        severity_stands_only_on_gradient_bearing_items,
        every_item_states_its_provenance_and_regime,
        every_accepted_item_has_the_gold_of_its_task,
        no_item_text_prints_its_own_label,
        an_accession_gives_at_most_one_item_a_task,
        candidates_reconcile_with_their_sources,
        clean_share_lies_between_35_and_65_percent,
        hard_strata_hold_30_percent_of_clean_items_where_there_are_enough,
        every_item_text_reads_as_english,
        surface_rules_do_not_recover_the_gold,
        every_record_of_the_review_log_is_accounted_for,
        no_review_decision_was_refused,
        readers_agree_beyond_chance,
        every_usable_paraphrase_keeps_all_blocking_invariants,
        the_item_set_reconciles_with_candidates_twins_and_reviews,
        every_scenario_pair_and_every_twin_is_complete,
    ]


def unreconciled(
    items: Sequence[ItemRow],
    decisions: Sequence[CleanPoolRow],
    weaknesses: Sequence[MaterialWeaknessRow],
    findings: Sequence[SingleAuditFindingRow],
    scenarios: Sequence[ScenarioRow],
) -> list[str]:
    """Tasks whose candidates are not as many as their sources."""
    described = len(deficient_weaknesses(join_filings(decisions, (), ()), weaknesses))
    usable = sum(row.reject_reason is None for row in findings)
    wanted = {
        "A": described + usable,
        "B": len(scenarios),
        "C": sum(row.decision != "excluded" for row in decisions),
        "D": described,
    }
    found = Counter(item.task for item in items if item.arm == "verbatim")
    return [
        f"task {task}: {found[task]} candidates, {wanted[task]} sources"
        for task in TASKS
        if found[task] != wanted[task]
    ]


def wrong_twins(twins: Iterable[ParaphraseRow], kept: Collection[str]) -> list[str]:
    """Twins whose state contradicts their checks, or the set (`kept`: ids of accepted candidates)."""
    problems = []
    rows = list(twins)
    usable = Counter(twin.twin_of for twin in rows if twin.status == "usable")
    problems += [f"{name} has {count} usable twins" for name, count in usable.items() if count > 1]
    problems += [
        f"{twin.item_id} gives way to another twin, and there is none"
        for twin in rows
        if ANOTHER_TWIN in twin.reject_reasons and not usable[twin.twin_of]
    ]
    for twin in rows:
        reasons = [*([] if twin.twin_of in kept else [NO_ITEM]), *failed(twin.invariants)]
        if len({result.name for result in twin.invariants}) != (0 if twin.twin_of is None else 12):
            problems.append(f"{twin.item_id} has {len(twin.invariants)} invariants")
        stated = [why for why in twin.reject_reasons if why != ANOTHER_TWIN and not why.startswith(UNREADABLE)]
        if (twin.status == "usable") != (not twin.reject_reasons) or reasons != stated:
            problems.append(f"{twin.item_id} is {twin.status} with failed checks {', '.join(reasons) or 'none'}")
    return problems


def unlabeled(
    labeled: Sequence[ItemRow],
    candidates: Sequence[ItemRow],
    twins: Sequence[ParaphraseRow],
    decisions: Sequence[ItemReviewRow],
) -> list[str]:
    """Differences between the item set and what its sources give."""
    wanted = build_labeled(candidates, twins, decisions)
    problems = []
    if wanted.candidates + wanted.twins != len(wanted.items) + len(wanted.rejected_by_reviewers):
        problems.append(
            f"{wanted.candidates} candidates and {wanted.twins} twins, but {len(wanted.items)} items "
            f"and {len(wanted.rejected_by_reviewers)} rejected"
        )
    have = {item.item_id: item for item in labeled}
    expected = {item.item_id: item for item in wanted.items}
    problems += [f"{name} is missing" for name in sorted(expected.keys() - have.keys())]
    problems += [f"{name} does not belong" for name in sorted(have.keys() - expected.keys())]
    problems += [
        f"{name}: review status {have[name].review_status}, the log gives {expected[name].review_status}"
        for name in sorted(have.keys() & expected.keys())
        if have[name].review_status != expected[name].review_status
    ]
    return problems


def _result(problems: Sequence[str], *, warn: bool = False, **metadata: Any) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        passed=not problems,
        severity=dg.AssetCheckSeverity.WARN if warn else dg.AssetCheckSeverity.ERROR,
        description="; ".join(problems[:3]) if problems else None,
        metadata={"problems": list(problems[:SHOWN]), "found": len(problems), **metadata},
    )
