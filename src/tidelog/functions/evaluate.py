"""Evaluation of functions on values, and of terms under a binding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tidelog.functions.arithmetic import ARITHMETIC
from tidelog.functions.conform import CONFORMING
from tidelog.functions.ordering import compare
from tidelog.functions.strings import STRINGS
from tidelog.syntax.tree import Call, Constant, Term
from tidelog.values import Value, boolean

ORDERINGS = ("<", "<=", ">", ">=")


def _ordering(op: str) -> Callable[..., Value | None]:
    """A comparison operator as a function with a boolean result."""

    def ordered(left: Value, right: Value) -> Value | None:
        truth = compare(op, left, right)
        return None if truth is None else boolean(truth)

    return ordered


_ALL = {**ARITHMETIC, **STRINGS, **CONFORMING, **{op: _ordering(op) for op in ORDERINGS}}


def apply(function: str, args: Sequence[Value]) -> Value | None:
    """The function's value, or None where it is undefined."""
    return _ALL[function](*args)


def evaluate(term: Term, binding: Mapping[str, Value]) -> Value | None:
    """The value of a term under a binding of all of its variables, or None where it is undefined."""
    if isinstance(term, Constant):
        return term.value
    if isinstance(term, Call):
        args: list[Value] = []
        for arg in term.args:
            value = evaluate(arg, binding)
            if value is None:
                return None
            args.append(value)
        return apply(term.function, args)
    return binding[term.name]
