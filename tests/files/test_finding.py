"""Which files of a folder hold the facts of a relation."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidelog.errors import TidelogError
from tidelog.files.finding import find_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("edge.csv", "edge.parquet", "edge.facts.gz", "edge.txt", "edges.csv", "node.csv"):
        (tmp_path / name).touch()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "more.csv").touch()
    (tmp_path / "path.csv").mkdir()
    return tmp_path


def test_by_name(folder: Path) -> None:
    assert [path.name for path in find_files(folder, "edge", [])] == ["edge.csv", "edge.facts.gz", "edge.parquet"]
    assert find_files(str(folder), "node") == [folder / "node.csv"]
    assert find_files(folder, "path", ()) == []
    assert find_files(folder, "http://example.org/edge", ()) == []
    assert find_files(folder, "sub/more", ()) == []


def test_by_input(folder: Path) -> None:
    assert find_files(folder, "edge", ["edges.csv", "sub/more.csv", "edges.csv"]) == [
        folder / "edges.csv",
        folder / "sub" / "more.csv",
    ]


def test_what_is_not_there(folder: Path) -> None:
    with pytest.raises(TidelogError, match=r"error TL060: cannot read .*edegs\.csv: there is no such file[^\n]*\n.*`edges\.csv`"):
        find_files(folder, "edge", ["edegs.csv"])
    with pytest.raises(TidelogError, match=r"error TL060: cannot read .*/none: No such file"):
        find_files(folder / "none", "edge", [])
