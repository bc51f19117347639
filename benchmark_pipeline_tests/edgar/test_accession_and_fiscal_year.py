from __future__ import annotations

import itertools
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark_pipeline.edgar.accession import (
    accession_number,
    accession_of_path,
    document_path,
    full_submission_path,
    index_headers_path,
    padded_cik,
    submitter_cik,
)
from benchmark_pipeline.edgar.fiscal_year import (
    Quarter,
    fiscal_year_of,
    index_quarters,
    partition_fiscal_year,
    quarter_of,
)

PARTS = st.tuples(st.integers(0, 10**10 - 1), st.integers(0, 99), st.integers(0, 10**6 - 1))


@given(PARTS)
def test_both_spellings_are_one_accession(parts: tuple[int, int, int]) -> None:
    dashed = f"{parts[0]:010}-{parts[1]:02}-{parts[2]:06}"
    assert accession_number(dashed) == accession_number(dashed.replace("-", "")) == dashed


@given(st.text())
def test_any_other_text_is_refused_or_has_the_one_form(text: str) -> None:
    try:
        result = accession_number(text)
    except ValueError:
        return
    assert result.replace("-", "") == text.replace("-", "")
    assert result.isascii()


@pytest.mark.parametrize("text", ["", "1-2-3", "0000320193-24-00012", " 0000320193-24-000123", "٠٠٠٠٣٢٠١٩٣-24-000123"])
def test_what_only_looks_like_an_accession_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not an accession number"):
        accession_number(text)


def test_paths_of_a_real_filing() -> None:
    cik, accession = "0000320193", "0000320193-24-000123"
    folder = "/Archives/edgar/data/320193/000032019324000123"
    assert document_path(cik, accession, "aapl-20240928.htm") == f"{folder}/aapl-20240928.htm"
    assert index_headers_path(cik, accession) == f"{folder}/{accession}-index-headers.html"
    assert full_submission_path(cik, accession) == f"/Archives/edgar/data/320193/{accession}.txt"
    assert accession_of_path(f"edgar/data/320193/{accession}.txt") == accession
    assert submitter_cik("0001193125-24-152391") == "0001193125"


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "..", ".", "a/b.htm", "a\\b.htm", "a\x00.htm", "", " a.htm", "a?b", "a#b", "a%2e", "ä"]
)
def test_no_document_name_leaves_the_folder(name: str) -> None:
    with pytest.raises(ValueError, match="not a document name"):
        document_path("320193", "0000320193-24-000123", name)


@pytest.mark.parametrize("value", ["0", "", "12345678901", "-1", "12a", "０"])
def test_what_is_no_cik_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match="not a CIK"):
        padded_cik(value)


@pytest.mark.parametrize(
    ("form", "period", "filed", "year"),
    [
        ("10-K", date(2024, 9, 28), date(2024, 11, 1), 2024),
        ("10-K", date(2023, 12, 31), date(2024, 2, 20), 2023),
        ("10-K", date(2024, 2, 2), date(2024, 3, 25), 2023),
        ("10-K/A", date(2024, 1, 28), date(2025, 9, 1), 2023),
        ("10-K", date(2024, 5, 31), date(2024, 7, 25), 2023),
        ("10-K", date(2024, 6, 1), date(2024, 7, 25), 2024),
        ("20-F", date(2024, 3, 31), date(2024, 6, 30), 2023),
        ("10-K", None, date(2024, 2, 20), 2023),
        ("8-K", date(2023, 12, 30), date(2024, 6, 1), 2024),
        ("10-Q", date(2024, 3, 31), date(2024, 5, 10), 2023),
        ("10-K405", date(2024, 9, 30), date(2024, 3, 1), 2023),
    ],
)
def test_partition_of_a_filing(form: str, period: date | None, filed: date, year: int) -> None:
    assert partition_fiscal_year(form, period, filed) == year


@given(st.dates(date(1990, 1, 1), date(2100, 1, 1)))
def test_the_fiscal_year_is_the_calendar_year_five_months_earlier(day: date) -> None:
    months = day.year * 12 + day.month - 1 - 5
    assert fiscal_year_of(day) == months // 12


@given(st.integers(1994, 2060), st.dates(date(1994, 1, 1), date(2070, 1, 1)))
def test_index_quarters_are_gapless_and_end_by_the_snapshot(year: int, as_of: date) -> None:
    quarters = index_quarters(year, as_of)
    assert all(later == earlier.following for earlier, later in itertools.pairwise(quarters))
    assert all(quarter.first_day <= as_of for quarter in quarters)
    if as_of >= date(year + 1, 12, 31):
        assert quarter_of(date(year, 6, 1)) == quarters[0]
        assert quarters[-1] == quarter_of(min(as_of, date(year + 2, 12, 31)))


def test_path_of_a_quarterly_index() -> None:
    assert Quarter(2025, 4).following == Quarter(2026, 1)
    assert Quarter(2025, 1).master_index_path == "/Archives/edgar/full-index/2025/QTR1/master.idx"
