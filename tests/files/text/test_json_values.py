"""Values in JSON: what is written is read back as the same value."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from tests.some_values import any_value

from tidelog import IRI, Literal
from tidelog.files.text.json_values import LossyJSONError, decode, from_json, to_json
from tidelog.values import Value, from_python


@given(any_value)
def test_there_and_back_again(value: Value) -> None:
    written = json.dumps(to_json(value.content))
    assert from_python(from_json(json.loads(written))) == value


@pytest.mark.parametrize(
    ("thing", "expected"),
    [
        ({"iri": "http://example.org/a"}, IRI("http://example.org/a")),
        ({"value": "chat", "lang": "fr"}, Literal("chat", None, "fr")),
        ({"value": "5", "type": "http://www.w3.org/2001/XMLSchema#byte"}, Literal("5", "http://www.w3.org/2001/XMLSchema#byte")),
        ("<http://example.org/a>", "<http://example.org/a>"),
        (True, True),
        (2.5, 2.5),
    ],
)
def test_what_is_read(thing: object, expected: object) -> None:
    assert from_json(thing) == expected


@pytest.mark.parametrize(
    "thing",
    [
        None,
        [1],
        {},
        {"iri": 5},
        {"iri": "a", "lang": "fr"},
        {"value": "a"},
        {"value": 5, "type": "t"},
        {"value": "a", "lang": "fr", "type": "t"},
        {"value": "x", "type": "http://www.w3.org/2001/XMLSchema#integer"},
    ],
    ids=str,
)
def test_what_is_not_read(thing: object) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        from_json(thing)


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '[{"b": {"a": 1, "a": 1}}]'])
def test_a_key_that_is_there_twice(text: str) -> None:
    with pytest.raises(LossyJSONError, match="'a' is there twice in one object"):
        decode(text)


def test_a_number_that_is_too_large() -> None:
    assert decode("[1e308, 9007199254740993, Infinity]") == [1e308, 2**53 + 1, float("inf")]
    with pytest.raises(LossyJSONError, match="-1e309 is larger than any float"):
        decode("[-1e309]")
