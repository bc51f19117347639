"""From rows of the API to one row a finding: grouping, joining, rejecting; nothing is lost."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from single_audit_rows import REPORT_ID, TEXT, finding, general, text, year_rows

from benchmark_pipeline.single_audit import audits
from benchmark_pipeline.single_audit.findings import build


def test_a_finding_on_many_awards_is_one_row() -> None:
    result = build(year_rows(findings=[finding(award=f"AWARD-{n:04d}") for n in range(40)]), 2023)
    (row,) = result.rows
    assert (row.award_count, row.tier, row.reject_reason) == (40, "material_weakness", None)
    assert (
        row.condition == "The reconciliation of the grant ledger to the drawdown records was not done for six months."
    )
    assert row.cause == "The accountant who does it left and nobody was named in her place."
    assert (row.type_requirement, row.entity_type, row.source_sha256) == ("AB", "local", "b" * 64)


def test_a_row_served_twice_does_not_count_as_an_award() -> None:
    result = build(year_rows(findings=[finding(), finding()]), 2023)
    assert (result.rows[0].award_count, result.repeated_award_rows, result.award_rows_grouped) == (1, 1, 2)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"findings": [finding(pattern="NNYNN"), finding(award="AWARD-0002", pattern="NNNYN")]}, "tier_varies"),
        ({"findings": [finding(pattern="NNYYN")]}, "tier_pattern_not_allowed"),
        ({"findings": [finding(pattern="N?NYN")]}, "tier_pattern_not_allowed"),
        ({"findings": [finding(pattern="NNNNN")]}, "tier_pattern_not_allowed"),
        ({"reports": [general(is_public=False)]}, "not_public"),
        ({"reports": [general(is_public=None)]}, "not_public"),
        ({"reports": []}, "superseded"),
        ({"reports": [general(resubmission_status="deprecated_via_resubmission")]}, "superseded"),
        ({"reports": [general(), general("2023-06-GSAFAC-0000999999", fac_accepted_date="2024-08-01")]}, "superseded"),
        ({"reports": [general(), general("2023-06-GSAFAC-0000999999")]}, "duplicate_submission"),
        ({"texts": []}, "no_text"),
        ({"texts": [text(words="GSA_MIGRATION")]}, "no_text"),
        ({"texts": [text(words="See Schedule of Findings and Questioned Costs in the report.")]}, "text_points_elsewhere"),
        ({"findings": [finding(reference="GSA_MIGRATION")]}, "malformed_row"),
        ({"findings": [finding(audit_year="2022")]}, "malformed_row"),
        ({"findings": [finding(report_id="12345")]}, "malformed_row"),
        ({"findings": ["no object"]}, "malformed_row"),
    ],
)  # fmt: skip
def test_each_defect_is_a_rejected_row_with_its_reason(changes: dict[str, list[Any]], reason: str) -> None:
    (row,) = build(year_rows(**changes), 2023).rows
    assert row.reject_reason == reason
    assert row.reject_detail
    assert row.condition is None and row.cause is None


def test_a_modified_opinion_may_differ_between_programs_but_not_the_tier() -> None:
    rows = [finding(pattern="YNYNN"), finding(award="AWARD-0002", pattern="NYYNN")]
    (row,) = build(year_rows(findings=rows), 2023).rows
    assert (row.tier, row.reject_reason) == ("material_weakness", None)


def test_a_finding_about_compliance_only_is_accepted_without_a_tier() -> None:
    (row,) = build(year_rows(findings=[finding(pattern="NYNNN")]), 2023).rows
    assert (row.tier, row.reject_reason) == (None, None)


def test_a_suppressed_text_is_not_kept_even_if_it_is_served() -> None:
    (row,) = build(year_rows(reports=[general(is_public=False)], plans=[text() | {"planned_action": TEXT}]), 2023).rows
    assert (row.text, row.planned_action) == (None, None)


def test_migrated_reports_are_marked_and_their_wrong_header_flag_decides_nothing() -> None:
    migrated = "2019-06-CENSUS-0000000123"
    rows = {
        # For every migrated report this header flag holds what was meant for major programs: it is no tier.
        "reports": [general(migrated, audit_year="2019", is_internal_control_material_weakness_disclosed="Yes")],
        "findings": [finding(pattern="NNNYN", report_id=migrated, audit_year="2019", reference="2019-001")],
        "texts": [text("2019-001", report_id=migrated, audit_year="2019")],
    }
    (row,) = build(year_rows(**rows), 2019).rows
    assert (row.data_source, row.tier, row.reject_reason) == ("CENSUS", "significant_deficiency", None)
    (row,) = build(year_rows(), 2023).rows
    assert row.data_source == "GSAFAC"


def test_the_order_of_corrections_follows_the_day_of_acceptance_and_keeps_one_of_each_auditee_and_year() -> None:
    ids = [f"2023-06-GSAFAC-000090000{n}" for n in range(3)]
    reports = [general(name, fac_accepted_date=f"2024-0{3 - n}-01") for n, name in enumerate(ids)]
    found = build(
        year_rows(
            reports=reports,
            findings=[finding(report_id=name) for name in ids],
            texts=[text(report_id=name) for name in ids],
        ),
        2023,
    ).rows
    assert [(row.report_id, row.reject_reason) for row in found] == [
        (ids[0], None), (ids[1], "superseded"), (ids[2], "superseded"),
    ]  # fmt: skip
    assert all(ids[0] in (row.reject_detail or "") for row in found[1:])


def test_a_text_joins_on_report_and_reference_and_orphans_are_counted() -> None:
    other = text(report_id="2023-06-GSAFAC-0000000007")
    result = build(year_rows(texts=[other, text("2023-009")]), 2023)
    assert result.rows[0].reject_reason == "no_text"
    assert result.orphan_texts == 2


def test_a_bad_row_of_general_is_a_rejected_row_and_its_findings_are_still_judged() -> None:
    result = build(year_rows(reports=[general(fy_end_date="31st of June")]), 2023)
    assert Counter(row.reject_reason for row in result.rows) == {"malformed_row": 1, "superseded": 1}


_PATTERNS = st.sampled_from(["NNYNN", "NNNYN", "YNYNN", "NNYYN", "N?NYN", "NYNNN"])
_ROWS = st.lists(
    st.one_of(
        st.builds(
            finding,
            reference=st.sampled_from(["2023-001", "2023-002", "2023-003", "GSA_MIGRATION", ""]),
            award=st.sampled_from(["AWARD-0001", "AWARD-0002", "AWARD-0003"]),
            pattern=_PATTERNS,
            report_id=st.sampled_from([REPORT_ID, "2023-12-CENSUS-0000000123", "broken"]),
            audit_year=st.sampled_from(["2023", "2023", "2022", "MMXX"]),
        ),
        st.sampled_from([None, 3, "row", [], {}]),
    ),
    max_size=25,
)


@given(findings=_ROWS, texts=st.lists(st.builds(text, reference=st.sampled_from(["2023-001", "2023-002"])), max_size=4))
def test_whatever_is_received_every_row_is_accounted_for(findings: list[Any], texts: list[Any]) -> None:
    result = build(year_rows(findings=findings, texts=texts), 2023)
    assert result.award_rows_in == len(findings) == result.award_rows_grouped + result.malformed_rows
    assert audits.repeated_keys(result.rows) == []
    assert audits.findings_unaccounted_for(result.rows, findings) == []
    assert audits.impossible_tiers(result.rows) == []
    assert len(result.rows) == result.accepted + sum(result.rejects.values())
    assert sum(row.award_count for row in result.rows) == result.award_rows_grouped - result.repeated_award_rows


@given(_ROWS, st.randoms())
def test_the_order_of_the_rows_does_not_matter(findings: list[Any], random: Any) -> None:
    shuffled = list(findings)
    random.shuffle(shuffled)
    assert build(year_rows(findings=findings), 2023).tiers == build(year_rows(findings=shuffled), 2023).tiers
