"""The model client against a server that misbehaves as told: one outcome a call, every attempt on disk."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from evaluation_examples import item, prompts, remote_model
from mock_openai import GOOD, Behaviour, MockOpenAI

from benchmark_pipeline import progress
from benchmark_pipeline.errors import BenchError, ConfigurationError
from benchmark_pipeline.evaluation.model_registry import ModelEntry
from benchmark_pipeline.evaluation.planning import plan_calls
from benchmark_pipeline.evaluation.responses import outcome_counts, response_rows
from benchmark_pipeline.resources import model_client as module
from benchmark_pipeline.resources.model_client import ModelClient

HERE = Path(__file__).resolve().parent


def items_of(count: int):
    return [
        item("C", text=f"Filing {number}. ICFR was effective.", company=f"{number:010d}") for number in range(count)
    ]


def run(folder: Path, model, items):
    prompt = prompts()["C"]
    plan = plan_calls(items, model, prompt)
    client = ModelClient(folder)
    summary = client.run(model, prompt, plan, items)
    settled = client.log(model.id, "C").settled()
    return summary, response_rows(plan, settled, model=model, dataset_version="0.1.0")


def one_reply(folder: Path, behaviour: Behaviour, **changes):
    with MockOpenAI(lambda prompt, earlier: behaviour) as server:
        changes = {"max_attempts": 1, **changes}
        _, rows = run(folder, remote_model(server.url, **changes), items_of(1))
    return rows[0]


def test_an_answer_is_kept_with_all_that_the_provider_said(tmp_path):
    with MockOpenAI() as server:
        summary, rows = run(tmp_path, remote_model(server.url), items_of(3))
        assert summary.calls_made == 3
        assert all(request["response_format"]["json_schema"]["strict"] for request in server.requests)
        assert {request["model"] for request in server.requests} == {"echo-2026-01-31"}
    row = rows[0]
    assert (row.outcome, row.content, row.attempts) == ("answered", GOOD, 1)
    assert (row.returned_model, row.fingerprint, row.finish_reason) == ("echo-2026-01-31", "fp_mock", "stop")
    assert (row.prompt_tokens, row.completion_tokens) == (700, 8)
    assert json.loads(row.raw_body or "")["id"] == "chatcmpl-1"
    assert row.schema_enforcement == "json_schema"


@pytest.mark.parametrize(
    ("behaviour", "outcome", "detail"),
    [
        (Behaviour(content=f"```json\n{GOOD}\n```"), "parse_fail", "fenced"),
        (Behaviour(content="It is clean."), "parse_fail", "not_json"),
        (Behaviour(content='{"verdict": "clean"}'), "schema_fail", "icfr: missing"),
        (Behaviour(content='{"icfr": "cl', finish_reason="length"), "truncated", None),
        (Behaviour(content=None, finish_reason="length"), "truncated", "no_content"),
        (Behaviour(content=""), "empty", "finish_reason=stop"),
        (Behaviour(content=None), "empty", "finish_reason=stop"),
        (Behaviour(content=None, refusal="No."), "refused", "refusal_field"),
        (Behaviour(content=GOOD, finish_reason="refusal"), "refused", "finish_reason"),
        (Behaviour(content=None, finish_reason="content_filter"), "filtered", "content_filter"),
        (Behaviour(status=400, body=b'{"error": {"code": "content_filter", "message": "blocked"}}'), "filtered", "input"),
        (
            Behaviour(status=400, body=b'{"error": {"code": "context_length_exceeded", "message": "too long"}}'),
            "refused",
            "context_length_exceeded",
        ),
        (Behaviour(status=400), "transport_fail", "http_400"),
        (Behaviour(status=500), "transport_fail", "http_500"),
        (Behaviour(status=429), "transport_fail", "http_429"),
        (Behaviour(body=b"<html>Bad gateway</html>"), "transport_fail", "unreadable_body"),
        (Behaviour(content='{"icfr": "\ud800"}'), "schema_fail", "icfr: string_unicode"),
    ],
)  # fmt: skip
def test_every_kind_of_reply_ends_in_its_outcome(tmp_path, behaviour, outcome, detail):
    row = one_reply(tmp_path, behaviour)
    assert (row.outcome, row.outcome_detail) == (outcome, detail)
    assert row.raw_body is not None


def test_a_reply_that_never_comes_is_given_up_at_the_time_limit(tmp_path):
    row = one_reply(tmp_path, Behaviour(hang=True), timeout_seconds=0.5)
    assert (row.outcome, row.outcome_detail, row.attempts) == ("transport_fail", "timeout", 1)


def test_a_reset_connection_is_a_transport_failure(tmp_path):
    row = one_reply(tmp_path, Behaviour(reset=True))
    assert (row.outcome, row.outcome_detail) == ("transport_fail", "connection")


def test_a_server_that_is_not_there_is_a_transport_failure(tmp_path):
    _, rows = run(tmp_path, remote_model("http://127.0.0.1:9/v1", max_attempts=1), items_of(1))
    assert (rows[0].outcome, rows[0].outcome_detail) == ("transport_fail", "connection")


def test_retries_are_ours_alone_and_each_attempt_is_a_line(tmp_path):
    with MockOpenAI(lambda prompt, earlier: Behaviour(status=500) if earlier < 2 else Behaviour()) as server:
        model = remote_model(server.url)
        _, rows = run(tmp_path, model, items_of(2))
        assert len(server.requests) == 6
    assert [(row.outcome, row.attempts) for row in rows] == [("answered", 3)] * 2
    lines = list(ModelClient(tmp_path).log(model.id, "C").attempts())
    assert Counter((line.outcome, line.final) for line in lines) == {
        ("transport_fail", False): 4,
        ("answered", True): 2,
    }


def test_spent_retries_are_asked_again_by_the_next_run_and_results_are_not(tmp_path):
    broken = {"on": True}

    def script(prompt: str, earlier: int) -> Behaviour:
        return Behaviour(status=503) if broken["on"] and "Filing 0" in prompt else Behaviour(content="prose")

    with MockOpenAI(script) as server:
        model = remote_model(server.url, max_attempts=2)
        _, rows = run(tmp_path, model, items_of(3))
        assert outcome_counts(rows) == {"parse_fail/not_json": 2, "transport_fail": 1}
        broken["on"] = False
        summary, rows = run(tmp_path, model, items_of(3))
        assert (summary.answered_before, summary.calls_made) == (2, 1)
        assert outcome_counts(rows) == {"parse_fail/not_json": 3}
        summary, _ = run(tmp_path, model, items_of(3))
        assert summary.calls_made == 0
        assert sum(server.asked.values()) == 2 + 2 + 1


def test_retry_after_is_obeyed_and_lowers_the_concurrency(tmp_path):
    limited = Behaviour(status=429, headers={"retry-after": "1"})
    with MockOpenAI(lambda prompt, earlier: limited if earlier == 0 else Behaviour()) as server:
        model = remote_model(server.url)
        summary, rows = run(tmp_path, model, items_of(8))
    assert outcome_counts(rows) == {"answered": 8}
    assert summary.lowest_concurrency == model.concurrency // 2 + 1
    log = list(ModelClient(tmp_path).log(model.id, "C").attempts())
    refused = [line for line in log if line.http_status == 429]
    assert all(line.retry_after_seconds == 1.0 for line in refused)
    for line in refused:
        after = next(
            other for other in log if other.request_key == line.request_key and other.attempt == line.attempt + 1
        )
        assert (after.started_at - line.finished_at).total_seconds() >= 1.0


def test_a_retry_after_of_an_hour_is_not_waited_for(tmp_path):
    row = one_reply(tmp_path, Behaviour(status=429, headers={"retry-after": "3600"}), max_attempts=5)
    assert (row.outcome, row.attempts) == ("transport_fail", 1)


def test_no_more_calls_are_in_flight_than_allowed(tmp_path):
    with MockOpenAI(lambda prompt, earlier: Behaviour(latency=0.02)) as server:
        run(tmp_path, remote_model(server.url, concurrency=3), items_of(20))
        assert server.most_in_flight == 3


def test_another_model_answering_stops_the_run_and_keeps_the_answers(tmp_path):
    def script(prompt: str, earlier: int) -> Behaviour:
        return Behaviour(model="echo-2026-06-30" if "Filing 3" in prompt else None)

    with MockOpenAI(script) as server:
        model = remote_model(server.url, concurrency=1)
        with pytest.raises(
            BenchError, match=r"'echo-2026-0[16]-3[01]' answered, and 'echo-2026-0[16]-3[01]' before it"
        ):
            run(tmp_path, model, items_of(8))
        asked = sum(server.asked.values())
    assert len(list(ModelClient(tmp_path).log(model.id, "C").attempts())) == asked


def test_calls_in_flight_at_a_stop_are_finished_and_kept(tmp_path):
    def script(prompt: str, earlier: int) -> Behaviour:
        return Behaviour(model="echo-2026-06-30") if "Filing 3" in prompt else Behaviour(latency=0.3)

    with MockOpenAI(script) as server:
        model = remote_model(server.url, concurrency=8)
        with pytest.raises(BenchError, match="answered, and"):
            run(tmp_path, model, items_of(8))
        assert sum(server.asked.values()) == 8
    assert len(list(ModelClient(tmp_path).log(model.id, "C").attempts())) == 8


def test_a_model_that_was_not_asked_for_stops_the_run_at_once_and_every_time(tmp_path, monkeypatch):
    monkeypatch.setenv("EXAMPLE_KEY", "example-key-0123456789")
    with MockOpenAI(lambda prompt, earlier: Behaviour(model="claude-haiku-4-5-20260601")) as server:
        model = ModelEntry(id="anthropic/claude-haiku-4-5-20251001", api_base=server.url.removesuffix("/v1"),
                           answers_as="claude-haiku-4-5-20251001", api_key_env="EXAMPLE_KEY", concurrency=1)  # fmt: skip
        for asked in (1, 2):
            with pytest.raises(BenchError, match="not the model that was asked for"):
                run(tmp_path, model, items_of(5))
            assert sum(server.asked.values()) == asked
    kept = list(ModelClient(tmp_path).log(model.id, "C").attempts())
    assert [line.returned_model for line in kept] == ["claude-haiku-4-5-20260601"] * 2


@pytest.mark.parametrize(
    ("changes", "returned", "is_it"),
    [
        ({"id": "openai/gpt-4.1-2025-04-14"}, "gpt-4.1-2025-04-14", True),
        ({"id": "openai/gpt-4.1-2025-04-14"}, "gpt-4.1-2025-06-01", False),
        ({"id": "openai/gpt-4.1-2025-04-14"}, "gpt-4.1", False),
        ({"id": "azure/gpt-4.1-2025-04-14", "route": "azure/my-deployment"}, "gpt-4.1-2025-04-14", True),
        ({"id": "gemini/gemini-2.5-pro-2025-06-17"}, "models/gemini-2.5-pro-2025-06-17", True),
        ({"id": "gemini/g-001", "answers_as": "g"}, "g", True),
        ({"id": "gemini/g-001", "answers_as": "g"}, "g-001", False),
        ({"id": "vllm/q@9216db57", "route": "openai/q", "api_base": "http://h/v1"}, "/models/q.gguf", True),
    ],
)  # fmt: skip
def test_what_the_provider_calls_itself_is_compared_with_what_was_asked(changes, returned, is_it):
    assert ModelEntry(**changes).is_answered_as(returned) is is_it


def test_headers_that_tell_what_served_a_call_are_kept_and_others_are_not(tmp_path):
    sent = {"x-ratelimit-remaining-requests": "3", "openai-version": "2020-10-01", "set-cookie": "s=1",
            "openai-organization": "o", "openai-processing-ms": "12"}  # fmt: skip
    with MockOpenAI(lambda prompt, earlier: Behaviour(headers=sent)) as server:
        model = remote_model(server.url)
        run(tmp_path, model, items_of(1))
    kept = next(iter(ModelClient(tmp_path).log(model.id, "C").attempts())).headers or {}
    assert {"x-ratelimit-remaining-requests", "openai-version", "openai-processing-ms", "x-request-id"} <= set(kept)
    assert not {"set-cookie", "openai-organization"} & set(kept)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refused_key_stops_at_the_first_call(tmp_path, status):
    with MockOpenAI(lambda prompt, earlier: Behaviour(status=status)) as server:
        with pytest.raises(ConfigurationError, match=str(status)):
            run(tmp_path, remote_model(server.url, concurrency=1), items_of(20))
        assert sum(server.asked.values()) == 1


def test_a_provider_that_is_down_is_not_hammered(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_DOWN_AFTER_FAILURES", 5)
    with MockOpenAI(lambda prompt, earlier: Behaviour(status=400)) as server:
        with pytest.raises(BenchError, match="5 calls in a row failed"):
            run(tmp_path, remote_model(server.url, concurrency=1), items_of(20))
        assert sum(server.asked.values()) == 5


def test_a_parameter_that_the_server_refuses_stops_the_run_with_its_words(tmp_path):
    body = b'{"error": {"message": "Unknown parameter: seed", "code": "unknown_parameter"}}'
    with MockOpenAI(lambda prompt, earlier: Behaviour(status=400, body=body)) as server:
        with pytest.raises(ConfigurationError, match=r"refuses every request .*Unknown parameter: seed"):
            run(tmp_path, remote_model(server.url, concurrency=1), items_of(40))
        assert sum(server.asked.values()) == 10


def test_items_that_the_server_refuses_among_others_stop_nothing(tmp_path):
    def script(prompt: str, earlier: int) -> Behaviour:
        return Behaviour() if prompt.count("Filing 1.") or prompt.count("Filing 2.") else Behaviour(status=400)

    with MockOpenAI(script) as server:
        _, rows = run(tmp_path, remote_model(server.url, concurrency=1), items_of(8))
    assert outcome_counts(rows) == {"answered": 2, "transport_fail": 6}


def test_a_missing_key_is_told_before_any_call(tmp_path, monkeypatch):
    monkeypatch.delenv("EXAMPLE_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="EXAMPLE_KEY is not set"):
        run(tmp_path, remote_model("http://127.0.0.1:9/v1", api_key_env="EXAMPLE_KEY"), items_of(1))


def test_the_key_is_sent_and_stands_nowhere_in_the_log_even_when_the_server_repeats_it(tmp_path, monkeypatch):
    secret = "sk-example-0123456789abcdef0123456789"
    monkeypatch.setenv("EXAMPLE_KEY", secret)
    body = json.dumps({"error": {"message": f"quota of {secret} spent"}}).encode()
    with MockOpenAI(lambda prompt, earlier: Behaviour(status=400, body=body)) as server:
        run(tmp_path, remote_model(server.url, api_key_env="EXAMPLE_KEY"), items_of(1))
        assert server.headers[0]["Authorization"] == f"Bearer {secret}"
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"quota of [key] spent" in written
    assert secret.encode() not in written


def test_progress_is_told(tmp_path):
    seen: list[tuple[int, int]] = []
    with MockOpenAI() as server, progress.listening(lambda what, done, total: seen.append((done, total))):
        run(tmp_path, remote_model(server.url), items_of(5))
    assert seen == [(number, 5) for number in range(1, 6)]


def test_two_runs_of_one_partition_cannot_both_pay(tmp_path):
    client, model = ModelClient(tmp_path), remote_model("http://127.0.0.1:9/v1")
    plan = plan_calls(items_of(1), model, prompts()["C"])
    with client.log(model.id, "C").writing(), pytest.raises(BenchError, match="another process"):
        client.run(model, prompts()["C"], plan, items_of(1))


def test_a_provider_with_a_form_of_its_own_is_read_from_its_raw_body(tmp_path, monkeypatch):
    """Anthropic's form: litellm maps `refusal` and the model name, so both are taken from the body."""
    monkeypatch.setenv("EXAMPLE_KEY", "example-key-0123456789")

    def script(prompt: str, earlier: int) -> Behaviour:
        if "Filing 1" in prompt:
            return Behaviour(finish_reason="refusal", content="")
        if "Filing 2" in prompt:
            return Behaviour(finish_reason="max_tokens")
        return Behaviour(finish_reason="end_turn")

    with MockOpenAI(script) as server:
        model = remote_model(
            server.url.removesuffix("/v1"), id="anthropic/claude-haiku-4-5-20251001", route=None,
            api_key_env="EXAMPLE_KEY", schema_keywords="basic",
        )  # fmt: skip
        _, rows = run(tmp_path, model, items_of(3))
    by_item = {row.item_id: row for row in rows}
    got = [(by_item[one.item_id].outcome, by_item[one.item_id].finish_reason) for one in items_of(3)]
    assert got == [("answered", "end_turn"), ("refused", "refusal"), ("truncated", "max_tokens")]
    assert {row.returned_model for row in rows} == {"claude-haiku-4-5-20251001"}
    assert all(json.loads(row.raw_body or "")["type"] == "message" for row in rows)
    assert {(row.prompt_tokens, row.completion_tokens) for row in rows} == {(700, 8)}


KILLED = """
import sys
sys.path.insert(0, {here!r})
from pathlib import Path
from evaluation_examples import remote_model
from test_model_client import items_of, run
run(Path({folder!r}), remote_model({url!r}, concurrency=4), items_of(60))
"""


def test_a_killed_run_loses_no_answer_and_pays_twice_only_what_was_in_flight(tmp_path):
    with MockOpenAI(lambda prompt, earlier: Behaviour(latency=0.05)) as server:
        code = KILLED.format(here=str(HERE), folder=str(tmp_path), url=server.url)
        process = subprocess.Popen([sys.executable, "-c", code], cwd=HERE.parents[1])
        deadline = time.monotonic() + 60
        while sum(server.asked.values()) < 20 and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        time.sleep(0.2)
        model = remote_model(server.url, concurrency=4)
        kept = sum(state.is_result for state in ModelClient(tmp_path).log(model.id, "C").settled().values())
        paid = sum(server.asked.values())
        assert 0 < kept < 60
        assert paid - kept <= 4
        summary, rows = run(tmp_path, model, items_of(60))
        assert summary.answered_before == kept
        assert outcome_counts(rows) == {"answered": 60}
        assert sum(server.asked.values()) == 60 + paid - kept
