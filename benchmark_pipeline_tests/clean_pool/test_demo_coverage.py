"""The demo corpus holds a filing for every step of the order and every code of evidence that a filing can give."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import get_args

import benchmark_pipeline.demo
from benchmark_pipeline.icfr.decision_order import DECISION_ORDER
from benchmark_pipeline.tables.clean_pool import Decision, EvidenceCode

STEP_OF = {
    "out_of_universe": 0, "shell": 1, "language": 3, "new_registrant": 4, "reverse_merger_year": 5,
    "no_management_report": 6, "as_of_mismatch": 7, "conclusion_conflict": 9, "mixed_conclusion": 9,
    "subsequent_mw_onset_unstated": 11, "attestation_unresolved": 14,
}  # fmt: skip
STEP_OF_DECISION = {"deficient": 8, "clean_attested": 12, "clean_management_only": 13}


def expected() -> list[dict[str, str]]:
    path = Path(benchmark_pipeline.demo.__path__[0]) / "corpus" / "expected_decisions.csv"
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def test_every_decision_and_every_step_of_the_order_decides_some_filing() -> None:
    rows = expected()
    assert {row["decision"] for row in rows} == set(get_args(Decision))
    steps = set()
    for row in rows:
        if row["decision"] != "excluded":
            steps.add(STEP_OF_DECISION[row["decision"]])
        elif row["reason"].startswith("extraction_"):
            steps.add(2)
        else:
            steps.add(10 if row["reason"].startswith("contradicted_") else STEP_OF[row["reason"]])
    assert steps == set(range(len(DECISION_ORDER)))


def test_every_code_of_evidence_is_found_except_the_one_that_a_person_enters() -> None:
    codes = {code for row in expected() for code in row["evidence_codes"].split()}
    assert codes == set(get_args(EvidenceCode)) - {"E10"}
