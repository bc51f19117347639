"""What Dagster loads: every table is an asset in its group, every asset is in one job, schedules ask for recent years."""

import warnings
from collections import Counter
from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest

from benchmark_pipeline.definitions import build_defs
from benchmark_pipeline.demo.profile import demo_settings
from benchmark_pipeline.jobs import SELECTIONS
from benchmark_pipeline.schedules import recent_years
from benchmark_pipeline.tables import TABLES

LINEAGE = {
    "raw_filings": {"filing_index"},
    "icfr_assertions": {"raw_filings"},
    "clean_pool": {"contradicting_evidence", "icfr_assertions"},
    "candidate_items": {"clean_pool", "icfr_sections", "single_audit_findings", "scenarios"},
    "labeled_items": {"candidate_items", "item_reviews", "paraphrased_subset"},
    "model_responses": {"labeled_items", "prompt_templates"},
    "headline_false_positive_rate": {"scores", "labeled_items"},
    "warehouse": {"headline_false_positive_rate", "metrics"},
    "report": {"warehouse"},
}


@pytest.fixture(scope="module")
def definitions() -> dg.Definitions:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)
        return build_defs(demo_settings())


def test_every_table_is_an_asset_with_group_owner_description_and_columns(definitions: dg.Definitions) -> None:
    graph = definitions.resolve_asset_graph()
    nodes = {key.to_user_string(): graph.get(key) for key in graph.get_all_asset_keys()}
    assert set(nodes) == set(TABLES)
    for name, node in nodes.items():
        assert node.group_name == TABLES[name].group
        assert node.description == TABLES[name].description
        assert node.owners == ["team:icfr-bench"]
        schema = node.metadata["dagster/column_schema"]
        assert [column.name for column in schema.columns] == list(TABLES[name].columns)


@pytest.mark.parametrize("table", LINEAGE)
def test_the_lineage_is_the_pipelines(definitions: dg.Definitions, table: str) -> None:
    graph = definitions.resolve_asset_graph()
    parents = {key.to_user_string() for key in graph.get(dg.AssetKey(table)).parent_keys}
    assert LINEAGE[table] <= parents


def test_the_headline_descends_from_the_filings(definitions: dg.Definitions) -> None:
    graph = definitions.resolve_asset_graph()
    seen, open_keys = set(), {dg.AssetKey("headline_false_positive_rate")}
    while open_keys:
        key = open_keys.pop()
        seen.add(key.to_user_string())
        open_keys |= {parent for parent in graph.get(key).parent_keys if parent.to_user_string() not in seen}
    assert {"filing_index", "raw_filings", "clean_pool", "model_responses"} <= seen


def test_every_asset_is_in_exactly_one_job() -> None:
    assert Counter(name for names in SELECTIONS.values() for name in names) == Counter(list(TABLES))


def test_check_names_are_sentences_and_unique_on_their_asset(definitions: dg.Definitions) -> None:
    keys = [key for checks in definitions.asset_checks or [] for key in checks.check_keys]
    assert len(keys) == len(set(keys))
    assert len(keys) > 25
    assert [key.name for key in keys if key.name.count("_") < 2] == []


@pytest.mark.parametrize(
    ("day", "years"),
    [
        (datetime(2025, 3, 1, tzinfo=UTC), [2023, 2024]),  # calendar-year reports of fiscal 2024 are being filed
        (datetime(2025, 7, 1, tzinfo=UTC), [2023, 2024]),  # fiscal 2025 is not among the built years
        (datetime(2024, 2, 1, tzinfo=UTC), [2022, 2023]),
    ],
)
def test_the_refresh_takes_the_two_most_recent_fiscal_years(day: datetime, years: list[int]) -> None:
    assert recent_years([2022, 2023, 2024], day) == years


def tick(definitions: dg.Definitions, night: datetime) -> list[dg.RunRequest]:
    schedule = definitions.resolve_schedule_def("nightly_refresh_of_recent_fiscal_years")
    context = dg.build_schedule_context(scheduled_execution_time=night, repository_def=definitions.get_repository_def())
    return list(schedule.evaluate_tick(context).run_requests or [])


def test_the_nightly_schedule_asks_for_one_run_a_night_over_both_years(definitions: dg.Definitions) -> None:
    night = datetime(2025, 3, 2, 9, 0, tzinfo=UTC)
    (request,) = tick(definitions, night)
    assert request.run_key == "2025-03-02:2023-2024"
    assert request.partition_key is None
    assert {key: value for key, value in request.tags.items() if "partition" in key} == {
        "dagster/asset_partition_range_start": "2023", "dagster/asset_partition_range_end": "2024",
    }  # fmt: skip
    # The key makes the night idempotent: a tick that is evaluated again asks for the same run.
    assert [again.run_key for again in tick(definitions, night)] == [request.run_key]
    (next_night,) = tick(definitions, night + timedelta(days=1))
    assert next_night.run_key == "2025-03-03:2023-2024"


def test_the_nightly_schedule_asks_for_nothing_before_the_first_year_is_filed(definitions: dg.Definitions) -> None:
    assert tick(definitions, datetime(2020, 3, 2, 9, 0, tzinfo=UTC)) == []


def test_schedules_are_stopped_until_somebody_starts_them(definitions: dg.Definitions) -> None:
    assert {schedule.default_status for schedule in definitions.schedules or []} == {dg.DefaultScheduleStatus.STOPPED}


def test_a_resource_can_be_replaced() -> None:
    assert build_defs(demo_settings(), lake="another").resources["lake"] == "another"  # type: ignore[index]
