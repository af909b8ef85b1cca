"""Which format a file has, by its name or as it is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.files.relations import lists, saved

from tidelog.errors import TidelogError
from tidelog.files.formats import ENDINGS, FileFormat, Format, find_files, format_of
from tidelog.files.reading import read


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("a.csv", None, FileFormat(Format.CSV)),
        ("A.CSV.GZ", None, FileFormat(Format.CSV, True)),
        ("a.b.tsv", None, FileFormat(Format.TSV)),
        ("a.facts.gz", None, FileFormat(Format.FACTS, True)),
        ("a.ndjson", None, FileFormat(Format.JSON_LINES)),
        ("a.feather", None, FileFormat(Format.ARROW)),
        ("a.txt", "csv", FileFormat(Format.CSV)),
        ("a.txt", ".CSV", FileFormat(Format.CSV)),
        ("a.txt.gz", "csv", FileFormat(Format.CSV, True)),
        ("a", "jsonl.gz", FileFormat(Format.JSON_LINES, True)),
        ("a.csv", "parquet", FileFormat(Format.PARQUET)),
    ],
)
def test_format_of(name: str, given: str | None, expected: FileFormat) -> None:
    assert format_of(name, given) == expected
    assert format_of(Path("folder.csv") / name, given) == expected


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("a.xlsx", None, "the ending .xlsx is not known"),
        ("a", None, "its name has no ending"),
        ("a.parquet.gz", None, "is compressed twice"),
        ("a.csv", "paquet", "did you mean `parquet`?"),
        ("a.csv", "zzz", "the known endings are .csv, .tsv"),
    ],
)
def test_formats_that_cannot_be_told(name: str, given: str | None, said: str) -> None:
    with pytest.raises(TidelogError) as caught:
        format_of(name, given)
    assert caught.value.diagnostics[0].code == "TL082"
    assert said in str(caught.value)


def test_names_of_formats() -> None:
    assert [str(format_of(name)) for name in ("a.csv", "a.csv.gz")] == ["csv", "csv.gz"]
    assert ".parquet.gz" not in ENDINGS
    others = {ending: str(known) for ending, known in ENDINGS.items() if ending != f".{known}"}
    assert others == {".ndjson": "jsonl", ".ndjson.gz": "jsonl.gz", ".feather": "arrow"}


def test_format_can_be_said(tmp_path: Path) -> None:
    assert lists(read(saved(tmp_path, "edges.txt", "1\t2\n"), "edge", format="tsv")) == [[1], [2]]
    assert lists(read(saved(tmp_path, "edges.txt.gz", "1\t2\n"), "edge", format="tsv")) == [[1], [2]]
    assert lists(read(saved(tmp_path, "edges.gz", "1\t2\n"), "edge", format=".tsv.gz")) == [[1], [2]]


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
