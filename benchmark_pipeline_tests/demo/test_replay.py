from __future__ import annotations

import gzip
from pathlib import Path

import httpx
import pytest

from benchmark_pipeline.demo.faults import Fault, FaultPlan
from benchmark_pipeline.demo.replay import ReplayRequest, ReplayResponse, ReplayServer

DOCUMENT = "/www/Archives/edgar/data/100/000000010025000001/annual.htm"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    document = folder / DOCUMENT.lstrip("/")
    document.parent.mkdir(parents=True)
    document.write_bytes(b"<html>" + b"controls and procedures " * 200 + b"</html>")
    index = folder / "www/Archives/edgar/full-index/2025/QTR1/master.idx.gz"
    index.parent.mkdir(parents=True)
    index.write_bytes(gzip.compress(b"CIK|Company Name|Form Type|Date Filed|Filename\n" * 100))
    (folder / "data/submissions").mkdir(parents=True)
    (folder / "data/submissions/CIK0000000100.json").write_text("{}")
    return folder


def test_file_is_served_with_validators_and_answers_304_to_them(site: Path) -> None:
    with ReplayServer(site) as server, httpx.Client(base_url=server.url) as client:
        first = client.get(DOCUMENT)
        assert first.status_code == 200
        assert first.content.endswith(b"</html>")
        by_tag = client.get(DOCUMENT, headers={"If-None-Match": first.headers["etag"]})
        by_time = client.get(DOCUMENT, headers={"If-Modified-Since": first.headers["last-modified"]})
        assert (by_tag.status_code, by_time.status_code) == (304, 304)
        assert by_tag.content == b""
        assert server.counts[DOCUMENT] == 3


def test_gzipped_file_is_the_same_body_with_and_without_compression(site: Path) -> None:
    path = "/www/Archives/edgar/full-index/2025/QTR1/master.idx"
    with ReplayServer(site) as server, httpx.Client(base_url=server.url) as client:
        packed = client.get(path, headers={"Accept-Encoding": "gzip"})
        plain = client.get(path, headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content
    assert packed.headers["etag"] == plain.headers["etag"]


def test_missing_index_is_403_access_denied_and_missing_filing_404(site: Path) -> None:
    with ReplayServer(site) as server, httpx.Client(base_url=server.url) as client:
        index = client.get("/www/Archives/edgar/daily-index/2025/QTR1/master.20250101.idx")
        filing = client.get("/www/Archives/edgar/data/100/000000010025000002/other.htm")
    assert index.status_code == 403
    assert b"<Code>AccessDenied</Code>" in index.content
    assert filing.status_code == 404


@pytest.mark.parametrize("path", ["/www/../../secret", "/www/%2e%2e/%2e%2e/secret", "/secret", "/"])
def test_nothing_outside_the_site_is_served(site: Path, path: str) -> None:
    (site.parent / "secret").write_text("no")
    (site / "secret").write_text("no")
    with ReplayServer(site) as server, httpx.Client() as client:
        assert client.get(server.url + path).status_code in (403, 404)


def test_mounted_handler_sees_path_query_and_headers(site: Path) -> None:
    seen: list[ReplayRequest] = []

    def handler(request: ReplayRequest) -> ReplayResponse:
        seen.append(request)
        return ReplayResponse(206, b"[]", {"Content-Range": "0-1/7"})

    with ReplayServer(site, mounts={"/fac": handler}) as server, httpx.Client(base_url=server.url) as client:
        answer = client.get("/fac/general?report_id=eq.1&select=*", headers={"X-Api-Key": "k"})
    assert (answer.status_code, answer.headers["content-range"]) == (206, "0-1/7")
    assert seen[0].path == "/general"
    assert seen[0].query == [("report_id", "eq.1"), ("select", "*")]
    assert seen[0].headers["x-api-key"] == "k"


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("undeclared_tool", 403),
        ("rate_threshold", 403),
        ("access_denied", 403),
        ("too_many_requests", 429),
        ("unavailable", 503),
        ("maintenance_page", 200),
        ("wrong_body", 200),
    ],
)
def test_page_faults_are_played_once(site: Path, kind: str, status: int) -> None:
    plan = FaultPlan([Fault(kind, path="annual", retry_after="3")])  # type: ignore[arg-type]
    with ReplayServer(site, faults=plan) as server, httpx.Client(base_url=server.url) as client:
        first, second = client.get(DOCUMENT), client.get(DOCUMENT)
    assert first.status_code == status
    assert first.headers["retry-after"] == "3"
    assert b"controls and procedures" not in first.content
    assert b"controls and procedures" in second.content
    assert plan.played[kind] == 1


def test_truncated_and_reset_break_the_transport(site: Path) -> None:
    plan = FaultPlan([Fault("truncated"), Fault("reset")])
    with ReplayServer(site, faults=plan) as server, httpx.Client(base_url=server.url) as client:
        with pytest.raises(httpx.RemoteProtocolError):
            client.get(DOCUMENT)
        with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)):
            client.get(DOCUMENT)
        assert client.get(DOCUMENT).status_code == 200


def test_cut_body_agrees_with_its_own_length(site: Path) -> None:
    with ReplayServer(site, faults=FaultPlan([Fault("cut_body")])) as server:
        answer = httpx.get(server.url + DOCUMENT)
    assert len(answer.content) == int(answer.headers["content-length"])
    assert not answer.content.endswith(b"</html>")


def test_scattered_faults_repeat_for_a_seed_and_never_meet_one_path_twice_in_a_row() -> None:
    paths = [f"/www/{number}" for number in range(200) for _ in range(3)]
    first = FaultPlan.scattered(0.3, ("reset", "unavailable"), seed=7)
    second = FaultPlan.scattered(0.3, ("reset", "unavailable"), seed=7)
    drawn, again = ([fault and fault.kind for fault in map(plan.draw, paths)] for plan in (first, second))
    assert drawn == again
    assert 60 < sum(kind is not None for kind in drawn) < 240
    assert not any(drawn[i] and drawn[i + 1] and paths[i] == paths[i + 1] for i in range(len(paths) - 1))
