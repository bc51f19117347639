"""One run a provider at a time: in the queue by a tag, in every process by a lock."""

from __future__ import annotations

import subprocess
import sys

import pytest
import yaml
from dagster._core.run_coordinator import SubmitRunContext
from dagster._core.storage.dagster_run import DagsterRunStatus
from dagster._core.test_utils import create_run_for_test, instance_for_test
from evaluation_examples import remote_model

from benchmark_pipeline import progress
from benchmark_pipeline.evaluation.model_registry import ModelEntry
from benchmark_pipeline.resources.provider_turn import provider_turn
from benchmark_pipeline.run_queue import MODEL_TAG, PROVIDER_TAG, account_of
from benchmark_pipeline.settings import PROJECT_ROOT

OURS = yaml.safe_load((PROJECT_ROOT / "dagster.yaml").read_text("utf-8"))


@pytest.mark.parametrize(
    ("model", "account"),
    [
        (ModelEntry(id="baseline/keyword", kind="baseline"), None),
        (ModelEntry(id="openai/gpt-4.1-2025-04-14"), "openai"),
        (ModelEntry(id="lab/m-2026-01-31", route="azure/deployment"), "azure"),
        (remote_model("http://127.0.0.1:8000/v1"), "127.0.0.1:8000"),
    ],
)
def test_models_that_share_limits_share_an_account(model, account):
    assert model.account == account


def test_a_model_that_is_not_listed_has_no_account():
    assert account_of("openai/gpt-4.1-2025-04-14") == "openai"
    assert account_of("example/unheard-of-2026-01-31") is None


def test_the_queue_runs_one_run_a_provider_and_several_providers():
    with instance_for_test(overrides={key: OURS[key] for key in ("run_coordinator", "concurrency")}) as instance:
        queued = []
        for number, model in enumerate(
            ["openai/gpt-4.1-2025-04-14", "openai/gpt-5.4-2026-03-05", "mistral/mistral-large-2512", "baseline/length"]
        ):
            run = create_run_for_test(
                instance, job_name="evaluate_model", tags={MODEL_TAG: model}, status=DagsterRunStatus.NOT_STARTED,
                remote_job_origin=_origin(instance), run_id=f"00000000-0000-0000-0000-00000000000{number}",
            )  # fmt: skip
            queued.append(instance.run_coordinator.submit_run(SubmitRunContext(run, _Workspace())))
        runs = [instance.get_run_by_id(run.run_id) for run in queued]
        assert [run.tags.get(PROVIDER_TAG) for run in runs] == ["openai", "openai", "mistral", None]
        limits = instance.get_concurrency_config().run_queue_config.tag_concurrency_limits
        from dagster._daemon.run_coordinator.queued_run_coordinator_daemon import TagConcurrencyLimitsCounter

        counter = TagConcurrencyLimitsCounter(limits, [runs[0]])
        assert [counter.is_blocked(run) for run in runs[1:]] == [True, False, False]


def _origin(instance):
    from dagster._core.remote_origin import InProcessCodeLocationOrigin, RemoteJobOrigin, RemoteRepositoryOrigin
    from dagster._core.types.loadable_target_origin import LoadableTargetOrigin

    target = LoadableTargetOrigin(executable_path=sys.executable, module_name="benchmark_pipeline.definitions")
    location = InProcessCodeLocationOrigin(target, location_name="benchmark_pipeline")
    return RemoteJobOrigin(RemoteRepositoryOrigin(location, "__repository__"), "evaluate_model")


class _Workspace:
    """The queue reads only from the run."""


HOLDER = """
import sys, time
from pathlib import Path
from benchmark_pipeline.resources.provider_turn import provider_turn
with provider_turn(Path(sys.argv[1]), "openai", "held"):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def test_another_process_that_asks_the_provider_is_waited_for_and_told(tmp_path):
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path), "0.5"], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        told = []
        with (
            progress.listening(lambda what, done, total: told.append(progress.note(what))),
            provider_turn(tmp_path, "openai", "work", poll_seconds=0.02) as waited,
        ):
            pass
    assert waited > 0
    assert told[0] == "waits for another run that asks openai"


def test_a_killed_process_holds_no_provider(tmp_path):
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path), "60"], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        holder.kill()
        holder.wait()
        with provider_turn(tmp_path, "openai", "work") as waited:
            assert waited < 30


def test_other_providers_and_baselines_wait_for_nobody(tmp_path):
    told = []
    with (
        progress.listening(lambda what, done, total: told.append(progress.note(what))),
        provider_turn(tmp_path, "openai", "one"),
        provider_turn(tmp_path, "mistral", "two"),
        provider_turn(tmp_path, None, "three"),
        provider_turn(tmp_path, None, "four"),
    ):
        assert told == []
