"""Column types from parts of a column: the same as from the whole column."""

from __future__ import annotations

import itertools

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tidelog.files.text.text_types import infer
from tidelog.spark.ingest.text.inference import Seen, seen_in, seen_in_all
from tidelog.values import Kind

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
