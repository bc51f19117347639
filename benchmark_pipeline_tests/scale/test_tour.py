"""A tour through a year of operation, by a daemon and the command line, on the replay server.

Start; backfill two years; add a model; release; a notice contradicts a released item; refresh. Nothing but the backfills, the
models file and the notice is done by hand: sensors start the rest.
"""

import json
import re
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

import dagster as dg
import pytest
import yaml
from daemon import daemon, dagster, environment, runs, wait_for

from benchmark_pipeline.cli.execution import dagster_instance
from benchmark_pipeline.demo import site
from benchmark_pipeline.demo.corpus.authored import Filing, registrants
from benchmark_pipeline.demo.fac_replay import FacReplay
from benchmark_pipeline.demo.profile import demo_settings
from benchmark_pipeline.demo.replay import ReplayServer
from benchmark_pipeline.evaluation.local_model import MODEL_ID
from benchmark_pipeline.publication.warehouse import open_warehouse
from benchmark_pipeline.settings import PROJECT_ROOT, Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, WithdrawnItemRow
from benchmark_pipeline.tables.items import ItemRow

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2400)]

CIK = "0009101080"
ACCESSION = "0009101080-25-070080"
"""An attested clean annual report for the year to 31 December 2024."""
NOTICE = Filing(
    form="8-K",
    period=date(2025, 5, 15),
    filed=date(2025, 5, 20),
    items=["4.02"],
    body=(
        "(a) On May 15, 2025, the Audit Committee of the Board of Directors concluded that the previously issued audited "
        "consolidated financial statements as of and for the year ended December 31, 2024, included in the Annual Report on "
        "Form 10-K, should no longer be relied upon because of an error in the timing of revenue. Management's report on "
        "internal control over financial reporting as of December 31, 2024 should likewise no longer be relied upon."
    ),
)
FOLLOWING = ("items_are_built_after_a_refresh", "new_models_are_evaluated", "answers_are_published",
             "new_items_are_asked", "withdrawn_items_are_published")  # fmt: skip


def write_site(folder: Path, *, contradicted: bool) -> Path:
    """The demo's corpus as a site, with or without the notice."""
    known = registrants()
    changed = [
        one.model_copy(update={"filings": [*one.filings, NOTICE]}) if contradicted and one.cik == CIK else one
        for one in known
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site, "registrants", lambda: changed)
        site.build_site(folder)
    return folder


def enable(models: Path, *names: str) -> None:
    """A models file with these baselines; the embedded model, which drafts the demo's paraphrase, is asked no item."""
    listed = yaml.safe_load((PROJECT_ROOT / "models.yaml").read_text(encoding="utf-8"))["models"]
    [drafter] = [entry | {"enabled": False} for entry in listed if entry["id"] == MODEL_ID]
    entries = [drafter, *({"id": name, "kind": "baseline"} for name in names)]
    models.write_text(yaml.safe_dump({"models": entries}), encoding="utf-8")


def publish_as_release(settings: Settings) -> Path:
    """The preview, made a release: what a release gate demands of people is tested elsewhere."""
    (preview,) = settings.releases_folder.glob("*preview")
    release = preview.with_name("0.0.1")
    shutil.copytree(preview, release)
    gate = json.loads((release / "RELEASE_GATE.json").read_text(encoding="utf-8"))
    gate |= {"status": "release", "dataset_version": "0.0.1"}
    (release / "RELEASE_GATE.json").write_text(json.dumps(gate), encoding="utf-8")
    return release


def date_back(settings: Settings) -> None:
    """What was fetched was fetched before the notice was filed: indexes of that spring are not final then."""
    for path in settings.fetch_log_folder.rglob("*.jsonl"):
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r'("retrieved_at":")[^"]{19}', r"\g<1>2025-05-10T00:00:00", text), encoding="utf-8")


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def succeeded(instance: dg.DagsterInstance, job: str) -> int:
    return sum(run.status == dg.DagsterRunStatus.SUCCESS for run in runs(instance, job))


def nothing_is_under_way(instance: dg.DagsterInstance) -> bool:
    return all(run.is_finished for run in instance.get_runs())


def test_the_tour(tmp_path: Path) -> None:
    log, models = tmp_path / "daemon.log", tmp_path / "models.yaml"
    settings = demo_settings(data_root=tmp_path / "data", models_file=models)
    lake = Lake(settings.storage_root)
    live, after = write_site(tmp_path / "live", contradicted=False), write_site(tmp_path / "after", contradicted=True)
    enable(models, "baseline/keyword")

    with ReplayServer(live, mounts={"/fac": FacReplay.of_corpus()}) as server, dagster_instance(settings) as instance:
        more = {"ICFR_BENCH_CONNECT_TO": server.url, "ICFR_BENCH_MODELS_FILE": str(models)}

        # Start: the sensors are switched on, the daemon runs.
        for name in FOLLOWING:
            dagster(settings, "sensor", "start", name, **more)
        with daemon(settings, log, **more):
            # Backfill two years. Judging, items, the model of the list and the publication follow.
            dagster(
                settings, "job", "backfill", "-j", "acquire_filings", "--partitions", "2023,2024", "--noprompt", **more
            )
            dagster(
                settings, "job", "backfill", "-j", "acquire_findings", "--partitions", "2023,2024", "--noprompt", **more
            )
            wait_for("items", lambda: succeeded(instance, "build_items") >= 1, log, 600)
            wait_for("answers", lambda: succeeded(instance, "evaluate_model") >= 4, log, 600)
            wait_for("publication", lambda: succeeded(instance, "publish_results") >= 1, log, 600)
            wait_for("rest", lambda: nothing_is_under_way(instance), log, 600)
            pool = {row.accession: row for row in lake.read(CleanPoolRow, "clean_pool")}
            assert pool[ACCESSION].decision == "clean_attested"
            (item,) = [row.item_id for row in lake.read(ItemRow, "labeled_items")
                       if row.accession == ACCESSION and row.arm == "verbatim" and row.task == "C"]  # fmt: skip

            # A model is added to the list: it is asked every task, and its answers are published.
            published = succeeded(instance, "publish_results")
            enable(models, "baseline/keyword", "baseline/always-clean")
            wait_for("second model", lambda: succeeded(instance, "evaluate_model") >= 8, log, 600)
            wait_for("its publication", lambda: succeeded(instance, "publish_results") > published, log, 600)
            wait_for("rest", lambda: nothing_is_under_way(instance), log, 600)
            with open_warehouse(settings.warehouse_path) as warehouse:
                scored = warehouse.execute("SELECT DISTINCT model_id FROM headline").fetchall()
            assert {model for (model,) in scored} >= {"baseline/keyword", "baseline/always-clean"}

            # A release is cut, and a notice of non-reliance is filed on one of its items. The nightly job sees it.
            release = publish_as_release(settings)
            as_published = everything(release)
            published, built = succeeded(instance, "publish_results"), succeeded(instance, "build_items")
            for path in after.rglob("*"):
                kept = live / path.relative_to(after)
                if path.is_file() and not (kept.exists() and kept.read_bytes() == path.read_bytes()):
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    kept.write_bytes(path.read_bytes())
            date_back(settings)
            dagster(settings, "job", "backfill", "-j", "acquire_filings", "--partitions", "2024", "--noprompt", **more)
            wait_for("judgement", lambda: succeeded(instance, "build_items") > built, log, 600)
            wait_for("withdrawal", lambda: succeeded(instance, "publish_results") > published, log, 600)
            wait_for("rest", lambda: nothing_is_under_way(instance), log, 600)

        withdrawn = lake.read(WithdrawnItemRow, "withdrawn_items")
        assert {(row.item_id, row.cause, row.reason) for row in withdrawn} >= {
            (item, "contradicted", "contradicted_E2")
        }
        assert {row.accession for row in withdrawn} == {ACCESSION}
        assert everything(release) == as_published
        with open_warehouse(settings.warehouse_path) as warehouse:
            rows = warehouse.execute("SELECT item_id, contradicted_on FROM withdrawn_items").fetchall()
        assert (item, NOTICE.filed) in rows
        # Every run that was started has succeeded, and none was started twice for one cause.
        assert {run.status for run in instance.get_runs()} == {dg.DagsterRunStatus.SUCCESS}
        keys = [run.tags["dagster/run_key"] for run in instance.get_runs() if "dagster/run_key" in run.tags]
        assert len(keys) == len(set(keys))
        said = subprocess.run(
            [sys.executable, "-m", "benchmark_pipeline.cli", "why", ACCESSION], env=environment(settings, **more),
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert "contradicted_E2" in said.stdout
