"""Files that a deployment takes as they are: read by the same parsers that will read them there, as far as these are here."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.console import Console

from benchmark_pipeline.cli.execution import dagster_instance
from benchmark_pipeline.cli.pools import show_pools
from benchmark_pipeline.demo.profile import demo_settings
from benchmark_pipeline.errors import ConfigurationError
from benchmark_pipeline.settings import PROJECT_ROOT, Settings

DEPLOY = PROJECT_ROOT / "deploy"


def manifests() -> list[dict[str, Any]]:
    text = (DEPLOY / "kubernetes" / "icfr-bench.yaml").read_text(encoding="utf-8")
    return list(yaml.safe_load_all(text))


@pytest.mark.parametrize("place", range(11))
def test_every_manifest_has_only_fields_that_kubernetes_knows(place: int) -> None:
    models = pytest.importorskip("dagster_k8s.models", reason="install the extra `scale`")
    import kubernetes.client as k8s

    assert len(manifests()) == 11
    document = manifests()[place]
    kind = document["kind"]
    names = {"apps/v1": "V1", "v1": "V1", "rbac.authorization.k8s.io/v1": "V1"}
    model = getattr(k8s, names[document["apiVersion"]] + kind)
    models.k8s_model_from_dict(model, models.k8s_snake_case_dict(model, document))


def test_the_instance_on_kubernetes_is_one_that_dagster_accepts_and_its_names_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("dagster_k8s", reason="install the extra `scale`")
    from dagster._config import validate_config
    from dagster._core.instance.config import dagster_instance_config_schema
    from dagster_k8s import K8sRunLauncher

    documents = manifests()
    named = {(document["kind"], document["metadata"]["name"]): document for document in documents}
    text = named["ConfigMap", "icfr-bench-instance"]["data"]["dagster.yaml"]
    config = yaml.safe_load(text)
    assert validate_config(dagster_instance_config_schema(), config).success
    launcher = config["run_launcher"]["config"]
    found = validate_config(K8sRunLauncher.config_type(), launcher)
    assert found.success, found.errors
    assert ("ServiceAccount", launcher["service_account_name"]) in named
    assert ("ConfigMap", launcher["instance_config_map"]) in named
    assert all(("ConfigMap", name) in named for name in launcher["env_config_maps"])
    claim = launcher["volumes"][0]["persistentVolumeClaim"]["claimName"]
    assert ("PersistentVolumeClaim", claim) in named
    # What holds on one machine holds there: the same monitoring, retries and pools.
    base = yaml.safe_load((PROJECT_ROOT / "dagster.yaml").read_text(encoding="utf-8"))
    assert config["run_retries"] == base["run_retries"]
    assert config["concurrency"]["pools"] == base["concurrency"]["pools"]


def test_settings_that_a_deployment_sets_are_settings() -> None:
    known = {f"ICFR_BENCH_{name.upper()}" for name in Settings.model_fields} | {
        "ICFR_BENCH_DAGSTER_POSTGRES_URL", "ICFR_BENCH_CELERY_BROKER_URL", "ICFR_BENCH_MAX_CONCURRENT_RUNS",
        "ICFR_BENCH_CELERY_BACKEND_URL",
    }  # fmt: skip
    texts = [path.read_text(encoding="utf-8") for path in DEPLOY.rglob("*") if path.is_file()]
    texts.append((PROJECT_ROOT / "Dockerfile").read_text(encoding="utf-8"))
    used = {word for text in texts for word in re.findall(r"ICFR_BENCH_[A-Z_]+[A-Z]", text)}
    assert used <= known
    assert len(used) > 8


@pytest.mark.parametrize("unit", sorted(path.name for path in (DEPLOY / "systemd").glob("*.service")))
def test_systemd_accepts_the_units(unit: str, tmp_path: Path) -> None:
    command = shutil.which("systemd-analyze")
    if command is None:
        pytest.skip("systemd-analyze is not here")
    # The user and the program of the unit are not on this machine: only what it says is looked at.
    text = (
        (DEPLOY / "systemd" / unit)
        .read_text(encoding="utf-8")
        .replace("/opt/icfr-bench/.venv/bin/icfr-bench", "/bin/true")
    )
    (tmp_path / unit).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [command, "verify", "--man=no", str(tmp_path / unit)], capture_output=True, text=True, check=False
    )
    complaints = [line for line in done.stderr.splitlines() if unit in line and "user" not in line.lower()]
    assert complaints == []


def test_pools_are_shown_and_changed(tmp_path: Path) -> None:
    settings = demo_settings(data_root=tmp_path)
    console = Console(record=True, width=100)
    show_pools(settings, console, ["sec_http=2"])
    text = console.export_text()
    assert "sec_http: 2 at a time, 0 taken" in text
    assert "warehouse_writer: 1 at a time, 0 taken" in text
    with dagster_instance(settings) as instance:  # the next command leaves the change alone
        limits = {pool.name: pool.limit for pool in instance.event_log_storage.get_pool_limits()}
    assert limits["sec_http"] == 2
    with pytest.raises(ConfigurationError, match="no limit of a pool"):
        show_pools(settings, console, ["sec_http"])


def test_the_workflow_runs_the_same_commands_as_the_repository() -> None:
    workflow = yaml.safe_load((PROJECT_ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    steps = [step.get("run") for job in workflow["jobs"].values() for step in job["steps"]]
    assert ".ci/run" in steps
    assert (PROJECT_ROOT / ".ci" / "run").stat().st_mode & 0o100
