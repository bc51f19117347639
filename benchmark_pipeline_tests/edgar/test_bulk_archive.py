"""Members of a large archive are read one by one, and a damaged archive is told as such."""

from __future__ import annotations

import contextlib
import io
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark_pipeline.edgar import bulk_archive
from benchmark_pipeline.edgar.bulk_archive import BadArchive, BulkArchive


def archive(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED, comment: bytes = b"") -> Path:
    with zipfile.ZipFile(path, "w", method) as packed:
        for name, body in members.items():
            packed.writestr(name, body)
        packed.comment = comment
    return path


def contents(path: Path) -> dict[str, bytes]:
    with BulkArchive(path) as opened:
        return {member.name: opened.read(member) for member in opened.members(lambda _: True)}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_are_what_was_packed(tmp_path: Path, method: int) -> None:
    members = {f"CIK{number:010}.json": b'{"n": %d}' % number * 50 for number in range(3000)}
    path = archive(tmp_path / "a.zip", members, method, comment=b"nightly")
    assert contents(path) == members
    with BulkArchive(path) as opened:
        assert opened.count == 3000
        assert [one.name for one in opened.members(lambda name: name == "CIK0000000007.json")] == ["CIK0000000007.json"]


@pytest.mark.slow
def test_an_archive_with_more_members_than_sixteen_bits_count_is_read(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.zip", {f"{number}.json": b"{}" for number in range(66_000)}, zipfile.ZIP_STORED)
    with BulkArchive(path) as opened:
        assert opened.count == 66_000
        (last,) = opened.members(lambda name: name == "65999.json")
        assert opened.read(last) == b"{}"


def test_sizes_and_offset_beyond_four_gigabytes_are_read_from_the_zip64_field() -> None:
    extra = struct.pack("<2H3Q", 1, 24, 5_000_000_000, 4_900_000_000, 6_000_000_000)
    entry = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 45, 45, 0, 8, 0, 0, 7, 0xFFFFFFFF, 0xFFFFFFFF, 1, len(extra), 0, 0, 0, 0, 0xFFFFFFFF)  # fmt: skip
    member = bulk_archive._member(entry + b"a" + extra)
    assert member is not None
    assert (member.size_bytes, member.packed_bytes, member.offset) == (5_000_000_000, 4_900_000_000, 6_000_000_000)


@pytest.mark.parametrize("cut", [1, 30, 200, 5000])
def test_an_archive_cut_short_is_no_archive(tmp_path: Path, cut: int) -> None:
    path = archive(tmp_path / "a.zip", {f"{number}.json": b"x" * number for number in range(300)})
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(BadArchive):
        contents(path)


def test_a_changed_byte_in_a_member_is_found_by_its_checksum(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.zip", {"a.json": b"0123456789" * 10}, zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"0123456789", b"0123456780", 1))
    with pytest.raises(BadArchive, match="damaged"):
        contents(path)


def test_a_member_that_unpacks_to_more_than_it_says_is_not_unpacked(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.zip", {"a.json": b"0" * 1_000_000})
    with BulkArchive(path) as opened:
        (member,) = opened.members(lambda _: True)
        small = bulk_archive.Member(member.name, member.offset, member.packed_bytes, 10, member.crc32, member.method)
        with pytest.raises(BadArchive, match="damaged"):
            opened.read(small)
        huge = bulk_archive.Member("a", 0, 10, bulk_archive.MAX_MEMBER_BYTES + 1, 0, 8)
        with pytest.raises(BadArchive, match="too large"):
            opened.read(huge)


def test_names_that_point_elsewhere_are_only_names(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.zip", {"../../escape.json": b"{}", "/etc/absolute.json": b"{}"})
    before = set(tmp_path.rglob("*"))
    assert set(contents(path)) == {"../../escape.json", "/etc/absolute.json"}
    assert set(tmp_path.rglob("*")) == before


@given(junk=st.binary(max_size=400), place=st.integers(0, 300))
def test_any_damage_is_a_bad_archive_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, place: int
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        made.writestr("CIK0000000001.json", b"{}" * 20)
    body = bytearray(packed.getvalue())
    body[place : place + len(junk)] = junk
    path = tmp_path_factory.getbasetemp() / "damaged.zip"
    path.write_bytes(bytes(body))
    with contextlib.suppress(BadArchive):
        contents(path)
