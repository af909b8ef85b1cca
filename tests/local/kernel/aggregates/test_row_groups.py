"""Groups of rows in one pass: the same groups, sizes and results as one group after the other."""

from __future__ import annotations

from collections import defaultdict
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.some_values import any_value, numbers

from tidelog.core.rules import Aggregation
from tidelog.functions.aggregates import aggregate
from tidelog.local.evaluation import grouping
from tidelog.local.evaluation.aggregation import fold
from tidelog.local.kernel.aggregates import row_groups
from tidelog.local.storage.state import State
from tidelog.values import Kind, Value

Rows = list[tuple[Value, Value, Value]]


def folded(rows: Rows, function: str, columns: tuple[int, ...], removed: int, begin: int) -> dict[tuple[Value, ...], Value]:
    """The results over rows, some of which have been removed, from one of them on."""
    state = State()
    ids = [state.terms.encode(row) for row in rows]
    table, results = state.ensure_table("rows", 3), state.ensure_table("results", len(columns) + 1)
    for row in ids:
        table.insert(row[None])
    table.remove(np.array(ids[:removed], np.int32).reshape(-1, 3))
    fold(Aggregation(function, "rows", columns, 2), state, results, begin)
    values = [tuple(state.terms.values_of(row)) for row in results.rows]
    return {value[:-1]: value[-1] for value in values}


@pytest.mark.by_night(2_000)
@given(
    st.lists(st.tuples(numbers | any_value, any_value, numbers | any_value), max_size=40, unique=True),
    st.sampled_from(("count", "sum", "min", "max", "avg", "median")),
    st.sampled_from(((), (0,), (1,), (1, 0), (0, 1, 2))),
    st.integers(0, 5),
    st.integers(0, 5),
    st.sampled_from((1, 2, 2048)),
)
def test_equal_to_the_definition(
    rows: Rows, function: str, columns: tuple[int, ...], removed: int, begin: int, block: int
) -> None:
    groups: dict[tuple[Value, ...], list[Value]] = defaultdict(list)
    for row in rows[max(min(removed, len(rows)), begin) :]:
        groups[tuple(row[at] for at in columns)].append(row[2])
    expected = {key: aggregate(function, members) for key, members in groups.items()}
    with patch.object(grouping, "FEWEST_GROUPS", row_groups.BLOCK if block > 2 else 1):
        found = folded(rows, function, columns, removed, begin)
    assert found == {key: value for key, value in expected.items() if value is not None}


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=64), min_size=1, max_size=60))
def test_sums_of_floats_are_exact_or_left_to_others(given: list[float]) -> None:
    """They need not be known in one pass; those that are, are the exact sum, rounded once."""
    from math import fsum

    state = State()
    ids = state.terms.encode_numbers(Kind.FLOAT, (np.array(given) + 0.0).view(np.int64))
    table = state.ensure_table("rows", 2)
    table.insert(np.column_stack([np.arange(len(ids)), ids]).astype(np.int32))
    groups = grouping.RowGroups(state, table, Aggregation("sum", "rows", (), 1), row_groups.SUM, 0)
    (total,), (known,) = groups.sums()
    if known:
        (value,) = state.terms.values_of(np.array([total], np.int32))
        assert value.content == fsum(np.array(given) + 0.0)


def test_most_sums_are_known_in_one_pass() -> None:
    random, state = np.random.default_rng(1), State()
    numbers = random.normal(0, 1e6, 20_000)
    ids = state.terms.encode_numbers(Kind.FLOAT, numbers.view(np.int64))
    table = state.ensure_table("rows", 2)
    table.insert(np.column_stack([ids[np.arange(len(ids)) % 200], ids]).astype(np.int32))
    _, known = grouping.RowGroups(state, table, Aggregation("sum", "rows", (0,), 1), row_groups.SUM, 0).sums()
    assert len(known) == 200
    assert known.mean() > 0.99
