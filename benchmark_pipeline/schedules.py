"""Schedules: what refreshes by itself. All are stopped until somebody starts them in the UI.

Cron schedules with explicit run keys, not eager automation: eager conditions ignore parents that are required but do not
exist, and look at the latest time window only.
"""

from collections.abc import Iterator
from datetime import datetime

import dagster as dg

from benchmark_pipeline.assets.common import range_tags
from benchmark_pipeline.edgar.fiscal_year import partition_fiscal_year
from benchmark_pipeline.settings import Settings


def build_schedules(settings: Settings) -> list[dg.ScheduleDefinition]:
    """The nightly refresh of the two most recent fiscal years, and the weekly one of Single Audit findings."""
    return [_nightly(settings), _weekly_findings(settings)]


def recent_years(years: list[int], day: datetime) -> list[int]:
    """The two most recent of the built fiscal years that have begun to be filed by this day."""
    current = partition_fiscal_year("8-K", None, day.date())
    return [year for year in sorted(years) if year <= current][-2:]


def _nightly(settings: Settings) -> dg.ScheduleDefinition:
    @dg.schedule(
        job_name="acquire_filings",
        cron_schedule="0 4 * * *",
        execution_timezone="America/New_York",
        name="nightly_refresh_of_recent_fiscal_years",
        description="New filings and new contradictions of the two most recent fiscal years, after EDGAR's nightly rebuild.",
    )
    def nightly(context: dg.ScheduleEvaluationContext) -> dg.RunRequest | dg.SkipReason:
        day = context.scheduled_execution_time
        years = recent_years(settings.fiscal_years, day)
        if not years:
            return dg.SkipReason(f"no fiscal year built has begun to be filed by {day:%Y-%m-%d}")
        # One run of the range and not a run a year: the lists of EDGAR are the same for all years and read once.
        first, last = str(years[0]), str(years[-1])
        return dg.RunRequest(
            run_key=f"{day:%Y-%m-%d}:{first}-{last}",
            tags=range_tags(first, last),
        )

    return nightly


def _weekly_findings(settings: Settings) -> dg.ScheduleDefinition:
    @dg.schedule(
        job_name="acquire_findings",
        cron_schedule="0 6 * * 4",
        execution_timezone="America/New_York",
        name="weekly_refresh_of_single_audit_findings",
        description="Findings of the most recent audit year, the day after the clearinghouse's weekly load.",
    )
    def weekly(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest]:
        day = context.scheduled_execution_time
        year = max(settings.audit_years)
        yield dg.RunRequest(run_key=f"{day:%Y-%m-%d}:{year}", partition_key=str(year))

    return weekly
