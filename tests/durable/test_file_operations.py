"""File operations: checksums by block, and the place of damage."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog import TidelogError
from tidelog.durable import file_operations
from tidelog.durable.file_operations import ChecksummedFile, FileOperations, WrittenFile, read_checked


@given(st.lists(st.binary(max_size=30), max_size=8))
def test_checksums_do_not_depend_on_how_a_file_is_written(pieces: list[bytes]) -> None:
    import io

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_operations, "BLOCK", 16)
        inner = io.BytesIO()
        file = ChecksummedFile(inner)
        for piece in pieces:
            assert file.write(piece) == len(piece)
    whole = b"".join(pieces)
    assert inner.getvalue() == whole
    assert file.checksums == [zlib.crc32(whole[at : at + 16]) for at in range(0, len(whole), 16)]
    assert file.tell() == len(whole)


def written(folder: Path, data: bytes) -> WrittenFile:
    files = FileOperations()
    with files.open(folder / "file") as file:
        sink = ChecksummedFile(file)
        sink.write(data)
        files.sync_file(file, folder / "file")
    files.sync_folder(folder)
    found = WrittenFile("file", sink.size, tuple(sink.checksums))
    assert WrittenFile.from_json(found.to_json()) == found
    return found


@pytest.mark.parametrize("size", [0, 1, 16, 17, 64])
def test_every_flipped_bit_is_found_with_the_place_of_its_block(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_operations, "BLOCK", 16)
    data = bytes(range(size))
    file = written(tmp_path, data)
    assert bytes(read_checked(tmp_path, file)) == data
    for at in range(8 * size):
        broken = bytearray(data)
        broken[at // 8] ^= 1 << at % 8
        (tmp_path / "file").write_bytes(broken)
        with pytest.raises(TidelogError, match=rf"TL062.*file is damaged at byte {at // 128 * 16}: the bytes"):
            read_checked(tmp_path, file)


def test_a_truncated_file_and_a_missing_one(tmp_path: Path) -> None:
    file = written(tmp_path, b"0123456789")
    (tmp_path / "file").write_bytes(b"01234")
    with pytest.raises(TidelogError, match=r"TL062.*damaged at byte 5: it has 5 bytes, and 10 were written"):
        read_checked(tmp_path, file)
    FileOperations().remove_file(tmp_path / "file")
    with pytest.raises(TidelogError, match=r"TL062.*it is missing"):
        read_checked(tmp_path, file)
