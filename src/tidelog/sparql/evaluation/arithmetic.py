"""Arithmetic of SPARQL: integers stay integers, a decimal makes a decimal, a float a float; integers divide into a decimal.

After the recommendation, section 17.4, and XPath's operators.  Of xsd:float and xsd:double, both become doubles.
"""

from __future__ import annotations

import math
from decimal import Decimal, DivisionByZero, InvalidOperation, localcontext
from typing import Any

import numpy as np

from tidelog.core.arrays import Int32s
from tidelog.sparql.evaluation.comparing import Comparer, Sort
from tidelog.sparql.terms import UNBOUND
from tidelog.values import XSD, Kind, Literal, Value, floating, integer

_SMALL = 1 << 31
"""Sums and products of integers below this fit into 64 bits."""
_DIGITS = 28


def decimal(number: Decimal) -> Value:
    """An xsd:decimal."""
    text = f"{number.normalize():f}"
    return Value(Kind.LITERAL, Literal(text if "." in text else f"{text}.0", XSD + "decimal"))


def whole(number: int) -> Value:
    """An integer, of any size."""
    return integer(number) or Value(Kind.LITERAL, Literal(str(number), XSD + "integer"))


def number_of(value: Value, key: Any) -> int | Decimal | float:
    """A number that adds up as its datatype says; `key` is what it compares as."""
    is_float = isinstance(value.content, Literal) and value.content.datatype in (XSD + "float", XSD + "double")
    found: int | Decimal | float = float(key) if is_float else key
    return found


def value_of_number(number: Decimal | float) -> Value:
    """The value of a result."""
    if isinstance(number, float):
        return floating(number)
    return decimal(number) if isinstance(number, Decimal) else whole(number)


def calculate(op: str, lefts: Int32s, rights: Int32s, comparer: Comparer, terms: Any) -> Int32s:
    """`left op right` for each row; what is no number, or has no result, is not bound."""
    result = np.full(len(lefts), UNBOUND, np.int32)
    rows = np.flatnonzero((lefts >= 0) & (rights >= 0))
    if not len(rows):
        return result
    mine, theirs = lefts[rows], rights[rows]
    if op in _WHOLE and terms.have_kind(Kind.INT, mine).all() and terms.have_kind(Kind.INT, theirs).all():
        numbers = comparer.numbers(mine), comparer.numbers(theirs)
        if all(np.abs(some).max() < _SMALL for some in numbers):
            result[rows] = terms.encode_numbers(Kind.INT, _WHOLE[op](*numbers))
            return result
    pairs, places = np.unique((mine.astype(np.int64) << 32) | theirs.astype(np.int64), return_inverse=True)
    sides = [(pairs >> 32).astype(np.int32), (pairs & 0xFFFFFFFF).astype(np.int32)]
    operands = [_numbers(side, comparer, terms) for side in sides]
    values = [_calculated(op, *both) for both in zip(*operands, strict=True)]
    ids = np.full(len(pairs), UNBOUND, np.int32)
    known = [at for at, value in enumerate(values) if value is not None]
    ids[known] = terms.encode([value for value in values if value is not None])
    result[rows] = ids[places.reshape(-1)]
    return result


def _numbers(ids: Int32s, comparer: Comparer, terms: Any) -> list[int | Decimal | float | None]:
    values = terms.values_of(ids)
    return [
        number_of(value, one.key) if one.sort is Sort.NUMBER else None
        for value, one in zip(values, comparer.of(ids), strict=True)
    ]


def _calculated(op: str, left: Decimal | float | None, right: Decimal | float | None) -> Value | None:
    """The result of one operation."""
    if left is None or right is None:
        return None
    if isinstance(left, float) or isinstance(right, float):
        return floating(_of_floats(op, float(left), float(right)))
    exact: dict[str, Any] = {"+": left + right, "-": left - right, "*": left * right}
    if op != "/":
        return value_of_number(exact[op])
    try:
        with localcontext() as context:
            context.prec = _DIGITS
            return decimal(Decimal(left) / Decimal(right))
    except (DivisionByZero, InvalidOperation):
        return None


def _of_floats(op: str, left: float, right: float) -> float:
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
    if right:
        return left / right
    return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left) * math.copysign(1, right)


_WHOLE: dict[str, Any] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
}
