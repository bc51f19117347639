"""A site tree made from a folder of real filings, so that the pipeline can be run on them through the replay server.

The folder has a `MANIFEST.csv` (path, form, company, cik, accession, filed_date, period_of_report) and files, some
gzipped. Full submissions are served whole and also as the documents and the header page that they contain, as EDGAR
does. For a filing of which one document is kept, the header page is composed from the manifest.
"""

from __future__ import annotations

import csv
import gzip
import html
from dataclasses import dataclass
from pathlib import Path

from benchmark_pipeline.edgar.accession import accession_number, document_path, full_submission_path, index_headers_path
from benchmark_pipeline.edgar.full_submission import SubmissionDocument, documents
from benchmark_pipeline.edgar.sgml_header import header_text


@dataclass(frozen=True)
class LaidOutFiling:
    """One filing of the site."""

    cik: str
    accession: str
    form: str
    documents: tuple[str, ...]


def build_real_site(real: Path, site: Path) -> list[LaidOutFiling]:
    """Lays out every filing whose CIK and accession are known, and the submissions JSON by CIK."""
    laid_out = []
    with (real / "MANIFEST.csv").open(encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle):
            if row["path"].startswith("filings/") and row["cik"] and row["accession"]:
                laid_out.append(_filing(real, site, row))
    for path in sorted((real / "api" / "submissions").glob("CIK??????????*.json*")):
        name = path.name.removesuffix(".gz")
        target = site / "data" / "submissions" / name
        if not target.exists():
            _write(target, _read(path))
    return laid_out


def _filing(real: Path, site: Path, row: dict[str, str]) -> LaidOutFiling:
    cik, accession = row["cik"], accession_number(row["accession"])
    body = _read(real / row["path"])
    www = site / "www"
    found = documents(body) if b"<SEC-HEADER>" in body[:8192] or b"<IMS-HEADER>" in body[:8192] else []
    if found:
        _write(www / full_submission_path(cik, accession).lstrip("/"), body)
        header = header_text(body)
    else:
        name = Path(row["path"]).name.removesuffix(".gz").replace(".txt.txt", ".txt")
        found = [SubmissionDocument(row["form"] or "8-K", 1, name, None, body)]
        header = _composed_header(row, accession)
    named = [part for part in found if part.filename and not part.is_binary]
    for part in named:
        _write(www / document_path(cik, accession, part.filename or "").lstrip("/"), part.text)
    _write(www / index_headers_path(cik, accession).lstrip("/"), _header_page(accession, header, found))
    return LaidOutFiling(cik.zfill(10), accession, row["form"], tuple(part.filename or "" for part in named))


def _composed_header(row: dict[str, str], accession: str) -> str:
    return (
        f"ACCESSION NUMBER:\t\t{accession}\nCONFORMED SUBMISSION TYPE:\t{row['form'] or '8-K'}\n"
        f"CONFORMED PERIOD OF REPORT:\t{row['period_of_report'].replace('-', '')}\n"
        f"FILED AS OF DATE:\t\t{row['filed_date'].replace('-', '')}\n\nFILER:\n\n\tCOMPANY DATA:\t\n"
        f"\t\tCOMPANY CONFORMED NAME:\t\t\t{row['company']}\n\t\tCENTRAL INDEX KEY:\t\t\t{row['cik'].zfill(10)}\n"
    )


def _header_page(accession: str, header: str, found: list[SubmissionDocument]) -> bytes:
    listed = "".join(
        f"<DOCUMENT>\n<TYPE>{part.type}\n<SEQUENCE>{part.sequence or ''}\n<FILENAME>{part.filename}\n<TEXT>\n</DOCUMENT>\n"
        for part in found
        if part.filename
    )
    text = f"<SEC-DOCUMENT>{accession}-index.html\n<SEC-HEADER>{header}\n</SEC-HEADER>\n{listed}</SEC-DOCUMENT>"
    return f"<HTML><BODY>\n<PRE>{html.escape(text, quote=False)}</PRE></BODY></HTML>".encode("latin-1", "replace")


def _read(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def _write(target: Path, body: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(body)
