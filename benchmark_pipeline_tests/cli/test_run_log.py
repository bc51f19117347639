"""The run log on SQLite: quick commits in its own folder, nothing lost by a kill, no trace on other databases."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import dagster as dg
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from benchmark_pipeline.cli.run_log import unhurried_commits

NORMAL, FULL = 1, 2


def synchronous(path: Path) -> int:
    engine = create_engine(f"sqlite:///{path}", poolclass=NullPool)
    with engine.connect() as connection:
        return int(connection.execute(text("PRAGMA synchronous")).scalar_one())


def test_only_databases_below_the_folder_are_committed_without_waiting(tmp_path: Path) -> None:
    inside, outside = tmp_path / "dagster" / "runs.db", tmp_path / "other.db"
    inside.parent.mkdir()
    with unhurried_commits(inside.parent):
        assert synchronous(inside) == NORMAL
        assert synchronous(outside) == FULL
    assert synchronous(inside) == FULL


def test_the_log_is_written_back_when_the_last_user_leaves(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with unhurried_commits(tmp_path):
        engine = create_engine(f"sqlite:///{path}", poolclass=NullPool)
        with engine.begin() as connection:
            connection.execute(text("CREATE TABLE event (number INTEGER)"))
        assert path.with_name("runs.db-wal").exists()
    assert not path.with_name("runs.db-wal").exists()
    with sqlite3.connect(path) as reader:
        assert reader.execute("SELECT name FROM sqlite_master").fetchall() == [("event",)]


def test_a_file_that_another_process_holds_is_taken_when_it_is_free(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("CREATE TABLE event (number INTEGER)")
    holder.execute("BEGIN EXCLUSIVE")
    with unhurried_commits(tmp_path):
        create_engine(f"sqlite:///{path}", poolclass=NullPool).connect().close()
        holder.execute("ROLLBACK")
        assert synchronous(path) == NORMAL
    holder.close()


KILLED = """
import os, signal, sys
from pathlib import Path
import dagster as dg
from benchmark_pipeline.cli.run_log import unhurried_commits

@dg.op
def work(context):
    for number in range(20):
        context.log.info(f"event {number}")
    os.kill(os.getpid(), signal.SIGKILL)

@dg.job
def job():
    work()

home = Path(sys.argv[1])
with unhurried_commits(home), dg.DagsterInstance.local_temp(str(home)) as instance:
    job.execute_in_process(instance=instance)
"""


def test_a_killed_run_loses_no_event_of_its_log(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        (run,) = instance.get_runs()
        messages = [entry.user_message for entry in instance.all_logs(run.run_id)]
    assert [message for message in messages if message.startswith("event ")] == [f"event {n}" for n in range(20)]
