"""Parses columns of texts into values, and infers the type of an undeclared column.

The parsers of `tidelog.values` define the accepted texts.  Arrow converts the usual forms, which makes
this fast; only distinct texts of other forms go through those parsers one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from tidelog.files.columns import ARROW_TYPES, null_unless, within_calendar
from tidelog.values import Kind, Value, parse_date, parse_float, parse_integer, parse_timestamp

_TRUE, _FALSE = ("true", "True", "TRUE", "1"), ("false", "False", "FALSE", "0")
_ZONE = r"(?:[+-](?:0[0-9]|1[0-4]):[0-5][0-9])"
_MOMENT = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?"
_USUAL = {
    Kind.INT: r"^-?[0-9]{1,18}$",
    Kind.FLOAT: r"^-?[0-9]{1,200}(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?$",
    Kind.DATE: r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    Kind.TIMESTAMP: rf"^{_MOMENT}(?:Z|{_ZONE})?$",
}
"""The forms that Arrow converts as `tidelog.values` would."""

_PARSERS: dict[Kind, Callable[[str], Value | None]] = {
    Kind.INT: parse_integer,
    Kind.FLOAT: parse_float,
    Kind.DATE: parse_date,
    Kind.TIMESTAMP: lambda text: parse_timestamp(text.replace(" ", "T", 1)),
}
_IRI = r'^<?(?:_|[A-Za-z][A-Za-z0-9+.-]*):[^<>"{}|^`\\\x00-\x20]*>?$'
_CODE = r"^\s*(?:\+|-?0[0-9])"
_WHOLE = r"^\s*-?[0-9]+\s*$"
_EXACT_IN_FLOAT = 2.0**53
_SAMPLE = 1000
_FIGURES = re.compile(
    r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:inf|nan)|true|false|\d{4}-\d\d-\d\d(?:[T ].*)?", re.IGNORECASE
)
_GUESSES = (Kind.INT, Kind.FLOAT, Kind.BOOL, Kind.DATE, Kind.TIMESTAMP)


def parse(kind: Kind, text: pa.ChunkedArray) -> pa.ChunkedArray:
    """The texts as values of a kind, null where a text is not one; blanks around anything but a string are ignored."""
    match kind:
        case Kind.STRING:
            return text.cast(ARROW_TYPES[Kind.STRING])
        case Kind.IRI:
            return _iris(text)
        case Kind.BOOL:
            return _booleans(text)
    values = _convert(kind, _without_empty(text), must_fit=False)
    assert values is not None
    return values


def infer(text: pa.ChunkedArray) -> tuple[Kind, pa.ChunkedArray]:
    """The type that fits every cell of a column but the blank ones, and the values, null where the cell is blank.

    The types are tried in the order int, float, bool, date, timestamp; otherwise the column is a string.  Texts that look like
    numbers and are more likely codes keep the column a string: a leading zero or plus (`007`, `+49`), and integers that no
    int or, among floats, no float holds exactly.
    """
    filled = _without_empty(text)
    if filled.null_count < len(filled):
        sample = filled.slice(0, _SAMPLE)
        for kind in _GUESSES:
            if _fitting(kind, sample) is not None and (values := _fitting(kind, filled)) is not None:
                return kind, values
    return Kind.STRING, parse(Kind.STRING, text)


def is_word(text: str) -> bool:
    """Whether a text can be the name of a column: no number, not even one that is too large or a code, and no date or time."""
    text = text.strip()
    return bool(text) and any(map(str.isalpha, text)) and _FIGURES.fullmatch(text) is None


def is_blank(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Which cells are null, empty, or blank."""
    return pc.fill_null(pc.equal(pc.utf8_trim_whitespace(text), ""), True)


def _without_empty(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """The texts, with null for empty ones."""
    return null_unless(pc.not_equal(text, ""), text)


def _fitting(kind: Kind, text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """The texts as values of a kind if all fit and the kind is plausible, else None."""
    if kind is Kind.BOOL:
        values = _booleans(text)
        return values if _only_blanks(text, values) else None
    if kind in (Kind.INT, Kind.FLOAT) and _has_codes(text):
        return None
    values = _convert(kind, text, must_fit=True)
    if kind is Kind.FLOAT and values is not None:
        large = pc.filter(text, pc.greater_equal(pc.abs(values), _EXACT_IN_FLOAT))
        has_number = pc.any(pc.is_finite(values)).as_py() is not False  # a column of nothing but "nan" holds names
        return values if has_number and not _any_matches(large, _WHOLE) else None
    return values


def _only_blanks(text: pa.ChunkedArray, values: pa.ChunkedArray) -> bool:
    """Whether only blank texts have no value."""
    return values.null_count == text.null_count or bool(pc.all(is_blank(pc.filter(text, pc.is_null(values)))).as_py())


def _has_codes(text: pa.ChunkedArray) -> bool:
    """Whether some text starts like a code (`007`, `+49`) rather than a number."""
    return any(_any_matches(pc.filter(text, pc.starts_with(text, start)), _CODE) for start in ("0", "-0", "+", " "))


def _any_matches(text: pa.ChunkedArray, pattern: str) -> bool:
    return len(text) > 0 and pc.any(pc.match_substring_regex(text, pattern)).as_py() is True


def _convert(kind: Kind, text: pa.ChunkedArray, *, must_fit: bool) -> pa.ChunkedArray | None:
    """The texts as numbers, dates or timestamps, null where they are not; with `must_fit`, None if there is such a text."""
    if (values := _convert_at_once(kind, text)) is not None:
        return values
    values = _convert_by_form(kind, text, must_fit=must_fit)
    return None if must_fit and values is not None and not _only_blanks(text, values) else values


def _convert_by_form(kind: Kind, text: pa.ChunkedArray, *, must_fit: bool) -> pa.ChunkedArray | None:
    """Convert usual forms by Arrow, all others by the parsers of `tidelog.values`; with `must_fit`, None at the first misfit."""
    usual = pc.match_substring_regex(text, _USUAL[kind])
    values = _cast(kind, null_unless(usual, text))
    if values is None:  # an invalid day
        if must_fit:
            return None
        usual, values = pc.is_null(text), pa.chunked_array([pa.nulls(len(text), ARROW_TYPES[kind])])
    odd = pc.unique(pc.filter(text, pc.invert(usual)))
    contents: list[object] = []
    for odd_text in odd.to_pylist():
        value = None if odd_text is None else _PARSERS[kind](odd_text.strip())
        if value is None and must_fit and odd_text and odd_text.strip():
            return None
        contents.append(None if value is None else value.content)
    if not contents:
        return values
    places = pc.index_in(text, value_set=odd.cast(text.type), skip_nulls=True)
    return pc.coalesce(values, pc.take(pa.array(contents, ARROW_TYPES[kind]), places))


def _convert_at_once(kind: Kind, text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """The values if Arrow converts every text as `tidelog.values` does; else None."""
    if kind is Kind.TIMESTAMP or (values := _cast(kind, text)) is None:
        return None
    if kind is Kind.INT:
        for start in ("0", "-0"):  # Arrow accepts 0x1F
            if pc.any(pc.greater(pc.binary_length(pc.filter(text, pc.starts_with(text, start))), len(start))).as_py():
                return None
    if kind is Kind.FLOAT and pc.all(pc.is_finite(values)).as_py() is False:  # Arrow accepts nan(1)
        return None
    return None if values.null_count > text.null_count else values


def _cast(kind: Kind, text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Arrow's conversion, null outside the calendar; None if Arrow refuses a text."""
    try:
        if kind is Kind.TIMESTAMP:
            has_no_zone = pc.match_substring_regex(text, rf"^{_MOMENT}$")
            text = pc.if_else(
                has_no_zone, pc.binary_join_element_wise(text, pa.scalar("Z", text.type), pa.scalar("", text.type)), text
            )
        values = text.cast(ARROW_TYPES[kind])
    except pa.ArrowInvalid:
        return None
    return within_calendar(values)


def _booleans(text: pa.ChunkedArray) -> pa.ChunkedArray:
    def words(value_set: tuple[str, ...], among: pa.ChunkedArray) -> pa.ChunkedArray:
        return pc.is_in(among, value_set=pa.array(value_set, text.type))

    truths = words(_TRUE, text)
    known = pc.or_(truths, words(_FALSE, text))
    if pc.all(known).as_py() is False:
        trimmed = pc.utf8_trim_whitespace(text)
        truths = words(_TRUE, trimmed)
        known = pc.or_(truths, words(_FALSE, trimmed))
    return null_unless(known, truths)


def _iris(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """IRIs, with or without angle brackets."""
    text = pc.utf8_trim_whitespace(text.cast(ARROW_TYPES[Kind.IRI]))
    opens, closes = pc.starts_with(text, "<"), pc.ends_with(text, ">")
    fits = pc.and_(pc.match_substring_regex(text, _IRI), pc.equal(opens, closes))
    bare = pc.utf8_trim(text, "<>") if pc.any(opens).as_py() else text
    return null_unless(fits, bare)
