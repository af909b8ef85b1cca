"""Groups of solutions and their aggregates.

After the recommendation, section 18.5.1: `COUNT` and `SAMPLE` leave out what is not bound or an error; every other aggregate has
no value where one of the group has none.  Sums of integers are integers, with decimals among them decimals, and with a float
among them floats; the average of integers is a decimal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s
from tidelog.sparql.algebra import Aggregated, Group
from tidelog.sparql.evaluation.arithmetic import decimal, number_of, whole
from tidelog.sparql.evaluation.comparing import Sort
from tidelog.sparql.evaluation.expressions import Expressions
from tidelog.sparql.evaluation.solutions import Places, Solutions, firsts, groups_of
from tidelog.sparql.terms import UNBOUND
from tidelog.values import Kind, Value, floating, integer, string, text_of

_EXACT = 1 << 53
"""Sums of integers below this are exact as floats, so 64 bits hold them."""


def grouped(node: Group, solutions: Solutions, expressions: Expressions) -> Solutions:
    """One solution for each group."""
    if node.keys:
        first, places = groups_of([solutions.column(key) for key in node.keys], solutions.count)
        count = len(first)
    else:
        first, places, count = np.zeros(0, np.intp), np.zeros(solutions.count, np.int64), 1
    columns = {key: solutions.column(key)[first] for key in node.keys}
    for one in node.aggregates:
        columns[one.name] = _aggregate(one, solutions, places, count, expressions)
    return Solutions(count, columns)


def _aggregate(one: Aggregated, solutions: Solutions, places: Int64s, count: int, expressions: Expressions) -> Int32s:
    """The value of an aggregate for each group."""
    if one.expression is None:
        if one.is_distinct:
            kept = firsts([places.astype(np.int32), *solutions.columns.values()], solutions.count)
            places = places[kept]
        return _integers(np.bincount(places, minlength=count), expressions)
    ids = expressions.ids(one.expression, solutions)
    is_bound = ids >= 0
    is_whole = np.ones(count, np.bool_)
    is_whole[places[~is_bound]] = False
    ids, places = ids[is_bound], places[is_bound]
    if one.is_distinct:
        kept = firsts([places.astype(np.int32), ids], len(ids))
        ids, places = ids[kept], places[kept]
    if one.function == "count":
        return _integers(np.bincount(places, minlength=count), expressions)
    if one.function == "sample":
        return _extreme(np.arange(len(ids)), ids, places, count)
    match one.function:
        case "min":
            found = _extreme(expressions.comparer.ranks(ids), ids, places, count)
        case "max":
            found = _extreme(-expressions.comparer.ranks(ids), ids, places, count)
        case "group_concat":
            found = _each(lambda texts: string(one.separator.join(texts)), _texts(ids, expressions), places, count, expressions)
        case _:
            found = _numbers(one.function, ids, places, count, expressions)
    found[~is_whole] = UNBOUND
    return found


def _integers(numbers: NDArray[Any], expressions: Expressions) -> Int32s:
    found: Int32s = expressions.terms.encode_numbers(Kind.INT, numbers.astype(np.int64))
    return found


def _extreme(ranks: Int64s, ids: Int32s, places: Int64s, count: int) -> Int32s:
    """The id with the smallest rank of each group, the first of these."""
    found = np.full(count, UNBOUND, np.int32)
    order = np.lexsort((ranks, places))[::-1]
    found[places[order]] = ids[order]  # of several the last assignment counts, which is the smallest
    return found


def _texts(ids: Int32s, expressions: Expressions) -> list[str | None]:
    values = expressions.terms.values_of(ids)
    return [None if value.kind is Kind.IRI and text_of(value).startswith("_:") else text_of(value) for value in values]


def _numbers(function: str, ids: Int32s, places: Int64s, count: int, expressions: Expressions) -> Int32s:
    """Sums and averages."""
    terms, comparer = expressions.terms, expressions.comparer
    if function == "sum" and terms.have_kind(Kind.INT, ids).all():
        integers = comparer.numbers(ids)
        if float(np.abs(integers.astype(np.float64)).sum()) < _EXACT:
            sums = np.zeros(count, np.int64)
            np.add.at(sums, places, integers)
            return _integers(sums, expressions)
    values = terms.values_of(ids)
    numbers = [
        number_of(value, compared.key) if compared.sort is Sort.NUMBER else None
        for value, compared in zip(values, comparer.of(ids), strict=True)
    ]
    return _each(_SUMS[function], numbers, places, count, expressions)


def _each(
    fold: Callable[[list[Any]], Value | None], members: Sequence[Any], places: Int64s, count: int, expressions: Expressions
) -> Int32s:
    """The value of each group; none if a member is none."""
    groups: list[list[Any]] = [[] for _ in range(count)]
    for place, member in zip(places.tolist(), members, strict=True):
        groups[place].append(member)
    values = [None if any(one is None for one in group) else fold(group) for group in groups]
    found = np.full(count, UNBOUND, np.int32)
    known: Places = np.array([at for at, value in enumerate(values) if value is not None], np.intp)
    found[known] = expressions.terms.encode([value for value in values if value is not None])
    return found


def _sum(numbers: list[Any]) -> Value | None:
    if any(isinstance(one, float) for one in numbers):
        return floating(sum(float(one) for one in numbers))
    total = sum(numbers)
    return decimal(total) if isinstance(total, Decimal) else whole(total)


def _average(numbers: list[Any]) -> Value | None:
    if not numbers:
        return integer(0)
    if any(isinstance(one, float) for one in numbers):
        return floating(sum(float(one) for one in numbers) / len(numbers))
    return decimal(Decimal(sum(numbers)) / len(numbers))


_SUMS: dict[str, Callable[[list[Any]], Value | None]] = {"sum": _sum, "avg": _average}
