"""Checks of the asset `single_audit_findings`."""

from collections.abc import Iterator

import dagster as dg

from benchmark_pipeline.checks.words import in_words
from benchmark_pipeline.resources.fac import FacClient
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.single_audit.audits import (
    findings_unaccounted_for,
    impossible_tiers,
    people_left,
    printed_names,
    repeated_keys,
)
from benchmark_pipeline.single_audit.records import Report, read
from benchmark_pipeline.storage.lake import Lake
from benchmark_pipeline.tables.sources import SingleAuditFindingRow

TABLE = "single_audit_findings"


def build(settings: Settings) -> list[dg.AssetChecksDefinition]:
    """The checks of this stage; each reads the audit years that are in the lake."""

    def years(lake: Lake) -> Iterator[tuple[int, list[SingleAuditFindingRow]]]:
        built = set(lake.partitions(TABLE))
        for year in sorted(settings.audit_years):
            if str(year) in built:
                yield year, lake.read(SingleAuditFindingRow, TABLE, [str(year)])

    @dg.asset_check(asset=TABLE, blocking=True, description="One row a report and reference.")
    def a_finding_has_one_row(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        return _result([problem for _, rows in years(lake) for problem in repeated_keys(rows)])

    @dg.asset_check(
        asset=TABLE, blocking=True, description="Every finding that was received is a row, accepted or rejected."
    )
    def every_finding_received_is_a_row(
        lake: dg.ResourceParam[Lake], fac: dg.ResourceParam[FacClient]
    ) -> dg.AssetCheckResult:
        problems = []
        for year, rows in years(lake):
            pages = list(fac.received("findings", year))
            if rows and not pages:
                problems.append(f"audit year {year}: no page of `findings` was received, so nothing can be compared")
            problems += findings_unaccounted_for(rows, [row for page in pages for row in page.rows])
        return _result(problems)

    @dg.asset_check(
        asset=TABLE,
        blocking=True,
        description="An accepted finding has a text and at most one tier; a rejected one a reason.",
    )
    def tiers_exclude_each_other(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        return _result([problem for _, rows in years(lake) for problem in impossible_tiers(rows)])

    @dg.asset_check(
        asset=TABLE,
        blocking=True,
        description="No text prints a name of its report's header: auditee, audit firm, officers, contacts.",
    )
    def no_header_name_is_printed(
        lake: dg.ResourceParam[Lake], fac: dg.ResourceParam[FacClient]
    ) -> dg.AssetCheckResult:
        problems = []
        for year, rows in years(lake):
            pages = list(fac.received("general", year))
            if rows and not pages:
                problems.append(f"audit year {year}: no page of `general` was received, so nothing can be compared")
            reports = [report for page in pages for report in read(Report, page.rows).records]
            problems += printed_names(rows, reports)
        return _result(problems)

    @dg.asset_check(asset=TABLE, blocking=True, description="Masking a masked text again changes nothing.")
    def nothing_left_looks_like_a_person(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        return _result([problem for _, rows in years(lake) for problem in people_left(rows)])

    return [
        a_finding_has_one_row,
        every_finding_received_is_a_row,
        tiers_exclude_each_other,
        no_header_name_is_printed,
        nothing_left_looks_like_a_person,
    ]


def _result(problems: list[str]) -> dg.AssetCheckResult:
    # Only keys and counts are shown: a name that leaked must not leak a second time through metadata.
    return dg.AssetCheckResult(
        passed=not problems,
        description=in_words(problems),
        metadata={"problems": len(problems), "first": problems[:20]},
    )
