"""Judging again only whom something new is about, with the same rows as if everyone were judged again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from pool_examples import SNAPSHOT, assertion, filing, ineffective_next_year, notice, period, section_row

from benchmark_pipeline.assets import clean_pool as stage
from benchmark_pipeline.assets.rejudging import fingerprints
from benchmark_pipeline.icfr.questions import asked_sha256
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import AppendLog, DocumentStore, Lake
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow

CIKS = ("0009100001", "0009100002", "0009100003")
YEAR_2022 = period("annual", date(2022, 1, 1), date(2022, 12, 31))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_root=tmp_path, fiscal_years=[2022, 2023], snapshot_date=SNAPSHOT)


def first(cik: str) -> Any:
    return assertion(cik=cik, accession=f"{cik}-23-000001")


@pytest.fixture
def lake(settings: Settings) -> Lake:
    """Three registrants with a clean 2022; the first one's 2023 is deficient, and does not say since when."""
    lake = Lake(settings.storage_root)
    second = ineffective_next_year()
    lake.write("icfr_assertions", [first(cik) for cik in CIKS], "2022")
    lake.write("icfr_assertions", [second], "2023")
    lake.write("filing_index", [annual(cik) for cik in CIKS], "2022")
    lake.write(
        "filing_index",
        [filing("annual", "10-K", second.accession, second.filed_date, period_of_report=second.period_end)],
        "2023",
    )
    for table in ("raw_filings", "icfr_sections", "material_weaknesses", "eight_k_402_index"):
        lake.write(table, [], "2022")
    return lake


def annual(cik: str, **changes: Any) -> Any:
    row = first(cik)
    return filing("annual", "10-K", row.accession, row.filed_date, cik=cik, **{
        "ciks": [cik], "period_of_report": row.period_end, **changes
    })  # fmt: skip


def told(cik: str, number: int = 50) -> Any:
    return notice([YEAR_2022], cik=cik, accession=f"{cik}-23-{number:06d}")


@pytest.fixture
def run(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> Callable[[Settings], tuple[list[str], list[str]]]:
    """Materializes the stage and tells whose evidence was due anew, and whose filings were judged.

    Of those due, only registrants with a filing that may hold evidence are searched.
    """
    searched: list[str] = []
    judged: list[str] = []
    find, decide, plan = stage.find_evidence, stage.decide, stage.plan
    due: list[str] = []

    def planning(lake: Any, table: str, *rest: Any, **named: Any) -> Any:
        todo = plan(lake, table, *rest, **named)
        if table == "contradicting_evidence":
            due.extend(todo.changed)
        return todo

    def finding(record: Any, *rest: Any) -> Any:
        searched.append(record.cik)
        return find(record, *rest)

    def deciding(filings: Any, *rest: Any) -> Any:
        judged.extend(filing.cik for filing in filings)
        return decide(filings, *rest)

    monkeypatch.setattr(stage, "plan", planning)
    monkeypatch.setattr(stage, "find_evidence", finding)
    monkeypatch.setattr(stage, "decide", deciding)

    def materialize(settings: Settings) -> tuple[list[str], list[str]]:
        for names in (searched, judged, due):
            names.clear()
        evidence, pool = stage.build(settings)
        evidence(dg.build_asset_context(), lake=lake, documents=DocumentStore(settings.storage_root))
        pool(dg.build_asset_context(), lake=lake)
        assert set(searched) <= set(due)
        return sorted(due), sorted(judged)

    return materialize


def tables(lake: Lake) -> tuple[list[CleanPoolRow], list[ContradictingEvidenceRow]]:
    return lake.read(CleanPoolRow, "clean_pool"), lake.read(ContradictingEvidenceRow, "contradicting_evidence")


def files(lake: Lake) -> list[bytes]:
    return [Path(lake.path(table)).read_bytes() for table in ("clean_pool", "contradicting_evidence")]


def assert_as_if_all_were_judged(run: Any, lake: Lake, settings: Settings) -> None:
    partial = files(lake)
    shutil.rmtree(settings.judged_folder)
    assert run(settings)[0] == list(CIKS)
    assert files(lake) == partial


def test_one_new_notice_judges_one_registrant_and_leaves_every_other_row_as_it_was(
    settings: Settings, lake: Lake, run: Any
) -> None:
    assert run(settings) == (list(CIKS), [CIKS[0], *CIKS])
    before = {(row.accession, row.cik): row.model_dump_json() for row in tables(lake)[0]}
    lake.write("eight_k_402_index", [told(CIKS[1])], "2023")
    assert run(settings) == ([CIKS[1]], [CIKS[1]])
    after = {(row.accession, row.cik): row for row in tables(lake)[0]}
    assert after[f"{CIKS[1]}-23-000001", CIKS[1]].reason == "contradicted_E2"
    others = {key: row.model_dump_json() for key, row in after.items() if key[1] != CIKS[1]}
    assert others == {key: row for key, row in before.items() if key[1] != CIKS[1]}
    assert_as_if_all_were_judged(run, lake, settings)


def test_nothing_new_judges_nobody(settings: Settings, lake: Lake, run: Any) -> None:
    run(settings)
    before = files(lake)
    assert run(settings) == ([], [])
    assert files(lake) == before


@pytest.mark.slow
def test_another_order_or_address_of_the_lists_is_nothing_new_and_another_document_is(
    settings: Settings, lake: Lake, run: Any
) -> None:
    run(settings)
    lake.write("filing_index", [annual(cik, source_url="https://example.org/again") for cik in reversed(CIKS)], "2022")
    assert run(settings) == ([], [])
    lake.write("icfr_sections", [section_row(first(CIKS[2]), text_sha256="cd" * 32)], "2022")
    assert run(settings) == ([CIKS[2]], [CIKS[2]])


@pytest.mark.slow
def test_a_notice_that_is_withdrawn_from_the_lists_gives_the_label_back(
    settings: Settings, lake: Lake, run: Any
) -> None:
    lake.write("eight_k_402_index", [told(CIKS[1])], "2023")
    run(settings)
    lake.write("eight_k_402_index", [], "2023")
    assert run(settings) == ([CIKS[1]], [CIKS[1]])
    assert not [row for row in tables(lake)[1] if row.cik == CIKS[1]]
    assert_as_if_all_were_judged(run, lake, settings)


@pytest.mark.slow
def test_a_later_snapshot_reseasons_everyone_and_judges_only_whom_it_newly_sees(
    settings: Settings, lake: Lake, run: Any
) -> None:
    late = told(CIKS[1]).model_copy(update={"filed_date": date(2025, 9, 1)})
    lake.write("eight_k_402_index", [late], "2025")
    run(settings)
    later = settings.model_copy(update={"snapshot_date": date(2025, 12, 31)})
    assert run(later) == ([CIKS[1]], [CIKS[1]])
    assert {row.snapshot_date for row in tables(lake)[0]} == {date(2025, 12, 31)}
    assert_as_if_all_were_judged(run, lake, later)


@pytest.mark.slow
def test_a_persons_answer_judges_the_filing_again_without_looking_for_evidence(
    settings: Settings, lake: Lake, run: Any
) -> None:
    run(settings)
    (waiting,) = [row for row in tables(lake)[1] if row.strength == "ambiguous"]
    log = AppendLog(settings.review_log_folder / "evidence")
    log.append({"answer_id": "e-1", "evidence_id": waiting.evidence_id, "text_sha256": asked_sha256(waiting),
                "resolution": "dismissed", "reviewer": "r.amari", "reason": "It began later.", "seconds": None,
                "decided_at": "2025-07-01T12:00:00Z"})  # fmt: skip
    log.close()
    assert run(settings) == ([], [CIKS[0], CIKS[0]])
    assert {row.decision for row in tables(lake)[0] if row.fiscal_year == 2022} == {"clean_attested"}
    assert_as_if_all_were_judged(run, lake, settings)


@pytest.mark.slow
def test_co_registrants_are_judged_together_when_their_filing_changes(settings: Settings, lake: Lake, run: Any) -> None:
    shared = [annual(CIKS[0]), annual(CIKS[1], ciks=list(CIKS[1:]))]
    lake.write("filing_index", shared, "2022")
    lake.write("icfr_assertions", [first(CIKS[0]), first(CIKS[1]), assertion(cik=CIKS[2], accession=f"{CIKS[1]}-23-000001")], "2022")  # fmt: skip
    run(settings)
    lake.write("raw_filings", [], "2023")
    lake.write("filing_index", [shared[0], annual(CIKS[1], ciks=list(CIKS[1:]), items=["9A"])], "2022")
    assert run(settings) == (list(CIKS[1:]), list(CIKS[1:]))
    assert_as_if_all_were_judged(run, lake, settings)


@pytest.mark.slow
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"version": "other"}'])
def test_fingerprints_that_cannot_be_read_mean_that_everyone_is_judged(
    settings: Settings, lake: Lake, run: Any, body: bytes
) -> None:
    run(settings)
    for path in settings.judged_folder.glob("*.json"):
        path.write_bytes(body)
    assert run(settings) == (list(CIKS), [CIKS[0], *CIKS])


@pytest.mark.slow
def test_an_output_that_is_not_the_one_remembered_is_not_copied(settings: Settings, lake: Lake, run: Any) -> None:
    run(settings)
    good = files(lake)
    lake.write("clean_pool", [])
    assert run(settings) == ([], [CIKS[0], *CIKS])
    assert files(lake) == good


def test_every_column_that_bears_on_a_judgement_changes_the_fingerprint(lake: Lake) -> None:
    inputs = [*stage.EVIDENCE_INPUTS]
    before = fingerprints(lake, inputs, SNAPSHOT)
    changed = first(CIKS[1]).model_copy(update={"mgmt_as_of": date(2022, 12, 30)})
    lake.write("icfr_assertions", [first(CIKS[0]), changed, first(CIKS[2])], "2022")
    after = fingerprints(lake, inputs, SNAPSHOT)
    assert [cik for cik in CIKS if before[cik] != after[cik]] == [CIKS[1]]
