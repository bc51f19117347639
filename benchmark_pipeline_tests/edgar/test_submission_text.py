from __future__ import annotations

import contextlib
import gzip
import os
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark_pipeline.edgar.filing_folder import (
    FilingDocument,
    needed_documents,
    parse_document_list,
    parse_folder_index,
)
from benchmark_pipeline.edgar.full_submission import documents, header, is_complete

REAL = Path(os.environ.get("ICFR_BENCH_REAL_DATA", Path(__file__).resolve().parents[2].parent / "shared")) / "edgar"
real_data = pytest.mark.skipif(not REAL.is_dir(), reason=f"no real filings at {REAL}")


def read(path: str) -> bytes:
    found = (REAL / path).read_bytes()
    return gzip.decompress(found) if path.endswith(".gz") else found


SUBMISSION = b"""<SEC-DOCUMENT>0000000100-24-000001.txt : 20240301
<SEC-HEADER>0000000100-24-000001.hdr.sgml : 20240301
<ACCEPTANCE-DATETIME>20240301163000
ACCESSION NUMBER:\t\t0000000100-24-000001
CONFORMED SUBMISSION TYPE:\t10-K
PUBLIC DOCUMENT COUNT:\t\t3
CONFORMED PERIOD OF REPORT:\t20231231
FILED AS OF DATE:\t\t20240301

FILER:

\tCOMPANY DATA:\t
\t\tCOMPANY CONFORMED NAME:\t\t\tPARENT: THE CORP
\t\tCENTRAL INDEX KEY:\t\t\t0000000100
\t\tSTANDARD INDUSTRIAL CLASSIFICATION:\tELECTRIC SERVICES [4911]
\t\tFISCAL YEAR END:\t\t\t1231

FILER:

\tCOMPANY DATA:\t
\t\tCOMPANY CONFORMED NAME:\t\t\tSUBSIDIARY CO
\t\tCENTRAL INDEX KEY:\t\t\t0000000200
</SEC-HEADER>
<DOCUMENT>
<TYPE>10-K
<SEQUENCE>1
<FILENAME>annual.htm
<TEXT>
<XBRL>
<html>one </TEXT> inside</html>
</XBRL>
</TEXT>
</DOCUMENT>
<DOCUMENT>
<TYPE>EX-13
<SEQUENCE>2
<FILENAME>ex13.htm
<DESCRIPTION>ANNUAL REPORT
<TEXT>
<html>two</html>
</TEXT>
</DOCUMENT>
<DOCUMENT>
<TYPE>GRAPHIC
<SEQUENCE>3
<FILENAME>logo.jpg
<TEXT>
begin 644 logo.jpg
M_]C_X  02D9)1@ !
end
</TEXT>
</DOCUMENT>
</SEC-DOCUMENT>
"""


def test_documents_and_header_of_a_submission_with_two_registrants() -> None:
    found = documents(SUBMISSION)
    assert [(part.type, part.sequence, part.filename) for part in found] == [
        ("10-K", 1, "annual.htm"), ("EX-13", 2, "ex13.htm"), ("GRAPHIC", 3, "logo.jpg"),
    ]  # fmt: skip
    assert found[0].text == b"<html>one </TEXT> inside</html>"
    assert (found[2].text, found[2].is_binary) == (b"", True)
    facts = header(SUBMISSION)
    assert (facts.form, facts.period_of_report, facts.filed_date) == ("10-K", date(2023, 12, 31), date(2024, 3, 1))
    assert facts.accepted_at == datetime(2024, 3, 1, 21, 30, tzinfo=UTC)
    assert [(filer.cik, filer.name, filer.sic) for filer in facts.filers] == [
        ("0000000100", "PARENT: THE CORP", "4911"), ("0000000200", "SUBSIDIARY CO", None),
    ]  # fmt: skip


def test_a_submission_cut_anywhere_is_not_complete_and_never_breaks_the_reader() -> None:
    assert is_complete(SUBMISSION)
    for cut in range(0, len(SUBMISSION) - 2, 37):
        assert not is_complete(SUBMISSION[:cut])
        documents(SUBMISSION[:cut])


@given(st.binary(max_size=300), st.integers(0, len(SUBMISSION)))
def test_no_bytes_break_the_readers(noise: bytes, at: int) -> None:
    changed = SUBMISSION[:at] + noise + SUBMISSION[at:]
    for part in documents(changed):
        assert len(part.text) <= len(changed)
    for reader in (header, parse_document_list, parse_folder_index):
        with contextlib.suppress(ValueError):
            reader(changed)


@real_data
@pytest.mark.parametrize(
    ("path", "form", "period", "count", "filer", "fiscal_year_end"),
    [
        ("filings/0000950117-94-000182/100783_8K_1994_0000950117-94-000182.txt", "8-K", date(1994, 8, 9), 2, "0000100783", "1231"),
        ("filings/0000320193-94-000016/0000320193-94-000016.txt.gz", "10-K", date(1994, 9, 30), 5, "0000320193", "0930"),
        ("filings/0001193125-09-158735/full-submission.txt.gz", "10-K", date(2009, 6, 30), 8, "0000789019", "0630"),
        ("filings/0001275287-06-004486/1001426_8K_2006_0001275287-06-004486.txt", "8-K", date(2006, 8, 16), 2, "0001001426", "0630"),
        ("filings/0001779026-23-000027/0001779026-23-000027.txt.gz", "10-K", date(2023, 2, 28), 7, "0001779026", "0228"),
    ],
)  # fmt: skip
def test_real_submissions_of_thirty_years(
    path: str, form: str, period: date, count: int, filer: str, fiscal_year_end: str
) -> None:
    submission = read(path)
    facts = header(submission)
    assert (facts.form, facts.period_of_report, facts.document_count) == (form, period, count)
    assert [(one.cik, one.fiscal_year_end) for one in facts.filers] == [(filer, fiscal_year_end)]
    assert len(documents(submission)) == count
    assert is_complete(submission)


@real_data
def test_header_page_gives_item_numbers_documents_and_the_instant_in_utc() -> None:
    found = parse_document_list(read("index/filing-index/23AndMe.index-headers.html"))
    assert found.header.items == ("7.01", "9.01")
    assert found.header.accepted_at == datetime(2024, 6, 3, 12, 6, 2, tzinfo=UTC)
    assert found.header.filers[0].former_names[0] == "VG Acquisition Corp."
    assert (found.documents[0].type, found.documents[0].filename) == ("8-K", "d836506d8k.htm")
    assert found.documents[1].type == "EX-99.1"


@real_data
def test_folder_listing_of_a_real_filing() -> None:
    items = parse_folder_index(read("index/filing-index/0001213900-24-004875-index.json"))
    assert len(items) == 25
    assert {item.name: item.size_bytes for item in items}["ea191807-8k_datchat.htm"] == 47202


def document(kind: str, sequence: int | None, name: str = "x.htm") -> FilingDocument:
    return FilingDocument(kind, sequence, name, None)


def test_needed_documents_by_form() -> None:
    listed = (
        document("EX-99.2", 4), document("EX-13.1", 3), document("10-K", 1), document("EX-21", 2),
        document("EX-13", 5, "ex13.pdf"), document("EX-99.1", 6), document("EX-130", 7),
    )  # fmt: skip
    assert [one.type for one in needed_documents("10-K", listed)] == ["10-K", "EX-13.1"]
    assert [one.type for one in needed_documents("10-K/A", listed)] == ["10-K", "EX-13.1"]
    assert [one.type for one in needed_documents("40-F", listed)] == ["10-K", "EX-99.2", "EX-99.1"]
    assert [one.type for one in needed_documents("20-F", listed)] == ["10-K"]
    assert [one.type for one in needed_documents("20-F", (*listed, document("EX-15.1", 8)))] == ["10-K", "EX-15.1"]
    told = FilingDocument("EX-99.1", 2, "ar.htm", "AUDITED CONSOLIDATED FINANCIAL STATEMENTS")
    untold = FilingDocument("EX-99.2", 3, "pr.htm", "PRESS RELEASE")
    for form, kept in (("10-K", ["10-K", "EX-99.1"]), ("20-F/A", ["10-K", "EX-99.1"]), ("8-K", ["10-K"])):
        assert [one.type for one in needed_documents(form, (document("10-K", 1), told, untold))] == kept
    assert needed_documents("10-K", ()) == []
