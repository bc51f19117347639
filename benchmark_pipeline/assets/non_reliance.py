"""Asset `eight_k_402_index`: notices of non-reliance, from 8-K Item 4.02 and from the foreign issuers' channels."""

from collections import Counter, defaultdict
from collections.abc import Iterator

import dagster as dg

from benchmark_pipeline import progress
from benchmark_pipeline.edgar.sgml_header import parse_header
from benchmark_pipeline.icfr.non_reliance import EXTRACTOR_VERSION
from benchmark_pipeline.icfr.notice_rows import CHANNEL_ROLES, notice_rows
from benchmark_pipeline.icfr.periods import FiscalCalendar
from benchmark_pipeline.icfr.pool_assembly import usable
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore, Lake
from benchmark_pipeline.tables.sources import EightK402Row, FilingIndexRow, RawFilingRow

from .common import fiscal_years, logging_progress, record, table_asset, table_markdown, year_backfill
from .evidence_reader import StoredTexts


def build(settings: Settings) -> list[dg.AssetsDefinition]:
    """The stage's asset for these settings."""

    @table_asset(
        "eight_k_402_index",
        deps=("filing_index", "raw_filings"),
        partitions=fiscal_years(settings),
        backfill=year_backfill(settings),
        code_version=EXTRACTOR_VERSION,
    )
    def eight_k_402_index(
        context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake], documents: dg.ResourceParam[DocumentStore]
    ) -> None:
        index = lake.read(FilingIndexRow, "filing_index")
        written, counts = {}, []
        with logging_progress(context):
            for year in context.partition_keys:
                raw = lake.read(RawFilingRow, "raw_filings", [year])
                rows = list(read_notices(index, raw, documents, int(year)))
                written[year] = lake.write("eight_k_402_index", rows, year)
                counts.append(_counts(year, index, rows))
        record(context, written, notices=table_markdown(counts))

    return [eight_k_402_index]


def read_notices(
    index: list[FilingIndexRow], raw: list[RawFilingRow], documents: DocumentStore, fiscal_year: int
) -> Iterator[EightK402Row]:
    """Rows of one partition. The whole index is taken, because year ends and earlier notices reach across years."""
    year_ends, earlier = defaultdict(list), defaultdict(list)
    for row in index:
        if not usable(row):
            continue
        for cik in {*row.ciks, *([row.cik] if row.cik else [])}:
            if row.role == "annual" and row.period_of_report:
                year_ends[cik].append(row.period_of_report)
            elif row.role == "item_402" and row.filed_date and row.accession:
                earlier[cik].append((row.filed_date, row.accession))
    texts = StoredTexts(raw, (), documents)
    headers = {row.accession: row.sha256 for row in raw if row.document_type == "HEADER" and row.sha256}
    # One filing may be listed once for each co-registrant; `notice_rows` gives all of them a row.
    candidates = {
        row.accession: row
        for row in index
        if row.fiscal_year == fiscal_year and row.role in CHANNEL_ROLES and usable(row) and row.accession and row.cik and row.filed_date
    }  # fmt: skip
    for done, accession in enumerate(sorted(candidates), start=1):
        row = candidates[accession]
        cik = row.cik or ""
        calendar = FiscalCalendar.from_year_ends(year_ends[cik]) or _header_calendar(documents, headers.get(accession))
        yield from notice_rows(row, texts.documents(accession), calendar, earlier[cik])
        progress.advance(f"notices of fiscal year {fiscal_year}", done, len(candidates))


def _header_calendar(documents: DocumentStore, sha256: str | None) -> FiscalCalendar | None:
    """The fiscal year end that the notice's own header states."""
    if sha256 is None:
        return None
    try:
        filers = parse_header(documents.get(sha256)).filers
    except ValueError:
        return None
    stated = next((filer.fiscal_year_end for filer in filers if filer.fiscal_year_end), None)
    return FiscalCalendar.from_mmdd(stated) if stated else None


def _counts(year: str, index: list[FilingIndexRow], rows: list[EightK402Row]) -> dict[str, object]:
    candidates = Counter(row.role for row in index if str(row.fiscal_year) == year and usable(row))
    return {
        "fiscal_year": year,
        "8-K 4.02 filings": candidates["item_402"],
        "6-K read": candidates["foreign_report"],
        "amendments read": candidates["amendment"],
        "notices": len(rows),
        "periods read": sum(row.periods_parsed for row in rows),
        "periods not read": sum(not row.periods_parsed for row in rows),
        "rejected": sum(row.reject_reason is not None for row in rows),
        "weakness admitted": sum(row.mw_admitted for row in rows),
        "ICFR report withdrawn": sum(row.icfr_reports_withdrawn for row in rows),
    }
