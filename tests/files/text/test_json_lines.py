"""JSON Lines: by Arrow where it can, line by line where it cannot."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest
from tests.files.relations import declared, kinds, lists, mentioned, rejected, saved

from tidelog.files.formats import FileFormat, Format
from tidelog.files.reading import read
from tidelog.files.text.json_lines import BLOCK, by_arrow, read_json_lines
from tidelog.values import IRI, XSD, Kind, Literal, Value, floating, integer, string


@pytest.mark.parametrize("name", ["e.jsonl", "e.ndjson", "e.jsonl.gz"])
def test_formats(tmp_path: Path, name: str) -> None:
    path = saved(tmp_path, name, '\ufeff{"src": 1, "dst": "a"}\r\n\n{"dst": "b", "src": 2}')
    loaded = read(path, "edge")
    assert lists(loaded) == [[1, 2], ["a", "b"]]
    assert f"2 rows from {path} (jsonl" in loaded.description
    assert lists(read(path, "edge", declared(dst=Kind.STRING, src=Kind.FLOAT))) == [["a", "b"], [1.0, 2.0]]


CASES: list[tuple[list[str], Kind | None, list[object]]] = [
    (["1", "2.5"], Kind.FLOAT, [1.0, 2.5]),
    (["1", "2"], Kind.INT, [1, 2]),
    (["1.0", "-0.0"], Kind.FLOAT, [1.0, 0.0]),
    (["true", "false"], Kind.BOOL, [True, False]),
    (['"2024-01-01"', '"2024-01-02 00:00:00"'], Kind.STRING, ["2024-01-01", "2024-01-02 00:00:00"]),
    (['"1"', '"007"'], Kind.STRING, ["1", "007"]),
    (['"\\ud83d\\ude00"', '"é"'], Kind.STRING, ["😀", "é"]),
    (["1", '"a"'], None, [integer(1), string("a")]),
    (["9007199254740993", "0.5"], None, [integer(2**53 + 1), floating(0.5)]),
    (["1e300", "1"], Kind.FLOAT, [1e300, 1.0]),
    (["Infinity", "1"], Kind.FLOAT, [float("inf"), 1.0]),
    (['{"iri": "http://a/"}', '{"iri": "2024-01-01"}'], Kind.IRI, ["http://a/", "2024-01-01"]),
    (
        ['{"value": "chat", "lang": "FR"}', '{"value": "2024-01-01", "type": "http://t/"}', '{"iri": "http://a/"}'],
        None,
        [
            Value(Kind.LITERAL, Literal("chat", None, "fr")),
            Value(Kind.LITERAL, Literal("2024-01-01", "http://t/")),
            Value(Kind.IRI, IRI("http://a/")),
        ],
    ),
    ([f'{{"value": "5", "type": "{XSD}integer"}}', "6"], Kind.INT, [5, 6]),
    (['{"value": "5"}', '"6"'], Kind.STRING, ["5", "6"]),
]


@pytest.mark.parametrize(("cells", "kind", "expected"), CASES)
def test_values(tmp_path: Path, cells: list[str], kind: Kind | None, expected: list[object]) -> None:
    loaded = read(saved(tmp_path, "e.jsonl", "".join(f'{{"x": {cell}}}\n' for cell in cells)), "edge")
    assert kinds(loaded) == [kind]
    assert lists(loaded) == [expected]


def test_declared_types(tmp_path: Path) -> None:
    path = saved(tmp_path, "e.jsonl", '{"d": "2024-01-01", "l": {"value": "a", "lang": "en"}, "i": "http://a/"}\n')
    loaded = read(path, "edge", declared(d=Kind.DATE, l=Kind.LITERAL, i=Kind.IRI))
    assert lists(loaded) == [[date(2024, 1, 1)], [Value(Kind.LITERAL, Literal("a", None, "en"))], ["http://a/"]]
    path = saved(tmp_path, "e.jsonl", '{"d": "2024-01-01"}\n{"d": 5}\n')
    assert rejected(path, declared(d=Kind.DATE))[1] == (f"{path}:2: column d: 5 is an int, and the column is declared date",)
    assert rejected(path, declared(d=Kind.INT))[1] == (
        f'{path}:1: column d: "2024-01-01" is a string, and the column is declared int',
    )


def test_rows_that_do_not_fit(tmp_path: Path) -> None:
    path = saved(tmp_path, "e.jsonl", '{"a": 1, "b": 2}\n\n{"a": 3}\n{"a": null, "b": 4}\n')
    assert rejected(path)[1] == (f"{path}:3: column b: it is null", f"{path}:4: column a: it is null")
    assert lists(read(path, "edge", defaults={"a": 0, "b": 9})) == [[1, 3, 0], [2, 9, 4]]
    for cell, reason in [
        ("99999999999999999999", "99999999999999999999 is outside of 64 bits"),
        ('"\\ud800"', '"\\ud800" is nothing that a fact can hold'),
        ('{"iri": 5}', "{'iri': 5} is nothing that a fact can hold"),
        ('{"iri": "a", "lang": "fr"}', "{'iri': 'a', 'lang': 'fr'} is nothing that a fact can hold"),
    ]:
        path = saved(tmp_path, "e.jsonl", f'{{"a": {cell}}}\n')
        assert rejected(path)[1] == (f"{path}:1: column a: {reason}",)


def test_missing_keys_line_by_line(tmp_path: Path) -> None:
    path = saved(tmp_path, "e.jsonl", '{"a": 1}\n{"a": "x", "b": 1}\n{"b": 2}\n')
    assert lists(read(path, "edge", defaults={"a": 0, "b": 0})) == [[integer(1), string("x"), integer(0)], [0, 1, 2]]


def test_lines_that_are_no_objects(tmp_path: Path) -> None:
    path = saved(tmp_path, "e.jsonl", '{"a": 1}\n[1]\n{"a": \n5\n' + '{"a":' * 100_000 + "\n")
    code, notes, text = rejected(path)
    assert code == "TL080"
    assert f"4 of 5 rows of {path}" in text
    assert notes[0] == f'{path}:2: [1] is not an object such as {{"src": 1}}'
    assert notes[1].startswith(f"{path}:3: not JSON: Expecting value")
    assert notes[2].startswith(f"{path}:4: 5 is not an object")


def test_other_files_that_are_wrong(tmp_path: Path) -> None:
    assert rejected(saved(tmp_path, "e.jsonl", b'{"a": "\xff"}\n'))[0] == "TL061"
    assert rejected(saved(tmp_path, "e.jsonl", b'{"a": "\xff"}\n{"a": 1}'))[0] == "TL061"
    assert rejected(saved(tmp_path, "e.jsonl", '{"a": [1]}\n'))[0] == "TL081"
    assert rejected(saved(tmp_path, "e.jsonl", "{}\n"))[0] == "TL081"
    assert rejected(saved(tmp_path, "e.jsonl", '{"a": 1}\n'), mentioned(2))[0] == "TL081"
    assert rejected(saved(tmp_path, "e.jsonl", "\n"))[0] == "TL081"
    assert lists(read(saved(tmp_path, "e.jsonl", "\n"), "edge", mentioned(2))) == [[], []]


def test_long_lines(tmp_path: Path) -> None:
    long = "x" * 9_000_000
    assert lists(read(saved(tmp_path, "e.jsonl", f'{{"a": "{long}"}}\n{{"a": "b"}}\n'), "edge")) == [[long, "b"]]


# --- columns before they have types --------------------------------------------------------------------------------------

LINES = FileFormat(Format.JSON_LINES)


def test_columns_come_in_the_order_of_their_first_appearance(tmp_path: Path) -> None:
    table = read_json_lines(saved(tmp_path, "a.jsonl", '{"b": 1}\n\n{"a": "x", "b": 2}\n'), LINES, "edge")
    assert (table.names, table.rows, table.described) == (("b", "a"), 2, "jsonl")
    assert [column.to_pylist() for column in table.columns if isinstance(column, pa.ChunkedArray)] == [[1, 2], [None, "x"]]
    assert table.places([0, 1]) == [f"{tmp_path / 'a.jsonl'}:1", f"{tmp_path / 'a.jsonl'}:3"]
    assert read_json_lines(saved(tmp_path, "b.jsonl", "\n"), LINES, "edge").described == "jsonl, empty"


def test_arrow_reads_only_what_it_does_not_change() -> None:
    table = by_arrow(b'{"a": 1.5, "b": "2026-11-15T06:43:00Z"}\n', BLOCK)
    assert table is not None
    assert table.schema.field("b").type == pa.string()  # not a timestamp
    assert by_arrow(b'{"a": 1.5}\n{"a": 9007199254740993}\n', BLOCK) is None
    assert by_arrow(b"no json", BLOCK) is None
    long = b'{"a": "' + b"x" * 100 + b'"}\n'
    assert by_arrow(long, 32) == by_arrow(long, BLOCK)


def test_a_key_that_is_not_utf8(tmp_path: Path) -> None:
    assert rejected(saved(tmp_path, "e.jsonl", b'{"a": 1, "\xff": 2}\n'))[0] == "TL061"


@pytest.mark.parametrize("line", ['{"a": 1, "a": 2}', '{"a": {"iri": "a:b", "iri": "a:c"}}'])
def test_a_key_that_is_there_twice(tmp_path: Path, line: str) -> None:
    code, _, text = rejected(saved(tmp_path, "e.jsonl", f'{{"a": 1}}\n{line}\n'))
    assert code == "TL080"
    assert "e.jsonl:2: " in text
    assert "is there twice in one object" in text


@pytest.mark.parametrize("others", ["", '{"a": 1}\n'])
def test_a_number_that_is_too_large(tmp_path: Path, others: str) -> None:
    code, _, text = rejected(saved(tmp_path, "e.jsonl", others + '{"a": 1e400}\n'))
    assert (code, "1e400 is larger than any float" in text) == ("TL080", True)


@pytest.mark.parametrize("text", ["null\n", ' null\n{"a": 1}\n', '{"a": 1}\nnull\n'])
def test_a_line_that_is_null(tmp_path: Path, text: str) -> None:
    """Arrow's reader crashes on some of these."""
    assert rejected(saved(tmp_path, "e.jsonl", text))[0] == "TL080"
