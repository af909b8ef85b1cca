"""Columns as lines of CSV and JSON: quotes, numbers, moments, nulls."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pytest
from tests.files.relations import lists

from tidelog.files.reading import read
from tidelog.files.text.texts import delimited_lines, json_lines
from tidelog.files.writing import write

TABLE = pa.table({"name": ["a", 'b "c", d'], "n": [1, -2], "x": [1.0, float("nan")]})


def batch(columns: Mapping[str, object]) -> pa.RecordBatch:
    return pa.record_batch({name: pa.array(cells) for name, cells in columns.items()})


def lines(delimiter: str = ",", **columns: object) -> str:
    return str(delimited_lines(batch(columns), delimiter).to_pybytes(), "utf-8")


def objects(**columns: object) -> str:
    return str(json_lines(batch(columns)).to_pybytes(), "utf-8")


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        (["plain", "two words"], "plain,1\ntwo words,1\n"),
        (["a,b", "a\tb"], '"a,b",1\na\tb,1\n'),
        (['say "hi"'], '"say ""hi""",1\n'),
        (["a\nb", "a\rb"], '"a\nb",1\n"a\rb",1\n'),
        (["", None], ",1\n,1\n"),
    ],
)
def test_quotes_only_where_they_are_needed(cells: list[str | None], text: str) -> None:
    assert lines(a=cells, b=[1] * len(cells)) == text


def test_an_empty_text_that_is_all_of_its_line_has_quotes() -> None:
    assert lines(a=["", "x"]) == '""\nx\n'
    assert lines("\t", a=["x\ty"]) == '"x\ty"\n'


def test_floats_have_a_point_or_an_exponent() -> None:
    assert lines(a=[1.0, 2.5, 1e300, math.inf, math.nan]) == "1.0\n2.5\n1e+300\ninf\nnan\n"


def test_json_has_words_of_its_own() -> None:
    texts, truths = ["x", 'q"', "\\", None, "é\n"], [True, False, None, True, True]
    text = objects(a=[1.0, math.inf, -math.inf, math.nan, None], b=texts, c=truths)
    assert text.splitlines()[1] == '{"a": Infinity, "b": "q\\"", "c": false}'
    rows = [json.loads(line) for line in text.splitlines()]
    assert [row["b"] for row in rows] == texts
    assert [row["c"] for row in rows] == truths
    assert repr([row["a"] for row in rows]) == "[1.0, inf, -inf, nan, None]"


def test_a_batch_without_rows_has_no_lines() -> None:
    empty = pa.record_batch({"a": pa.array([], pa.string())})
    assert delimited_lines(empty, ",").to_pybytes() == json_lines(empty).to_pybytes() == b""


def test_a_slice_is_written_without_the_rest() -> None:
    middle = batch({"a": ["x", "y", "z"]}).slice(1, 1)
    assert delimited_lines(middle, ",").to_pybytes() == b"y\n"


# --- as they are written -------------------------------------------------------------------------------------------------


def test_what_texts_look_like(tmp_path: Path) -> None:
    expected = {
        "csv": 'name,n,x\na,1,1.0\n"b ""c"", d",-2,nan\n',
        "tsv": 'name\tn\tx\na\t1\t1.0\n"b ""c"", d"\t-2\tnan\n',
        "jsonl": '{"name": "a", "n": 1, "x": 1.0}\n{"name": "b \\"c\\", d", "n": -2, "x": NaN}\n',
    }
    for ending, text in expected.items():
        write(TABLE, tmp_path / f"t.{ending}")
        write(TABLE, str(tmp_path / f"t.{ending}.gz"))
        write(TABLE, tmp_path / "t.out", format=ending)
        assert gzip.decompress((tmp_path / f"t.{ending}.gz").read_bytes()) == (tmp_path / f"t.{ending}").read_bytes()
        assert (tmp_path / "t.out").read_text() == (tmp_path / f"t.{ending}").read_text()
        assert (tmp_path / "t.out").read_text() == text
    write(TABLE.slice(0, 1), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "name,n,x\na,1,1.0\n"


def test_timestamps_are_written_in_utc(tmp_path: Path) -> None:
    moments = pa.array([0, 1], pa.timestamp("us", "Europe/Paris"))
    write(pa.table({"t": moments, "u": moments.cast(pa.timestamp("us"))}), tmp_path / "t.csv")
    first, second = "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000001Z"
    assert (tmp_path / "t.csv").read_text() == f"t,u\n{first},{first}\n{second},{second}\n"


def test_control_characters_in_json(tmp_path: Path) -> None:
    texts = [chr(code) + "\\" for code in range(160)]
    write(pa.table({"\n": texts}), tmp_path / "t.jsonl")
    assert lists(read(tmp_path / "t.jsonl", "t")) == [texts]
