"""Asset `withdrawn_items`: what published releases hold and no longer stands."""

import dagster as dg

from benchmark_pipeline.icfr.decision_order import RULE_VERSION
from benchmark_pipeline.icfr.withdrawals import withdrawals
from benchmark_pipeline.publication.published import released_items
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow

from .common import record, table_asset, table_markdown


def build(settings: Settings) -> list[dg.AssetsDefinition]:
    """The stage's asset for these settings."""

    # The releases are read from their folders and not through `dataset_release`: that asset is the release to come.
    @table_asset("withdrawn_items", deps=("clean_pool", "contradicting_evidence"), code_version=RULE_VERSION)
    def withdrawn_items(context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake]) -> None:
        released = released_items(settings.releases_folder)
        rows = list(
            withdrawals(
                released,
                lake.read(CleanPoolRow, "clean_pool"),
                lake.read(ContradictingEvidenceRow, "contradicting_evidence"),
                settings.as_of,
            )
        )
        record(
            context,
            lake.write("withdrawn_items", rows),
            releases=sorted({item.dataset_version for item in released}),
            items_released=len(released),
            withdrawn=table_markdown([
                {"release": row.dataset_version, "item": row.item_id, "filing": row.accession, "cause": row.cause,
                 "reason": row.reason, "evidence": " ".join(row.evidence_accessions)}
                for row in rows
            ]),
        )  # fmt: skip

    return [withdrawn_items]
