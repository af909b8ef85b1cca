"""Python objects as values: described IRIs and literals, texts in columns of other kinds, and columns of one kind."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from tidelog.files.columns import ARROW_TYPES
from tidelog.files.objects import typed_if_uniform, value_of
from tidelog.values import IRI, XSD, Kind, Literal, floating, from_python, integer, string

DAY = datetime.date(2026, 11, 15)


@pytest.mark.parametrize(
    ("thing", "declared", "expected"),
    [
        (None, None, None),
        ("a", None, "a"),
        (1, None, 1),
        (1, Kind.FLOAT, 1.0),
        (1.5, Kind.INT, None),
        (True, Kind.INT, None),
        (np.int32(7), None, 7),
        (np.float64(1.5), None, 1.5),
        (DAY, None, DAY),
        ("2026-11-15", Kind.DATE, DAY),
        ("2026-11-15", None, "2026-11-15"),
        ("soon", Kind.DATE, None),
        ("2026-11-15T06:00:00Z", Kind.TIMESTAMP, datetime.datetime(2026, 11, 15, 6, tzinfo=datetime.UTC)),
        ("<http://a/>", Kind.IRI, IRI("http://a/")),
        ("http://a/", Kind.IRI, IRI("http://a/")),
        ("\ud800", Kind.IRI, None),
        ({"iri": "http://a/"}, None, IRI("http://a/")),
        ({"iri": "http://a/", "other": 1}, None, None),
        ({"iri": "http://a/", "value": None}, None, IRI("http://a/")),
        ({"value": "5", "type": XSD + "byte"}, None, Literal("5", XSD + "byte")),
        ({"value": "5", "type": XSD + "integer"}, None, 5),
        ({"value": "chat", "lang": "FR"}, None, Literal("chat", None, "fr")),
        ({"value": 3}, None, 3),
        ({"iri": "http://a/"}, Kind.STRING, None),
        ('"chat"@fr', Kind.LITERAL, Literal("chat", None, "fr")),
        ('"5"^^xsd:byte', Kind.LITERAL, Literal("5", XSD + "byte")),
        (f'"5"^^<{XSD}byte>', Kind.LITERAL, Literal("5", XSD + "byte")),
        ("chat", Kind.LITERAL, None),
        ('"a\\qb"@fr', Kind.LITERAL, None),
        ([1], None, None),
        (2**64, None, None),
        (Decimal("1.5"), None, None),
    ],
    ids=repr,
)
def test_value_of(thing: object, declared: Kind | None, expected: object) -> None:
    assert value_of(thing, declared) == (None if expected is None else from_python(expected))


def test_one_kind_is_an_array() -> None:
    kind, values = typed_if_uniform([integer(1), None])
    assert isinstance(values, pa.ChunkedArray)
    assert (kind, values.type, values.to_pylist()) == (Kind.INT, ARROW_TYPES[Kind.INT], [1, None])
    kind, values = typed_if_uniform([from_python(IRI("http://a/"))])
    assert isinstance(values, pa.ChunkedArray)
    assert (kind, values.to_pylist()) == (Kind.IRI, ["http://a/"])
    assert typed_if_uniform([None])[0] is Kind.STRING


def test_integers_among_floats_become_floats_if_nothing_is_lost() -> None:
    kind, values = typed_if_uniform([integer(2**53), floating(1.5)])
    assert isinstance(values, pa.ChunkedArray)
    assert (kind, values.to_pylist()) == (Kind.FLOAT, [2.0**53, 1.5])
    mixed = [integer(2**53 + 1), floating(math.inf)]
    assert typed_if_uniform([*mixed]) == (None, mixed)


def test_several_kinds_and_literals_stay_values() -> None:
    for values in ([integer(1), string("a")], [from_python(Literal("chat", None, "fr"))]):
        assert typed_if_uniform([*values]) == (None, values)
