"""Tables into files and back: every kind, every format."""

from __future__ import annotations

import gzip
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.files.relations import declared, lists
from tests.some_values import OF_KIND

from tidelog.errors import TidelogError
from tidelog.files.columns import ARROW_TYPES, TypedColumn
from tidelog.files.reading import read
from tidelog.files.writing import delimited_lines, json_lines, write
from tidelog.syntax.printer import Printer
from tidelog.values import IRI, Kind, Value, from_python

FORMATS = ["csv", "csv.gz", "tsv", "tsv.gz", "jsonl", "jsonl.gz", "ndjson", "parquet", "arrow", "feather"]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Kind], list[list[Value]]]:
    """Kinds of columns, and columns of values."""
    kinds = draw(st.lists(st.sampled_from(list(Kind)), min_size=1, max_size=4))
    rows = draw(st.integers(0, 6))
    return kinds, [draw(st.lists(OF_KIND[kind], min_size=rows, max_size=rows)) for kind in kinds]


def content(value: Value) -> object:
    """What the table has for a value: IRIs as texts, literals as a program writes them."""
    if value.kind is Kind.LITERAL:
        return Printer({}).value(value)
    return value.content.text if isinstance(value.content, IRI) else value.content


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("has_dictionaries", [False, True])
@given(tables())
def test_round_trip(ending: str, has_dictionaries: bool, made: tuple[list[Kind], list[list[Value]]]) -> None:
    kinds, columns = made
    arrays = [
        pa.array([content(value) for value in column], ARROW_TYPES.get(kind, pa.large_string()))
        for kind, column in zip(kinds, columns, strict=True)
    ]
    if has_dictionaries:
        arrays = [array.dictionary_encode() if pa.types.is_large_string(array.type) else array for array in arrays]
    names = [f"column {at}" for at in range(len(kinds))]
    relation = declared(**dict(zip(names, kinds, strict=True)))
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"t.{ending}"
        write(pa.table(arrays, names=names), path)
        loaded = read(path, "t", relation)
        assert os.listdir(folder) == [path.name]  # noqa: PTH208
    lists(loaded)
    for kind, column, result in zip(kinds, columns, loaded.columns, strict=True):
        assert (result.kind if isinstance(result, TypedColumn) else Kind.LITERAL) is kind
        back = result.values.to_pylist() if isinstance(result, TypedColumn) else result.values
        assert [from_python(IRI(str(thing)) if kind is Kind.IRI else thing) for thing in back] == column


TABLE = pa.table({"name": ["a", 'b "c", d'], "n": [1, -2], "x": [1.0, float("nan")]})


def test_tables_without_rows_keep_their_columns(tmp_path: Path) -> None:
    for ending in ("csv", "tsv", "parquet", "arrow"):
        write(TABLE.slice(0, 0), tmp_path / f"t.{ending}")
        assert lists(read(tmp_path / f"t.{ending}", "t", declared(name=Kind.STRING, n=Kind.INT, x=Kind.FLOAT))) == [[], [], []]


def test_chunks_with_other_dictionaries(tmp_path: Path) -> None:
    chunks = pa.chunked_array([pa.array(["a", "b"]).dictionary_encode(), pa.array(["c"]).dictionary_encode()])
    for ending in FORMATS:
        write(pa.table({"x": chunks}), tmp_path / f"t.{ending}")
        assert lists(read(tmp_path / f"t.{ending}", "t", declared(x=Kind.STRING))) == [["a", "b", "c"]]


def problem(table: pa.Table, path: Path, **options: str) -> str:
    with pytest.raises(TidelogError) as caught:
        write(table, path, **options)
    assert caught.value.diagnostics[0].fix
    return str(caught.value)


def test_files_that_cannot_be_written(tmp_path: Path) -> None:
    assert f"error TL060: cannot write {tmp_path / 'no' / 't.csv'}: No such file or directory" in problem(
        TABLE, tmp_path / "no" / "t.csv"
    )
    (tmp_path / "d.csv").mkdir()
    assert "TL060" in problem(TABLE, tmp_path / "d.csv")
    assert "TL060" in problem(TABLE, Path(os.devnull), format="csv")
    assert "TL082" in problem(TABLE, tmp_path / "t.xlsx")
    assert "`.facts` is only read" in problem(TABLE, tmp_path / "t.facts")
    assert "TL082" in problem(TABLE, tmp_path / "t.csv", format="exel")


def test_what_was_there_stays_if_writing_fails(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("before")
    assert "TL082" in problem(pa.table({"x": [[1]], "y": [1]}), tmp_path / "t.csv")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["before"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "t.csv")
    write(TABLE, tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "t.csv").is_file()


def test_parquet_is_small(tmp_path: Path) -> None:
    """At most three bytes for each of many integers below 200,000."""
    numbers = np.random.default_rng(1).integers(0, 200_000, (2, 2_200_000))
    write(pa.table({"a": numbers[0], "b": numbers[1]}), tmp_path / "t.parquet")
    assert (tmp_path / "t.parquet").stat().st_size < 2_200_000 * 2 * 3


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
