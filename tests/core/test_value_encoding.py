"""Values as payloads and texts, and back."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from tests.some_values import any_value

from tidelog.core.value_encoding import TEXT_KINDS, key_text, payload_of, value_of_payload, value_of_text
from tidelog.values import IRI, Literal, Value, from_python


@given(any_value)
def test_every_value_is_a_payload_or_a_text(value: Value) -> None:
    if value.kind in TEXT_KINDS:
        assert value_of_text(value.kind, key_text(value)) == value
    else:
        assert value_of_payload(value.kind, payload_of(value)) == value


@pytest.mark.parametrize(
    ("thing", "payload"),
    [(-3, -3), (True, 1), (date(1970, 1, 3), 2), (datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), 1_000_000), (1.0, 0x3FF << 52)],
)
def test_payloads(thing: object, payload: int) -> None:
    assert payload_of(from_python(thing)) == payload


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        ("a", "a"),
        (IRI("http://a"), "http://a"),
        (Literal("chat", None, "FR"), "@2 frchat"),
        (Literal("5 x", "http://a b"), "^10 http://a b5 x"),
    ],
)
def test_texts(thing: object, text: str) -> None:
    assert key_text(from_python(thing)) == text
