"""Columns of texts: Arrow's conversions are those of `tidelog.values`, whatever stands beside a text."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.some_values import texts

from tidelog.files.text.text_types import infer, parse
from tidelog.values import Kind, Value, from_python, parse_date, parse_float, parse_integer, parse_timestamp

PARSERS: dict[Kind, Callable[[str], Value | None]] = {
    Kind.INT: parse_integer,
    Kind.FLOAT: parse_float,
    Kind.DATE: parse_date,
    Kind.TIMESTAMP: lambda text: parse_timestamp(text.replace(" ", "T", 1)),
}
FORMS = {
    Kind.INT: r"[ +-]?[0-9]{1,20}x?",
    Kind.FLOAT: r"[ +-]?([0-9]{0,20}(\.[0-9]{0,20})?([eE][+-]?[0-9]{1,3})?|nan|inf|NaN|Inf|infinity|nan\(1\))",
    Kind.DATE: r"[0-9]{4}-[01][0-9]-[0-3][0-9]Z?",
    Kind.TIMESTAMP: r"[0-9]{4}-[01][0-9]-[0-3][0-9][T t][0-2][0-9](:[0-6][0-9]){1,2}(\.[0-9]{0,8})?(Z|z|[+-][01]\d:?[0-6]0)?",
}


def column(cells: list[str]) -> pa.ChunkedArray:
    """A column in two chunks."""
    half = len(cells) // 2
    return pa.chunked_array([pa.array(cells[:half], pa.string()), pa.array(cells[half:], pa.string())])


@pytest.mark.parametrize("kind", PARSERS)
@given(st.data())
def test_parse_is_that_of_values(kind: Kind, data: st.DataObject) -> None:
    cells = data.draw(st.lists(st.from_regex(FORMS[kind], fullmatch=True) | texts, max_size=8))
    expected = [PARSERS[kind](cell.strip()) for cell in cells]
    values = [None if value is None else from_python(value) for value in parse(kind, column(cells)).to_pylist()]
    assert values == expected


@given(st.lists(st.one_of(*(st.from_regex(form, fullmatch=True) for form in FORMS.values()), texts), min_size=1, max_size=4))
@example(["0000-01-01", "2026-11-15"])
@example([" ", "5"])
def test_infer_takes_all_cells_or_none(cells: list[str]) -> None:
    kind, values = infer(column(cells))
    assert len(values) == len(cells)
    for cell, value in zip(cells, values.to_pylist(), strict=True):
        assert (value is None) == (kind is not Kind.STRING and not cell.strip())
