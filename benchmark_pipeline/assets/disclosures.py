"""Assets of the disclosures stage: sections, assertions and weaknesses, read from the stored annual reports."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from os import cpu_count
from typing import Any

import dagster as dg

from benchmark_pipeline import progress
from benchmark_pipeline.edgar.full_submission import header
from benchmark_pipeline.edgar.sections import FilingDocument
from benchmark_pipeline.edgar.sgml_header import SubmissionHeader
from benchmark_pipeline.icfr.disclosure import EXTRACTOR_VERSION, Disclosures, FilingInput, read_disclosures
from benchmark_pipeline.icfr.registrants import Registrant
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore, Lake
from benchmark_pipeline.storage.lake import WrittenFile
from benchmark_pipeline.tables import TABLES
from benchmark_pipeline.tables.disclosures import IcfrAssertionRow, IcfrSectionRow, SectionReject
from benchmark_pipeline.tables.sources import FilingIndexRow, RawFilingRow

from .common import OWNER, column_schema, fiscal_years, logging_progress, record, table_markdown, year_backfill
from .time_limit import TimeLimitExceededError, time_limit

_TABLES = ("icfr_sections", "icfr_assertions", "material_weaknesses")
HEADER = "HEADER"
_POOL_FROM_FILINGS = 64
"""Fewer filings are read sooner in one process than a pool is started."""
MOST_SECONDS = 10.0
"""Processor time for one filing; the slowest real one took a fraction of a second."""
_REJECTS: dict[str, SectionReject] = {"pdf_only": "pdf_only", "undecodable": "undecodable", "too_large": "too_complex"}


def build(settings: Settings) -> list[dg.AssetsDefinition]:
    """The stage's three tables, as one operation: a filing is read once for all of them."""
    years = fiscal_years(settings)

    @dg.multi_asset(
        name="disclosures",
        specs=[
            _spec("icfr_sections", "raw_filings", "filing_index"),
            _spec("icfr_assertions", "icfr_sections", "raw_filings", "filing_index"),
            _spec("material_weaknesses", "icfr_assertions", "raw_filings"),
        ],
        partitions_def=years,
        backfill_policy=year_backfill(settings),
    )
    def disclosures(
        context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake], documents: dg.ResourceParam[DocumentStore]
    ) -> Iterator[dg.MaterializeResult[Any]]:
        written: dict[str, dict[str, WrittenFile]] = {table: {} for table in _TABLES}
        sections: list[IcfrSectionRow] = []
        assertions: list[IcfrAssertionRow] = []
        with logging_progress(context):
            for year in context.partition_keys:
                read = read_year(lake, documents, year)
                year_sections = [row for filing in read for row in filing.sections]
                year_assertions = [row for filing in read for row in filing.assertions]
                weaknesses = [row for filing in read for row in filing.weaknesses]
                written["icfr_sections"][year] = lake.write("icfr_sections", year_sections, year)
                written["icfr_assertions"][year] = lake.write("icfr_assertions", year_assertions, year)
                written["material_weaknesses"][year] = lake.write("material_weaknesses", weaknesses, year)
                sections += year_sections
                assertions += year_assertions
        yield _result(context, "icfr_sections", written, yield_by_form=table_markdown(yield_by_form(sections)))
        yield _result(
            context,
            "icfr_assertions",
            written,
            conclusions=table_markdown(conclusions_by_opinion(assertions)),
            with_conflicts=sum(bool(row.conflicts) for row in assertions),
            without_period=len(sections) - len(assertions),
        )
        yield _result(context, "material_weaknesses", written)

    return [disclosures]


def _spec(table: str, *deps: str) -> dg.AssetSpec:
    spec = TABLES[table]
    return dg.AssetSpec(
        table,
        deps=list(deps),
        description=spec.description,
        group_name=spec.group,
        owners=[OWNER],
        kinds={"parquet"},
        code_version=EXTRACTOR_VERSION,
        metadata={"dagster/column_schema": column_schema(table), "key": ", ".join(spec.key)},
    )


def _result(
    context: dg.AssetExecutionContext, table: str, written: dict[str, dict[str, WrittenFile]], **metadata: Any
) -> dg.MaterializeResult[Any]:
    record(context, written[table], table, **metadata)
    return dg.MaterializeResult(asset_key=table)


def read_year(lake: Lake, documents: DocumentStore, year: str) -> list[Disclosures]:
    """Reads every annual report of a partition, in order of accession."""
    index = {
        row.accession: row
        for row in lake.read(FilingIndexRow, "filing_index", [year])
        if row.role == "annual" and row.reject_reason is None and row.accession is not None
    }
    raw: dict[str, list[RawFilingRow]] = {}
    for row in lake.read(RawFilingRow, "raw_filings", [year]):
        if row.role == "annual":
            raw.setdefault(row.accession, []).append(row)
    work = [(index[accession], raw.get(accession, [])) for accession in sorted(index)]
    task = partial(_read_one, documents)
    what = f"annual reports of {year}"
    results: list[Disclosures] = []
    workers = min(cpu_count() or 1, 16)
    if len(work) < _POOL_FROM_FILINGS or workers == 1:
        for done, item in enumerate(work, start=1):
            results.append(task(item))
            progress.advance(what, done, len(work))
        return results
    # Spawned, not forked: the parent holds threads and open connections.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for done, disclosures in enumerate(pool.map(task, work, chunksize=8), start=1):
            results.append(disclosures)
            progress.advance(what, done, len(work))
    return results


def _read_one(documents: DocumentStore, item: tuple[FilingIndexRow, list[RawFilingRow]]) -> Disclosures:
    return read_within_limit(filing_input(item[0], item[1], documents))


def read_within_limit(filing: FilingInput, seconds: float = MOST_SECONDS) -> Disclosures:
    """Every row of a filing; a filing that takes longer than the limit is rejected as too complex."""
    try:
        with time_limit(seconds):
            return read_disclosures(filing)
    except TimeLimitExceededError:
        reason: tuple[SectionReject, str] = ("too_complex", f"reading took more than {seconds:g} s of processor time")
        return read_disclosures(replace(filing, documents=(), unusable=reason))


def filing_input(row: FilingIndexRow, raw: Sequence[RawFilingRow], documents: DocumentStore) -> FilingInput:
    """What is stored of one annual report: header facts, usable documents with the primary one first."""
    if row.accession is None or row.filed_date is None or row.cik is None:
        raise ValueError(f"a filing without accession or date is no input: {row.source_url}")
    head = _header(raw, documents)
    parts = sorted((r for r in raw if r.document_type != HEADER), key=lambda r: (r.sequence or 999, r.document_name))
    primary = next((r for r in parts if r.sequence == 1 or r.document_type == row.form), parts[0] if parts else None)
    usable: list[FilingDocument] = []
    unusable: tuple[SectionReject, str] | None = None
    if primary is None:
        unusable = ("document_missing", "no document of the filing was retrieved")
    elif primary.sha256 is None or primary.reject_reason is not None:
        reason = _REJECTS.get(primary.reject_reason or "", "document_missing")
        unusable = (reason, f"{primary.document_name}: {primary.reject_reason} {primary.reject_detail or ''}".strip())
    else:
        ordered = [primary, *(r for r in parts if r is not primary)]
        usable = [
            FilingDocument(r.document_name, r.document_type, documents.get(r.sha256))
            for r in ordered
            if r.sha256 is not None and r.reject_reason is None
        ]
    return FilingInput(
        accession=row.accession,
        form=row.form,
        partition_fiscal_year=row.fiscal_year,
        filed_date=row.filed_date,
        period_of_report=(head.period_of_report if head else None) or row.period_of_report,
        registrants=_registrants(row, head),
        documents=tuple(usable),
        unusable=unusable,
    )


def _header(raw: Sequence[RawFilingRow], documents: DocumentStore) -> SubmissionHeader | None:
    for row in raw:
        if row.document_type == HEADER and row.sha256 is not None and row.reject_reason is None:
            try:
                return header(documents.get(row.sha256))
            except ValueError:
                # An unreadable header leaves the index's facts; the missing SIC and state show in the row.
                return None
    return None


def _registrants(row: FilingIndexRow, head: SubmissionHeader | None) -> tuple[Registrant, ...]:
    named = {filer.cik: filer for filer in head.filers} if head else {}
    ciks = list(dict.fromkeys([cik for cik in (row.cik, *row.ciks, *named) if cik is not None]))
    return tuple(
        Registrant(cik, filer.name or row.company_name, filer.sic, filer.state_of_incorporation)
        if (filer := named.get(cik))
        else Registrant(cik, row.company_name)
        for cik in ciks
    )


def yield_by_form(rows: Sequence[IcfrSectionRow]) -> list[dict[str, Any]]:
    """How many sections were found, followed and rejected, by form; the reasons of the rejected ones."""
    table = []
    for form in sorted({row.form for row in rows}):
        own = [row for row in rows if row.form == form]
        reasons = sorted({row.reject_reason for row in own if row.reject_reason})
        table.append(
            {
                "form": form,
                "filings": len(own),
                "found": sum(row.status == "found" for row in own),
                "followed_pointer": sum(row.status == "followed_pointer" for row in own),
                "rejected": sum(row.status == "rejected" for row in own),
                "reasons": ", ".join(f"{r} {sum(row.reject_reason == r for row in own)}" for r in reasons),
            }
        )
    return table


def conclusions_by_opinion(rows: Sequence[IcfrAssertionRow]) -> list[dict[str, Any]]:
    """Management's conclusion against the auditor's opinion, counted."""
    opinions = ("unqualified", "adverse", "disclaimer", "none")
    return [
        {"management": conclusion}
        | {
            opinion: sum(r.mgmt_conclusion == conclusion and r.attest_opinion == opinion for r in rows)
            for opinion in opinions
        }
        for conclusion in ("effective", "ineffective", "mixed", "not_assessed", "absent")
    ]
