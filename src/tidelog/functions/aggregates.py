"""The aggregates over a collection of values; None stands for "undefined".

`sum` of integers is an integer; as soon as a float takes part it is the exact sum, rounded once, so that the order of the
values never shows.  `avg` is the sum as a float, divided by the count.  `median` of an even number of values is half the
sum of the two in the middle.  A NaN among the values, or a value of the wrong kind, makes the result undefined.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from tidelog.functions.arithmetic import number
from tidelog.functions.ordering import extreme
from tidelog.values import Value, floating, integer


def _numbers(values: Sequence[Value]) -> list[int | float] | None:
    numbers = [number(value) for value in values]
    if any(n is None or math.isnan(n) for n in numbers):
        return None
    return [n for n in numbers if n is not None]


def _exact_sum(numbers: Sequence[int | float]) -> int | float | None:
    """The sum, exact for integers and rounded once for floats; None for infinity minus infinity."""
    if all(isinstance(n, int) for n in numbers):
        return sum(numbers)
    infinite = {n for n in numbers if isinstance(n, float) and math.isinf(n)}
    if infinite:
        return infinite.pop() if len(infinite) == 1 else None
    total = sum((Fraction(n) for n in numbers), Fraction(0))
    return _rounded(total)


def _rounded(exact: Fraction) -> float:
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _sum(values: Sequence[Value]) -> Value | None:
    numbers = _numbers(values)
    total = None if numbers is None else _exact_sum(numbers)
    if total is None:
        return None
    return floating(total) if isinstance(total, float) else integer(total)


def _avg(values: Sequence[Value]) -> Value | None:
    numbers = _numbers(values)
    total = _exact_sum(numbers) if numbers else None
    return None if total is None or not numbers else floating(float(total) / len(numbers))


def _median(values: Sequence[Value]) -> Value | None:
    numbers = _numbers(values)
    if not numbers:
        return None
    numbers.sort()
    low, high = float(numbers[(len(numbers) - 1) // 2]), float(numbers[len(numbers) // 2])
    middle = low if low == high else (low + high) / 2
    return None if math.isnan(middle) else floating(middle)


_ALL: dict[str, Callable[[Sequence[Value]], Value | None]] = {
    "count": lambda values: integer(len(values)),
    "sum": _sum,
    "min": lambda values: extreme(values, largest=False),
    "max": lambda values: extreme(values, largest=True),
    "avg": _avg,
    "median": _median,
}


def aggregate(name: str, values: Sequence[Value]) -> Value | None:
    """The aggregate of the values, one for each distinct binding; None where it is undefined or has no row."""
    return _ALL[name](values)
