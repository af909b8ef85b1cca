"""Terms of rdflib and values, there and back."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

rdflib = pytest.importorskip("rdflib")

from tidelog import IRI, Literal  # noqa: E402
from tidelog.sparql.terms import term_of, value_of  # noqa: E402
from tidelog.values import XSD, from_python  # noqa: E402


@pytest.mark.parametrize(
    "thing",
    [
        IRI("http://a/"),
        IRI("_:b"),
        "text",
        5,
        2.5,
        float("inf"),
        True,
        date(2020, 1, 2),
        datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC),
        Literal("01", XSD + "byte"),
        Literal("1.50", XSD + "decimal"),
        Literal("chat", None, "fr"),
    ],
)
def test_there_and_back(thing: object) -> None:
    value = from_python(thing)
    assert value_of(term_of(value)) == value


def test_literals_that_are_not_what_their_datatype_says() -> None:
    value = value_of(rdflib.Literal("x", datatype=rdflib.XSD.integer))
    assert value.content == Literal("x", XSD + "integer")
    assert value_of(rdflib.Literal("05", datatype=rdflib.XSD.integer, normalize=False)).content == 5
