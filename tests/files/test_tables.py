"""Parquet, Arrow, pandas, polars: types, names, and files that are damaged."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from tests.files.relations import declared, kinds, lists, mentioned, rejected, saved

from tidelog.files.reading import read
from tidelog.values import IRI, Kind, Value, integer, string

EPOCH, MICRO = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
TYPES = [
    (pa.array([1, 2], pa.int8()), Kind.INT, [1, 2]),
    (pa.array([1, 2], pa.uint64()), Kind.INT, [1, 2]),
    (pa.array([1.5, -0.0], pa.float32()), Kind.FLOAT, [1.5, 0.0]),
    (pa.array([Decimal("1.50"), Decimal("2.25")]), Kind.FLOAT, [1.5, 2.25]),
    (pa.array([Decimal(1), Decimal(-(2**63))], pa.decimal128(38, 0)), Kind.INT, [1, -(2**63)]),
    (pa.array([True, False]), Kind.BOOL, [True, False]),
    (pa.array(["a", "b"]), Kind.STRING, ["a", "b"]),
    (pa.array(["a", "b"], pa.large_string()), Kind.STRING, ["a", "b"]),
    (pa.array(["a", "b", "a"]).dictionary_encode().slice(1), Kind.STRING, ["b", "a"]),
    (pa.array([5, 5]).dictionary_encode(), Kind.INT, [5, 5]),
    (pa.RunEndEncodedArray.from_arrays([2], ["a"]), Kind.STRING, ["a", "a"]),
    (pa.array([date(2026, 1, 1), date.max]), Kind.DATE, [date(2026, 1, 1), date.max]),
    (pa.array([0, 86_400_000], pa.date64()), Kind.DATE, [date(1970, 1, 1), date(1970, 1, 2)]),
    (pa.array([1, -1], pa.timestamp("s")), Kind.TIMESTAMP, [EPOCH + timedelta(seconds=1), EPOCH - timedelta(seconds=1)]),
    (pa.array([1000, -1000], pa.timestamp("ns", "Europe/Paris")), Kind.TIMESTAMP, [EPOCH + MICRO, EPOCH - MICRO]),
    (pa.array([time(6, 43), time(7)]), Kind.STRING, ["06:43:00.000000", "07:00:00.000000"]),
    (pa.array([{"iri": "http://a/"}, {"iri": "http://b/"}]), Kind.IRI, ["http://a/", "http://b/"]),
]


@pytest.mark.parametrize(("cells", "kind", "expected"), TYPES)
def test_types(cells: pa.Array, kind: Kind, expected: list[object]) -> None:
    loaded = read(pa.table({"x": cells}), "edge")
    assert kinds(loaded) == [kind]
    assert lists(loaded) == [expected]
    assert lists(read(pa.table({"x": pa.chunked_array([cells, cells])}), "edge", declared(x=kind))) == [expected * 2]
    assert lists(read(pa.table({"x": cells.slice(0, 0)}), "edge")) == [[]]


@pytest.mark.parametrize("cells", [pa.array([b"x"]), pa.array([[1]]), pa.array([timedelta(1)])])
def test_types_that_the_language_lacks(cells: pa.Array) -> None:
    code, _, text = rejected(pa.table({"x": cells}))
    assert code == "TL081"
    assert "the column x of an Arrow table is of the type " in text


def test_texts_in_columns_of_dates_iris_and_literals() -> None:
    table = pa.table({"a": ["2026-11-15"], "b": ["2026-11-15T06:43:00Z"], "c": ["<http://a/>"], "d": ['"chat"@FR']})
    loaded = read(table, "edge", declared(a=Kind.DATE, b=Kind.TIMESTAMP, c=Kind.IRI, d=Kind.LITERAL))
    assert kinds(loaded) == [Kind.DATE, Kind.TIMESTAMP, Kind.IRI, None]
    assert [str(column[0]) for column in lists(loaded)[:3]] == ["2026-11-15", "2026-11-15 06:43:00+00:00", "http://a/"]


def test_integers_become_floats() -> None:
    assert lists(read(pa.table({"x": [1, 2**60 + 1]}), "edge", declared(x=Kind.FLOAT))) == [[1.0, float(2**60)]]


def test_bytes_that_are_not_text() -> None:
    cells = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff"]).buffers())
    assert rejected(pa.table({"x": cells}))[0] == "TL061"


# --- names ----------------------------------------------------------------------------------------------------------------

TABLE = pa.table({"dst": ["b"], "weight": [3], "SRC": ["a"]})


def test_columns_by_name() -> None:
    loaded = read(TABLE, "edge", declared(src=Kind.STRING, dst=Kind.STRING))
    assert lists(loaded) == [["a"], ["b"]]
    columns = "columns: string, string, declared; left out: weight"
    assert loaded.description == f"edge: 1 row from an Arrow table (arrow, by name; {columns})"
    described = read(TABLE, "edge", declared(src=None, weight=Kind.FLOAT)).description
    assert "columns: string (inferred), float; left out: dst" in described


def test_columns_by_position() -> None:
    assert lists(read(TABLE, "edge", declared(x=Kind.STRING, y=Kind.INT, z=None))) == [["b"], [3], ["a"]]
    assert lists(read(TABLE, "edge", mentioned(3))) == [["b"], [3], ["a"]]
    assert lists(read(TABLE, "edge")) == [["b"], [3], ["a"]]


def test_columns_of_exactly_the_name_come_first() -> None:
    table = pa.table([pa.array([1]), pa.array([2]), pa.array([3])], names=["A", "a", "b"])
    assert lists(read(table, "edge", declared(a=Kind.INT, b=Kind.INT))) == [[2], [3]]
    table = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    assert lists(read(table, "edge")) == [[1], [2]]


def test_columns_that_do_not_fit() -> None:
    code, _, text = rejected(TABLE, declared(src=Kind.STRING, dest=Kind.STRING))
    assert code == "TL081"
    assert "an Arrow table has 3 columns (dst, weight, SRC), and `edge` has 2 columns (src, dest)" in text
    assert "did you mean `dst`?" in text
    assert rejected(TABLE, mentioned(2))[0] == "TL081"
    assert rejected(TABLE, mentioned(0))[0] == "TL081"
    assert read(pa.table({}), "edge", mentioned(0)).rows == 0


# --- sources --------------------------------------------------------------------------------------------------------------


class Stream:
    """Something that only speaks Arrow's protocol."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return TABLE.__arrow_c_stream__(requested_schema)


def test_sources_in_memory() -> None:
    for source in (TABLE, TABLE.to_batches()[0], TABLE.to_reader(), Stream()):
        assert lists(read(source, "edge")) == [["b"], [3], ["a"]]


def test_a_source_that_is_none() -> None:
    assert rejected([("a", "b")])[0] == "TL082"
    assert rejected(None)[0] == "TL082"


def test_files(tmp_path: Path) -> None:
    parquet.write_table(TABLE, tmp_path / "e.parquet")
    feather.write_feather(TABLE, tmp_path / "e.feather")
    with pa.ipc.new_file(tmp_path / "e.arrow", TABLE.schema) as writer:
        writer.write_table(TABLE)
    with pa.ipc.new_stream(tmp_path / "s.arrow", TABLE.schema) as writer:
        writer.write_table(TABLE)
    for name in ("e.parquet", "e.feather", "e.arrow", "s.arrow"):
        assert lists(read(tmp_path / name, "edge")) == [["b"], [3], ["a"]]
        whole = (tmp_path / name).read_bytes()
        for data in (b"", b"1,2\n", whole[: len(whole) // 2]):
            code, _, text = rejected(saved(tmp_path, "d." + name.partition(".")[2], data), mentioned(3))
            assert (code, "is damaged: not a whole file of" in text) == ("TL083", True)
    assert rejected(tmp_path / "missing.parquet")[0] == "TL060"
    assert rejected(tmp_path / "missing.arrow")[0] == "TL060"


def test_rows_of_files_have_places(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"x": [1, None]}), tmp_path / "e.parquet")
    assert rejected(tmp_path / "e.parquet")[1] == (f"{tmp_path / 'e.parquet'}, row 2: column x: it is null",)


def test_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "s": ["a", "b"],
            "i": [1, 2],
            "f": [1.5, 2.5],
            "c": pandas.Categorical(["x", "y"]),
            "t": pandas.to_datetime(["2026-11-15", "2026-11-16"], utc=True),
            "d": [date(2026, 1, 1), date(2026, 1, 2)],
            "n": pandas.array([1, 2], dtype="Int64"),
            "a": pandas.array([True, False], dtype="bool[pyarrow]"),
        },
        index=[10, 20],
    )
    loaded = read(frame, "edge")
    assert [kind and kind.value for kind in kinds(loaded)] == [
        "string",
        "int",
        "float",
        "string",
        "timestamp",
        "date",
        "int",
        "bool",
    ]
    assert lists(loaded)[1:4] == [[1, 2], [1.5, 2.5], ["x", "y"]]
    assert loaded.description.startswith("edge: 2 rows from a pandas DataFrame (pandas; columns: string, int")
    assert rejected(pandas.DataFrame({"s": ["a", None]}))[1] == ("row 2: column s: it is null",)
    assert lists(read(pandas.DataFrame({0: [1], 1: [2]}), "edge", mentioned(2))) == [[1], [2]]


def test_pandas_with_objects() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"m": [1, "a", IRI("http://a/")], "i": [IRI("http://a/"), IRI("http://b/"), IRI("http://c/")]}, dtype=object
    )
    loaded = read(frame, "edge")
    assert kinds(loaded) == [None, Kind.IRI]
    assert lists(loaded)[0] == [integer(1), string("a"), Value(Kind.IRI, IRI("http://a/"))]
    assert rejected(pandas.DataFrame({"m": [1, "a", None]}, dtype=object))[1] == ("row 3: column m: it is null",)
    assert rejected(pandas.DataFrame({"m": [2**64, 1]}, dtype=object))[1] == (
        "row 1: column m: 18446744073709551616 is outside of 64 bits",
    )
    assert "is nothing that a fact can hold" in rejected(pandas.DataFrame({"m": [1, object()]}, dtype=object))[1][0]


def test_polars() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(
        {"s": ["a", "b"], "i": [1, 2], "c": ["x", "y"], "d": [date(2026, 1, 1)] * 2, "t": [datetime(2026, 1, 1)] * 2},
        schema_overrides={"c": polars.Categorical},
    )
    for source in (frame, frame.lazy()):
        loaded = read(source, "edge")
        assert [kind and kind.value for kind in kinds(loaded)] == ["string", "int", "string", "date", "timestamp"]
        assert lists(loaded)[:3] == [["a", "b"], [1, 2], ["x", "y"]]
    assert "from a polars LazyFrame (polars; " in loaded.description
    assert rejected(polars.DataFrame({"s": ["a", None]}))[1] == ("row 2: column s: it is null",)
