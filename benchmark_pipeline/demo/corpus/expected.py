"""How a careful reader decides each annual report of the corpus, as the list `expected_decisions.csv`.

The decisions are authored beside the filings, by the written decision order; they are not what any code answered.
`python -m benchmark_pipeline.demo.corpus.expected` writes the list anew.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

from .authored import ANNUAL_FORMS, SOURCES, registrants

EXPECTED_DECISIONS: Path = SOURCES / "expected_decisions.csv"
COLUMNS = ("accession", "cik", "decision", "reason", "evidence_codes", "note")


def expected_rows() -> list[dict[str, str]]:
    """One row an annual report and registrant, in order of CIK and date filed; evidence codes joined by spaces."""
    return [
        {
            "accession": registrant.accession(filing),
            "cik": expectation.cik or registrant.cik,
            "decision": expectation.decision,
            "reason": expectation.reason or "",
            "evidence_codes": " ".join(expectation.evidence),
            "note": expectation.note,
        }
        for registrant in registrants()
        for filing in sorted(registrant.filings, key=lambda f: f.filed)
        if filing.form in ANNUAL_FORMS
        for expectation in filing.expect
    ]


def expected_csv() -> str:
    """The list as text."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(expected_rows())
    return out.getvalue()


if __name__ == "__main__":
    EXPECTED_DECISIONS.write_text(expected_csv(), encoding="utf-8")
