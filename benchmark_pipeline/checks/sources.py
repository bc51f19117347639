"""Checks of the EDGAR part of the `sources` stage. Blocking: nothing downstream may rest on lists that lost filings."""

from collections import Counter
from collections.abc import Iterable, Sequence

import dagster as dg

from benchmark_pipeline.assets.edgar_lists import built_quarters, daily_listing, quarterly_index
from benchmark_pipeline.edgar.filing_folder import parse_folder_index
from benchmark_pipeline.edgar.fiscal_year import ANNUAL_FORMS, partition_fiscal_year
from benchmark_pipeline.edgar.indexes import daily_index_days
from benchmark_pipeline.resources.edgar import EdgarClient
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore, Lake
from benchmark_pipeline.tables.sources import FilingIndexRow, RawFilingRow

SHOWN = 10
"""Examples listed in a check's metadata."""
LARGEST_REJECTED_SHARE = 0.02
"""Above this share of documents not retrieved the pull itself is suspect."""


def build(settings: Settings) -> list[dg.AssetChecksDefinition]:
    """The stage's checks for these settings."""

    @dg.asset_check(asset="filing_index", blocking=True)
    def every_filing_is_listed_once(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """One row a filing over all fiscal years, each in the partition that its dates give."""
        return _result(listed_twice_or_misplaced(lake.read(FilingIndexRow, "filing_index")))

    @dg.asset_check(asset="filing_index", blocking=True)
    def every_listed_filing_has_a_role_and_every_rejected_line_a_reason(
        lake: dg.ResourceParam[Lake],
    ) -> dg.AssetCheckResult:
        """An accepted row names accession, registrant, date and role; annual ones their period; a rejected one says why."""
        return _result(incomplete(lake.read(FilingIndexRow, "filing_index"), settings))

    @dg.asset_check(asset="filing_index", blocking=True)
    def every_fiscal_year_has_annual_reports(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """A year without a single annual report is a lost index, not a quiet year."""
        rows = lake.read(FilingIndexRow, "filing_index")
        return _result(years_without_annual_reports(rows, lake.partitions("filing_index")))

    @dg.asset_check(asset="filing_index", blocking=True)
    def every_past_quarter_has_its_index(edgar: dg.ResourceParam[EdgarClient]) -> dg.AssetCheckResult:
        """A quarter that is over and of which EDGAR gave no index has filings that nobody looked for."""
        return _result(quarters_without_an_index(edgar, settings))

    @dg.asset_check(asset="raw_filings", blocking=True)
    def every_listed_filing_has_its_documents_or_a_reason(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """No filing of the index is without a row, no document has two, and each row has a body or a reason."""
        return _result(
            lost_documents(
                lake.read(RawFilingRow, "raw_filings"),
                lake.read(FilingIndexRow, "filing_index"),
                lake.partitions("raw_filings"),
            )
        )

    @dg.asset_check(asset="raw_filings", blocking=True)
    def every_retrieved_document_is_in_the_store(
        lake: dg.ResourceParam[Lake], documents: dg.ResourceParam[DocumentStore]
    ) -> dg.AssetCheckResult:
        """The body behind every row exists under its SHA-256."""
        rows = lake.read(RawFilingRow, "raw_filings")
        return _result([
            f"{row.accession} {row.document_name}: {row.sha256} is not stored"
            for row in rows
            if row.sha256 is not None and row.sha256 not in documents
        ])  # fmt: skip

    @dg.asset_check(asset="raw_filings")
    def nearly_all_documents_were_retrieved(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Warns when more than 2 % of documents were rejected."""
        rows = lake.read(RawFilingRow, "raw_filings")
        rejected = Counter(row.reject_reason for row in rows if row.reject_reason)
        return dg.AssetCheckResult(
            passed=sum(rejected.values()) <= LARGEST_REJECTED_SHARE * len(rows),
            severity=dg.AssetCheckSeverity.WARN,
            metadata={"documents": len(rows), **{str(reason): count for reason, count in rejected.items()}},
        )

    return [
        every_filing_is_listed_once,
        every_listed_filing_has_a_role_and_every_rejected_line_a_reason,
        every_fiscal_year_has_annual_reports,
        every_past_quarter_has_its_index,
        every_listed_filing_has_its_documents_or_a_reason,
        every_retrieved_document_is_in_the_store,
        nearly_all_documents_were_retrieved,
    ]


def listed_twice_or_misplaced(rows: Iterable[FilingIndexRow]) -> list[str]:
    """Accepted filings that occur twice, or in another partition than their dates give."""
    accepted = [row for row in rows if row.reject_reason is None]
    counts = Counter(row.accession for row in accepted)
    problems = [f"{accession}: {count} rows" for accession, count in counts.items() if count > 1]
    for row in accepted:
        if row.filed_date is None:
            continue
        year = partition_fiscal_year(row.form, row.period_of_report, row.filed_date)
        if year != row.fiscal_year:
            problems.append(f"{row.accession}: in {row.fiscal_year}, belongs to {year}")
    return problems


def incomplete(rows: Iterable[FilingIndexRow], settings: Settings) -> list[str]:
    """Rows that say neither what they are nor why they are not used."""
    problems = []
    for row in rows:
        name = f"{row.accession or row.reject_detail}"
        if row.reject_reason is not None:
            if not row.reject_detail:
                problems.append(f"{name}: rejected without a detail")
            continue
        if not (row.accession and row.cik and row.role and row.filed_date) or row.cik not in row.ciks:
            problems.append(f"{name}: accession, registrant, role or date is missing")
        elif row.role == "annual" and (row.form not in ANNUAL_FORMS or row.period_of_report is None):
            problems.append(f"{name}: an annual report of form {row.form} with period {row.period_of_report}")
        elif row.filed_date > settings.as_of:
            problems.append(f"{name}: filed {row.filed_date}, after the snapshot date {settings.as_of}")
    return problems


def years_without_annual_reports(rows: Iterable[FilingIndexRow], partitions: Sequence[str]) -> list[str]:
    """Materialized fiscal years in which nothing annual is listed."""
    found = {str(row.fiscal_year) for row in rows if row.role == "annual" and row.reject_reason is None}
    return [f"fiscal year {year}: no annual report" for year in partitions if year not in found]


def quarters_without_an_index(edgar: EdgarClient, settings: Settings) -> list[str]:
    """Past quarters of the years built with neither a quarterly index nor daily ones, from what was retrieved."""
    problems = []
    for quarter in built_quarters(settings):
        answer, listing = edgar.known(quarterly_index(quarter)), edgar.known(daily_listing(quarter))
        days = parse_folder_index(edgar.body(listing)) if listing is not None and listing.sha256 else ()
        covered = (answer is not None and answer.sha256) or daily_index_days(item.name for item in days)
        if quarter.last_day < settings.as_of and not covered:
            problems.append(
                f"{quarter.year} quarter {quarter.number}: no index ({answer.detail if answer else 'not asked'})"
            )
    return problems


def lost_documents(
    raw: Sequence[RawFilingRow], index: Iterable[FilingIndexRow], partitions: Sequence[str]
) -> list[str]:
    """Filings without a document row, documents with two, and rows that are neither retrieved nor rejected."""
    counts = Counter((row.accession, row.document_name) for row in raw)
    problems = [f"{accession} {name}: {count} rows" for (accession, name), count in counts.items() if count > 1]
    problems += [
        f"{row.accession} {row.document_name}: neither a body nor a reason, or both"
        for row in raw
        if (row.sha256 is None) == (row.reject_reason is None)
    ]
    with_body = {row.accession for row in raw if row.document_type != "HEADER"}
    problems += [
        f"{row.accession}: listed, no document row"
        for row in index
        if row.reject_reason is None and str(row.fiscal_year) in partitions and row.accession not in with_body
    ]
    return problems


def _result(problems: Sequence[str]) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        passed=not problems,
        severity=dg.AssetCheckSeverity.ERROR,
        description="; ".join(problems[:3]) or None,
        metadata={"problems": len(problems), "examples": list(problems[:SHOWN])},
    )
