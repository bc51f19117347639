"""Large archives go to a file, whole or not at all."""

from __future__ import annotations

import errno
import io
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from edgar_example import client_for, settings_for

from benchmark_pipeline.demo.faults import Fault, FaultPlan
from benchmark_pipeline.demo.replay import ReplayServer
from benchmark_pipeline.errors import BenchError, ConfigurationError
from benchmark_pipeline.resources import download
from benchmark_pipeline.resources.download import download_file
from benchmark_pipeline.settings import Settings

PATH = "/Archives/edgar/daily-index/bulkdata/submissions.zip"


def archive_on(site: Path, text: str = "{}") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        made.writestr("CIK0000000001.json", text * 5000)
    target = site / f"www{PATH}"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(packed.getvalue())
    return packed.getvalue()


def living(settings: Settings) -> Settings:
    """The same without a fixed snapshot: what changes daily is asked for again."""
    return settings.model_copy(update={"snapshot_date": None})


def test_a_snapshot_in_the_past_asks_once_for_what_is_there_and_for_what_is_not(tmp_path: Path) -> None:
    archive_on(tmp_path / "site")
    with ReplayServer(tmp_path / "site") as server:
        settings = settings_for(tmp_path, server.url).model_copy(update={"snapshot_date": date(2025, 6, 30)})
        for _ in range(2):
            with client_for(settings) as client:
                assert client.download("www", PATH, "archive") is not None
                assert client.download("www", "/files/dera/2024q1_notes.zip", "data set") is None
        assert len(server.arrivals) == 2


@pytest.mark.parametrize(
    "kind",
    ["rate_threshold", "too_many_requests", "unavailable", "truncated", "reset", "maintenance_page", "wrong_body"],
)
def test_an_archive_arrives_whole_after_any_passing_fault(tmp_path: Path, kind: Any) -> None:
    body = archive_on(tmp_path / "site")
    with ReplayServer(tmp_path / "site", faults=FaultPlan([Fault(kind, times=2)])) as server:
        settings = living(settings_for(tmp_path, server.url))
        with client_for(settings) as client:
            found = client.download("www", PATH, "archive")
            assert found is not None
            assert found.path.read_bytes() == body
            assert client.download("www", PATH, "archive") == found
        with client_for(settings) as client:
            again = client.download("www", PATH, "archive")
        assert again is not None
        assert (again.path, again.sha256) == (found.path, found.sha256)
        assert [one.status for one in server.arrivals[-2:]] == [200, 304]
    assert [one.name for one in found.path.parent.iterdir()] == [found.path.name]


def test_a_failed_download_keeps_the_archive_of_before(tmp_path: Path) -> None:
    before = archive_on(tmp_path / "site")
    with ReplayServer(tmp_path / "site") as server:
        settings = living(settings_for(tmp_path, server.url))
        with client_for(settings) as client:
            client.download("www", PATH, "archive")
        archive_on(tmp_path / "site", "[]")
        server.faults = FaultPlan([Fault("truncated", times=100)])
        with client_for(settings) as client, pytest.raises(BenchError):
            client.download("www", PATH, "archive")
        assert download_file(settings, PATH).read_bytes() == before
        server.faults = FaultPlan([Fault("undeclared_tool")])
        with client_for(settings) as client, pytest.raises(ConfigurationError):
            client.download("www", PATH, "archive")


def test_an_archive_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    with ReplayServer(tmp_path) as server, client_for(settings_for(tmp_path, server.url)) as client:
        assert client.download("www", "/files/dera/2024q1_notes.zip", "data set") is None


def test_a_full_disk_leaves_no_half_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive_on(tmp_path / "site")

    def full(*_: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    with ReplayServer(tmp_path / "site") as server:
        settings = settings_for(tmp_path, server.url)
        monkeypatch.setattr(download, "replace_file", full)
        with client_for(settings) as client, pytest.raises(BenchError, match="no space left"):
            client.download("www", PATH, "archive")
        assert list(download_file(settings, PATH).parent.iterdir()) == []
