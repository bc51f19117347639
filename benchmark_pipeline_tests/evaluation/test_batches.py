"""The batch API against a server that speaks its endpoints: one submission, whatever happens in between."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from evaluation_examples import item, prompts, remote_model
from mock_openai import Behaviour, MockOpenAI
from test_model_client import items_of

from benchmark_pipeline.errors import BenchError, ConfigurationError
from benchmark_pipeline.evaluation.planning import plan_calls
from benchmark_pipeline.evaluation.response_log import ResponseLog
from benchmark_pipeline.evaluation.responses import outcome_counts, response_rows
from benchmark_pipeline.resources.batches import require_batch_api
from benchmark_pipeline.resources.model_client import ModelClient
from benchmark_pipeline.storage import AppendLog

HERE = Path(__file__).resolve().parent
PRICE = {
    "input_per_million": 2.0,
    "output_per_million": 8.0,
    "batch_share": 0.5,
    "as_of": "2026-11-30",
    "source": "test",
}


def run(folder, model, items, **options):
    prompt = prompts()["C"]
    plan = plan_calls(items, model, prompt)
    client = ModelClient(folder, batch_poll_seconds=0.02)
    summary = client.run(model, prompt, plan, items, batch=True, **options)
    rows = response_rows(plan, client.log(model.name, "C").settled(), model=model, dataset_version="0.1.0")
    return summary, rows


def events(folder, model) -> list[dict]:
    return list(AppendLog(ModelClient(folder).log(model.name, "C").folder / "batches").read())


@pytest.mark.parametrize("provider", ["openai", "hosted_vllm"])
def test_a_batch_is_submitted_polled_and_recorded_at_its_own_price(tmp_path, provider):
    with MockOpenAI() as server:
        model = remote_model(server.url, price=PRICE, route=f"{provider}/echo-2026-01-31")
        summary, rows = run(tmp_path, model, items_of(5))
        again, _ = run(tmp_path, model, items_of(5))
        assert len(server.batches) == 1
        body = json.loads(server.files["file-0"].splitlines()[0])["body"]
    assert body["model"] == "echo-2026-01-31"
    assert body["response_format"]["json_schema"]["strict"] is True
    assert outcome_counts(rows) == {"answered": 5}
    assert {(row.returned_model, row.fingerprint, row.prompt_tokens) for row in rows} == {
        ("echo-2026-01-31", "fp_mock", 700)
    }
    assert rows[0].cost_usd == pytest.approx((700 * 2 + 8 * 8) / 1e6 / 2)
    assert summary.spent_usd == pytest.approx(5 * (rows[0].cost_usd or 0))
    assert [event["event"] for event in events(tmp_path, model)] == ["intent", "submitted", "collected"]
    assert (again.calls_made, again.answered_before) == (0, 5)


def test_errors_and_missing_lines_of_a_batch_are_outcomes_and_asked_again(tmp_path):
    def script(prompt: str, earlier: int) -> Behaviour:
        if earlier == 0 and "Filing 0" in prompt:
            return Behaviour(status=500)
        return Behaviour(hang=earlier == 0 and "Filing 1" in prompt)

    with MockOpenAI(script) as server:
        server.batch_status = "expired"
        model = remote_model(server.url)
        _, rows = run(tmp_path, model, items_of(4))
        assert outcome_counts(rows) == {"answered": 2, "transport_fail": 2}
        assert {row.outcome_detail for row in rows} == {None, "http_500", "batch_expired"}
        server.batch_status = "completed"
        summary, rows = run(tmp_path, model, items_of(4))
        assert outcome_counts(rows) == {"answered": 4}
        assert summary.calls_made == 2


def killed(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_batch_whose_process_died_while_waiting_is_collected_and_not_paid_again(tmp_path, monkeypatch):
    with MockOpenAI() as server:
        server.batch_status = "validating"
        model = remote_model(server.url)
        with monkeypatch.context() as patch:
            patch.setattr("benchmark_pipeline.resources.batches.time.sleep", killed)
            with pytest.raises(KeyboardInterrupt):
                run(tmp_path, model, items_of(3))
        server.batch_status = "completed"
        _, rows = run(tmp_path, model, items_of(3))
        assert len(server.batches) == 1
    assert outcome_counts(rows) == {"answered": 3}


def test_a_batch_that_was_created_and_not_yet_logged_is_found_by_its_token(tmp_path, monkeypatch):
    append = AppendLog.append

    def dies(self, record):
        if record.get("event") == "submitted":
            raise KeyboardInterrupt
        append(self, record)

    with MockOpenAI() as server:
        model = remote_model(server.url)
        with monkeypatch.context() as patch:
            patch.setattr(AppendLog, "append", dies)
            with pytest.raises(KeyboardInterrupt):
                run(tmp_path, model, items_of(3))
        _, rows = run(tmp_path, model, items_of(3))
        assert len(server.batches) == 1
    assert outcome_counts(rows) == {"answered": 3}


def test_a_submission_that_never_reached_the_provider_is_made_again(tmp_path):
    with MockOpenAI() as server:
        model = remote_model(server.url)
        log = AppendLog(ModelClient(tmp_path).log(model.name, "C").folder / "batches")
        log.append({"event": "intent", "token": "t", "request_keys": ["k"]})
        log.close()
        _, rows = run(tmp_path, model, items_of(2))
    assert outcome_counts(rows) == {"answered": 2}
    assert events(tmp_path, model)[1] == {"event": "collected", "token": "t", "status": "never_submitted"}


def test_a_refused_batch_is_told_with_the_providers_reason_and_can_be_submitted_again(tmp_path):
    with MockOpenAI() as server:
        server.batch_status = "failed"
        model = remote_model(server.url)
        with pytest.raises(BenchError, match="refused batch batch_0: no such model"):
            run(tmp_path, model, items_of(2))
        server.batch_status = "completed"
        _, rows = run(tmp_path, model, items_of(2))
    assert outcome_counts(rows) == {"answered": 2}


def test_a_budget_limits_what_is_submitted(tmp_path):
    with MockOpenAI() as server:
        model = remote_model(server.url, price=PRICE)
        items = [item("C", text=f"Filing {n}. " + "ICFR was effective. " * 125, company=str(n)) for n in range(6)]
        summary, rows = run(tmp_path, model, items, max_cost_usd=0.008)
    counts = outcome_counts(rows)
    assert summary.stopped_by_budget
    assert 0 < counts["answered"] < 6
    assert counts["answered"] + counts["not_run"] == 6
    assert summary.spent_usd <= 0.008


def test_a_provider_without_batches_in_the_openai_form_is_refused():
    model = remote_model("http://127.0.0.1:9/v1", route="anthropic/claude-haiku-4-5-20251001")
    with pytest.raises(ConfigurationError, match="not to anthropic"):
        require_batch_api(model)


def test_replies_of_a_batch_that_a_kill_left_half_recorded_are_recorded_once(tmp_path, monkeypatch):
    recorded = ResponseLog.append

    def dies_at_the_third(self, attempt):
        if sum(1 for _ in self.attempts()) == 2:
            raise KeyboardInterrupt
        recorded(self, attempt)

    with MockOpenAI() as server:
        model = remote_model(server.url)
        with monkeypatch.context() as patch:
            patch.setattr(ResponseLog, "append", dies_at_the_third)
            with pytest.raises(KeyboardInterrupt):
                run(tmp_path, model, items_of(5))
        summary, rows = run(tmp_path, model, items_of(5))
        assert len(server.batches) == 1
    assert (summary.answered_before, summary.calls_made) == (2, 3)
    assert outcome_counts(rows) == {"answered": 5}
    lines = list(ModelClient(tmp_path).log(model.name, "C").attempts())
    assert len({line.request_key for line in lines}) == len(lines) == 5


def test_an_attempt_that_a_batch_repeats_is_counted(tmp_path, monkeypatch):
    def script(prompt: str, earlier: int) -> Behaviour:
        return Behaviour(status=500 if earlier == 0 else 200)

    with MockOpenAI(script) as server:
        model = remote_model(server.url)
        server.batch_status = "validating"
        with monkeypatch.context() as patch:
            patch.setattr("benchmark_pipeline.resources.batches.time.sleep", killed)
            with pytest.raises(KeyboardInterrupt):
                run(tmp_path, model, items_of(2))
        server.batch_status = "completed"
        run(tmp_path, model, items_of(2))
        assert len(server.batches) == 2
    lines = list(ModelClient(tmp_path).log(model.name, "C").attempts())
    assert sorted((line.attempt, line.outcome) for line in lines) == [
        (1, "transport_fail"), (1, "transport_fail"), (2, "answered"), (2, "answered"),
    ]  # fmt: skip


KILLED = """
import sys
sys.path.insert(0, {here!r})
from pathlib import Path
from evaluation_examples import remote_model
from test_batches import run
from test_model_client import items_of
run(Path({folder!r}), remote_model({url!r}), items_of(4))
"""


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["created", "submitted"])
def test_a_process_killed_after_the_submission_pays_once(tmp_path, moment):
    """By SIGKILL: while the provider's yes is on its way, and while the batch is waited for."""
    with MockOpenAI() as server:
        server.batch_status = "validating"
        server.batch_created_delay = 3.0 if moment == "created" else 0.0
        code = KILLED.format(here=str(HERE), folder=str(tmp_path), url=server.url)
        process = subprocess.Popen([sys.executable, "-c", code], cwd=HERE.parents[1])
        model = remote_model(server.url)
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            told = [event["event"] for event in events(tmp_path, model)]
            if len(server.batches) == 1 and (moment == "created" or "submitted" in told):
                break
            time.sleep(0.02)
        process.kill()
        process.wait()
        assert ("submitted" in [event["event"] for event in events(tmp_path, model)]) == (moment == "submitted")
        server.batch_status = "completed"
        _, rows = run(tmp_path, model, items_of(4))
        assert len(server.batches) == 1
    assert outcome_counts(rows) == {"answered": 4}
