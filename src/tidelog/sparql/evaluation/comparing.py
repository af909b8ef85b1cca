"""How values compare in SPARQL: `=`, `<`, and the order of `ORDER BY`.

After the recommendation, sections 17.3, 17.4.1.7 and 15.1.  Numbers compare by value, whatever their datatypes are; strings by
code points; dates and times by the moment.  Two different literals of which one has a datatype that nobody knows are neither
equal nor unequal: that is an error, and so is any order between values of different sorts.  `ORDER BY` needs a total order: what
is not bound, blank nodes, IRIs, then literals, by sort and value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s
from tidelog.sparql.terms import UNBOUND
from tidelog.values import IRI, XSD, Kind, Literal, Value

TRUE, FALSE, ERROR = 1, 0, -1
Truths = NDArray[np.int8]
"""For each row whether a condition holds; -1 is an error."""

_INTEGERS = (
    "integer",
    "nonPositiveInteger",
    "negativeInteger",
    "nonNegativeInteger",
    "positiveInteger",
    "long",
    "int",
    "short",
    "byte",
    "unsignedLong",
    "unsignedInt",
    "unsignedShort",
    "unsignedByte",
)
_NUMBERS = frozenset(XSD + name for name in _INTEGERS)


class Sort(IntEnum):
    """What values are compared with one another."""

    BLANK = 0
    IRI = 1
    NUMBER = 2
    STRING = 3
    TAGGED = 4
    BOOLEAN = 5
    MOMENT = 6
    LOCAL_MOMENT = 7
    DAY = 8
    OTHER = 9


class Compared(NamedTuple):
    """A value as something that compares."""

    sort: Sort
    key: Any


def compared(value: Value) -> Compared:
    """What a value compares as."""
    match value.content:
        case IRI(text):
            return Compared(Sort.BLANK if text.startswith("_:") else Sort.IRI, text)
        case bool(truth):
            return Compared(Sort.BOOLEAN, truth)
        case int() | float():
            return Compared(Sort.NUMBER, value.content)
        case str(text):
            return Compared(Sort.STRING, text)
        case datetime() as moment:
            return Compared(Sort.MOMENT, moment)
        case date() as day:
            return Compared(Sort.DAY, day)
        case Literal(text, None, str(language)):
            return Compared(Sort.TAGGED, (language, text))
        case Literal(text, str(datatype), _):
            return _typed(text, datatype)
    return Compared(Sort.OTHER, str(value.content))


def _typed(text: str, datatype: str) -> Compared:
    """A literal of a datatype that has no kind of its own."""
    try:
        if datatype in _NUMBERS:
            return Compared(Sort.NUMBER, int(text))
        match datatype.removeprefix(XSD):
            case "decimal":
                return Compared(Sort.NUMBER, Decimal(text))
            case "float" | "double":
                return Compared(Sort.NUMBER, float(text))
            case "dateTime":
                moment = datetime.fromisoformat(text)
                return (
                    Compared(Sort.LOCAL_MOMENT, moment)
                    if moment.tzinfo is None
                    else Compared(Sort.MOMENT, moment.astimezone(UTC))
                )
    except (ValueError, InvalidOperation, OverflowError):
        pass
    return Compared(Sort.OTHER, (datatype, text))


class Comparer:
    """Compares columns of ids; values are looked at once each."""

    def __init__(self, terms: Any) -> None:
        self._terms = terms
        self._known: dict[int, Compared] = {}

    def of(self, ids: Int32s) -> list[Compared]:
        """What some values compare as."""
        known = self._known
        missing = [at for at in dict.fromkeys(ids.tolist()) if at not in known]
        if missing:
            values = self._terms.values_of(np.array(missing, np.int32))
            known.update((at, compared(value)) for at, value in zip(missing, values, strict=True))
        return [known[at] for at in ids.tolist()]

    # --- conditions ----------------------------------------------------------------------------------------------------------

    def compare(self, op: str, lefts: Int32s, rights: Int32s) -> Truths:
        """`left op right` for each row; what is not bound is an error."""
        found = np.full(len(lefts), ERROR, np.int8)
        is_bound = (lefts >= 0) & (rights >= 0)
        if not is_bound.all():
            found[is_bound] = self._compare(op, lefts[is_bound], rights[is_bound])
            return found
        return self._compare(op, lefts, rights)

    def _compare(self, op: str, lefts: Int32s, rights: Int32s) -> Truths:
        if not len(lefts):
            return np.empty(0, np.int8)
        kinds = {*self._terms.kinds_of(lefts), *self._terms.kinds_of(rights)}
        if op in ("=", "!=") and kinds <= {Kind.IRI, Kind.STRING}:
            return _truths(lefts == rights if op == "=" else lefts != rights)
        if kinds <= {Kind.INT, Kind.FLOAT}:
            numbers = self.numbers(lefts), self.numbers(rights)
            if all(numbers_of.dtype == np.int64 for numbers_of in numbers) or kinds == {Kind.FLOAT}:
                return _truths(_BY_VALUE[op](*numbers))
        pairs = (lefts.astype(np.int64) << 32) | rights.astype(np.int64)
        distinct, places = np.unique(pairs, return_inverse=True)
        mine, theirs = (self.of(side.astype(np.int32)) for side in (distinct >> 32, distinct & 0xFFFFFFFF))
        same = (distinct >> 32) == (distinct & 0xFFFFFFFF)
        truths = [_holds(op, *both) for both in zip(mine, theirs, same.tolist(), strict=True)]
        found: Truths = np.array(truths, np.int8)[places.reshape(-1)]
        return found

    def numbers(self, ids: Int32s) -> NDArray[Any]:
        """Integers, or integers and floats as floats."""
        payloads: Int64s = self._terms.payloads_of(ids)
        is_int = self._terms.have_kind(Kind.INT, ids)
        if is_int.all():
            return payloads
        return np.where(is_int, payloads.astype(np.float64), payloads.view(np.float64))

    # --- order ---------------------------------------------------------------------------------------------------------------

    def ranks(self, ids: Int32s) -> Int64s:
        """A number for each row, larger where the value comes later; equal values of one sort have one number."""
        distinct, places = np.unique(ids, return_inverse=True)
        places = places.reshape(-1)
        bound = distinct[distinct >= 0]
        ranks = np.zeros(len(distinct), np.int64)
        if len(bound):
            ranks[len(distinct) - len(bound) :] = 1 + self._ranks_of(bound)
        result: Int64s = ranks[places]
        return result

    def _ranks_of(self, distinct: Int32s) -> Int64s:
        kinds = self._terms.kinds_of(distinct)
        if kinds in ([Kind.INT], [Kind.FLOAT]):
            numbers = self.numbers(distinct)
            inverse: Int64s = np.unique(numbers, return_inverse=True)[1].reshape(-1)
            return inverse
        if kinds in ([Kind.STRING], [Kind.IRI]):
            import pyarrow.compute as pc

            order = pc.sort_indices(self._terms.content_of(kinds[0], distinct)).to_numpy()
            ranks = np.empty(len(order), np.int64)
            ranks[order] = np.arange(len(order))
            if kinds == [Kind.STRING]:
                return ranks
        found = self.of(distinct)
        ordered = sorted(range(len(found)), key=lambda at: _order_key(found[at]))
        ranks = np.empty(len(found), np.int64)
        rank = -1
        for place, at in enumerate(ordered):
            if place == 0 or _order_key(found[at]) != _order_key(found[ordered[place - 1]]):
                rank += 1
            ranks[at] = rank
        return ranks


def _order_key(value: Compared) -> tuple[int, Any]:
    if value.sort is Sort.NUMBER:
        is_nan = _is_nan(value.key)
        return int(value.sort), (not is_nan, 0 if is_nan else value.key)
    return int(value.sort), value.key


def _holds(op: str, left: Compared, right: Compared, is_same: bool) -> int:
    """Whether a comparison of two values holds."""
    if op == "=":
        return _equal(left, right, is_same)
    if op == "!=":
        equal = _equal(left, right, is_same)
        return equal if equal == ERROR else 1 - equal
    if left.sort is not right.sort or left.sort in (Sort.BLANK, Sort.IRI, Sort.TAGGED, Sort.OTHER):
        return ERROR
    if _is_nan(left.key) or _is_nan(right.key):  # Python compares no decimal with it
        return FALSE
    return int(_BY_VALUE[op](left.key, right.key))


def _is_nan(key: Any) -> bool:
    return isinstance(key, float) and math.isnan(key)


def _equal(left: Compared, right: Compared, is_same: bool) -> int:
    if is_same:
        return int(left.key == right.key)  # NaN is not equal to itself
    if left.sort in (Sort.BLANK, Sort.IRI) or right.sort in (Sort.BLANK, Sort.IRI):
        return FALSE
    if Sort.OTHER in (left.sort, right.sort) or {left.sort, right.sort} == {Sort.MOMENT, Sort.LOCAL_MOMENT}:
        return ERROR
    return int(left.sort is right.sort and left.key == right.key)


_BY_VALUE: dict[str, Any] = {
    "=": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}


def truths_of(values: Sequence[Compared]) -> list[int]:
    """The effective boolean values of some values."""
    found = []
    for value in values:
        match value.sort:
            case Sort.BOOLEAN | Sort.STRING:
                found.append(int(bool(value.key)))
            case Sort.TAGGED:
                found.append(int(bool(value.key[1])))
            case Sort.NUMBER:
                found.append(int(value.key == value.key and value.key != 0))
            case _:
                found.append(ERROR)
    return found


def negated(truths: Truths) -> Truths:
    """What holds where a condition does not; an error stays one."""
    return np.where(truths == ERROR, truths, 1 - truths).astype(np.int8)


def both(left: Truths, right: Truths) -> Truths:
    """Conjunction: false beside an error is false."""
    return np.where((left == FALSE) | (right == FALSE), FALSE, np.minimum(left, right)).astype(np.int8)


def either(left: Truths, right: Truths) -> Truths:
    """Disjunction: true beside an error is true."""
    is_error = (left == ERROR) | (right == ERROR)
    return np.where((left == TRUE) | (right == TRUE), TRUE, np.where(is_error, ERROR, FALSE)).astype(np.int8)


def is_bound(ids: Int32s) -> NDArray[np.bool_]:
    """For each row whether there is a value."""
    found: NDArray[np.bool_] = ids != UNBOUND
    return found


def _truths(holds: Any) -> Truths:
    found: Truths = holds.astype(np.int8)
    return found
