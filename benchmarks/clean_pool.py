"""Measures the clean pool on synthetic filings: time and peak memory of its two assets on a lake on disk.

    python benchmarks/clean_pool.py [filings] [events]     makes the lake, then judges it in a process of its own
    python benchmarks/clean_pool.py make FOLDER [filings] [events]
    python benchmarks/clean_pool.py judge FOLDER           everyone, then again after one new notice

20,000 registrants with ten annual reports each by default; events are non-reliance notices and later reports that say
ineffective, with texts to read. What is measured is what the assets do: fingerprints, evidence search, decisions, and
both tables written. Nothing is downloaded and no timing is asserted: the figures are printed.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

import dagster as dg

from benchmark_pipeline.assets import clean_pool as stage
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
MONTH_ENDS = ((12, 31), (6, 30), (9, 30), (3, 31), (12, 31))
"""Fiscal year ends in use."""


def assertion(number: int, year: int, ineffective: bool) -> IcfrAssertionRow:
    month, day = MONTH_ENDS[number % len(MONTH_ENDS)]
    end = date(year, month, day)
    opinion = Span(document_sha256=SHA, start=0, end=len(QUOTE), quote=QUOTE)
    return IcfrAssertionRow(
        accession=f"{number:010d}-{(year + 1) % 100:02d}-000001", cik=f"{number:010d}", form="10-K", fiscal_year=year,
        fiscal_year_focus=year, partition_fiscal_year=year, period_end=end, fy_start=None, filed_date=end + timedelta(days=50 + number % 30),
        company_name=f"Company {number}", sic_at_filing=str(2000 + 7 * (number % 400)), state_of_incorporation="DE", jurisdiction="US",
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
    month, day = MONTH_ENDS[number % len(MONTH_ENDS)]
    end = date(year, month, day)
    start = date(year - 1, month, day) + timedelta(days=1)
    return EightK402Row(
        accession=f"{number:010d}-{(year + 1) % 100:02d}-000402", cik=f"{number:010d}", form="8-K", fiscal_year=year + 1,
        filed_date=end + timedelta(days=220), event_date=None, channel="8k_402", limb="a", concluded_by="board",
        periods=[AffectedPeriod(kind="annual", start=start, end=end, source_sentence="")], periods_parsed=True,
        mw_admitted=True, icfr_reports_withdrawn=False, withdraws_accession=None, spans=[], document_sha256=SHA,
        extractor_version="synthetic", reject_reason=None, reject_detail=None,
    )  # fmt: skip


def section(row: IcfrAssertionRow) -> IcfrSectionRow:
    text = SECTION.format(year=row.period_end.year, number=row.cik)
    return IcfrSectionRow(
        accession=row.accession, cik=row.cik, form=row.form, fiscal_year=row.fiscal_year, period_end=row.period_end,
        item="9A", status="found", method="heading", document_sha256=SHA, document_name="a.htm", start=0,
        end=len(text), byte_start=None, byte_end=None, text=text, text_sha256=SHA, heading=None, candidates=1,
        extractor_version="synthetic", reject_reason=None, reject_detail=None,
    )  # fmt: skip


def settings_of(folder: Path) -> Settings:
    return Settings(data_root=folder, fiscal_years=list(range(FIRST_YEAR, FIRST_YEAR + YEARS)), snapshot_date=SNAPSHOT)


def make(folder: Path, filings: int = 200_000, events: int = 10_000) -> None:
    """Writes the input tables, the same on every run: half the events are notices, half ineffective later reports."""
    begun = time.perf_counter()
    chance = random.Random(402)
    registrants = filings // YEARS
    ineffective: set[tuple[int, int]] = set()
    while len(ineffective) < events // 2:
        ineffective.add((chance.randrange(registrants), FIRST_YEAR + chance.randrange(YEARS)))
    noticed: set[tuple[int, int]] = set()
    while len(noticed) < events - events // 2:
        noticed.add((chance.randrange(registrants), FIRST_YEAR + chance.randrange(YEARS)))
    lake = Lake(settings_of(folder).storage_root)
    for year in range(FIRST_YEAR, FIRST_YEAR + YEARS):
        read = [assertion(number, year, (number, year) in ineffective) for number in range(registrants)]
        lake.write("icfr_assertions", read, str(year))
        lake.write("filing_index", [filing(row) for row in read], str(year))
        lake.write("eight_k_402_index", [notice(*pair) for pair in sorted(noticed) if pair[1] == year], str(year))
        lake.write("icfr_sections", [section(row) for row in read if row.mgmt_conclusion == "ineffective"], str(year))
        for table in ("raw_filings", "material_weaknesses"):
            lake.write(table, [], str(year))
    print(
        f"{filings:,} filings, {len(noticed):,} notices, {len(ineffective):,} ineffective reports: made in "
        f"{time.perf_counter() - begun:.1f} s"
    )


def judge(folder: Path) -> None:
    """Runs the assets for everyone, and once more after one new notice."""
    settings = settings_of(folder)
    lake, documents = Lake(settings.storage_root), DocumentStore(settings.storage_root)
    for path in settings.judged_folder.glob("*.json"):
        path.unlink()
    last = str(FIRST_YEAR + YEARS - 1)
    notices = lake.read(EightK402Row, "eight_k_402_index", [last])
    run_assets(settings, lake, documents, "everyone")
    # A registrant that no notice of this year names yet.
    free = next(number for number in range(len(notices) + 1) if f"{number:010d}" not in {row.cik for row in notices})
    lake.write("eight_k_402_index", [*notices, notice(free, int(last))], last)
    run_assets(settings, lake, documents, "one new notice")
    lake.write("eight_k_402_index", notices, last)


def run_assets(settings: Settings, lake: Lake, documents: DocumentStore, what: str) -> None:
    evidence, pool = stage.build(settings)
    elapsed, processor = 0.0, 0.0
    for name, run in (
        ("contradicting_evidence", lambda context: evidence(context, lake=lake, documents=documents)),
        ("clean_pool", lambda context: pool(context, lake=lake)),
    ):
        context = dg.build_asset_context()
        begun, cpu = time.perf_counter(), time.process_time()
        run(context)
        took, used = time.perf_counter() - begun, time.process_time() - cpu
        elapsed, processor = elapsed + took, processor + used
        metadata = context.get_output_metadata("result")
        print(f"{name}, {what}: {took:.1f} s elapsed, {used:.1f} s of processor time, "
              f"{metadata['registrants_judged']:,} registrants judged")  # fmt: skip
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    counts = lake.query(
        "SELECT decision, count(*) FROM clean_pool GROUP BY ALL ORDER BY ALL", {}, tables=["clean_pool"]
    )
    print(f"both, {what}: {elapsed:.1f} s elapsed, {processor:.1f} s of processor time, peak memory {peak:,.0f} MB, "
          f"decisions {dict(counts)}")  # fmt: skip


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["make"]:
        make(Path(arguments[1]), *map(int, arguments[2:4]))
    elif arguments[:1] == ["judge"]:
        judge(Path(arguments[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder), *map(int, arguments[:2]))
            subprocess.run([sys.executable, __file__, "judge", folder], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
