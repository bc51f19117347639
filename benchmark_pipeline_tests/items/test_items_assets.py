from __future__ import annotations

import hashlib
import shutil
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest
from item_rows import SECTIONS, filing, finding, review, weakness

from benchmark_pipeline.assets import items as items_assets
from benchmark_pipeline.checks import items as items_checks
from benchmark_pipeline.resources.model_client import ModelClient
from benchmark_pipeline.settings import PROJECT_ROOT, Settings
from benchmark_pipeline.storage import AppendLog, Lake
from benchmark_pipeline.tables.items import ItemReviewRow, ItemRow, ParaphraseRow

DRAFT = """
- accession: 0009000001-25-000001
  cik: "0009000001"
  paraphrased_by: anthropic/claude
  text: Nothing of the kind was ever found by anybody in the year 1999.
"""


def made_settings(folder: Path) -> Settings:
    few = PROJECT_ROOT / "scenarios" / "demo"  # eight pairs do for the stage; the whole set has tests of its own
    return Settings(data_root=folder / "data", paraphrases_folder=folder / "drafts", scenarios_folder=few)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose lake holds the stages before and, materialized once, this stage."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "drafts").mkdir()
    (folder / "drafts" / "d.yaml").write_text(DRAFT, encoding="utf-8")
    lake = Lake(made_settings(folder).storage_root)
    clean, deficient = filing(SECTIONS[0]), filing(SECTIONS[1], 2, decision="deficient", deficient_by="management")
    assert clean.assertion and clean.section and deficient.assertion and deficient.section
    lake.write("clean_pool", [clean.decision, deficient.decision])
    lake.write("icfr_assertions", [clean.assertion, deficient.assertion], "2024")
    lake.write("icfr_sections", [clean.section, deficient.section], "2024")
    described = weakness(accession="0009000002-25-000001", cik="0009000002", heading="control_environment")
    lake.write("material_weaknesses", [described], "2024")
    lake.write("single_audit_findings", [finding()], "2023")
    result = run(made_settings(folder), lake)
    assert result.success
    broken = [
        e.check_name for e in result.get_asset_check_evaluations() if not e.passed and e.severity.value == "ERROR"
    ]
    assert broken == []
    return folder


@pytest.fixture
def settings(built: Path, tmp_path: Path) -> Settings:
    shutil.copytree(built, tmp_path / "copy")
    return made_settings(tmp_path / "copy")


@pytest.fixture
def lake(settings: Settings) -> Lake:
    return Lake(settings.storage_root)


def run(settings: Settings, lake: Lake) -> dg.ExecuteInProcessResult:
    return dg.materialize(
        [*items_assets.build(settings), *items_checks.build(settings)],
        resources={"lake": lake, "model_client": ModelClient(settings.response_log_folder)},
        raise_on_error=False,
    )


def failing(settings: Settings, lake: Lake, asset: str) -> set[str]:
    """Names of checks of one asset that fail on what the lake holds now, each called directly."""
    names = set()
    for check in items_checks.build(settings):
        if check.check_key.asset_key == dg.AssetKey(asset):
            result = check(lake=lake)
            assert isinstance(result, dg.AssetCheckResult)
            if not result.passed:
                names.add(check.check_key.name)
    return names


def test_the_stage_runs_from_upstream_tables_and_all_blocking_checks_hold(settings: Settings, lake: Lake) -> None:
    labeled = lake.read(ItemRow, "labeled_items")
    assert {item.task for item in labeled} == {"A", "B", "C"}
    assert {item.review_status for item in labeled} == {"pending"}
    [twin] = lake.read(ParaphraseRow, "paraphrased_subset")
    assert twin.status == "rejected" and "numbers" in twin.reject_reasons


def test_a_decision_in_the_review_log_reaches_the_item_set(settings: Settings, lake: Lake) -> None:
    item = next(i for i in lake.read(ItemRow, "labeled_items") if i.task == "C")
    log = AppendLog(settings.review_log_folder)
    log.append(review(item.item_id, item.text_sha256, decided_at=datetime.now(UTC).isoformat()))
    log.append(review(item.item_id, item.text_sha256, decision_id="r2", reviewer="openai/gpt-5"))
    log.close()
    run(settings, lake)
    states = {i.item_id: i.review_status for i in lake.read(ItemRow, "labeled_items")}
    assert states[item.item_id] == "accepted"
    assert [row.reviewer for row in lake.read(ItemReviewRow, "item_reviews")] == ["M. Achterberg"]
    assert failing(settings, lake, "item_reviews") == {"no_review_decision_was_refused"}


def test_building_twice_writes_the_same_bytes(settings: Settings, lake: Lake) -> None:
    tables = ("scenarios", "candidate_items", "paraphrased_subset", "labeled_items")
    digests: list[list[str]] = []
    for _ in range(2):
        run(settings, lake)
        digests.append([hashlib.sha256(Path(lake.path(table)).read_bytes()).hexdigest() for table in tables])
    assert digests[0] == digests[1]
