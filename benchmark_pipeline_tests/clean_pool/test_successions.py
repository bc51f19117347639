"""Evidence across CIKs: what a successor files bears on what its predecessor filed, where the lists show the succession."""

from __future__ import annotations

import logging
from datetime import date
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pool_examples import (
    CIK,
    SNAPSHOT,
    assertion,
    filing,
    ineffective_next_year,
    next_year,
    notice,
    period,
    section_row,
)

from benchmark_pipeline.assets import clean_pool as stage
from benchmark_pipeline.assets.pool_facts import report_facts, succession_links, surroundings
from benchmark_pipeline.icfr.pool_assembly import registrant_records
from benchmark_pipeline.icfr.successions import Succession, SuccessionNotice, successions, successors
from benchmark_pipeline.icfr.surroundings import Surroundings
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore, Lake
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow

NEW, OTHER = "0009100077", "0009100099"
SINCE = date(2023, 7, 3)
FIRST = "0009100001-23-000001"
EXISTED = "We concluded that internal control over financial reporting was not effective. The material weakness also existed as of December 31, 2022."  # fmt: skip


def reported(*ciks: str, day: date = SINCE) -> SuccessionNotice:
    return SuccessionNotice("0009100077-23-000001", day, ciks)


def test_the_filer_with_annual_reports_is_the_predecessor_and_the_one_without_the_successor() -> None:
    first = {CIK: date(2015, 2, 1), NEW: date(2024, 2, 1)}
    assert successions([reported(NEW, CIK)], first) == [Succession(CIK, NEW, SINCE, "0009100077-23-000001")]
    assert successions([reported(NEW, CIK)], {CIK: date(2015, 2, 1)})[0].successor == NEW


@pytest.mark.parametrize(
    ("ciks", "first"),
    [
        ((NEW,), {CIK: date(2015, 2, 1)}),  # the successor alone: no second CIK is named
        ((NEW, CIK), {CIK: date(2015, 2, 1), NEW: date(2016, 2, 1)}),  # both reported already
        ((NEW, CIK), {}),  # neither did
        ((NEW, CIK), {CIK: SINCE}),  # an annual report on the day itself is none before it
    ],
)
def test_a_notice_that_tells_no_direction_gives_no_link(ciks: Any, first: Any) -> None:
    assert successions([reported(*ciks)], first) == []


def test_a_chain_of_two_successions_reaches_the_last_company_and_a_circle_ends() -> None:
    there, on, back = (
        Succession(CIK, NEW, SINCE, "a"),
        Succession(NEW, OTHER, date(2024, 1, 1), "b"),
        Succession(OTHER, CIK, date(2025, 1, 1), "c"),
    )
    assert [link.successor for link in successors([there, on])[CIK]] == [NEW, OTHER]
    assert [link.successor for link in successors([there, on, back])[CIK]] == [NEW, OTHER]


days = st.dates(date(2010, 1, 1), date(2025, 1, 1))
ciks = st.sampled_from([CIK, NEW, OTHER, "0009100055"])


@given(
    st.lists(st.tuples(days, st.lists(ciks, min_size=1, max_size=3, unique=True))),
    st.dictionaries(ciks, days),
    st.randoms(),
)
def test_the_order_of_the_lists_does_not_matter_and_no_one_succeeds_itself(
    notices: Any, first: Any, chance: Any
) -> None:
    told = [SuccessionNotice(f"0009100077-23-{n:06d}", day, tuple(names)) for n, (day, names) in enumerate(notices)]
    links = successions(told, first)
    shuffled = list(told)
    chance.shuffle(shuffled)
    assert successions(shuffled, first) == links
    assert all(link.predecessor != link.successor and first[link.predecessor] < link.since for link in links)
    assert all(cik not in {link.successor for link in chain} for cik, chain in successors(links).items())


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_root=tmp_path, fiscal_years=[2022, 2023], snapshot_date=SNAPSHOT)


@pytest.fixture
def lake(settings: Settings) -> Lake:
    """A clean 2022 of the old company; from July 2023 another CIK reports in its place, ineffective for 2023."""
    lake = Lake(settings.storage_root)
    old, new = assertion(), successor_report()
    lake.write("icfr_assertions", [old], "2022")
    lake.write("icfr_assertions", [new], "2023")
    lake.write("filing_index", [
        filing("annual", "10-K", old.accession, old.filed_date, period_of_report=old.period_end, fiscal_year=2022),
        filing("reporting_ended", "15-12B", "0009100001-23-000015", date(2023, 7, 14), fiscal_year=2022),
    ], "2022")  # fmt: skip
    write_index(lake, [CIK, NEW])
    section = section_row(new, text=EXISTED, start=0, end=len(EXISTED))
    lake.write("icfr_sections", [section], "2023")
    for table in ("raw_filings", "material_weaknesses", "eight_k_402_index"):
        lake.write(table, [], "2022")
    return lake


def successor_report(**changes: Any) -> Any:
    return ineffective_next_year(
        cik=NEW, accession="0009100077-24-000001", company_name="Larkmoor Holdings, Inc.", **changes
    )


def write_index(lake: Lake, filers: list[str]) -> None:
    new = successor_report()
    lake.write("filing_index", [
        filing("annual", "10-K", new.accession, new.filed_date, cik=NEW, ciks=[NEW], period_of_report=new.period_end),
        filing("succession", "8-K12B", "0009100077-23-000001", SINCE, cik=NEW, ciks=filers),
    ], "2023")  # fmt: skip


def run(settings: Settings, lake: Lake) -> dict[str, Any]:
    logging.getLogger("dagster").setLevel(logging.ERROR)
    evidence, pool = stage.build(settings)
    context = dg.build_asset_context()
    evidence(context, lake=lake, documents=DocumentStore(settings.storage_root))
    pool(dg.build_asset_context(), lake=lake)
    return dict(context.get_output_metadata("result"))


def decision(lake: Lake, cik: str = CIK) -> CleanPoolRow:
    (row,) = [row for row in lake.read(CleanPoolRow, "clean_pool") if row.cik == cik]
    return row


def test_a_successors_annual_report_contradicts_its_predecessors_year(settings: Settings, lake: Lake) -> None:
    metadata = run(settings, lake)
    row = decision(lake)
    assert (row.decision, row.reason) == ("excluded", "contradicted_E3")
    (found,) = lake.read(ContradictingEvidenceRow, "contradicting_evidence")
    assert (found.cik, found.evidence_accession) == (CIK, "0009100077-24-000001")
    assert found.locator is not None
    assert "also existed as of December 31, 2022" in found.locator.quote
    # Reporting goes on under the other CIK: the old company's Form 15 ended nothing.
    assert (row.followup, row.seasoning_tier, row.followup_ended) == ("next_annual_seen", "S1", None)
    assert metadata["registrants_succeeded"] == 1


def test_without_the_link_the_same_filings_say_nothing_about_one_another(settings: Settings, lake: Lake) -> None:
    write_index(lake, [NEW])
    run(settings, lake)
    row = decision(lake)
    assert (row.decision, row.followup, row.seasoning_tier, row.followup_ended) == (
        "clean_attested",
        "none",
        "S0",
        "form15",
    )
    assert lake.read(ContradictingEvidenceRow, "contradicting_evidence") == []


def test_a_notice_of_the_successor_judges_both_and_only_them_again(settings: Settings, lake: Lake) -> None:
    lake.write("icfr_assertions", [next_year(cik=NEW, accession="0009100077-24-000001"), assertion(cik=OTHER, accession="0009100099-23-000001")], "2023")  # fmt: skip
    run(settings, lake)
    assert decision(lake).decision == "clean_attested"
    told = notice([period("annual", date(2022, 1, 1), date(2022, 12, 31))], cik=NEW, accession="0009100077-24-000402",
                  filed_date=date(2024, 8, 1))  # fmt: skip
    lake.write("eight_k_402_index", [told], "2024")
    metadata = run(settings, lake)
    assert (metadata["registrants_judged"], metadata["registrants_unchanged"]) == (2, 1)
    assert decision(lake).reason == "contradicted_E2"
    assert decision(lake, OTHER).decision == "clean_attested"
    # The successor's own year is not the one that the notice names.
    assert decision(lake, NEW).decision == "clean_attested"


def test_what_the_lake_tells_by_sql_is_what_whole_rows_tell(lake: Lake) -> None:
    quarterly = filing("quarterly", "10-Q", "0009100077-23-000009", date(2023, 11, 1), cik=NEW, ciks=[NEW, OTHER])
    foreign = filing("foreign_report", "6-K", "0009100099-23-000009", date(2023, 12, 1), cik=OTHER, ciks=[OTHER])
    unusable = filing("annual", "10-K", "0009100099-23-000010", date(2023, 12, 1), cik=OTHER, ciks=[OTHER], reject_reason="malformed_line")  # fmt: skip
    late = filing("quarterly", "10-Q", "0009100099-25-000009", date(2025, 8, 1), cik=OTHER, ciks=[OTHER])
    more = [quarterly, foreign, unusable, late]
    told = [notice([], cik=NEW, accession="0009100077-24-000402", filed_date=date(2024, 8, 1)), notice([], cik=CIK)]
    lake.write("filing_index", more, "2024")
    lake.write("eight_k_402_index", told, "2024")
    links = succession_links(lake, SNAPSHOT)
    assert [(link.predecessor, link.successor) for link in links] == [(CIK, NEW)]
    facts = report_facts(lake, SNAPSHOT)
    assert [(row.accession, row.mgmt_conclusion) for row in facts] == [
        (FIRST, "effective"),
        ("0009100077-24-000001", "ineffective"),
    ]
    by_sql = surroundings(lake, facts, links, SNAPSHOT)
    from benchmark_pipeline.tables.disclosures import IcfrAssertionRow
    from benchmark_pipeline.tables.sources import FilingIndexRow

    records = registrant_records(
        lake.read(IcfrAssertionRow, "icfr_assertions"), lake.read(FilingIndexRow, "filing_index"), told,
        snapshot=SNAPSHOT, links=links,
    )  # fmt: skip
    assert set(by_sql) == set(records) == {CIK, NEW, OTHER}
    for cik, record in records.items():
        assert plain(by_sql[cik]) == plain(Surroundings.of(record)), cik


def plain(around: Surroundings) -> tuple[Any, ...]:
    return (
        sorted((row.accession, row.cik) for row in around.reports),
        sorted(row.accession for row in around.notices),
        around.forms, around.last_quarterly, around.last_periodic, around.endings,
    )  # fmt: skip
