"""Parquet, Arrow, pandas, polars: which sources there are, and files that are damaged."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from tests.files.relations import declared, kinds, lists, mentioned, rejected, saved

from tidelog.errors import TidelogError
from tidelog.files.formats import FileFormat, Format
from tidelog.files.reading import read
from tidelog.files.tables import read_object, read_table_file
from tidelog.values import IRI, Kind, Value, integer, string

TABLE = pa.table({"dst": ["b"], "weight": [3], "SRC": ["a"]})


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


# --- columns before they have types --------------------------------------------------------------------------------------


def test_a_table_is_taken_as_it_is(tmp_path: Path) -> None:
    table = read_object(TABLE)
    assert (table.source, table.described, table.names, table.rows) == ("an Arrow table", "arrow", ("dst", "weight", "SRC"), 1)
    assert (table.is_text, table.places([0])) == (False, ["row 1"])
    parquet.write_table(TABLE, tmp_path / "a.parquet")
    table = read_table_file(tmp_path / "a.parquet", FileFormat(Format.PARQUET))
    assert (table.described, table.places([0])) == ("parquet", [f"{tmp_path / 'a.parquet'}, row 1"])


def test_files_that_are_damaged_or_missing(tmp_path: Path) -> None:
    (tmp_path / "a.arrow").write_bytes(b"no arrow")
    with pytest.raises(TidelogError, match=r"TL083: .* is damaged: not a whole file of arrow"):
        read_table_file(tmp_path / "a.arrow", FileFormat(Format.ARROW))
    with pytest.raises(TidelogError, match="TL060"):
        read_table_file(tmp_path / "missing.parquet", FileFormat(Format.PARQUET))


def test_objects_of_pandas_lose_nothing() -> None:
    pandas = pytest.importorskip("pandas")
    fine = pandas.Timestamp("2026-11-15T00:00:00.000000001")
    for cells in ([fine], [fine, "a"], [np.datetime64("2026-11-15T00:00:00.000000001"), "a"], [np.timedelta64(5, "ns"), "a"]):
        assert rejected(pandas.DataFrame({"a": pandas.Series(cells, dtype=object)}))[0] == "TL080"
    mixed = pandas.DataFrame({"a": pandas.Series([date(2026, 11, 15), datetime(2026, 11, 15, 5)], dtype=object)})
    assert kinds(read(mixed, "edge")) == [None], "a date stays a date, and a time of the day is not lost"
    arrays = pandas.DataFrame({"a": pandas.Series([np.array([5, 6]), "a"], dtype=object)})
    assert rejected(arrays)[0] == "TL080"


def test_integers_of_pandas_may_have_gaps() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": ["x", "y", "z"], "n": [1, None, -(2**53) + 1]})
    relation = declared(a=Kind.STRING, n=Kind.INT)
    assert list(rejected(frame, relation)[1]) == ["row 2: column n: it is null"]
    assert lists(read(frame, "edge", relation, defaults={"n": 0}))[1] == [1, 0, -(2**53) + 1]
    nothing = pandas.DataFrame({"a": ["x"], "n": [float("nan")]})
    assert lists(read(nothing, "edge", relation, defaults={"n": 7})) == [["x"], [7]]
    for strange in (1.5, float("inf"), 2.0**53):  # of which the last may have been another integer
        some = pandas.DataFrame({"a": ["x", "y"], "n": [strange, None]})
        assert "is a float, and the column is declared int" in rejected(some, relation, defaults={"n": 0})[1][0]
    table = pa.table({"a": ["x"], "n": [1.0]})
    assert list(rejected(table, relation)[1]) == ["row 1: column n: 1.0 is a float, and the column is declared int"]


def test_what_is_no_table_is_named_with_what_is() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for series in (pandas.Series(["a"]), polars.Series(["a"])):
        assert "series.to_frame()" in rejected(series)[2]
    assert "kb.update(insert=" in rejected([("a", "b")])[2]
