"""The assets `filing_index` and `raw_filings` over a small site with everything that lists can have wrong."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from benchmark_pipeline.assets import sources
from benchmark_pipeline.checks import sources as checks
from benchmark_pipeline.demo.replay import ReplayServer
from benchmark_pipeline.edgar.indexes import IndexLine
from benchmark_pipeline.edgar.plan import estimate_from_index, estimate_from_published_counts
from benchmark_pipeline.edgar.submissions import SubmissionFiling
from benchmark_pipeline.edgar.universe import (
    IndexExtract,
    ListSource,
    RegistrantFilings,
    filing_index_rows,
    missing_from_submissions,
    order_registrants,
    role_of,
)
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.resources.edgar import EdgarClient
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore, Lake
from benchmark_pipeline.tables.sources import FilingIndexRow, RawFilingRow

# accession number within the registrant, form, filed, period, items, documents (type, name)
FILINGS: dict[str, list[tuple[int, str, str, str, str, list[tuple[str, str]]]]] = {
    "0000000100": [
        (1, "10-K", "2024-02-28", "2023-12-31", "", [("10-K", "annual.htm"), ("EX-13", "ex13.htm"), ("EX-21", "ex21.htm")]),
        (2, "10-K/A", "2024-05-01", "2023-12-31", "", [("10-K/A", "amended.htm")]),
        (3, "8-K", "2024-04-15", "2024-04-12", "4.02,9.01", [("8-K", "notice.htm")]),
        (4, "8-K", "2024-04-20", "2024-04-20", "4.01", [("8-K", "auditor.htm"), ("EX-16.1", "ex16.htm")]),
        (5, "8-K", "2024-04-21", "2024-04-20", "7.01,9.01", [("8-K", "press.htm")]),
        (6, "10-Q", "2024-05-10", "2024-03-31", "", [("10-Q", "quarter.htm")]),
        (7, "NT 10-K", "2024-03-01", "2023-12-31", "", [("NT 10-K", "late.txt")]),
        (8, "4", "2024-03-02", "2024-03-01", "", [("4", "form4.xml")]),
        (9, "10-K", "2025-07-15", "2024-12-31", "", [("10-K", "after-snapshot.htm")]),
    ],
    "0000000200": [(1, "40-F", "2024-03-30", "2023-12-31", "", [("40-F", "main.htm"), ("EX-99.1", "mdna.htm"), ("EX-99.2", "statements.pdf")])],
    "0000000300": [(1, "20-F", "2024-04-30", "2023-12-31", "", [("20-F", "annual.pdf")]), (2, "6-K", "2024-05-02", "2024-05-02", "", [("6-K", "cover.htm"), ("EX-99.1", "news.htm")])],
    "0000000400": [(1, "10-K", "2024-03-15", "", "", [("10-K", "annual.htm")]), (2, "10-K", "2024-03-16", "2023-12-31", "", [("10-K", "gone.htm")])],
    "0000000500": [(1, "10-K", "2024-03-15", "2023-12-31", "", [("10-K", "annual.htm")])],
    "0000000600": [(1, "10-Q", "2024-03-15", "2023-12-31", "", [("10-Q", "only-quarterly.htm")])],
    "0000000700": [(1, "10-K", "2024-03-15", "2023-12-31", "", [("10-K", "annual.htm")])],
}  # fmt: skip
MALFORMED = "100|A CORP|10-K|2024-02-28"


def accession(cik: str, number: int) -> str:
    return f"{cik}-24-{number:06}"


def build_small_site(site: Path) -> None:
    lines = []
    for cik, filings in FILINGS.items():
        columns: dict[str, list[Any]] = {name: [] for name in (
            "accessionNumber", "filingDate", "reportDate", "acceptanceDateTime", "form", "items", "size", "isInlineXBRL",
            "primaryDocument",
        )}  # fmt: skip
        for number, form, filed, period, items, listed in filings:
            values = (accession(cik, number), filed, period, f"{filed}T21:00:00.000Z", form, items, 1, 1, listed[0][1])
            for column, value in zip(columns.values(), values, strict=True):
                column.append(value)
            ciks = [cik, "0000000050"] if cik == "0000000500" else [cik]
            lines += [
                f"{int(one)}|CO {one}|{form}|{filed}|edgar/data/{int(one)}/{accession(cik, number)}.txt" for one in ciks
            ]
            write_filing(site, cik, number, form, listed)
        submissions = {"cik": cik, "name": f"CO {cik}", "filings": {"recent": columns, "files": []}}
        if cik == "0000000700":
            columns["items"].pop()
        if cik == "0000000100":  # what fell off the first page stands on an older one
            old = {name: values[2:] for name, values in columns.items()}
            submissions["filings"] = {
                "recent": {name: values[:2] for name, values in columns.items()},
                "files": [{"name": f"CIK{cik}-submissions-001.json", "filingCount": 7, "filingFrom": "2024-01-01", "filingTo": "2025-07-15"}],
            }  # fmt: skip
            write(site / f"data/submissions/CIK{cik}-submissions-001.json", json.dumps(old))
        write(site / f"data/submissions/CIK{cik}.json", json.dumps(submissions))
        if cik == "0000000500":
            write(site / "data/submissions/CIK0000000050.json", json.dumps({**submissions, "cik": "50"}))
    header = "Description: Master Index\n\nCIK|Company Name|Form Type|Date Filed|Filename\n" + "-" * 80 + "\n"
    for year, quarter in ((2023, 2), (2023, 3), (2023, 4), (2024, 1), (2024, 2)):
        own = [line for line in lines if line.split("|")[3].startswith("2024")] if (year, quarter) == (2024, 1) else []
        bad = [MALFORMED] if (year, quarter) == (2024, 1) else []
        body = header + "".join(f"{line}\n" for line in [*bad, *own])
        write(site / f"www/Archives/edgar/full-index/{year}/QTR{quarter}/master.idx", body)


def write_filing(site: Path, cik: str, number: int, form: str, listed: list[tuple[str, str]]) -> None:
    entries = "".join(
        f"&lt;DOCUMENT&gt;\n&lt;TYPE&gt;{kind}\n&lt;SEQUENCE&gt;{place}\n&lt;FILENAME&gt;{name}\n&lt;TEXT&gt;\n&lt;/DOCUMENT&gt;\n"
        for place, (kind, name) in enumerate(listed, 1)
    )
    identity = accession(cik, number)
    header = (
        f"&lt;SEC-HEADER&gt;{identity}.hdr.sgml\nACCESSION NUMBER:\t{identity}\nCONFORMED SUBMISSION TYPE:\t{form}\n"
        f"&lt;/SEC-HEADER&gt;\n"
    )
    filer = "50" if cik == "0000000500" else str(int(cik))
    for one in {filer, str(int(cik))}:
        folder = site / f"www/Archives/edgar/data/{one}/{identity.replace('-', '')}"
        write(folder / f"{identity}-index-headers.html", f"<HTML><BODY><PRE>{header}{entries}</PRE></BODY></HTML>")
        for _, name in listed:
            if name != "gone.htm":
                write(folder / name, f"<html>{cik} {number} {name}</html>")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def run(settings: Settings, server: ReplayServer) -> tuple[Lake, dg.ExecuteInProcessResult]:
    lake, documents = Lake(settings.storage_root), DocumentStore(settings.storage_root)
    with EdgarClient(settings, documents, connect_to=server.url, backoff_seconds=0.01) as edgar:
        definitions = dg.Definitions(
            assets=sources.build(settings),
            asset_checks=checks.build(settings),
            resources={"lake": lake, "documents": documents, "edgar": edgar},
            jobs=[dg.define_asset_job("acquire", selection="*")],
        )
        result = definitions.resolve_job_def("acquire").execute_in_process(partition_key="2023", raise_on_error=False)
    return lake, result


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.model_validate({
        "profile": "full", "data_root": tmp_path / "data", "fiscal_years": [2023], "snapshot_date": date(2024, 6, 30),
        "edgar_identity": "Jane Doe jane@example.org", "edgar_www_url": "http://edgar.invalid/www",
        "edgar_data_url": "http://edgar.invalid/data",
    })  # fmt: skip


@pytest.fixture
def site(tmp_path: Path) -> Path:
    build_small_site(tmp_path / "site")
    return tmp_path / "site"


def test_every_filing_and_every_line_is_accounted_for(settings: Settings, site: Path) -> None:
    with ReplayServer(site) as server:
        lake, result = run(settings, server)
    assert result.success
    rows = lake.read(FilingIndexRow, "filing_index")
    accepted = {(row.accession, row.role) for row in rows if row.reject_reason is None}
    assert accepted == {
        (accession("0000000100", 1), "annual"),
        (accession("0000000100", 2), "amendment"),
        (accession("0000000100", 3), "item_402"),
        (accession("0000000100", 4), "item_401"),
        (accession("0000000100", 6), "quarterly"),
        (accession("0000000100", 7), "late_notice"),
        (accession("0000000200", 1), "annual"),
        (accession("0000000300", 1), "annual"),
        (accession("0000000300", 2), "foreign_report"),
        (accession("0000000400", 2), "annual"),
        (accession("0000000500", 1), "annual"),
    }
    rejected = {(row.accession, row.reject_reason) for row in rows if row.reject_reason}
    assert rejected == {
        (None, "malformed_line"),
        (accession("0000000400", 1), "missing_period"),
        (accession("0000000700", 1), "inconsistent_arrays"),
    }
    assert next(row for row in rows if row.reject_reason == "malformed_line").reject_detail == (
        f"line 5: 4 fields instead of 5: {MALFORMED}"
    )
    (co,) = [row for row in rows if row.accession == accession("0000000500", 1)]
    assert (co.cik, co.ciks) == ("0000000500", ["0000000500", "0000000050"])
    assert all(row.source_sha256 for row in rows)


def test_documents_are_the_primary_one_and_the_exhibits_that_may_speak_of_controls(
    settings: Settings, site: Path
) -> None:
    with ReplayServer(site) as server:
        lake, _ = run(settings, server)
        before = len(server.arrivals)
        lake, again = run(settings, server)
        assert len(server.arrivals) == before
        assert again.success
    rows = lake.read(RawFilingRow, "raw_filings")
    kept = {(row.form, row.document_type) for row in rows if row.sha256 and row.document_type != "HEADER"}
    assert kept == {
        ("10-K", "10-K"), ("10-K", "EX-13"), ("10-K/A", "10-K/A"), ("8-K", "8-K"), ("10-Q", "10-Q"), ("NT 10-K", "NT 10-K"),
        ("40-F", "40-F"), ("40-F", "EX-99.1"), ("6-K", "6-K"), ("6-K", "EX-99.1"),
    }  # fmt: skip
    assert {(row.document_name, row.reject_reason) for row in rows if row.reject_reason} == {
        ("annual.pdf", "pdf_only"), ("gone.htm", "not_found"),
    }  # fmt: skip
    documents = DocumentStore(settings.storage_root)
    for row in rows:
        if row.sha256:
            assert len(documents.get(row.sha256)) == row.size_bytes
            assert row.retrieved_at
            assert json.loads(row.headers or "{}")["etag"]


def test_without_any_index_nothing_is_built(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with ReplayServer(tmp_path / "empty") as server:
        documents = DocumentStore(settings.storage_root)
        with EdgarClient(settings, documents, connect_to=server.url, backoff_seconds=0.01) as edgar:  # noqa: SIM117
            with pytest.raises(BenchError, match="no quarterly index"):
                sources.read_lists(edgar, settings)


def test_an_annual_report_that_only_the_index_lists_is_told(settings: Settings, site: Path) -> None:
    index = site / "www/Archives/edgar/full-index/2024/QTR1/master.idx"
    index.write_text(index.read_text() + "100|CO|10-K|2024-03-03|edgar/data/100/0000000100-24-000099.txt\n")
    with ReplayServer(site) as server:
        documents = DocumentStore(settings.storage_root)
        with EdgarClient(settings, documents, connect_to=server.url, backoff_seconds=0.01) as edgar:
            found = sources.read_lists(edgar, settings)
    assert [line.accession for line in missing_from_submissions(found.index, found.registrants)] == [
        "0000000100-24-000099"
    ]
    estimate = estimate_from_index(found.index, [2023], settings.as_of, 8.0)
    assert (estimate.basis, estimate.index_requests, estimate.annual_reports) == ("indexes", 5, 8)
    assert estimate.requests > estimate.document_requests > 0


def test_each_blocking_check_fails_when_its_promise_is_broken(settings: Settings, site: Path) -> None:
    with ReplayServer(site) as server:
        lake, result = run(settings, server)
    assert all(
        check.passed for check in result.get_asset_check_evaluations() if check.severity == dg.AssetCheckSeverity.ERROR
    )
    index, raw = lake.read(FilingIndexRow, "filing_index"), lake.read(RawFilingRow, "raw_filings")
    annual = next(row for row in index if row.role == "annual" and not row.reject_reason)
    assert checks.listed_twice_or_misplaced([annual, annual])
    assert checks.listed_twice_or_misplaced([annual.model_copy(update={"fiscal_year": 2020})])
    assert checks.incomplete([annual.model_copy(update={"period_of_report": None})], settings)
    assert checks.incomplete([annual.model_copy(update={"role": None})], settings)
    assert checks.incomplete([annual.model_copy(update={"filed_date": date(2024, 7, 1)})], settings)
    assert checks.incomplete([annual.model_copy(update={"reject_reason": "missing_period"})], settings)
    assert checks.years_without_annual_reports([], ["2023"])
    assert checks.lost_documents(raw[1:] + raw[2:3], index, ["2023"])
    assert checks.lost_documents([row for row in raw if row.accession != annual.accession], index, ["2023"])
    both = raw[0].model_copy(update={"reject_reason": "empty"})
    assert checks.lost_documents([both], [], [])
    assert not checks.lost_documents(raw, index, ["2023"])
    stored = next(row for row in raw if row.sha256)
    Path(DocumentStore(settings.storage_root).path(str(stored.sha256))).unlink()
    (check,) = [one for one in checks.build(settings) if "every_retrieved" in next(iter(one.check_keys)).name]
    assert not check(lake=lake, documents=DocumentStore(settings.storage_root)).passed


@pytest.mark.parametrize(
    ("form", "items", "role"),
    [
        ("10-K", (), "annual"), ("10-KT", (), "annual"), ("10-K/A", (), "amendment"), ("10-K405", (), None),
        ("10-KSB", (), None), ("8-K", ("4.02",), "item_402"), ("8-K/A", ("4.01", "4.02"), "item_402"),
        ("8-K", ("14.02",), None), ("8-K", (), None), ("8-K12B", ("4.02",), "item_402"), ("8-K12G3", ("2.01",), "succession"),
        ("8-K15D5/A", (), "succession"), ("15-12B", (), "reporting_ended"), ("15F-12G", (), "reporting_ended"),
        ("REVOKED", (), "reporting_ended"), ("25", (), None), ("10-Q", ("4.02",), "quarterly"),
        ("NT 10-K", (), "late_notice"), ("NT 10-Q", (), None), ("6-K", (), "foreign_report"),
    ],
)  # fmt: skip
def test_role_of_exact_forms_and_item_tokens(form: str, items: tuple[str, ...], role: str | None) -> None:
    assert role_of(form, items) == role


def test_the_registrant_that_transmitted_the_filing_comes_first() -> None:
    ciks = {"0000003153", "0000092122", "0000041091"}
    assert order_registrants("0000092122-24-000008", ciks)[0] == "0000092122"
    assert order_registrants("0001193125-24-000008", ciks) == sorted(ciks)


def test_a_registrant_that_changed_its_name_stays_one_registrant() -> None:
    index = IndexExtract()
    source = ListSource("https://edgar.invalid/full-index/", None)
    for day, name, number in ((date(2023, 3, 1), "OLD NAME INC", 1), (date(2024, 3, 1), "NEW NAME INC", 2)):
        line = IndexLine("0000000100", name, "10-K", day, accession("0000000100", number), "")
        index.add([line], day, source, date(2024, 6, 30))
    assert index.names == {"0000000100": "NEW NAME INC"}
    filings = [
        (SubmissionFiling(line.accession, "10-K", line.filed_date, date(line.filed_date.year - 1, 12, 31), None, (), 1, True, "a.htm"), source)
        for line, _ in index.annual.values()
    ]  # fmt: skip
    rows = filing_index_rows(index, [RegistrantFilings("0000000100", filings)], [2022, 2023], date(2024, 6, 30))
    assert [(row.cik, row.fiscal_year, row.reject_reason) for row in rows] == [
        ("0000000100", 2022, None), ("0000000100", 2023, None),
    ]  # fmt: skip


def test_estimate_without_network_says_its_basis_and_assumptions() -> None:
    estimate = estimate_from_published_counts([2023, 2024, 2025], date(2026, 11, 30), 8.0)
    assert estimate.basis == "published_counts"
    assert estimate.annual_reports == 3 * 7130
    assert estimate.index_requests == 15
    assert estimate.hours == pytest.approx(estimate.requests / 8 / 3600)
    assert estimate.assumptions
