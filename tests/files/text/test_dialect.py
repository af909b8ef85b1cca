"""How text files are written: delimiter, encoding, and texts that mean no value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tidelog import KnowledgeBase, TidelogError
from tidelog.files.text.dialect import USUAL_DIALECT, Dialect, dialect_of

DECLARED = "@relation city(name: string, people: int) ."


def loaded(path: Path, rules: str = "", **how: Any) -> set[tuple[Any, ...]]:
    kb = KnowledgeBase(rules)
    kb.load("city", path, **how)
    return set(kb["city"])


@pytest.mark.parametrize("delimiter", [";", "|", "\t", " ", "^", "]", "\\", "-", "."])
@pytest.mark.parametrize("rules", ["", DECLARED])
def test_delimiters(tmp_path: Path, delimiter: str, rules: str) -> None:
    path = tmp_path / "cities.csv"
    rows = [("name", "people"), ("Köln", "1"), (f'"a{delimiter}b"', "2"), ('"say ""x"""', "3")]
    path.write_text("\n".join(delimiter.join(row) for row in rows), encoding="utf-8")
    assert loaded(path, rules, delimiter=delimiter) == {("Köln", 1), (f"a{delimiter}b", 2), ('say "x"', 3)}


def test_with_a_delimiter_the_ending_may_be_any(tmp_path: Path) -> None:
    path = tmp_path / "cities.txt"
    path.write_text("Köln;1\nBonn;2\n", encoding="utf-8")
    assert loaded(path, delimiter=";") == {("Köln", 1), ("Bonn", 2)}
    with pytest.raises(TidelogError, match="TL082"):
        loaded(path)
    assert loaded(tmp_path / "*.txt", delimiter=";") == {("Köln", 1), ("Bonn", 2)}


def test_an_open_quote_is_found_behind_another_delimiter(tmp_path: Path) -> None:
    path = tmp_path / "cities.csv"
    path.write_text('a]1\n"b]2\nc]3\n', encoding="utf-8")
    with pytest.raises(TidelogError, match=r"TL083.*line 2 has a quote that nothing closes"):
        loaded(path, delimiter="]")


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8-sig", "UTF_8"])
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_encodings(tmp_path: Path, encoding: str, ending: str) -> None:
    path = tmp_path / f"cities.{ending}"
    text = "name,people\nKöln,1\n" if ending == "csv" else '{"name": "Köln", "people": 1}\n'
    path.write_bytes(text.encode(encoding))
    assert loaded(path, encoding=encoding) == {("Köln", 1)}


def test_bytes_that_are_not_of_the_encoding(tmp_path: Path) -> None:
    path = tmp_path / "cities.csv"
    path.write_bytes(b"K\xf6ln,1\n")
    with pytest.raises(TidelogError, match="TL061"):
        loaded(path)
    with pytest.raises(TidelogError, match=r"TL061: .* is not a text of the encoding ascii: byte 2 cannot be decoded"):
        loaded(path, encoding="ascii")


@pytest.mark.parametrize("null", ["NA", ["NA"], ("-", "NA"), {"NA"}])
def test_texts_that_mean_no_value_are_rejects_or_take_the_default(tmp_path: Path, null: Any) -> None:
    path = tmp_path / "cities.csv"
    path.write_text("name,people\nKöln,1\nBonn,NA\n", encoding="utf-8")
    with pytest.raises(TidelogError, match=r"(?s)TL080.*cities\.csv:3: column people: it is empty"):
        loaded(path, DECLARED, null=null)
    for rules in ("", DECLARED):
        assert loaded(path, rules, null=null, defaults={"people": 0}) == {("Köln", 1), ("Bonn", 0)}
    with pytest.raises(TidelogError, match=r"(?s)TL080.*is not an int"):
        loaded(path, DECLARED, defaults={"people": 0})


def test_in_columns_of_strings_they_are_no_empty_texts(tmp_path: Path) -> None:
    path = tmp_path / "cities.csv"
    path.write_text("NA,1\n,2\nx,3\n", encoding="utf-8")
    with pytest.raises(TidelogError, match=r"(?s)TL080: 1 of 3 rows.*cities\.csv:1: column 1: it is empty"):
        loaded(path, null="NA", header=False)
    assert loaded(path, null="NA", header=False, defaults={0: "?"}) == {("?", 1), ("?", 2), ("x", 3)}
    assert loaded(path, header=False) == {("NA", 1), ("", 2), ("x", 3)}


def test_a_header_may_have_such_a_text(tmp_path: Path) -> None:
    path = tmp_path / "cities.csv"
    path.write_text("NA,people\nx,1\n", encoding="utf-8")
    kb = KnowledgeBase()
    kb.load("city", path, null="NA")
    assert kb["city"].columns == ("NA", "people")
    assert list(kb["city"]) == [("x", 1)]


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ({"delimiter": ";;"}, "TL074"),
        ({"delimiter": ""}, "TL074"),
        ({"delimiter": '"'}, "TL074"),
        ({"delimiter": "\n"}, "TL074"),
        ({"delimiter": "ö"}, "TL074"),
        ({"delimiter": 5}, "TL074"),
        ({"encoding": "klingon"}, "TL074"),
        ({"encoding": "base64"}, "TL074"),
        ({"encoding": "utf\0"}, "TL074"),
        ({"encoding": 5}, "TL071"),
        ({"null": 5}, "TL071"),
        ({"null": [5]}, "TL071"),
    ],
)
def test_what_no_file_can_have(how: dict[str, Any], code: str) -> None:
    with pytest.raises(TidelogError) as caught:
        dialect_of(**how)
    assert [problem.code for problem in caught.value.diagnostics] == [code]
    with pytest.raises(TidelogError, match=code):
        KnowledgeBase().load("city", pa.table({"x": [1]}), **how)


@pytest.mark.parametrize("how", [{"delimiter": ";"}, {"encoding": "ascii"}, {"null": "NA"}])
def test_a_source_that_is_no_text_takes_none_of_it(tmp_path: Path, how: dict[str, Any]) -> None:
    KnowledgeBase("p(1).")["p"].write(tmp_path / "p.parquet")
    for source in (pa.table({"x": [1]}), tmp_path / "p.parquet"):
        with pytest.raises(TidelogError, match=f"TL074: {next(iter(how))}= says nothing of"):
            KnowledgeBase().load("p", source, **how)


def test_what_is_usual() -> None:
    assert dialect_of() == Dialect() == USUAL_DIALECT
    assert dialect_of(null="") == Dialect(nulls=("",))
