"""Keys are planted in the environment, servers repeat them wherever they can, and nothing that is written holds one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb
import pytest
import yaml
import zstandard
from mock_openai import Behaviour, MockOpenAI

from benchmark_pipeline.assets import evaluation, publication
from benchmark_pipeline.demo.fac_replay import FacReplay
from benchmark_pipeline.demo.replay import ReplayRequest, ReplayResponse, ReplayServer
from benchmark_pipeline.errors import ConfigurationError
from benchmark_pipeline.resources.fac import ENDPOINTS, FacClient
from benchmark_pipeline.resources.model_client import ModelClient
from benchmark_pipeline.resources.warehouse import WarehousePublisher
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore

MODEL_KEY = "planted-model-key-5f2c9b7e1d"
FAC_KEY = "planted-clearinghouse-key-83a6d0"
MARKER = "marker-of-an-answer"
"""Repeated beside the keys: where it is not found, the search itself is blind."""
MODEL = "example/echo-2026-01-31"


def texts_below(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Every file as it is, and what is packed or encoded in it."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        body = path.read_bytes()
        yield path, body
        if path.suffix == ".zst":
            yield path, zstandard.ZstdDecompressor().decompress(body)
        elif path.suffix == ".parquet":
            yield path, str(duckdb.sql(f"SELECT * FROM read_parquet('{path}')").fetchall()).encode()
        elif path.suffix == ".duckdb":
            with duckdb.connect(str(path), read_only=True) as opened:
                for (name,) in opened.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal UNION "
                                              "SELECT table_name FROM duckdb_tables()").fetchall():  # fmt: skip
                    yield path, str(opened.execute(f'SELECT * FROM "{name}"').fetchall()).encode()


def places_of(word: str, folder: Path) -> set[str]:
    return {path.relative_to(folder).parts[0] for path, text in texts_below(folder) if word.encode() in text}


def repeating_model(prompt: str, earlier: int) -> Behaviour:
    if len(prompt) % 5 == 0:
        error = {"error": {"message": f"{MARKER}: {MODEL_KEY} has spent its quota"}}
        return Behaviour(status=400, body=json.dumps(error).encode())
    return Behaviour(content=f'{{"icfr": "clean"}} {MARKER} {MODEL_KEY}')


class RepeatingClearinghouse:
    """Refuses the first request with a message that repeats the key."""

    def __init__(self) -> None:
        self._inner = FacReplay.of_corpus()
        self.refused = 0

    def __call__(self, request: ReplayRequest) -> ReplayResponse:
        if not self.refused:
            self.refused += 1
            assert request.headers["x-api-key"] == FAC_KEY
            return ReplayResponse(403, json.dumps({"error": {"code": "API_KEY_INVALID", "message": FAC_KEY}}).encode())
        return self._inner(request)


@pytest.mark.slow
def test_no_key_is_in_logs_events_run_configuration_metadata_lake_warehouse_or_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[1] / "publication"))
    from published_corpus import VERSION, full_corpus

    monkeypatch.setenv("EXAMPLE_KEY", MODEL_KEY)
    monkeypatch.setenv("ICFR_BENCH_FAC_API_KEY", FAC_KEY)
    models = tmp_path / "models.yaml"
    written = tmp_path / "written"
    (written / "dagster").mkdir(parents=True)
    settings = Settings(
        data_root=written / "data", models_file=models, dataset_version=VERSION, audit_years=[2023], fac_url="https://fac.invalid/fac",
        snapshot_date=date(2025, 6, 30),
    )  # fmt: skip
    assert settings.fac_api_key is not None
    assert FAC_KEY not in repr(settings) + str(settings.model_dump())
    lake, documents = full_corpus().write(settings.storage_root), DocumentStore(settings.storage_root)
    clearinghouse = RepeatingClearinghouse()

    with (
        MockOpenAI(repeating_model) as provider,
        ReplayServer(tmp_path, mounts={"/fac": clearinghouse}) as server,
        FacClient(settings, documents, connect_to=server.url) as fac,
        dg.DagsterInstance.local_temp(str(written / "dagster")) as instance,
    ):
        entry = {"id": MODEL, "route": "openai/echo-2026-01-31", "api_base": provider.url, "api_key_env": "EXAMPLE_KEY"}
        models.write_text(yaml.safe_dump({"models": [entry]}))
        instance.add_dynamic_partitions("models", [MODEL])
        resources: dict[str, Any] = {
            "lake": lake, "documents": documents, "fac": fac, "model_client": ModelClient(settings.response_log_folder),
            "warehouse": WarehousePublisher(settings.warehouse_path, settings.dataset_version),
        }  # fmt: skip

        def run(assets: list[Any], names: list[str], partition: Any = None) -> bool:
            return dg.materialize(
                assets, selection=dg.AssetSelection.assets(*names), partition_key=partition, instance=instance,
                resources=resources, raise_on_error=False,
            ).success  # fmt: skip

        with pytest.raises(ConfigurationError, match="refuses the key") as refused:
            list(fac.audit_year(2023))
        assert FAC_KEY not in str(refused.value)
        assert len(list(fac.audit_year(2023))) == len(ENDPOINTS)
        asking = [dg.AssetSpec("labeled_items"), *evaluation.build(settings)]
        assert run(asking, ["prompt_templates"])
        assert run(asking, ["model_responses"], dg.MultiPartitionKey({"model": MODEL, "task": "C"}))
        publishing = publication.build(settings)
        assert run(publishing, [asset.key.to_user_string() for asset in publishing])
        assert {headers["Authorization"] for headers in provider.headers} == {f"Bearer {MODEL_KEY}"}

    assert clearinghouse.refused == 1
    assert settings.warehouse_path.is_file() and settings.report_path.is_file()
    # The search sees into every place where a key could be: what the servers said beside it is there.
    told = {path.name for path, text in texts_below(written) if MARKER.encode() in text}
    assert any(name.endswith(".jsonl") for name in told)
    assert any(name.endswith(".parquet") for name in told)
    assert "warehouse.duckdb" in told
    assert "dagster" in places_of("model_responses", written)
    out = "".join(capfd.readouterr()) + caplog.text
    assert "model_responses" in out
    for secret in (MODEL_KEY, FAC_KEY):
        assert [str(path) for path, text in texts_below(written) if secret.encode() in text] == []
        assert secret not in out
