"""Jobs: the pipeline in the pieces that a person runs.

`build_everything` runs all of them, as `icfr-bench run` does. `acquire_filings` and `acquire_findings` are partitioned by year, `evaluate_model` by model and task; the others are whole.
"""

import io
from typing import Any

import dagster as dg
from pydantic import Field

from benchmark_pipeline.pools import SEC_HTTP, WAREHOUSE_WRITER
from benchmark_pipeline.settings import Settings

ACQUIRE_FILINGS = (
    "filing_index",
    "raw_filings",
    "eight_k_402_index",
    "icfr_sections",
    "icfr_assertions",
    "material_weaknesses",
)
ACQUIRE_FINDINGS = ("single_audit_findings",)
READ_FILINGS = ("eight_k_402_index", "icfr_sections", "icfr_assertions", "material_weaknesses")
"""What is read from stored documents: the part of `acquire_filings` that computes and fetches nothing."""
BUILD_ITEMS = (
    "contradicting_evidence",
    "clean_pool",
    "withdrawn_items",
    "scenarios",
    "candidate_items",
    "item_reviews",
    "paraphrased_subset",
    "labeled_items",
    "prompt_templates",
)
EVALUATE_MODEL = ("model_responses",)
PUBLISH_RESULTS = (
    "parsed_answers",
    "scores",
    "metrics",
    "headline_false_positive_rate",
    "warehouse",
    "report",
    "dataset_release",
)

DESCRIPTIONS = {
    "acquire_filings": "Fetch the fiscal year's annual reports and the filings that may contradict them, and read them.",
    "acquire_findings": "Fetch the audit year's Single Audit findings.",
    "read_filings": "Read the fiscal year's stored filings again, without fetching: after an extractor has changed.",
    "build_items": "Judge every filing, and build the items of tasks A to D.",
    "evaluate_model": "Ask one model every item of one task. Answers already in the response log are not asked again.",
    "publish_results": "Score the answers, compute the headline, and publish warehouse, report and dataset folder.",
}

SELECTIONS: dict[str, tuple[str, ...]] = {
    "acquire_filings": ACQUIRE_FILINGS,
    "acquire_findings": ACQUIRE_FINDINGS,
    "build_items": BUILD_ITEMS,
    "evaluate_model": EVALUATE_MODEL,
    "publish_results": PUBLISH_RESULTS,
}


def build_jobs() -> list[Any]:
    """All jobs; those of `SELECTIONS` together materialize every asset once."""
    return [
        dg.define_asset_job(name, selection=list(selection), description=DESCRIPTIONS[name])
        for name, selection in {**SELECTIONS, "read_filings": READ_FILINGS}.items()
    ]


class FullBuildConfig(dg.Config):
    """What a full build may do beyond acquiring and judging."""

    models: list[str] = Field(
        default_factory=list,
        description="Models to ask, as `icfr-bench models list` prints them; none: no model is asked.",
    )
    max_cost_usd: float = Field(default=0.0, description="US dollars that one task of one model may cost at most.")


def build_everything(settings: Settings) -> dg.JobDefinition:
    """The manual full build. Its three steps start the other jobs' runs, because those have partitions of different kinds."""

    def run(context: dg.OpExecutionContext, planned: list[Any]) -> None:
        from rich.console import Console

        from benchmark_pipeline.cli.execution import execute
        from benchmark_pipeline.definitions import build_defs

        definitions = build_defs(settings)
        for one in planned:
            summary = execute(definitions, context.instance, [one], Console(file=io.StringIO()))
            done = ", ".join(summary.run_ids) or "was up to date"
            context.log.info(f"{one.label or one.job}: {done}")
            for check in summary.failed_checks:
                context.log.warning(f"{one.label or one.job}: {check}")

    @dg.op(pool=SEC_HTTP, out=dg.Out(dg.Nothing), description="All fiscal years, then all audit years.")
    def acquire_sources(context: dg.OpExecutionContext) -> None:
        from benchmark_pipeline.cli import plan

        run(context, plan.acquisition(settings))

    @dg.op(
        ins={"acquired": dg.In(dg.Nothing)}, out=dg.Out(dg.Nothing), description="Judges every filing, builds the items, "
        "and asks the models that the configuration names.",
    )  # fmt: skip
    def build_and_evaluate(context: dg.OpExecutionContext, config: FullBuildConfig) -> None:
        from benchmark_pipeline.assets.evaluation import MODELS
        from benchmark_pipeline.cli import plan

        run(context, plan.dataset())
        if config.models:
            context.instance.add_dynamic_partitions(MODELS.name or "", config.models)
            asked = {"ops": {"model_responses": {"config": {"max_cost_usd": config.max_cost_usd}}}}
            run(context, plan.evaluation(settings, config.models, config=lambda: asked))

    @dg.op(
        pool=WAREHOUSE_WRITER, ins={"evaluated": dg.In(dg.Nothing)}, description="Scores, headline, warehouse, report."
    )
    def publish(context: dg.OpExecutionContext) -> None:
        from benchmark_pipeline.cli import plan

        run(context, plan.publication())

    @dg.job(
        name="build_everything",
        description="Manual full build: acquire all years, judge, build items, ask the models that are named, publish.",
    )
    def job() -> None:
        publish(build_and_evaluate(acquire_sources()))

    return job
