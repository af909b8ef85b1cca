"""Values in JSON and back: types that JSON does not have are objects, `{"iri": …}` or `{"value": …, "type" | "lang": …}`.

What is written is read back as the same value: dates and timestamps are written as literals of XML Schema's types, which are read
as dates and timestamps.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from math import isinf
from typing import Any

from tidelog.arguments import shown
from tidelog.values import IRI, XSD, Content, Kind, Literal, Value, text_of, typed_literal


class LossyJSONError(ValueError):
    """JSON of which Python would drop a part without a word."""

    def __init__(self, problem: str, fix: str) -> None:
        super().__init__(problem)
        self.fix = fix


def decode(text: str) -> Any:
    """The Python object of a text in JSON.  `ValueError` says what is wrong: a key that is there twice is, too."""
    return _DECODER.decode(text)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose keys differ: of two with one name, Python would drop the first without a word."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for at, (key, _) in enumerate(pairs) if key in dict(pairs[:at]))
        raise LossyJSONError(f"{shown(twice)} is there twice in one object", "give each key of an object once")
    return found


def _finite(text: str) -> float:
    """The float of a number; one that is too large would be infinite without a word."""
    number = float(text)
    if isinf(number):
        raise LossyJSONError(f"{text} is larger than any float", "give a smaller number, or a string")
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite)


def to_json(content: Content) -> object:
    """What `json.dumps` takes for one argument of a fact."""
    match content:
        case IRI(text):
            return {"iri": text}
        case Literal(text, None, str(language)):
            return {"value": text, "lang": language}
        case Literal(text, datatype):
            return {"value": text, "type": datatype}
        case datetime():
            return {"value": text_of(Value(Kind.TIMESTAMP, content)), "type": XSD + "dateTime"}
        case date():
            return {"value": content.isoformat(), "type": XSD + "date"}
    return content


def from_json(thing: object) -> object:
    """The Python object of one argument of a fact; what is not JSON stays as it is.  `ValueError` says what is wrong."""
    if isinstance(thing, Mapping):
        return _described(thing)
    if thing is None:
        raise ValueError("null is not a value")
    if isinstance(thing, list | tuple) and not isinstance(thing, Value):
        raise ValueError("an argument is a single value, and this is a list")  # noqa: TRY004
    return thing


def _described(thing: Mapping[object, object]) -> object:
    match dict(thing):
        case {"iri": str(text), **others} if not others:
            return IRI(text)
        case {"value": str(text), "type": str(datatype), **others} if not others:
            if typed_literal(text, datatype) is None:
                raise ValueError(f'"{text}" is no {datatype}')
            return Literal(text, datatype)
        case {"value": str(text), "lang": str(language), **others} if not others:
            return Literal(text, None, language)
    raise ValueError('an object is written {"iri": …}, {"value": …, "type": …} or {"value": …, "lang": …}')
