"""The lake: what is written is read back, a re-run replaces, a broken file is named."""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark_pipeline.errors import BenchError, CorruptFileError
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.base import Span
from benchmark_pipeline.tables.publication import PublishedFileRow
from benchmark_pipeline.tables.sources import AffectedPeriod, EightK402Row

TABLE = "eight_k_402_index"


def notice(sentence: str = "the year ended December 31, 2023", **changes: object) -> EightK402Row:
    values: dict[str, object] = {
        "accession": "0000900001-24-000001",
        "cik": "0000900001",
        "form": "8-K",
        "fiscal_year": 2024,
        "filed_date": date(2024, 7, 1),
        "event_date": None,
        "channel": "8k_402",
        "limb": "a",
        "concluded_by": "audit_committee",
        "periods": [
            AffectedPeriod(kind="annual", start=date(2023, 1, 1), end=date(2023, 12, 31), source_sentence=sentence)
        ],
        "periods_parsed": True,
        "mw_admitted": False,
        "icfr_reports_withdrawn": False,
        "withdraws_accession": None,
        "spans": [Span(document_sha256="a" * 64, start=3, end=9, quote=sentence)],
        "document_sha256": None,
        "extractor_version": "1",
        "reject_reason": None,
        "reject_detail": None,
    }
    return EightK402Row.model_validate({**values, **changes})


def test_nested_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    rows = [notice(), notice(accession="0000900001-24-000002", periods=[], spans=[])]
    written = lake.write(TABLE, rows, "2024")
    assert written.rows == 2
    assert lake.read(EightK402Row, TABLE) == rows


@settings(max_examples=25, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=80))
def test_any_text_survives_the_lake(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    lake = Lake(str(tmp_path_factory.mktemp("lake")))
    lake.write(TABLE, [notice(text)], "2024")
    assert lake.read(EightK402Row, TABLE)[0].spans[0].quote == text


def test_a_lone_surrogate_is_replaced_and_kills_nothing(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    row = EightK402Row.model_construct(**{**notice().__dict__, "reject_detail": "broken \ud800 text"})
    lake.write(TABLE, [row], "2024")
    assert lake.read(EightK402Row, TABLE)[0].reject_detail == "broken ? text"


def test_an_instant_comes_back_in_utc(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    built = datetime(2025, 6, 30, 12, 5, 6, 7, tzinfo=UTC)
    row = PublishedFileRow(
        path="x", kind="report", dataset_version="1", status="preview", sha256="a" * 64, size_bytes=1, built_at=built
    )
    lake.write("report", [row])
    assert lake.read(PublishedFileRow, "report")[0].built_at == built


def test_a_second_write_replaces_and_never_appends(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    lake.write(TABLE, [notice(), notice(accession="0000900001-24-000002")], "2024")
    lake.write(TABLE, [notice()], "2024")
    assert len(lake.read(EightK402Row, TABLE)) == 1
    assert lake.partitions(TABLE) == ["2024"]


def test_an_empty_partition_keeps_the_schema(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    assert lake.write(TABLE, [], "2022").rows == 0
    assert lake.read(EightK402Row, TABLE) == []


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    digests = set()
    for name in ("one", "two"):
        lake = Lake(str(tmp_path / name))
        rows = [notice(str(i), accession=f"0000900001-24-{i:06d}") for i in range(500)]
        digests.add(hashlib.sha256(Path(lake.write(TABLE, rows, "2024").path).read_bytes()).hexdigest())
    assert len(digests) == 1


def test_a_corrupted_file_is_named_with_its_remedy(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    path = Path(lake.write(TABLE, [notice()], "2024").path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(CorruptFileError, match=r"2024\.parquet.*materialize eight_k_402_index again"):
        lake.read(EightK402Row, TABLE)


def test_a_file_with_other_columns_is_refused(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    lake.write("report", [])
    target = Path(lake.path(TABLE, "2024"))
    target.parent.mkdir(parents=True)
    Path(lake.path("report")).rename(target)
    with pytest.raises(CorruptFileError, match="other columns than EightK402Row"):
        lake.read(EightK402Row, TABLE)


def test_a_missing_partition_says_what_to_materialize(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="materialize eight_k_402_index first"):
        Lake(str(tmp_path)).read(EightK402Row, TABLE, ["2030"])


def test_a_write_that_fails_leaves_the_old_file_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake = Lake(str(tmp_path))
    path = Path(lake.write(TABLE, [notice()], "2024").path)
    before = path.read_bytes()

    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("benchmark_pipeline.storage.lake.replace_file", full_disk)
    with pytest.raises(OSError, match="No space left"):
        lake.write(TABLE, [], "2024")
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == ["2024.parquet"]


def test_rows_of_another_table_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="report takes PublishedFileRow rows, got EightK402Row"):
        Lake(str(tmp_path)).write("report", [notice()])


def test_an_unknown_table_is_an_error_that_lists_the_tables(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="one of: filing_index"):
        Lake(str(tmp_path)).path("filings")


def test_a_table_that_was_just_read_is_read_anew_after_every_change_of_its_file(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    lake.write(TABLE, [notice("first")], "2024")
    first = lake.read(EightK402Row, TABLE)
    assert lake.read(EightK402Row, TABLE) == first
    lake.write(TABLE, [notice("other")], "2024")
    assert [row.spans[0].quote for row in lake.read(EightK402Row, TABLE)] == ["other"]
    Path(lake.path(TABLE, "2024")).write_bytes(b"not parquet")
    with pytest.raises(CorruptFileError):
        lake.read(EightK402Row, TABLE)
    Path(lake.path(TABLE, "2024")).unlink()
    with pytest.raises(BenchError, match="is not in the lake"):
        lake.read(EightK402Row, TABLE, ["2024"])


def test_every_reader_of_a_table_has_a_list_of_its_own(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    lake.write(TABLE, [notice()], "2024")
    lake.read(EightK402Row, TABLE).clear()
    lake.read(EightK402Row, TABLE).clear()
    assert len(lake.read(EightK402Row, TABLE)) == 1


def test_a_condition_is_not_answered_from_an_earlier_whole_read(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    lake.write(TABLE, [notice(), notice(accession="0000900001-24-000002")], "2024")
    assert len(lake.read(EightK402Row, TABLE)) == 2
    where = ("accession = $accession", {"accession": "0000900001-24-000002"})
    assert [row.accession for row in lake.read(EightK402Row, TABLE, where=where)] == ["0000900001-24-000002"]
    assert len(lake.read(EightK402Row, TABLE)) == 2


def test_a_part_of_a_file_that_was_replaced_within_a_moment_is_read_anew(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    where = ("accession = $accession", {"accession": "0000900001-24-000001"})
    for number in range(20):
        lake.write(TABLE, [notice(f"wording {number:02}")], "2024")
        assert [row.spans[0].quote for row in lake.read(EightK402Row, TABLE, where=where)] == [f"wording {number:02}"]
