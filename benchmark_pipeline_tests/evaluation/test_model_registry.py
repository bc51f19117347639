"""models.yaml: full dated identifiers, clear refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmark_pipeline.errors import ConfigurationError
from benchmark_pipeline.evaluation.model_registry import ModelEntry, dated_forms, is_pinned, load_registry
from benchmark_pipeline.evaluation.planning import run_of
from benchmark_pipeline.evaluation.request import name_of_run

MODELS_FILE = Path(__file__).resolve().parents[2] / "models.yaml"


def test_the_models_file_of_the_project_is_valid_and_its_default_run_needs_no_key():
    registry = load_registry(MODELS_FILE)
    assert all(registry.get(model_id).api_key_env is None for model_id in registry.enabled)
    assert "baseline/always-clean" in registry.enabled
    assert "local_gguf/smollm2-135m-instruct-q4_1@b179c952" in registry.enabled


@pytest.mark.parametrize(
    "model_id",
    [
        "openai/gpt-4.1-2025-04-14",
        "anthropic/claude-haiku-4-5-20251001",
        "mistral/mistral-large-2512",
        "bedrock/anthropic.claude-haiku-4-5-20251001-v1:0",
        "hosted_vllm/qwen3-32b@9216db5781bf21249d130ec9da846c4624c16137",
    ],
)
def test_a_full_identifier_is_accepted(model_id):
    assert is_pinned(model_id)


@pytest.mark.parametrize(
    "model_id",
    ["openai/gpt-4o", "openai/gpt-4.1", "anthropic/claude-sonnet-latest", "x/latest", "x/m-latest-2024-01-01"],
)
def test_an_alias_is_not(model_id):
    assert not is_pinned(model_id)


def test_the_refusal_of_an_alias_names_the_dated_form(tmp_path):
    path = tmp_path / "models.yaml"
    path.write_text("models:\n  - {id: openai/gpt-4o, api_key_env: OPENAI_API_KEY}\n")
    with pytest.raises(ConfigurationError) as caught:
        load_registry(path)
    assert "'openai/gpt-4o' is an alias" in str(caught.value)
    assert "openai/gpt-4o-2024-08-06" in str(caught.value)


def test_dated_forms_of_an_unknown_alias_are_none():
    assert dated_forms("example/no-such-model") == []


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{id: openai/m-2025-01-01, parameters: {api_key: abc}}", "does not belong in a file"),
        ("{id: openai/m-2025-01-01, colour: blue}", "Extra inputs"),
        ("{id: 'openai/m,x-2025-01-01'}", "pattern"),
        ("{id: rule/always-clean, kind: baseline}", "a baseline is called baseline/"),
        ("{id: baseline/x, kind: model}", "kind: baseline"),
        ("{id: openai/m-2025-01-01}\n  - {id: openai/m-2025-01-01}", "twice"),
    ],
)  # fmt: skip
def test_a_wrong_entry_is_refused_with_its_name(tmp_path, entry, message):
    path = tmp_path / "models.yaml"
    path.write_text(f"models:\n  - {entry}\n")
    with pytest.raises(ConfigurationError, match=message):
        load_registry(path)


@pytest.mark.parametrize("text", ["models: [", "- a", "", "models: 3"])
def test_a_file_that_is_no_registry_is_refused(tmp_path, text):
    path = tmp_path / "models.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError):
        load_registry(path)


def test_an_unknown_model_is_refused_with_the_known_ones():
    with pytest.raises(ConfigurationError, match="baseline/keyword"):
        load_registry(MODELS_FILE).get("openai/gpt-9-2031-01-01")


def test_a_repeat_of_a_model_is_a_run_beside_the_first(tmp_path):
    path = tmp_path / "models.yaml"
    path.write_text("models:\n  - {id: openai/m-2025-01-01}\n  - {id: openai/m-2025-01-01, repeat: 1}\n")
    registry = load_registry(path)
    assert registry.enabled == ["openai/m-2025-01-01", "openai/m-2025-01-01#1"]
    assert registry.get("openai/m-2025-01-01#1").repeat == 1
    for entry in registry.models:
        assert name_of_run(entry.id, run_of(entry)) == entry.name
    with pytest.raises(ConfigurationError, match="#2"):
        registry.get("openai/m-2025-01-01#2")


def test_cost_follows_the_price_table():
    model = load_registry(MODELS_FILE).get("openai/gpt-4.1-2025-04-14")
    assert model.price is not None
    assert model.price.cost(700, 10) == pytest.approx(0.00148)


def test_a_null_parameter_is_left_out_and_the_budget_is_the_tasks():
    model = ModelEntry(id="a/b-2025-01-01", parameters={"max_tokens": None, "max_completion_tokens": 9})
    assert model.call_parameters("C") == {"max_completion_tokens": 9}
    assert ModelEntry(id="a/b-2025-01-01").call_parameters("C") == {"max_tokens": 32}
