"""JSON Lines in tasks: what a first pass sees of the columns, and which lines are rejected."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tidelog.spark.ingest.text.json_lines import look_at, look_of
from tidelog.spark.ingest.text.lines import Lines
from tidelog.values import Kind


def lines_of(*texts: str) -> Lines:
    return Lines(pa.array(texts, pa.string()), np.zeros(len(texts), np.int64), np.zeros(len(texts), np.bool_))


def test_the_kinds_of_columns_over_several_tasks() -> None:
    tasks = [
        [lines_of('{"a": 1, "b": "x"}', '{"a": 2.5, "c": [1]}')],
        [lines_of('{"b": 3, "d": 9007199254740993}', "  ", '{"d": 1.5}')],
        [lines_of("no JSON", "[1]", '{"e": null}')],
    ]
    look = look_of(pa.Table.from_batches([batch for task in tasks for batch in look_at(iter(task))]))
    assert look.names == ("a", "b", "c", "d", "e")
    assert look.rows == 5
    assert look.kind("a") == (Kind.FLOAT, False)
    assert look.kind("b") == (None, True)
    assert look.kind("d") == (None, True), "no float holds one of its integers"
    assert look.kind("e") == (None, False)
    assert look.strange == {"c"}
