"""From tables to the pool: every annual filing once a registrant, what surrounds it, and the explanation of a decision."""

from __future__ import annotations

from datetime import date
from typing import Any, get_args

import pytest
from pool_examples import (
    CIK,
    SNAPSHOT,
    assertion,
    evidence,
    filing,
    management_only,
    next_year,
    notice,
    period,
    section_row,
    span,
)

from benchmark_pipeline.icfr.decision_order import PoolContext, judge
from benchmark_pipeline.icfr.explain import explain, reason_in_words
from benchmark_pipeline.icfr.pool_assembly import annual_filings, decide, registrant_records
from benchmark_pipeline.icfr.strata import (
    first_attested_year,
    followup,
    followup_ended,
    nonreliance_channel,
    seasoning_tier,
)
from benchmark_pipeline.icfr.surroundings import Surroundings, pool_context
from benchmark_pipeline.tables.clean_pool import ExclusionReason

SISTER = "0009100002"
FIRST = "0009100001-23-000001"


def annual(accession: str = FIRST, **changes: Any) -> Any:
    return filing("annual", "10-K", accession, date(2023, 2, 24), **{"period_of_report": date(2022, 12, 31), **changes})


def pool(index: Any, assertions: Any, sections: Any = (), raw: Any = (), evidence_rows: Any = ()) -> list[Any]:
    filings = annual_filings(index, assertions, sections, raw, snapshot=SNAPSHOT)
    records = registrant_records(assertions, index, snapshot=SNAPSHOT)
    around = {cik: Surroundings.of(record) for cik, record in records.items()}
    return list(decide(filings, evidence_rows, around, SNAPSHOT))


def test_two_registrants_in_one_filing_are_judged_apart() -> None:
    index = [annual(ciks=[CIK, SISTER])]
    read = [assertion(), management_only(cik=SISTER)]
    against = evidence(cik=SISTER, evidence_id=f"{FIRST}:{SISTER}:E2:x")
    assert [(row.cik, row.decision) for row in pool(index, read)] == [
        (CIK, "clean_attested"),
        (SISTER, "clean_management_only"),
    ]
    assert [(row.cik, row.decision) for row in pool(index, read, evidence_rows=[against])] == [
        (CIK, "clean_attested"),
        (SISTER, "excluded"),
    ]


def test_a_filing_without_an_assertion_gets_its_decision_and_the_reason_of_its_section() -> None:
    refused = section_row(assertion(), status="rejected", reject_reason="pdf_only", text=None)
    assert [row.reason for row in pool([annual()], [], [refused])] == ["extraction_pdf_only"]
    assert [row.reason for row in pool([annual()], [])] == ["extraction_document_missing"]
    (unknown,) = pool([annual(period_of_report=None)], [])
    assert (unknown.period_end, unknown.reason) == (None, "extraction_document_missing")


def test_an_annual_form_outside_the_universe_is_judged_too() -> None:
    (row,) = pool([annual().model_copy(update={"form": "10-K405"})], [])
    assert (row.reason, row.decided_at_step) == ("out_of_universe", 0)


def test_filings_after_the_snapshot_and_lines_that_name_no_filing_are_left_out() -> None:
    late = annual(accession="0009100001-25-000001", filed_date=date(2025, 7, 1))
    broken = annual(accession=None, cik=None, ciks=[], reject_reason="malformed_line")
    assert pool([late, broken], []) == []


@pytest.mark.parametrize(
    ("reports", "quarterlies", "expected"),
    [
        ([], [], "none"),
        ([], [date(2023, 5, 1)], "quarterly_seen"),
        ([], [date(2022, 11, 1)], "none"),
        ([(date(2023, 12, 31), date(2024, 2, 1))], [date(2023, 5, 1)], "next_annual_seen"),
        ([(date(2023, 12, 31), date(2024, 2, 1)), (date(2023, 12, 30), date(2024, 6, 1))], [], "next_annual_seen"),
        ([(date(2023, 12, 31), date(2024, 2, 1)), (date(2024, 12, 31), date(2025, 2, 1))], [], "second_annual_seen"),
        ([(date(2021, 12, 31), date(2023, 3, 1))], [], "none"),
    ],
)
def test_follow_up_is_the_latest_later_report(reports: Any, quarterlies: Any, expected: str) -> None:
    assert followup(date(2022, 12, 31), date(2023, 2, 24), reports, max(quarterlies, default=None)) == expected


@pytest.mark.parametrize(
    ("seen", "days", "tier"),
    [("none", 899, "S0"), ("none", 900, "S2"), ("quarterly_seen", 100, "S0"), ("next_annual_seen", 400, "S1"), ("second_annual_seen", 800, "S2")],
)  # fmt: skip
def test_seasoning_tiers(seen: Any, days: int, tier: str) -> None:
    assert seasoning_tier(seen, days) == tier


@pytest.mark.parametrize(
    ("form", "others", "channel"),
    [
        ("10-K", [], "8k_402"),
        ("20-F", [("foreign_report", "6-K")], "6k_text"),
        ("20-F", [("item_402", "8-K")], "8k_402"),
        ("40-F", [("amendment", "40-F/A")], "annual_amendment"),
        ("40-F", [], "none_available"),
    ],
)
def test_the_channel_follows_the_forms_that_are_filed(form: str, others: Any, channel: str) -> None:
    assert nonreliance_channel(form, frozenset(name for _, name in others)) == channel


def test_the_first_attested_year_needs_the_year_before() -> None:
    prior = management_only(accession="0009100001-22-000001", period_end=date(2021, 12, 31))
    assert first_attested_year(assertion(), [prior]) is True
    assert first_attested_year(assertion(), [assertion(period_end=date(2021, 12, 31))]) is False
    assert first_attested_year(assertion(), []) is None
    assert first_attested_year(prior, []) is False


def test_a_form_15_or_a_revocation_ends_the_follow_up() -> None:
    filed = date(2023, 2, 24)
    assert followup_ended(filed, [("15-12G", date(2023, 8, 1))], date(2023, 5, 1)) == "form15"
    assert followup_ended(filed, [("15-12G", filed)], filed) == "form15"
    assert followup_ended(filed, [("REVOKED", date(2024, 8, 1)), ("15-15D", date(2023, 8, 1))], filed) == "revoked"
    assert followup_ended(filed, [("15-12G", date(2020, 8, 1))], date(2023, 5, 1)) is None


def test_a_form_15_for_one_class_of_securities_ends_nothing_where_reports_go_on() -> None:
    assert followup_ended(date(2023, 2, 24), [("15-12B", date(2023, 8, 1))], date(2023, 11, 1)) is None


def test_a_filer_that_left_stays_unseasoned_until_900_days_and_says_why() -> None:
    left = filing("reporting_ended", "15-12G", "0009100001-23-000015", date(2023, 8, 1))
    (row,) = pool([annual(), left], [assertion()])
    assert (row.followup, row.followup_ended, row.seasoning_tier, row.decision) == (
        "none",
        "form15",
        "S0",
        "clean_attested",
    )


def test_a_notice_on_the_following_quarter_puts_the_filing_on_watch() -> None:
    told = notice([period("quarter", date(2023, 1, 1), date(2023, 3, 31))])
    read = assertion()
    (entry,) = annual_filings([], [read], snapshot=SNAPSHOT)
    watched = Surroundings.of(registrant_records([read], (), [told], snapshot=SNAPSHOT)[CIK])
    assert pool_context(watched, entry, SNAPSHOT).watch
    alone = Surroundings.of(registrant_records([read], snapshot=SNAPSHOT)[CIK])
    assert not pool_context(alone, entry, SNAPSHOT).watch
    assert judge(read, [], pool_context(watched, entry, SNAPSHOT)).decision == "clean_attested"


def test_the_next_report_seasons_the_filing() -> None:
    rows = pool([annual()], [assertion(), next_year()])
    assert [(row.followup, row.seasoning_tier, row.seasoning_days) for row in rows] == [
        ("next_annual_seen", "S1", 857),
        ("none", "S0", 492),
    ]


@pytest.mark.parametrize("reason", get_args(ExclusionReason))
def test_every_reason_is_told_in_words(reason: ExclusionReason) -> None:
    assert len(reason_in_words(reason).split()) >= 4


def test_an_open_question_is_told_with_the_place_to_answer_it() -> None:
    waiting = evidence("E8", "ambiguous", match="next_annual")
    told = "\n".join(explain(judge(assertion(), [waiting], PoolContext(SNAPSHOT)), [waiting]))
    assert "subsequent_mw_onset_unstated (a later weakness may have existed at this year end" in told
    assert "a reviewer answers in the evidence queue of `icfr-bench review`" in told
    answered = waiting.model_copy(update={"resolution": "upholds", "decided_by": "r.amari"})
    told = "\n".join(explain(judge(assertion(), [answered], PoolContext(SNAPSHOT)), [answered]))
    assert "upholds by r.amari" in told
    assert "icfr-bench review" not in told


def test_an_explanation_names_the_verdict_every_step_and_the_evidence() -> None:
    against = [evidence("E2"), evidence("E2", accession="0009100001-24-000001", evidence_id="other")]
    row = judge(assertion(), against[:1], PoolContext(SNAPSHOT, watch=True))
    documents = {span().document_sha256: "https://example.org/larkmoor-10k.htm"}
    text = "\n".join(explain(row, against, assertion(), documents))
    assert text.startswith("Larkmoor Instruments, Inc., 0009100001-23-000001")
    assert "“Management concluded that internal control over financial reporting was effective.”" in text
    assert "https://example.org/larkmoor-10k.htm, characters 0 to" in text
    assert "E2 a notice says that statements of this year should not be relied upon" in text
    assert "excluded: contradicted_E2" in text
    assert all(f"step {step:>2} " in text for step in range(11))
    assert "Evidence: 1 row(s)" in text
    assert "8-K 0009100001-23-000050 filed 2023-08-14" in text
    assert "Marks: watch" in text
    clean = "\n".join(explain(judge(assertion(), [], PoolContext(SNAPSHOT)), []))
    assert "clean, attested by the auditor" in clean
    assert "Auditor on ICFR:\n      “In our opinion" in clean
    assert "Evidence: none found" in clean
