"""How values compare: a table of the recommendation, and columns against single values."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime

import numpy as np
import pytest

from tidelog import IRI, Literal
from tidelog.local.storage.dictionary import Dictionary
from tidelog.sparql.evaluation.comparing import ERROR, FALSE, TRUE, Comparer, both, compared, either, negated, truths_of
from tidelog.values import XSD, Value, from_python

THINGS = [
    IRI("http://a/"),
    IRI("_:b"),
    "a",
    "b",
    5,
    5.0,
    6,
    Literal("5.00", XSD + "decimal"),
    Literal("5", XSD + "byte"),
    math.nan,
    True,
    False,
    Literal("a", None, "en"),
    Literal("a", "http://a/type"),
    Literal("b", "http://a/type"),
    date(2020, 1, 1),
    datetime(2020, 1, 1, tzinfo=UTC),
    Literal("2020-01-01T00:00:00", XSD + "dateTime"),
    Literal("2020-01-02T00:00:00", XSD + "dateTime"),
    Literal("x", XSD + "integer"),
]


def values() -> list[Value]:
    made = [from_python(thing) for thing in THINGS[:-1]]
    return [*made, Value(made[-1].kind, THINGS[-1])]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("left", "op", "right", "expected"),
    [
        (5, "=", 5.0, TRUE),
        (5, "=", Literal("5.00", XSD + "decimal"), TRUE),
        (5, "<", Literal("5.5", XSD + "decimal"), TRUE),
        (5, "!=", Literal("5", XSD + "byte"), FALSE),
        (2**53, "<", 2**53 + 1, TRUE),
        ("a", "<", "b", TRUE),
        ("a", "=", 5, FALSE),
        ("a", "<", 5, ERROR),
        (True, ">", False, TRUE),
        (math.nan, "=", math.nan, FALSE),
        (math.nan, "!=", math.nan, TRUE),
        (IRI("http://a/"), "=", IRI("http://b/"), FALSE),
        (IRI("http://a/"), "=", "http://a/", FALSE),
        (IRI("http://a/"), "<", IRI("http://b/"), ERROR),
        (Literal("a", None, "en"), "=", Literal("a", None, "fr"), FALSE),
        (Literal("a", "http://a/type"), "=", Literal("a", "http://a/type"), TRUE),
        (Literal("a", "http://a/type"), "!=", Literal("b", "http://a/type"), ERROR),
        (Literal("a", "http://a/type"), "=", "a", ERROR),
        (date(2020, 1, 1), "<", date(2020, 1, 2), TRUE),
        (datetime(2020, 1, 1, tzinfo=UTC), ">=", datetime(2020, 1, 1, tzinfo=UTC), TRUE),
        (datetime(2020, 1, 1, tzinfo=UTC), "=", Literal("2020-01-01T00:00:00", XSD + "dateTime"), ERROR),
        (Literal("2020-01-01T00:00:00", XSD + "dateTime"), "<", Literal("2020-01-02T00:00:00", XSD + "dateTime"), TRUE),
    ],
)
def test_values(left: object, op: str, right: object, expected: int) -> None:
    terms = Dictionary()
    ids = terms.encode([from_python(left), from_python(right)])
    assert Comparer(terms).compare(op, ids[:1], ids[1:]).tolist() == [expected]


@pytest.mark.parametrize("op", ["=", "!=", "<", "<=", ">", ">="])
def test_a_column_compares_like_its_values(op: str) -> None:
    """Columns of some kinds have a way of their own."""
    terms = Dictionary()
    ids = np.append(terms.encode(values()), np.int32(-1))
    lefts, rights = np.repeat(ids, len(ids)), np.tile(ids, len(ids))
    comparer = Comparer(terms)
    single = [int(comparer.compare(op, lefts[at : at + 1], rights[at : at + 1])[0]) for at in range(len(lefts))]
    assert comparer.compare(op, lefts, rights).tolist() == single
    assert set(single) == {ERROR, FALSE, TRUE}


def test_order() -> None:
    terms = Dictionary()
    ids = np.append(terms.encode(values()), np.int32(-1))
    ranks = Comparer(terms).ranks(ids)
    assert ranks[-1] == ranks.min()
    assert ranks[1] < ranks[0] < ranks[4]  # blank nodes, IRIs, literals
    assert ranks[4] == ranks[5] == ranks[7] == ranks[8] < ranks[6]  # equal numbers
    for kind in ([3, 1, 2], ["b", "a", "c"], [0.5, -1.0, 9.0], [IRI("b:"), IRI("a:"), IRI("_:z")]):
        column = terms.encode([from_python(thing) for thing in kind])
        assert sorted(Comparer(terms).ranks(column).tolist()) == [1, 2, 3]
    texts = terms.encode([from_python(text) for text in ("b", "a", "c")])
    assert Comparer(terms).ranks(texts).tolist() == [2, 1, 3]


def test_truth() -> None:
    things: list[object] = ["a", "", 0, 7, 0.0, math.nan, IRI("a:"), date(2020, 1, 1)]
    assert truths_of([compared(from_python(thing)) for thing in things]) == [TRUE, FALSE, FALSE, TRUE, FALSE, FALSE, ERROR, ERROR]
    assert truths_of([compared(from_python(thing)) for thing in (True, Literal("", None, "en"))]) == [TRUE, FALSE]


def test_three_truth_values() -> None:
    left = np.repeat(np.array([TRUE, FALSE, ERROR], np.int8), 3)
    right = np.tile(np.array([TRUE, FALSE, ERROR], np.int8), 3)
    t, f, e = TRUE, FALSE, ERROR
    assert both(left, right).tolist() == [t, f, e, f, f, f, e, f, e]
    assert either(left, right).tolist() == [t, t, t, t, f, e, t, e, e]
    assert negated(left[::3]).tolist() == [f, t, e]
