"""Real annual reports whose sections were read in full or in large part: edges, conclusions, opinion, number of weaknesses.

The expected values were drafted by a language model (anthropic/claude) from the text; no person has confirmed them yet.
"""

import csv
import gzip
from datetime import date
from pathlib import Path

import pytest

from benchmark_pipeline.edgar.sections import FilingDocument
from benchmark_pipeline.icfr.disclosure import FilingInput, read_disclosures
from benchmark_pipeline.icfr.registrants import Registrant

with (Path(__file__).parent / "real_filings.csv").open(encoding="utf-8", newline="") as _handle:
    CASES = list(csv.DictReader(_handle))


def _body(edgar: Path, start: str) -> bytes:
    with (edgar / "MANIFEST.csv").open(encoding="utf-8", newline="") as handle:
        path = next(row["path"] for row in csv.DictReader(handle) if row["path"].startswith(start))
    raw = (edgar / path).read_bytes()
    return gzip.decompress(raw) if path.endswith(".gz") else raw


@pytest.mark.real_data
@pytest.mark.parametrize("case", CASES, ids=[case["path"].split("/")[1][:30] for case in CASES])
def test_a_filing_reads_as_it_was_read(case, real_data):
    document = FilingDocument("report", "10-K", _body(real_data / "edgar", case["path"]))
    filing = FilingInput(
        "0009990001-24-000001",
        "10-K",
        2023,
        date(2024, 2, 21),
        None,
        (Registrant("0009990001", "Unnamed"),),
        (document,),
    )
    result = read_disclosures(filing)
    (section,) = result.sections
    (row,) = result.assertions
    assert section.status == case["status"]
    if section.text is not None:
        assert section.text.startswith(case["first_words"])
        assert section.text.endswith(case["last_words"])
        assert document.text[section.start : section.end] == section.text
    assert row.mgmt_conclusion == case["conclusion"]
    assert row.dcp_conclusion == case["dcp"]
    assert row.attest_opinion == case["opinion"]
    assert row.weaknesses_stated == (int(case["weaknesses"]) if case["weaknesses"] else None)
    assert len(result.weaknesses) == (row.weaknesses_stated or 0)
