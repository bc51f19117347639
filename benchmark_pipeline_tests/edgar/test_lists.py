from __future__ import annotations

import contextlib
import gzip
import json
import os
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark_pipeline.edgar.indexes import IndexLine, MalformedLine, is_master_index, parse_master_index
from benchmark_pipeline.edgar.submissions import (
    InconsistentArrays,
    NotSubmissions,
    item_tokens,
    parse_submissions,
)

REAL = Path(os.environ.get("ICFR_BENCH_REAL_DATA", Path(__file__).resolve().parents[2].parent / "shared")) / "edgar"
real_data = pytest.mark.skipif(not REAL.is_dir(), reason=f"no real filings at {REAL}")
HEADER = b"Description: Master Index\n\nCIK|Company Name|Form Type|Date Filed|Filename\n" + b"-" * 80 + b"\n"
LINE = b"1000228|HENRY SCHEIN INC|10-K|2024-02-28|edgar/data/1000228/0001000228-24-000011.txt\n"


def read(path: str) -> bytes:
    body = (REAL / path).read_bytes()
    return gzip.decompress(body) if path.endswith(".gz") else body


def test_a_row_is_read_whatever_the_length_of_the_header() -> None:
    for header in (b"", HEADER, b"x\n" * 20 + HEADER):
        (row,) = parse_master_index(header + LINE)
        assert row == IndexLine(
            "0001000228", "HENRY SCHEIN INC", "10-K", date(2024, 2, 28), "0001000228-24-000011",
            "edgar/data/1000228/0001000228-24-000011.txt",
        )  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        b"1000228|HENRY|10-K|2024-02-28",
        b"1000228|A|B|10-K|2024-02-28|edgar/data/1/0001000228-24-000011.txt",
        b"x|HENRY|10-K|2024-02-28|edgar/data/1/0001000228-24-000011.txt",
        b"1000228|HENRY|10-K|2024-02-30|edgar/data/1/0001000228-24-000011.txt",
        b"1000228|HENRY|10-K|28.02.2024|edgar/data/1/0001000228-24-000011.txt",
        b"1000228|HENRY|10-K|2024-02-28|edgar/data/1/../../x.txt",
        b"1000228|HENRY||2024-02-28|edgar/data/1/0001000228-24-000011.txt",
        b"garbage",
    ],
)
def test_a_line_that_is_no_row_is_told_with_its_text_and_the_rows_around_are_kept(line: bytes) -> None:
    rows = list(parse_master_index(HEADER + LINE + line + b"\n" + LINE))
    assert [type(row) for row in rows] == [IndexLine, MalformedLine, IndexLine]
    bad = rows[1]
    assert isinstance(bad, MalformedLine)
    assert bad.text == line.decode()
    assert bad.number == 6
    assert bad.problem


@given(st.binary(max_size=400))
def test_no_bytes_break_the_reader_and_every_line_below_the_header_is_accounted_for(tail: bytes) -> None:
    rows = list(parse_master_index(HEADER + LINE + tail))
    lines = [line for line in (HEADER + LINE + tail).decode("latin-1").split("\n")[4:] if line.rstrip("\r").strip()]
    dashes = [line for line in lines if len(line.strip()) >= 10 and set(line.strip()) == {"-"}]
    assert len(rows) == len(lines) - len(dashes)


def test_names_in_odd_bytes_are_kept() -> None:
    (row,) = parse_master_index(HEADER + LINE.replace(b"HENRY SCHEIN INC", b"SOCI\xc9T\xc9 \x81"))
    assert isinstance(row, IndexLine)
    assert row.company_name == "SOCIÉTÉ \x81"


def test_a_page_is_no_index() -> None:
    assert is_master_index(HEADER + LINE)
    assert not is_master_index(b"<html><head><title>SEC.gov | Maintenance</title></head></html>")


@real_data
def test_real_indexes_of_1993_and_2018_are_read_whole() -> None:
    daily = list(parse_master_index(read("index/daily-index/master.20181231.idx.gz")))
    assert len(daily) == 2619
    assert not [row for row in daily if isinstance(row, MalformedLine)]
    assert {row.filed_date for row in daily if isinstance(row, IndexLine)} >= {date(2018, 12, 31)}
    quarterly = list(parse_master_index(read("index/full-index/master-1993Q4-excerpt.idx")))
    first = quarterly[0]
    assert isinstance(first, IndexLine)
    assert (len(quarterly), first.accession, first.form) == (20, "9999999997-02-056978", "REGDEX")


def arrays(**changes: Any) -> dict[str, Any]:
    return {
        "accessionNumber": ["0000000100-24-000001", "0000000100-24-000002"],
        "filingDate": ["2024-03-01", "2024-04-01"],
        "reportDate": ["2023-12-31", ""],
        "acceptanceDateTime": ["2024-03-01T21:30:00.000Z", "2024-04-01T20:00:00.000Z"],
        "form": ["10-K", "8-K"],
        "items": ["", "4.02,9.01"],
        "size": [100, 200],
        "isInlineXBRL": [1, 0],
        "primaryDocument": ["a.htm", ""],
        **changes,
    }


def body(recent: dict[str, Any], **changes: Any) -> bytes:
    return json.dumps({"cik": "100", "name": "A", "filings": {"recent": recent, "files": []}, **changes}).encode()


def test_submissions_give_period_items_and_instant() -> None:
    found = parse_submissions(body(arrays()))
    annual, notice = found.filings
    assert (found.cik, annual.report_date, annual.accepted_at) == (
        "0000000100", date(2023, 12, 31), datetime(2024, 3, 1, 21, 30, tzinfo=UTC),
    )  # fmt: skip
    assert (notice.items, notice.report_date, notice.primary_document) == (("4.02", "9.01"), None, None)


def test_an_older_page_is_the_arrays_alone() -> None:
    assert len(parse_submissions(json.dumps(arrays()).encode()).filings) == 2


def test_unequal_arrays_are_refused_with_their_lengths() -> None:
    with pytest.raises(InconsistentArrays, match="items 1"):
        parse_submissions(body(arrays(items=[""])))


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"{}", b"<Error/>", b'{"filings": []}', b'{"filings": {"recent": 1}}', b"[" * 99999]
)
def test_what_is_not_submissions_is_refused(text: bytes) -> None:
    with pytest.raises(NotSubmissions):
        parse_submissions(text)


def test_a_page_name_that_leaves_the_folder_is_refused() -> None:
    page = {"name": "../x.json", "filingCount": 1, "filingFrom": "2020-01-01", "filingTo": "2020-01-02"}
    with pytest.raises(NotSubmissions, match="name of a page"):
        parse_submissions(body({}, filings={"recent": arrays(), "files": [page]}))


def test_one_unreadable_row_does_not_take_the_others_with_it() -> None:
    found = parse_submissions(body(arrays(filingDate=["2024-03-01", "soon"])))
    assert [filing.accession for filing in found.filings] == ["0000000100-24-000001"]
    assert found.unreadable[0].accession_text == "0000000100-24-000002"


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=8), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["filings", "recent", "files", "form", "cik", "items"]), inner, max_size=3), max_leaves=12))  # fmt: skip
def test_any_json_is_read_or_refused_by_name(document: Any) -> None:
    with contextlib.suppress(NotSubmissions, InconsistentArrays):
        parse_submissions(json.dumps(document).encode())


def test_item_numbers_are_tokens_and_never_substrings() -> None:
    assert item_tokens("4.02,9.01") == ("4.02", "9.01")
    assert item_tokens(",,") == ()
    assert "4.02" not in item_tokens("14.02,4.021")


@real_data
@pytest.mark.parametrize(
    ("name", "filings", "notices", "pages"),
    [
        ("CIK0001881551.json.gz", 211, 3, 0),
        ("CIK0001796129.json.gz", 371, 1, 0),
        ("CIK0001318605-submissions-001.json.gz", 720, 1, 0),
        ("CIK0000789019.json.gz", 1006, 0, 2),
        ("CIK0000350001.json", 0, 0, 0),
    ],
)
def test_real_submissions_with_their_non_reliance_notices(name: str, filings: int, notices: int, pages: int) -> None:
    found = parse_submissions(read(f"api/submissions/{name}"))
    assert (len(found.filings), len(found.older_pages), found.unreadable) == (filings, pages, ())
    assert sum("4.02" in filing.items for filing in found.filings) == notices


@real_data
def test_a_real_error_page_of_the_api_is_refused() -> None:
    with pytest.raises(NotSubmissions):
        parse_submissions(read("api/submissions/CIK-000000001.json"))


@real_data
def test_index_and_submissions_of_real_registrants_list_the_same_filings_of_a_day() -> None:
    """The daily index of 2018-12-31 against submissions: same accession, form and date for every common registrant."""
    daily = [
        row
        for row in parse_master_index(read("index/daily-index/master.20181231.idx.gz"))
        if isinstance(row, IndexLine)
    ]
    compared = 0
    for path in sorted(
        path for path in (REAL / "api" / "submissions").glob("CIK[0-9]*.json*") if "-submissions-" not in path.name
    ):
        found = parse_submissions(read(f"api/submissions/{path.name}"))
        mine = {(row.accession, row.form, row.filed_date) for row in daily if row.cik == found.cik}
        listed = [filing for filing in found.filings if filing.filed_date == date(2018, 12, 31)]
        reaches = found.filings and min(filing.filed_date for filing in found.filings) < date(2018, 12, 31)
        if reaches:
            assert {(filing.accession, filing.form, filing.filed_date) for filing in listed} == mine
            compared += 1
    assert compared >= 3
