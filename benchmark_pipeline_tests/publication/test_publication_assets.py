"""The stage in Dagster: assets end to end, and every check broken once."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from published_corpus import VERSION, Corpus, full_corpus, sha

from benchmark_pipeline.assets import publication as assets
from benchmark_pipeline.checks import publication as checks
from benchmark_pipeline.publication.release import build_release
from benchmark_pipeline.publication.release_gate import GATE, WARNINGS, findings
from benchmark_pipeline.resources.warehouse import WarehousePublisher
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.evaluation import ParsedAnswerRow, PromptTemplateRow
from benchmark_pipeline.tables.publication import HeadlineRow, MetricRow, PublishedFileRow

TABLE = "headline_false_positive_rate"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Settings, Lake, dg.ExecuteInProcessResult]:
    settings = Settings(data_root=tmp_path_factory.mktemp("data"), dataset_version=VERSION)
    lake = full_corpus().write(settings.storage_root)
    lake.write("prompt_templates", [PromptTemplateRow(task="C", prompt_version="pv1", template="t", json_schema="{}",
                                                      notes="", sha256=sha("t"))])  # fmt: skip
    result = dg.materialize(
        [*assets.build(settings), *checks.build(settings)],
        resources={"lake": lake, "warehouse": WarehousePublisher(settings.warehouse_path, settings.dataset_version)},
    )
    return settings, lake, result


def test_the_stage_publishes_warehouse_report_and_preview_and_all_checks_pass(published: Any) -> None:
    settings, lake, result = published
    assert result.success
    evaluations = result.get_asset_check_evaluations()
    assert len(evaluations) == 9 + len(GATE) + len(WARNINGS)
    # Nothing is reviewed, which is a warning on a preview and would block a release.
    broken = {e.check_name: e.severity for e in evaluations if not e.passed}
    assert broken["every_item_has_its_human_decisions"] == dg.AssetCheckSeverity.WARN
    assert set(broken.values()) == {dg.AssetCheckSeverity.WARN} and set(broken) <= {
        rule.name for rule in (*GATE, *WARNINGS)
    }
    assert settings.warehouse_path.is_file() and settings.report_path.is_file()
    (release,) = lake.read(PublishedFileRow, "dataset_release")
    assert release.path == "releases/0.1.0-preview" and release.status == "preview"


def test_the_headline_is_attached_as_numbers_that_the_ui_can_plot(published: Any) -> None:
    _, _, result = published
    (event,) = result.asset_materializations_for_node(TABLE)
    assert event.metadata["fpr vendor/alpha-2026-01-15"].value == pytest.approx(3 / 34)
    assert event.metadata["attested_clean_items"].value == 34
    assert "data:image/svg+xml;base64," in event.metadata["interval_plot"].value
    assert "vendor/beta-2025-11-03" in event.metadata["headline"].value


@pytest.fixture
def scratch(tmp_path: Path) -> tuple[Settings, Lake, Corpus]:
    settings = Settings(data_root=tmp_path, dataset_version=VERSION)
    corpus = Corpus()
    for number in range(1, 32):
        corpus.filing(number, "clean_attested")
    corpus.run("vendor/alpha-2026-01-15", flags={corpus.items[0].item_id})
    return settings, corpus.write(settings.storage_root), corpus


def verdict(name: str, settings: Settings, lake: Lake) -> bool:
    """Runs one check of the stage by its name, as Dagster would."""
    check = next(c for c in checks.build(settings) if name in {key.name for key in c.check_keys})
    found = check(lake=lake)
    assert isinstance(found, dg.AssetCheckResult)
    return found.passed


def headline(lake: Lake) -> HeadlineRow:
    return lake.read(HeadlineRow, TABLE)[0]


def test_a_repeated_identity_is_found(scratch: Any) -> None:
    settings, lake, _ = scratch
    assert verdict("every_headline_has_its_own_identity", settings, lake)
    lake.write(TABLE, [headline(lake)] * 2)
    assert not verdict("every_headline_has_its_own_identity", settings, lake)


@pytest.mark.parametrize(
    "change",
    [
        {"k": 40},
        {"n": 32},
        {"fpr": 0.5},
        {"ci_low": 0.9},
        {"fpr_if_failures_flag": 0.0},
        {"fpr": None},
        {"comparable": False},
    ],
    ids=str,
)
def test_numbers_that_contradict_one_another_are_found(scratch: Any, change: dict[str, Any]) -> None:
    settings, lake, _ = scratch
    assert verdict("counts_and_intervals_fit_together", settings, lake)
    lake.write(TABLE, [headline(lake).model_copy(update=change)])
    assert not verdict("counts_and_intervals_fit_together", settings, lake)


def test_a_release_status_over_unreviewed_items_is_found(scratch: Any) -> None:
    settings, lake, _ = scratch
    assert verdict("preview_is_stated_while_an_item_is_unreviewed", settings, lake)
    lake.write(TABLE, [headline(lake).model_copy(update={"status": "release"})])
    assert not verdict("preview_is_stated_while_an_item_is_unreviewed", settings, lake)


def test_a_headline_that_the_answers_do_not_give_is_found(scratch: Any) -> None:
    settings, lake, _ = scratch
    assert verdict("headline_equals_an_independent_count_in_sql", settings, lake)
    answers = lake.read(ParsedAnswerRow, "parsed_answers")
    lake.write("parsed_answers", [answers[0].model_copy(update={"answer_icfr": "clean"}), *answers[1:]])
    assert not verdict("headline_equals_an_independent_count_in_sql", settings, lake)


def test_a_run_that_is_missing_from_the_headline_is_found(scratch: Any) -> None:
    settings, lake, _ = scratch
    lake.write(TABLE, [])
    assert not verdict("headline_equals_an_independent_count_in_sql", settings, lake)


def test_a_metric_with_more_successes_than_trials_is_found(scratch: Any) -> None:
    settings, lake, _ = scratch
    name = "every_metric_has_its_own_identity_and_k_at_most_n"
    assert verdict(name, settings, lake)
    rows = lake.read(MetricRow, "metrics")
    lake.write("metrics", [rows[0].model_copy(update={"k": 99, "n": 31}), *rows[1:]])
    assert not verdict(name, settings, lake)


def test_a_rate_outside_the_bounds_of_its_failures_is_found(scratch: Any) -> None:
    settings, lake, _ = scratch
    rows = lake.read(MetricRow, "metrics")
    at = next(index for index, row in enumerate(rows) if row.metric == "false_positive_rate")
    rows[at] = rows[at].model_copy(update={"bound_low": 0.5, "bound_high": 0.9})
    lake.write("metrics", rows)
    assert not verdict("every_metric_has_its_own_identity_and_k_at_most_n", settings, lake)


def test_a_warehouse_older_than_the_lake_is_found(scratch: Any) -> None:
    settings, lake, corpus = scratch
    WarehousePublisher(settings.warehouse_path, settings.dataset_version).publish(lake)
    assert verdict("warehouse_opens_and_holds_every_table", settings, lake)
    lake.write("labeled_items", corpus.items[:5])
    assert not verdict("warehouse_opens_and_holds_every_table", settings, lake)


def test_a_page_that_loads_something_or_hides_its_status_is_found() -> None:
    assert checks.report_problems("<p>Preview</p>", "preview") == []
    assert checks.report_problems("<p>Numbers</p>", "preview")
    assert checks.report_problems('Preview <script src="x.js"></script>', "preview")


def test_a_changed_stray_or_lost_release_file_is_found(published: Any, tmp_path: Path) -> None:
    settings, lake, _ = published
    (row,) = lake.read(PublishedFileRow, "dataset_release")
    folder = settings.folder / row.path
    assert checks.checksum_problems(settings, row) == []
    original = (folder / "CHANGELOG.md").read_bytes()
    try:
        (folder / "CHANGELOG.md").write_text("changed")
        (folder / "stray.txt").write_text("x")
        assert checks.checksum_problems(settings, row) == ["stray.txt is not listed", "CHANGELOG.md has changed"]
    finally:
        (folder / "CHANGELOG.md").write_bytes(original)
        (folder / "stray.txt").unlink()


def test_a_version_that_was_cut_and_whose_items_moved_is_found(published: Any, tmp_path: Path) -> None:
    settings, lake, _ = published
    elsewhere = settings.model_copy(update={"data_root": tmp_path})
    assert checks.moved_since_cut(elsewhere, lake) == []
    folder = Path(shutil.copytree(settings.releases_folder / f"{VERSION}-preview", elsewhere.releases_folder / VERSION))
    gate = folder / "RELEASE_GATE.json"
    gate.write_text(gate.read_text().replace('"status": "preview"', '"status": "release"'))
    assert checks.moved_since_cut(elsewhere, lake) == []
    labels = folder / "labels" / "task_c" / "test.jsonl"
    labels.write_text(labels.read_text().replace('"clean_rating": "attested"', '"clean_rating": null', 1))
    [moved] = checks.moved_since_cut(elsewhere, lake)
    assert moved.startswith("C-")


def test_what_tells_the_gold_of_the_hold_out_stays_with_it(published: Any, tmp_path: Path) -> None:
    settings, lake, _ = published
    kept = settings.model_copy(update={"holdout_share": 0.3})
    public, private = assets.release_contents(kept, lake)
    assert private.items and private.clean_pool and len(public.items) + len(private.items) == 93
    assert not {row.accession for row in private.items} & {row.accession for row in public.clean_pool}
    folder = build_release(public, tmp_path, preview=True).folder
    published_bytes = b"".join(path.read_bytes() for path in folder.rglob("*.*") if path.is_file())
    for item in private.items:
        for secret in (item.item_id, item.accession, item.pair_id, item.text):
            assert secret is None or secret.encode() not in published_bytes, secret
    assert "no_held_out_item_is_published" not in (folder / "RELEASE_GATE.json").read_text().split("offenders")[1]
    assert not {row.rule for row in findings(public.gate_input)} & {"no_clean_item_is_contradicted"}
