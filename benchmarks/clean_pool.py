"""Measures the clean pool on synthetic filings: time and peak memory of evidence search and decisions.

    python benchmarks/clean_pool.py [filings] [events]        rows in memory: evidence search and decisions
    python benchmarks/clean_pool.py [filings] [events] lake   the two assets on a lake on disk, then one more notice

20,000 registrants with ten annual reports each by default; events are non-reliance notices and later reports that say
ineffective, with texts to read. Nothing is downloaded and no timing is asserted: the figures are printed.
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

import dagster as dg

from benchmark_pipeline.assets import clean_pool as stage
from benchmark_pipeline.icfr.evidence import find_evidence
from benchmark_pipeline.icfr.evidence_sentences import DocumentText
from benchmark_pipeline.icfr.pool_assembly import annual_filings, decide, registrant_records
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore, Lake
from benchmark_pipeline.tables.base import Span
from benchmark_pipeline.tables.disclosures import IcfrAssertionRow, IcfrSectionRow
from benchmark_pipeline.tables.sources import AffectedPeriod, EightK402Row, FilingIndexRow

SNAPSHOT = date(2026, 6, 30)
FIRST_YEAR = 2015
YEARS = 10
SHA = "ab" * 32
QUOTE = "In our opinion, the Company maintained, in all material respects, effective internal control over financial reporting."
SECTION = (
    "Item 9A. Controls and Procedures. Management concluded that internal control over financial reporting was not effective as of "
    "December 31, {year} because of a material weakness. Company {number} did not design controls over revenue contracts in {year}. The material weakness "
    "resulted in errors in our statements. We have hired staff and expect to complete remediation next year. "
) * 6  # fmt: skip


class Texts:
    """The controls section of a report that says ineffective."""

    def documents(self, accession: str) -> list[DocumentText]:
        return []

    def section(self, accession: str, cik: str) -> DocumentText:
        return DocumentText(SHA, SECTION.format(year=2000 + int(accession[11:13]) - 1, number=cik))


def assertion(number: int, year: int, ineffective: bool) -> IcfrAssertionRow:
    end = date(year, 12, 31)
    opinion = Span(document_sha256=SHA, start=0, end=len(QUOTE), quote=QUOTE)
    return IcfrAssertionRow(
        accession=f"{number:010d}-{(year + 1) % 100:02d}-000001", cik=f"{number:010d}", form="10-K", fiscal_year=year,
        fiscal_year_focus=year, partition_fiscal_year=year, period_end=end, fy_start=None, filed_date=date(year + 1, 2, 24),
        company_name=f"Company {number}", sic_at_filing="3823", state_of_incorporation="DE", jurisdiction="US",
        regime="sox_404", rule_regime="2020_amended", filer_category="Large Accelerated Filer", emerging_growth=False,
        shell_company=False, annual_report=True, language="en", extraction_status="found", extraction_reject=None,
        mgmt_conclusion="ineffective" if ineffective else "effective", mgmt_conclusion_span=None, mgmt_as_of=end,
        framework="COSO 2013", dcp_conclusion="ineffective" if ineffective else "effective", dcp_conclusion_span=None,
        weaknesses_stated=None, attest_flag="true" if year > 2019 else "absent",
        attest_opinion="adverse" if ineffective else "unqualified", attest_opinion_span=opinion, auditor_name=None,
        auditor_firm_id=None, opinion_date=None, mgmt_says_no_attestation=False, no_attestation_span=None,
        new_registrant_transition=False, reverse_merger_no_assessment=False, not_assessed_span=None, scope_outs=[],
        prior_mw_remediated=False, prior_mw_span=None, error_correction_flag="absent", recovery_flag="absent",
        conflicts=[], rules_fired=[], extractor_version="synthetic",
    )  # fmt: skip


def filing(row: IcfrAssertionRow) -> FilingIndexRow:
    return FilingIndexRow(
        accession=row.accession, cik=row.cik, ciks=[row.cik], company_name=row.company_name, form=row.form, role="annual",
        filed_date=row.filed_date, accepted_at=None, period_of_report=row.period_end, fiscal_year=row.fiscal_year, items=[],
        primary_document=None, size_bytes=None, is_inline_xbrl=None, discovered_via="full_index", source_url="synthetic",
        source_sha256=None, reject_reason=None, reject_detail=None,
    )  # fmt: skip


def notice(number: int, year: int) -> EightK402Row:
    start, end = date(year, 1, 1), date(year, 12, 31)
    return EightK402Row(
        accession=f"{number:010d}-{(year + 1) % 100:02d}-000402", cik=f"{number:010d}", form="8-K", fiscal_year=year + 1,
        filed_date=end + timedelta(days=220), event_date=None, channel="8k_402", limb="a", concluded_by="board",
        periods=[AffectedPeriod(kind="annual", start=start, end=end, source_sentence="")], periods_parsed=True,
        mw_admitted=True, icfr_reports_withdrawn=False, withdraws_accession=None, spans=[], document_sha256=SHA,
        extractor_version="synthetic", reject_reason=None, reject_detail=None,
    )  # fmt: skip


def rows_of(filings: int, events: int) -> tuple[list[IcfrAssertionRow], list[FilingIndexRow], list[EightK402Row]]:
    """Synthetic input, the same on every run."""
    chance = random.Random(402)
    registrants = filings // YEARS
    ineffective = {(chance.randrange(registrants), FIRST_YEAR + chance.randrange(YEARS)) for _ in range(events // 2)}
    begun = time.perf_counter()
    read = [
        assertion(number, year, (number, year) in ineffective)
        for number in range(registrants)
        for year in range(FIRST_YEAR, FIRST_YEAR + YEARS)
    ]
    index = [filing(row) for row in read]
    notices = [notice(chance.randrange(registrants), FIRST_YEAR + chance.randrange(YEARS)) for _ in range(events // 2)]
    print(
        f"{len(read):,} filings, {len(notices):,} notices, {len(ineffective):,} ineffective: "
        f"made in {time.perf_counter() - begun:.1f} s"
    )
    return read, index, notices


def through_the_lake(filings: int, events: int) -> None:
    """Runs the assets on files, and once more after one new notice."""
    read, index, notices = rows_of(filings, events)
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_root=Path(folder), fiscal_years=list(range(FIRST_YEAR, FIRST_YEAR + YEARS)),
                            snapshot_date=SNAPSHOT)  # fmt: skip
        lake, documents = Lake(settings.storage_root), DocumentStore(settings.storage_root)
        unique = list({(row.accession, row.cik): row for row in notices}.values())
        lake.write("icfr_assertions", read, "all")
        lake.write("filing_index", index, "all")
        lake.write("eight_k_402_index", unique[1:], "all")
        lake.write("icfr_sections", [section(row) for row in read if row.mgmt_conclusion == "ineffective"], "all")
        for table in ("raw_filings", "material_weaknesses"):
            lake.write(table, [], "all")
        del read, index
        run_assets(settings, lake, documents, "everyone")
        lake.write("eight_k_402_index", unique, "all")
        run_assets(settings, lake, documents, "one new notice")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB, synthetic input included")


def run_assets(settings: Settings, lake: Lake, documents: DocumentStore, what: str) -> None:
    evidence, pool = stage.build(settings)
    for name, run in (
        ("contradicting_evidence", lambda context: evidence(context, lake=lake, documents=documents)),
        ("clean_pool", lambda context: pool(context, lake=lake)),
    ):
        context = dg.build_asset_context()
        begun, cpu = time.perf_counter(), time.process_time()
        run(context)
        judged = context.get_output_metadata("result")["registrants_judged"]
        print(f"{name}, {what}: {time.perf_counter() - begun:.1f} s elapsed, {time.process_time() - cpu:.1f} s of "
              f"processor time, {judged:,} registrants judged")  # fmt: skip


def section(row: IcfrAssertionRow) -> IcfrSectionRow:
    text = SECTION.format(year=row.period_end.year, number=row.cik)
    return IcfrSectionRow(
        accession=row.accession, cik=row.cik, form=row.form, fiscal_year=row.fiscal_year, period_end=row.period_end,
        item="9A", status="found", method="heading", document_sha256=SHA, document_name="a.htm", start=0,
        end=len(text), byte_start=None, byte_end=None, text=text, text_sha256=SHA, heading=None, candidates=1,
        extractor_version="synthetic", reject_reason=None, reject_detail=None,
    )  # fmt: skip


def main(filings: int = 200_000, events: int = 10_000) -> None:
    read, index, notices = rows_of(filings, events)
    made, made_cpu = time.perf_counter(), time.process_time()
    records = registrant_records(read, index, notices, snapshot=SNAPSHOT)
    entries = annual_filings(index, read, snapshot=SNAPSHOT)
    texts = Texts()
    evidence = [row for record in records.values() for row in find_evidence(record, texts, SNAPSHOT)]
    found = time.perf_counter()
    print(f"{len(evidence):,} evidence rows in {found - made:.1f} s")
    decisions: dict[str, int] = {}
    for row in decide(entries, evidence, records, SNAPSHOT):
        decisions[row.decision] = decisions.get(row.decision, 0) + 1
    done = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{sum(decisions.values()):,} decisions in {done - found:.1f} s: {decisions}")
    cpu = time.process_time() - made_cpu
    print(
        f"evidence and decisions: {done - made:.1f} s elapsed, {cpu:.1f} s of processor time; peak memory {peak:,.0f} MB"
    )


if __name__ == "__main__":
    run = through_the_lake if sys.argv[3:] == ["lake"] else main
    run(*(int(argument) for argument in sys.argv[1:3]))
