"""What the killed processes of the robustness test do: write a table, store documents, append to a log, publish; for ever.

python writers.py FOLDER
"""

import itertools
import sys
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.publication.warehouse import build_warehouse
from benchmark_pipeline.storage import AppendLog, DocumentStore, Lake
from benchmark_pipeline.tables.sources import RawFilingRow

ROWS = 400


def row(number: int, generation: int) -> RawFilingRow:
    return RawFilingRow(
        accession=f"0000000001-24-{number:06d}", cik="0000000001", form="10-K", role="annual", fiscal_year=2023,
        url=f"http://demo.invalid/{generation}", document_name="a.htm", document_type="10-K", sequence=1, sha256="0" * 64,
        size_bytes=generation, http_status=200, headers=None, retrieved_at=datetime(2024, 3, 1, tzinfo=UTC),
        reject_reason=None, reject_detail=None,
    )  # fmt: skip


def body(number: int) -> bytes:
    return f"document {number} ".encode() * 5000


def write(folder: Path, generation: int) -> None:
    lake, store, log = Lake(str(folder)), DocumentStore(str(folder)), AppendLog(folder / "log")
    store.put(body(generation))
    log.append({"generation": generation})
    lake.write("raw_filings", [row(number, generation) for number in range(ROWS)], "2023")
    try:
        build_warehouse(lake, folder / "warehouse.duckdb", lambda path: duckdb.connect(str(path)), "0.1.0")
    except BenchError as error:  # another writer is publishing: that one's is as good
        if "another process" not in error.what:
            raise
    log.close()


if __name__ == "__main__":
    start = int(sys.argv[2])
    print("ready", flush=True)
    for generation in itertools.count(start):
        write(Path(sys.argv[1]), generation)
