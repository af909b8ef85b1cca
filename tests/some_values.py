"""Random values of every kind, and a few short ways to write values down, for the tests of values and functions."""

from __future__ import annotations

from datetime import UTC, date, datetime

from hypothesis import strategies as st

from tidelog.values import (
    INT_MAX,
    INT_MIN,
    IRI,
    RDF,
    XSD,
    Kind,
    Literal,
    Value,
    boolean,
    floating,
    integer,
    language_literal,
    string,
)

EDGES = [INT_MIN, INT_MIN + 1, -(2**53) - 1, -(2**53), -2, -1, 0, 1, 2, 3, 63, 64, 2**53, 2**53 + 1, 2**62, INT_MAX - 1, INT_MAX]
"""Integers where something may break."""


def i(number: int) -> Value:
    """The integer value, which must fit."""
    value = integer(number)
    assert value is not None
    return value


f = floating
s = string
b = boolean


def day(text: str) -> Value:
    """A date value, made without the parser."""
    return Value(Kind.DATE, date.fromisoformat(text))


def moment(text: str) -> Value:
    """A timestamp value in UTC, made without the parser."""
    return Value(Kind.TIMESTAMP, datetime.fromisoformat(text).replace(tzinfo=UTC))


NAN, INFINITY = floating(float("nan")), floating(float("inf"))

int64 = st.sampled_from(EDGES) | st.integers(-20, 20) | st.integers(INT_MIN, INT_MAX)
characters = st.characters(codec="utf-8")
texts = (
    st.text(characters, max_size=8)
    | st.text("aB|()[].*+?\\{}01é", max_size=8)
    | st.from_regex(r"[+-]?[0-9]{1,20}(\.[0-9]{0,3}(e[+-]?[0-9]{1,3})?)?", fullmatch=True)
)
iris = st.builds(lambda name: IRI("http://example.org/" + name), st.text("abc/#", max_size=4))
datatypes = st.sampled_from([XSD + "byte", XSD + "decimal", RDF + "XMLLiteral", "http://example.org/t"])

ints = st.builds(i, int64)
floats = st.builds(floating, st.floats() | st.integers(-6, 6).map(lambda n: n / 2))
strings = st.builds(string, texts)
booleans = st.builds(boolean, st.booleans())
dates = st.builds(lambda content: Value(Kind.DATE, content), st.dates())
timestamps = st.builds(lambda content: Value(Kind.TIMESTAMP, content), st.datetimes(timezones=st.just(UTC)))
iri_values = st.builds(lambda content: Value(Kind.IRI, content), iris)
literals = st.builds(language_literal, texts, st.sampled_from(["en", "fr", "de-AT"])) | st.builds(
    lambda text, datatype: Value(Kind.LITERAL, Literal(text, datatype)), texts, datatypes
)
numbers = ints | floats

OF_KIND: dict[Kind, st.SearchStrategy[Value]] = {
    Kind.STRING: strings,
    Kind.INT: ints,
    Kind.FLOAT: floats,
    Kind.BOOL: booleans,
    Kind.DATE: dates,
    Kind.TIMESTAMP: timestamps,
    Kind.IRI: iri_values,
    Kind.LITERAL: literals,
}
any_value: st.SearchStrategy[Value] = st.one_of(*OF_KIND.values())
