"""Assets `filing_index` and `raw_filings`: what was filed, and the bytes of it."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import get_args

import dagster as dg

from benchmark_pipeline.edgar.accession import document_path, index_headers_path
from benchmark_pipeline.edgar.filing_folder import FilingDocument, needed_documents, parse_document_list
from benchmark_pipeline.edgar.fiscal_year import fiscal_year_of
from benchmark_pipeline.edgar.full_submission import SubmissionDocument
from benchmark_pipeline.edgar.full_submission import documents as submission_documents
from benchmark_pipeline.edgar.universe import (
    filed_after_the_last_year,
    filing_index_rows,
    missing_from_submissions,
)
from benchmark_pipeline.pools import SEC_HTTP
from benchmark_pipeline.resources.edgar import EdgarClient, Fetched, Wanted
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore, Lake
from benchmark_pipeline.tables.sources import DocumentReject, FilingIndexRow, FilingRole, RawFilingRow

from .common import fiscal_years, logging_progress, record, table_asset, table_markdown, year_backfill
from .edgar_lists import read_lists
from .filing_headers import Filing, HeaderAnswer, fetch_headers, with_items_of_headers

HEADER = "HEADER"
"""Document type of the page with the SGML header."""
SINGLE_DOCUMENT_ROLES: frozenset[FilingRole] = frozenset({"quarterly", "late_notice", "succession", "reporting_ended"})
"""Roles whose primary document says all that is needed: their header pages, the bulk of all requests, are left alone."""


def build(settings: Settings) -> list[dg.AssetsDefinition]:
    """The stage's assets for these settings."""
    years, backfill = fiscal_years(settings), year_backfill(settings)

    @table_asset("filing_index", partitions=years, kinds=("parquet", "edgar"), pool=SEC_HTTP, backfill=backfill)
    def filing_index(
        context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake], edgar: dg.ResourceParam[EdgarClient]
    ) -> None:
        with logging_progress(context):
            found = read_lists(edgar, settings)
            registrants, untold = with_items_of_headers(edgar, found.registrants, settings.fiscal_years, settings.as_of)
        rows = filing_index_rows(found.index, registrants, settings.fiscal_years, settings.as_of)
        unlisted = missing_from_submissions(found.index, registrants)
        outside = filed_after_the_last_year(registrants, settings.fiscal_years, settings.as_of)
        if outside:
            context.log.warning(
                f"{outside} filings of interest belong to a fiscal year after {max(settings.fiscal_years)}: their evidence "
                f"is not seen. Add {fiscal_year_of(settings.as_of)} to ICFR_BENCH_FISCAL_YEARS."
            )
        written, counts = {}, []
        for year in context.partition_keys:
            own = [row for row in rows if row.fiscal_year == int(year)]
            written[year] = lake.write("filing_index", own, year)
            counts.append(index_counts(year, own))
        record(
            context,
            written,
            filings=table_markdown(counts),
            index_lines_read=found.index.lines,
            quarters_without_an_index=[str(quarter) for quarter in found.missing_quarters],
            daily_indexes_read=found.daily_indexes,
            registrants_asked_for=found.asked_for,
            current_reports_of_unknown_items=untold[:50],
            annual_reports_missing_from_submissions=[line.accession for line in unlisted][:50],
            requests=sum(edgar.requests.values()),
        )

    @table_asset(
        "raw_filings", deps=("filing_index",), partitions=years, kinds=("parquet", "edgar"), pool=SEC_HTTP,
        backfill=backfill,
    )  # fmt: skip
    def raw_filings(
        context: dg.AssetExecutionContext,
        lake: dg.ResourceParam[Lake],
        documents: dg.ResourceParam[DocumentStore],
        edgar: dg.ResourceParam[EdgarClient],
    ) -> None:
        written, counts = {}, []
        for year in context.partition_keys:
            filings = [row for row in lake.read(FilingIndexRow, "filing_index", [year]) if row.reject_reason is None]
            with logging_progress(context):
                rows = read_documents(edgar, documents, filings, year)
            written[year] = lake.write("raw_filings", rows, year)
            counts.append(document_counts(year, filings, rows))
        record(context, written, documents=table_markdown(counts), requests=sum(edgar.requests.values()))

    return [filing_index, raw_filings]


def read_documents(
    edgar: EdgarClient, documents: DocumentStore, filings: Sequence[FilingIndexRow], year: str
) -> list[RawFilingRow]:
    """Header, primary document and needed exhibits of each filing, each a row whether retrieved or not."""
    with_header = [filing for filing in filings if not _needs_no_header(filing)]
    headers = fetch_headers(
        edgar,
        [Filing(one.cik or "", one.accession or "", one.filed_date) for one in with_header],
        f"headers of fiscal year {year}",
    )
    rows: list[RawFilingRow] = []
    asked: list[tuple[FilingIndexRow, FilingDocument]] = []
    for filing in filings:
        if _needs_no_header(filing):
            asked.append((filing, FilingDocument(filing.form, 1, filing.primary_document or "", None)))
    for filing, answer in zip(with_header, headers, strict=True):
        name = f"{filing.accession}.txt" if answer.is_full_submission else f"{filing.accession}-index-headers.html"
        rows.append(_row(filing, FilingDocument(HEADER, None, name, None), answer.fetched))
        if answer.is_full_submission:
            rows += _cut_out(edgar, documents, filing, answer)
            continue
        needed = _needed(edgar, filing, answer.fetched)
        if not needed:
            missing = FilingDocument(filing.form, 1, filing.primary_document or f"{filing.accession}.txt", None)
            rows.append(_rejected(edgar, filing, missing, "not_found", "the filing's document list names no file"))
        asked += [(filing, document) for document in needed]
    rows += _fetch_documents(edgar, asked, year)
    return sorted(rows, key=lambda row: (row.accession, row.sequence or 0, row.document_name))


def _needs_no_header(filing: FilingIndexRow) -> bool:
    return filing.role in SINGLE_DOCUMENT_ROLES and _has_primary_document(filing)


def _has_primary_document(filing: FilingIndexRow) -> bool:
    # Of early filings the list names the whole submission, in which the document has to be found.
    return bool(filing.primary_document) and filing.primary_document != f"{filing.accession}.txt"


def _needed(edgar: EdgarClient, filing: FilingIndexRow, header: Fetched) -> list[FilingDocument]:
    if header.sha256 is not None:
        return needed_documents(filing.form, parse_document_list(edgar.body(header)).documents)
    if _has_primary_document(filing):
        return [FilingDocument(filing.form, 1, filing.primary_document or "", None)]
    return []


def _cut_out(
    edgar: EdgarClient, documents: DocumentStore, filing: FilingIndexRow, answer: HeaderAnswer
) -> list[RawFilingRow]:
    """The needed documents out of a full submission; each is stored by itself, under its own hash."""
    parts: dict[FilingDocument, SubmissionDocument] = {}
    for place, part in enumerate(submission_documents(edgar.body(answer.fetched)), start=1):
        name = part.filename or f"{filing.accession}-{part.sequence or place}.txt"
        parts[FilingDocument(part.type, part.sequence, name, part.description)] = part
    rows = []
    for document in needed_documents(filing.form, tuple(parts)):
        text = parts[document].text
        if parts[document].is_binary:
            reason: DocumentReject = "pdf_only" if document.filename.lower().endswith(".pdf") else "undecodable"
            rows.append(_rejected(edgar, filing, document, reason, "a binary part of the full submission"))
        elif not text.strip():
            rows.append(_rejected(edgar, filing, document, "empty", "an empty part of the full submission"))
        else:
            row = _row(filing, document, answer.fetched)
            rows.append(row.model_copy(update={"sha256": documents.put(text), "size_bytes": len(text)}))
    if not rows:
        missing = FilingDocument(filing.form, 1, f"{filing.accession}-1.txt", None)
        rows.append(_rejected(edgar, filing, missing, "not_found", "the full submission holds no document"))
    return rows


def _fetch_documents(
    edgar: EdgarClient, asked: Sequence[tuple[FilingIndexRow, FilingDocument]], year: str
) -> list[RawFilingRow]:
    rows, wanted, fetchable = [], [], []
    for filing, document in asked:
        try:
            path = document_path(filing.cik or "", filing.accession or "", document.filename)
        except ValueError as error:
            rows.append(_rejected(edgar, filing, document, "wrong_document", str(error)))
            continue
        if document.is_text:
            wanted.append(Wanted("www", path, filed=filing.filed_date))
            fetchable.append((filing, document))
        elif document.filename.lower().endswith(".pdf"):
            rows.append(_rejected(edgar, filing, document, "pdf_only", "the primary document is a PDF"))
        else:
            rows.append(_rejected(edgar, filing, document, "undecodable", "the primary document is no text file"))
    answers = edgar.fetch(wanted, f"documents of fiscal year {year}")
    return rows + [_row(*pair, fetched) for pair, fetched in zip(fetchable, answers, strict=True)]


def _row(filing: FilingIndexRow, document: FilingDocument, fetched: Fetched) -> RawFilingRow:
    return RawFilingRow(
        accession=filing.accession or "",
        cik=filing.cik or "",
        form=filing.form,
        role=filing.role or "annual",
        fiscal_year=filing.fiscal_year,
        url=fetched.url,
        document_name=document.filename,
        document_type=document.type,
        sequence=document.sequence,
        sha256=fetched.sha256,
        size_bytes=fetched.size_bytes,
        http_status=fetched.status,
        headers=json.dumps(fetched.headers, sort_keys=True) if fetched.headers else None,
        retrieved_at=fetched.retrieved_at,
        reject_reason=fetched.problem,
        reject_detail=fetched.detail or None,
    )


def _rejected(
    edgar: EdgarClient, filing: FilingIndexRow, document: FilingDocument, reason: DocumentReject, detail: str
) -> RawFilingRow:
    folder = index_headers_path(filing.cik or "", filing.accession or "").rsplit("/", 1)[0]
    nothing = Fetched(edgar.url("www", f"{folder}/"), None, None, None, {}, None, None, detail, True)
    return _row(filing, document, nothing).model_copy(update={"reject_reason": reason})


def index_counts(year: str, rows: Sequence[FilingIndexRow]) -> dict[str, object]:
    """Filings of a fiscal year by role, and rejected lines by reason."""
    roles = Counter(row.role for row in rows if row.reject_reason is None)
    rejects = Counter(row.reject_reason for row in rows if row.reject_reason)
    return {
        "fiscal_year": year,
        **{role: roles[role] for role in get_args(FilingRole)},
        "rejected": sum(rejects.values()),
        "reasons": ", ".join(f"{reason} {count}" for reason, count in sorted(rejects.items())),
        "rows": len(rows),
    }


def document_counts(year: str, filings: Sequence[FilingIndexRow], rows: Sequence[RawFilingRow]) -> dict[str, object]:
    """Documents of a fiscal year: asked = retrieved + rejected."""
    rejects = Counter(row.reject_reason for row in rows if row.reject_reason)
    return {
        "fiscal_year": year,
        "filings": len(filings),
        "documents": len(rows),
        "retrieved": sum(row.sha256 is not None for row in rows),
        "rejected": sum(rejects.values()),
        "reasons": ", ".join(f"{reason} {count}" for reason, count in sorted(rejects.items())),
        "MB": round(sum(row.size_bytes or 0 for row in rows) / 1e6, 1),
    }
