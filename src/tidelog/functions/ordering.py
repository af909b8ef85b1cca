"""The order of values: `< <= > >=`, and the smallest and largest of several.

Numbers compare by value, whatever their kind; strings by code points; dates, timestamps and booleans among themselves.
All other values, and NaN, have no order.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from typing import Any

from tidelog.functions.signatures import COMPARABLE
from tidelog.values import Kind, Value

_ORDER_OF = {kind: place for place, comparable in enumerate(COMPARABLE) for kind in comparable}
_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def ordered(left: Value, right: Value) -> bool:
    """Whether the two have an order."""
    place = _ORDER_OF.get(left.kind)
    return place is not None and place == _ORDER_OF.get(right.kind) and not (_is_nan(left) or _is_nan(right))


def compare(op: str, left: Value, right: Value) -> bool | None:
    """The truth of `left op right`; None (undefined) if the operator needs an order and there is none."""
    if op == "=":
        return left == right
    if op == "!=":
        return left != right
    return _TESTS[op](left.content, right.content) if ordered(left, right) else None


def extreme(values: Iterable[Value], *, largest: bool) -> Value | None:
    """The smallest or largest value; of an integer and a float that are equal, the integer; None if some have no order."""
    best: Value | None = None
    for value in values:
        if best is None:
            best = value if ordered(value, value) else None
            if best is None:
                return None
            continue
        if not ordered(best, value):
            return None
        better = compare(">" if largest else "<", value, best)
        tie = value.kind is Kind.INT and best.kind is Kind.FLOAT and value.content == best.content
        if better or tie:
            best = value
    return best


def _is_nan(value: Value) -> bool:
    return isinstance(value.content, float) and math.isnan(value.content)
