"""Values as integers and texts: how the dictionary and keys store them.

A number, a boolean, a date or a timestamp is a 64-bit *payload*; a string, an IRI or an RDF literal is a *text*.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np

from tidelog.values import IRI, Kind, Literal, Value, floating

TEXT_KINDS = (Kind.STRING, Kind.IRI, Kind.LITERAL)
"""The kinds that are stored as texts."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_DAY = date(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)


def payload_of(value: Value) -> int:
    """The payload of a value that is not stored as a text."""
    content: Any = value.content
    match value.kind:
        case Kind.FLOAT:
            return int(np.float64(content).view(np.int64))
        case Kind.DATE:
            return (content - _FIRST_DAY).days  # type: ignore[no-any-return]
        case Kind.TIMESTAMP:
            return (content - _EPOCH) // _MICROSECOND  # type: ignore[no-any-return]
    return int(content)


def key_text(value: Value) -> str:
    """The text that stands for a string, an IRI or an RDF literal."""
    match value.content:
        case IRI(text):
            return text
        case Literal(text, datatype, language):
            mark, tag = ("@", language or "") if datatype is None else ("^", datatype)
            return f"{mark}{len(tag)} {tag}{text}"
    return str(value.content)


def _literal(key: str) -> Literal:
    """The RDF literal of its text."""
    size, _, rest = key[1:].partition(" ")
    tag, text = rest[: int(size)], rest[int(size) :]
    return Literal(text, None, tag) if key[0] == "@" else Literal(text, tag, None)


def value_of_payload(kind: Kind, payload: int) -> Value:
    """The value of a payload."""
    match kind:
        case Kind.FLOAT:
            return floating(float(np.int64(payload).view(np.float64)))
        case Kind.BOOL:
            return Value(kind, bool(payload))
        case Kind.DATE:
            return Value(kind, _FIRST_DAY + timedelta(days=payload))
        case Kind.TIMESTAMP:
            return Value(kind, _EPOCH + payload * _MICROSECOND)
    return Value(kind, payload)


def value_of_text(kind: Kind, text: str) -> Value:
    """The value of a string, an IRI or an RDF literal from its text."""
    return Value(kind, _CONTENT_OF_TEXT[kind](text))


_CONTENT_OF_TEXT: dict[Kind, Any] = {Kind.STRING: str, Kind.IRI: IRI, Kind.LITERAL: _literal}
