"""Cover-page facts of the Financial Statement and Notes data sets, read from small archives in their layout."""

from __future__ import annotations

import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from benchmark_pipeline.checks.notes_data_sets import build, bulk_covers, compare
from benchmark_pipeline.demo.replay import ReplayServer
from benchmark_pipeline.edgar.fiscal_year import Quarter
from benchmark_pipeline.edgar.notes_data_sets import NotADataSet, archive_paths, read_notes_data_set
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.resources.edgar import EdgarClient
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore
from benchmark_pipeline.tables.disclosures import IcfrAssertionRow

SUB = ("adsh", "cik", "name", "sic", "countryba", "form", "period", "fy", "fp", "fye", "filed", "accepted", "prevrpt",
       "detail", "instance", "nciks", "aciks")  # fmt: skip
TXT = ("adsh", "tag", "version", "ddate", "qtrs", "iprx", "lang", "dcml", "durp", "datp", "dimh", "dimn", "coreg",
       "escaped", "srclen", "txtlen", "footnote", "footlen", "context", "value")  # fmt: skip
FLAG = "IcfrAuditorAttestationFlag"


def accession(number: int) -> str:
    return f"0000000100-24-{number:06}"


def table(columns: tuple[str, ...], rows: list[dict[str, str]]) -> str:
    lines = ["\t".join(columns)] + ["\t".join(row.get(column, "") for column in columns) for row in rows]
    return "\n".join(lines) + "\n"


def fact(number: int, tag: str, value: str, **changes: str) -> dict[str, str]:
    return {
        "adsh": accession(number),
        "tag": tag,
        "version": "dei/2023",
        "value": value,
        "ddate": "20231231",
        **changes,
    }


def write_archive(path: Path, sub: list[dict[str, str]], txt: list[dict[str, str]], extra: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("sub.tsv", table(SUB, sub))
        packed.writestr("txt.tsv", table(TXT, txt) + extra)
        packed.writestr("num.tsv", "not\tread\n")
    return path


def filing(number: int, form: str = "10-K", cik: str = "100") -> dict[str, str]:
    return {"adsh": accession(number), "cik": cik, "form": form, "period": "20231231", "name": "CO"}


def row(number: int, **changes: Any) -> IcfrAssertionRow:
    return IcfrAssertionRow.model_construct(**{
        "accession": accession(number), "cik": "0000000100", "filed_date": date(2024, 2, 28), "attest_flag": "true",
        "emerging_growth": False, "shell_company": None, "error_correction_flag": "absent",
        "filer_category": "Large Accelerated Filer", **changes,
    })  # fmt: skip


def test_facts_of_the_filing_itself_are_read_and_no_others(tmp_path: Path) -> None:
    txt = [
        fact(1, FLAG, "true"),
        fact(1, FLAG, "false", coreg="Subsidiary"),
        fact(1, "EntityShellCompany", "true", version="0000000100-24-000001"),
        fact(1, "EntityFilerCategory", "Large  Accelerated Filer"),
        fact(1, "EntityEmergingGrowthCompany", "0"),
        fact(2, FLAG, "true"),
        fact(2, FLAG, "false"),
        fact(3, FLAG, "maybe"),
        fact(4, FLAG, "true"),
        fact(5, FLAG, "true"),
    ]
    path = write_archive(
        tmp_path / "2024q1_notes.zip",
        [filing(1), filing(2), filing(3, "20-F"), filing(4, "10-Q"), filing(5), {**filing(6), "cik": "x"}],
        txt,
        "a line\tof three\tfields\n",
    )
    found = read_notes_data_set(path, {accession(number) for number in (1, 2, 3, 4)})
    assert {one: cover.facts for one, cover in found.covers.items()} == {
        accession(1): {"attest_flag": "true", "filer_category": "Large Accelerated Filer", "emerging_growth": "false"},
        accession(2): {"attest_flag": "unknown"},
        accession(3): {"attest_flag": "unknown"},
    }
    assert found.covers[accession(1)].period_end == date(2023, 12, 31)
    assert found.unreadable == 2


@pytest.mark.parametrize("tables", [{"sub.tsv": "adsh\tcik\tform\tperiod\n"}, {"sub.tsv": "adsh\n", "txt.tsv": "adsh\n"}, {}])  # fmt: skip
def test_an_archive_without_its_tables_or_columns_is_told(tmp_path: Path, tables: dict[str, str]) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for name, text in tables.items():
            packed.writestr(name, text)
    with pytest.raises(NotADataSet):
        read_notes_data_set(path, set())
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(NotADataSet):
        read_notes_data_set(path, set())


def test_more_than_half_a_percent_of_differing_filings_fails(tmp_path: Path) -> None:
    count = 400
    path = write_archive(
        tmp_path / "a.zip",
        [filing(number) for number in range(1, count + 1)],
        [fact(number, FLAG, "true") for number in range(1, count + 1)],
    )
    covers = read_notes_data_set(path, {accession(number) for number in range(1, count + 1)}).covers

    def compared(wrong: int) -> list[str]:
        flags = ["absent" if number <= wrong else "true" for number in range(1, count + 1)]
        return compare([row(number, attest_flag=flag) for number, flag in enumerate(flags, 1)], covers).problems()

    assert compared(2) == []
    assert compared(3) == ["attest_flag: 3 of 400 differ"]
    found = compare([row(1), row(1, cik="0000000200")], covers)
    assert (found.filings, dict(found.only_here)) == (1, {"emerging_growth": 1, "filer_category": 1, **dict.fromkeys(("shell_company", "error_correction_flag"), 0)})  # fmt: skip
    assert compare([row(401)], covers).problems() == [
        "no filing of icfr_assertions is in the data sets: nothing was compared"
    ]


def test_archives_are_had_by_quarter_or_by_month_and_a_missing_one_is_told(tmp_path: Path) -> None:
    site = tmp_path / "site"
    whole, _ = archive_paths(Quarter(2024, 1))
    _, months = archive_paths(Quarter(2024, 2))
    write_archive(site / f"www{whole}", [filing(1)], [fact(1, FLAG, "true")])
    write_archive(site / f"www{months[1]}", [filing(2)], [fact(2, FLAG, "false")])
    settings = Settings.model_validate({
        "profile": "full", "data_root": tmp_path / "data", "edgar_identity": "Jane Doe jane@example.org",
        "edgar_www_url": "http://edgar.invalid/www", "notes_data_sets": True,
    })  # fmt: skip
    rows = [row(1), row(2, filed_date=date(2024, 5, 3), attest_flag="false")]
    documents = DocumentStore(settings.storage_root)
    with ReplayServer(site) as server:
        for _ in range(2):  # the second time nothing is brought again
            with EdgarClient(settings, documents, connect_to=server.url, backoff_seconds=0.01) as edgar:
                covers, missing, _ = bulk_covers(edgar, rows)
            assert missing == ["2024_04_notes.zip", "2024_06_notes.zip"]
            assert compare(rows, covers).compared == {"attest_flag": 2}
            assert not compare(rows, covers).problems()
        assert [one.status for one in server.arrivals if one.path.endswith("2024q1_notes.zip")] == [200, 304]
        (site / f"www{whole}").write_bytes(b"PK damaged")
        with (
            EdgarClient(settings, documents, connect_to=server.url, backoff_seconds=0.01) as edgar,
            pytest.raises(BenchError, match="cannot be read"),
        ):
            bulk_covers(edgar, rows)


def test_the_check_is_there_only_where_it_compares_something() -> None:
    assert build(Settings()) == []
    assert len(build(Settings(notes_data_sets=True))) == 1
