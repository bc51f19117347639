"""What Dagster loads. `build_defs(settings, **overrides)` makes the definitions; nothing else wires anything.

Tests and the command line call the factory with their own settings and resources, so that nothing is monkeypatched.
"""

from typing import Any

import dagster as dg

from benchmark_pipeline.assets import (
    clean_pool,
    disclosures,
    evaluation,
    items,
    non_reliance,
    publication,
    single_audit,
    sources,
    withdrawals,
)
from benchmark_pipeline.checks import clean_pool as clean_pool_checks
from benchmark_pipeline.checks import disclosures as disclosures_checks
from benchmark_pipeline.checks import evaluation as evaluation_checks
from benchmark_pipeline.checks import items as items_checks
from benchmark_pipeline.checks import notes_data_sets as notes_data_sets_checks
from benchmark_pipeline.checks import publication as publication_checks
from benchmark_pipeline.checks import single_audit as single_audit_checks
from benchmark_pipeline.checks import sources as sources_checks
from benchmark_pipeline.demo.profile import load_settings
from benchmark_pipeline.freshness import with_freshness
from benchmark_pipeline.jobs import build_everything, build_jobs
from benchmark_pipeline.resources.build import build_resources
from benchmark_pipeline.schedules import build_schedules
from benchmark_pipeline.sensors import build_sensors
from benchmark_pipeline.settings import PROJECT_ROOT, Settings
from benchmark_pipeline.steps import readable_steps

ASSET_MODULES = (
    sources,
    non_reliance,
    single_audit,
    disclosures,
    clean_pool,
    withdrawals,
    items,
    evaluation,
    publication,
)
CHECK_MODULES = (
    sources_checks,
    single_audit_checks,
    disclosures_checks,
    notes_data_sets_checks,
    clean_pool_checks,
    items_checks,
    evaluation_checks,
    publication_checks,
)


def build_defs(settings: Settings, **overrides: Any) -> dg.Definitions:
    """All definitions for these settings; a keyword replaces the resource of that name."""
    assets = with_freshness([asset for module in ASSET_MODULES for asset in module.build(settings)], settings)
    jobs = build_jobs()
    return dg.Definitions(
        assets=_linked_to_source(assets, settings) if settings.repository_url else assets,
        asset_checks=[check for module in CHECK_MODULES for check in module.build(settings)],
        jobs=[*jobs, build_everything(settings)],
        schedules=build_schedules(settings),
        sensors=build_sensors(settings, jobs),
        # A process for each step would cost more time than most steps take, and a killed run is found out either way.
        executor=dg.in_process_executor,
        resources={**build_resources(settings), **overrides},
        loggers={"readable": readable_steps},
    )


def _linked_to_source(assets: list[dg.AssetsDefinition], settings: Settings) -> Any:
    return dg.link_code_references_to_git(
        dg.with_source_code_references(assets),
        git_url=settings.repository_url or "",
        git_branch="main",
        file_path_mapping=dg.AnchorBasedFilePathMapping(
            local_file_anchor=PROJECT_ROOT, file_anchor_path_in_repository=""
        ),
    )


defs = build_defs(load_settings())
