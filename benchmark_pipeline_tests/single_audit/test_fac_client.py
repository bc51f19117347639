"""The FAC client against a server that answers as the API does: paging, failures, keys, resuming."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from single_audit_rows import REPORT_ID, finding, general, text

from benchmark_pipeline.demo.fac_replay import FacFault, FacReplay
from benchmark_pipeline.demo.replay import ReplayRequest, ReplayServer
from benchmark_pipeline.errors import BenchError, ConfigurationError
from benchmark_pipeline.resources import fac as fac_module
from benchmark_pipeline.resources.fac import ENDPOINTS, FacClient
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore

COLUMNS = {name: dict.fromkeys(endpoint.columns, "") for name, endpoint in ENDPOINTS.items()}


def served(name: str, **values: Any) -> dict[str, Any]:
    return {
        **COLUMNS[name],
        "fac_accepted_date": "2024-03-01",
        **{k: v for k, v in values.items() if k in COLUMNS[name]},
    }


def tables(
    findings: list[dict[str, Any]], texts: list[dict[str, Any]] | None = None
) -> dict[str, list[dict[str, Any]]]:
    return {
        "general": [served("general", **general())],
        "findings": [served("findings", **row) for row in findings],
        "findings_text": [served("findings_text", **row) for row in (texts or [text()])],
        "corrective_action_plans": [served("corrective_action_plans", **text(), planned_action="Do it.")],
    }


class InProcess(httpx.BaseTransport):
    """Hands requests to the replay handler without a socket."""

    def __init__(self, handler: FacReplay) -> None:
        self.handler = handler

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        answer = self.handler(
            ReplayRequest(request.method, request.url.path, list(request.url.params.multi_items()), headers)
        )
        return httpx.Response(answer.status, headers=answer.headers, content=answer.body)


class Bench:
    """A client of a handler, and how long it waited."""

    def __init__(self, folder: Path, handler: FacReplay, page_size: int = 5000, **changes: Any) -> None:
        self.waits: list[float] = []
        self.handler = handler
        values = {"data_root": folder, "fac_url": "https://fac.invalid", "fac_api_key": "SECRET-KEY", **changes}
        self.settings = Settings.model_validate({"snapshot_date": date(2024, 6, 30), **values})
        self.documents = DocumentStore(str(folder))
        self.client = FacClient(
            self.settings,
            self.documents,
            transport=InProcess(handler),
            page_size=page_size,
            sleep=self.waits.append,
        )

    def findings(self) -> list[Any]:
        return [row for page in self.client.pages("findings", {"audit_year": "eq.2023"}) for row in page.rows]


@settings(max_examples=40, deadline=None)
@given(count=st.integers(0, 40), page_size=st.integers(1, 13), shift=st.integers(0, 6))
def test_paging_gives_every_row_once_whatever_the_page_size(count: int, page_size: int, shift: int) -> None:
    rows = [finding(f"2023-{(n + shift) % 7:03d}", award=f"AWARD-{n:04d}") for n in range(count)]
    with TemporaryDirectory() as folder:
        bench = Bench(Path(folder), FacReplay(tables(rows)), page_size)
        received = bench.findings()
        bench.client.close()
    keys = [(row["report_id"], row["reference_number"], row["award_reference"]) for row in received]
    assert sorted(keys) == sorted((REPORT_ID, row["reference_number"], row["award_reference"]) for row in rows)
    assert keys == sorted(keys)
    # It stops at a short page; only a last page that is exactly full needs one request more.
    assert bench.client.requests == count // page_size + 1


def test_every_request_pins_the_schema_names_its_columns_and_orders_by_a_total_key(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FacReplay(tables([finding()])))
    list(bench.client.audit_year(2023))
    assert len(bench.handler.requests) == 4
    for request in bench.handler.requests:
        query = dict(request.query)
        assert request.headers["accept-profile"] == "api_v1_1_0"
        assert request.headers["x-api-key"] == "SECRET-KEY"
        assert query["audit_year"] == "eq.2023"
        assert query["fac_accepted_date"] == "lte.2024-06-30"
        assert query["order"].startswith("report_id.asc")
        assert "*" not in query["select"]


def test_a_page_beyond_the_servers_cap_is_refused_before_any_request(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="20000 rows"):
        Bench(tmp_path, FacReplay(tables([])), page_size=20_001)


@pytest.mark.parametrize("fault", ["too_many_requests", "request_timeout", "error_in_200", "html_page", "unavailable"])
def test_a_passing_failure_is_retried_and_never_taken_for_no_rows(tmp_path: Path, fault: FacFault) -> None:
    bench = Bench(tmp_path, FacReplay(tables([finding()]), faults=[fault, fault]))
    assert len(bench.findings()) == 1
    assert bench.client.requests == 3
    assert bench.waits == ([3.0, 3.0] if fault == "too_many_requests" else [1.0, 2.0])


def test_a_lasting_failure_names_the_address_what_was_seen_and_the_remedy(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FacReplay(tables([finding()]), faults=["error_in_200"] * 10))
    with pytest.raises(BenchError) as caught:
        bench.findings()
    assert "OVER_RATE_LIMIT" in str(caught.value)
    assert "/findings?" in str(caught.value)
    assert caught.value.remedy is not None
    assert bench.client.requests == 6


def test_a_spent_hour_is_told_and_not_waited_out(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FacReplay(tables([finding()]), faults=["hour_spent"]))
    with pytest.raises(BenchError, match="pause of 1800 seconds"):
        bench.findings()
    assert (bench.client.requests, bench.waits) == (1, [])


def test_a_missing_key_is_an_error_with_the_place_to_get_one(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FacReplay(tables([finding()])), fac_api_key=None)
    with pytest.raises(ConfigurationError, match="ICFR_BENCH_FAC_API_KEY"):
        bench.findings()
    assert bench.handler.requests == []


def test_a_refused_key_is_not_retried_and_not_printed(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FacReplay(tables([finding()]), faults=["key_refused"]))
    with pytest.raises(ConfigurationError) as caught:
        bench.findings()
    assert "API_KEY_INVALID" in str(caught.value)
    assert "SECRET-KEY" not in str(caught.value)
    assert bench.client.requests == 1


def test_a_misspelt_column_is_an_error_at_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FacReplay(tables([finding()])))
    with pytest.raises(BenchError, match="42703"):
        list(bench.client.pages("findings", {"audit_yeer": "eq.2023"}))
    assert bench.client.requests == 1


def test_a_second_run_of_a_past_snapshot_makes_no_request_and_gives_the_same_pages(tmp_path: Path) -> None:
    handler = FacReplay(tables([finding(award=f"AWARD-{n}") for n in range(7)]))
    first = Bench(tmp_path, handler, page_size=3)
    pages = list(first.client.audit_year(2023))
    first.client.close()
    second = Bench(tmp_path, handler, page_size=3, fac_api_key=None)
    again = list(second.client.audit_year(2023))
    assert second.client.requests == 0
    assert [(p.url, p.sha256, p.rows) for p in again] == [(p.url, p.sha256, p.rows) for p in pages]
    assert all(page.from_store for page in again)
    assert json.loads(second.documents.get(pages[1].sha256)) == pages[1].rows


def test_a_run_that_was_cut_short_goes_on_where_it_stopped(tmp_path: Path) -> None:
    handler = FacReplay(tables([finding(award=f"AWARD-{n}") for n in range(9)]))
    first = Bench(tmp_path, handler, page_size=2)
    pages = first.client.pages("findings", {"audit_year": "eq.2023"})
    next(pages)
    next(pages)
    first.client.close()
    second = Bench(tmp_path, handler, page_size=2)
    assert len(second.findings()) == 9
    assert second.client.requests == 3


def test_without_a_snapshot_date_nothing_is_taken_from_an_earlier_run(tmp_path: Path) -> None:
    handler = FacReplay(tables([finding()]))
    for _ in range(2):
        bench = Bench(tmp_path, handler, snapshot_date=None)
        bench.findings()
        bench.client.close()
        assert bench.client.requests == 1


def test_several_texts_of_one_reference_come_in_the_order_served(tmp_path: Path) -> None:
    texts = [text(words="Zeroth part comes first,"), text(words="and a later part second."), text("2023-002")]
    bench = Bench(tmp_path, FacReplay(tables([finding()], texts)))
    pages = [page for page in bench.client.audit_year(2023) if page.endpoint == "findings_text"]
    words = [row["finding_text"] for page in pages for row in page.rows]
    assert sorted(words) == sorted(row["finding_text"] for row in texts)
    assert words.index("Zeroth part comes first,") < words.index("and a later part second.")


def test_texts_in_served_order_are_never_cut_by_the_servers_cap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fac_module, "ROW_CAP", 5)
    texts = [
        text(words=f"Part {part}", report_id=f"2023-06-GSAFAC-000000000{report}")
        for report in (1, 2, 3)
        for part in (1, 2, 3)
    ]
    bench = Bench(tmp_path, FacReplay(tables([finding()], texts)), page_size=5)
    pages = [page for page in bench.client.audit_year(2023) if page.endpoint == "findings_text"]
    assert sum(len(page.rows) for page in pages) == 9
    # Nine rows at a cap of five: one request for all, two halves, and the larger half once more.
    assert sum("report_id=in." in page.url for page in pages) == 3
    monkeypatch.setattr(fac_module, "ROW_CAP", 3)
    with pytest.raises(BenchError, match="cuts an answer there"):
        list(Bench(tmp_path / "again", FacReplay(tables([finding()], texts)), page_size=3).client.audit_year(2023))


def test_no_key_is_written_to_disk(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FacReplay(tables([finding()])))
    list(bench.client.audit_year(2023))
    bench.client.close()
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"SECRET-KEY" not in path.read_bytes()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ReplayServer]:
    with ReplayServer(
        tmp_path / "site", mounts={"/fac": FacReplay(tables([finding()]), faults=["html_page"])}
    ) as running:
        yield running


def test_over_a_socket_the_log_keeps_the_address_of_the_api_and_not_of_the_mirror(
    tmp_path: Path, server: ReplayServer
) -> None:
    values = {"data_root": tmp_path, "fac_url": "http://fac.invalid/fac", "fac_api_key": "K"}
    waits: list[float] = []
    with FacClient(
        Settings.model_validate({**values, "snapshot_date": date(2024, 6, 30)}),
        DocumentStore(str(tmp_path)),
        connect_to=server.url,
        sleep=waits.append,
    ) as client:
        pages = list(client.audit_year(2023))
    assert {page.endpoint for page in pages} == set(ENDPOINTS)
    assert all(page.url.startswith("http://fac.invalid/fac/") for page in pages)
    assert waits == [1.0]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ([("limit", "500")], 30),
        ([("limit", "4"), ("offset", "28")], 4),
        ([("award_reference", "in.(AWARD-0001,AWARD-0003)")], 2),
        ([("award_reference", "gte.AWARD-0038")], 2),
        ([("award_reference", "not.eq.AWARD-0001"), ("limit", "40")], 30),
        ([("award_reference", "like.*9")], 4),
        ([("reference_number", "is.null")], 0),
    ],
)
def test_the_replay_filters_pages_and_cuts_silently_as_postgrest_does(
    query: list[tuple[str, str]], expected: int
) -> None:
    handler = FacReplay(tables([finding(award=f"AWARD-{n:04d}") for n in range(40)]), row_cap=30)
    answer = handler(ReplayRequest("GET", "/findings", query, {"x-api-key": "k"}))
    assert answer.status == 200
    assert len(json.loads(answer.body)) == expected


def test_the_replay_counts_exactly_when_asked_and_refuses_an_unknown_schema() -> None:
    handler = FacReplay(tables([finding(award=f"AWARD-{n:04d}") for n in range(40)]), row_cap=30)
    headers = {"x-api-key": "k", "prefer": "count=exact", "range": "10-19"}
    answer = handler(ReplayRequest("GET", "/findings", [], headers))
    assert (answer.status, answer.headers["Content-Range"]) == (206, "10-19/40")
    refused = handler(ReplayRequest("GET", "/findings", [], {"x-api-key": "k", "accept-profile": "api_v9"}))
    assert (refused.status, json.loads(refused.body)["code"]) == (406, "PGRST106")
    assert handler(ReplayRequest("GET", "/findings", [], {})).status == 403
