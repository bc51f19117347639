"""What would make calls fail is told before the first; a budget is never exceeded and loses nothing."""

from __future__ import annotations

import pytest
from evaluation_examples import item, prompts, remote_model
from mock_openai import Behaviour, MockOpenAI
from test_model_client import items_of, run

from benchmark_pipeline.errors import ConfigurationError
from benchmark_pipeline.evaluation import preflight
from benchmark_pipeline.evaluation.model_registry import ModelEntry
from benchmark_pipeline.evaluation.planning import plan_calls
from benchmark_pipeline.evaluation.responses import measures, outcome_counts, response_rows
from benchmark_pipeline.resources.model_client import ModelClient

NOWHERE = "http://127.0.0.1:9/v1"
PRICE = {"input_per_million": 2.0, "output_per_million": 8.0, "as_of": "2026-11-30", "source": "test"}
A_CALL = (700 * 2 + 8 * 8) / 1e6
"""What the mock server's count of tokens costs."""


def problem(model: ModelEntry, environment=None, **changes) -> str:
    plan = plan_calls([item("C", **changes)], model, prompts()["C"])
    with pytest.raises(ConfigurationError) as caught:
        preflight.check(model, plan, environment or {})
    return str(caught.value)


def test_a_missing_key_names_the_variable():
    told = problem(remote_model(NOWHERE, api_key_env="EXAMPLE_KEY"), {"EXAMPLE_KEY": ""})
    assert "EXAMPLE_KEY is not set" in told


def test_a_model_without_key_and_address_is_refused():
    assert "names neither api_key_env nor api_base" in problem(ModelEntry(id="openai/m-2025-01-01"))


def test_an_item_over_the_context_is_told_with_its_size():
    told = problem(remote_model(NOWHERE, context_tokens=500), text="control " * 1000)
    assert "takes 500 tokens; 1 of 1 items of task C need more" in told
    assert "over_context: ask" in told


def test_the_context_of_a_known_model_needs_no_setting():
    model = ModelEntry(id="openai/gpt-4o-2024-08-06", api_key_env="KEY")
    assert preflight.context_tokens(model) == 128_000
    assert "takes 128,000 tokens" in problem(model, {"KEY": "k"}, text="control " * 70_000)


def test_a_model_that_is_told_to_ask_over_the_context_is_asked():
    model = remote_model(NOWHERE, context_tokens=500, over_context="ask")
    preflight.check(model, plan_calls([item("C", text="control " * 1000)], model, prompts()["C"]), {})


def test_a_provider_without_a_json_schema_is_told_before_any_call():
    model = ModelEntry(id="openai/gpt-3.5-turbo-0125", api_key_env="KEY")
    assert "enforces a JSON schema" in problem(model, {"KEY": "k"})
    without = model.model_copy(update={"schema_enforcement": "json_object"})
    preflight.check(without, plan_calls([item("C")], without, prompts()["C"]), {"KEY": "k"})


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"id": "openai/o3-2025-04-16", "parameters": {"temperature": 0}}, "temperature=0"),
        ({"id": "anthropic/claude-haiku-4-5-20251001", "parameters": {"logit_bias": {"5": 1}}}, "logit_bias"),
        ({"id": "nosuch/m-2025-01-01"}, "knows no provider 'nosuch'"),
    ],
)
def test_what_the_provider_does_not_take_is_told_before_any_call(tmp_path, monkeypatch, entry, told):
    monkeypatch.setenv("EXAMPLE_KEY", "example-key-0123456789")
    model = ModelEntry(**entry, api_key_env="EXAMPLE_KEY")
    plan = plan_calls(items_of(1), model, prompts()["C"])
    with pytest.raises(ConfigurationError) as caught:
        ModelClient(tmp_path).run(model, prompts()["C"], plan, items_of(1))
    assert told in str(caught.value)
    assert "drop_params" not in str(caught.value)
    assert list(ModelClient(tmp_path).log(model.name, "C").attempts()) == []


def test_what_was_answered_needs_neither_key_nor_context():
    preflight.check(remote_model(NOWHERE, api_key_env="EXAMPLE_KEY", context_tokens=1), [], {})


def test_a_budget_stops_cleanly_and_the_next_run_asks_only_the_rest(tmp_path):
    items = items_of(40)
    prompt = prompts()["C"]
    with MockOpenAI() as server:
        model = remote_model(server.url, price=PRICE, concurrency=8)
        plan, client = plan_calls(items, model, prompt), ModelClient(tmp_path)
        first = client.run(model, prompt, plan, items, max_cost_usd=20.5 * A_CALL)
        rows = response_rows(plan, client.log(model.name, "C").settled(), model=model, dataset_version="0.1.0")
        counts = outcome_counts(rows)
        assert first.stopped_by_budget
        # One token a character of the estimate is the most that is left unused.
        assert 18 <= counts["answered"] <= 20
        assert counts["not_run"] == 40 - counts["answered"]
        assert first.spent_usd == pytest.approx(counts["answered"] * A_CALL)
        second = client.run(model, prompt, plan, items, max_cost_usd=1.0)
        assert not second.stopped_by_budget
        assert second.calls_made == counts["not_run"]
        assert client.spent_usd == pytest.approx(40 * A_CALL)
        assert sum(server.asked.values()) == 40


def test_a_call_that_never_answered_is_charged_with_all_it_may_cost(tmp_path):
    items = items_of(2)
    with MockOpenAI(lambda prompt, earlier: Behaviour(hang=True)) as server:
        model = remote_model(server.url, price=PRICE, concurrency=1, timeout_seconds=0.2, max_attempts=1)
        plan = plan_calls(items, model, prompts()["C"])
        summary = ModelClient(tmp_path).run(model, prompts()["C"], plan, items, max_cost_usd=1.0)
    assert summary.spent_usd > 2 * 32 * 8 / 1e6


@pytest.mark.parametrize(
    ("changes", "message"),
    [({}, "has no price"), ({"price": PRICE, "parameters": {"max_tokens": None}}, "sets no token budget")],
)  # fmt: skip
def test_a_budget_that_cannot_be_kept_is_refused_before_any_call(tmp_path, changes, message):
    items, model = items_of(1), remote_model(NOWHERE, **changes)
    plan = plan_calls(items, model, prompts()["C"])
    with pytest.raises(ConfigurationError, match=message):
        ModelClient(tmp_path).run(model, prompts()["C"], plan, items, max_cost_usd=1.0)


def test_the_numbers_of_a_partition_count_every_outcome(tmp_path):
    with MockOpenAI(lambda prompt, earlier: Behaviour(content="x" if "Filing 0" in prompt else None)) as server:
        _, rows = run(tmp_path, remote_model(server.url, price=PRICE), items_of(3))
    numbers = measures(rows)
    assert (numbers["outcome_parse_fail"], numbers["outcome_empty"], numbers["outcome_answered"]) == (1, 2, 0)
    assert numbers["cost_usd"] == pytest.approx(3 * A_CALL)
    assert numbers["attempts"] == 3
    assert 0 < numbers["median_latency_seconds"] <= numbers["p95_latency_seconds"]
