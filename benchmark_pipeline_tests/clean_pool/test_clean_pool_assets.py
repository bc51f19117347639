"""The stage's assets on a small lake, and each check broken once."""

from __future__ import annotations

import logging
from datetime import date
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from pool_examples import CIK, SNAPSHOT, assertion, evidence, filing, ineffective_next_year, notice, period, section_row

from benchmark_pipeline.assets import clean_pool as clean_pool_assets
from benchmark_pipeline.assets import non_reliance as non_reliance_assets
from benchmark_pipeline.checks import clean_pool as checks
from benchmark_pipeline.icfr.decision_order import PoolContext, judge
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore, Lake
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow
from benchmark_pipeline.tables.sources import EightK402Row, RawFilingRow

FIRST = "0009100001-23-000001"
NOTICE = "0009100001-23-000050"
REPORT_SECTION = (
    "Item 9A. We concluded that internal control was not effective. We lacked reviewers, a material weakness."
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_root=tmp_path, fiscal_years=[2022, 2023], snapshot_date=SNAPSHOT)


def raw_row(accession: str, form: str, role: str, year: int, sha256: str | None, **changes: Any) -> RawFilingRow:
    values: dict[str, Any] = {
        "accession": accession, "cik": CIK, "form": form, "role": role, "fiscal_year": year, "url": "https://example.org",
        "document_name": f"{accession}.htm", "document_type": form, "sequence": 1, "sha256": sha256, "size_bytes": 1,
        "http_status": 200, "headers": None, "retrieved_at": None, "reject_reason": None, "reject_detail": None,
    }  # fmt: skip
    return RawFilingRow(**{**values, **changes})


@pytest.fixture
def lake(settings: Settings) -> Lake:
    """Fiscal 2022 effective, contradicted by a notice; fiscal 2023 deficient; a third filing that could not be read."""
    lake, documents = Lake(settings.storage_root), DocumentStore(settings.storage_root)
    first, second = assertion(), ineffective_next_year()
    told = documents.put(
        b"<html><p>Item 4.02 Non-Reliance on Previously Issued Financial Statements</p><p>On August 10, 2023, the Audit Committee "
        b"concluded that the financial statements for fiscal 2022 should no longer be relied upon.</p><p>SIGNATURES</p></html>"
    )
    report = documents.put(f"<html><p>{REPORT_SECTION}</p></html>".encode())
    index = {
        2022: [
            filing("annual", "10-K", FIRST, date(2023, 2, 24), period_of_report=date(2022, 12, 31), fiscal_year=2022),
            filing("annual", "10-K405", "0009100009-23-000001", date(2023, 2, 24), cik="0009100009", ciks=["0009100009"],
                   period_of_report=date(2022, 12, 31), fiscal_year=2022),
        ],
        2023: [
            filing("annual", "10-K", second.accession, second.filed_date, period_of_report=second.period_end, fiscal_year=2023),
            filing("item_402", "8-K", NOTICE, date(2023, 8, 14), items=["4.02"], fiscal_year=2023),
            filing("item_402", "8-K", "0009100001-23-000051", date(2023, 8, 15), items=["4.02"], fiscal_year=2023),
        ],
    }  # fmt: skip
    for year, rows in index.items():
        lake.write("filing_index", rows, str(year))
        lake.write("material_weaknesses", [], str(year))
    lake.write("raw_filings", [raw_row(FIRST, "10-K", "annual", 2022, report)], "2022")
    lake.write("raw_filings", [raw_row(NOTICE, "8-K", "item_402", 2023, told)], "2023")
    lake.write("icfr_assertions", [first], "2022")
    lake.write("icfr_assertions", [second], "2023")
    lake.write("icfr_sections", [], "2022")
    lake.write("icfr_sections", [
        section_row(second, text=REPORT_SECTION, start=0, end=len(REPORT_SECTION), document_sha256=report)
    ], "2023")  # fmt: skip
    return lake


def materialize(settings: Settings, lake: Lake, partition: str | None = None) -> Any:
    logging.getLogger("dagster").setLevel(logging.ERROR)
    stage = non_reliance_assets.build(settings) if partition else clean_pool_assets.build(settings)
    result = dg.materialize(
        stage,
        resources={"lake": lake, "documents": DocumentStore(settings.storage_root)},
        tags={"dagster/asset_partition_range_start": "2022", "dagster/asset_partition_range_end": "2023"} if partition else None,
    )  # fmt: skip
    assert result.success
    return result


def test_the_stage_runs_from_notices_to_decisions_and_running_again_changes_nothing(
    settings: Settings, lake: Lake
) -> None:
    materialize(settings, lake, "2022-2023")
    notices = lake.read(EightK402Row, "eight_k_402_index")
    assert [(row.accession, row.periods_parsed, row.reject_reason) for row in notices] == [
        (NOTICE, True, None),
        ("0009100001-23-000051", False, "document_missing"),
    ]
    result = materialize(settings, lake)
    rows = lake.read(CleanPoolRow, "clean_pool")
    assert [(row.accession, row.decision, row.reason) for row in rows] == [
        (FIRST, "excluded", "contradicted_E2"),
        ("0009100001-24-000001", "deficient", None),
        ("0009100009-23-000001", "excluded", "out_of_universe"),
    ]
    found = lake.read(ContradictingEvidenceRow, "contradicting_evidence")
    assert [(row.code, row.strength) for row in found] == [("E2", "direct"), ("E2", "ambiguous"), ("E8", "ambiguous")]
    metadata = result.asset_materializations_for_node("clean_pool")[0].metadata
    assert "| excluded | contradicted_E2 | 1 |" in metadata["by_decision"].value
    assert "| 10 | contradicted | 1 | 1 | 0 |" in metadata["funnel"].value
    before = Path(lake.path("clean_pool")).read_bytes()
    materialize(settings, lake)
    assert Path(lake.path("clean_pool")).read_bytes() == before
    for check in checks.build(settings):
        answer = check(lake)
        # One of the two notices has no document, so the warning on unread periods is due.
        due = next(iter(check.check_keys)).name == "most_notices_name_periods_that_could_be_read"
        assert answer.passed is not due, (check.check_keys, answer.metadata)


def judged(**changes: Any) -> CleanPoolRow:
    return judge(assertion(**changes), [], PoolContext(SNAPSHOT))


def answer(settings: Settings, lake: Lake, name: str) -> Any:
    (check,) = [check for check in checks.build(settings) if next(iter(check.check_keys)).name == name]
    return check(lake)


BROKEN = {
    "every_annual_filing_has_exactly_one_decision": lambda row: [],
    "every_clean_attested_filing_has_its_opinion_located": lambda row: [
        row.model_copy(update={"attest_opinion_span": None})
    ],
    "every_exclusion_has_a_reason_and_no_other_decision_has_one": lambda row: [
        row.model_copy(update={"reason": "shell"})
    ],
    "no_two_registrants_answer_for_one_another": lambda row: [row.model_copy(update={"evidence_ids": ["elsewhere"]})],
    "no_clean_filing_has_direct_evidence_against_it": lambda row: [row],
}


@pytest.mark.parametrize("name", BROKEN)
def test_each_blocking_check_fails_on_the_pool_it_is_there_for(settings: Settings, name: str) -> None:
    lake = Lake(settings.storage_root)
    lake.write("filing_index", [filing("annual", "10-K", FIRST, date(2023, 2, 24))], "2022")
    lake.write("icfr_assertions", [assertion()], "2022")
    direct = name == "no_clean_filing_has_direct_evidence_against_it"
    lake.write("contradicting_evidence", [evidence()] if direct else [])
    lake.write("clean_pool", BROKEN[name](judged()))
    assert not answer(settings, lake, name).passed
    lake.write("contradicting_evidence", [])
    lake.write("clean_pool", [judged()])
    assert answer(settings, lake, name).passed


def test_what_a_headline_rests_on_blocks_and_what_is_only_odd_warns(settings: Settings) -> None:
    blocking = {
        next(iter(check.check_keys)).name for check in checks.build(settings) if next(iter(check.check_specs)).blocking
    }
    assert blocking == {*BROKEN, "every_item_402_filing_has_a_row"}


def test_two_decisions_on_one_filing_and_a_decision_on_none_are_found() -> None:
    index, read = [filing("annual", "10-K", FIRST, date(2023, 2, 24))], [assertion()]
    settings = Settings(snapshot_date=SNAPSHOT)
    stray = judged(accession="0009100001-23-000777")
    assert checks.undecided_or_doubly_decided([judged(), judged()], index, read, settings) == [
        f"{FIRST} of {CIK}: 2 decisions"
    ]
    assert checks.undecided_or_doubly_decided([judged(), stray], index, read, settings) == [
        "0009100001-23-000777: decided, neither listed nor read"
    ]


def test_a_lost_notice_blocks_and_many_unread_ones_warn(settings: Settings) -> None:
    lake = Lake(settings.storage_root)
    lake.write("filing_index", [filing("item_402", "8-K", NOTICE, date(2023, 8, 14), fiscal_year=2023)], "2023")
    lake.write("eight_k_402_index", [], "2023")
    assert not answer(settings, lake, "every_item_402_filing_has_a_row").passed
    lake.write("eight_k_402_index", [notice([])], "2023")
    assert answer(settings, lake, "every_item_402_filing_has_a_row").passed
    assert not answer(settings, lake, "most_notices_name_periods_that_could_be_read").passed
    lake.write("eight_k_402_index", [notice([period("annual", date(2022, 1, 1), date(2022, 12, 31))])], "2023")
    assert answer(settings, lake, "most_notices_name_periods_that_could_be_read").passed


def shifted(row: CleanPoolRow, year: int, form: str = "10-K") -> CleanPoolRow:
    return row.model_copy(update={"fiscal_year": year, "form": form})


def test_base_rates_warn_outside_their_bands_and_say_nothing_on_a_small_sample(settings: Settings) -> None:
    clean = judged()
    deficient = judged(mgmt_conclusion="ineffective", attest_opinion="adverse")
    weak = judged(mgmt_conclusion="ineffective", attest_opinion="none", attest_opinion_span=None)
    alone = judged(attest_flag="false", attest_opinion="none", attest_opinion_span=None, mgmt_says_no_attestation=True)
    usual = [clean] * 100 + [alone] * 70 + [deficient] * 3 + [weak] * 37
    assert checks.base_rates([]) == ([], [{"filings of": "all domestic", "judged": 0, "attested": "0.0%", "management ineffective": "0.0%", "auditor adverse": "0.0%"}])  # fmt: skip
    assert checks.base_rates([clean] * 199)[0] == []
    problems, shares = checks.base_rates(usual)
    assert problems == []
    assert shares[0] == {"filings of": "all domestic", "judged": 210, "attested": "49.0%", "management ineffective": "19.0%", "auditor adverse": "2.9%"}  # fmt: skip
    # One year that went wrong shows although the whole looks usual, and a foreign form is shown and not judged.
    # One form alone can be off as well: transition reports here.
    assert checks.base_rates(usual * 10 + [shifted(clean, 2022, "10-KT")] * 200)[0] == [
        "10-KT: attested 100.0% is outside 30% to 65%",
        "10-KT: management ineffective 0.0% is outside 10% to 35%",
        "10-KT: auditor adverse 0.0% is outside 2% to 20%",
    ]
    mixed = [row for year in range(2015, 2022) for row in (shifted(row, year) for row in usual)]
    odd = [shifted(clean, 2022) for _ in range(120)] + [shifted(deficient, 2022) for _ in range(80)]
    problems, _ = checks.base_rates(mixed + odd + [shifted(clean, 2021, "20-F")] * 200)
    assert [problem.split(":")[0] for problem in problems] == ["fiscal 2022"] * 3
    lake = Lake(settings.storage_root)
    lake.write("clean_pool", [row.model_copy(update={"accession": f"0009100001-23-{n:06d}"}) for n, row in enumerate([deficient] * 200)])  # fmt: skip
    assert not answer(settings, lake, "shares_lie_within_published_base_rates").passed
    lake.write("clean_pool", usual)
    assert answer(settings, lake, "shares_lie_within_published_base_rates").passed
