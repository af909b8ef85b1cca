"""Arithmetic: `+ - * / mod` and the numeric functions; None stands for "undefined".

Integers have 64 bits and are never converted to floats implicitly; a result that does not fit is undefined.  Floats follow IEEE
754, except that a result that is not a number is undefined.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date

from tidelog.functions.ordering import extreme
from tidelog.values import INT_MAX, Kind, Value, floating, integer

_Number = int | float


def number(value: Value) -> _Number | None:
    """The number in a value, or None if it is of another kind."""
    content = value.content
    return content if value.kind in (Kind.INT, Kind.FLOAT) and isinstance(content, int | float) else None


def _result(outcome: _Number | None) -> Value | None:
    if outcome is None or (isinstance(outcome, float) and math.isnan(outcome)):
        return None
    return floating(outcome) if isinstance(outcome, float) else integer(outcome)


def _on_numbers(compute: Callable[..., _Number | None]) -> Callable[..., Value | None]:
    """Lift a computation over Python numbers to values."""

    def lifted(*args: Value) -> Value | None:
        numbers = [number(arg) for arg in args]
        if any(n is None for n in numbers):
            return None
        try:
            return _result(compute(*numbers))
        except (ZeroDivisionError, ValueError):
            return None

    return lifted


def _divide(a: _Number, b: _Number) -> _Number:
    if isinstance(a, int) and isinstance(b, int):
        quotient = abs(a) // abs(b)
        return quotient if (a < 0) == (b < 0) else -quotient
    return a / b


def _modulo(a: _Number, b: _Number) -> _Number:
    if isinstance(a, int) and isinstance(b, int):
        remainder = abs(a) % abs(b)
        return -remainder if a < 0 else remainder
    return math.fmod(a, b)


def _power(base: _Number, exponent: _Number) -> _Number | None:
    if isinstance(base, int) and isinstance(exponent, int) and exponent >= 0:
        if abs(base) > 1 and exponent > INT_MAX.bit_length():
            return None
        return int(base**exponent) if abs(base) > 1 else _small_power(base, exponent)
    if base == 0 and exponent < 0:
        return None
    if isinstance(base, int) and isinstance(exponent, int) and abs(base) == 1:
        return float(_small_power(base, -exponent))  # as a float the exponent might lose its last bit
    try:
        return math.pow(base, exponent)
    except OverflowError:
        odd = float(exponent).is_integer() and exponent % 2 == 1
        return -math.inf if base < 0 and odd else math.inf


def _small_power(base: int, exponent: int) -> int:
    """Powers of -1, 0 and 1, which never grow."""
    if exponent == 0 or base == 1:
        return 1
    return 0 if base == 0 else 1 - 2 * (exponent % 2)


def _to_int(rounding: Callable[[float], int]) -> Callable[[_Number], int | None]:
    def rounded(n: _Number) -> int | None:
        return n if isinstance(n, int) else rounding(n) if math.isfinite(n) else None

    return rounded


def _minus(*args: Value) -> Value | None:
    first, *rest = args
    if not rest:
        return _negate(first)
    later, earlier = first.content, rest[0].content
    if first.kind is rest[0].kind and isinstance(later, date) and isinstance(earlier, date):
        return floating((later - earlier).total_seconds())  # dates and timestamps differ by seconds
    return _subtract(first, rest[0])


_negate = _on_numbers(lambda a: -a)
_subtract = _on_numbers(lambda a, b: a - b)

ARITHMETIC: dict[str, Callable[..., Value | None]] = {
    "+": _on_numbers(lambda a, b: a + b),
    "-": _minus,
    "*": _on_numbers(lambda a, b: a * b),
    "/": _on_numbers(_divide),
    "mod": _on_numbers(_modulo),
    "abs": _on_numbers(abs),
    "floor": _on_numbers(_to_int(math.floor)),
    "ceil": _on_numbers(_to_int(math.ceil)),
    "round": _on_numbers(_to_int(round)),
    "sqrt": _on_numbers(math.sqrt),
    "pow": _on_numbers(_power),
    "min": lambda *args: extreme(args, largest=False),
    "max": lambda *args: extreme(args, largest=True),
}
