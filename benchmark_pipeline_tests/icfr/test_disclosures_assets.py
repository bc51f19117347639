"""The disclosures stage over a small store: counts in are counts out, and every check can fail."""

from datetime import UTC, date, datetime
from pathlib import Path

import dagster as dg
import pytest

from benchmark_pipeline.assets import disclosures
from benchmark_pipeline.checks import disclosures as checks
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore, Lake
from benchmark_pipeline.tables.disclosures import IcfrAssertionRow, IcfrSectionRow, MaterialWeaknessRow
from benchmark_pipeline.tables.sources import FilingIndexRow, RawFilingRow
from benchmark_pipeline_tests.icfr.filings import (
    ADVERSE,
    DCP,
    DCP_NOT,
    DUTY,
    EFFECTIVE,
    LIMITS,
    NOT_EFFECTIVE,
    OPINION,
    audit_report,
    ten_k,
)

CLEAN, WEAK, PDF, GONE = (f"0009990001-24-00000{n}" for n in range(1, 5))
HEADER = b"""<SEC-HEADER>
<ACCESSION-NUMBER>0009990001-24-000001
<TYPE>10-K
<PERIOD>20231231
<FILING-DATE>20240221
<FILER>
<COMPANY-DATA>
<CONFORMED-NAME>Quillmere Pumps Inc
<CIK>0009990001
<ASSIGNED-SIC>3561
<STATE-OF-INCORPORATION>DE
</COMPANY-DATA>
</FILER>
</SEC-HEADER>
"""
LEAD = "We identified the following material weaknesses:"


def _index(accession):
    return FilingIndexRow(
        accession=accession, cik="0009990001", ciks=["0009990001"], company_name="QUILLMERE PUMPS", form="10-K", role="annual",
        filed_date=date(2024, 2, 21), accepted_at=None, period_of_report=date(2023, 12, 31), fiscal_year=2023, items=[],
        primary_document="q10k.htm", size_bytes=None, is_inline_xbrl=None, discovered_via="full_index", source_url="u",
        source_sha256=None, reject_reason=None, reject_detail=None,
    )  # fmt: skip


def _raw(accession, name, kind, sequence, sha256, reject=None):
    return RawFilingRow(
        accession=accession, cik="0009990001", form="10-K", role="annual", fiscal_year=2023, url="u", document_name=name,
        document_type=kind, sequence=sequence, sha256=sha256, size_bytes=1, http_status=200, headers=None,
        retrieved_at=datetime(2024, 3, 1, tzinfo=UTC), reject_reason=reject, reject_detail=None,
    )  # fmt: skip


@pytest.fixture
def store(tmp_path):
    lake, documents = Lake(str(tmp_path)), DocumentStore(str(tmp_path))
    clean = documents.put(ten_k([DCP, DUTY, EFFECTIVE, LIMITS], audit_report(OPINION)).body)
    weak = documents.put(
        ten_k(
            [DCP_NOT, DUTY, NOT_EFFECTIVE, LEAD, "• We lacked a second reviewer.", LIMITS], audit_report(ADVERSE)
        ).body
    )
    lake.write("filing_index", [_index(a) for a in (CLEAN, WEAK, PDF, GONE)], "2023")
    lake.write(
        "raw_filings",
        [
            _raw(CLEAN, f"{CLEAN}-index-headers.html", "HEADER", None, documents.put(HEADER)),
            _raw(CLEAN, "q10k.htm", "10-K", 1, clean),
            _raw(WEAK, "q10k.htm", "10-K", 1, weak),
            _raw(PDF, "q10k.pdf", "10-K", 1, None, "pdf_only"),
            _raw(GONE, "q10k.htm", "10-K", 1, None, "not_found"),
        ],
        "2023",
    )
    return lake, documents


@pytest.fixture
def built(store):
    lake, documents = store
    settings = Settings(fiscal_years=[2023])
    assets = disclosures.build(settings)
    result = dg.materialize(
        [*assets, *checks.build(settings)], resources={"lake": lake, "documents": documents}, partition_key="2023"
    )
    assert result.success
    return lake, documents, result


def test_every_annual_report_gives_a_section_row_and_an_assertion_row(built):
    lake, _, result = built
    sections = {row.accession: row for row in lake.read(IcfrSectionRow, "icfr_sections")}
    assertions = {row.accession: row for row in lake.read(IcfrAssertionRow, "icfr_assertions")}
    assert list(sections) == [CLEAN, WEAK, PDF, GONE] == list(assertions)
    assert [sections[a].reject_reason for a in (CLEAN, WEAK, PDF, GONE)] == [None, None, "pdf_only", "document_missing"]
    assert (assertions[CLEAN].mgmt_conclusion, assertions[CLEAN].attest_opinion) == ("effective", "unqualified")
    assert (assertions[WEAK].mgmt_conclusion, assertions[WEAK].attest_opinion) == ("ineffective", "adverse")
    assert [row.text for row in lake.read(MaterialWeaknessRow, "material_weaknesses")] == [
        "• We lacked a second reviewer."
    ]
    assert all(evaluation.passed for evaluation in result.get_asset_check_evaluations())


def test_header_facts_come_from_the_filings_own_header(built):
    lake, _, _ = built
    row = lake.read(IcfrAssertionRow, "icfr_assertions")[0]
    assert (row.company_name, row.sic_at_filing, row.jurisdiction) == ("Quillmere Pumps Inc", "3561", "US")
    assert (row.period_end, row.fiscal_year, row.fy_start) == (date(2023, 12, 31), 2023, date(2023, 1, 1))


def test_section_bytes_hold_the_section(built):
    lake, documents, _ = built
    row = lake.read(IcfrSectionRow, "icfr_sections")[0]
    assert row.document_sha256 is not None
    piece = documents.get(row.document_sha256)[row.byte_start : row.byte_end]
    assert piece.startswith(b"Item 9A. Controls and Procedures")
    assert piece.endswith(b"subject to risk.")


def test_a_second_run_writes_the_same_bytes(built):
    lake, documents, _ = built
    paths = [Path(lake.path(table, "2023")) for table in ("icfr_sections", "icfr_assertions", "material_weaknesses")]
    before = [path.read_bytes() for path in paths]
    assets = disclosures.build(Settings(fiscal_years=[2023]))
    dg.materialize(assets, resources={"lake": lake, "documents": documents}, partition_key="2023")
    assert [path.read_bytes() for path in paths] == before


def test_a_filing_without_a_section_row_is_seen(built):
    lake, _, _ = built
    sections = lake.read(IcfrSectionRow, "icfr_sections")
    index = lake.read(FilingIndexRow, "filing_index")
    assert checks.unanswered(index, sections) == []
    assert checks.unanswered(index, sections[1:]) == [f"{CLEAN} has no section row"]
    assert len(checks.unanswered(index, [sections[0].model_copy(update={"text": None}), *sections[1:]])) == 1


def test_a_span_that_reads_otherwise_is_seen(built):
    lake, documents, _ = built
    row = lake.read(IcfrAssertionRow, "icfr_assertions")[0]
    span = row.mgmt_conclusion_span
    assert checks.misplaced([("conclusion", span)], documents) == []
    assert len(checks.misplaced([("conclusion", span.model_copy(update={"start": span.start + 1}))], documents)) == 1


def test_a_low_yield_is_seen_only_in_a_sample_large_enough(built):
    lake, _, _ = built
    row = lake.read(IcfrSectionRow, "icfr_sections")[2]
    assert checks.low_yield([row] * 19) == []
    assert checks.low_yield([row] * 20) == ["10-K: 0 of 20 sections found"]


def test_sections_and_assertions_that_do_not_match_are_seen(built):
    lake, _, _ = built
    sections, assertions = lake.read(IcfrSectionRow, "icfr_sections"), lake.read(IcfrAssertionRow, "icfr_assertions")
    assert checks.unmatched(sections, assertions) == []
    assert len(checks.unmatched(sections[1:], assertions)) == 1
    assert len(checks.unmatched(sections, assertions[1:])) == 1


def test_a_fact_without_a_sentence_is_seen(built):
    lake, _, _ = built
    row = lake.read(IcfrAssertionRow, "icfr_assertions")[0]
    assert checks.without_sentence([row]) == []
    assert len(checks.without_sentence([row.model_copy(update={"mgmt_conclusion_span": None})])) == 1
    assert len(checks.without_sentence([row.model_copy(update={"attest_opinion_span": None})])) == 1


def test_a_weakness_of_a_clean_report_and_a_gap_in_the_ordinals_are_seen(built):
    lake, _, _ = built
    assertions, weak = (
        lake.read(IcfrAssertionRow, "icfr_assertions"),
        lake.read(MaterialWeaknessRow, "material_weaknesses"),
    )
    assert checks.orphaned(weak, assertions) == []
    assert len(checks.orphaned([weak[0].model_copy(update={"accession": CLEAN})], assertions)) == 1
    assert len(checks.orphaned([weak[0].model_copy(update={"ordinal": 2})], assertions)) == 1
