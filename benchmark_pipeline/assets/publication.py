"""Publication: metrics, the headline, and what is published from them."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg

from benchmark_pipeline.pools import WAREHOUSE_WRITER
from benchmark_pipeline.publication.charts import forest_image
from benchmark_pipeline.publication.cutoffs import cutoff_statements, training_cutoffs
from benchmark_pipeline.publication.headline import headline_rows
from benchmark_pipeline.publication.holdout import is_held_out, private_filers, split
from benchmark_pipeline.publication.left_out import left_out
from benchmark_pipeline.publication.load_runs import load_runs
from benchmark_pipeline.publication.metrics import metric_rows
from benchmark_pipeline.publication.release import (
    BuiltRelease,
    ReleaseContents,
    build_holdout,
    build_release,
)
from benchmark_pipeline.publication.report import write_report
from benchmark_pipeline.publication.report.plots import estimates
from benchmark_pipeline.publication.results import status_of
from benchmark_pipeline.resources.warehouse import WarehousePublisher
from benchmark_pipeline.settings import PROJECT_ROOT, Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables import TABLES
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow, WithdrawnItemRow
from benchmark_pipeline.tables.evaluation import ParsedAnswerRow, PromptTemplateRow, ScoreRow
from benchmark_pipeline.tables.items import ItemReviewRow, ItemRow, ParaphraseRow
from benchmark_pipeline.tables.publication import HeadlineRow, PublishedFileRow

from .common import logging_progress, record, table_asset, table_markdown
from .items import evidence_answers

PUBLISHED = ("warehouse", "report", "dataset_release")
CODE_VERSION = "p4"


def build(settings: Settings) -> list[dg.AssetsDefinition]:
    """The stage's assets for these settings."""
    version = settings.dataset_version

    @table_asset(
        "metrics", deps=["scores", "labeled_items", "model_responses", "parsed_answers"], code_version=CODE_VERSION
    )
    def metrics(context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake]) -> None:
        runs = load_runs(lake, version)
        cutoffs, statements = training_cutoffs(settings.models_file), cutoff_statements(settings.models_file)
        rows = metric_rows(runs, headline_rows(runs), cutoffs, statements)
        record(context, lake.write("metrics", rows), runs=len(runs))

    @table_asset("headline_false_positive_rate", deps=["scores", "labeled_items"], code_version=CODE_VERSION)
    def headline_false_positive_rate(context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake]) -> None:
        rows = headline_rows(load_runs(lake, version, details=False))
        record(
            context,
            lake.write("headline_false_positive_rate", rows),
            in_words="; ".join(filter(None, map(_in_words, rows))) or "no model has been scored",
            headline=table_markdown(
                [_headline_line(row) for row in sorted(rows, key=lambda r: (r.kind != "model", r.model_id))]
            ),
            interval_plot=dg.MetadataValue.md(forest_image(estimates(row.model_dump() for row in rows))),
            **_headline_scalars(rows),
        )

    @table_asset(
        "warehouse",
        deps=[name for name in TABLES if name not in PUBLISHED],
        kinds=("duckdb",),
        pool=WAREHOUSE_WRITER,
        code_version=CODE_VERSION,
    )
    def warehouse(
        context: dg.AssetExecutionContext,
        lake: dg.ResourceParam[Lake],
        warehouse: dg.ResourceParam[WarehousePublisher],
    ) -> None:
        with logging_progress(context):
            built = warehouse.publish(lake)
        row = _published(settings, built.path, "warehouse", lake)
        record(
            context,
            lake.write("warehouse", [row]),
            tables=table_markdown([{"table": name, "rows": count} for name, count in built.rows.items()]),
            empty_because_not_materialized=", ".join(built.missing),
            warehouse=dg.MetadataValue.path(str(built.path)),
        )

    @table_asset("report", deps=["warehouse"], kinds=("html",), pool=WAREHOUSE_WRITER, code_version=CODE_VERSION)
    def report(context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake]) -> None:
        write_report(settings.warehouse_path, settings.report_path, version)
        row = _published(settings, settings.report_path, "report", lake)
        record(context, lake.write("report", [row]), report=dg.MetadataValue.path(str(settings.report_path)))

    @table_asset(
        "dataset_release",
        deps=["labeled_items", "candidate_items", "paraphrased_subset", "item_reviews", "clean_pool", "contradicting_evidence",
              "withdrawn_items", "prompt_templates", "parsed_answers", "scores"], kinds=("huggingface",),
        pool=WAREHOUSE_WRITER, code_version=CODE_VERSION,
    )  # fmt: skip
    def dataset_release(context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake]) -> None:
        contents, private = release_contents(settings, lake)
        # A scheduled run only ever builds a preview; `icfr-bench release` cuts a release on purpose.
        built = build_release(contents, settings.releases_folder, preview=True)
        if private.items:
            build_holdout(private, settings.private_folder)
        cut = [row for row in lake.read(PublishedFileRow, "dataset_release") if row.status == "release"]
        record(
            context,
            lake.write("dataset_release", [*cut, published_release(settings, built)]),
            why_preview=dg.MetadataValue.md(
                "\n".join(f"- {blocker}" for blocker in built.blockers) or "(gate is open)"
            ),
            warnings=[finding.problem for finding in built.warnings],
            offenders=dg.MetadataValue.json({finding.rule: list(finding.offenders) for finding in built.findings}),
            held_out=len(private.items),
            files=built.files,
            folder=dg.MetadataValue.path(str(built.folder)),
        )

    return [metrics, headline_false_positive_rate, warehouse, report, dataset_release]


def published_release(settings: Settings, built: BuiltRelease) -> PublishedFileRow:
    """The row of a dataset folder."""
    return PublishedFileRow(
        path=str(built.folder.relative_to(settings.folder)), kind="dataset_release",
        dataset_version=settings.dataset_version, status=built.status, sha256=built.sums_sha256,
        size_bytes=built.size_bytes, built_at=datetime.now(UTC),
    )  # fmt: skip


def release_contents(settings: Settings, lake: Lake) -> tuple[ReleaseContents, ReleaseContents]:
    """What the lake gives for the published folder and for the private hold-out."""
    share = settings.holdout_share
    public, private = split(lake.read(ItemRow, "labeled_items"), share)
    pool, evidence = (
        lake.read(CleanPoolRow, "clean_pool"),
        lake.read(ContradictingEvidenceRow, "contradicting_evidence"),
    )
    kept_apart = private_filers(private, pool, share)
    decisions = lake.read(ItemReviewRow, "item_reviews")
    # Items that readers rejected are in no list of items: the hold-out's are told by their company alone.
    candidates = lake.read(ItemRow, "candidate_items")
    hidden = [item for item in candidates if is_held_out(item.company_key, share)]
    contents = ReleaseContents(
        dataset_version=settings.dataset_version,
        items=public,
        clean_pool=[row for row in pool if row.cik not in kept_apart],
        prompts=lake.read(PromptTemplateRow, "prompt_templates"),
        licence_code=(PROJECT_ROOT / "LICENSE").read_text(encoding="utf-8"),
        licence_data=(PROJECT_ROOT / "LICENSE-DATA").read_text(encoding="utf-8"),
        decisions=decisions,
        answers=lake.read(ParsedAnswerRow, "parsed_answers"),
        scores=lake.read(ScoreRow, "scores"),
        evidence=[row for row in evidence if row.cik not in kept_apart],
        evidence_answers=evidence_answers(settings),
        withdrawn=left_out(
            candidates,
            lake.read(ParaphraseRow, "paraphrased_subset"),
            decisions,
            lake.read(WithdrawnItemRow, "withdrawn_items"),
            [*hidden, *private],
        ),
        holdout_share=share,
    )
    return contents, replace(
        contents, items=private, withdrawn=(), holdout_share=0.0,
        clean_pool=[row for row in pool if row.cik in kept_apart],
        evidence=[row for row in evidence if row.cik in kept_apart],
    )  # fmt: skip


def _headline_scalars(rows: list[HeadlineRow]) -> dict[str, Any]:
    """The models' rates as numbers, which the UI plots over materializations."""
    scalars: dict[str, Any] = {}
    for row in rows:
        if row.kind == "model" and row.fpr is not None:
            scalars[f"fpr {row.model_id}"] = row.fpr
            scalars[f"failure rate {row.model_id}"] = row.failure_rate
    items = max((row.planned for row in rows), default=0)
    return {**scalars, "attested_clean_items": items, "models": sum(row.kind == "model" for row in rows)}


def _in_words(row: HeadlineRow) -> str | None:
    """One model's headline as the UI shows it without a click; rules that stand beside models are in the table."""
    if row.kind != "model":
        return None
    if row.fpr is None:
        return f"{row.model_id}: no headline ({row.why_not})"
    line = _headline_line(row)
    return (
        f"{row.model_id}: {line['FPR attested']} of {row.n} attested clean filings called deficient "
        f"(95 % interval {line['95 % interval']}), recall {line['recall']}, {row.status}"
    )


def _headline_line(row: HeadlineRow) -> dict[str, Any]:
    def percent(value: float | None) -> str:
        return "–" if value is None else f"{value:.1%}"

    return {
        "model": row.model_id,
        "FPR attested": percent(row.fpr),
        "95 % interval": f"{percent(row.ci_low)} – {percent(row.ci_high)}",
        "k/n": f"{row.k}/{row.n}",
        "companies": row.companies,
        "failures": f"{row.failures} ({row.failure_rate:.1%})",
        "management only (weaker)": percent(row.management_only_fpr),
        "recall": percent(row.recall),
        "rank group": row.rank_group,
        "status": row.status,
        "note": row.why_not,
    }


def _published(settings: Settings, path: Path, kind: str, lake: Lake) -> PublishedFileRow:
    with path.open("rb") as handle:
        digest = hashlib.file_digest(handle, "sha256").hexdigest()
    return PublishedFileRow(
        path=str(path.relative_to(settings.folder)),
        kind=kind,
        dataset_version=settings.dataset_version,
        status=status_of(lake.read(ItemRow, "labeled_items")),
        sha256=digest,
        size_bytes=path.stat().st_size,
        built_at=datetime.now(UTC),
    )
