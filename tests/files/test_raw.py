"""The bytes of sources: files that cannot be read, that are damaged, that are no text; and where rows are found."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.files.relations import rejected, saved

from tidelog.errors import TidelogError
from tidelog.files.raw import damaged, is_utf8, not_utf8, read_bytes, row_places, unreadable


def test_bytes_are_unpacked(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(gzip.compress(b"text"))
    assert read_bytes(tmp_path / "a", is_compressed=True) == b"text"
    assert gzip.decompress(read_bytes(tmp_path / "a", is_compressed=False)) == b"text"


def test_problems_have_codes_and_fixes(tmp_path: Path) -> None:
    with pytest.raises(TidelogError, match="TL060: cannot read"):
        read_bytes(tmp_path / "missing", is_compressed=False)
    (tmp_path / "a").write_bytes(b"no gzip")
    with pytest.raises(TidelogError, match=r"TL083: .* is damaged: not a whole gzip file"):
        read_bytes(tmp_path / "a", is_compressed=True)
    for problem in (unreadable(tmp_path, OSError(2, "No such file")), damaged("a.parquet", "cut off"), not_utf8("a.csv")):
        assert problem.diagnostics[0].fix


def test_the_line_of_a_byte_that_is_no_text() -> None:
    assert "line 3 has a byte" in str(not_utf8("a.csv", b"a\nb\n\xff\n"))
    assert "line" not in not_utf8("a.csv").diagnostics[0].message


def test_rows_are_counted_from_one() -> None:
    assert row_places("a.parquet", is_file=True)([0, 6]) == ["a.parquet, row 1", "a.parquet, row 7"]
    assert row_places("an Arrow table", is_file=False)([1]) == ["row 2"]


def test_bytes_that_are_not_text(tmp_path: Path) -> None:
    code, _, text = rejected(saved(tmp_path, "e.csv", b"a,b\nc,\xff\n"))
    assert code == "TL061"
    assert "line 2 has a byte that cannot be decoded" in text


def test_damaged_gzip(tmp_path: Path) -> None:
    whole = saved(tmp_path, "e.csv.gz", "1,2\n" * 10_000).read_bytes()
    for data in (b"1,2\n", whole[:-10], whole[:20], whole[:30] + b"xxxxx" + whole[35:]):
        path = tmp_path / "d.csv.gz"
        path.write_bytes(data)
        assert rejected(path)[0] == "TL083"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert rejected(tmp_path / "missing.csv")[0] == "TL060"
    assert rejected(tmp_path, format="csv")[0] == "TL060"
    assert rejected(tmp_path / "e.xlsx")[0] == "TL082"
    assert rejected(tmp_path / "e")[0] == "TL082"
    assert rejected(tmp_path / "e.parquet.gz")[0] == "TL082"
    assert rejected(tmp_path / "e.csv", format="paquet")[2].endswith("fix: did you mean `parquet`?")


@pytest.mark.parametrize(
    ("data", "is_text"), [(b"", True), (b"abc", True), ("é".encode(), True), (b"\xff", False), (b"\xc3", False)]
)
def test_what_is_utf8(data: bytes, is_text: bool) -> None:
    for before in (b"", b"a" * (1 << 20), b"a" * ((1 << 20) - 1)):
        assert is_utf8(before + data) is is_text
