"""Values, the arguments of facts: their kinds, their equality, and conversion from Python objects and texts.

Two values are equal if kind and content are (2 is not 2.0), NaN equals itself, and -0.0 is 0.0.  All other modules
make values by the functions here, so that equal things have one form.
"""

from __future__ import annotations

import math
import re
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any, NamedTuple

from tidelog.arguments import shown
from tidelog.errors import fail

INT_MIN, INT_MAX = -(2**63), 2**63 - 1
NAN = math.nan
XSD = "http://www.w3.org/2001/XMLSchema#"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

_MONTH_DAY = r"-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
_TIME = r"T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d"
_ZONE = r"(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)"
_DATE = re.compile(rf"\d{{4}}{_MONTH_DAY}")
_TIMESTAMP = re.compile(rf"(\d{{4}}{_MONTH_DAY}{_TIME})(?:\.(\d{{1,6}})0*)?({_ZONE})?")
_XSD_DATE = re.compile(rf"-?\d{{4,}}{_MONTH_DAY}{_ZONE}?")
_XSD_DATE_TIME = re.compile(rf"-?\d{{4,}}{_MONTH_DAY}{_TIME}(?:\.\d+)?{_ZONE}?")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_DOUBLE = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MOST_DIGITS = 40  # more digits than any 64-bit integer has, and few enough for int() at once


class Kind(StrEnum):
    """The kind of a value; also the name of the column type."""

    STRING = "string"
    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    DATE = "date"
    TIMESTAMP = "timestamp"
    IRI = "iri"
    LITERAL = "literal"


_ORDER = {kind: place for place, kind in enumerate(Kind)}


@dataclass(frozen=True, slots=True)
class IRI:
    """An IRI as a Python object; a plain `str` is always a string."""

    text: str


@dataclass(frozen=True, slots=True)
class Literal:
    """An RDF literal with a language or a datatype that has no kind of its own."""

    text: str
    datatype: str | None = None
    language: str | None = None


def iris_of(texts: Sequence[str]) -> list[IRI]:
    """IRIs of many texts, at a third of the cost: the usual way calls a function of Python for each."""
    made = [object.__new__(IRI) for _ in texts]
    deque(map(_SET_TEXT, made, texts), maxlen=0)
    return made


_SET_TEXT = IRI.__dict__["text"].__set__


Content = str | int | float | bool | date | datetime | IRI | Literal


class Value(NamedTuple):
    """One argument of a fact; a tuple, so that comparison and hashing run no Python code.

    There is only one NaN object, so NaN equals itself.
    """

    kind: Kind
    content: Content

    def __reduce__(self) -> tuple[Any, ...]:
        """Unpickle floats by `floating`, so that NaN stays the one NaN in another process too."""
        if isinstance(self.content, float):
            return floating, (self.content,)
        return Value, (self.kind, self.content)


def string(text: str) -> Value:
    """A string value."""
    return Value(Kind.STRING, text)


def integer(number: int) -> Value | None:
    """An integer value, or None outside of 64 bits."""
    return Value(Kind.INT, number) if INT_MIN <= number <= INT_MAX else None


def floating(number: float) -> Value:
    """A float value with one NaN and one zero."""
    return Value(Kind.FLOAT, NAN if math.isnan(number) else number or 0.0)


def boolean(truth: bool) -> Value:
    """A boolean value."""
    return Value(Kind.BOOL, truth)


TRUE, FALSE = boolean(True), boolean(False)


def parse_date(text: str) -> Value | None:
    """A date from `2026-11-15`, or None."""
    if _DATE.fullmatch(text) is None:
        return None
    try:
        return Value(Kind.DATE, date.fromisoformat(text))
    except ValueError:
        return None


def parse_timestamp(text: str) -> Value | None:
    """A timestamp from `2026-11-15T06:43:00Z`, up to microseconds, in UTC unless it has a zone; or None."""
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        return None
    moment, fraction, zone = match.groups()
    try:
        parsed = datetime.fromisoformat(f"{moment}.{(fraction or '').ljust(6, '0')}{zone or 'Z'}")
        return Value(Kind.TIMESTAMP, parsed.astimezone(UTC))
    except (ValueError, OverflowError):
        return None


def parse_integer(text: str) -> Value | None:
    """An integer from its decimal digits, or None."""
    digits = text.lstrip("+-").lstrip("0") or "0"
    if _INTEGER.fullmatch(text) is None or len(digits) > _MOST_DIGITS:
        return None
    return integer(-int(digits) if text.startswith("-") else int(digits))


def parse_float(text: str) -> Value | None:
    """A float from its decimal form, `inf`, `-inf` or `nan`, or None; a number that is larger than any float is none."""
    if _DOUBLE.fullmatch(text):
        return None if math.isinf(number := float(text)) else floating(number)
    return floating(float(text)) if text.lower() in ("inf", "+inf", "-inf", "nan") else None


def typed_literal(text: str, datatype: str) -> Value | None:
    """The value of `"text"^^datatype`; None if the datatype has a kind of ours and the text does not fit.

    Datatypes with a kind of ours become that kind (`"5"^^xsd:integer` is 5), as in RDF stores; all
    others stay literals and compare by text and datatype.  So do a date with a time zone, a dateTime without one, and values of
    these datatypes that are outside of our ranges.
    """
    match datatype.removeprefix(XSD) if datatype.startswith(XSD) else "":
        case "string":
            return string(text)
        case "integer" if _INTEGER.fullmatch(text) and parse_integer(text) is None:
            return Value(Kind.LITERAL, Literal(text, datatype))  # too large for 64 bits, but a valid xsd:integer
        case "integer":
            return parse_integer(text)
        case "double" if _DOUBLE.fullmatch(text) and parse_float(text) is None:
            return Value(Kind.LITERAL, Literal(text, datatype))  # too large for a float, but a valid xsd:double
        case "double":
            return parse_float(text)
        case "boolean":
            return {"true": TRUE, "1": TRUE, "false": FALSE, "0": FALSE}.get(text)
        case "date" if _XSD_DATE.fullmatch(text) and _is_day(text):
            return parse_date(text) or Value(Kind.LITERAL, Literal(text, datatype))
        case "dateTime" if _XSD_DATE_TIME.fullmatch(text) and _is_day(text):
            is_moment = text[-1] == "Z" or text[-6] in "+-"
            return (parse_timestamp(text) if is_moment else None) or Value(Kind.LITERAL, Literal(text, datatype))
        case "date" | "dateTime":
            return None
    return Value(Kind.LITERAL, Literal(text, datatype))


def _is_day(text: str) -> bool:
    """Whether a date or dateTime starts with a valid day, as far as Python's calendar reaches."""
    return _DATE.match(text) is None or parse_date(text[:10]) is not None


def language_literal(text: str, language: str) -> Value:
    """The value of `"text"@language`; language tags ignore case."""
    return Value(Kind.LITERAL, Literal(text, None, language.lower()))


def from_python(thing: object) -> Value:
    """The value of a Python object, or a `TidelogError` that says why there is none."""
    value: Value | None = None
    match thing:
        case Value(kind, content) if not isinstance(content, Value):
            known = from_python(content)
            value = known if known.kind is kind else None
        case bool():
            value = boolean(thing)
        case int():
            value = integer(int(thing))
        case float():
            value = floating(float(thing))
        case str() if type(thing) is not str and (term := _rdflib_class(thing)):
            value = _from_rdflib(term, thing)
        case str():
            value = string(str.__str__(thing)) if is_text(thing) else None
        case datetime():
            value = _timestamp(thing)
        case date():
            value = Value(Kind.DATE, date(thing.year, thing.month, thing.day))
        case IRI(str(text)) if is_text(text):
            value = Value(Kind.IRI, thing)
        case Literal(str(text), None | str(), str(language)) if is_text(text + language):
            value = language_literal(text, language)
        case Literal(str(text), None, None) if is_text(text):
            value = string(text)
        case Literal(str(text), str(datatype), None) if is_text(text + datatype):
            value = typed_literal(text, datatype)
    if value is None and (plain := _from_numpy(thing)) is not None:
        return from_python(plain)
    if value is None:
        what = f"{shown(thing)} of type {type(thing).__name__}"
        raise fail("TL072", f"{what} cannot be an argument of a fact", fix=_fix(thing))
    return value


def _rdflib_class(thing: object) -> str:
    """The name of the class of rdflib that an object is of; empty if it is of none."""
    classes = (kind.__name__ for kind in type(thing).__mro__ if kind.__module__.startswith("rdflib."))
    return next(classes, "")


def _from_rdflib(kind: str, term: Any) -> Value | None:
    """The value of a term of rdflib, which is a string to Python; None if no value is meant."""
    text = str.__str__(term)
    if not is_text(text) or kind not in ("URIRef", "BNode", "Literal"):
        return None
    if kind != "Literal":
        return Value(Kind.IRI, IRI(text if kind == "URIRef" else f"_:{text}"))
    if term.language:
        return language_literal(text, term.language)
    return string(text) if term.datatype is None else typed_literal(text, str.__str__(term.datatype))


def _from_numpy(thing: object) -> bool | int | float | date | None:
    """The object of Python with the value of a scalar of NumPy; None if it is none, or if no object has exactly its value."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(thing, numpy.generic):
        return None
    if isinstance(thing, numpy.datetime64):
        in_microseconds = thing.astype("datetime64[us]")
        is_day = numpy.datetime_data(thing.dtype)[0] == "D"
        exact = thing if is_day else in_microseconds if in_microseconds == thing else None
        plain = None if exact is None else exact.item()
    else:
        plain = thing.item() if isinstance(thing, numpy.bool_ | numpy.integer | numpy.floating) else None
    return plain if type(plain) in (bool, int, float, date, datetime) else None


def _timestamp(moment: datetime) -> Value | None:
    """The moment in UTC, which is assumed without a zone; None if it is outside the calendar.

    Subclasses become plain datetimes; pandas' subclass has a null value and nanoseconds, which give None.
    """
    if type(moment) is not datetime and getattr(moment, "nanosecond", False):
        return None
    try:
        utc = moment.astimezone(UTC) if moment.tzinfo else moment
        plain = datetime(utc.year, utc.month, utc.day, utc.hour, utc.minute, utc.second, utc.microsecond, tzinfo=UTC)
    except (OverflowError, TypeError, ValueError):
        return None
    return Value(Kind.TIMESTAMP, plain)


def _fix(thing: object) -> str:
    """What to do about an object that is no value."""
    if isinstance(thing, datetime) and getattr(thing, "nanosecond", False) in range(1, 1000):  # not if it is NaN
        return "a timestamp has microseconds: round it, `t.round('us')`, or give its nanoseconds as an int of their own"
    if type(thing).__module__ == "numpy" and hasattr(thing, "item"):
        return f"`item()` makes a Python object of most things of NumPy; {_PYTHON_FIX}"
    if type(thing).__name__ == "Decimal":
        return "say what it is to be: `float(d)`, which may be rounded, or `str(d)`"
    return _PYTHON_FIX


_PYTHON_FIX = "use str, int (64 bits), float, bool, date, datetime, tidelog.IRI or tidelog.Literal"


def is_text(text: str) -> bool:
    """Whether the string is Unicode text, that is, without lone surrogates."""
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)


def text_of(value: Value) -> str:
    """The value as a text, as the function `string` gives it."""
    match value.content:
        case bool(truth):
            return "true" if truth else "false"
        case float(number):
            return repr(number)
        case datetime() as moment:
            return moment.isoformat(timespec="microseconds" if moment.microsecond else "seconds").replace("+00:00", "Z")
        case date() as day:
            return day.isoformat()
        case IRI(text) | Literal(text):
            return text
        case other:
            return str(other)


def sort_key(value: Value) -> tuple[int, Any]:
    """A total order over all values, for deterministic output: by kind, then by content, NaN last."""
    match value.content:
        case IRI(text):
            return _ORDER[value.kind], text
        case Literal(text, datatype, language):
            return _ORDER[value.kind], (text, datatype or "", language or "")
        case float(number):
            return _ORDER[value.kind], (math.isnan(number), number)
    return _ORDER[value.kind], value.content
