"""The reader of disclosures on the authored corpus: what a careful reader sees in the usable reports, it sees too."""

from __future__ import annotations

from collections import Counter
from functools import cache

import yaml

from benchmark_pipeline.demo.corpus.authored import SOURCES, Filing, fiscal_year, registrants
from benchmark_pipeline.demo.corpus.authored import Registrant as Authored
from benchmark_pipeline.demo.corpus.expected import expected_rows
from benchmark_pipeline.demo.corpus.submission import build, index_headers
from benchmark_pipeline.edgar.full_submission import header
from benchmark_pipeline.edgar.sections import FilingDocument
from benchmark_pipeline.icfr.disclosure import Disclosures, FilingInput, read_disclosures
from benchmark_pipeline.icfr.registrants import Registrant


def _read(registrant: Authored, filing: Filing) -> Disclosures:
    submission = build(registrant, filing)
    head = header(index_headers(submission))
    return read_disclosures(
        FilingInput(
            accession=submission.accession,
            form=filing.form,
            partition_fiscal_year=fiscal_year(filing.period),
            filed_date=filing.filed,
            period_of_report=head.period_of_report,
            registrants=tuple(Registrant(f.cik, f.name, f.sic, f.state_of_incorporation) for f in head.filers),
            documents=tuple(FilingDocument(d.name, d.type, d.body) for d in submission.documents),
        )
    )


@cache
def _all() -> list[tuple[Filing, str, Disclosures]]:
    return [(f, r.accession(f), _read(r, f)) for r in registrants() for f in r.annual()]


def _decisions() -> dict[tuple[str, str], str]:
    return {(row["accession"], row["cik"]): row["decision"] for row in expected_rows()}


def test_conclusions_dates_and_opinions_of_usable_reports_are_read_as_written() -> None:
    decisions = _decisions()
    compared = 0
    for filing, accession, read in _all():
        for row in read.assertions:
            decision = decisions[accession, row.cik]
            if decision == "excluded":
                continue
            compared += 1
            opinion = "none" if decision == "clean_management_only" else filing.icfr_opinion
            wanted = ("ineffective" if decision == "deficient" else "effective", filing.period, opinion)
            assert (row.mgmt_conclusion, row.mgmt_as_of, row.attest_opinion) == wanted, (accession, row.company_name)
    assert compared == sum(decision != "excluded" for decision in decisions.values())


def test_as_many_weaknesses_are_found_as_were_labelled_and_none_in_clean_reports() -> None:
    entries = yaml.safe_load((SOURCES.parent / "labels" / "sec_weaknesses.yaml").read_text(encoding="utf-8"))
    labelled = Counter(entry["source"]["accession"] for entry in entries)
    decisions = _decisions()
    for _, accession, read in _all():
        if "excluded" not in {decisions[accession, row.cik] for row in read.assertions}:
            assert len(read.weaknesses) == labelled[accession], accession


def test_passages_hold_the_words_that_their_labels_quote() -> None:
    entries = yaml.safe_load((SOURCES.parent / "labels" / "sec_weaknesses.yaml").read_text(encoding="utf-8"))
    passages = {(a, w.ordinal): " ".join(w.text.split()) for _, a, read in _all() for w in read.weaknesses}
    for entry in entries:
        source = entry["source"]
        assert entry["evidence_quote"] in passages[source["accession"], source["ordinal"]], entry
