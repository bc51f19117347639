"""Writing a file so that a reader sees the old one or the new one, never a part.

Local folders: write beside the target, fsync, rename, fsync the folder. Object stores: one put, which is atomic there.
"""

from __future__ import annotations

import os
import uuid
from pathlib import Path

import fsspec
from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem


def filesystem(root: str) -> tuple[fsspec.AbstractFileSystem, str]:
    """The file system of a root (a folder or an fsspec URL) and the root's path in it."""
    fs, path = url_to_fs(root)
    return fs, path.rstrip("/")


def is_local(fs: fsspec.AbstractFileSystem) -> bool:
    """Whether files of this file system can be renamed and opened by path."""
    return isinstance(fs, LocalFileSystem)


def replace_file(temporary: Path, target: Path) -> None:
    """Moves a finished file over its target, durably."""
    with temporary.open("rb") as handle:
        os.fsync(handle.fileno())
    temporary.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def temporary_beside(target: Path) -> Path:
    """A name in the target's folder that no reader looks at."""
    return target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.tmp")


def write_bytes(fs: fsspec.AbstractFileSystem, path: str, body: bytes) -> None:
    """Writes a whole file; a failure (a full disk, a kill) leaves the old state."""
    if not is_local(fs):
        with fs.open(path, "wb") as handle:
            handle.write(body)
        return
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_beside(target)
    try:
        temporary.write_bytes(body)
        replace_file(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
