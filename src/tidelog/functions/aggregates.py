"""The aggregates over a collection of values; None stands for "undefined".

`sum` of integers is an integer; with a float among them it is the exact sum, rounded once, so that the order of the values
does not matter.  `avg` is that sum divided by the count (of integers the exact mean, rounded once), and `median` of an even
number of values the mean of the two in the middle.  Neither overflows.  A NaN among the values, or a value of the wrong kind,
makes the result undefined.
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


def _exact_sum(numbers: Sequence[int | float]) -> Fraction | float | None:
    """The exact sum; infinity if one is infinite, and None for infinity minus infinity."""
    infinite = {n for n in numbers if isinstance(n, float) and math.isinf(n)}
    if infinite:
        return infinite.pop() if len(infinite) == 1 else None
    return sum((Fraction(n) for n in numbers), Fraction(0))


def _rounded(exact: Fraction | float) -> float:
    """The nearest float."""
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _sum(values: Sequence[Value]) -> Value | None:
    numbers = _numbers(values)
    total = None if numbers is None else _exact_sum(numbers)
    if numbers is None or total is None:
        return None
    return sum_of(total, are_integers=all(isinstance(n, int) for n in numbers))


def sum_of(total: Fraction | float, *, are_integers: bool) -> Value | None:
    """The sum of numbers from their exact sum."""
    return integer(int(total)) if are_integers else floating(_rounded(total))


def _avg(values: Sequence[Value]) -> Value | None:
    numbers = _numbers(values)
    return _mean(numbers) if numbers else None


def _median(values: Sequence[Value]) -> Value | None:
    numbers = _numbers(values)
    if not numbers:
        return None
    numbers.sort()
    return _mean([numbers[(len(numbers) - 1) // 2], numbers[len(numbers) // 2]])


def _mean(numbers: Sequence[int | float]) -> Value | None:
    total = _exact_sum(numbers)
    if total is None:
        return None
    return mean_of(total, len(numbers), are_integers=all(isinstance(n, int) for n in numbers))


def mean_of(total: Fraction | float, count: int, *, are_integers: bool) -> Value:
    """The mean of numbers from their exact sum."""
    as_float = _rounded(total)
    if are_integers or (math.isinf(as_float) and isinstance(total, Fraction)):
        return floating(_rounded(total / count))
    return floating(as_float / count)


_ALL: dict[str, Callable[[Sequence[Value]], Value | None]] = {
    "count": lambda values: integer(len(values)),
    "sum": _sum,
    "min": lambda values: extreme(values, largest=False),
    "max": lambda values: extreme(values, largest=True),
    "avg": _avg,
    "median": _median,
}


def aggregate(name: str, values: Sequence[Value]) -> Value | None:
    """The aggregate of the values of all distinct bindings; None where it is undefined."""
    return _ALL[name](values)
