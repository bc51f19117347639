"""A released item that is contradicted later is withdrawn with its evidence, and the release stays as published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from pool_examples import CIK, SNAPSHOT, assertion, evidence, span

from benchmark_pipeline.assets import withdrawals as stage
from benchmark_pipeline.checks import clean_pool as checks
from benchmark_pipeline.errors import CorruptFileError
from benchmark_pipeline.icfr.decision_order import PoolContext, judge
from benchmark_pipeline.publication.published import released_items
from benchmark_pipeline.publication.release import INPUT_COLUMNS, LABEL_COLUMNS
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.clean_pool import WithdrawnItemRow

FIRST = "0009100001-23-000001"
CONTEXT = PoolContext(SNAPSHOT)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_root=tmp_path, snapshot_date=SNAPSHOT)


def publish(settings: Settings, version: str, status: str = "release", **label: Any) -> Path:
    """A release folder with one Task C item on the first filing and its paraphrase."""
    folder = settings.releases_folder / (version if status == "release" else f"{version}-{status}")
    for name, item_id in (("test", "C-1"), ("paraphrase", "C-1p")):
        source = {"item_id": item_id, "accession": FIRST, "cik": CIK}
        gold = {"item_id": item_id, "gold_icfr": "clean", "clean_rating": "attested", **label}
        assert source.keys() <= set(INPUT_COLUMNS)
        assert gold.keys() <= set(LABEL_COLUMNS)
        for part, row in (("data", source), ("labels", gold)):
            path = folder / part / "task_c" / f"{name}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    gate = {"dataset_version": version, "status": status, "blockers": []}
    (folder / "RELEASE_GATE.json").write_text(json.dumps(gate), encoding="utf-8")
    return folder


def withdrawn(settings: Settings, pool: list[Any], found: list[Any] = []) -> list[WithdrawnItemRow]:  # noqa: B006
    lake = Lake(settings.storage_root)
    lake.write("clean_pool", pool)
    lake.write("contradicting_evidence", found)
    (asset,) = stage.build(settings)
    asset(dg.build_asset_context(), lake=lake)
    return lake.read(WithdrawnItemRow, "withdrawn_items")


def test_a_released_item_that_a_notice_contradicts_is_withdrawn_with_the_sentence(settings: Settings) -> None:
    folder = publish(settings, "1.0.0")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert withdrawn(settings, [judge(assertion(), [], CONTEXT)]) == []
    sentence = span("The statements for fiscal 2022 should no longer be relied upon.")
    against = [evidence("E2", locator=sentence), evidence("E11", "soft", evidence_accession="0009100001-23-000003")]
    rows = withdrawn(settings, [judge(assertion(), against, CONTEXT)], against)
    assert [(row.dataset_version, row.item_id) for row in rows] == [("1.0.0", "C-1"), ("1.0.0", "C-1p")]
    row = rows[0]
    assert (row.cause, row.decision, row.reason) == ("contradicted", "excluded", "contradicted_E2")
    assert row.evidence_ids == [against[0].evidence_id]
    assert (row.evidence_accessions, row.evidence) == (["0009100001-23-000050"], [sentence])
    assert (row.contradicted_on, row.snapshot_date) == (against[0].evidence_filed_date, SNAPSHOT)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("label", "changes", "found", "cause"),
    [
        ({}, {}, [evidence("E8", "ambiguous")], "onset_unstated"),
        ({}, {"mgmt_conclusion": "ineffective", "attest_opinion": "adverse"}, [], "judged_otherwise"),
        ({"clean_rating": "management_only"}, {}, [], "judged_otherwise"),
        ({"gold_icfr": "deficient", "clean_rating": None}, {}, [], "judged_otherwise"),
        ({"gold_icfr": "deficient", "clean_rating": None}, {"mgmt_conclusion": "ineffective", "attest_opinion": "adverse"}, [evidence("E2")], None),
    ],
)  # fmt: skip
def test_a_label_stands_only_while_its_filing_is_decided_as_it_needs(
    settings: Settings, label: Any, changes: Any, found: Any, cause: str | None
) -> None:
    publish(settings, "1.0.0", **label)
    rows = withdrawn(settings, [judge(assertion(**changes), found, CONTEXT)], found)
    assert {row.cause for row in rows} == ({cause} if cause else set())


def test_a_filing_that_is_gone_takes_its_items_along(settings: Settings) -> None:
    publish(settings, "1.0.0")
    assert {(row.cause, row.decision) for row in withdrawn(settings, [])} == {("not_judged", None)}


def test_every_release_is_followed_up_and_no_preview_is(settings: Settings) -> None:
    for version, status in (("1.0.0", "release"), ("1.1.0", "release"), ("1.2.0", "preview")):
        publish(settings, version, status)
    assert {item.dataset_version for item in released_items(settings.releases_folder)} == {"1.0.0", "1.1.0"}
    assert released_items(settings.folder / "nowhere") == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("labels/task_c/test.jsonl", '{"item_id": '),
        ("labels/task_c/test.jsonl", '{"item_id": "C-9", "gold_icfr": "clean", "clean_rating": "attested"}'),
        ("RELEASE_GATE.json", "[]"),
        ("RELEASE_GATE.json", "{"),
    ],
)
def test_a_damaged_release_is_named_and_not_passed_over(settings: Settings, path: str, text: str) -> None:
    (publish(settings, "1.0.0") / path).write_text(text, encoding="utf-8")
    with pytest.raises(CorruptFileError, match="SHA256SUMS"):
        released_items(settings.releases_folder)


def test_the_check_warns_of_a_withdrawn_item_and_is_silent_without(settings: Settings) -> None:
    publish(settings, "1.0.0")
    (check,) = [
        check
        for check in checks.build(settings)
        if next(iter(check.check_keys)).name == "every_published_label_still_stands"
    ]
    lake = Lake(settings.storage_root)
    withdrawn(settings, [])
    assert not check(lake).passed
    withdrawn(settings, [judge(assertion(), [], CONTEXT)])
    assert check(lake).passed
