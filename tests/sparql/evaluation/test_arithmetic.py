"""Arithmetic: which datatype comes out, and what has no result."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest

from tidelog import IRI, Literal
from tidelog.local.storage.dictionary import Dictionary
from tidelog.sparql.evaluation.arithmetic import calculate, decimal, number_of, value_of_number, whole
from tidelog.sparql.evaluation.comparing import Comparer
from tidelog.values import XSD, from_python

HALF = Literal("0.5", XSD + "decimal")


def calculated(op: str, left: object, right: object) -> object:
    terms = Dictionary()
    ids = terms.encode([from_python(left), from_python(right)])
    (found,) = calculate(op, ids[:1], ids[1:], Comparer(terms), terms)
    return terms.values_of(np.array([found], np.int32))[0].content if found >= 0 else None


@pytest.mark.parametrize(
    ("left", "op", "right", "expected"),
    [
        (2, "+", 3, 5),
        (2, "-", 3, -1),
        (2, "*", 3, 6),
        (3, "/", 2, Literal("1.5", XSD + "decimal")),
        (4, "/", 2, Literal("2.0", XSD + "decimal")),
        (1, "/", 0, None),
        (2, "*", HALF, Literal("1.0", XSD + "decimal")),
        (2, "+", 0.5, 2.5),
        (HALF, "+", 0.5, 1.0),
        (1.0, "/", 0, math.inf),
        (-1.0, "/", 0.0, -math.inf),
        (Literal("3", XSD + "byte"), "+", 1, 4),
        (Literal("3", XSD + "float"), "+", 1, 4.0),
        (2**62, "*", 2, Literal(str(2**63), XSD + "integer")),
        (2**62, "-", 1, 2**62 - 1),
        (1, "+", "a", None),
        (1, "+", IRI("a:"), None),
        (True, "+", 1, None),
    ],
)
def test_operations(left: object, op: str, right: object, expected: object) -> None:
    assert calculated(op, left, right) == expected


def test_no_number() -> None:
    found = calculated("/", 0.0, 0.0)
    assert isinstance(found, float)
    assert math.isnan(found)


def test_columns() -> None:
    terms = Dictionary()
    ids = terms.encode([from_python(thing) for thing in (1, 2, "x", 2.5)])
    lefts, rights = ids[[0, 1, 2, 3]], ids[[1, 1, 1, 1]]
    lefts[1] = -1
    found = calculate("+", lefts, rights, Comparer(terms), terms)
    assert (found >= 0).tolist() == [True, False, False, True]
    assert terms.objects_of(found[[0, 3]]).tolist() == [3, 4.5]


def test_numbers_as_literals() -> None:
    assert decimal(Decimal("2")).content == Literal("2.0", XSD + "decimal")
    assert whole(0).content == 0
    assert whole(2**70).content == Literal(str(2**70), XSD + "integer")
    assert [value_of_number(number).content for number in (1, 2.5)] == [1, 2.5]
    assert number_of(from_python(Literal("1.5", XSD + "float")), 1.5) == 1.5
