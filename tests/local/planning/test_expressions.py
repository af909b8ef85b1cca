"""Expressions as postfix code, executed by a stack machine in Python."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
from tests.local_engine import program

from tidelog.local.kernel import arithmetic
from tidelog.local.planning.expressions import postfix
from tidelog.syntax.tree import Comparison, Constant, Term

TWO: dict[int, Callable[[Any, Any], Any]] = {
    arithmetic.ADD: operator.add,
    arithmetic.SUBTRACT: operator.sub,
    arithmetic.MULTIPLY: operator.mul,
    arithmetic.SMALLER: min,
    arithmetic.LARGER: max,
}
ONE: dict[int, Callable[[Any], Any]] = {arithmetic.NEGATE: operator.neg, arithmetic.ABSOLUTE: abs}


def term(text: str) -> Term:
    (rule,) = program(f"h(X) :- p(X), 0 < {text}.").rules
    (comparison,) = (literal for literal in rule.body if isinstance(literal, Comparison))
    return comparison.right


def run(found: Term) -> tuple[Any, int, int]:
    """The value on the stack, the deepest stack, and the depth that was announced."""
    slots: list[Any] = []

    def slot_of(leaf: Term) -> int:
        assert isinstance(leaf, Constant)
        slots.append(leaf.value.content)
        return len(slots) - 1

    code, announced = postfix(found, slot_of)
    stack: list[Any] = []
    deepest, words = 0, iter(code)
    for op in words:
        if op == arithmetic.PUSH:
            stack.append(slots[next(words)])
        elif op in TWO:
            right, left = stack.pop(), stack.pop()
            stack.append(TWO[op](left, right))
        elif op in ONE:
            stack.append(ONE[op](stack.pop()))
        else:
            assert op == arithmetic.ORDERED
        deepest = max(deepest, len(stack))
    (value,) = stack
    return value, deepest, announced


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("1 - (2 - (3 - 4))", -2),
        ("10 - 2 - 3", 5),
        ("abs(2 - 9) + 1", 8),
        ("-(2 + 3)", -5),
        ("min(4, 2, 3) + max(1, 5)", 7),
        ("max(3)", 3),
        ("1 + (2 + (3 + (4 + 5)))", 15),
    ],
)
def test_postfix_code(text: str, value: int) -> None:
    found, deepest, announced = run(term(text))
    assert found == value
    assert deepest == announced
