"""Every step, reason and code of evidence is reached: by a filing of the demo corpus, else by an authored one here."""

from __future__ import annotations

import csv
from datetime import date
from pathlib import Path
from typing import get_args

import pytest
from pool_examples import CIK, SNAPSHOT, assertion, filing, next_year

import benchmark_pipeline.demo
from benchmark_pipeline.edgar.sections import FilingDocument
from benchmark_pipeline.icfr.decision_order import DECISION_ORDER, AnnualFiling
from benchmark_pipeline.icfr.disclosure import FilingInput, read_disclosures
from benchmark_pipeline.icfr.evidence_review import apply_reviews
from benchmark_pipeline.icfr.pool_assembly import annual_filings, decide
from benchmark_pipeline.icfr.registrants import Registrant
from benchmark_pipeline.tables.clean_pool import Decision, EvidenceCode, ExclusionReason
from benchmark_pipeline.tables.disclosures import SectionReject

FIRST = "0009100001-23-000001"

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


def test_every_code_of_evidence_is_found_in_the_corpus_except_the_one_that_a_person_enters() -> None:
    codes = {code for row in expected() for code in row["evidence_codes"].split()}
    assert codes == set(get_args(EvidenceCode)) - {"E10"}


FILLER = (
    "<p>" + "The company makes pumps for dairies and sells them through dealers in the northern states. " * 9 + "</p>"
)
SECTION = (
    "<p>Item 9A. Controls and Procedures</p><p>Our chief executive officer concluded that our disclosure controls and "
    "procedures were effective as of December 31, 2022.</p><p>Management assessed internal control over financial reporting "
    "under COSO (2013) and concluded that it was effective as of December 31, 2022.</p>"
)
UNREADABLE: dict[str, tuple[str, bytes]] = {
    "extraction_no_boundary": ("10-K", f"<html>{FILLER}{SECTION}</html>".encode()),
    "extraction_pdf_only": ("10-K", b"%PDF-1.7\n" + b"binary " * 400),
    "extraction_image_only": ("10-K", b"<html><img src='page1.jpg'><img src='page2.jpg'><p>page</p></html>"),
    "extraction_non_english": (
        "10-K", ("<html>" + "<p>Le conseil a revu les comptes et la direction de la société.</p>" * 40 + "</html>").encode(),
    ),
    "extraction_undecodable": ("10-K", b"\x00" * 3000),
}  # fmt: skip
BY_LISTING: dict[str, SectionReject] = {
    "extraction_over_capture": "over_capture",
    "extraction_document_missing": "document_missing",
    "extraction_form_not_covered": "form_not_covered",
    "extraction_too_complex": "too_complex",
}
"""What is on record about a filing that gave no reading; the section reader's tests hold the long document."""


@pytest.mark.parametrize("reason", UNREADABLE)
def test_a_filing_that_cannot_be_read_is_excluded_for_what_is_wrong_with_it(reason: str) -> None:
    form, body = UNREADABLE[reason]
    document = FilingDocument("report.htm", form, body)
    registrant = Registrant(CIK, "Larkmoor Instruments, Inc.")
    given = FilingInput(FIRST, form, 2022, date(2023, 2, 24), date(2022, 12, 31), (registrant,), (document,))
    read = read_disclosures(given)
    index = [filing("annual", form, FIRST, date(2023, 2, 24), period_of_report=date(2022, 12, 31))]
    (row,) = decide(annual_filings(index, read.assertions, read.sections, snapshot=SNAPSHOT), [], {}, SNAPSHOT)
    assert (row.decision, row.reason, row.decided_at_step) == ("excluded", reason, 2)


@pytest.mark.parametrize("reason", BY_LISTING)
def test_a_filing_without_any_reading_is_excluded_for_the_reason_on_record(reason: str) -> None:
    unread = AnnualFiling(FIRST, CIK, "10-K", 2022, date(2022, 12, 31), date(2023, 2, 24), unread=BY_LISTING[reason])
    (row,) = decide([unread], [], {}, SNAPSHOT)
    assert (row.reason, row.decided_at_step) == (reason, 2)


def test_a_release_that_a_reviewer_enters_excludes_the_year_it_names_and_no_other() -> None:
    """E10: an enforcement release, recorded by a person, is evidence like any other."""
    entry = {
        "code": "E10", "accession": FIRST, "cik": CIK, "evidence_accession": "0009100001-25-000777",
        "evidence_form": "AAER", "evidence_filed_date": "2025-03-03", "reviewer": "r.amari",
    }  # fmt: skip
    (found,) = apply_reviews([], [entry])
    assert (found.code, found.extracted_by, found.decided_by) == ("E10", "human", "r.amari")
    filings = [AnnualFiling.of(assertion()), AnnualFiling.of(next_year())]
    first, second = decide(filings, [found], {}, SNAPSHOT)
    assert (first.decision, first.reason, first.decided_at_step) == ("excluded", "contradicted_E10", 10)
    assert second.decision == "clean_attested"


def test_every_reason_of_the_closed_list_is_reached_by_the_corpus_or_here() -> None:
    in_corpus = {row["reason"] for row in expected()} - {""}
    authored = {*UNREADABLE, *BY_LISTING, "contradicted_E10"}
    assert in_corpus | authored == set(get_args(ExclusionReason))
    assert not in_corpus & authored
