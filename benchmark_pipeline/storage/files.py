"""Writing a file so that a reader sees the old one or the new one, never a part.

Local folders: write beside the target, fsync, rename, fsync the folder. Object stores: one put under the final name. A put
(also one of several parts) shows nothing before it is complete, and a reader who has begun keeps the object he began with;
renaming there is a copy and a deletion, so nothing is ever renamed. Two writers of one name leave the later one whole. That
needs no condition on the put: a document's name is its content, and two runs that write one partition of a table are kept
apart by Dagster's pools, which all machines share.
"""

from __future__ import annotations

import os
import uuid
from functools import lru_cache
from pathlib import Path

import fsspec
from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem

from benchmark_pipeline.errors import ConfigurationError

OBJECT_STORES = ("s3", "gs", "az")


def filesystem(root: str) -> tuple[fsspec.AbstractFileSystem, str]:
    """The file system of a root (a folder or an fsspec URL) and the root's path in it.

    Raises:
        ConfigurationError: the root is in an object store, and what speaks to it is not installed.
    """
    if root.startswith(tuple(f"{protocol}://" for protocol in OBJECT_STORES)):
        _speak_to_object_stores()
    fs, path = url_to_fs(root)
    return fs, path.rstrip("/")


@lru_cache(maxsize=1)
def _speak_to_object_stores() -> None:
    # Not s3fs: it needs an older botocore than the one that litellm pins.
    try:
        from obstore.fsspec import register
    except ImportError as error:
        raise ConfigurationError(
            "object stores need the package obstore, which is not installed",
            remedy="pip install -c constraints.txt -e '.[scale]'",
        ) from error
    register(OBJECT_STORES)


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
        fs.pipe_file(path, body)
        return
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_beside(target)
    try:
        temporary.write_bytes(body)
        replace_file(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
