"""Values as payloads and texts, and back."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from tests.some_values import any_value, b, f, i, s

from tidelog.core.value_encoding import TEXT_KINDS, key_text, payload_of, value_of_payload, value_of_text
from tidelog.values import IRI, Kind, Literal, Value


@given(any_value)
def test_there_and_back(value: Value) -> None:
    if value.kind in TEXT_KINDS:
        assert value_of_text(value.kind, key_text(value)) == value
    else:
        assert value_of_payload(value.kind, payload_of(value)) == value


@pytest.mark.parametrize(
    ("value", "payload"),
    [
        (i(-3), -3),
        (b(True), 1),
        (f(1.0), 0x3FF0000000000000),
        (f(-1.0), 0x3FF0000000000000 - 2**63),
        (Value(Kind.DATE, date(1970, 1, 3)), 2),
        (Value(Kind.DATE, date(1969, 12, 31)), -1),
        (Value(Kind.TIMESTAMP, datetime(1970, 1, 1, 0, 0, 1, 5, tzinfo=UTC)), 1_000_005),
    ],
)
def test_payloads(value: Value, payload: int) -> None:
    """Stored data has them, so they stay what they are."""
    assert payload_of(value) == payload


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (s("a b"), "a b"),
        (Value(Kind.IRI, IRI("http://a/b")), "http://a/b"),
        (Value(Kind.LITERAL, Literal("two words", None, "en-GB")), "@5 en-GBtwo words"),
        (Value(Kind.LITERAL, Literal("12", "http://t", None)), "^8 http://t12"),
    ],
)
def test_texts(value: Value, text: str) -> None:
    assert key_text(value) == text


def test_the_length_of_a_tag_tells_it_from_its_text() -> None:
    """A datatype with a space in it, and a text that begins like a tag."""
    some, other = (Value(Kind.LITERAL, Literal(text, tag, None)) for text, tag in (("b c", "a "), ("c", "a b ")))
    assert key_text(some) != key_text(other)
    assert value_of_text(Kind.LITERAL, key_text(some)) == some


def test_a_boolean_is_not_the_integer_of_its_payload() -> None:
    assert value_of_payload(Kind.BOOL, 1) == b(True)
    assert value_of_payload(Kind.BOOL, 1) != value_of_payload(Kind.INT, 1)
