"""Assets `filing_index` and `raw_filings`: what was filed, and the bytes of it."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import dagster as dg

from benchmark_pipeline.edgar.accession import document_path, index_headers_path
from benchmark_pipeline.edgar.filing_folder import FilingDocument, needed_documents, parse_document_list
from benchmark_pipeline.edgar.fiscal_year import Quarter, first_day, fiscal_year_of, index_quarters
from benchmark_pipeline.edgar.indexes import parse_master_index
from benchmark_pipeline.edgar.submissions import InconsistentArrays, NotSubmissions, Submissions, parse_submissions
from benchmark_pipeline.edgar.universe import (
    IndexExtract,
    ListSource,
    RegistrantFilings,
    filed_after_the_last_year,
    filing_index_rows,
    missing_from_submissions,
)
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.resources.edgar import EdgarClient, Fetched, Wanted
from benchmark_pipeline.resources.edgar_answers import a_master_index, header_of, submissions_of
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore, Lake
from benchmark_pipeline.tables.sources import DocumentReject, FilingIndexRow, FilingRole, IndexReject, RawFilingRow

from .common import fiscal_years, logging_progress, record, table_asset, table_markdown

HEADER = "HEADER"
"""Document type of the page with the SGML header."""
SINGLE_DOCUMENT_ROLES: frozenset[FilingRole] = frozenset({"quarterly", "late_notice"})
"""Roles whose primary document says all that is needed: their header pages, the bulk of all requests, are left alone."""


def build(settings: Settings) -> list[dg.AssetsDefinition]:
    """The stage's assets for these settings."""
    years = fiscal_years(settings)

    @table_asset("filing_index", partitions=years, kinds=("parquet", "edgar"), pool="sec_http")
    def filing_index(
        context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake], edgar: dg.ResourceParam[EdgarClient]
    ) -> None:
        with logging_progress(context):
            found = read_lists(edgar, settings)
        rows = filing_index_rows(found.index, found.registrants, settings.fiscal_years, settings.as_of)
        unlisted = missing_from_submissions(found.index, found.registrants)
        outside = filed_after_the_last_year(found.registrants, settings.fiscal_years, settings.as_of)
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
            annual_reports_missing_from_submissions=[line.accession for line in unlisted][:50],
            requests=sum(edgar.requests.values()),
        )

    @table_asset("raw_filings", deps=("filing_index",), partitions=years, kinds=("parquet", "edgar"), pool="sec_http")
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
                rows = read_documents(edgar, filings, year)
            written[year] = lake.write("raw_filings", rows, year)
            counts.append(document_counts(year, filings, rows))
        record(context, written, documents=table_markdown(counts), requests=sum(edgar.requests.values()))

    return [filing_index, raw_filings]


@dataclass(frozen=True)
class Lists:
    """What EDGAR's lists say, before it is cut into fiscal years."""

    index: IndexExtract
    registrants: list[RegistrantFilings]
    missing_quarters: list[Quarter]


def read_lists(edgar: EdgarClient, settings: Settings) -> Lists:
    """Fetches the quarterly indexes of all fiscal years built, then the submissions of every annual filer.

    All years are read whatever the partition: whether a 10-Q is of interest depends on an annual report of another year.

    Raises:
        BenchError: no index could be had at all.
    """
    as_of = settings.as_of
    quarters = sorted({quarter for year in settings.fiscal_years for quarter in index_quarters(year, as_of)})
    wanted = [
        Wanted("www", quarter.master_index_path, a_master_index, mutable=True, changed_until=_settled(quarter))
        for quarter in quarters
    ]
    index, missing = IndexExtract(), []
    for quarter, fetched in zip(quarters, edgar.fetch(wanted, "quarterly indexes"), strict=True):
        if fetched.sha256 is None:
            if fetched.problem != "not_found":
                raise BenchError(
                    f"the index {fetched.url} cannot be used: {fetched.problem} ({fetched.detail})",
                    remedy="run again later; without it filings would be lost without a trace",
                )
            missing.append(quarter)
            continue
        lines = parse_master_index(edgar.body(fetched))
        index.add(lines, quarter.first_day, ListSource(fetched.url, fetched.sha256), as_of)
    if len(missing) == len(quarters):
        raise BenchError(
            f"EDGAR has no quarterly index for fiscal years {settings.fiscal_years}",
            remedy="check ICFR_BENCH_FISCAL_YEARS and ICFR_BENCH_SNAPSHOT_DATE",
        )
    since = first_day(min(settings.fiscal_years))
    return Lists(index, read_registrants(edgar, sorted(index.names), since), missing)


def _settled(quarter: Quarter) -> date:
    """EDGAR corrects indexes afterwards: a quarter's is taken as final when the next quarter is over."""
    return quarter.following.following.first_day - timedelta(days=1)


def read_registrants(edgar: EdgarClient, ciks: Sequence[str], since: date) -> list[RegistrantFilings]:
    """The submissions of each registrant, with the older pages that reach back to `since`."""
    wanted = [Wanted("data", f"/submissions/CIK{cik}.json", submissions_of(cik), mutable=True) for cik in ciks]
    firsts = [_read_page(edgar, fetched) for fetched in edgar.fetch(wanted, "submissions of registrants")]
    names = [
        (cik, page.name)
        for cik, first in zip(ciks, firsts, strict=True)
        for page in (first.page.older_pages if first.page else ())
        if page.last >= since
    ]
    older_wanted = [Wanted("data", f"/submissions/{name}", submissions_of(None), mutable=True) for _, name in names]
    older = [_read_page(edgar, fetched) for fetched in edgar.fetch(older_wanted, "older pages of submissions")]
    pages = {cik: [first] for cik, first in zip(ciks, firsts, strict=True)}
    for (cik, _), page in zip(names, older, strict=True):
        pages[cik].append(page)
    return [_registrant(cik, pages[cik]) for cik in ciks]


@dataclass(frozen=True)
class _Page:
    source: ListSource
    page: Submissions | None
    problem: str = ""
    inconsistent: bool = False


def _read_page(edgar: EdgarClient, fetched: Fetched) -> _Page:
    source = ListSource(fetched.url, fetched.sha256)
    if fetched.sha256 is None:
        return _Page(source, None, f"{fetched.problem}: {fetched.detail}")
    try:
        return _Page(source, parse_submissions(edgar.body(fetched)))
    except InconsistentArrays as error:
        return _Page(source, None, str(error), inconsistent=True)
    except NotSubmissions as error:
        return _Page(source, None, str(error))


def _registrant(cik: str, pages: Sequence[_Page]) -> RegistrantFilings:
    # One bad page makes the registrant unusable: a filing that contradicts an annual report may stand on it.
    bad = next((page for page in pages if page.page is None), None)
    if bad is not None:
        reason: IndexReject = "inconsistent_arrays" if bad.inconsistent else "not_retrievable"
        return RegistrantFilings(cik, problem=reason, problem_detail=bad.problem, problem_source=bad.source)
    return RegistrantFilings(
        cik,
        filings=[(filing, page.source) for page in pages if page.page for filing in page.page.filings],
        unreadable=[(filing, page.source) for page in pages if page.page for filing in page.page.unreadable],
    )


def read_documents(edgar: EdgarClient, filings: Sequence[FilingIndexRow], year: str) -> list[RawFilingRow]:
    """Header page, primary document and needed exhibits of each filing, each a row whether retrieved or not."""
    with_header = [filing for filing in filings if not _needs_no_header(filing)]
    headers = edgar.fetch(
        [
            Wanted(
                "www", index_headers_path(filing.cik or "", filing.accession or ""), header_of(filing.accession or "")
            )
            for filing in with_header
        ],
        f"headers of fiscal year {year}",
    )
    rows: list[RawFilingRow] = []
    asked: list[tuple[FilingIndexRow, FilingDocument]] = []
    for filing in filings:
        if _needs_no_header(filing):
            asked.append((filing, FilingDocument(filing.form, 1, filing.primary_document or "", None)))
    for filing, fetched in zip(with_header, headers, strict=True):
        name = f"{filing.accession}-index-headers.html"
        rows.append(_row(filing, FilingDocument(HEADER, None, name, None), fetched))
        needed = _needed(edgar, filing, fetched)
        if not needed:
            missing = FilingDocument(filing.form, 1, filing.primary_document or f"{filing.accession}.txt", None)
            rows.append(_rejected(edgar, filing, missing, "not_found", "the filing's document list names no file"))
        asked += [(filing, document) for document in needed]
    rows += _fetch_documents(edgar, asked, year)
    return sorted(rows, key=lambda row: (row.accession, row.sequence or 0, row.document_name))


def _needs_no_header(filing: FilingIndexRow) -> bool:
    return filing.role in SINGLE_DOCUMENT_ROLES and bool(filing.primary_document)


def _needed(edgar: EdgarClient, filing: FilingIndexRow, header: Fetched) -> list[FilingDocument]:
    if header.sha256 is not None:
        return needed_documents(filing.form, parse_document_list(edgar.body(header)).documents)
    if filing.primary_document:
        return [FilingDocument(filing.form, 1, filing.primary_document, None)]
    return []


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
            wanted.append(Wanted("www", path))
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
        **{
            role: roles[role]
            for role in ("annual", "amendment", "item_402", "item_401", "quarterly", "late_notice", "foreign_report")
        },
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
