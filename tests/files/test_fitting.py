"""Cells made to fit: the kind that they have by themselves or are declared with, what is missing, and defaults.

`files.columns` holds the data classes that fitting ends with; it is tested here too.
"""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from tests.files.relations import declared, kinds, lists, rejected, saved

from tidelog.errors import TidelogError
from tidelog.files.columns import ARROW_TYPES, MixedColumn, TypedColumn
from tidelog.files.fitting import Fitted, fit_cells, fit_text
from tidelog.files.reading import read
from tidelog.values import IRI, Kind, Literal, from_python, integer, string

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


# --- one column ----------------------------------------------------------------------------------------------------------


def texts(*cells: str) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(cells, pa.large_string())])


def test_texts_take_a_kind_or_are_declared() -> None:
    assert fit_text(texts("1", "2"), None).kind is Kind.INT
    assert fit_text(texts("1", "x"), None).kind is Kind.STRING
    fitted = fit_text(texts("1", "x", " "), Kind.INT)
    assert isinstance(fitted.values, pa.ChunkedArray)
    assert fitted.values.to_pylist() == [1, None, None]
    assert (fitted.misfits() or pa.array([])).to_pylist() == [False, True, True]
    assert (fitted.missing or pa.array([])).to_pylist() == [False, False, True]


def test_in_a_column_of_strings_an_empty_text_is_there_and_can_have_a_default() -> None:
    fitted = fit_text(texts("a", ""), Kind.STRING)
    assert fitted.misfits() is None
    filled = fitted.with_default(string("?"))
    assert filled is not None
    assert filled.column() == TypedColumn(Kind.STRING, pa.array(["a", "?"], ARROW_TYPES[Kind.STRING]))


def test_a_default_is_of_the_kind_of_its_column() -> None:
    fitted = fit_cells(pa.chunked_array([pa.array([1.5, None])]), None, "a table", "x")
    filled = fitted.with_default(from_python(2))
    assert filled is not None
    assert filled.column().values.to_pylist() == [1.5, 2.0]  # type: ignore[union-attr]
    assert fitted.with_default(string("x")) is None
    whole = fit_cells(pa.chunked_array([pa.array([1])]), None, "a table", "x")
    assert whole.with_default(string("x")) is whole  # nothing is missing


def test_cells_of_several_kinds_stay_values() -> None:
    fitted = fit_cells([1, "a", None], None, "a table", "x")
    assert (fitted.kind, fitted.values) == (None, [integer(1), string("a"), None])
    assert (fitted.misfits() or pa.array([])).to_pylist() == [False, False, True]
    filled = fitted.with_default(from_python(True))
    assert filled is not None
    assert filled.column() == MixedColumn([from_python(1), string("a"), from_python(True)])


def test_a_finished_column_has_one_chunk_one_zero_and_no_chunks_when_empty() -> None:
    chunks = pa.chunked_array([pa.array([-0.0]), pa.array([2.0])])
    column = Fitted(Kind.FLOAT, chunks, None).column()
    assert isinstance(column.values, pa.Array)
    assert str(column.values.to_pylist()) == "[0.0, 2.0]"
    empty = Fitted(Kind.INT, pa.chunked_array([], pa.int64()), None).column()
    assert (isinstance(empty.values, pa.Array), len(empty.values)) == (True, 0)


def test_a_type_that_the_language_lacks_names_its_column() -> None:
    with pytest.raises(TidelogError, match="TL081: the column x of a table is of the type list"):
        fit_cells(pa.chunked_array([pa.array([[1]])]), None, "a table", "x")


def test_every_kind_but_literals_has_an_arrow_type() -> None:
    assert set(Kind) - ARROW_TYPES.keys() == {Kind.LITERAL}


# --- defaults, from the way in -------------------------------------------------------------------------------------------


def test_nan_is_a_value_but_to_pandas() -> None:
    assert math.isnan(lists(read(pa.table({"x": [math.nan]}), "edge"))[0][0])  # type: ignore[arg-type]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [1.5, math.nan]})
    assert rejected(frame)[1] == ("row 2: column x: it is null",)
    loaded = read(frame, "edge", defaults={"x": math.nan})
    assert kinds(loaded) == [Kind.FLOAT]
    assert math.isnan(lists(loaded)[0][1])  # type: ignore[arg-type]


def test_defaults_of_every_kind() -> None:
    table = pa.table({"a": ["http://a/", None], "b": pa.nulls(2), "c": [date(2026, 1, 1), None]})
    relation = declared(a=Kind.IRI, b=Kind.LITERAL, c=Kind.DATE)
    loaded = read(table, "edge", relation, defaults={"a": IRI("http://b/"), "b": Literal("chat", None, "fr"), 2: date.max})
    assert lists(loaded)[0] == ["http://a/", "http://b/"]
    assert [value.content for value in lists(loaded)[1]] == [Literal("chat", None, "fr")] * 2  # type: ignore[attr-defined]
    assert lists(loaded)[2] == [date(2026, 1, 1), date.max]


def test_a_default_does_not_mend_what_is_there(tmp_path: Path) -> None:
    code, notes, _ = rejected(saved(tmp_path, "e.csv", "x\n\n1\n"), declared(n=Kind.INT), header=False, defaults={"n": 0})
    assert code == "TL080"
    assert len(notes) == 1
