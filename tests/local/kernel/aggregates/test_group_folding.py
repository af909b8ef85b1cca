"""Aggregates inside the kernel, against `functions.aggregates`; what is hard is left to it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog.functions.aggregates import aggregate
from tidelog.local.kernel.aggregates import group_folding as kernel
from tidelog.local.storage.dictionary import Dictionary
from tidelog.values import Kind, Value, from_python

FUNCTIONS = {"sum": kernel.SUM, "min": kernel.MIN, "max": kernel.MAX, "avg": kernel.AVG, "median": kernel.MEDIAN}
NUMBERS = st.one_of(st.integers(-1000, 1000), st.floats(-1e6, 1e6, allow_nan=False))
GROUPS = st.lists(st.lists(NUMBERS, min_size=1, max_size=6), min_size=1, max_size=5)


def folded(function: str, groups: list[list[Value]]) -> list[Value | int | None]:
    """The result of each group; an outcome that is no result as its number."""
    terms = Dictionary()
    members = [value for group in groups for value in group]
    targets = np.array(terms.encode(members), np.int32)
    starts = np.concatenate([[0], np.cumsum([len(group) for group in groups])]).astype(np.int64)
    outcomes, payloads = np.empty(len(groups), np.uint8), np.empty(len(groups), np.int64)
    numbers = np.empty(max(map(len, groups)), np.float64)
    kernel.fold_groups(terms.header, FUNCTIONS[function], starts, targets, outcomes, payloads, numbers)
    results: list[Value | int | None] = []
    for outcome, payload in zip(outcomes.tolist(), payloads.tolist(), strict=True):
        if outcome == kernel.SAME_ID:
            results += terms.values_of(np.array([payload], np.int32))
        elif outcome in (kernel.INT, kernel.FLOAT):
            kind = Kind.INT if outcome == kernel.INT else Kind.FLOAT
            results += terms.values_of(terms.encode_numbers(kind, np.array([payload])))
        else:
            results.append(None if outcome == kernel.UNDEFINED else outcome)
    return results


@pytest.mark.parametrize("function", FUNCTIONS)
@given(groups=GROUPS)
def test_ordinary_groups_are_folded_as_functions_define_it(function: str, groups: list[list[float]]) -> None:
    values = [[from_python(member) for member in group] for group in groups]
    assert folded(function, values) == [aggregate(function, group) for group in values]


def test_what_needs_more_than_64_bits_is_left_to_python() -> None:
    assert folded("sum", [[from_python(2**62), from_python(2**62 - 1)]]) == [kernel.HARD]
    assert folded("avg", [[from_python(float("inf"))]]) == [kernel.HARD]


def test_a_group_without_numbers_has_no_sum_and_without_an_order_no_minimum() -> None:
    assert folded("sum", [[from_python("text")]]) == [None]
    assert folded("min", [[from_python("text"), from_python(1)]]) == [None]
