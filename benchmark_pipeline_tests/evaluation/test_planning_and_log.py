"""Plans cover the full item set; request keys tell requests apart; the log says what is left to do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from evaluation_examples import item, prompts, remote_model
from hypothesis import given
from hypothesis import strategies as st

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.evaluation.cost import dry_run
from benchmark_pipeline.evaluation.planning import check_plan, plan_calls, run_of
from benchmark_pipeline.evaluation.request import canonical_json
from benchmark_pipeline.evaluation.response_log import Attempt, ResponseLog, remaining, settle
from benchmark_pipeline.resources.retry import is_retried, retry_after_seconds, wait_seconds

URL = "http://127.0.0.1:9/v1"
NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


def plan(items, model=None):
    return plan_calls(items, model or remote_model(URL), prompts()["C"])


def test_a_plan_is_the_full_item_set_of_the_task():
    items = [item("C", company=str(number)) for number in range(5)] + [item("A")]
    assert sorted(call.item_id for call in plan(items)) == sorted(one.item_id for one in items[:5])


def test_candidates_left_out_and_items_rejected_by_a_reviewer_are_not_asked():
    items = [
        item("C"),
        item("C", company="2", reject_reason="near_duplicate"),
        item("C", company="3", review_status="rejected"),
    ]
    assert [call.item_id for call in plan(items)] == [items[0].item_id]


def test_a_sample_is_refused():
    items = [item("C", company=str(number)) for number in range(3)]
    with pytest.raises(BenchError, match="2 calls for 3 items"):
        check_plan(plan(items)[:2], items, "C")


def test_the_order_of_a_plan_does_not_follow_the_items():
    items = [item("C", company=str(number)) for number in range(30)]
    assert [call.request_key for call in plan(items)] == [call.request_key for call in plan(items[::-1])]
    assert [call.item_id for call in plan(items)] != [one.item_id for one in items]


def test_whatever_can_move_the_answer_moves_the_request_key():
    one = item("C")
    base = remote_model(URL)
    others = [
        plan([one], remote_model(URL, id="example/echo-2026-06-30"))[0],
        plan([one], remote_model(URL, parameters={"temperature": 0.7}))[0],
        plan([one], remote_model(URL, parameters={"max_tokens": 99}))[0],
        plan([one], remote_model(URL, schema_enforcement="none"))[0],
        plan([one], remote_model(URL, repeat=1))[0],
        plan([item("C", text="Another text.")])[0],
        plan([item("C", fiscal_year_end="2022-12-31")])[0],
    ]
    keys = {call.request_key for call in [plan([one], base)[0], *others]}
    assert len(keys) == 8


def test_a_run_has_one_id_over_all_tasks_and_another_when_its_settings_change():
    one = remote_model(URL)
    runs = {plan_calls([item(task)], one, prompts()[task])[0].run_id for task in "ABCD"}
    assert len(runs) == 1
    assert runs.isdisjoint({run_of(remote_model(URL, repeat=1)), run_of(remote_model(URL, parameters={"seed": 1}))})


def test_what_cannot_move_the_answer_does_not():
    one = item("C")
    same = plan([one], remote_model("http://127.0.0.1:10/v1", concurrency=99, timeout_seconds=7))[0]
    assert same.request_key == plan([one])[0].request_key


def test_a_lone_surrogate_in_an_item_is_told_by_name():
    with pytest.raises(BenchError, match="lone surrogate at character 4"):
        plan([item("C", text="text\ud800")])


@given(st.dictionaries(st.text(), st.one_of(st.integers(), st.text(), st.none(), st.booleans())))
def test_canonical_json_does_not_depend_on_order(value):
    assert canonical_json(value) == canonical_json(dict(reversed(value.items())))
    canonical_json(value).encode("ascii")


def attempt(key: str, outcome: str, *, final: bool = True, number: int = 1, **changes) -> Attempt:
    call = plan([item("C")])[0]
    values = {
        "request_key": key, "run_id": call.run_id, "model_id": call.model_id, "task": "C", "item_id": call.item_id,
        "prompt_version": "pv1", "prompt_sha256": call.prompt_sha256, "parameters": "{}", "schema_enforcement": "none",
        "attempt": number, "final": final, "outcome": outcome, "started_at": NOW + timedelta(seconds=number),
        "finished_at": NOW + timedelta(seconds=number, milliseconds=500),
    }  # fmt: skip
    return Attempt.model_validate(values | changes)


def test_the_first_result_decides_and_is_never_rolled_again():
    state = settle([attempt("a" * 64, "parse_fail"), attempt("a" * 64, "answered", number=2)])["a" * 64]
    assert (state.last.outcome, state.attempts) == ("parse_fail", 2)


def test_a_transport_failure_gives_way_to_what_comes_later():
    log = [
        attempt("a" * 64, "transport_fail", final=False),
        attempt("a" * 64, "transport_fail", number=2),
        attempt("a" * 64, "answered", number=3),
    ]
    assert settle(log[:2])["a" * 64].is_result is False
    state = settle(log)["a" * 64]
    assert (state.last.outcome, state.attempts, state.is_result) == ("answered", 3, True)
    assert state.first_started_at == NOW + timedelta(seconds=1)


def test_what_remains_is_the_plan_without_the_results():
    calls = plan([item("C", company=str(number)) for number in range(3)])
    settled = settle([attempt(calls[0].request_key, "empty"), attempt(calls[1].request_key, "transport_fail")])
    assert remaining(calls, settled) == calls[1:]


def test_a_line_cut_by_a_kill_is_counted_and_the_others_are_read(tmp_path):
    log = ResponseLog(tmp_path, "example/m-2026-01-31", "C")
    log.append(attempt("a" * 64, "answered", content="\ud800 lone"))
    log.close()
    path = next(log.folder.glob("*.jsonl"))
    path.write_bytes(path.read_bytes() + path.read_bytes()[:100])
    assert [line.content for line in log.attempts()] == ["\ud800 lone"]
    assert log.torn_lines == 1


def test_models_whose_ids_differ_in_punctuation_have_logs_of_their_own(tmp_path):
    assert ResponseLog(tmp_path, "a/b@c", "C").folder != ResponseLog(tmp_path, "a/b/c", "C").folder


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("2", 2.0), ("0.5", 0.5), ("-3", 0.0), ("Sat, 31 Jan 2026 12:00:30 GMT", 30.0), ("Sat, 31 Jan 2026 11:00:00 GMT", 0.0),
     ("soon", None), ("", None), (None, None), ("nan", None), ("inf", None)],
)  # fmt: skip
def test_retry_after_is_seconds_or_a_date(value, seconds):
    assert retry_after_seconds(value, now=NOW) == seconds


def test_what_is_tried_again():
    assert [status for status in (None, 400, 401, 404, 408, 409, 422, 429, 500, 503, 529) if is_retried(status)] == [
        None, 408, 409, 429, 500, 503, 529,
    ]  # fmt: skip


@given(st.integers(1, 20), st.one_of(st.none(), st.floats(0, 300)))
def test_a_wait_is_never_shorter_than_asked_nor_longer_than_the_cap(number, asked):
    wait = wait_seconds(number, asked)
    assert (asked or 0) <= wait <= (30 if asked is None else asked * 1.1 + 0.05)


def test_a_dry_run_tells_calls_tokens_and_cost_without_a_call():
    price = {"input_per_million": 2.0, "output_per_million": 8.0, "as_of": "2026-11-30", "source": "test"}
    model = remote_model(URL, price=price)
    calls = plan([item("C", company=str(number)) for number in range(10)], model)
    estimate = dry_run(calls, model)
    assert (estimate.calls, estimate.output_tokens_at_most) == (10, 320)
    assert estimate.prompt_tokens == pytest.approx(10 * len(calls[0].messages[0]["content"]) / 4, rel=0.1)
    assert estimate.cost_usd_at_most == pytest.approx((2 * estimate.prompt_tokens + 8 * 320) / 1e6)
    assert dry_run(calls, remote_model(URL)).cost_usd_at_most is None
