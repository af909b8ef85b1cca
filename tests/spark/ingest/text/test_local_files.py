"""Files that the workers read by themselves: every line once, whatever the parts are."""

from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog.spark.ingest.sources import File, Files, Format
from tidelog.spark.ingest.text import local_files
from tidelog.spark.ingest.text.local_files import Part, is_here, lines_of_shares, read_part, shares


def files_of(*paths: Path, is_compressed: bool = False) -> Files:
    found = {at: File(str(path), f"file:{path}", path.stat().st_size) for at, path in enumerate(paths)}
    return Files("folder", Format.N_TRIPLES, is_compressed, found)


def tasks(count: int) -> list[pa.RecordBatch]:
    return [pa.RecordBatch.from_arrays([pa.array([at])], ["id"]) for at in range(count)]


@given(texts=st.lists(st.sampled_from(["", "a", "bb", "a longer line", "é"]), max_size=8), size=st.integers(1, 40))
def test_each_line_belongs_to_one_part(tmp_path_factory: pytest.TempPathFactory, texts: list[str], size: int) -> None:
    data = "\n".join(texts).encode()
    path = tmp_path_factory.mktemp("parts") / "a.nt"
    path.write_bytes(data)
    bounds = [*range(0, len(data), size), len(data)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(local_files, "_TAIL", 3)
        parts = [read_part(str(path), begin, end) for begin, end in pairwise(bounds)]
    assert b"".join(parts) == data
    assert all(part.endswith(b"\n") for part in parts[:-1] if part and part is not next(filter(None, reversed(parts))))


def test_shares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_files, "_LARGEST", 100)
    monkeypatch.setattr(local_files, "_SMALLEST", 30)
    for name, size in (("a", 10), ("b", 25), ("c", 250), ("d", 5)):
        (tmp_path / name).write_bytes(b"\n" * size)
    files = files_of(*(tmp_path / name for name in "abcd"))
    found = shares(files, 10)
    whole = [[(part.file, part.begin, part.end) for part in share] for share in found]
    assert whole == [[(0, 0, None), (1, 0, None)], [(2, 0, 83)], [(2, 83, 166)], [(2, 166, 250)], [(3, 0, None)]]
    assert [len(share) for share in shares(files_of(tmp_path / "c", is_compressed=True), 8)] == [1]
    assert is_here(files)
    assert not is_here(Files("x", Format.N_TRIPLES, False, {0: File("hdfs://x/a", "hdfs://x/a", 1)}))


def test_lines_know_their_numbers_in_whole_files(tmp_path: Path) -> None:
    text = "\ufeffone\n\ntwo\r\nthree"
    (tmp_path / "a.nt").write_text(text, encoding="utf-8", newline="")
    (tmp_path / "b.nt.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "c.nt.gz").write_bytes(gzip.compress(text.encode())[:-4])
    for path in (tmp_path / "a.nt", tmp_path / "b.nt.gz"):
        files = files_of(path, is_compressed=path.suffix == ".gz")
        (lines,) = lines_of_shares(iter(tasks(1)), shares(files, 2), is_compressed=files.is_compressed)
        assert lines.texts.to_pylist() == ["one", "two\r", "three"]
        assert lines.numbers is not None
        assert lines.numbers.tolist() == [1, 3, 4]
        assert lines.firsts.tolist() == [True, False, False]
    (broken,) = lines_of_shares(iter(tasks(1)), [(Part(5, str(tmp_path / "c.nt.gz"), 0, None),)], is_compressed=True)
    assert "not a whole gzip file" in broken.rejected[0][1]
    size = len(text.encode())
    parts = [(Part(0, str(tmp_path / "a.nt"), 0, 7),), (Part(0, str(tmp_path / "a.nt"), 7, size),)]
    found = list(lines_of_shares(iter(tasks(2)), parts, is_compressed=False))
    assert [lines.texts.to_pylist() for lines in found] == [["one"], ["two\r", "three"]]
    assert [lines.numbers for lines in found] == [None, None]
    assert np.concatenate([lines.firsts for lines in found]).tolist() == [True, False, False]
