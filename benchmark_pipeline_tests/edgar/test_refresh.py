"""Reading EDGAR's lists whichever way, and again: the same rows, and next to no requests."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from benchmark_pipeline.assets import non_reliance, sources
from benchmark_pipeline.assets.edgar_lists import ARCHIVE_PATH, Lists, read_lists
from benchmark_pipeline.assets.filing_headers import with_items_of_headers
from benchmark_pipeline.assets.sources import read_documents
from benchmark_pipeline.checks import sources as source_checks
from benchmark_pipeline.checks.sources import quarters_without_an_index
from benchmark_pipeline.demo.replay import ReplayServer
from benchmark_pipeline.demo.site import MASTER_HEADER, build_site
from benchmark_pipeline.edgar.fiscal_year import quarter_of, quarters_between
from benchmark_pipeline.edgar.universe import filing_index_rows
from benchmark_pipeline.resources.edgar import EdgarClient
from benchmark_pipeline.schedules import build_schedules
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore, Lake
from benchmark_pipeline.tables.sources import FilingIndexRow

LISTED_IN = {"discovered_via", "source_url", "source_sha256"}
INDEXES = "www/Archives/edgar/full-index"
DAILY = "www/Archives/edgar/daily-index"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    build_site(folder)
    return folder


@pytest.fixture
def site(corpus: Path, tmp_path: Path) -> Path:
    """The corpus with indexes and lists of its own; filings are shared."""
    folder = tmp_path / "site"
    for part in ("data", INDEXES):
        shutil.copytree(corpus / part, folder / part)
    (folder / "www/Archives/edgar/data").symlink_to(corpus / "www/Archives/edgar/data")
    return folder


def settings_of(data_root: Path, **changes: Any) -> Settings:
    return Settings.model_validate({
        "profile": "full", "data_root": data_root, "fiscal_years": [2022, 2023, 2024], "snapshot_date": date(2025, 6, 30),
        "edgar_identity": "Jane Doe jane@example.org", "edgar_www_url": "http://edgar.invalid/www",
        "edgar_data_url": "http://edgar.invalid/data", **changes,
    })  # fmt: skip


def client_of(settings: Settings, server: ReplayServer) -> EdgarClient:
    return EdgarClient(
        settings, DocumentStore(settings.storage_root), connect_to=server.url, backoff_seconds=0.01, concurrency=4
    )


def rows_of(found: Lists, settings: Settings) -> list[FilingIndexRow]:
    return filing_index_rows(found.index, found.registrants, settings.fiscal_years, settings.as_of)


def read(site: Path, settings: Settings) -> tuple[list[FilingIndexRow], Lists, list[str]]:
    with ReplayServer(site) as server, client_of(settings, server) as edgar:
        found = read_lists(edgar, settings)
        return rows_of(found, settings), found, [arrival.path for arrival in server.arrivals]


def comparable(rows: list[FilingIndexRow]) -> list[dict[str, Any]]:
    return [row.model_dump(exclude=LISTED_IN) for row in rows]


def write_daily(site: Path, lines: dict[date, list[str]]) -> None:
    days = defaultdict(list)
    for day, own in lines.items():
        quarter = quarter_of(day)
        folder = site / DAILY / str(quarter.year) / f"QTR{quarter.number}"
        folder.mkdir(parents=True, exist_ok=True)
        name = f"master.{day:%Y%m%d}.idx"
        body = MASTER_HEADER.format(last=f"{day:%B} {day.day}, {day.year}") + "".join(f"{line}\n" for line in own)
        (folder / name).write_bytes(body.encode("latin-1"))
        days[folder].append({"name": name, "size": "1", "last-modified": ""})
    for folder, items in days.items():
        (folder / "index.json").write_text(json.dumps({"directory": {"item": items, "name": "daily-index/"}}))


def write_archive(site: Path) -> None:
    target = site / ARCHIVE_PATH.lstrip("/").replace("Archives", "www/Archives", 1)
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("../../CIK0000000001.json", "{}")
        for path in sorted((site / "data/submissions").iterdir()):
            packed.write(path, path.name)


def test_quarterly_indexes_daily_indexes_and_the_bulk_archive_give_the_same_rows(site: Path, tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "api")
    expected, found, _ = read(site, settings)
    assert len(expected) > 100
    assert found.missing_quarters == []
    assert {row.discovered_via for row in expected} == {"submissions"}

    write_archive(site)
    shutil.move(site / "data", tmp_path / "put aside")
    packed, found, paths = read(site, settings_of(tmp_path / "bulk", edgar_submissions="bulk"))
    assert comparable(packed) == comparable(expected)
    assert {row.discovered_via for row in packed} == {"submissions_bulk"}
    assert found.asked_for == 0
    assert not [path for path in paths if path.startswith("/data/")]
    again, _, paths = read(site, settings_of(tmp_path / "bulk", edgar_submissions="bulk"))
    assert (comparable(again), paths) == (comparable(expected), [])

    shutil.move(tmp_path / "put aside", site / "data")
    lines: dict[date, list[str]] = defaultdict(list)
    for path in sorted((site / INDEXES).rglob("master.idx")):
        year, number = int(path.parts[-3]), int(path.parts[-2][-1])
        lines[date(year, 3 * number - 2, 1)] = []  # so that every quarter has a folder
    for path in sorted((site / INDEXES).rglob("master.idx")):
        for line in path.read_bytes().decode("latin-1").splitlines():
            fields = line.split("|")
            if len(fields) == 5 and fields[0].isdecimal():
                filed = date.fromisoformat(fields[3])
                lines[filed].append("|".join([*fields[:3], f"{filed:%Y%m%d}", fields[4]]))
    shutil.rmtree(site / INDEXES)
    write_daily(site, lines)
    daily, found, _ = read(site, settings_of(tmp_path / "daily"))
    assert comparable(daily) == comparable(expected)
    assert found.missing_quarters == []
    assert found.daily_indexes > 20


def to_the_present(site: Path, today: date) -> Path:
    """Adds the indexes of all quarters up to now; the last is a week old. Returns it."""
    target = site
    for quarter in quarters_between(date(2025, 7, 1), today):
        target = site / "www" / quarter.master_index_path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        last = max(min(quarter.last_day, today - timedelta(days=7)), quarter.first_day - timedelta(days=1))
        target.write_text(MASTER_HEADER.format(last=f"{last:%B} {last.day}, {last.year}"))
    return target


def test_an_unchanged_refresh_makes_five_requests_at_most_and_brings_no_document_again(
    site: Path, tmp_path: Path
) -> None:
    today = datetime.now(UTC).date()
    to_the_present(site, today)
    yesterday = today - timedelta(days=1)
    write_daily(site, {yesterday - timedelta(days=1): []})
    settings = settings_of(tmp_path, snapshot_date=None)

    def pull(server: ReplayServer) -> tuple[list[FilingIndexRow], int, list[str]]:
        before = len(server.arrivals)
        with client_of(settings, server) as edgar:
            found = read_lists(edgar, settings)
            rows = rows_of(found, settings)
            of_year = [row for row in rows if row.fiscal_year == 2024 and row.reject_reason is None]
            documents = read_documents(edgar, DocumentStore(settings.storage_root), of_year, "2024")
            assert {row.accession for row in documents} == {row.accession for row in of_year}
        return rows, found.asked_for, [arrival.path for arrival in server.arrivals[before:]]

    with ReplayServer(site) as server:
        first, asked_for, paths = pull(server)
        assert asked_for > 30
        assert len(paths) > 100
        rows, asked_for, paths = pull(server)
        assert comparable(rows) == comparable(first)
        assert asked_for == 0
        assert len(paths) <= 5, paths
        assert all("-index/" in path for path in paths), paths

        # One registrant files: its list is asked for, and no other's.
        cik = str(next(row.cik for row in first if row.form == "10-K"))
        accession = f"{cik}-{today:%y}-999999"
        write_daily(
            site,
            {
                yesterday - timedelta(days=1): [],
                yesterday: [f"{int(cik)}|CO|8-K|{yesterday:%Y%m%d}|edgar/data/{int(cik)}/{accession}.txt"],
            },
        )
        listed = json.loads((site / f"data/submissions/CIK{cik}.json").read_text())
        recent = listed["filings"]["recent"]
        new = {"accessionNumber": accession, "form": "10-K/A", "filingDate": str(yesterday), "reportDate": "2024-12-31"}
        for name, column in recent.items():
            column.insert(0, new.get(name, column[0]))
        (site / f"data/submissions/CIK{cik}.json").write_text(json.dumps(listed))
        before = len(server.arrivals)
        with client_of(settings, server) as edgar:
            found = read_lists(edgar, settings)
        paths = [arrival.path for arrival in server.arrivals[before:]]
        assert [path for path in paths if path.startswith("/data/")] == [f"/data/submissions/CIK{cik}.json"]
        added = {row.accession for row in rows_of(found, settings)} - {row.accession for row in first}
        assert added == {accession}


def test_a_second_nightly_run_asks_five_times_at_most(site: Path, tmp_path: Path) -> None:
    now = datetime.now(UTC)
    to_the_present(site, now.date())
    write_daily(site, {now.date() - timedelta(days=2): []})
    settings = settings_of(tmp_path, snapshot_date=None)
    nightly = next(one for one in build_schedules(settings) if one.job_name == "acquire_filings")
    (request,) = nightly.evaluate_tick(dg.build_schedule_context(scheduled_execution_time=now)).run_requests or []
    lake, documents = Lake(settings.storage_root), DocumentStore(settings.storage_root)

    def run(server: ReplayServer) -> tuple[list[str | None], int, list[str]]:
        before = len(server.arrivals)
        with client_of(settings, server) as edgar:
            definitions = dg.Definitions(
                assets=[*sources.build(settings), *non_reliance.build(settings)],
                asset_checks=source_checks.build(settings),
                resources={"lake": lake, "documents": documents, "edgar": edgar},
                jobs=[dg.define_asset_job("acquire_filings", selection="*")],
            )
            assert definitions.resolve_job_def("acquire_filings").execute_in_process(tags=request.tags).success
        written = [
            lake.sha256(table, year)
            for table in ("filing_index", "raw_filings", "eight_k_402_index")
            for year in ("2023", "2024")
        ]
        return written, sum(edgar.requests.values()), [arrival.path for arrival in server.arrivals[before:]]

    with ReplayServer(site) as server:
        first, sent, paths = run(server)
        assert sent == len(paths) > 100
        second, sent, paths = run(server)
    assert second == first
    assert None not in first
    assert sent == len(paths) <= 5, paths
    assert all("-index/" in path for path in paths), paths
    assert lake.partitions("raw_filings") == ["2023", "2024"]


def test_a_past_quarter_without_its_index_is_told(site: Path, tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    (site / INDEXES / "2024/QTR3/master.idx").unlink()
    with ReplayServer(site) as server, client_of(settings, server) as edgar:
        found = read_lists(edgar, settings)
        assert [(quarter.year, quarter.number) for quarter in found.missing_quarters] == [(2024, 3)]
        (problem,) = quarters_without_an_index(edgar, settings)
        assert problem.startswith("2024 quarter 3: no index")


def test_items_that_no_list_gives_are_read_from_the_header(site: Path, tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    expected, _, _ = read(site, settings_of(tmp_path / "before"))
    notices = [row for row in expected if row.role == "item_402"]
    for path in (site / "data/submissions").iterdir():
        listed = json.loads(path.read_text())
        columns = listed["filings"]["recent"] if "filings" in listed else listed
        columns["items"] = ["" for _ in columns["items"]]
        path.write_text(json.dumps(listed))
    # Of one notice even the header page is missing: the full submission has titles in place of numbers.
    bare = notices[0]
    home = tmp_path / "bare"
    shutil.copytree(site / "www/Archives/edgar/data", home)
    (site / "www/Archives/edgar/data").unlink()
    shutil.move(home, site / "www/Archives/edgar/data")
    for path in (site / "www/Archives/edgar/data").rglob(f"{bare.accession}-index-headers.html"):
        path.unlink()
    with ReplayServer(site) as server, client_of(settings, server) as edgar:
        found = read_lists(edgar, settings)
        registrants, untold = with_items_of_headers(edgar, found.registrants, settings.fiscal_years, settings.as_of)
        rows = filing_index_rows(found.index, registrants, settings.fiscal_years, settings.as_of)
        assert untold == []
        assert {row.accession for row in rows if row.role == "item_402"} == {row.accession for row in notices}
        documents = DocumentStore(settings.storage_root)
        kept = read_documents(edgar, documents, [row for row in rows if row.accession == bare.accession], "2023")
    header, primary = kept
    assert (header.document_type, header.document_name) == ("HEADER", f"{bare.accession}.txt")
    assert (primary.document_type, primary.document_name) == (bare.form, bare.primary_document)
    stored = documents.get(str(primary.sha256))
    folder = next((site / "www/Archives/edgar/data").rglob(bare.primary_document or ""))
    assert stored.strip() == folder.read_bytes().strip()
    assert primary.size_bytes == len(stored)
