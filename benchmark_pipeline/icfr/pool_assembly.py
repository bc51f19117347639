"""From tables to decisions: which annual filings there are, what surrounds each, and the verdict on every one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow
from benchmark_pipeline.tables.disclosures import (
    IcfrSectionRow,
    MaterialWeaknessRow,
    SectionReject,
)
from benchmark_pipeline.tables.sources import DocumentReject, EightK402Row, FilingIndexRow, RawFilingRow

from .decision_order import AnnualFiling, judge_filing
from .registrant_record import RegistrantRecord
from .report_facts import Report
from .successions import Succession, successors
from .surroundings import Surroundings, pool_context

_UNREAD: dict[DocumentReject, SectionReject] = {"pdf_only": "pdf_only", "undecodable": "undecodable"}


def registrant_records(
    assertions: Iterable[Report],
    index: Iterable[FilingIndexRow] = (),
    notices: Iterable[EightK402Row] = (),
    weaknesses: Iterable[MaterialWeaknessRow] = (),
    *,
    snapshot: date,
    links: Sequence[Succession] = (),
) -> dict[str, RegistrantRecord]:
    """One record a registrant, of what was filed up to the snapshot date; a co-registrant's filing is in each one's.

    A successor's filings from the succession on are in its predecessor's record as well.
    """
    by_cik: dict[str, list[Report]] = defaultdict(list)
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
    known = sorted({*by_cik, *filings, *told})
    after = successors(links)
    records = {}
    for cik in known:
        reports, listed, heard = list(by_cik[cik]), dict(filings[cik]), list(told[cik])
        passages = {accession: tuple(rows) for accession, rows in described[cik].items()}
        for link in after.get(cik, ()):
            reports += [row for row in by_cik.get(link.successor, ()) if row.filed_date >= link.since]
            later = filings.get(link.successor, {})
            listed |= {key: row for key, row in later.items() if row.filed_date and row.filed_date >= link.since}
            heard += [row for row in told.get(link.successor, ()) if row.filed_date >= link.since]
            passages |= {key: tuple(rows) for key, rows in described.get(link.successor, {}).items()}
        records[cik] = RegistrantRecord(
            cik,
            tuple(sorted(reports, key=lambda row: (row.period_end, row.filed_date, row.accession, row.cik))),
            tuple(listed[accession] for accession in sorted(listed)),
            tuple(sorted(heard, key=lambda row: (row.filed_date, row.accession, row.cik))),
            dict(sorted(passages.items())),
            succeeded=cik in after,
        )
    return records


def usable(row: FilingIndexRow) -> bool:
    """Whether an index line names a filing."""
    return row.reject_reason in (None, "missing_period", "not_retrievable") and row.accession is not None


def annual_filings(
    index: Iterable[FilingIndexRow],
    assertions: Sequence[Report],
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


def decide(
    filings: Iterable[AnnualFiling],
    evidence: Iterable[ContradictingEvidenceRow],
    around: Mapping[str, Surroundings],
    snapshot: date,
) -> Iterator[CleanPoolRow]:
    """One decision a filing and registrant, in the order of the filings."""
    about: dict[tuple[str, str], list[ContradictingEvidenceRow]] = defaultdict(list)
    for row in evidence:
        about[row.accession, row.cik].append(row)
    for filing in filings:
        context = pool_context(around.get(filing.cik), filing, snapshot)
        yield judge_filing(filing, about.get((filing.accession, filing.cik), ()), context)
