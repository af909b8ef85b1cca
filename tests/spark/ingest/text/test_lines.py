"""Lines of files inside Spark's tasks: file, first line, number, quotes over several lines, damaged text."""

from __future__ import annotations

import gzip

import pyarrow as pa
import pytest

from tidelog.spark.ingest.text.lines import OPEN_QUOTE, Lines, lines_of_files, lines_of_rows, open_quotes


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
