"""Exact sums that numbers join and leave, against `functions.aggregates` over all that are left."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.some_values import any_value, f, i, numbers, s

from tidelog.functions.aggregates import aggregate
from tidelog.local.kernel.aggregates import exact_sums as kernel
from tidelog.local.kernel.aggregates.group_folding import AVG, FLOAT, HARD, INT, SUM, UNDEFINED
from tidelog.local.storage.dictionary import Dictionary
from tidelog.values import INT_MAX, INT_MIN, Kind, Value

FUNCTIONS = {"sum": SUM, "avg": AVG}
HARD_VALUE = object()


class Sum:
    """A sum that members join and leave."""

    def __init__(self) -> None:
        self.terms, self.digits = Dictionary(), np.zeros(kernel.DIGITS, np.int64)
        self.counts = np.zeros(kernel.SUM_COUNTS, np.int64)

    def change(self, values: list[Value], sign: int) -> None:
        ids = np.array(self.terms.encode(values), np.int32)
        kernel.add_members(self.terms.header, ids, sign, self.digits, self.counts)

    def result(self, function: str) -> object:
        payload = np.zeros(1, np.int64)
        outcome = kernel.read_sum(FUNCTIONS[function], self.digits, self.counts, payload)
        if outcome == HARD:
            return HARD_VALUE
        if outcome == UNDEFINED:
            return None
        assert outcome in (INT, FLOAT)
        kind = Kind.INT if outcome == INT else Kind.FLOAT
        return self.terms.values_of(self.terms.encode_numbers(kind, payload))[0]


def check(joined: list[Value], left: list[Value], seed: int = 0) -> None:
    """What is left after all have joined and some have left again, in any order."""
    moves = [(value, 1) for value in (*joined, *left)]
    Random(seed).shuffle(moves)
    tail = [(value, -1) for value in left]
    Random(seed).shuffle(tail)
    total = Sum()
    for value, sign in (*moves, *tail):
        total.change([value], sign)
    for function in FUNCTIONS:
        found = total.result(function)
        if found is not HARD_VALUE:
            assert found == aggregate(function, joined), function
        else:
            assert function == "avg" or all(value.kind is Kind.INT for value in joined)
            floats = [value.content for value in joined if isinstance(value.content, float)]
            assert len(floats) < len(joined) or math.isinf(sum(floats)) or max(map(abs, floats)) > 1e308


anything = st.one_of(numbers, any_value, st.floats().map(f))


@pytest.mark.by_night(20_000)
@given(st.lists(anything, min_size=1, max_size=8), st.lists(anything, max_size=8), st.integers(0, 9))
@settings(max_examples=150)
def test_what_has_gone_leaves_nothing_behind(joined: list[Value], left: list[Value], seed: int) -> None:
    check(joined, left, seed)


@pytest.mark.by_night(20_000)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False).map(f), min_size=1, max_size=30), st.integers(0, 9))
@settings(max_examples=100)
def test_floats_are_rounded_once(joined: list[Value], seed: int) -> None:
    check(joined, [f(1.7e308), f(5e-324), f(-1.0)], seed)


BIG, LEAST = 1.7976931348623157e308, 5e-324


@pytest.mark.parametrize(
    "joined",
    [
        [f(0.0)],
        [f(LEAST)],
        [f(LEAST)] * 3,
        [f(-LEAST), f(LEAST)],
        [f(2.2250738585072014e-308), f(-LEAST)],
        [f(BIG)],
        [f(BIG), f(BIG)],
        [f(-BIG), f(-BIG), f(BIG)],
        [f(BIG), f(BIG), f(-BIG), f(-BIG), f(0.5)],
        [f(BIG), f(2.0**970)],  # half a unit in the last place above the largest float, and just below
        [f(BIG), f(2.0**970), f(-LEAST)],
        [f(1.0), f(2.0**-53)],
        [f(1.0), f(2.0**-53), f(LEAST)],
        [f(1.0 + 2.0**-52), f(2.0**-53)],
        [f(math.inf), f(1.0)],
        [f(math.inf), f(-math.inf)],
        [f(-math.inf), i(1)],
        [f(math.nan), i(1)],
        [s("a"), i(1)],
        [i(INT_MAX)],
        [i(INT_MAX), i(1)],
        [i(INT_MIN)],
        [i(INT_MIN), i(-1), i(1)],
        [i(INT_MIN), f(0.5)],
        [i(2**53 + 1), f(2.0**53)],
        [i(2**52), i(2**52), i(1)],
        [i(0)],
        [i(3), i(-3)],
        [i(3), f(-3.0)],
    ],
    ids=str,
)
def test_sums_where_something_may_break(joined: list[Value]) -> None:
    check(joined, [])
    check(joined, [*joined, f(BIG), f(math.inf), f(math.nan), i(INT_MIN), s("b"), f(0.1)])


def test_carries_are_passed_on_in_time() -> None:
    """After 2^30 additions, which a counter says: here it says so at once."""
    total = Sum()
    members = [f(0.1 * at) for at in range(1, 100)]
    for _ in range(3):
        total.counts[kernel.UNCARRIED] = (1 << 30) - 50
        total.change(members, 1)
        assert total.counts[kernel.UNCARRIED] == 49
    total.change(members, -1)
    assert total.result("sum") == aggregate("sum", members * 2)
