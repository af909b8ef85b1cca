"""Keeping a value to the declared type of its column."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.some_values import any_value, b, f, i, s

from tidelog.functions.conform import CONFORM, conform
from tidelog.functions.evaluate import apply
from tidelog.functions.signatures import FUNCTIONS
from tidelog.values import INT_MAX, Kind, Value


@given(st.sampled_from(list(Kind)), any_value)
def test_a_value_of_the_kind_stays_and_only_integers_change(kind: Kind, value: Value) -> None:
    result = conform(kind, value)
    if value.kind is kind:
        assert result == value
    elif (value.kind, kind) == (Kind.INT, Kind.FLOAT):
        assert result == apply("float", [value])
    else:
        assert result is None


@pytest.mark.parametrize(
    ("kind", "value", "result"),
    [
        (Kind.FLOAT, i(2), f(2.0)),
        (Kind.FLOAT, i(INT_MAX), f(2.0**63)),
        (Kind.FLOAT, b(True), None),
        (Kind.FLOAT, s("2.0"), None),
        (Kind.INT, f(2.0), None),
        (Kind.INT, b(True), None),
        (Kind.STRING, i(2), None),
    ],
)
def test_conform(kind: Kind, value: Value, result: Value | None) -> None:
    assert conform(kind, value) == result
    assert apply(CONFORM + kind, [value]) == result


def test_no_program_can_name_them() -> None:
    assert not any(name.startswith(CONFORM) for name in FUNCTIONS)
