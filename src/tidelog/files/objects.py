"""Columns of Python objects: from JSON, and from data frames where no Arrow type fits."""

from __future__ import annotations

import json
import re

import numpy as np
import pyarrow as pa

from tidelog.errors import TidelogError
from tidelog.files.columns import ARROW_TYPES
from tidelog.files.text.text_types import parse
from tidelog.functions.conform import conform
from tidelog.values import IRI, RDF, XSD, Kind, Literal, Value, from_python, is_text

_LITERAL = re.compile(
    r"""(?P<quoted>".*")(?:@(?P<language>[A-Za-z]+(?:-[A-Za-z0-9]+)*)|\^\^(?:<(?P<datatype>[^<>"\s]+)>|(?P<prefix>xsd|rdf):(?P<local>\w+)))""",
    re.DOTALL,
)
_PREFIXES = {"xsd": XSD, "rdf": RDF}
_EXACT_IN_FLOAT = 2**53


def value_of(thing: object, declared: Kind | None) -> Value | None:
    """The value of one cell in a column of the declared kind, or None if there is none.

    A text in a column of dates, timestamps, IRIs or literals is parsed as one, since JSON and many tables have no type for them.
    """
    match thing:
        case None:
            return None
        case str() if declared is Kind.LITERAL:
            value = _literal(thing)
        case str() if declared in (Kind.DATE, Kind.TIMESTAMP, Kind.IRI):
            content = parse(declared, pa.chunked_array([pa.array([thing])])).to_pylist()[0] if is_text(thing) else None
            value = None if content is None else from_python(IRI(content) if declared is Kind.IRI else content)
        case dict():
            value = _described(thing)
        case _:
            value = _from_python(thing)
    return value if value is None or declared is None else conform(declared, value)


def typed_if_uniform(values: list[Value | None]) -> tuple[Kind | None, pa.ChunkedArray | list[Value | None]]:
    """Values of one kind as an array; integers among floats become floats if that is exact.  Others stay a list of values."""
    kinds = {value.kind for value in values if value is not None}
    if kinds == {Kind.INT, Kind.FLOAT} and all(_is_exact(value) for value in values):
        kinds = {Kind.FLOAT}
        values = [None if value is None else conform(Kind.FLOAT, value) for value in values]
    if len(kinds) > 1 or Kind.LITERAL in kinds:
        return None, values
    kind = kinds.pop() if kinds else Kind.STRING
    contents = [value.content.text if value and isinstance(value.content, IRI) else value and value.content for value in values]
    return kind, pa.chunked_array([pa.array(contents, ARROW_TYPES[kind])])


def _is_exact(value: Value | None) -> bool:
    return value is None or not isinstance(value.content, int) or abs(value.content) <= _EXACT_IN_FLOAT


def _from_python(thing: object) -> Value | None:
    if isinstance(thing, np.generic):
        if isinstance(thing, np.datetime64 | np.timedelta64) and isinstance(thing.item(), int):
            return None  # finer than a microsecond: as a Python object it would be a count of nanoseconds
        thing = thing.item()
    try:
        return from_python(thing)
    except TidelogError:
        return None


def _described(thing: dict[object, object]) -> Value | None:
    """The value of `{"iri": …}` or `{"value": …, "type" | "lang": …}`; keys without a value do not count."""
    match {key: value for key, value in thing.items() if value is not None}:
        case {"iri": str(text), **others} if not others:
            return _from_python(IRI(text))
        case {"value": str(text), "type": str(datatype), **others} if not others:
            return _from_python(Literal(text, datatype))
        case {"value": str(text), "lang": str(language), **others} if not others:
            return _from_python(Literal(text, None, language))
        case {"value": simple, **others} if not others:
            return _from_python(simple)
    return None


def _literal(text: str) -> Value | None:
    """The literal that a text such as `"chat"@fr` or `"5"^^xsd:byte` describes, as a program would write it."""
    match = _LITERAL.fullmatch(text.strip())
    if match is None:
        return None
    try:
        content = json.loads(match["quoted"], strict=False)
    except ValueError:
        return None
    datatype = match["datatype"] or _PREFIXES.get(match["prefix"], "") + (match["local"] or "")
    return _from_python(Literal(content, None, match["language"]) if match["language"] else Literal(content, datatype))
