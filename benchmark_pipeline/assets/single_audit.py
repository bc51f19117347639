"""The asset `single_audit_findings`: the FAC's pages of an audit year, grouped into one row a finding."""

from collections.abc import Iterable

import dagster as dg

from benchmark_pipeline.pools import FAC_HTTP
from benchmark_pipeline.resources.fac import FacClient
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.single_audit.findings import FindingsResult
from benchmark_pipeline.single_audit.findings import build as build_findings
from benchmark_pipeline.single_audit.layouts import AuditYearRows
from benchmark_pipeline.storage.lake import Lake

from .common import audit_years, logging_progress, record, table_asset, table_markdown, year_backfill


def build(settings: Settings) -> list[dg.AssetsDefinition]:
    """The asset of this stage."""

    @table_asset(
        "single_audit_findings",
        partitions=audit_years(settings),
        backfill=year_backfill(settings),
        kinds=("parquet", "fac"),
        pool=FAC_HTTP,
        retry=dg.RetryPolicy(max_retries=2, delay=60, backoff=dg.Backoff.EXPONENTIAL),
    )
    def single_audit_findings(
        context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake], fac: dg.ResourceParam[FacClient]
    ) -> None:
        written = {}
        results: dict[str, FindingsResult] = {}
        with logging_progress(context):
            for year in context.partition_keys:
                rows = AuditYearRows()
                for page in fac.audit_year(int(year)):
                    rows.add(page.endpoint, page.rows, page.sha256)
                results[year] = build_findings(rows, int(year))
                written[year] = lake.write("single_audit_findings", results[year].rows, year)
        record(
            context,
            written,
            accepted=sum(result.accepted for result in results.values()),
            rejected_by_reason=_sum(result.rejects for result in results.values()),
            accepted_by_tier=_sum(result.tiers for result in results.values()),
            award_rows_received=sum(result.award_rows_in for result in results.values()),
            award_rows_repeated=sum(result.repeated_award_rows for result in results.values()),
            texts_without_finding=sum(result.orphan_texts for result in results.values()),
            plans_without_finding=sum(result.orphan_plans for result in results.values()),
            names_masked=sum(result.names_masked for result in results.values()),
            requests=fac.requests,
            by_audit_year=table_markdown(
                [
                    {
                        "audit year": year,
                        "findings": len(result.rows),
                        "accepted": result.accepted,
                        "rejected": len(result.rows) - result.accepted,
                        "print a tier though the flags have none": result.flag_text_disagreements,
                    }
                    for year, result in results.items()
                ]
            ),
        )

    return [single_audit_findings]


def _sum(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in counts:
        for name, number in part.items():
            total[name] = total.get(name, 0) + number
    return dict(sorted(total.items()))
