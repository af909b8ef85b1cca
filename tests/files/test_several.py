"""Folders and patterns: which files they are, and their rows as one source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tidelog import KnowledgeBase, TidelogError
from tidelog.files.several import paths_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "edges"
    made.mkdir()
    return made


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        stem, _, ending = name.rpartition("_")
        (folder / f"{stem}.{ending}").write_text(text, encoding="utf-8")


def edges(source: Any, rules: str = "", **how: Any) -> set[tuple[Any, ...]]:
    kb = KnowledgeBase(rules)
    kb.load("edge", source, **how)
    return set(kb["edge"])


def test_a_folder_has_its_files_in_order_and_no_hidden_ones(folder: Path) -> None:
    write(folder, b_csv="3,4\n", a_csv="1,2\n", notes_txt="nothing\n")
    write(folder, **{"._csv": "x\n", "_SUCCESS_csv": "x\n"})
    (folder / "inner").mkdir()
    assert paths_of(folder, None) == [folder / "a.csv", folder / "b.csv"]
    kb = KnowledgeBase()
    report = kb.load("edge", folder)
    assert set(kb["edge"]) == {(1, 2), (3, 4)}
    assert report.rows == 2
    assert report.description == f"edge: 2 rows from {folder} (2 files, csv, no header; columns: int, int, inferred)"
    assert kb.loads == [report]


def test_patterns(folder: Path) -> None:
    write(folder, a_csv="1,2\n", b_csv="3,4\n", c_tsv="5\t6\n")
    (folder / "inner").mkdir()
    write(folder / "inner", d_csv="7,8\n")
    assert edges(f"{folder}/*.csv") == {(1, 2), (3, 4)}
    assert edges(f"{folder}/[b-c].csv") == {(3, 4)}
    assert edges(f"{folder}/**/*.csv") == {(1, 2), (3, 4), (7, 8)}


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(folder: Path) -> None:
    write(folder, **{"[ab]_csv": "1,2\n", "a_csv": "3,4\n"})
    assert edges(folder / "[ab].csv") == {(1, 2)}


def test_types_are_found_over_all_files(folder: Path) -> None:
    write(folder, a_csv="1,2\n", b_csv="x,4\n")
    assert edges(folder) == {("1", 2), ("x", 4)}


def test_a_header_that_one_file_shows_is_known_in_the_others(folder: Path) -> None:
    write(folder, a_csv="src,dst\n", b_csv="src,dst\na,1\n", c_csv="src,dst\nb,2\n")
    kb = KnowledgeBase()
    kb.load("edge", folder)
    assert set(kb["edge"]) == {("a", 1), ("b", 2)}
    assert kb["edge"].columns == ("src", "dst")
    write(folder, d_csv="c,x\n")
    with pytest.raises(TidelogError, match=r"TL081: .*d\.csv has no header, and other files have one: src, dst"):
        edges(folder)


def test_columns_by_name_in_another_order(folder: Path) -> None:
    write(folder, a_csv="src,dst\na,1\n", b_csv="dst,src\n2,b\n")
    assert edges(folder) == {("a", 1), ("b", 2)}
    assert edges(folder, "@relation edge(dst: int, src: string) .") == {(1, "a"), (2, "b")}
    assert edges(folder, columns={"dst": "x", "src": "y"}) == {(1, "a"), (2, "b")}


def test_other_columns_are_an_error(folder: Path) -> None:
    write(folder, a_csv="1,2\n", b_csv="1,2,3\n")
    with pytest.raises(TidelogError, match=r"TL081: .*b\.csv has other columns than .*a\.csv: 3, and there 2"):
        edges(folder)
    write(folder, a_csv="src,dst\na,1\n", b_csv="src,age\na,1\n")
    with pytest.raises(TidelogError, match=r"TL081: .*b\.csv has other columns than .*a\.csv: src, age, and there src, dst"):
        edges(folder)


def test_rejects_have_the_place_in_their_file_and_nothing_is_loaded(folder: Path) -> None:
    write(folder, a_csv="1,2\n3,4\n", b_csv="5,6\n7,x\n", c_csv="y,8\n")
    kb = KnowledgeBase("@relation edge(a: int, b: int) .")
    with pytest.raises(TidelogError) as caught:
        kb.load("edge", folder)
    notes = caught.value.diagnostics[0].notes
    assert [note.partition(": ")[0] for note in notes] == [f"{folder / 'b.csv'}:2", f"{folder / 'c.csv'}:1"]
    assert kb.count("edge") == 0


def test_parquet_files_with_different_types_keep_every_value(folder: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2**60 + 1]}), folder / "a.parquet")
    pq.write_table(pa.table({"a": [0.5]}), folder / "b.parquet")
    pq.write_table(pa.table({"a": ["x"]}), folder / "c.parquet")
    assert edges(folder) == {(1,), (2**60 + 1,), (0.5,), ("x",)}


def test_files_without_rows(folder: Path) -> None:
    write(folder, a_csv="", b_csv="1,2\n", c_csv="")
    assert edges(folder) == {(1, 2)}
    write(folder, b_csv="")
    assert edges(folder, "@relation edge(a: int, b: int) .") == set()


def test_nothing_to_read(folder: Path) -> None:
    with pytest.raises(TidelogError, match=r"TL060: cannot read .*edges: has no file whose ending is known"):
        edges(folder)
    with pytest.raises(TidelogError, match=r"TL060: cannot read .*\*\.csv: no file fits"):
        edges(folder / "*.csv")


def test_files_of_several_formats_are_refused(folder: Path) -> None:
    write(folder, a_csv="1,2\n", b_tsv="1\t2\n")
    with pytest.raises(TidelogError, match=r"(?s)TL082: .* has files of several formats: csv, tsv.*\*\.csv"):
        edges(folder)
    (folder / "b.tsv").unlink()
    write(folder, b_txt="3,4\n")
    assert edges(folder, format="csv") == {(1, 2), (3, 4)}


def test_limits_hold_for_all_files_together(folder: Path) -> None:
    for number in range(8):
        pq.write_table(pa.table({"a": list(range(10_000))}), folder / f"{number}.parquet")
    with pytest.raises(TidelogError, match="TL070"):
        KnowledgeBase(limit_memory=300_000).load("edge", folder)


def test_upserts_and_subscribers_see_one_load(folder: Path) -> None:
    write(folder, a_csv="t1,1\n", b_csv="t1,2\n")
    kb = KnowledgeBase("@relation temp(t: string key, c: int) .")
    kb.load("temp", folder, upsert=True)
    assert list(kb["temp"]) == [("t1", 2)]
