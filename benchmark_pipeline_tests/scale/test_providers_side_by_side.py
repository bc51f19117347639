"""Two providers and a daemon: runs of one provider come one after another, those of two run at the same time."""

import itertools
import sys
from pathlib import Path

import dagster as dg
import pytest
import yaml
from daemon import daemon, dagster, runs, wait_for

from benchmark_pipeline.cli.execution import dagster_instance
from benchmark_pipeline.demo.profile import demo_settings
from benchmark_pipeline.run_queue import MODEL_TAG, PROVIDER_TAG
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.evaluation import ModelResponseRow

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "evaluation"))

from evaluation_examples import item
from mock_openai import MockOpenAI

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ITEMS, LATENCY = 40, 1.0
"""With four calls in flight a run asks its provider for ten seconds at least."""


def entry(name: str, url: str) -> dict[str, object]:
    return {"id": f"example/{name}-2026-01-31", "route": f"openai/{name}-2026-01-31", "api_base": url, "concurrency": 4,
            "context_tokens": 4096, "price": {"input_per_million": 0, "output_per_million": 0, "as_of": "2026-01-31",
                                              "source": "none"}}  # fmt: skip


def test_runs_of_one_provider_take_turns_and_two_providers_are_asked_at_once(tmp_path: Path) -> None:
    log, models = tmp_path / "daemon.log", tmp_path / "models.yaml"
    settings = demo_settings(data_root=tmp_path / "data", models_file=models)
    items = [item("C", f"Filing {number}: ICFR was effective.", str(number)) for number in range(ITEMS)]
    Lake(settings.storage_root).write("labeled_items", items)
    with (
        MockOpenAI(latency=LATENCY) as one,
        MockOpenAI(latency=LATENCY) as other,
        dagster_instance(settings) as instance,
    ):
        listed = [entry("alpha", one.url), entry("beta", one.url), entry("gamma", other.url)]
        models.write_text(yaml.safe_dump({"models": listed}), encoding="utf-8")
        names = [str(model["id"]) for model in listed]
        instance.add_dynamic_partitions("models", names)
        more = {"ICFR_BENCH_MODELS_FILE": str(models)}
        with daemon(settings, log, **more):
            keys = ",".join(f"{name}|C" for name in names)
            dagster(settings, "job", "backfill", "-j", "evaluate_model", "--partitions", keys, "--noprompt", **more)
            wait_for("answers", lambda: _ended(instance) == len(names), log, 600)
        records = {
            record.dagster_run.tags[MODEL_TAG]: record
            for record in instance.get_run_records(dg.RunsFilter(job_name="evaluate_model"))
        }
        assert {record.dagster_run.status for record in records.values()} == {dg.DagsterRunStatus.SUCCESS}
        providers = {name: record.dagster_run.tags[PROVIDER_TAG] for name, record in records.items()}
        assert len(set(providers.values())) == 2
        apart = {
            frozenset(pair): _overlap(records[pair[0]], records[pair[1]]) <= 0
            for pair in itertools.combinations(names, 2)
        }
        alpha, beta, gamma = names
        assert apart[frozenset((alpha, beta))], "two runs asked one provider at once"
        assert not (apart[frozenset((alpha, gamma))] and apart[frozenset((beta, gamma))]), (
            "one provider waited for another"
        )
        assert max(one.most_in_flight, other.most_in_flight) <= 4
        assert (one.answers, other.answers) == (2 * ITEMS, ITEMS)
    answers = Lake(settings.storage_root).read(ModelResponseRow, "model_responses")
    assert len({(row.model_id, row.item_id) for row in answers}) == len(answers) == 3 * ITEMS


def _ended(instance: dg.DagsterInstance) -> int:
    return sum(run.is_finished for run in runs(instance, "evaluate_model"))


def _overlap(one: dg.RunRecord, other: dg.RunRecord) -> float:
    """Seconds in which both ran."""
    assert one.start_time and one.end_time and other.start_time and other.end_time
    return min(one.end_time, other.end_time) - max(one.start_time, other.start_time)
