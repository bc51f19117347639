"""From tables to decisions: which annual filings there are, what surrounds each, and the verdict on every one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow
from benchmark_pipeline.tables.disclosures import (
    IcfrAssertionRow,
    IcfrSectionRow,
    MaterialWeaknessRow,
    SectionReject,
)
from benchmark_pipeline.tables.sources import DocumentReject, EightK402Row, FilingIndexRow, RawFilingRow

from .decision_order import AnnualFiling, PoolContext, judge_filing
from .evidence_notices import watched
from .registrant_record import RegistrantRecord
from .strata import first_attested_year, followup, followup_ended, nonreliance_channel, seasoning_tier

_UNREAD: dict[DocumentReject, SectionReject] = {"pdf_only": "pdf_only", "undecodable": "undecodable"}


def registrant_records(
    assertions: Iterable[IcfrAssertionRow],
    index: Iterable[FilingIndexRow] = (),
    notices: Iterable[EightK402Row] = (),
    weaknesses: Iterable[MaterialWeaknessRow] = (),
    *,
    snapshot: date,
) -> dict[str, RegistrantRecord]:
    """One record a registrant, of what was filed up to the snapshot date; a co-registrant's filing is in each one's."""
    by_cik: dict[str, list[IcfrAssertionRow]] = defaultdict(list)
    filings: dict[str, dict[str, FilingIndexRow]] = defaultdict(dict)
    told: dict[str, list[EightK402Row]] = defaultdict(list)
    described: dict[str, dict[str, list[MaterialWeaknessRow]]] = defaultdict(lambda: defaultdict(list))
    for assertion in assertions:
        if assertion.filed_date <= snapshot:
            by_cik[assertion.cik].append(assertion)
    for row in index:
        if usable(row) and row.accession and row.filed_date and row.filed_date <= snapshot:
            for cik in {*row.ciks, *([row.cik] if row.cik else [])}:
                filings[cik][row.accession] = row
    for notice in notices:
        if notice.filed_date <= snapshot:
            told[notice.cik].append(notice)
    for weakness in weaknesses:
        described[weakness.cik][weakness.accession].append(weakness)
    return {
        cik: RegistrantRecord(
            cik,
            tuple(sorted(by_cik[cik], key=lambda row: (row.period_end, row.filed_date, row.accession))),
            tuple(filings[cik][accession] for accession in sorted(filings[cik])),
            tuple(sorted(told[cik], key=lambda row: (row.filed_date, row.accession))),
            {accession: tuple(rows) for accession, rows in sorted(described[cik].items())},
        )
        for cik in sorted({*by_cik, *filings, *told})
    }


def usable(row: FilingIndexRow) -> bool:
    """Whether an index line names a filing."""
    return row.reject_reason in (None, "missing_period", "not_retrievable") and row.accession is not None


def annual_filings(
    index: Iterable[FilingIndexRow],
    assertions: Sequence[IcfrAssertionRow],
    sections: Iterable[IcfrSectionRow] = (),
    raw: Iterable[RawFilingRow] = (),
    *,
    snapshot: date,
) -> list[AnnualFiling]:
    """Every annual filing up to the snapshot date, once a registrant.

    A filing with assertions gives one entry an assertion, so two registrants in one filing are judged apart. A filing
    without any is kept with the reason why it could not be read, so that it is counted and not lost.
    """
    entries = {(row.accession, row.cik): AnnualFiling.of(row) for row in assertions if row.filed_date <= snapshot}
    asserted = {accession for accession, _ in entries}
    refused = {(row.accession, row.cik): row.reject_reason for row in sections if row.reject_reason}
    missing: dict[str, SectionReject] = {}
    for document in raw:
        if document.role == "annual" and document.reject_reason in _UNREAD and document.sequence in (None, 1):
            missing[document.accession] = _UNREAD[document.reject_reason]
    for row in index:
        if row.role != "annual" or not usable(row) or row.accession is None or row.cik is None:
            continue
        if row.filed_date is None or row.filed_date > snapshot or row.accession in asserted:
            continue
        entries[row.accession, row.cik] = AnnualFiling(
            row.accession, row.cik, row.form, row.fiscal_year, row.period_of_report, row.filed_date,
            unread=refused.get((row.accession, row.cik)) or missing.get(row.accession, "document_missing"),
        )  # fmt: skip
    return [entries[key] for key in sorted(entries)]


def pool_context(record: RegistrantRecord | None, filing: AnnualFiling, snapshot: date) -> PoolContext:
    """What surrounds one annual filing on the snapshot date."""
    read = filing.assertion
    if record is None or filing.period_end is None:
        return PoolContext(snapshot)
    quarterlies = [row.filed_date for row in record.with_role("quarterly") if row.filed_date]
    return PoolContext(
        snapshot_date=snapshot,
        nonreliance_channel=nonreliance_channel(filing.form, record.filings),
        followup=followup(filing.period_end, filing.filed_date, record.reports_read, quarterlies),
        followup_ended=followup_ended(filing.filed_date, record.forms_filed),
        watch=read is not None and watched(record, read),
        first_attested_year=first_attested_year(read, record.assertions) if read else None,
    )


def seasoned(row: CleanPoolRow, snapshot: date) -> CleanPoolRow:
    """A decision whose inputs are unchanged, on another snapshot date: only its seasoning moves."""
    days = row.seasoning_days + (snapshot - row.snapshot_date).days
    return row.model_copy(
        update={
            "snapshot_date": snapshot,
            "seasoning_days": days,
            "seasoning_tier": seasoning_tier(row.followup, days),
        }
    )


def decide(
    filings: Sequence[AnnualFiling],
    evidence: Iterable[ContradictingEvidenceRow],
    records: Mapping[str, RegistrantRecord],
    snapshot: date,
) -> Iterator[CleanPoolRow]:
    """One decision a filing and registrant, in the order of the filings."""
    about: dict[tuple[str, str], list[ContradictingEvidenceRow]] = defaultdict(list)
    for row in evidence:
        about[row.accession, row.cik].append(row)
    for filing in filings:
        context = pool_context(records.get(filing.cik), filing, snapshot)
        yield judge_filing(filing, about.get((filing.accession, filing.cik), ()), context)
