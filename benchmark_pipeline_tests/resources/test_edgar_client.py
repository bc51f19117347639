from __future__ import annotations

import asyncio
import errno
import gzip
import os
import subprocess
import sys
import time
import zlib
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from edgar_example import client_for, path_of, settings_for, wanted, write_site
from hypothesis import given
from hypothesis import strategies as st

from benchmark_pipeline import progress
from benchmark_pipeline.demo.faults import Fault, FaultPlan
from benchmark_pipeline.demo.replay import ReplayRequest, ReplayResponse, ReplayServer
from benchmark_pipeline.errors import BenchError, ConfigurationError
from benchmark_pipeline.resources import edgar
from benchmark_pipeline.resources.edgar import Wanted, require_identity
from benchmark_pipeline.resources.edgar_answers import (
    Verdict,
    a_document,
    a_master_index,
    decompressed,
    header_of,
    read_answer,
    submissions_of,
)
from benchmark_pipeline.resources.request_rate import Place, RequestRate
from benchmark_pipeline.resources.turn import Turn
from benchmark_pipeline.storage import DocumentStore

INDEX = "/Archives/edgar/full-index/2025/QTR1/master.idx"


def make_site(tmp_path: Path, count: int = 3) -> Path:
    site = tmp_path / "site"
    write_site(site, count)
    index = site / "www" / INDEX.lstrip("/")
    index.parent.mkdir(parents=True)
    index.write_text(
        "CIK|Company Name|Form Type|Date Filed|Filename\n" + "-" * 80 + "\n"
        "100|A CORP|10-K|2025-02-28|edgar/data/100/0000000100-25-000001.txt\n"
    )
    (site / "data/submissions").mkdir(parents=True)
    (site / "data/submissions/CIK0000000100.json").write_text('{"cik": "100", "filings": {}}')
    return site


@pytest.mark.parametrize(
    "identity", [None, "", "Jane Doe", "jane@example.org", "<jane@example.org>", "Jané jane@example.org"]
)
def test_no_request_without_a_name_and_an_address(tmp_path: Path, identity: str | None) -> None:
    settings = settings_for(tmp_path, "http://127.0.0.1:1", edgar_identity=identity)
    with pytest.raises(ConfigurationError, match="ICFR_BENCH_EDGAR_IDENTITY="):
        client_for(settings)


def test_identity_is_sent_with_every_request(tmp_path: Path) -> None:
    with ReplayServer(make_site(tmp_path)) as server:
        settings = settings_for(tmp_path, server.url)
        assert require_identity(settings) == "Jane Doe jane@example.org"
        with client_for(settings) as client:
            client.fetch(wanted(3), "documents")
        assert {arrival.user_agent for arrival in server.arrivals} == {"Jane Doe jane@example.org"}


def test_a_document_is_asked_once_whatever_process_asks(tmp_path: Path) -> None:
    with ReplayServer(make_site(tmp_path)) as server:
        settings = settings_for(tmp_path, server.url)
        with client_for(settings) as client:
            first = client.fetch([*wanted(3), *wanted(3)], "documents")
        with client_for(settings) as client:
            again = client.fetch(wanted(3), "documents")
            assert client.body(again[1]).startswith(b"<html><body>annual report 1 ")
        assert len(server.arrivals) == 3
        assert [answer.sha256 for answer in again] == [answer.sha256 for answer in first[:3]]
        assert all(answer.from_log for answer in again)


def test_a_document_whose_body_was_lost_is_asked_again(tmp_path: Path) -> None:
    with ReplayServer(make_site(tmp_path)) as server:
        settings = settings_for(tmp_path, server.url)
        with client_for(settings) as client:
            (answer,) = client.fetch(wanted(1), "documents")
        Path(DocumentStore(settings.storage_root).path(str(answer.sha256))).unlink()
        with client_for(settings) as client:
            (answer,) = client.fetch(wanted(1), "documents")
            assert client.body(answer)
        assert len(server.arrivals) == 2


def test_a_missing_document_is_a_result_that_is_not_asked_again(tmp_path: Path) -> None:
    with ReplayServer(make_site(tmp_path)) as server:
        settings = settings_for(tmp_path, server.url)
        for _ in range(2):
            with client_for(settings) as client:
                (answer,) = client.fetch([Wanted("www", path_of(99))], "documents")
                assert (answer.problem, answer.status, answer.sha256) == ("not_found", 404, None)
                with pytest.raises(BenchError, match="not_found"):
                    client.body(answer)
        assert len(server.arrivals) == 1


def test_a_document_that_is_not_there_yet_is_asked_again_until_a_week_after_its_filing(tmp_path: Path) -> None:
    today = datetime.now(UTC).date()
    with ReplayServer(make_site(tmp_path)) as server:
        settings = settings_for(tmp_path, server.url)
        new = Wanted("www", path_of(99), filed=today - timedelta(days=2))
        old = Wanted("www", path_of(98), filed=today - timedelta(days=9))
        for _ in range(2):
            with client_for(settings) as client:
                assert {answer.problem for answer in client.fetch([new, old], "documents")} == {"not_found"}
                client.fetch([new, old], "documents")
        assert sorted(server.counts.values()) == [1, 2]
        late = tmp_path / "site/www" / path_of(99).lstrip("/")
        late.parent.mkdir(parents=True)
        late.write_text("<html>there at last</html>")
        with client_for(settings) as client:
            (answer,) = client.fetch([new], "documents")
            assert client.body(answer) == b"<html>there at last</html>"


def test_an_index_of_a_past_snapshot_is_asked_once_and_a_growing_one_conditionally(tmp_path: Path) -> None:
    index = Wanted("www", INDEX, a_master_index, mutable=True)
    with ReplayServer(make_site(tmp_path)) as server:
        for _ in range(2):
            with client_for(settings_for(tmp_path / "past", server.url)) as client:
                client.fetch([index], "indexes")
        assert len(server.arrivals) == 1
        for _ in range(2):
            with client_for(settings_for(tmp_path / "today", server.url, snapshot_date=None)) as client:
                (answer,) = client.fetch([index], "indexes")
                client.fetch([index], "indexes")
                assert client.body(answer).startswith(b"CIK|")
        assert [arrival.status for arrival in server.arrivals] == [200, 200, 304]


def test_a_quarter_that_is_settled_is_not_asked_again_without_a_snapshot_date(tmp_path: Path) -> None:
    index = Wanted("www", INDEX, a_master_index, mutable=True, changed_until=date(2025, 6, 30))
    with ReplayServer(make_site(tmp_path)) as server:
        for _ in range(2):
            with client_for(settings_for(tmp_path, server.url, snapshot_date=None)) as client:
                client.fetch([index], "indexes")
        assert len(server.arrivals) == 1


@pytest.mark.parametrize(
    "kind",
    ["too_many_requests", "unavailable", "truncated", "cut_body", "reset", "maintenance_page", "wrong_body", "access_denied",
     "rate_threshold", "slow"],
)  # fmt: skip
def test_every_passing_fault_ends_with_the_document_and_nothing_else_in_the_store(tmp_path: Path, kind: Any) -> None:
    plan = FaultPlan([Fault(kind, seconds=0.01)])
    with (
        ReplayServer(make_site(tmp_path), faults=plan) as server,
        client_for(settings_for(tmp_path, server.url)) as client,
    ):
        (answer,) = client.fetch(wanted(1), "documents")
        assert client.body(answer).endswith(b"controls </body></html>")
        assert len(server.arrivals) == (1 if kind == "slow" else 2)
        assert plan.played[kind] == 1
    assert len(list((tmp_path / "data").rglob("*.zst")) + list((tmp_path / "full").rglob("*.zst"))) == 1


def test_retry_after_is_obeyed(tmp_path: Path) -> None:
    plan = FaultPlan([Fault("too_many_requests", retry_after="1")])
    with (
        ReplayServer(make_site(tmp_path), faults=plan) as server,
        client_for(settings_for(tmp_path, server.url)) as client,
    ):
        client.fetch(wanted(1), "documents")
        first, second = server.arrivals
    assert second.monotonic - first.monotonic >= 1.0


def test_a_pause_that_is_asked_of_one_request_is_asked_of_all(tmp_path: Path) -> None:
    plan = FaultPlan([Fault("too_many_requests", retry_after="1")])
    with ReplayServer(make_site(tmp_path, 40), faults=plan) as server:
        with client_for(settings_for(tmp_path, server.url), rate=RequestRate(50.0), concurrency=4) as client:
            client.fetch(wanted(40), "documents")
        refused = next(arrival.monotonic for arrival in server.arrivals if arrival.status == 429)
        # What was under way when the refusal was read still arrives; at 50 a second the rest would be done before the end.
        assert not [one for one in server.arrivals if refused + 0.5 < one.monotonic < refused + 1.0]
        assert len(server.arrivals) == 41


def test_a_pause_longer_than_a_run_may_wait_ends_it_at_once(tmp_path: Path) -> None:
    plan = FaultPlan([Fault("unavailable", retry_after="3600", times=9)])
    with ReplayServer(make_site(tmp_path), faults=plan) as server:
        with client_for(settings_for(tmp_path, server.url)) as client:  # noqa: SIM117
            with pytest.raises(BenchError, match=r"1 attempts.*pause of 3600 s"):
                client.fetch(wanted(1), "documents")
        assert len(server.arrivals) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_an_answer_and_leads_nowhere(tmp_path: Path, status: int) -> None:
    with ReplayServer(make_site(tmp_path / "inside")) as inside:

        def lead_away(_: ReplayRequest) -> ReplayResponse:
            return ReplayResponse(status, b"moved", {"Location": f"{inside.url}/www{path_of(0)}"})

        with (
            ReplayServer(tmp_path, mounts={"/www": lead_away}) as server,
            client_for(settings_for(tmp_path, server.url)) as client,
        ):
            (answer,) = client.fetch(wanted(1), "documents")
            with pytest.raises(BenchError, match="wrong_document"):
                client.download("www", "/files/a.zip", "archive")
        assert (answer.problem, answer.status, answer.sha256) == ("wrong_document", status, None)
        assert len(server.arrivals) == 2
        assert inside.arrivals == []


def test_a_403_that_stays_is_asked_twice_and_doubted_by_the_next_run(tmp_path: Path) -> None:
    plan = FaultPlan([Fault("access_denied", times=2)])
    with ReplayServer(make_site(tmp_path), faults=plan) as server:
        settings = settings_for(tmp_path, server.url)
        with client_for(settings) as client:
            (answer,) = client.fetch(wanted(1), "documents")
        assert (answer.problem, answer.status, len(server.arrivals)) == ("access_denied", 403, 2)
        with client_for(settings) as client:
            (answer,) = client.fetch(wanted(1), "documents")
        assert answer.sha256 is not None


@pytest.mark.parametrize(
    ("status", "title", "meaning"),
    [
        (403, "SEC.gov | Your Request Originates from an Undeclared Automated Tool", "undeclared_tool"),
        (403, "SEC.gov | Request Rate Threshold Exceeded", "rate_threshold"),
        (429, "SEC.gov | Request Rate Threshold Exceeded", "rate_threshold"),
        (200, "SEC.gov | Request Rate Threshold Exceeded", "rate_threshold"),
        (403, "Forbidden", "access_denied"),
        (429, "Slow down", "busy"),
        (503, "SEC.gov | Site Maintenance", "busy"),
        (200, "SEC.gov | Site Maintenance", "maintenance_page"),
        (200, "SEC.gov | Home", "wrong_document"),
        (200, "Annual report of a maintenance company", "ok"),
        (404, "Not found", "not_found"),
        (302, "Found", "wrong_document"),
    ],
)
def test_the_words_of_a_page_tell_what_its_status_leaves_open(status: int, title: str, meaning: str) -> None:
    body = f"<html><head><title>{title}</title></head><body>{title}</body></html>".encode()
    assert read_answer(status, "/Archives/edgar/data/100/a.htm", body, a_document).meaning == meaning


def test_a_compressed_body_is_whole_or_nothing_and_never_larger_than_allowed() -> None:
    plain = b"controls " * 1000
    packed = gzip.compress(plain)
    assert decompressed(packed, "gzip", 10_000) == plain
    assert decompressed(gzip.compress(b"one ") + gzip.compress(b"two"), "gzip", 100) == b"one two"
    assert decompressed(zlib.compress(plain), "deflate", 10_000) == plain
    assert decompressed(zlib.compress(plain)[2:-4], "deflate", 10_000) == plain
    for broken in (packed[:-1], packed[:40], packed + b"more", b"plain"):
        assert decompressed(broken, "gzip", 10_000) == Verdict(
            "truncated", "the compressed body is cut short or broken"
        )
    bomb = gzip.compress(b"0" * 50_000_000)
    assert len(bomb) < 100_000
    assert decompressed(bomb, "gzip", 1_000_000) == Verdict("too_large", "more than 1000000 bytes unpacked")
    unknown = decompressed(b"x", "br", 10)
    assert isinstance(unknown, Verdict)
    assert unknown.meaning == "wrong_document"


def test_an_undeclared_tool_stops_the_run_at_once(tmp_path: Path) -> None:
    plan = FaultPlan([Fault("undeclared_tool", times=99)])
    with ReplayServer(make_site(tmp_path), faults=plan) as server:
        with client_for(settings_for(tmp_path, server.url), concurrency=1) as client:  # noqa: SIM117
            with pytest.raises(ConfigurationError, match="undeclared"):
                client.fetch(wanted(3), "documents")
        assert len(server.arrivals) == 1


def test_the_threshold_page_pauses_then_halves_the_rate_and_stops_when_it_stays(tmp_path: Path) -> None:
    rate = RequestRate(1000.0)
    plan = FaultPlan([Fault("rate_threshold", times=1)])
    with ReplayServer(make_site(tmp_path), faults=plan) as server:
        settings = settings_for(tmp_path, server.url)
        with client_for(settings, rate=rate, concurrency=1, threshold_pause_seconds=0.3) as client:
            client.fetch(wanted(1), "documents")
        first, second = server.arrivals
        assert second.monotonic - first.monotonic >= 0.3
        assert rate.rate == 500.0
        plan.faults.append(Fault("rate_threshold", times=99))
        with client_for(settings, rate=rate, concurrency=1) as client, pytest.raises(BenchError, match="throttles"):
            client.fetch(wanted(3), "documents")


def test_a_service_that_stays_down_ends_with_a_clear_error_and_keeps_what_is_there(tmp_path: Path) -> None:
    plan = FaultPlan([Fault("unavailable", path="000002", times=99)])
    with ReplayServer(make_site(tmp_path), faults=plan) as server:
        settings = settings_for(tmp_path, server.url)
        with client_for(settings, concurrency=1) as client, pytest.raises(BenchError, match=r"7 attempts.*status 503"):
            client.fetch(wanted(3), "documents")
        plan.faults.clear()
        before = len(server.arrivals)
        with client_for(settings) as client:
            client.fetch(wanted(3), "documents")
        assert len(server.arrivals) == before + 1


def test_an_index_that_does_not_exist_is_told_from_one_that_is_denied_for_a_moment(tmp_path: Path) -> None:
    plan = FaultPlan([Fault("access_denied", path="QTR1")])
    absent = Wanted("www", INDEX.replace("QTR1", "QTR2"), a_master_index, mutable=True)
    present = Wanted("www", INDEX, a_master_index, mutable=True)
    with (
        ReplayServer(make_site(tmp_path), faults=plan) as server,
        client_for(settings_for(tmp_path, server.url)) as client,
    ):
        missing, there = client.fetch([absent, present], "indexes")
    assert (missing.problem, missing.status) == ("not_found", 403)
    assert there.sha256 is not None


def test_a_body_of_another_registrant_or_filing_is_never_stored(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    (site / "data/submissions/CIK0000000100.json").write_text('{"cik": "200", "filings": {"recent": {}}}')
    mine = Wanted("data", "/submissions/CIK0000000100.json", submissions_of("0000000100"), mutable=True)
    header = Wanted("www", path_of(0), header_of("0000000100-25-000001"))
    with ReplayServer(site) as server, client_for(settings_for(tmp_path, server.url)) as client:
        answers = client.fetch([mine, header], "lists")
    assert [(answer.problem, answer.sha256) for answer in answers] == [("wrong_document", None)] * 2


def test_html_that_ends_without_its_tag_is_accepted_when_it_comes_twice(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    (site / "www" / path_of(0).lstrip("/")).write_text("<html><body>old filings end like this")
    with ReplayServer(site) as server, client_for(settings_for(tmp_path, server.url)) as client:
        (answer,) = client.fetch(wanted(1), "documents")
        assert client.body(answer) == b"<html><body>old filings end like this"
        assert len(server.arrivals) == 2


def test_a_full_disk_is_a_clear_error_and_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ReplayServer(make_site(tmp_path, 10)) as server:
        settings = settings_for(tmp_path, server.url)
        write, written = Path.write_bytes, []

        def write_until_full(path: Path, body: bytes) -> int:
            written.append(path)
            if len(written) > 4:
                write(path, body[: len(body) // 2])
                raise OSError(errno.ENOSPC, "No space left on device")
            return write(path, body)

        monkeypatch.setattr(Path, "write_bytes", write_until_full)
        with client_for(settings) as client, pytest.raises(BenchError, match="no space left"):
            client.fetch(wanted(10), "documents")
        monkeypatch.undo()
        left = [path for path in settings.folder.rglob("*") if path.is_file() and path.suffix != ".jsonl"]
        assert len(left) == 4
        store = DocumentStore(settings.storage_root)
        assert all(store.get(path.stem).endswith(b"</html>") for path in left)
        with client_for(settings) as client:
            assert all(answer.sha256 for answer in client.fetch(wanted(10), "documents"))


def test_progress_ends_at_the_total(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    with ReplayServer(make_site(tmp_path)) as server, client_for(settings_for(tmp_path, server.url)) as client:  # noqa: SIM117
        with progress.listening(lambda *line: told.append(line)):
            client.fetch(wanted(3), "documents")
    assert told[0] == ("documents", 0, 3)
    assert told[-1] == ("documents", 3, 3)


def test_a_pull_under_scattered_faults_gets_every_document_once(tmp_path: Path) -> None:
    plan = FaultPlan.scattered(
        0.3, ("too_many_requests", "unavailable", "truncated", "cut_body", "reset", "maintenance_page", "wrong_body"),
        seed=3, retry_after="0",
    )  # fmt: skip
    with ReplayServer(make_site(tmp_path, 150), faults=plan) as server:  # noqa: SIM117
        with client_for(settings_for(tmp_path, server.url)) as client:
            answers = client.fetch(wanted(150), "documents")
            bodies = {client.body(answer) for answer in answers}
    assert len(bodies) == 150
    assert all(body.endswith(b"</html>") for body in bodies)
    assert set(plan.played) == set(plan.kinds)


def test_no_window_of_a_second_holds_more_than_the_rate() -> None:
    now = [0.0]
    rate = RequestRate(8.0, clock=lambda: now[0])
    sent = []
    while len(sent) < 400:
        found = rate.try_take()
        if isinstance(found, Place):
            rate.sent(found)
            sent.append(now[0])
            now[0] += 0.0 if len(sent) % 100 else 5.0  # an idle time, after which a token bucket would burst
        else:
            now[0] += found
    assert max(sum(1 for later in sent if start <= later < start + 1.0) for start in sent) <= 8
    busy = sent[1:100]
    assert len(busy) / (busy[-1] - busy[0]) >= 0.95 * 8


def test_a_late_wake_and_a_slow_start_cost_no_rate() -> None:
    now = [0.0]
    rate = RequestRate(8.0, clock=lambda: now[0])
    sent: list[float] = []
    while len(sent) < 400:
        found = rate.try_take(lead=0.05)
        if isinstance(found, Place):
            now[0] += 0.01  # the request is built, and its connection looked for
            now[0] += max(0.0, rate.seconds_left(found))
            rate.sent(found)
            sent.append(now[0])
        else:
            now[0] += found + 0.035  # woken late each time
    assert max(sum(1 for later in sent if start <= later < start + 1.0) for start in sent) <= 8
    assert (len(sent) - 1) / (sent[-1] - sent[0]) >= 0.97 * 8


def test_a_pause_holds_a_request_that_has_its_place_already() -> None:
    rate = RequestRate(1000.0)
    held = asyncio.run(rate.take())
    rate.pause(0.2)
    before = time.monotonic()
    asyncio.run(rate.until_due(held))
    assert time.monotonic() - before >= 0.2


@given(delays=st.lists(st.floats(0.0, 2.0), min_size=20, max_size=80), lead=st.sampled_from([0.0, 0.05]))
def test_requests_that_reach_the_socket_late_and_out_of_order_make_no_burst(delays: list[float], lead: float) -> None:
    now = [0.0]
    rate = RequestRate(8.0, clock=lambda: now[0])
    sent: list[float] = []
    under_way: list[tuple[float, Place]] = []
    waiting = list(delays)
    while waiting or under_way:
        found = rate.try_take(lead) if waiting else 1.0
        if isinstance(found, Place):
            under_way.append((found.due + waiting.pop(), found))
            continue
        step = now[0] + found
        for due, place in sorted((one for one in under_way if one[0] <= step), key=lambda one: one[0]):
            now[0] = max(now[0], due)
            rate.sent(place)
            sent.append(now[0])
            under_way.remove((due, place))
        now[0] = max(now[0], step)
    assert len(sent) == len(delays)
    assert max(sum(1 for later in sent if start <= later < start + 1.0) for start in sent) <= 8


def test_pause_and_halving_hold_for_everyone() -> None:
    now = [0.0]
    rate = RequestRate(4.0, clock=lambda: now[0])
    first = rate.try_take()
    assert isinstance(first, Place)
    rate.sent(first)
    rate.pause(600.0)
    rate.halve()
    assert rate.try_take() == pytest.approx(600.0)
    now[0] = 601.0
    assert isinstance(rate.try_take(), Place)
    assert rate.rate == 2.0


def test_another_process_that_asks_edgar_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turn = Turn("EDGAR", tmp_path)
    monkeypatch.setattr(edgar, "EDGAR_TURN", turn)
    hold = "import sys, asyncio, pathlib; from benchmark_pipeline.resources.turn import Turn; " \
        "asyncio.run(Turn('EDGAR', pathlib.Path(sys.argv[1])).take()); print('held', flush=True); sys.stdin.read()"  # fmt: skip
    other = subprocess.Popen(
        [sys.executable, "-c", hold, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
    )  # fmt: skip
    told: list[str] = []
    with ReplayServer(make_site(tmp_path)) as server:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"

        def end_the_other(what: str, *_: int) -> None:
            told.append(what)
            if what.startswith("waiting"):
                assert server.arrivals == []
                other.kill()

        settings = settings_for(tmp_path, server.url)
        with progress.listening(end_the_other), client_for(settings, rate=RequestRate(100.0)) as client:
            client.fetch(wanted(1), "documents")
            with client_for(settings, rate=RequestRate(100.0)) as second:  # of the same process: not waited for
                second.fetch(wanted(2), "documents")
    other.wait()
    assert len(server.arrivals) == 2
    assert turn._handle is None
    asyncio.run(turn.take())
    turn.give_back()
