"""Jobs: the pipeline in the pieces that a person runs.

`acquire_filings` and `acquire_findings` are partitioned by year, `evaluate_model` by model and task; the others are whole.
"""

from typing import Any

import dagster as dg

ACQUIRE_FILINGS = (
    "filing_index",
    "raw_filings",
    "eight_k_402_index",
    "icfr_sections",
    "icfr_assertions",
    "material_weaknesses",
)
ACQUIRE_FINDINGS = ("single_audit_findings",)
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
    """All jobs; together they materialize every asset once."""
    return [
        dg.define_asset_job(name, selection=list(selection), description=DESCRIPTIONS[name])
        for name, selection in SELECTIONS.items()
    ]
