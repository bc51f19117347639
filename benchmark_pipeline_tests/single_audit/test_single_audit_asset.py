"""The asset and its checks on the demo's corpus, served over a socket; each check is broken once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from benchmark_pipeline.assets import single_audit as stage
from benchmark_pipeline.checks import single_audit as checks
from benchmark_pipeline.demo.fac_replay import FacReplay
from benchmark_pipeline.demo.profile import demo_settings
from benchmark_pipeline.demo.replay import ReplayServer
from benchmark_pipeline.resources.fac import FacClient
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore, Lake
from benchmark_pipeline.tables.sources import SingleAuditFindingRow

TABLE = "single_audit_findings"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReplayServer]:
    with ReplayServer(tmp_path_factory.mktemp("site"), mounts={"/fac": FacReplay.of_corpus()}) as running:
        yield running


class Pipeline:
    """The stage on a folder of its own."""

    def __init__(self, folder: Path, url: str) -> None:
        self.settings: Settings = demo_settings(data_root=folder)
        self.lake = Lake(self.settings.storage_root)
        self.fac = FacClient(self.settings, DocumentStore(self.settings.storage_root), connect_to=url)

    def run(self, year: str, instance: dg.DagsterInstance | None = None) -> dg.ExecuteInProcessResult:
        return dg.materialize(
            [*stage.build(self.settings), *checks.build(self.settings)],
            partition_key=year,
            resources={"lake": self.lake, "fac": self.fac},
            instance=instance,
            raise_on_error=False,
        )

    def check(self, name: str) -> bool:
        """Runs one check alone."""
        (definition,) = [one for one in checks.build(self.settings) if one.check_key.name == name]
        arguments: dict[str, Any] = {"lake": self.lake, "fac": self.fac}
        result = dg.materialize(
            [*stage.build(self.settings), definition],
            selection=dg.AssetSelection.checks(definition),
            resources=arguments,
            raise_on_error=False,
        )
        (evaluation,) = result.get_asset_check_evaluations()
        return evaluation.passed

    def rows(self, year: str) -> list[SingleAuditFindingRow]:
        return self.lake.read(SingleAuditFindingRow, TABLE, [year])


@pytest.fixture
def pipeline(tmp_path: Path, server: ReplayServer) -> Iterator[Pipeline]:
    made = Pipeline(tmp_path, server.url)
    yield made
    made.fac.close()


def test_the_asset_writes_one_row_a_finding_and_tells_why_others_are_not_used(pipeline: Pipeline) -> None:
    result = pipeline.run("2023")
    assert result.success
    assert all(evaluation.passed for evaluation in result.get_asset_check_evaluations())
    assert len(result.get_asset_check_evaluations()) == 5
    (event,) = result.get_asset_materialization_events()
    metadata = event.materialization.metadata
    assert metadata["dagster/row_count"].value == 19
    assert metadata["accepted"].value == 11
    assert metadata["accepted_by_tier"].value == {"material_weakness": 5, "none": 1, "significant_deficiency": 5}
    assert metadata["rejected_by_reason"].value == {
        "no_text": 2,
        "not_public": 2,
        "text_points_elsewhere": 1,
        "tier_pattern_not_allowed": 2,
        "tier_varies": 1,
    }
    assert len(pipeline.rows("2023")) == 19


def test_a_second_run_makes_no_request_and_writes_the_same_bytes(
    pipeline: Pipeline, tmp_path: Path, server: ReplayServer
) -> None:
    pipeline.run("2024")
    first = Path(pipeline.lake.path(TABLE, "2024")).read_bytes()
    again = Pipeline(tmp_path, server.url)
    assert again.run("2024").success
    assert again.fac.requests == 0
    assert Path(again.lake.path(TABLE, "2024")).read_bytes() == first
    again.fac.close()


def test_each_audit_year_is_a_partition_of_its_own(pipeline: Pipeline) -> None:
    pipeline.run("2023")
    before = Path(pipeline.lake.path(TABLE, "2023")).read_bytes()
    pipeline.run("2024")
    assert Path(pipeline.lake.path(TABLE, "2023")).read_bytes() == before
    assert {row.audit_year for row in pipeline.rows("2024")} == {2024}


def test_the_checks_fail_when_what_they_prove_is_broken(pipeline: Pipeline) -> None:
    pipeline.run("2023")
    rows = pipeline.rows("2023")
    breaks: dict[str, dict[str, Any]] = {
        "tiers_exclude_each_other": {"text": None},
        "no_header_name_is_printed": {"condition": "Brackenfold County did not reconcile."},
        "nothing_left_looks_like_a_person": {"planned_action": "Ask Jennifer Whitlock-Ames."},
        "every_finding_received_is_a_row": {"reference_number": "2023-999"},
    }
    every_check = {check.check_key.name for check in checks.build(pipeline.settings)}
    assert every_check == {*breaks, "a_finding_has_one_row"}
    for name, changes in breaks.items():
        pipeline.lake.write(TABLE, rows, "2023")
        assert pipeline.check(name), name
        accepted = next(row for row in rows if row.report_id == "2023-06-GSAFAC-0000900001")
        changed = [row.model_copy(update=changes) if row is accepted else row for row in rows]
        pipeline.lake.write(TABLE, changed, "2023")
        assert not pipeline.check(name), name
    pipeline.lake.write(TABLE, [*rows, rows[0]], "2023")
    assert not pipeline.check("a_finding_has_one_row")


def test_nothing_is_proved_where_the_pages_received_are_gone(pipeline: Pipeline) -> None:
    pipeline.run("2023")
    for log in (pipeline.settings.fetch_log_folder / "fac").glob("*.jsonl"):
        log.unlink()
    assert not pipeline.check("no_header_name_is_printed")
    assert not pipeline.check("every_finding_received_is_a_row")
