"""The parts of ingesting that run inside Spark's tasks, without Spark."""

from __future__ import annotations

import gzip
import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog.errors import TidelogError
from tidelog.files.text_types import infer
from tidelog.spark.ingest.rejects import Rejected, Rejects
from tidelog.spark.ingest.sources import Format, _ending, _shown, format_named, is_path
from tidelog.spark.ingest.text.delimited import Dialect, first_cells, split_cells
from tidelog.spark.ingest.text.inference import Seen, seen_in, seen_in_all
from tidelog.spark.ingest.text.lines import OPEN_QUOTE, Lines, lines_of_files, lines_of_rows, open_quotes
from tidelog.spark.ingest.typed_keys import conforming
from tidelog.values import Kind

CSV = Dialect(",", True)
TSV = Dialect("\t", False)

# --- which type a column has ----------------------------------------------------------------------------------------------

_NUMBERS = ["1", "0", "-7", "2.5", "1e9", "nan", "inf", "9007199254740993", "9223372036854775808", " 5 "]
_CODES = ["007", "+49", "0x1F", "1_000"]
_OTHERS = ["", " ", "x", "true", "false", "2026-11-15", "2026-02-30", "2026-11-15T06:43:00Z", "2026-11-15 06:43:00"]
CELLS = st.sampled_from([*_NUMBERS, *_CODES, *_OTHERS])


@given(st.lists(CELLS, min_size=1, max_size=12), st.lists(st.integers(0, 12), max_size=3))
def test_parts_decide_as_the_whole_does(cells: list[str], cuts: list[int]) -> None:
    expected = infer(pa.chunked_array([pa.array(cells, pa.string())]))[0]
    bounds = sorted({0, len(cells), *(cut for cut in cuts if cut < len(cells))})
    parts = [seen_in_all(cells[begin:end]) for begin, end in itertools.pairwise(bounds)]
    merged = Seen()
    for part in parts:
        merged = merged | part
    assert merged.kind is expected
    carried = Seen()
    for begin, end in itertools.pairwise(bounds):
        carried = seen_in(pa.array(cells[begin:end], pa.string()), carried)
    assert carried.kind is expected


def test_nothing_seen_is_a_string() -> None:
    assert Seen().kind is Kind.STRING
    assert seen_in_all(["", ""]).kind is Kind.STRING


# --- lines ----------------------------------------------------------------------------------------------------------------


def rows(*lines: tuple[str | bytes, int, int]) -> pa.RecordBatch:
    texts = pa.array([line.encode() if isinstance(line, str) else line for line, _, _ in lines], pa.binary())
    texts = pa.Array.from_buffers(pa.string(), len(texts), texts.buffers())
    return pa.RecordBatch.from_arrays(
        [texts, pa.array([file for _, file, _ in lines]), pa.array([start for _, _, start in lines])], ["v", "f", "s"]
    )


def whole(data: bytes, *, delimiter: str | None = ",", is_compressed: bool = False) -> list[Lines]:
    batch = pa.RecordBatch.from_arrays([pa.array([data], pa.binary()), pa.array([7])], ["content", "file"])
    return list(lines_of_files(iter([batch]), is_compressed=is_compressed, delimiter=delimiter))


def test_first_lines_of_files_are_known_over_batches() -> None:
    parts = [
        rows(("\ufeffa", 1, 0), ("b", 1, 0)),
        rows(("c", 1, 0), ("", 2, 0), ("d", 2, 0), ("e", 2, 64)),
        rows(("f", 2, 64), ("\r", 3, 0), ("g\r", 3, 0)),
    ]
    found = list(lines_of_rows(iter(parts)))
    assert [text for lines in found for text in lines.texts.to_pylist()] == ["a", "b", "c", "d", "e", "f", "g\r"]
    assert [bool(first) for lines in found for first in lines.firsts] == [True, False, False, True, False, False, True]
    assert all(lines.number(0) is None for lines in found)


def test_lines_that_are_no_text() -> None:
    (lines,) = lines_of_rows(iter([rows(("", 1, 0), (b"\xe9,1", 1, 0), ("b", 1, 0))]))
    assert lines.rejected == [(0, "it is not UTF-8 text")]
    good = lines.without([0])
    assert good.texts.to_pylist() == ["b"]
    assert good.firsts.tolist() == [True]
    (lines,) = whole(b"a\n\n\xff\nb\n")
    assert lines.rejected == [(1, "it is not UTF-8 text")]
    assert lines.numbers is not None
    assert lines.numbers.tolist() == [1, 3, 4]


def test_cells_over_several_lines() -> None:
    (lines,) = whole(b'\xef\xbb\xbfx,y\n"a\nb\n\nc",1\n\n5" pipe,"say ""hi"""\n"d","e\nf"\n')
    assert lines.texts.to_pylist() == ["x,y", '"a\nb\n\nc",1', '5" pipe,"say ""hi"""', '"d","e\nf"']
    assert lines.numbers is not None
    assert lines.numbers.tolist() == [1, 2, 7, 8]
    assert lines.firsts.tolist() == [True, False, False, False]


def test_a_quote_that_nothing_closes() -> None:
    good, rest = whole(b'a,b\n"c,d\ne,f\n')
    assert good.texts.to_pylist() == ["a,b"]
    assert rest.rejected == [(0, OPEN_QUOTE)]
    assert rest.numbers is not None
    assert rest.numbers.tolist() == [2]


def test_compressed_files() -> None:
    (lines,) = whole(gzip.compress(b"a\nb"), is_compressed=True)
    assert lines.texts.to_pylist() == ["a", "b"]
    for damaged in (b"a\nb", gzip.compress(b"a\nb" * 100)[:-9]):
        (lines,) = whole(damaged, is_compressed=True)
        ((_, reason),) = lines.rejected
        assert reason.startswith("it is not a whole gzip file (")


@pytest.mark.parametrize(
    ("line", "is_open"),
    [
        ("a,b", False),
        ('"a","b"', False),
        ('"a', True),
        ('a,"b', True),
        ('a,"b""', True),
        ('a,"b"""', False),
        ('5",b', False),
        ('x"y,"b', True),
        ('"a"x,b', False),
        ('"a,b"', False),
        ("", False),
        ('""', False),
        ('"', True),
    ],
)
def test_open_quotes(line: str, is_open: bool) -> None:
    assert open_quotes(pa.array([line]), ",").tolist() == [is_open]


# --- cells ----------------------------------------------------------------------------------------------------------------


def lines_of(*texts: str) -> Lines:
    return Lines(pa.array(texts, pa.string()), np.zeros(len(texts), np.int64), np.zeros(len(texts), np.bool_))


def test_cells_of_lines() -> None:
    found = split_cells(lines_of("a,1", "b", '"c,""d""",2\r', "e,3,4", '"open,5', ",", '"f\ng",6', '5" h,7'), CSV, 2)
    assert [column.to_pylist() for column in found.columns] == [
        ["a", 'c,"d"', "", "f\ng", '5" h'],
        ["1", "2", "", "6", "7"],
    ]
    assert found.lines.texts.to_pylist() == ["a,1", '"c,""d""",2\r', ",", '"f\ng",6', '5" h,7']
    assert sorted(found.rejected) == [
        (1, "1 cell, and the first row has 2"),
        (3, "3 cells, and the first row has 2"),
        (4, OPEN_QUOTE),
    ]


def test_cells_without_quotes() -> None:
    found = split_cells(lines_of('"a\tb"', "c\td"), TSV, 2)
    assert [column.to_pylist() for column in found.columns] == [['"a', "c"], ['b"', "d"]]
    assert first_cells('"a\tb"\r', TSV) == ['"a', 'b"']
    assert first_cells('"a,b",c', CSV) == ["a,b", "c"]
    assert first_cells('"a\nb",c', CSV) == ["a\nb", "c"]


# --- what a source is -------------------------------------------------------------------------------------------------------


def test_formats() -> None:
    assert format_named("csv") == (Format.CSV, False)
    assert format_named(".NT.gz") == (Format.N_TRIPLES, True)
    assert format_named("json") == (Format.JSON_LINES, False)
    assert format_named("delta") is None
    assert _ending("file:/a/part-0.snappy.parquet") == (Format.PARQUET, False)
    assert _ending("/a/b.ttl.gz") == (Format.TURTLE, True)
    assert _ending("/a/b.parquet.gz") is None
    assert _ending("/a.csv/b") is None
    assert is_path("a/b", None)
    assert is_path("a.csv", None)
    assert not is_path("db.edges", None)
    assert not is_path("a.csv", "table")
    assert is_path("edges", "csv")
    assert _shown("file:/tmp/a%20b.csv") == "/tmp/a b.csv"
    assert _shown("file:///tmp/a.csv") == "/tmp/a.csv"
    assert _shown("s3a://b/a%20b.csv") == "s3a://b/a b.csv"


# --- declared kinds of keys, and rejects -------------------------------------------------------------------------------------


def test_keys_of_declared_kinds() -> None:
    task, schema = conforming(2, (Kind.FLOAT, None), ["x", "y"], "a.nt")
    assert schema == "k0 string, k1 string, reject string"
    assert task is not None
    batch = pa.RecordBatch.from_pydict({"k0": ["i1", "f0", "sz", "i1"], "k1": ["sa", "sb", "sc", "sd"]})
    (found,) = task(iter([batch]))
    assert found.column(0).to_pylist() == ["f4607182418800017408", "f0", None, "f4607182418800017408"]
    records = found.column(2).to_pylist()
    assert records[:2] + records[3:] == [None] * 3
    assert '"column": "x", "reason": "\\"z\\" is a string, and the column is declared float", "record": "z, c"' in records[2]
    assert conforming(1, ("any",), ["x"], "")[0] is None


def test_the_limit_of_rejects() -> None:
    rejects = Rejects("folder", 3)
    rejects.count = 3
    rejects.check()
    rejects.count = 4
    rejects._first = [Rejected("edge", "a.csv", 3, "w", "it is empty", "a,")]
    with pytest.raises(TidelogError) as caught:
        rejects.check()
    assert str(caught.value).splitlines() == [
        "error TL092: 4 rows are rejected, and at most 3 may be; nothing is derived",
        "    a.csv:3: column w: it is empty",
        "    ... and 3 more",
        "    all of them are in folder",
        "    fix: mend these rows, declare other types for the columns, or allow more rejected rows",
    ]
    assert rejects.first(9)[0].place == "a.csv:3"
