"""Assets of the `items` stage: scenarios, candidate items, human decisions, paraphrase twins, and the item set."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Any

import dagster as dg

from benchmark_pipeline.drafting.entailment import judgements
from benchmark_pipeline.drafting.labels import proposed_labels
from benchmark_pipeline.drafting.log import read_drafts
from benchmark_pipeline.drafting.paraphrases import paraphrase_drafts, sections_to_paraphrase
from benchmark_pipeline.drafting.prompts import load_prompt
from benchmark_pipeline.evaluation.model_registry import load_registry
from benchmark_pipeline.icfr.conclusion import read_conclusion
from benchmark_pipeline.icfr.evidence_review import LOG_NAME, read_answers
from benchmark_pipeline.items.candidates import (
    build_candidates,
    clean_share,
    composition,
    counts,
    hard_share,
    surface_baselines,
)
from benchmark_pipeline.items.labeled import build_labeled
from benchmark_pipeline.items.labels import Labels, ProposedLabel, load_labels
from benchmark_pipeline.items.masking import Names
from benchmark_pipeline.items.reviews import ReviewLog, read_reviews
from benchmark_pipeline.items.scenario_rules import coverage, validate
from benchmark_pipeline.items.scenarios import load_scenarios
from benchmark_pipeline.items.selection import TARGETS, displaced, kept_items, released_items
from benchmark_pipeline.items.sources import BUILDER_VERSION
from benchmark_pipeline.paraphrase.drafts import Twins, build_twins, load_drafts, one_twin_an_item, with_review_status
from benchmark_pipeline.resources.drafts import draft
from benchmark_pipeline.resources.model_client import ModelClient
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import AppendLog, Lake
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, EvidenceAnswerRow
from benchmark_pipeline.tables.disclosures import IcfrAssertionRow, IcfrSectionRow, MaterialWeaknessRow
from benchmark_pipeline.tables.items import ItemReviewRow, ItemRow, ParaphraseRow, ScenarioRow
from benchmark_pipeline.tables.sources import SingleAuditFindingRow

from .common import logging_progress, record, table_asset, table_markdown


def build(settings: Settings) -> list[dg.AssetsDefinition]:
    """The stage's assets for these settings."""

    @table_asset("scenarios", code_version="scenarios-1")
    def scenarios(context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake]) -> None:
        rows = load_scenarios(settings.scenarios_folder)
        violations = validate(rows)
        written = lake.write("scenarios", rows)
        record(
            context,
            written,
            pairs=written.rows // 2,
            violations=table_markdown([vars(violation) for violation in violations]),
            coverage=table_markdown(coverage(rows)),
        )

    @table_asset(
        "candidate_items",
        deps=("clean_pool", "icfr_sections", "icfr_assertions", "material_weaknesses", "single_audit_findings", "scenarios"),
        code_version=BUILDER_VERSION,
    )  # fmt: skip
    def candidate_items(context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake]) -> None:
        proposals = proposed_labels(read_drafts(settings.drafts_folder, "label"))
        labels = proposed_and_filed_labels(settings, proposals)
        # The build before is read so that an item whose text changed can name the one it replaces.
        earlier = lake.read(ItemRow, "candidate_items")
        keep = kept_items([] if settings.choose_items_anew else earlier, released_items(settings.keep_items_of))
        weaknesses = lake.read(MaterialWeaknessRow, "material_weaknesses")
        findings = lake.read(SingleAuditFindingRow, "single_audit_findings")
        items = build_candidates(
            decisions=lake.read(CleanPoolRow, "clean_pool"),
            assertions=lake.read(IcfrAssertionRow, "icfr_assertions"),
            sections=lake.read(IcfrSectionRow, "icfr_sections"),
            weaknesses=weaknesses,
            findings=findings,
            scenarios=lake.read(ScenarioRow, "scenarios"),
            labels=labels,
            items_per_registrant=settings.items_per_registrant,
            targets={**TARGETS, **settings.item_targets},
            earlier=earlier,
            arms=settings.diagnostic_arms,
            keep=keep,
        )
        written = lake.write("candidate_items", items)
        sources = {f"{row.accession}#{row.ordinal}" for row in weaknesses}
        sources |= {f"{row.report_id}#{row.reference_number}" for row in findings}
        record(
            context,
            written,
            accepted=sum(item.reject_reason is None for item in items),
            counts=table_markdown(counts(items)),
            composition=table_markdown(composition(items)),
            items_chosen_before=len(keep.ids),
            chosen_before_and_displaced=displaced(items, keep),
            labels=len(labels),
            labels_proposed_by_models=len(proposals),
            labels_refused=table_markdown([{"source": key, "why": why} for key, why in sorted(labels.refused.items())]),
            labels_without_source=sorted(labels.keys() - sources),
            clean_share=clean_share(items),
            hard_strata_share=hard_share(items),
            hard_strata_share_of_attested=hard_share(items, "attested"),
            **surface_baselines(items),
        )

    @table_asset("item_reviews", code_version="reviews-1")
    def item_reviews(context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake]) -> None:
        log = review_log(settings)
        written = lake.write("item_reviews", log.decisions)
        record(
            context,
            written,
            records=log.records,
            repeats=log.repeats,
            reviewers=len({row.reviewer for row in log.decisions}),
            refused=table_markdown([vars(refused) for refused in log.refused]),
        )

    @table_asset(
        "paraphrased_subset",
        deps=("candidate_items", "item_reviews", "icfr_assertions"),
        kinds=("parquet", "litellm"),
        code_version=BUILDER_VERSION,
    )
    def paraphrased_subset(
        context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake], model_client: dg.ResourceParam[ModelClient]
    ) -> None:
        items = lake.read(ItemRow, "candidate_items")
        with logging_progress(context):
            drafted = draft_paraphrases(settings, lake, items, model_client)
        twins = paraphrase_rows(settings, lake, items)
        rows = one_twin_an_item(with_review_status(twins.rows, lake.read(ItemReviewRow, "item_reviews"), items))
        written = lake.write("paraphrased_subset", rows)
        record(
            context,
            written,
            usable=sum(row.status == "usable" for row in rows),
            rejected=table_markdown(
                [
                    {"twin_of": row.twin_of, "by": row.paraphrased_by, "failed": ", ".join(row.reject_reasons)}
                    for row in rows
                    if row.reject_reasons
                ]
            ),
            drafts_without_item=twins.unmatched,
            drafts_asked_for=drafted,
            repeated_drafts=twins.repeats,
            drafted_by=table_markdown(_by_drafter(rows)),
        )

    @table_asset(
        "labeled_items", deps=("candidate_items", "item_reviews", "paraphrased_subset"), code_version=BUILDER_VERSION
    )
    def labeled_items(context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake]) -> None:
        labeled = build_labeled(
            lake.read(ItemRow, "candidate_items"),
            lake.read(ParaphraseRow, "paraphrased_subset"),
            lake.read(ItemReviewRow, "item_reviews"),
        )
        written = lake.write("labeled_items", labeled.items)
        record(
            context,
            written,
            status=labeled.status,
            pending=sum(item.review_status == "pending" for item in labeled.items),
            candidates=labeled.candidates,
            twins=labeled.twins,
            rejected_by_reviewers=labeled.rejected_by_reviewers,
            void_decisions=labeled.void_decisions,
            counts=table_markdown(counts(labeled.items)),
            composition=table_markdown(composition(labeled.items)),
        )

    return [scenarios, candidate_items, item_reviews, paraphrased_subset, labeled_items]


def proposed_and_filed_labels(settings: Settings, proposals: Iterable[ProposedLabel]) -> Labels:
    """Labels of the label files, and models' proposals where these have none."""
    return load_labels(settings.labels_folder).with_proposals(proposals)


def registrant_names(lake: Lake) -> dict[tuple[str, str], Names]:
    """Names to mask, by (accession, cik)."""
    return {
        (row.accession, row.cik): Names(row.company_name, row.auditor_name)
        for row in lake.read(IcfrAssertionRow, "icfr_assertions")
    }


def paraphrase_rows(settings: Settings, lake: Lake, items: Sequence[ItemRow]) -> Twins:
    """Twins of all drafts: those that stand in a file first, then those of models, in the order in which they came."""
    drafts = [
        *load_drafts(settings.paraphrases_folder),
        *paraphrase_drafts(read_drafts(settings.drafts_folder, "paraphrase")),
    ]
    judged = judgements(read_drafts(settings.drafts_folder, "entailment"))
    return build_twins(drafts, items, registrant_names(lake), management_conclusion, judged)


def draft_paraphrases(settings: Settings, lake: Lake, items: Sequence[ItemRow], client: ModelClient) -> int:
    """Has the model of the settings draft sections that no file holds a draft of; returns the calls made."""
    if settings.paraphrase_model is None or not settings.paraphrase_drafts:
        return 0
    model = load_registry(settings.models_file).get(settings.paraphrase_model)
    filed = {(one.accession, one.cik) for one in load_drafts(settings.paraphrases_folder)}
    without = [item for item in items if (item.accession, item.cik) not in filed]
    passages = sections_to_paraphrase(without, [], registrant_names(lake), model.id, settings.paraphrase_drafts)
    prompt = load_prompt(settings.prompts_folder, "paraphrase")
    return draft(client, model, prompt, passages, settings.drafts_folder).summary.calls_made


def _by_drafter(rows: Sequence[ParaphraseRow]) -> list[dict[str, Any]]:
    return [
        {
            "drafted_by": name,
            "drafts": sum(row.paraphrased_by == name for row in rows),
            "usable": sum(row.paraphrased_by == name and row.status == "usable" for row in rows),
        }
        for name in sorted({row.paraphrased_by for row in rows})
    ]


def review_log(settings: Settings) -> ReviewLog:
    """Decisions of the review log, judged now against the ids of all models of the registry."""
    return read_reviews(AppendLog(settings.review_log_folder).read(), datetime.now(UTC), known_models(settings))


def evidence_answers(settings: Settings) -> list[EvidenceAnswerRow]:
    """Answers to questions on evidence, as the profile's log holds them."""
    return read_answers(AppendLog(settings.review_log_folder / LOG_NAME).read())


def known_models(settings: Settings) -> set[str]:
    """Ids of the evaluated models; an unreadable registry is the evaluation stage's error, not a review's."""
    return (
        {entry.id for entry in load_registry(settings.models_file).models} if settings.models_file.is_file() else set()
    )


def management_conclusion(text: str, fiscal_year_end: date | None) -> str:
    """Management's conclusion on ICFR as the rule reads it."""
    return read_conclusion(text, fiscal_year_end).icfr
