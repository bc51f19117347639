"""Every real annual report at hand: edges of the section, conclusions, framework, opinion, firm, date, weaknesses.

The values were recorded by a language model (anthropic/claude), and no person has confirmed them yet. The column
`read` says against what: `document` where each was checked against every passage on controls in the whole document,
found without the rules that are tested here; `sentences` where only the sentences that the rules chose were read. The
ordinary ones (a heading, effective, unqualified) are marked slow, so that the default run reads the others.
"""

import csv
import gzip
from datetime import date
from pathlib import Path

import pytest

from benchmark_pipeline.edgar.sections import FilingDocument, Rejection, locate
from benchmark_pipeline.icfr.conclusion import states_icfr_conclusion
from benchmark_pipeline.icfr.disclosure import FilingInput, read_disclosures
from benchmark_pipeline.icfr.registrants import Registrant


def _table(name):
    with (Path(__file__).parent / name).open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


CASES = _table("real_filings.csv")
POINTING = _table("real_pointing_items.csv")
"""Items that point elsewhere for management's report: their own edges."""
LOCATORS = {row["path"]: row for row in _table("real_locators.csv")}
"""First and last words of the sentences in which each fact stands."""
WEAKNESSES = _table("real_weaknesses.csv")
"""First and last words of each weakness, and of the passage on remediation."""


def _case(case):
    ordinary = (case["status"], case["conclusion"], case["opinion"]) == ("found", "effective", "unqualified")
    return pytest.param(case, id=case["path"].split("/", 1)[1][:40], marks=[pytest.mark.slow] if ordinary else [])


def _manifest_row(edgar: Path, path: str) -> dict[str, str]:
    with (edgar / "MANIFEST.csv").open(encoding="utf-8", newline="") as handle:
        return next(row for row in csv.DictReader(handle) if row["path"] == path)


def _document(edgar: Path, case):
    raw = (edgar / case["path"]).read_bytes()
    return FilingDocument("report", case["form"], gzip.decompress(raw) if case["path"].endswith(".gz") else raw)


@pytest.mark.real_data
@pytest.mark.slow
@pytest.mark.parametrize("case", POINTING, ids=lambda case: case["path"].split("/", 1)[1][:40])
def test_an_item_that_points_elsewhere_is_cut_as_it_was_read(case, real_data):
    found = locate([_document(real_data / "edgar", case)], case["form"], states_icfr_conclusion)
    assert not isinstance(found, Rejection)
    assert found.item_stretch is not None
    words = found.item_stretch.text.split()
    assert " ".join(words[:6]) == case["first_words"]
    assert " ".join(words[-5:]) == case["last_words"]


@pytest.mark.real_data
@pytest.mark.parametrize("case", [_case(case) for case in CASES])
def test_a_filing_reads_as_it_was_read(case, real_data):
    edgar = real_data / "edgar"
    manifest = _manifest_row(edgar, case["path"])
    document = _document(edgar, case)
    period = date.fromisoformat(manifest["period_of_report"])
    registrant = Registrant("0009990001", "Unnamed")
    filing = FilingInput(
        "0009990001-24-000001", case["form"], period.year, date(2024, 2, 21), period, (registrant,), (document,)
    )
    result = read_disclosures(filing)
    (section,) = result.sections
    (row,) = result.assertions
    assert (section.reject_reason or section.status) == case["status"]
    assert (section.item or "") == case["item"]
    if section.text is not None:
        words = section.text.split()
        assert " ".join(words[:6]) == case["first_words"]
        assert " ".join(words[-5:]) == case["last_words"]
        assert document.text[section.start : section.end] == section.text
    assert row.mgmt_conclusion == case["conclusion"]
    assert row.dcp_conclusion == case["dcp"]
    assert str(row.mgmt_as_of or "") == case["as_of"]
    assert row.attest_opinion == case["opinion"]
    if row.attest_opinion != "none":
        assert (row.auditor_name or "") == case["firm"]
    assert (row.framework or "") == case["framework"]
    assert str(row.opinion_date or "") == case["opinion_date"]
    assert row.mgmt_says_no_attestation == bool(int(case["no_attestation"]))
    assert row.prior_mw_remediated == bool(int(case["prior_remediated"]))
    assert row.new_registrant_transition == bool(int(case["new_registrant"]))
    assert len(row.scope_outs) == int(case["scope_outs"])
    assert row.weaknesses_stated == (int(case["weaknesses"]) if case["weaknesses"] else None)
    assert len(result.weaknesses) == (row.weaknesses_stated or 0)
    located = LOCATORS.get(case["path"])
    if located is not None:
        assert _first(row.mgmt_conclusion_span) == located["icfr"]
        assert (_first(row.dcp_conclusion_span), _last(row.dcp_conclusion_span)) == (
            located["dcp"],
            located["dcp_last"],
        )
        opinion = row.attest_opinion_span
        assert (_first(opinion), _last(opinion)) == (located["opinion"], located["opinion_last"])
        assert _first(row.no_attestation_span) == located["no_attestation"]
        assert _first(row.prior_mw_span) == located["prior"]
    passages = [row for row in WEAKNESSES if row["path"] == case["path"]]
    assert [(_first(w.span), _last(w.span)) for w in result.weaknesses] == [
        (passage["first_words"], passage["last_words"]) for passage in passages
    ]
    assert [(_first(w.remediation_span), _last(w.remediation_span)) for w in result.weaknesses] == [
        (passage["remediation_first"], passage["remediation_last"]) for passage in passages
    ]


def _first(span):
    return " ".join(span.quote.split()[:6]) if span else ""


def _last(span):
    return " ".join(span.quote.split()[-5:]) if span else ""
