"""Values in JSON and back: types that JSON does not have are objects, `{"iri": …}` or `{"value": …, "type" | "lang": …}`.

What is written is read back as the same value: dates and timestamps are written as literals of XML Schema's types, which are read
as dates and timestamps.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from tidelog.values import IRI, XSD, Content, Kind, Literal, Value, text_of, typed_literal


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
