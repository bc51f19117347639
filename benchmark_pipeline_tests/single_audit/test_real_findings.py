"""The rules on real findings: 301 with text, and the tiers that their publisher counts by year."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from benchmark_pipeline.single_audit import audits
from benchmark_pipeline.single_audit.findings import FindingsResult, build
from benchmark_pipeline.single_audit.layouts import AuditYearRows, from_census, from_workbooks

pytestmark = pytest.mark.real_data
CENSUS_TABLES = ("ELECAUDITHEADER", "ELECAUDITFINDINGS", "ELECFINDINGSTEXT", "ELECCAPTEXT")
# Material weakness, significant deficiency, neither; of these with text.
CENSUS = {
    2016: ((24, 27, 14), 0),
    2017: ((31, 30, 18), 0),
    2018: ((35, 33, 17), 0),
    2019: ((21, 21, 11), 53),
    2020: ((20, 18, 4), 42),
    2021: ((24, 29, 3), 55),
    2022: ((11, 18, 6), 34),
}
WORKBOOKS = {2016: (0, 0, 1), 2021: (4, 9, 1), 2022: (43, 78, 1)}


def _file(path: Path) -> bytes:
    packed = path.with_name(path.name + ".gz")
    return path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())


@cache
def census(folder: Path, year: int) -> tuple[AuditYearRows, FindingsResult]:
    rows = from_census({name: _file(folder / "fac" / "census" / str(year) / f"{name}.csv") for name in CENSUS_TABLES})
    return rows, build(rows, year)


@cache
def workbooks(folder: Path) -> dict[str, FindingsResult]:
    results = {}
    for report in sorted((folder / "fac" / "workbooks").iterdir()):
        dbkey, year = report.name.split("-")
        header = {
            "report_id": f"20{year}-06-CENSUS-{dbkey.zfill(10)}",
            "audit_year": f"20{year}",
            # No workbook holds it; the sample's own reports are public.
            "is_public": True,
        }
        files = ("findings", "findings_text", "corrective_action_plans")
        rows = from_workbooks(header, {name: _file(report / f"{name}.json") for name in files})
        results[report.name] = build(rows, 2000 + int(year))
    return results


def _tiers(results: list[FindingsResult]) -> tuple[int, int, int]:
    count = Counter(row.tier for result in results for row in result.rows)
    return count["material_weakness"], count["significant_deficiency"], count[None]


@pytest.mark.parametrize("year", CENSUS)
def test_census_tiers_are_those_the_publisher_counts(real_data: Path, year: int) -> None:
    rows, result = census(real_data, year)
    tiers, with_text = CENSUS[year]
    assert rows.malformed == []
    assert _tiers([result]) == tiers
    assert sum(row.text is not None for row in result.rows) == with_text
    assert result.award_rows_in == result.award_rows_grouped
    assert len(result.rows) == result.accepted + sum(result.rejects.values())
    pointers = 1 if year == 2019 else 0
    assert result.rejects.get("text_points_elsewhere", 0) == pointers
    assert result.rejects.get("no_text", 0) == sum(tiers) - with_text


@pytest.mark.parametrize("year", WORKBOOKS)
def test_workbook_tiers_are_those_the_publisher_counts(real_data: Path, year: int) -> None:
    results = [result for name, result in workbooks(real_data).items() if name.endswith(f"-{year - 2000}")]
    assert _tiers(results) == WORKBOOKS[year]


def test_placeholders_and_redacted_texts_are_the_only_workbook_findings_without_text(real_data: Path) -> None:
    rows = [row for result in workbooks(real_data).values() for row in result.rows]
    details = Counter((row.reject_detail or "")[:12] for row in rows if row.reject_reason)
    assert len(rows) == 137
    assert details == {"placeholder:": 13, "redacted as ": 23, "no text was ": 1}
    assert sum(row.award_count for row in rows) == 1084


def test_one_hundred_and_eighty_nine_real_texts_print_their_own_tier(real_data: Path) -> None:
    in_census = sum(row.text_names_tier for year in CENSUS for row in census(real_data, year)[1].rows)
    in_workbooks = sum(row.text_names_tier for result in workbooks(real_data).values() for row in result.rows)
    assert (in_census, in_workbooks) == (71, 118)
    disagreements = sum(census(real_data, year)[1].flag_text_disagreements for year in CENSUS)
    assert disagreements == 2


def test_condition_and_cause_are_cut_from_most_real_texts(real_data: Path) -> None:
    rows = [row for year in CENSUS for row in census(real_data, year)[1].rows]
    rows += [row for result in workbooks(real_data).values() for row in result.rows]
    usable = [row for row in rows if row.reject_reason is None]
    assert len(usable) == 283
    assert sum(row.condition is not None for row in usable) >= 259
    assert sum(row.cause is not None for row in usable) >= 252
    # A cut is a part: it never swallows the recommendation or management's answer.
    for row in usable:
        for part in (row.condition, row.cause):
            assert part is None or "ecommendation:" not in part


def test_no_header_name_survives_in_any_real_text(real_data: Path) -> None:
    masked = 0
    for year in CENSUS:
        rows, result = census(real_data, year)
        assert audits.printed_names(result.rows, rows.reports.records) == []
        assert audits.people_left(result.rows) == []
        masked += result.names_masked
    assert masked >= 250


def test_no_contact_line_of_the_workbooks_keeps_its_person(real_data: Path) -> None:
    rows = [row for result in workbooks(real_data).values() for row in result.rows]
    assert audits.people_left(rows) == []
    texts = " ".join(row.text or "" for row in rows)
    assert texts.count("Contact: [PERSON]") >= 80
    for surname in ("Browne", "Pelotte", "McLucas", "Lopatosky", "Chasse-Johndro", "Bissell"):
        assert surname not in texts


def test_quoted_line_breaks_do_not_split_a_real_row(real_data: Path) -> None:
    body = _file(real_data / "fac" / "census" / "2019" / "ELECFINDINGSTEXT.csv")
    lines = body.decode("utf-8").count("\n")
    rows = list(csv.DictReader(body.decode("utf-8").splitlines(keepends=True)))
    assert lines > 500
    assert len(rows) == 53 == len(census(real_data, 2019)[0].texts.records)
