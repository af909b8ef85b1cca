"""Aggregates of the engine against `functions.aggregates`, for groups of all sorts."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.local_engine import rows_of
from tests.some_values import any_value, f, i, ints, numbers, s

from tidelog import KnowledgeBase
from tidelog.functions.aggregates import aggregate
from tidelog.functions.signatures import AGGREGATES
from tidelog.values import INT_MAX, INT_MIN, Value

RULES = "\n".join(
    [
        *(f"{name}_of(G, N) :- N = {name} {{ V : g(G, I, V) }}." for name in AGGREGATES),
        *(f"{name}_asked(G, N) :- k(G), N = {name} {{ V : g(G, I, V) }}." for name in AGGREGATES),
        *(f"{name}_all(N) :- N = {name} {{ V : g(_, _, V) }}." for name in AGGREGATES),
        "twice(G, H, N) :- N = sum { V : g(G, I, V), g(H, I, _) }.",
    ]
)


def check(groups: Sequence[Sequence[Value]]) -> None:
    """Compare all aggregates of the groups, and of some groups that have no members."""
    kb = KnowledgeBase(RULES)
    requested = range(len(groups) + 2)
    facts = [("g", at, place, value) for at, group in enumerate(groups) for place, value in enumerate(group)]
    kb.update(insert=[*facts, *(("k", at) for at in requested)])
    for name in AGGREGATES:
        expected = {(i(at), aggregate(name, group)) for at, group in enumerate(groups) if group}
        assert rows_of(kb.facts(f"{name}_of")) == {row for row in expected if row[1] is not None}, name
        empty = {i(at) for at in requested} - {row[0] for row in expected}
        zeros = {(group, i(0)) for group in empty} if name in ("count", "sum") else set()
        assert rows_of(kb.facts(f"{name}_asked")) == {row for row in expected if row[1] is not None} | zeros, name
        members = [value for group in groups for value in group]
        whole = aggregate(name, members) if members or name in ("count", "sum") else None
        assert rows_of(kb.facts(f"{name}_all")) == ({(whole,)} if whole is not None else set()), name
    by_place: dict[tuple[int, int], list[Value]] = defaultdict(list)
    for left, group in enumerate(groups):
        for right, other in enumerate(groups):
            by_place[left, right] = list(group[: len(other)])
    sums = {(i(left), i(right), aggregate("sum", members)) for (left, right), members in by_place.items() if members}
    assert rows_of(kb.facts("twice")) == {row for row in sums if row[2] is not None}


@pytest.mark.by_night(2_000)
@given(st.lists(st.lists(numbers, max_size=8), max_size=5))
@settings(max_examples=50)
def test_numbers(groups: list[list[Value]]) -> None:
    check(groups)


@pytest.mark.by_night(2_000)
@given(st.lists(st.lists(ints, max_size=8), max_size=4))
@settings(max_examples=30)
def test_integers(groups: list[list[Value]]) -> None:
    check(groups)


@pytest.mark.by_night(2_000)
@given(st.lists(st.lists(any_value, max_size=4), max_size=5))
@settings(max_examples=30)
def test_values_of_every_kind(groups: list[list[Value]]) -> None:
    check(groups)


@pytest.mark.parametrize(
    "group",
    [
        [i(2), f(2.0)],
        [f(2.0), i(2)],
        [f(2.0), i(2), i(2), f(2.0), i(3)],
        [i(2**53 + 1), f(2.0**53)],
        [i(2**53), f(2.0**53), i(2**53 - 1)],
        [i(INT_MAX), i(INT_MAX)],
        [i(INT_MAX), i(INT_MIN)],
        [i(INT_MAX), i(1), i(-1)],
        [i(INT_MIN), i(INT_MIN), f(0.5)],
        [i(2**52), i(2**52), i(1)],
        [i(2**52), i(2**52)],
        [i(-(2**52)), i(-(2**52)), i(-1)],
        [f(math.inf), f(1.0)],
        [f(math.inf), f(-math.inf)],
        [f(math.inf), i(INT_MAX)],
        [f(-math.inf), f(-math.inf), f(1e308)],
        [f(math.nan)],
        [f(math.nan), i(1)],
        [i(1), f(math.nan), s("a")],
        [f(1e308), f(1e308), f(-1e308)],
        [f(1.7976931348623157e308), f(1.7976931348623157e308)],
        [f(1e16), f(1.0), f(-1e16)],
        [f(0.1)] * 10,
        [f(1e100), f(1.0), f(-1e100), f(1e-100)],
        [f(5e-324), f(5e-324), f(5e-324)],
        [f(1.0), f(2.0**-53), f(2.0**-106)],
        [f(1.0), f(2.0**-53), f(-(2.0**-106))],
        [f(10.0 ** (n % 300 - 150) * (-1) ** n) for n in range(400)],
        [s("b"), s("a"), s("ab")],
        [s("b"), i(1)],
    ],
    ids=str,
)
def test_groups_where_something_may_break(group: list[Value]) -> None:
    check([group, group[::-1], group[:1]])


def test_the_same_value_counts_as_often_as_it_is_bound() -> None:
    kb = KnowledgeBase(
        "n(N) :- N = sum { V : p(V, _) }. m(N) :- N = sum { V : p(V, X), X > 1 }. p(5, 1). p(5, 2). p(5, 3). p(1, 3)."
    )
    assert list(kb.facts("n")) == [(16,)]
    assert list(kb.facts("m")) == [(11,)]


@pytest.mark.parametrize("function", AGGREGATES)
def test_inside_a_recursion(function: str) -> None:
    """The groups come from the recursion around the aggregate; its body reads lower relations only."""
    rules = f"o(0, 0). o(R + 1, N) :- o(R, _), R < 5, N = {function} {{ X : p(X), X <= R + 1 }}. p(1). p(2). p(4)."
    members = {step: [i(x) for x in (1, 2, 4) if x <= step] for step in range(1, 6)}
    expected = {(i(0), i(0)), *((i(step), aggregate(function, group)) for step, group in members.items())}
    kb = KnowledgeBase(rules)
    assert rows_of(kb.facts("o")) == expected
    kb.update(delete=[("p", 1)])
    groups = {step: [value for value in group if value != i(1)] for step, group in members.items()}
    found = rows_of(kb.facts("o"))
    if function in ("count", "sum"):
        assert found == {(i(0), i(0)), *((i(step), aggregate(function, group)) for step, group in groups.items())}
    else:
        assert found == {(i(0), i(0))}
