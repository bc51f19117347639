"""Running jobs in this process: recorded, readable, and honest about runs whose process is gone."""

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster import DagsterRunStatus
from rich.console import Console

from benchmark_pipeline.cli.execution import PROCESS_TAG, PlannedRun, dagster_instance, end_orphaned_runs, execute
from benchmark_pipeline.demo.profile import demo_settings, load_settings
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.steps import readable_steps


@dg.asset(name="filings", partitions_def=dg.StaticPartitionsDefinition(["2022", "2023"]),
          backfill_policy=dg.BackfillPolicy.single_run())  # fmt: skip
def filings(context: dg.AssetExecutionContext) -> None:
    context.add_output_metadata({"dagster/row_count": 7})


@dg.asset(name="judged", deps=[filings])
def judged() -> None:
    raise BenchError("document abc is not in the store", remedy="materialize raw_filings again")


@dg.asset_check(asset=filings, name="every_filing_has_an_accession_number")
def accession_check() -> dg.AssetCheckResult:
    return dg.AssetCheckResult(passed=False, severity=dg.AssetCheckSeverity.WARN, description="3 have none")


@dg.asset(name="counted")
def counted() -> None:
    raise ValueError("a fault of the program's own")


DEFINITIONS = dg.Definitions(
    assets=[filings, judged, counted],
    asset_checks=[accession_check],
    jobs=[
        dg.define_asset_job("acquire", selection=["filings"]),
        dg.define_asset_job("judge", selection=["judged"]),
        dg.define_asset_job("count", selection=["counted"]),
    ],
    loggers={"readable": readable_steps},
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return demo_settings(data_root=tmp_path)


def run(settings: Settings, *runs: PlannedRun) -> tuple[str, Any]:
    out = io.StringIO()
    with dagster_instance(settings) as instance:
        summary = execute(DEFINITIONS, instance, runs, Console(file=out, width=120))
    return out.getvalue(), summary


def test_a_range_of_partitions_runs_once_and_prints_one_line_an_asset(settings: Settings) -> None:
    text, summary = run(settings, PlannedRun("acquire", partition_range=("2022", "2023")))
    assert len(summary.run_ids) == 1
    assert "filings [2022 to 2023]: 14 rows" in text
    with dagster_instance(settings) as instance:
        assert instance.get_materialized_partitions(dg.AssetKey("filings")) == {"2022", "2023"}


def test_a_check_that_does_not_hold_is_printed_and_kept(settings: Settings) -> None:
    text, summary = run(settings, PlannedRun("acquire", partition="2022"))
    assert "every_filing_has_an_accession_number warns: 3 have none" in text
    assert summary.failed_checks == ["every_filing_has_an_accession_number warns: 3 have none"]


def test_a_failed_step_is_one_error_with_the_remedy(settings: Settings) -> None:
    with pytest.raises(BenchError, match="document abc is not in the store") as caught:
        run(settings, PlannedRun("judge"))
    assert caught.value.remedy == "materialize raw_filings again"


@pytest.mark.timeout(60)
def test_a_fault_of_our_own_ends_the_command_with_its_trace(settings: Settings) -> None:
    # Dagster chains such an error to itself; looking for a BenchError in the chain must come to an end.
    with pytest.raises(Exception, match="a fault of the program's own"):
        run(settings, PlannedRun("count"))


def test_a_run_whose_process_is_gone_is_marked_failed(settings: Settings) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    with dagster_instance(settings) as instance:
        job = DEFINITIONS.resolve_job_def("acquire")
        dead = instance.create_run_for_job(job, tags={PROCESS_TAG: str(gone.pid)}, status=DagsterRunStatus.STARTED)
        alive = instance.create_run_for_job(job, tags={PROCESS_TAG: str(os.getpid())}, status=DagsterRunStatus.STARTED)
        assert end_orphaned_runs(instance) == 1
        assert [instance.get_run_by_id(r.run_id).status for r in (dead, alive)] == [  # type: ignore[union-attr]
            DagsterRunStatus.FAILURE,
            DagsterRunStatus.STARTED,
        ]


def test_the_demo_is_a_dataset_of_its_own_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ICFR_BENCH_FISCAL_YEARS", "[2019]")
    monkeypatch.setenv("ICFR_BENCH_DATASET_VERSION", "3.0.0")
    demo, full = load_settings("demo"), load_settings("full")
    assert (demo.fiscal_years, demo.dataset_version) == ([2022, 2023, 2024], "0.1.0-demo")
    assert (full.fiscal_years, full.dataset_version) == ([2019], "3.0.0")
    assert demo.folder != full.folder
