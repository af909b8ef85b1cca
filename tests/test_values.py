"""Kinds, equality, literals of RDF, texts of values, and the way from and to Python."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.some_values import EDGES, OF_KIND, any_value, b, characters, dates, day, f, i, int64, ints, moment, s, timestamps

from tidelog.errors import TidelogError
from tidelog.values import (
    FALSE,
    INT_MAX,
    INT_MIN,
    IRI,
    RDF,
    TRUE,
    XSD,
    Kind,
    Literal,
    Value,
    floating,
    from_python,
    integer,
    iris_of,
    language_literal,
    parse_date,
    parse_float,
    parse_integer,
    parse_timestamp,
    sort_key,
    string,
    text_of,
    typed_literal,
)

# --- kinds and equality -----------------------------------------------------------------------------------------------


def test_values_of_different_kinds_are_different() -> None:
    alike = [
        i(1),
        f(1.0),
        b(True),
        s("1"),
        s("true"),
        Value(Kind.IRI, IRI("1")),
        Value(Kind.LITERAL, Literal("1", XSD + "byte")),
        language_literal("1", "en"),
        day("2026-11-15"),
        moment("2026-11-15T00:00:00"),
        s("2026-11-15"),
    ]
    for at, left in enumerate(alike):
        for other, right in enumerate(alike):
            assert (left == right) is (at == other)
    assert len(set(alike)) == len(alike)


def test_two_is_not_two_point_zero() -> None:
    assert i(2) != f(2.0)
    assert from_python(2) != from_python(2.0)


@pytest.mark.parametrize(("truth", "number"), [(True, 1), (False, 0)])
def test_booleans_are_not_integers(truth: bool, number: int) -> None:
    assert from_python(truth).kind is Kind.BOOL
    assert from_python(number).kind is Kind.INT
    assert from_python(truth) != from_python(number)


def test_nan_is_itself_wherever_it_comes_from() -> None:
    nans = [
        from_python(float("nan")),
        floating(math.inf - math.inf),
        from_python(-math.nan),
        parse_float("nan"),
        parse_float("NaN"),
    ]
    assert all(nan == nans[0] for nan in nans)
    assert len(set(nans)) == 1
    assert nans[0] != f(math.inf)


def test_minus_zero_is_stored_as_zero() -> None:
    for zero in (from_python(-0.0), floating(-0.0), parse_float("-0.0"), parse_float("-1e-400")):
        assert zero == f(0.0)
        assert isinstance(zero.content, float)
        assert math.copysign(1.0, zero.content) == 1.0


def test_minus_zero_is_still_a_float() -> None:
    assert f(-0.0) != i(0)


@pytest.mark.parametrize("number", [INT_MIN, INT_MAX])
def test_integers_have_64_bits(number: int) -> None:
    assert integer(number) == Value(Kind.INT, number)
    assert integer(number + (1 if number > 0 else -1)) is None


def test_the_ends_of_64_bits() -> None:
    assert (INT_MIN, INT_MAX) == (-9223372036854775808, 9223372036854775807)


@given(any_value, any_value)
def test_equality_is_of_kind_and_content_and_agrees_with_the_hash(left: Value, right: Value) -> None:
    assert left == Value(left.kind, left.content)
    assert (left == right) is ((left.kind, repr(left.content)) == (right.kind, repr(right.content)))
    if left.kind is not right.kind:
        assert left != right
    if left == right:
        assert hash(left) == hash(right)


# --- dates and timestamps ---------------------------------------------------------------------------------------------


def test_a_date() -> None:
    assert parse_date("2026-11-15") == Value(Kind.DATE, date(2026, 11, 15))
    assert parse_date("2024-02-29") == Value(Kind.DATE, date(2024, 2, 29))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-11-31",
        "2026-02-29",
        "2026-13-01",
        "0000-01-01",
        "2026-1-5",
        "20261115",
        "2026-W46-7",
        " 2026-11-15",
        "2026-11-15\n",
        "2026-11-15Z",
        "2026-11-15T00:00:00Z",
        "٢٠٢٦-١١-١٥",
    ],
)
def test_not_a_date(text: str) -> None:
    assert parse_date(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-15T06:43:00Z", datetime(2026, 11, 15, 6, 43, tzinfo=UTC)),
        ("2026-11-15T06:43:00", datetime(2026, 11, 15, 6, 43, tzinfo=UTC)),
        ("2026-11-15T06:43:00+02:00", datetime(2026, 11, 15, 4, 43, tzinfo=UTC)),
        ("2026-11-15T06:43:00-05:30", datetime(2026, 11, 15, 12, 13, tzinfo=UTC)),
        ("2026-11-15T06:43:00.5Z", datetime(2026, 11, 15, 6, 43, 0, 500_000, tzinfo=UTC)),
        ("2026-11-15T06:43:00.000001Z", datetime(2026, 11, 15, 6, 43, 0, 1, tzinfo=UTC)),
        ("2026-11-15T06:43:00.123456000Z", datetime(2026, 11, 15, 6, 43, 0, 123_456, tzinfo=UTC)),
    ],
)
def test_a_timestamp_is_in_utc_with_microseconds(text: str, expected: datetime) -> None:
    value = parse_timestamp(text)
    assert value == Value(Kind.TIMESTAMP, expected)
    assert isinstance(value.content, datetime)
    assert value.content.utcoffset() == timedelta(0)
    assert value.content.isoformat() == expected.isoformat()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-11-15",
        "2026-11-15 06:43:00Z",
        "2026-11-15T06:43Z",
        "2026-11-15T25:00:00Z",
        "2026-11-15T06:60:00Z",
        "2026-11-15T06:43:60Z",
        "2026-11-31T06:43:00Z",
        "2026-11-15T06:43:00.Z",
        "2026-11-15T06:43:00.1234567Z",
        "2026-11-15T06:43:00z",
        "2026-11-15T06:43:00+0200",
        "2026-11-15T06:43:00+25:00",
        "2026-11-15T06:43:00Z\n",
        "2026-11-15T06:43:0٣Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
    ],
)
def test_not_a_timestamp(text: str) -> None:
    assert parse_timestamp(text) is None


def test_a_zone_has_less_than_sixty_minutes() -> None:
    assert parse_timestamp("2026-11-15T06:43:00+14:60") is None


def test_equal_moments_are_equal_in_any_zone() -> None:
    assert parse_timestamp("2026-11-15T06:43:00+02:00") == parse_timestamp("2026-11-15T04:43:00Z")
    assert len({parse_timestamp("2026-11-15T06:43:00+02:00"), parse_timestamp("2026-11-15T04:43:00Z")}) == 1


# --- numbers as texts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("-0", 0),
        ("+5", 5),
        ("007", 7),
        ("0" * 4000 + "7", 7),
        ("9223372036854775807", INT_MAX),
        ("-9223372036854775808", INT_MIN),
    ],
)
def test_an_integer_as_text(text: str, number: int) -> None:
    assert parse_integer(text) == i(number)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "-",
        "+",
        "--1",
        "+-1",
        " 1",
        "1 ",
        "1\n",
        "1_000",
        "1.0",
        "1e3",
        "0x10",
        "٣",
        "9223372036854775808",
        "-9223372036854775809",
    ],
)
def test_not_an_integer_as_text(text: str) -> None:
    assert parse_integer(text) is None


@pytest.mark.parametrize("length", [40, 41, 42, 5_000, 100_000])
def test_very_many_digits_are_no_integer(length: int) -> None:
    assert parse_integer("9" * length) is None
    assert parse_integer("-" + "9" * length) is None


def test_very_many_leading_zeros_do_not_matter() -> None:
    assert parse_integer("0" * 5_000 + "7") == i(7)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1.0),
        ("-2.5", -2.5),
        ("+.5", 0.5),
        ("5.", 5.0),
        ("1e5", 100000.0),
        ("1E-2", 0.01),
        ("inf", math.inf),
        ("INF", math.inf),
        ("-INF", -math.inf),
    ],
)
def test_a_float_as_text(text: str, number: float) -> None:
    assert parse_float(text) == f(number)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        ".",
        "e5",
        "1e",
        "1e+",
        " 1",
        "1 ",
        "1\n",
        "1_0.0",
        "0x1p3",
        "infinity",
        "-nan",
        "1.5f",
        "٣.٥",
        "1e309",
        "-1e309",
        "9" * 10_000,
    ],
)
def test_not_a_float_as_text(text: str) -> None:
    assert parse_float(text) is None


# --- RDF literals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "datatype", "value"),
    [
        ("5", "integer", i(5)),
        ("-05", "integer", i(-5)),
        ("", "string", s("")),
        ("chat", "string", s("chat")),
        ("2.5", "double", f(2.5)),
        ("5", "double", f(5.0)),
        ("-0", "double", f(0.0)),
        ("INF", "double", f(math.inf)),
        ("1e309", "double", Value(Kind.LITERAL, Literal("1e309", XSD + "double"))),
        ("-INF", "double", f(-math.inf)),
        ("NaN", "double", f(math.nan)),
        ("true", "boolean", TRUE),
        ("1", "boolean", TRUE),
        ("false", "boolean", FALSE),
        ("0", "boolean", FALSE),
        ("2026-11-15", "date", day("2026-11-15")),
        ("2026-11-15T06:43:00Z", "dateTime", moment("2026-11-15T06:43:00")),
        ("2026-11-15T06:43:00.25+01:00", "dateTime", moment("2026-11-15T05:43:00.250000")),
    ],
)
def test_a_datatype_with_a_kind_of_its_own_is_that_kind(text: str, datatype: str, value: Value) -> None:
    assert typed_literal(text, XSD + datatype) == value


@pytest.mark.parametrize(
    ("text", "datatype"),
    [
        ("x", "integer"),
        ("", "integer"),
        ("5.0", "integer"),
        ("x", "double"),
        ("", "double"),
        ("TRUE", "boolean"),
        ("yes", "boolean"),
        ("", "boolean"),
        ("2026-02-30", "date"),
        ("2026-02-30T00:00:00Z", "dateTime"),
    ],
)
def test_a_text_that_does_not_fit_its_datatype_is_no_value(text: str, datatype: str) -> None:
    assert typed_literal(text, XSD + datatype) is None


@pytest.mark.parametrize(
    ("text", "datatype"), [("garbage", "date"), ("", "date"), ("garbage", "dateTime"), ("2026-11-15", "dateTime")]
)
def test_a_text_that_is_no_date_at_all_is_no_value(text: str, datatype: str) -> None:
    assert typed_literal(text, XSD + datatype) is None


@pytest.mark.parametrize(
    ("text", "datatype"),
    [
        ("5", XSD + "byte"),
        ("300", XSD + "byte"),
        ("5", XSD + "decimal"),
        ("5", XSD + "int"),
        ("5", "http://example.org/integer"),
        ("5", "integer"),
        ("5", RDF + "integer"),
        ("9223372036854775808", XSD + "integer"),
        ("2026-11-15Z", XSD + "date"),
        ("2026-11-15T06:43:00", XSD + "dateTime"),
    ],
)
def test_everything_else_stays_a_literal(text: str, datatype: str) -> None:
    assert typed_literal(text, datatype) == Value(Kind.LITERAL, Literal(text, datatype))


@pytest.mark.parametrize(
    ("text", "datatype"),
    [
        ("2026-11-15T06:43:00.123456789Z", "dateTime"),
        ("2026-11-15T06:43:00.123456789", "dateTime"),
        ("-0044-03-15T12:00:00Z", "dateTime"),
        ("12026-11-15T06:43:00Z", "dateTime"),
        ("0001-01-01T00:00:00+14:00", "dateTime"),
        ("-0044-03-15", "date"),
        ("12026-11-15", "date"),
    ],
)
def test_dates_beyond_our_kinds_stay_literals(text: str, datatype: str) -> None:
    assert typed_literal(text, XSD + datatype) == Value(Kind.LITERAL, Literal(text, XSD + datatype))


def test_literals_compare_by_text_and_datatype() -> None:
    assert typed_literal("5", XSD + "byte") == typed_literal("5", XSD + "byte")
    assert typed_literal("5", XSD + "byte") != typed_literal("05", XSD + "byte")
    assert typed_literal("5", XSD + "byte") != typed_literal("5", XSD + "short")
    assert typed_literal("5", XSD + "byte") != typed_literal("5", XSD + "integer")


def test_language_tags_are_the_same_in_any_case() -> None:
    assert language_literal("chat", "FR") == language_literal("chat", "fr")
    assert language_literal("chat", "de-AT") == language_literal("chat", "DE-at")
    assert language_literal("chat", "fr") != language_literal("chat", "en")
    assert language_literal("chat", "fr") != language_literal("Chat", "fr")
    assert language_literal("chat", "fr") != s("chat")
    assert from_python(Literal("chat", language="FR")) == from_python(Literal("chat", language="fr"))


# --- from and to Python -----------------------------------------------------------------------------------------------


class _Colour(StrEnum):
    RED = "red"


class _OldColour(str, Enum):  # noqa: UP042 - the two differ in what str() gives
    RED = "red"


class _Number(IntEnum):
    TWO = 2


class _LoudFloat(float):
    """What numpy.float64 is: a float with another repr."""

    def __repr__(self) -> str:
        return f"loud({float(self)})"


class _LoudInt(int):
    def __repr__(self) -> str:
        return f"loud({int(self)})"


@pytest.mark.parametrize(
    ("thing", "kind"),
    [
        ("a", Kind.STRING),
        ("", Kind.STRING),
        ("𝄞\x00", Kind.STRING),
        (5, Kind.INT),
        (INT_MIN, Kind.INT),
        (INT_MAX, Kind.INT),
        (2.0, Kind.FLOAT),
        (math.inf, Kind.FLOAT),
        (True, Kind.BOOL),
        (date(2026, 11, 15), Kind.DATE),
        (datetime(2026, 11, 15, 6, 43, 0, 7, tzinfo=UTC), Kind.TIMESTAMP),
        (IRI("http://example.org/a"), Kind.IRI),
        (Literal("5", XSD + "byte"), Kind.LITERAL),
        (Literal("chat", None, "fr"), Kind.LITERAL),
    ],
)
def test_from_python_and_back(thing: object, kind: Kind) -> None:
    value = from_python(thing)
    assert value.kind is kind
    assert value.content == thing
    assert type(value.content) is type(thing)


@given(any_value)
def test_to_python_and_back(value: Value) -> None:
    assert from_python(value.content) == value
    assert from_python(value) == value


@given(
    st.text(characters) | int64 | st.floats(allow_nan=False) | st.booleans() | st.dates() | st.datetimes(timezones=st.just(UTC))
)
def test_plain_python_objects_come_back(thing: object) -> None:
    back = from_python(thing).content
    assert back == thing
    assert type(back) is type(thing)


def test_literals_from_python_are_the_same_as_in_the_text() -> None:
    assert from_python(Literal("5", XSD + "integer")) == i(5)
    assert from_python(Literal("a", XSD + "string")) == s("a")
    assert from_python(Literal("a")) == s("a")
    assert from_python(IRI("a")) != s("a")


def test_datetimes_from_python_are_in_utc() -> None:
    east = datetime(2026, 11, 15, 6, 43, tzinfo=timezone(timedelta(hours=2)))
    assert from_python(east) == moment("2026-11-15T04:43:00")
    content = from_python(east).content
    assert isinstance(content, datetime)
    assert (content.hour, content.tzinfo) == (4, UTC)


def test_a_naive_datetime_is_in_utc_whatever_the_local_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert from_python(datetime(2026, 11, 15, 6, 43)) == moment("2026-11-15T06:43:00")
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_datetime_is_not_a_date() -> None:
    assert from_python(datetime(2026, 11, 15)) != from_python(date(2026, 11, 15))


@pytest.mark.parametrize(
    "thing",
    [
        None,
        [],
        ["a"],
        ("a",),
        {},
        {"iri": "a"},
        set(),
        b"a",
        1j,
        object(),
        str,
        timedelta(seconds=1),
        INT_MAX + 1,
        INT_MIN - 1,
        10**100,
        "\ud800",
        "a\udfffb",
        Literal("x", XSD + "integer"),
        Literal("maybe", XSD + "boolean"),
        Literal("2026-02-30", XSD + "date"),
    ],
    ids=lambda thing: ascii(thing)[:20],
)
def test_what_has_no_place_in_a_fact_is_refused(thing: object) -> None:
    with pytest.raises(TidelogError) as caught:
        from_python(thing)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "TL072"
    assert type(thing).__name__ in diagnostic.message
    assert diagnostic.fix


@given(
    st.integers().filter(lambda n: not INT_MIN <= n <= INT_MAX)
    | st.integers(min_value=INT_MAX + 1)
    | st.integers(max_value=INT_MIN - 1)
)
def test_integers_out_of_range_are_refused(number: int) -> None:
    with pytest.raises(TidelogError, match="TL072"):
        from_python(number)


@pytest.mark.parametrize(
    "thing",
    [
        IRI("\ud800"),
        Literal("\ud800"),
        Literal("\ud800", XSD + "string"),
        Literal("\ud800", XSD + "byte"),
        Literal("\ud800", None, "en"),
    ],
    ids=ascii,
)
def test_lone_surrogates_are_refused_inside_of_iris_and_literals(thing: object) -> None:
    with pytest.raises(TidelogError, match="TL072"):
        from_python(thing)


@pytest.mark.parametrize(
    "thing",
    [
        datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
        datetime.max.replace(tzinfo=timezone(timedelta(hours=-14))),
    ],
)
def test_a_moment_outside_of_all_years_in_utc_is_refused(thing: datetime) -> None:
    with pytest.raises(TidelogError, match="TL072"):
        from_python(thing)


@pytest.mark.parametrize("thing", [Value(Kind.INT, INT_MAX + 1), Value(Kind.STRING, 5), Value(Kind.STRING, "\ud800")], ids=ascii)
def test_a_value_that_is_none_is_refused(thing: Value) -> None:
    with pytest.raises(TidelogError, match="TL072"):
        from_python(thing)


@pytest.mark.parametrize(("number", "expected"), [(float("nan"), math.nan), (-0.0, 0.0)])
def test_a_value_from_outside_gets_the_one_form(number: float, expected: float) -> None:
    value = from_python(Value(Kind.FLOAT, number))
    assert value == floating(expected)
    assert text_of(value) == text_of(floating(expected))


@pytest.mark.parametrize("thing", [Literal("a", "http://example.org/\udc00"), Literal("a", None, "\udc00")], ids=ascii)
def test_lone_surrogates_are_refused_in_datatypes_and_languages(thing: object) -> None:
    with pytest.raises(TidelogError, match="TL072"):
        from_python(thing)


@pytest.mark.parametrize("thing", [IRI(5), Literal(5), Literal(5, None, "en"), Literal("a", None, 5)], ids=ascii)  # type: ignore[arg-type]
def test_iris_and_literals_are_made_of_texts(thing: object) -> None:
    with pytest.raises(TidelogError, match="TL072"):
        from_python(thing)


def test_datatypes_are_texts() -> None:
    with pytest.raises(TidelogError, match="TL072"):
        from_python(Literal("a", 5))  # type: ignore[arg-type]


def test_enums_of_python_are_what_they_equal() -> None:
    assert from_python(_Colour.RED) == s("red")
    assert type(from_python(_Colour.RED).content) is str
    assert from_python(_Number.TWO) == i(2)
    assert text_of(from_python(_Number.TWO)) == "2"


def test_old_enums_of_strings_are_what_they_equal() -> None:
    assert from_python(_OldColour.RED) == s("red")


@pytest.mark.parametrize(("thing", "text"), [(_LoudFloat(2.5), "2.5"), (_LoudInt(2), "2")])
def test_subclasses_become_plain_numbers(thing: float, text: str) -> None:
    assert text_of(from_python(thing)) == text


class _OtherDate(date):
    pass


class _OtherDatetime(datetime):
    """What pandas.Timestamp is."""


@pytest.mark.parametrize(
    ("thing", "kind"), [(_OtherDate(2026, 11, 15), date), (_OtherDatetime(2026, 11, 15, tzinfo=UTC), datetime)]
)
def test_subclasses_become_plain_dates(thing: date, kind: type) -> None:
    assert type(from_python(thing).content) is kind


# --- texts and the order of output ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (s("a b"), "a b"),
        (s(""), ""),
        (i(-5), "-5"),
        (i(INT_MIN), "-9223372036854775808"),
        (f(2.0), "2.0"),
        (f(0.1), "0.1"),
        (f(-0.0), "0.0"),
        (f(1e300), "1e+300"),
        (f(math.inf), "inf"),
        (f(-math.inf), "-inf"),
        (f(math.nan), "nan"),
        (b(True), "true"),
        (b(False), "false"),
        (day("2026-11-15"), "2026-11-15"),
        (day("0001-01-01"), "0001-01-01"),
        (moment("2026-11-15T06:43:00"), "2026-11-15T06:43:00Z"),
        (moment("2026-11-15T06:43:00.000500"), "2026-11-15T06:43:00.000500Z"),
        (Value(Kind.IRI, IRI("http://example.org/a")), "http://example.org/a"),
        (Value(Kind.LITERAL, Literal("5", XSD + "byte")), "5"),
        (language_literal("chat", "fr"), "chat"),
    ],
)
def test_the_text_of_a_value(value: Value, text: str) -> None:
    assert text_of(value) == text


@given(ints)
def test_texts_of_integers_read_back(value: Value) -> None:
    assert parse_integer(text_of(value)) == value


@given(OF_KIND[Kind.FLOAT])
def test_texts_of_floats_read_back(value: Value) -> None:
    assert parse_float(text_of(value)) == value


@given(dates)
def test_texts_of_dates_read_back(value: Value) -> None:
    assert parse_date(text_of(value)) == value


@given(timestamps)
def test_texts_of_timestamps_read_back(value: Value) -> None:
    assert parse_timestamp(text_of(value)) == value


@given(any_value, any_value)
def test_the_order_of_output_tells_all_values_apart(left: Value, right: Value) -> None:
    before, after = sort_key(left) < sort_key(right), sort_key(right) < sort_key(left)
    assert (before or after) is (left != right)
    assert not (before and after)


@given(any_value, any_value)
def test_the_order_of_output_goes_by_kind_first(left: Value, right: Value) -> None:
    places = list(Kind)
    if left.kind is not right.kind:
        assert (sort_key(left) < sort_key(right)) is (places.index(left.kind) < places.index(right.kind))


def test_numbers_of_output_are_in_their_order() -> None:
    whole = [i(n) for n in (-100, -20, -3, 0, 1, 2, 10, 100, 2**53, 2**53 + 1, INT_MAX)]
    assert sorted(whole[5:] + whole[:5], key=sort_key) == whole
    broken = [f(x) for x in (-math.inf, -1e300, -2.5, 0.0, 1e-300, 2.0, 10.0, 1e300, math.inf)]
    assert sorted(broken[5:] + broken[:5], key=sort_key) == broken


def test_large_integers_of_output_are_in_their_order() -> None:
    assert sorted(map(i, EDGES), key=sort_key) == list(map(i, sorted(EDGES)))


def test_timestamps_of_output_are_in_their_order() -> None:
    moments = [moment("2026-11-15T06:43:00"), moment("2026-11-15T06:43:00.500000"), moment("2026-11-15T06:43:01")]
    assert sorted(moments, key=sort_key) == moments


def test_strings_of_output_are_in_the_order_of_their_code_points() -> None:
    texts = [string(text) for text in ("", "a", "a\t", "a b", "b")]
    assert sorted(texts, key=sort_key) == texts


class WithNanoseconds(datetime):
    """As pandas has it."""

    nanosecond = 7


@pytest.mark.parametrize(
    ("thing", "fix"),
    [
        (WithNanoseconds(2026, 11, 15, tzinfo=UTC), r"round it, `t\.round\('us'\)`"),
        (Decimal("0.1"), "`float\\(d\\)`, which may be rounded, or `str\\(d\\)`"),
        (np.datetime64("2026-11-15T00:00:00.000000001"), r"`item\(\)` makes a Python object"),
        (np.timedelta64(5, "s"), r"`item\(\)` makes a Python object"),
        pytest.param(10**5000, "64 bits", id="many digits"),
        (Value(Kind.INT, Value(Kind.INT, 5)), "use str"),  # type: ignore[arg-type]
    ],
)
def test_what_would_lose_something_is_refused(thing: object, fix: str) -> None:
    with pytest.raises(TidelogError, match=f"(?s)TL072.*fix: .*{fix}"):
        from_python(thing)


def test_a_subclass_without_nanoseconds_is_a_timestamp() -> None:
    class Whole(datetime):
        nanosecond = 0

    assert from_python(Whole(2026, 11, 15, tzinfo=UTC)) == from_python(datetime(2026, 11, 15, tzinfo=UTC))


def test_many_iris_are_like_single_ones() -> None:
    texts = ["http://a/", "", "é", "http://a/"]
    assert iris_of(texts) == [IRI(text) for text in texts]
    assert {*iris_of(texts)} == {IRI(text) for text in texts}
    assert iris_of([]) == []


def test_terms_of_rdflib_are_what_they_mean() -> None:
    rdflib = pytest.importorskip("rdflib")
    own = type("Own", (rdflib.URIRef,), {})
    assert from_python(rdflib.URIRef("http://a")) == from_python(own("http://a")) == from_python(IRI("http://a"))
    assert from_python(rdflib.BNode("b")) == from_python(IRI("_:b"))
    assert from_python(rdflib.Literal("05", datatype=rdflib.XSD.integer, normalize=False)) == from_python(5)
    assert from_python(rdflib.Literal("x", lang="EN")) == from_python(Literal("x", None, "en"))
    assert from_python(rdflib.Literal("x")) == from_python("x")
    for term in (rdflib.Variable("x"), rdflib.Literal("x", datatype=rdflib.XSD.integer)):
        with pytest.raises(TidelogError, match="TL072"):
            from_python(term)
