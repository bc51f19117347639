"""Every step of the decision order has a filing that it decides; then the properties of the whole."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pool_examples import SNAPSHOT, assertion, evidence, management_only, span

from benchmark_pipeline.icfr.decision_order import (
    DECISION_ORDER,
    AnnualFiling,
    PoolContext,
    judge,
    judge_filing,
)
from benchmark_pipeline.tables.clean_pool import EvidenceCode, ExclusionReason
from benchmark_pipeline.tables.disclosures import SectionReject

CONTEXT = PoolContext(SNAPSHOT, nonreliance_channel="8k_402")

EXCLUDED: list[tuple[int, str, dict[str, Any]]] = [
    (0, "out_of_universe", {"form": "10-K405"}),
    (0, "out_of_universe", {"sic_at_filing": "6189"}),
    (0, "out_of_universe", {"form": "20-F", "annual_report": False}),
    (1, "shell", {"sic_at_filing": "6770"}),
    (1, "shell", {"shell_company": True}),
    (2, "extraction_no_heading", {"extraction_status": "rejected", "extraction_reject": "no_heading"}),
    (3, "language", {"language": "fr"}),
    (4, "new_registrant", {"mgmt_conclusion": "not_assessed", "new_registrant_transition": True}),
    (5, "reverse_merger_year", {"mgmt_conclusion": "not_assessed", "reverse_merger_no_assessment": True}),
    (6, "no_management_report", {"mgmt_conclusion": "absent"}),
    (6, "no_management_report", {"mgmt_conclusion": "not_assessed"}),
    (7, "as_of_mismatch", {"mgmt_as_of": date(2021, 12, 31)}),
    (9, "conclusion_conflict", {"mgmt_conclusion": "ineffective", "attest_opinion": "unqualified"}),
    (9, "conclusion_conflict", {"attest_opinion": "adverse"}),
    (9, "conclusion_conflict", {"mgmt_conclusion": "mixed"}),
    (9, "conclusion_conflict", {"weaknesses_stated": 2}),
    (9, "mixed_conclusion", {"dcp_conclusion": "ineffective"}),
    (14, "attestation_unresolved", {"attest_flag": "unknown"}),
    (14, "attestation_unresolved", {"attest_flag": "absent"}),
    (14, "attestation_unresolved", {"attest_flag": "false"}),
    (14, "attestation_unresolved", {"attest_opinion": "none", "attest_opinion_span": None}),
    (14, "attestation_unresolved", {"attest_opinion_span": None}),
    (14, "attestation_unresolved", {"attest_opinion": "disclaimer"}),
]


@pytest.mark.parametrize(("step", "reason", "changes"), EXCLUDED)
def test_a_filing_is_excluded_at_its_step_for_its_reason(step: int, reason: str, changes: dict[str, Any]) -> None:
    row = judge(assertion(**changes), [], CONTEXT)
    assert (row.decision, row.reason, row.decided_at_step) == ("excluded", reason, step)
    assert [entry.step for entry in row.trace] == list(range(step + 1))
    assert row.trace[-1].outcome == f"excluded:{reason}"
    assert all(entry.outcome == "pass" and entry.saw for entry in row.trace[:-1])


def test_flag_and_opinion_together_make_a_filing_clean_attested() -> None:
    row = judge(assertion(), [], CONTEXT)
    assert (row.decision, row.reason, row.attest_basis, row.decided_at_step) == (
        "clean_attested",
        None,
        "flag_and_opinion",
        12,
    )
    assert row.attest_opinion_span == span()
    assert [entry.rule for entry in row.trace] == [rule.__name__ for rule in DECISION_ORDER[:13]]


def test_the_cover_flag_alone_attests_nothing() -> None:
    row = judge(assertion(attest_opinion="none", attest_opinion_span=None, mgmt_says_no_attestation=True), [], CONTEXT)
    assert (row.decision, row.reason) == ("excluded", "attestation_unresolved")


@pytest.mark.parametrize(
    ("period_end", "filed", "basis"),
    [
        (date(2019, 12, 31), date(2020, 2, 20), "text_only"),
        (date(2019, 6, 30), date(2020, 8, 20), "text_only"),
        (date(2020, 1, 31), date(2020, 4, 26), "text_only"),
        (date(2020, 1, 31), date(2020, 4, 27), None),
        (date(2020, 12, 31), date(2021, 2, 20), None),
    ],
)
def test_before_the_flag_existed_the_opinion_alone_attests(period_end: date, filed: date, basis: str | None) -> None:
    read = assertion(attest_flag="absent", period_end=period_end, filed_date=filed, mgmt_as_of=period_end)
    row = judge(read, [], CONTEXT)
    assert row.attest_basis == basis
    assert row.decision == ("clean_attested" if basis else "excluded")


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"attest_flag": "absent"},
        {"mgmt_says_no_attestation": False},
        {"mgmt_says_no_attestation": False, "filer_category": "Accelerated Filer", "emerging_growth": True},
    ],
)
def test_an_effective_report_without_an_auditor_is_clean_by_management_only(changes: dict[str, Any]) -> None:
    row = judge(management_only(**changes), [], CONTEXT)
    assert (row.decision, row.decided_at_step, row.attest_basis) == ("clean_management_only", 13, None)


def test_an_accelerated_filer_that_says_nothing_about_attestation_stays_unresolved() -> None:
    read = management_only(mgmt_says_no_attestation=False, filer_category="Accelerated Filer")
    assert judge(read, [], CONTEXT).reason == "attestation_unresolved"


@pytest.mark.parametrize(("opinion", "by"), [("adverse", "both"), ("none", "management"), ("disclaimer", "management")])
def test_a_stated_weakness_makes_a_filing_deficient_whatever_comes_later(opinion: str, by: str) -> None:
    read = assertion(mgmt_conclusion="ineffective", attest_opinion=opinion, dcp_conclusion="ineffective")
    row = judge(read, [evidence("E2"), evidence("E8", "ambiguous")], CONTEXT)
    assert (row.decision, row.deficient_by, row.decided_at_step) == ("deficient", by, 8)


@pytest.mark.parametrize("code", ["E1", "E2", "E3", "E4", "E5", "E6", "E10"])
def test_direct_evidence_excludes_under_its_own_code(code: str) -> None:
    row = judge(assertion(), [evidence(code)], CONTEXT)
    assert (row.decision, row.reason, row.decided_at_step) == ("excluded", f"contradicted_{code}", 10)
    assert "0009100001-23-000050" in row.trace[-1].saw


def test_a_later_weakness_of_unstated_onset_excludes_until_a_person_dismisses_it() -> None:
    waiting = evidence("E8", "ambiguous", match="next_annual")
    assert judge(assertion(), [waiting], CONTEXT).reason == "subsequent_mw_onset_unstated"
    dismissed = waiting.model_copy(update={"resolution": "dismissed", "decided_by": "r.amari"})
    assert judge(assertion(), [dismissed], CONTEXT).decision == "clean_attested"
    upheld = waiting.model_copy(update={"resolution": "upholds", "decided_by": "r.amari"})
    assert judge(assertion(), [upheld], CONTEXT).reason == "subsequent_mw_onset_unstated"


def test_a_notice_without_periods_excludes_until_a_person_dismisses_it_and_direct_evidence_cannot_be_dismissed() -> (
    None
):
    unparsed = evidence("E2", "ambiguous", match="period_unparsed")
    assert judge(assertion(), [unparsed], CONTEXT).reason == "contradicted_E2"
    dismissed = unparsed.model_copy(update={"resolution": "dismissed"})
    assert judge(assertion(), [dismissed], CONTEXT).decision == "clean_attested"
    direct = evidence("E2").model_copy(update={"resolution": "dismissed"})
    assert judge(assertion(), [direct], CONTEXT).reason == "contradicted_E2"


@pytest.mark.parametrize(
    ("code", "strength", "mark"),
    [("E7", "counter_evidence", None), ("E9", "little_r", "little_r_overlap"), ("E11", "soft", "nt_signal")],
)
def test_counter_evidence_little_r_and_soft_signals_keep_the_label(code: str, strength: str, mark: str | None) -> None:
    row = judge(assertion(), [evidence(code, strength)], CONTEXT)
    assert row.decision == "clean_attested"
    assert row.evidence_ids == [f"0009100001-23-000001:0009100001:{code}:0009100001-23-000050"]
    assert [name for name in ("little_r_overlap", "nt_signal") if getattr(row, name)] == ([mark] if mark else [])


def test_a_remediated_prior_weakness_is_a_stratum_and_no_conflict() -> None:
    row = judge(assertion(prior_mw_remediated=True, weaknesses_stated=1), [], CONTEXT)
    assert (row.decision, row.remediated_prior_mw) == ("clean_attested", True)


@pytest.mark.parametrize("reject", get_args(SectionReject))
def test_a_filing_that_could_not_be_read_still_gets_its_decision(reject: SectionReject) -> None:
    filing = AnnualFiling("0009100001-23-000009", "0009100001", "10-K", 2022, None, date(2023, 2, 1), unread=reject)
    row = judge_filing(filing, [], CONTEXT)
    assert (row.decision, row.reason, row.decided_at_step) == ("excluded", f"extraction_{reject}", 2)


def test_every_reason_of_the_closed_list_is_reached_by_some_filing() -> None:
    reached = {reason for _, reason, _ in EXCLUDED}
    reached |= {f"extraction_{reject}" for reject in get_args(SectionReject)}
    reached |= {f"contradicted_{code}" for code in ("E1", "E2", "E3", "E4", "E5", "E6", "E10")}
    reached.add("subsequent_mw_onset_unstated")
    assert reached == set(get_args(ExclusionReason))


def test_evidence_about_another_filing_is_refused() -> None:
    with pytest.raises(ValueError, match="not about"):
        judge(assertion(), [evidence(accession="0009100001-24-000001")], CONTEXT)


STRENGTHS = {"E7": ["counter_evidence"], "E8": ["ambiguous"], "E9": ["little_r"], "E11": ["soft"]}


@st.composite
def evidence_rows(draw: st.DrawFn) -> Any:
    code = draw(st.sampled_from(get_args(EvidenceCode)))
    return evidence(
        code,
        draw(st.sampled_from(STRENGTHS.get(code, ["direct", "ambiguous"]))),
        evidence_accession=f"0009100001-23-{draw(st.integers(0, 20)):06d}",
        resolution=draw(st.sampled_from([None, "upholds", "dismissed"])),
    )


readings = st.builds(
    assertion,
    mgmt_conclusion=st.sampled_from(["effective", "effective", "ineffective", "mixed", "absent"]),
    attest_opinion=st.sampled_from(["unqualified", "adverse", "none"]),
    attest_flag=st.sampled_from(["true", "false", "unknown", "absent"]),
    dcp_conclusion=st.sampled_from(["effective", "ineffective"]),
    mgmt_says_no_attestation=st.booleans(),
)
row_lists = st.lists(evidence_rows(), max_size=6, unique_by=lambda row: row.evidence_id)


@given(readings, row_lists, evidence_rows())
def test_adding_evidence_never_turns_an_excluded_filing_clean(read: Any, rows: Any, more: Any) -> None:
    before = judge(read, rows, CONTEXT)
    after = judge(read, [*[row for row in rows if row.evidence_id != more.evidence_id], more], CONTEXT)
    if before.decision == "excluded" and more.evidence_id not in before.evidence_ids:
        assert after.decision == "excluded"
    if before.decision == "deficient":
        assert after.decision == "deficient"


@given(readings, row_lists, st.randoms())
def test_the_order_in_which_evidence_arrives_does_not_matter_and_judging_again_changes_nothing(
    read: Any, rows: Any, shuffler: Any
) -> None:
    first = judge(read, rows, CONTEXT)
    shuffled = list(rows)
    shuffler.shuffle(shuffled)
    assert judge(read, shuffled, CONTEXT) == first
    assert judge(read, rows, CONTEXT) == first


@given(readings, row_lists)
def test_a_later_snapshot_changes_seasoning_and_nothing_else(read: Any, rows: Any) -> None:
    early = judge(read, rows, CONTEXT)
    late = judge(read, rows, replace(CONTEXT, snapshot_date=date(2027, 6, 30)))
    assert (early.decision, early.trace) == (late.decision, late.trace)
    assert late.seasoning_days - early.seasoning_days == 730
    assert late.seasoning_tier == "S2"
