"""Properties of the whole stage, from filings to decisions: later filings, arrival order, and judging again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pool_examples import CIK, Texts, assertion, filing, notice, period

from benchmark_pipeline.icfr.evidence import find_evidence
from benchmark_pipeline.icfr.pool_assembly import annual_filings, decide, registrant_records
from benchmark_pipeline.icfr.surroundings import Surroundings
from benchmark_pipeline.tables.clean_pool import CleanPoolRow

LAST = date(2027, 12, 31)
FEWER = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
SAYINGS = (
    "Internal control over financial reporting was not effective because of a material weakness in our close.",
    "The material weakness also existed as of December 31, {year}.",
    "This material weakness arose from an acquisition in March {after} and did not exist at December 31, {year}.",
    "An error made it necessary to restate our statements for the year ended December 31, {year}.",
    "We identified no material weakness.",
    "If we fail to maintain controls, a material weakness could be identified.",
)


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Any], list[Any], list[Any], Texts]:
    """A registrant's annual reports of some years, filed on time or late, with notices and quarterly reports between."""
    texts: dict[str, str] = {}

    def saying() -> str:
        year = draw(st.integers(2020, 2024))
        lines = draw(st.lists(st.sampled_from(SAYINGS), min_size=1, max_size=2))
        return " ".join(line.format(year=year, after=year + 1) for line in lines)

    reports, notices, index = [], [], []
    for year in sorted(draw(st.sets(st.integers(2020, 2024), min_size=1, max_size=4))):
        weak = draw(st.booleans())
        report = assertion(
            accession=f"0009100001-{year - 1999:02d}-000001", period_end=date(year, 12, 31), mgmt_as_of=date(year, 12, 31),
            filed_date=date(year + 1, 2, 20) + timedelta(days=draw(st.sampled_from([0, 20, 300, 500]))),
            mgmt_conclusion="ineffective" if weak else "effective", dcp_conclusion="ineffective" if weak else "effective",
            attest_opinion="adverse" if weak else "unqualified", prior_mw_remediated=draw(st.booleans()),
            error_correction_flag=draw(st.sampled_from(["false", "true"])),
        )  # fmt: skip
        texts[report.accession] = saying()
        reports.append(report)
        index.append(filing("annual", "10-K", report.accession, report.filed_date, period_of_report=report.period_end))
    for number in range(draw(st.integers(0, 3))):
        year = draw(st.integers(2020, 2024))
        told = draw(st.sampled_from([[], [period("annual", date(year, 1, 1), date(year, 12, 31))]]))
        earlier = [row.accession for row in notices]
        notices.append(notice(
            told, accession=f"0009100001-25-{402 + number:06d}",
            filed_date=date(2021, 1, 1) + timedelta(days=draw(st.integers(0, 2000))),
            withdraws_accession=draw(st.sampled_from([None, *earlier])),
        ))  # fmt: skip
    for number in range(draw(st.integers(0, 3))):
        accession = f"0009100001-25-{100 + number:06d}"
        day = date(2021, 1, 1) + timedelta(days=draw(st.integers(0, 2000)))
        index.append(filing("quarterly", "10-Q", accession, day, period_of_report=day - timedelta(days=40)))
        texts[accession] = saying()
    return reports, notices, index, Texts(texts, texts)


def judged(reports: Sequence[Any], notices: Sequence[Any], index: Sequence[Any], texts: Texts, snapshot: date) -> list[CleanPoolRow]:  # fmt: skip
    records = registrant_records(reports, index, notices, snapshot=snapshot)
    evidence = find_evidence(records[CIK], texts, snapshot) if CIK in records else []
    around = {cik: Surroundings.of(record) for cik, record in records.items()}
    return list(decide(annual_filings(index, reports, snapshot=snapshot), evidence, around, snapshot))


@FEWER
@given(histories(), st.integers(0, 2500), st.integers(0, 2500))
def test_what_is_filed_later_never_turns_an_excluded_filing_clean(history: Any, first: int, second: int) -> None:
    early, late = sorted((first, second))
    before = judged(*history, date(2021, 1, 1) + timedelta(days=early))
    after = {row.accession: row for row in judged(*history, date(2021, 1, 1) + timedelta(days=late))}
    for row in before:
        now = after[row.accession]
        if not row.decision.startswith("clean"):
            assert now.decision == row.decision, (row.reason, now.trace)
        assert set(row.evidence_ids) <= set(now.evidence_ids)


@FEWER
@given(histories(), st.randoms())
def test_the_order_in_which_filings_are_read_does_not_matter_and_judging_again_changes_nothing(
    history: Any, chance: Any
) -> None:
    reports, notices, index, texts = history
    shuffled = [list(rows) for rows in (reports, notices, index)]
    for rows in shuffled:
        chance.shuffle(rows)
    first = judged(reports, notices, index, texts, LAST)
    assert judged(*shuffled, texts, LAST) == first  # type: ignore[arg-type]
    assert judged(reports, notices, index, texts, LAST) == first


def test_a_report_filed_late_for_the_year_between_does_not_take_evidence_back() -> None:
    """The report on 2024 was the next one after 2022 when it was filed; 2023 came a year late and was effective."""
    first = assertion()
    weak = assertion(
        accession="0009100001-25-000001", period_end=date(2024, 12, 31), mgmt_as_of=date(2024, 12, 31),
        filed_date=date(2025, 2, 20), mgmt_conclusion="ineffective", attest_opinion="adverse", dcp_conclusion="ineffective",
    )  # fmt: skip
    late = assertion(
        accession="0009100001-25-000009", period_end=date(2023, 12, 31), mgmt_as_of=date(2023, 12, 31),
        filed_date=date(2025, 9, 1),
    )  # fmt: skip
    texts = Texts({}, {weak.accession: SAYINGS[0]})
    for reports in ([first, weak], [first, late, weak]):
        rows = judged(reports, [], [], texts, LAST)
        assert rows[0].reason == "subsequent_mw_onset_unstated"
