"""Real annual reports read, searched for evidence and judged, as a careful reader of their Items 9A would judge them.

Expected decisions were drafted by a language model (anthropic/claude) from the text; no person has confirmed them yet.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest

from benchmark_pipeline.edgar.sections import FilingDocument
from benchmark_pipeline.icfr.disclosure import Disclosures, FilingInput, read_disclosures
from benchmark_pipeline.icfr.evidence import find_evidence
from benchmark_pipeline.icfr.evidence_sentences import DocumentText
from benchmark_pipeline.icfr.pool_assembly import annual_filings, decide, registrant_records
from benchmark_pipeline.icfr.registrants import Registrant
from benchmark_pipeline.icfr.surroundings import Surroundings
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow

pytestmark = pytest.mark.real_data

TESLA, MARATHON = (
    Registrant("0001318605", "Tesla Motors, Inc"),
    Registrant("0001507605", "Marathon Digital Holdings, Inc"),
)
FY2011, FY2012, FY2013 = "0001193125-12-081990", "0001193125-13-096241", "0001193125-14-069681"


class Read:
    """The sections of the filings, as the pipeline's own reader gives them."""

    def __init__(self, read: Sequence[Disclosures]) -> None:
        self._rows = {row.accession: row for result in read for row in result.sections}

    def documents(self, accession: str) -> list[DocumentText]:
        return []

    def section(self, accession: str, cik: str) -> DocumentText | None:
        row = self._rows[accession]
        if row.text is None or row.document_sha256 is None or row.start is None:
            return None
        return DocumentText(row.document_sha256, row.text, row.start)


def judged(
    folder: Path, registrant: Registrant, filed: dict[str, date], snapshot: date
) -> tuple[list[CleanPoolRow], list[ContradictingEvidenceRow]]:
    read = []
    for accession, day in filed.items():
        body = gzip.decompress((folder / "edgar" / "filings" / accession / "primary-document.html.gz").read_bytes())
        documents = (FilingDocument("report", "10-K", body),)
        read.append(read_disclosures(FilingInput(accession, "10-K", day.year - 1, day, None, (registrant,), documents)))
    assertions = [row for result in read for row in result.assertions]
    weaknesses = [row for result in read for row in result.weaknesses]
    records = registrant_records(assertions, (), (), weaknesses, snapshot=snapshot)
    evidence = find_evidence(records[registrant.cik], Read(read), snapshot)
    around = {cik: Surroundings.of(record) for cik, record in records.items()}
    return list(decide(annual_filings((), assertions, snapshot=snapshot), evidence, around, snapshot)), evidence


def test_tesla_2011_falls_to_the_report_of_2012_and_2013_is_clean_after_remediation(real_data: Path) -> None:
    filed = {FY2011: date(2012, 2, 27), FY2012: date(2013, 3, 7), FY2013: date(2014, 2, 26)}
    rows, evidence = judged(real_data, TESLA, filed, date(2014, 12, 31))
    assert [(row.accession, row.decision, row.reason, row.deficient_by) for row in rows] == [
        (FY2011, "excluded", "contradicted_E4", None),
        (FY2012, "deficient", None, "both"),
        (FY2013, "clean_attested", None, None),
    ]
    told = [row for row in evidence if row.accession == FY2011 and row.code == "E4"]
    assert [row.evidence_accession for row in told] == [FY2012, FY2013]
    quote = told[0].locator.quote if told[0].locator else ""
    assert "a revision of our consolidated financial statements for the year ended December 31, 2011" in quote
    # The weakness of 2012 is named in the report for 2013 as one of the past: a stratum, and no contradiction.
    assert (rows[2].remediated_prior_mw, rows[2].attest_basis, rows[2].evidence_ids) == (True, "text_only", [])
    assert rows[0].followup == "second_annual_seen"


def test_tesla_2011_alone_was_clean_until_the_next_report_came(real_data: Path) -> None:
    (row,), evidence = judged(real_data, TESLA, {FY2011: date(2012, 2, 27)}, date(2012, 12, 31))
    assert (row.decision, row.attest_basis, row.seasoning_tier, evidence) == ("clean_attested", "text_only", "S0", [])


def test_marathon_2023_is_deficient_by_management_and_by_its_auditor(real_data: Path) -> None:
    (row,), evidence = judged(real_data, MARATHON, {"0001628280-24-007680": date(2024, 2, 28)}, date(2025, 6, 30))
    assert (row.decision, row.deficient_by, row.decided_at_step, evidence) == ("deficient", "both", 8, [])
