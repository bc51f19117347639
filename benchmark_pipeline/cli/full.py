"""`icfr-bench run`: the real dataset, and what it would take."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from benchmark_pipeline.cli import plan
from benchmark_pipeline.cli.execution import dagster_instance, end_orphaned_runs, execute, quiet
from benchmark_pipeline.cli.results import print_headline
from benchmark_pipeline.edgar.plan import estimate_from_published_counts
from benchmark_pipeline.errors import ConfigurationError
from benchmark_pipeline.evaluation.model_registry import load_registry
from benchmark_pipeline.resources.edgar import require_identity
from benchmark_pipeline.settings import Settings


def dry_run_report(settings: Settings, console: Console) -> None:
    """Prints what the run would ask of EDGAR and for how long at the permitted rate; makes no request."""
    require_identity(settings)
    estimate = estimate_from_published_counts(settings.fiscal_years, settings.as_of, settings.edgar_requests_per_second)
    table = Table(
        title=f"EDGAR, fiscal years {_years(settings.fiscal_years)}, from nothing",
        title_justify="left",
        show_header=False,
    )
    for what, number in (
        ("annual reports", estimate.annual_reports),
        ("requests for indexes", estimate.index_requests),
        ("requests for registrants' filing lists", estimate.submissions_requests),
        ("requests for filing headers", estimate.header_requests),
        ("requests for documents", estimate.document_requests),
        ("requests in all", estimate.requests),
    ):
        table.add_row(what, f"{number:,}")
    table.add_row(f"hours at {estimate.requests_a_second:g} requests a second", f"{estimate.hours:.1f}")
    table.add_row("main documents, uncompressed", f"{estimate.gigabytes:.0f} GB")
    console.print(table)
    console.print(
        "Estimated from published counts of filers, without a request. What is stored already is not asked again."
    )
    console.print("Assumed: " + "; ".join(estimate.assumptions) + ".", markup=False)
    console.print(
        f"As {settings.edgar_identity!r}, below {settings.data_root}. Start it without --dry-run.", markup=False
    )


def _years(years: Sequence[int]) -> str:
    return ", ".join(map(str, sorted(years)))


def run_full(settings: Settings, console: Console, *, models: Sequence[str]) -> None:
    """Builds, evaluates and publishes; stops before the first request when a setting is missing."""
    quiet()
    require_identity(settings)
    if settings.fac_api_key is None:
        raise ConfigurationError(
            "Single Audit findings need a key of the Federal Audit Clearinghouse",
            remedy="get a free key at api.data.gov and export ICFR_BENCH_FAC_API_KEY=...",
        )
    registry = load_registry(settings.models_file)
    chosen = [registry.get(model).name for model in models] or registry.enabled
    with dagster_instance(settings) as instance:
        from benchmark_pipeline.definitions import build_defs

        end_orphaned_runs(instance)
        instance.add_dynamic_partitions("models", chosen)
        runs = [*plan.acquisition(settings), *plan.dataset(), *plan.evaluation(settings, chosen), *plan.publication()]
        summary = execute(build_defs(settings), instance, runs, console)
    print_headline(settings, console)
    skipped = f", {len(summary.up_to_date)} were up to date" if summary.up_to_date else ""
    console.print(f"done in {summary.seconds:.0f} s, {len(summary.run_ids)} runs recorded{skipped}")
