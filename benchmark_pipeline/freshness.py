"""How old a table may grow before the UI says so.

Only a dataset that follows the present ages: one with a fixed snapshot date, such as the demo, is as good in a year.
"""

from collections.abc import Mapping
from datetime import timedelta

import dagster as dg

from benchmark_pipeline.jobs import ACQUIRE_FILINGS, ACQUIRE_FINDINGS
from benchmark_pipeline.settings import Settings

NIGHTLY = dg.FreshnessPolicy.time_window(warn_window=timedelta(hours=30), fail_window=timedelta(hours=54))
"""One missed night warns, two fail."""
WEEKLY = dg.FreshnessPolicy.time_window(warn_window=timedelta(days=8), fail_window=timedelta(days=15))

JUDGED = ("contradicting_evidence", "clean_pool", "withdrawn_items")
POLICIES: Mapping[str, dg.FreshnessPolicy] = {
    **dict.fromkeys((*ACQUIRE_FILINGS, *JUDGED), NIGHTLY),
    **dict.fromkeys(ACQUIRE_FINDINGS, WEEKLY),
}


def with_freshness(assets: list[dg.AssetsDefinition], settings: Settings) -> list[dg.AssetsDefinition]:
    """The assets, those of a dataset that follows the present with the age that they may reach."""
    if settings.snapshot_date is not None:
        return assets
    return [asset.map_asset_specs(_expected_age) for asset in assets]


def _expected_age(spec: dg.AssetSpec) -> dg.AssetSpec:
    policy = POLICIES.get(spec.key.to_user_string())
    return spec if policy is None else spec.replace_attributes(freshness_policy=policy)
