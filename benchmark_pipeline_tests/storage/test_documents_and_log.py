"""The document store and the append-only log: nothing changes, nothing paid for is lost."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmark_pipeline.errors import CorruptFileError
from benchmark_pipeline.storage import AppendLog, DocumentStore


def test_a_body_is_found_under_its_hash(tmp_path: Path) -> None:
    store = DocumentStore(str(tmp_path))
    sha256 = store.put(b"<html>Item 9A</html>")
    assert sha256 in store
    assert store.get(sha256) == b"<html>Item 9A</html>"


def test_a_second_put_leaves_the_file_alone(tmp_path: Path) -> None:
    store = DocumentStore(str(tmp_path))
    path = Path(store.path(store.put(b"body")))
    os.utime(path, (1, 1))
    store.put(b"body")
    assert path.stat().st_mtime == 1


@pytest.mark.parametrize("damage", [b"", b"not zstd", "other"])
def test_a_damaged_body_is_named(tmp_path: Path, damage: bytes | str) -> None:
    store = DocumentStore(str(tmp_path))
    sha256 = store.put(b"body")
    other = Path(store.path(store.put(b"another body"))).read_bytes()
    Path(store.path(sha256)).write_bytes(other if damage == "other" else damage)  # type: ignore[arg-type]
    with pytest.raises(CorruptFileError, match=sha256):
        store.get(sha256)


def test_a_missing_body_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(CorruptFileError, match="materialize raw_filings again"):
        DocumentStore(str(tmp_path)).get("0" * 64)


def test_records_come_back_in_order_over_several_processes(tmp_path: Path) -> None:
    for number in range(3):
        log = AppendLog(tmp_path)
        log.append({"n": number})
        log.append({"n": number, "again": True})
        log.close()
    assert [record["n"] for record in AppendLog(tmp_path).read()] == [0, 0, 1, 1, 2, 2]


def test_a_line_cut_short_by_a_kill_is_skipped_and_counted(tmp_path: Path) -> None:
    log = AppendLog(tmp_path)
    log.append({"n": 1})
    log.close()
    path = next(tmp_path.glob("*.jsonl"))
    path.write_bytes(path.read_bytes() + b'{"n": 2, "te')
    reader = AppendLog(tmp_path)
    assert [record["n"] for record in reader.read()] == [1]
    assert reader.torn_lines == 1


def test_a_lone_surrogate_does_not_kill_the_log(tmp_path: Path) -> None:
    log = AppendLog(tmp_path)
    log.append({"text": "\ud800"})
    assert next(AppendLog(tmp_path).read())["text"] == "\ud800"


def test_nothing_appended_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from benchmark_pipeline.storage import AppendLog\n"
        "log = AppendLog(Path(sys.argv[1])); n = 0\n"
        "while True:\n    log.append({'n': n}); print(n, flush=True); n += 1\n"
    )
    child = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    seen = [int(child.stdout.readline()) for _ in range(20)]
    child.send_signal(signal.SIGKILL)
    seen += [int(line) for line in child.stdout.read().split()]
    child.wait()
    kept = [record["n"] for record in AppendLog(tmp_path).read()]
    assert kept[: len(seen)] == seen


class _NearlyFullDisk:
    """A file that takes part of a line and then has no space left."""

    def __init__(self, inner: Any, room: int) -> None:
        self._inner, self._room = inner, room

    def write(self, data: Any) -> int:
        if self._room == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = self._inner.write(bytes(data[: self._room]))
        self._room -= taken
        return int(taken)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


@pytest.mark.parametrize("room", [0, 1, 6])
def test_a_record_after_a_write_that_failed_halfway_is_whole(tmp_path: Path, room: int) -> None:
    log = AppendLog(tmp_path)
    log.append({"n": 1})
    log._handle = _NearlyFullDisk(log._handle, room)
    with pytest.raises(OSError, match="No space left"):
        log.append({"n": 2})
    log.append({"n": 3})
    log.close()
    assert [line["n"] for line in log.read()] == [1, 3]
    assert log.torn_lines == (1 if room else 0)
