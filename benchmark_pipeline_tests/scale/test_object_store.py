"""Lake and document store in an object store: the same bytes, the same rows, the same errors as in a folder."""

import pickle  # noqa: TID251 - to send a store to another process, as multiprocessing does
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from servers import object_store

from benchmark_pipeline.errors import BenchError, ConfigurationError, CorruptFileError
from benchmark_pipeline.publication.warehouse import build_warehouse
from benchmark_pipeline.storage import DocumentStore, Lake, files
from benchmark_pipeline.tables.evaluation import PromptTemplateRow
from benchmark_pipeline.tables.sources import RawFilingRow

ROOT = "s3://icfr/some/prefix"


def row(number: int, year: int = 2023) -> RawFilingRow:
    return RawFilingRow(
        accession=f"0000000001-24-{number:06d}", cik="0000000001", form="10-K", role="annual", fiscal_year=year,
        url="http://demo.invalid/x", document_name="a.htm", document_type="10-K", sequence=1, sha256="0" * 64,
        size_bytes=7, http_status=200, headers=None, retrieved_at=datetime(2024, 3, 1, tzinfo=UTC),
        reject_reason=None, reject_detail=None,
    )  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch, object_store(tmp_path_factory.mktemp("s3")) as environment:
        for name, value in environment.items():
            patch.setenv(name, value)
        yield


pytestmark = pytest.mark.slow


@pytest.mark.usefixtures("store")
def test_a_table_is_the_same_bytes_and_rows_in_a_bucket_as_in_a_folder(tmp_path: Path) -> None:
    far, near = Lake(ROOT), Lake(str(tmp_path))
    rows = [row(number) for number in range(100)]
    written = far.write("raw_filings", rows, "2023")
    assert written.sha256 == near.write("raw_filings", rows, "2023").sha256
    assert far.sha256("raw_filings", "2023") == written.sha256
    far.write("raw_filings", [row(500, 2024)], "2024")
    assert far.partitions("raw_filings") == ["2023", "2024"]
    assert far.read(RawFilingRow, "raw_filings", ["2023"]) == rows
    assert far.query("SELECT count(*) FROM raw_filings", {}, tables=["raw_filings"]) == [(101,)]
    # A second write replaces; it neither appends nor leaves the first behind.
    far.write("raw_filings", rows[:3], "2023")
    assert far.read(RawFilingRow, "raw_filings", ["2023"]) == rows[:3]


@pytest.mark.usefixtures("store")
def test_what_is_absent_or_corrupt_is_said_as_for_a_folder() -> None:
    lake = Lake(ROOT)
    assert lake.partitions("scores") == []
    assert lake.sha256("scores") is None
    with pytest.raises(BenchError, match="is not in the lake"):
        lake.read(PromptTemplateRow, "prompt_templates", ["all"])
    fs, _ = files.filesystem(ROOT)
    fs.pipe_file(lake.path("prompt_templates"), b"no parquet")
    with pytest.raises(CorruptFileError, match="cannot be read"):
        lake.read(PromptTemplateRow, "prompt_templates")
    fs.rm_file(lake.path("prompt_templates"))


@pytest.mark.usefixtures("store")
def test_documents_are_kept_once_and_found_by_another_process(tmp_path: Path) -> None:
    far, near = DocumentStore(ROOT), DocumentStore(str(tmp_path))
    body = b"<html>Item 9A</html>" * 1000
    sha256 = far.put(body)
    assert sha256 == near.put(body) == far.put(body)
    assert sha256 in far
    assert "f" * 64 not in far
    assert pickle.loads(pickle.dumps(far)).get(sha256) == body
    large = bytes(range(256)) * 60_000  # more than one part of an upload
    assert far.get(far.put(large)) == large
    fs, _ = files.filesystem(ROOT)
    assert fs.cat_file(far.path(sha256)) == Path(near.path(sha256)).read_bytes()
    fs.pipe_file(far.path(sha256), b"damaged")
    with pytest.raises(CorruptFileError, match="cannot be decompressed"):
        far.get(sha256)


@pytest.mark.usefixtures("store")
def test_the_warehouse_is_built_from_a_bucket(tmp_path: Path) -> None:
    lake = Lake("s3://icfr/warehouse")
    lake.write("raw_filings", [row(1), row(2)], "2023")
    built = build_warehouse(lake, tmp_path / "warehouse.duckdb", lambda path: duckdb.connect(str(path)), "0.1.0")
    assert built.rows["raw_filings"] == 2


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore.fsspec", None)
    files._speak_to_object_stores.cache_clear()
    with pytest.raises(ConfigurationError, match="obstore"):
        Lake(ROOT)
    files._speak_to_object_stores.cache_clear()
