"""Rows of small lake files that were just read: a stage and its checks read the same tables one after another."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from benchmark_pipeline.tables import Row

LARGEST_FILE_BYTES = 1024 * 1024
FILES_KEPT = 64

R = TypeVar("R", bound=Row)


@dataclass(frozen=True)
class FileState:
    """What tells one state of a file from the next."""

    inode: int
    modified_ns: int
    size: int

    @classmethod
    def of(cls, path: str) -> FileState:
        """The present state of a file."""
        found = Path(path).stat()
        return cls(found.st_ino, found.st_mtime_ns, found.st_size)


@dataclass(frozen=True)
class _Read:
    state: FileState
    rows: list[Any]


class RecentFiles:
    """The rows of the last small files read, each for as long as its file is the same one.

    A lake file is replaced as a whole, so a new state is a new inode: a rewritten, damaged or deleted file is never
    answered from memory. Rows are frozen, and every reader gets a list of its own.
    """

    def __init__(self) -> None:
        self._files: OrderedDict[tuple[str, type[Row]], _Read] = OrderedDict()

    def get(self, path: str, model: type[R]) -> list[R] | None:
        """The rows of this file if it was read in its present state, otherwise None."""
        found = self._files.get((path, model))
        if found is None or found.state != FileState.of(path):
            return None
        self._files.move_to_end((path, model))
        return list(found.rows)

    def keep(self, path: str, model: type[R], rows: list[R], state: FileState) -> None:
        """Remembers the rows of a file whose state was taken before it was read; large files are not kept."""
        if state.size > LARGEST_FILE_BYTES:
            return
        self._files[path, model] = _Read(state, list(rows))
        while len(self._files) > FILES_KEPT:
            self._files.popitem(last=False)
