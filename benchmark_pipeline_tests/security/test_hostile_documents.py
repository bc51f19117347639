"""Documents are untrusted: what is in them is read as text, costs what its size allows, and reaches no path."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import zipfile
from pathlib import Path

import pytest

import benchmark_pipeline
from benchmark_pipeline.edgar.accession import accession_number, document_path
from benchmark_pipeline.edgar.cover_page import read_cover_pages
from benchmark_pipeline.edgar.filing_folder import parse_document_list
from benchmark_pipeline.edgar.full_submission import documents, is_complete
from benchmark_pipeline.edgar.notes_data_sets import NotADataSet, read_notes_data_set
from benchmark_pipeline.edgar.sgml_header import parse_header
from benchmark_pipeline.edgar.submissions import NotSubmissions, parse_submissions
from benchmark_pipeline.edgar.text import normalise
from benchmark_pipeline.resources.edgar_answers import a_document, read_answer
from benchmark_pipeline.storage import DocumentStore

SOURCES = sorted(Path(benchmark_pipeline.__file__).parent.rglob("*.py"))
IMPORT = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.MULTILINE)
ACCESSION = "0000000100-24-000001"


def bomb(levels: int) -> bytes:
    """Entities that would unfold to 10**levels words."""
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, levels + 1))
    return f'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY l0 "lol">{entities}]><html><body>&l{levels};</body></html>'.encode()


@pytest.fixture
def secret_file(tmp_path: Path) -> Path:
    path = tmp_path / "secret.txt"
    path.write_text("do-not-read-this")
    return path


def test_no_xml_parser_is_used_anywhere() -> None:
    """Filings are XHTML and instance documents, and are read by rule: there is no parser that could resolve an entity."""
    imported = {name for path in SOURCES for name in IMPORT.findall(path.read_text(encoding="utf-8"))}
    assert "httpx" in imported
    assert not imported & {"lxml", "xml", "xmltodict", "defusedxml", "bs4", "html5lib", "untangle", "pickle", "marshal"}


def test_an_external_entity_is_not_resolved(secret_file: Path) -> None:
    body = (
        f'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY x SYSTEM "file://{secret_file}">]>'
        f"<html><body><p>before &x; after</p></body></html>"
    ).encode()
    text = normalise(body)
    assert "before" in text.text
    assert "do-not-read-this" not in text.text
    assert "do-not-read-this" not in repr(read_cover_pages(body, text))


def test_an_entity_bomb_unfolds_to_nothing() -> None:
    body = bomb(30)
    assert len(normalise(body).text) <= len(body)


@pytest.mark.parametrize(
    "part",
    [b"<div>", b"<", b"&#", b"<!--", b"<!-- x --> ", b"<!-- x --", b"<?xml ?>", b" ", b"\n", b"<DOCUMENT>\n", b"<TYPE>x\n",
     b"<TEXT>\n", b"begin 644 x\n", b"<xbrli:context id='a'>LegalEntityAxis", b"<title>SEC.gov"],
)  # fmt: skip
def test_the_same_few_bytes_a_thousand_times_over_are_read_in_passing(part: bytes) -> None:
    """A hang here is an expression that goes back over what it has read: the time of one is exponential or square."""
    body = part * 20_000
    read_cover_pages(body, normalise(body))
    documents(body)
    is_complete(body)
    parse_document_list_or_none(body)
    for status in (200, 403):
        read_answer(status, "/Archives/edgar/data/100/x.htm", body, a_document)


def parse_document_list_or_none(body: bytes) -> None:
    with contextlib.suppress(ValueError):
        parse_document_list(body)


@pytest.mark.parametrize(
    "name", ["../../../etc/passwd", "/etc/passwd", "..\\..\\x.htm", "%2e%2e%2fx.htm", "a/../../b.htm", "x.htm\nHost: evil", "http://evil.invalid/x", "//evil.invalid/x"],
)  # fmt: skip
def test_no_file_name_of_a_filing_becomes_another_address(name: str) -> None:
    header = (
        f"<SEC-HEADER>\nACCESSION NUMBER: {ACCESSION}\nCONFORMED SUBMISSION TYPE: 10-K\n</SEC-HEADER>\n<DOCUMENT>\n<TYPE>10-K\n"
        f"<SEQUENCE>1\n<FILENAME>{name}\n<TEXT>\n</DOCUMENT>\n"
    )
    for document in parse_document_list(header.encode()).documents:
        if document.filename == name:
            with pytest.raises(ValueError, match="not a document name"):
                document_path("100", ACCESSION, document.filename)
        else:  # a header ends a file name at the line's end
            assert document_path("100", ACCESSION, document.filename).startswith("/Archives/edgar/data/100/")


@pytest.mark.parametrize(
    "accession", ["../../etc", "0000000100-24-00000/", "0000000100-24-000001/../x", "0000000100-24-000001\n"]
)
def test_no_accession_leaves_its_folder(accession: str) -> None:
    with pytest.raises(ValueError, match="accession"):
        accession_number(accession)
    header = f"<SEC-HEADER>\nACCESSION NUMBER: {accession}\nCONFORMED SUBMISSION TYPE: 10-K\n</SEC-HEADER>\n".encode()
    try:
        assert accession_number(parse_header(header).accession) == ACCESSION
    except ValueError:
        return


def test_an_older_page_has_the_name_of_one(secret_file: Path) -> None:
    listed = {
        "cik": "100", "name": "A", "filings": {"recent": {}, "files": [
            {"name": f"../../{secret_file}", "filingCount": 1, "filingFrom": "2024-01-01", "filingTo": "2024-02-01"},
        ]},
    }  # fmt: skip
    columns = ("accessionNumber", "filingDate", "reportDate", "acceptanceDateTime", "form", "items", "size", "isInlineXBRL", "primaryDocument")  # fmt: skip
    listed["filings"]["recent"] = {name: [] for name in columns}  # type: ignore[index]
    with pytest.raises(NotSubmissions, match="not the name of a page"):
        parse_submissions(json.dumps(listed).encode())


def test_members_of_a_data_set_are_read_in_place_and_only_by_their_known_names(tmp_path: Path) -> None:
    packed = tmp_path / "2024q1_notes.zip"
    with zipfile.ZipFile(packed, "w") as made:
        made.writestr("../../sub.tsv", "adsh\tcik\tform\tperiod\n")
        made.writestr("/sub.tsv", "adsh\tcik\tform\tperiod\n")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(NotADataSet, match="no table sub"):
        read_notes_data_set(packed, [ACCESSION])
    assert sorted(tmp_path.rglob("*")) == before


def test_a_line_that_unpacks_to_gigabytes_is_cut_and_counted(tmp_path: Path) -> None:
    packed = tmp_path / "2024q1_notes.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("sub.tsv", "adsh\tcik\tform\tperiod\n" + "0" * 30_000_000)
        made.writestr("txt.tsv", "adsh\ttag\tversion\tcoreg\tvalue\n")
    assert packed.stat().st_size < 100_000
    found = read_notes_data_set(packed, [ACCESSION])
    assert found.covers == {}
    assert found.unreadable > 0


@pytest.mark.parametrize("sha256", ["../../../etc/passwd", "a" * 63, "g" * 64, ""])
def test_a_document_is_named_by_a_hash_and_nothing_else(tmp_path: Path, sha256: str) -> None:
    store = DocumentStore(str(tmp_path))
    assert sha256 not in store
    with pytest.raises(Exception, match=r"not a SHA-256|not in the store"):
        store.get(sha256)


def test_a_compressed_document_is_stored_as_its_own_bytes(tmp_path: Path) -> None:
    store = DocumentStore(str(tmp_path))
    body = gzip.compress(b"0" * 10_000_000)
    assert store.get(store.put(body)) == body
