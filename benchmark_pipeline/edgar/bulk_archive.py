"""Reads single members of a large ZIP archive from disk, in memory that does not grow with the archive.

The nightly archive of all submissions has about a million members. The standard library keeps an object for each, some
600 MB in all; here the central directory is walked in pieces, and of its entries only the wanted ones are kept. Nothing is
ever unpacked to disk, and no member's name is ever used as a path.

Layout: APPNOTE.TXT 6.3.10 (PKWARE), sections 4.3.7 (local header), 4.3.12 (central directory), 4.3.14 and 4.3.16 (its
end, with and without ZIP64).
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

MAX_MEMBER_BYTES = 256 * 1024 * 1024
"""A member that claims or turns out to be larger is no list of filings."""
_PIECE = 1024 * 1024
_END = struct.Struct("<4s4H2LH")
_END64_LOCATOR = struct.Struct("<4sLQL")
_END64 = struct.Struct("<4sQ2H2L4Q")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_LONG = 0xFFFFFFFF
_STORED, _DEFLATED, _ENCRYPTED = 0, 8, 1


class BadArchive(ValueError):
    """The file is no ZIP archive, or is damaged."""


@dataclass(frozen=True, slots=True)
class Member:
    """Where one member lies in the archive."""

    name: str
    offset: int
    packed_bytes: int
    size_bytes: int
    crc32: int
    method: int


class BulkArchive:
    """An archive open for reading; use it as a context manager.

    Raises:
        BadArchive: the file does not end as an archive does, which a download cut short shows.
    """

    def __init__(self, path: Path) -> None:
        self._file: BinaryIO = path.open("rb")
        try:
            self.count, self._directory, self._directory_bytes = self._find_directory()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> BulkArchive:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def members(self, wanted: Callable[[str], bool]) -> Iterator[Member]:
        """The entries whose names are wanted, in the order of the central directory.

        Raises:
            BadArchive: the directory is damaged.
        """
        buffer, at, left, seen = b"", self._directory, self._directory_bytes, 0
        while seen < self.count:
            needed = self._entry_length(buffer)
            if len(buffer) < needed:
                self._file.seek(at)
                piece = self._file.read(min(max(_PIECE, needed), left))
                if not piece:
                    raise BadArchive(f"the directory ends after {seen} of {self.count} members")
                buffer, at, left = buffer + piece, at + len(piece), left - len(piece)
                continue
            start = 0
            while seen < self.count and len(buffer) - start >= (length := self._entry_length(buffer, start)):
                member = _member(buffer[start : start + length])
                start, seen = start + length, seen + 1
                if member is not None and wanted(member.name):
                    yield member
            buffer = buffer[start:]

    def read(self, member: Member) -> bytes:
        """The member's content.

        Raises:
            BadArchive: it is damaged, encrypted, or larger than it says or than `MAX_MEMBER_BYTES`.
        """
        if member.size_bytes > MAX_MEMBER_BYTES or member.packed_bytes > MAX_MEMBER_BYTES:
            raise BadArchive(f"{member.name[:80]!r} is too large: {member.size_bytes} bytes")
        self._file.seek(member.offset)
        head = self._file.read(_LOCAL.size)
        if len(head) < _LOCAL.size or head[:4] != b"PK\x03\x04":
            raise BadArchive(f"{member.name[:80]!r} is not where the directory says")
        *_, name_bytes, extra_bytes = _LOCAL.unpack(head)
        self._file.seek(name_bytes + extra_bytes, os.SEEK_CUR)
        packed = self._file.read(member.packed_bytes)
        try:
            body = _unpacked(packed, member)
        except zlib.error as error:
            raise BadArchive(f"{member.name[:80]!r} cannot be unpacked: {error}") from error
        if len(body) != member.size_bytes or zlib.crc32(body) != member.crc32:
            raise BadArchive(f"{member.name[:80]!r} is damaged")
        return body

    @staticmethod
    def _entry_length(buffer: bytes, start: int = 0) -> int:
        if len(buffer) - start < _ENTRY.size:
            return _ENTRY.size
        if buffer[start : start + 4] != b"PK\x01\x02":
            raise BadArchive("the directory is damaged")
        name, extra, comment = struct.unpack_from("<3H", buffer, start + 28)
        return int(_ENTRY.size + name + extra + comment)

    def _find_directory(self) -> tuple[int, int, int]:
        """Number of members, offset and length of the central directory."""
        size = self._file.seek(0, os.SEEK_END)
        begin = max(0, size - _END.size - 0xFFFF - _END64_LOCATOR.size)
        self._file.seek(begin)
        tail = self._file.read()
        at = tail.rfind(b"PK\x05\x06")
        if at < 0 or len(tail) - at < _END.size:
            raise BadArchive("not a ZIP archive, or cut short")
        _, _, _, _, count, length, offset, _ = _END.unpack_from(tail, at)
        locator = at - _END64_LOCATOR.size
        if locator >= 0 and tail[locator : locator + 4] == b"PK\x06\x07":
            _, _, where, _ = _END64_LOCATOR.unpack_from(tail, locator)
            self._file.seek(where)
            record = self._file.read(_END64.size)
            if len(record) < _END64.size or record[:4] != b"PK\x06\x06":
                raise BadArchive("the ZIP64 end of the directory is damaged")
            *_, count, length, offset = _END64.unpack(record)
        if offset + length > size:
            raise BadArchive("the directory lies outside the file")
        return int(count), int(offset), int(length)


def _member(entry: bytes) -> Member | None:
    """One entry; null for one that cannot be a list of filings (encrypted, or packed in another way)."""
    _, _, _, flags, method, _, _, crc, packed, size, name_bytes, extra_bytes, _, _, _, _, offset = _ENTRY.unpack_from(
        entry
    )
    name = entry[_ENTRY.size : _ENTRY.size + name_bytes].decode("utf-8", "replace")
    extra = entry[_ENTRY.size + name_bytes : _ENTRY.size + name_bytes + extra_bytes]
    if flags & _ENCRYPTED or method not in (_STORED, _DEFLATED):
        return None
    long = _zip64_values(extra)
    try:
        size = next(long) if size == _LONG else size
        packed = next(long) if packed == _LONG else packed
        offset = next(long) if offset == _LONG else offset
    except StopIteration:
        raise BadArchive(f"{name[:80]!r} lacks its ZIP64 sizes") from None
    return Member(name, offset, packed, size, crc, method)


def _zip64_values(extra: bytes) -> Iterator[int]:
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        if kind == 1:
            for start in range(at + 4, min(at + 4 + length, len(extra)) - 7, 8):
                yield struct.unpack_from("<Q", extra, start)[0]
        at += 4 + length


def _unpacked(packed: bytes, member: Member) -> bytes:
    if member.method == _STORED:
        return packed
    decoder = zlib.decompressobj(-15)
    # One byte more than stated: a member that goes on is caught without unpacking the rest of it.
    return decoder.decompress(packed, member.size_bytes + 1)
