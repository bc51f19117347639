"""The swap: readers keep what they opened, a killed build leaves nothing behind, a stale log is refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import duckdb
import pytest
from published_corpus import VERSION, Corpus, score

from benchmark_pipeline.errors import BenchError, CorruptFileError
from benchmark_pipeline.publication.warehouse import MADE_VIEWS, VIEW_ORDER
from benchmark_pipeline.resources.warehouse import WarehousePublisher
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables import TABLES

QUERIES = sorted((Path(__file__).parents[2] / "docs" / "queries").glob("*.sql"))


def small(tmp_path: Path, *, flags: int = 1) -> Lake:
    corpus = Corpus()
    rows = [corpus.filing(number, "clean_attested") for number in range(1, 4)]
    corpus.run("vendor/alpha-2026-01-15", flags={row.item_id for row in rows[:flags]})
    return corpus.write(str(tmp_path))


def process(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_every_table_and_view_is_there_with_comments(warehouse: Path) -> None:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        tables = dict(connection.execute("SELECT table_name, comment FROM duckdb_tables()").fetchall())
        views = dict(connection.execute("SELECT view_name, comment FROM duckdb_views() WHERE NOT internal").fetchall())
        bare = connection.execute(
            "SELECT table_name, column_name FROM duckdb_columns() WHERE comment IS NULL AND table_name IN "
            "(SELECT table_name FROM duckdb_tables())"
        ).fetchall()
    assert tables == {name: spec.description for name, spec in TABLES.items()}
    assert set(views) == {*VIEW_ORDER, *MADE_VIEWS} and all(views.values())
    assert bare == []


def test_no_log_and_no_temporary_file_is_left_beside_the_published_file(warehouse: Path) -> None:
    names = {path.name for path in warehouse.parent.glob("*warehouse*")} | {
        path.name for path in warehouse.parent.glob(".*warehouse*")
    }
    assert names == {"warehouse.duckdb", ".warehouse.duckdb.lock"}


def test_an_open_reader_in_another_process_keeps_the_old_state_and_the_next_one_sees_the_new(tmp_path: Path) -> None:
    target = tmp_path / "warehouse.duckdb"
    WarehousePublisher(target, VERSION).publish(small(tmp_path, flags=1))
    reader = process(
        """
        import duckdb, sys
        count = lambda c: c.execute("SELECT k FROM headline").fetchone()[0]
        connection = duckdb.connect(sys.argv[1], read_only=True)
        print(count(connection), flush=True)
        sys.stdin.readline()
        print(count(connection), flush=True)
        connection.close()
        print(count(duckdb.connect(sys.argv[1], read_only=True)), flush=True)
        """,
        target,
    )
    assert reader.stdout is not None
    assert reader.stdout.readline() == "1\n"
    WarehousePublisher(target, VERSION).publish(small(tmp_path, flags=3))
    after, _ = reader.communicate("\n", timeout=60)
    assert after == "1\n3\n" and reader.returncode == 0


def test_a_killed_build_leaves_the_old_file_and_the_next_build_sweeps_up(tmp_path: Path) -> None:
    target = tmp_path / "warehouse.duckdb"
    lake = small(tmp_path, flags=1)
    WarehousePublisher(target, VERSION).publish(lake)
    builder = process(
        """
        import sys, time
        from pathlib import Path
        from benchmark_pipeline import progress
        from benchmark_pipeline.resources.warehouse import WarehousePublisher
        from benchmark_pipeline.storage import Lake

        def hold(what, done, total):
            if done == total // 2:
                print("half way", flush=True)
                time.sleep(60)

        with progress.listening(hold):
            WarehousePublisher(Path(sys.argv[2]), "0.1.0").publish(Lake(sys.argv[1]))
        """,
        tmp_path, target,
    )  # fmt: skip
    assert builder.stdout is not None and builder.stdout.readline() == "half way\n"
    with pytest.raises(BenchError, match="another process is building"):
        WarehousePublisher(target, VERSION).publish(lake)
    os.kill(builder.pid, signal.SIGKILL)
    builder.communicate(timeout=60)
    assert list(tmp_path.glob(".warehouse.duckdb.*.tmp*"))
    with duckdb.connect(str(target), read_only=True) as connection:
        assert connection.execute("SELECT k FROM headline").fetchall() == [(1,)]
    WarehousePublisher(target, VERSION).publish(small(tmp_path, flags=2))
    assert not list(tmp_path.glob(".warehouse.duckdb.*.tmp*"))
    with duckdb.connect(str(target), read_only=True) as connection:
        assert connection.execute("SELECT k FROM headline").fetchall() == [(2,)]


def test_the_log_of_a_killed_writer_is_refused_with_a_remedy(tmp_path: Path) -> None:
    target = tmp_path / "warehouse.duckdb"
    lake = small(tmp_path)
    WarehousePublisher(target, VERSION).publish(lake)
    writer = process(
        """
        import duckdb, os, signal, sys
        connection = duckdb.connect(sys.argv[1])
        connection.execute("CREATE TABLE mine AS SELECT 1 AS x")
        os.kill(os.getpid(), signal.SIGKILL)
        """,
        target,
    )
    writer.communicate(timeout=60)
    assert target.with_name("warehouse.duckdb.wal").exists()
    before = target.read_bytes()
    with pytest.raises(BenchError, match=r"warehouse\.duckdb\.wal") as caught:
        WarehousePublisher(target, VERSION).publish(lake)
    assert caught.value.remedy is not None and "delete" in caught.value.remedy
    assert target.read_bytes() == before


def test_a_lake_file_of_another_schema_fails_the_build_and_keeps_the_old_warehouse(tmp_path: Path) -> None:
    target = tmp_path / "warehouse.duckdb"
    lake = small(tmp_path)
    WarehousePublisher(target, VERSION).publish(lake)
    duckdb.sql("SELECT 1 AS something_else").write_parquet(lake.path("scores"))
    with pytest.raises(CorruptFileError, match="other columns than scores"):
        WarehousePublisher(target, VERSION).publish(lake)
    with duckdb.connect(str(target), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM scores").fetchall() == [(3,)]


def test_a_truncated_lake_file_is_named_with_a_remedy(tmp_path: Path) -> None:
    lake = small(tmp_path)
    file = Path(lake.path("scores"))
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(CorruptFileError, match=r"scores/all\.parquet") as caught:
        WarehousePublisher(tmp_path / "warehouse.duckdb", VERSION).publish(lake)
    assert caught.value.remedy is not None and "materialize scores" in caught.value.remedy


def test_no_view_brings_two_prompt_versions_together(tmp_path: Path) -> None:
    corpus = Corpus()
    rows = [corpus.filing(number, "clean_attested") for number in range(1, 36)]
    corpus.run("v/a-2026-01-01", flags={row.item_id for row in rows[:2]})
    corpus.scores += [score(row, "v/b-2026-01-01", flagged=True, prompt_version="pv2") for row in rows]
    lake = corpus.write(str(tmp_path))
    path = WarehousePublisher(tmp_path / "warehouse.duckdb", VERSION).publish(lake).path
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM model_pairs").fetchall() == [(0,)]
        found = connection.execute("SELECT prompt_version, position, rank_group FROM leaderboard ORDER BY 1").fetchall()
        assert found == [("pv1", 1, 1), ("pv2", 1, 1)]
        answers = connection.execute(
            "SELECT count(*) FROM response_detail WHERE prompt_version = 'pv2' OR model_id LIKE 'v/b%'"
        ).fetchall()
        assert answers == [(0,)]


def test_every_rejected_row_is_in_the_rejects_view(tmp_path: Path) -> None:
    corpus = Corpus()
    corpus.filing(1, "clean_attested")
    bad = corpus.filings[0].model_copy(update={"document_name": "other.htm", "sha256": None, "reject_reason": "not_found",
                                               "reject_detail": "HTTP 404"})  # fmt: skip
    corpus.filings.append(bad)
    corpus.pool[0] = corpus.pool[0].model_copy(update={"decision": "excluded", "reason": "contradicted_E2"})
    path = WarehousePublisher(tmp_path / "warehouse.duckdb", VERSION).publish(corpus.write(str(tmp_path))).path
    with duckdb.connect(str(path), read_only=True) as connection:
        found = connection.execute('SELECT "table", reason, detail FROM rejects ORDER BY 1').fetchall()
    assert found == [
        ("clean_pool", "contradicted_E2", "flag true, opinion located"),
        ("raw_filings", "not_found", "HTTP 404"),
    ]


@pytest.mark.parametrize("query", QUERIES, ids=lambda path: path.stem)
def test_every_documented_query_runs_and_finds_rows(query: Path, warehouse: Path) -> None:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        assert connection.execute(query.read_text(encoding="utf-8")).fetchall()
