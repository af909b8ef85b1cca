"""The string functions count code points; patterns are RE2's; conversions are strict."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.some_values import INFINITY, NAN, OF_KIND, any_value, b, characters, day, f, i, int64, ints, moment, s, strings, texts

from tidelog.functions.evaluate import apply
from tidelog.functions.strings import regex
from tidelog.values import INT_MAX, INT_MIN, IRI, XSD, Kind, Literal, Value, language_literal, text_of

IRI_VALUE = Value(Kind.IRI, IRI("http://example.org/a"))


def _matches(text: str, pattern: str) -> Value | None:
    return apply("matches", [s(text), s(pattern)])


# --- texts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "args", "result"),
    [
        ("cat", ("a",), s("a")),
        ("cat", ("a", "b"), s("ab")),
        ("cat", ("a", "", "b", "c"), s("abc")),
        ("length", ("",), i(0)),
        ("length", ("abc",), i(3)),
        ("length", ("é",), i(1)),
        ("length", ("e\u0301",), i(2)),
        ("length", ("𝄞x",), i(2)),
        ("length", ("a\x00b",), i(3)),
        ("lower", ("ÀBc1",), s("àbc1")),
        ("upper", ("àbC1",), s("ÀBC1")),
        ("upper", ("straße",), s("STRASSE")),
        ("contains", ("chat", "ha"), b(True)),
        ("contains", ("ha", "chat"), b(False)),
        ("contains", ("chat", ""), b(True)),
        ("contains", ("chat", "HA"), b(False)),
        ("contains", ("a.c", "."), b(True)),
        ("contains", ("abc", "a.c"), b(False)),
        ("starts_with", ("chat", "ch"), b(True)),
        ("starts_with", ("chat", "at"), b(False)),
        ("starts_with", ("ch", "chat"), b(False)),
        ("starts_with", ("chat", ""), b(True)),
        ("ends_with", ("chat", "at"), b(True)),
        ("ends_with", ("chat", "ch"), b(False)),
        ("ends_with", ("at", "chat"), b(False)),
        ("ends_with", ("", ""), b(True)),
    ],
)
def test_functions_on_strings(function: str, args: tuple[str, ...], result: Value) -> None:
    assert apply(function, [s(arg) for arg in args]) == result


@pytest.mark.parametrize(
    ("text", "start", "length", "result"),
    [
        ("chat", 0, 2, "ch"),
        ("chat", 1, 2, "ha"),
        ("chat", 0, 4, "chat"),
        ("chat", 2, 10, "at"),
        ("chat", 4, 1, ""),
        ("chat", 10, 1, ""),
        ("chat", 1, 0, ""),
        ("", 0, 5, ""),
        ("a𝄞b", 1, 1, "𝄞"),
        ("a𝄞b", 2, 1, "b"),
        ("chat", 1, INT_MAX, "hat"),
        ("chat", INT_MAX, INT_MAX, ""),
    ],
)
def test_substr_counts_code_points_from_zero(text: str, start: int, length: int, result: str) -> None:
    assert apply("substr", [s(text), i(start), i(length)]) == s(result)


@pytest.mark.parametrize(("start", "length"), [(-1, 1), (0, -1), (-1, -1), (INT_MIN, 1), (0, INT_MIN), (10, -1)])
def test_substr_before_the_beginning_is_undefined(start: int, length: int) -> None:
    assert apply("substr", [s("chat"), i(start), i(length)]) is None


@given(st.text(characters, max_size=8), int64, int64)
def test_substr_is_those_code_points(text: str, start: int, length: int) -> None:
    expected = s("".join(c for at, c in enumerate(text) if start <= at < start + length))
    assert apply("substr", [s(text), i(start), i(length)]) == (expected if start >= 0 and length >= 0 else None)


@given(texts, st.integers(0, 10))
def test_a_text_is_its_two_parts(text: str, at: int) -> None:
    head, tail = apply("substr", [s(text), i(0), i(at)]), apply("substr", [s(text), i(at), i(len(text))])
    assert head is not None
    assert tail is not None
    assert apply("cat", [head, tail]) == s(text)
    for function, part in (("starts_with", head), ("ends_with", tail), ("contains", head), ("contains", tail)):
        assert apply(function, [s(text), part]) == b(True)
    assert apply("length", [head]) == i(min(at, len(text)))


@given(texts, texts)
def test_contains_is_a_beginning_of_some_rest(text: str, part: str) -> None:
    rests = [text[at:] for at in range(len(text) + 1)]
    assert apply("contains", [s(text), s(part)]) == b(any(rest[: len(part)] == part for rest in rests))
    assert apply("starts_with", [s(text), s(part)]) == b(text[: len(part)] == part)
    assert apply("ends_with", [s(text), s(part)]) == b(rests[max(0, len(text) - len(part))] == part)


@pytest.mark.parametrize("function", ["cat", "length", "lower", "upper", "contains", "starts_with", "ends_with", "matches"])
@pytest.mark.parametrize("other", [i(1), f(1.0), b(True), day("2026-11-15"), IRI_VALUE, language_literal("a", "fr")])
def test_other_kinds_are_not_texts(function: str, other: Value) -> None:
    one = function in ("length", "lower", "upper")
    assert apply(function, [other] if one else [other, s("a")]) is None
    if not one:
        assert apply(function, [s("a"), other]) is None


@pytest.mark.parametrize(
    "args",
    [
        (i(1), i(0), i(1)),
        (IRI_VALUE, i(0), i(1)),
        (language_literal("a", "fr"), i(0), i(1)),
        (s("a"), f(0.0), i(1)),
        (s("a"), i(0), f(1.0)),
        (s("a"), b(False), i(1)),
        (s("a"), i(0), b(True)),
        (s("a"), s("0"), i(1)),
    ],
)
def test_substr_takes_a_string_and_integers(args: tuple[Value, ...]) -> None:
    assert apply("substr", args) is None


# --- patterns ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "pattern", "result"),
    [
        ("abc", "abc", True),
        ("abc", "b", False),
        ("abc", "ab", False),
        ("abc", "bc", False),
        ("abc", ".*b.*", True),
        ("ab", "a|ab", True),
        ("abc", "a|bc", False),
        ("", "", True),
        ("a", "", False),
        ("a\n", "a", False),
        ("a\n", "a$", False),
        ("a\nb", "a.b", False),
        ("a\nb", "(?s)a.b", True),
        ("ABC", "abc", False),
        ("ABC", "(?i)abc", True),
        ("x42", r"[a-z]\d+", True),
        ("x٣", r"[a-z]\d+", False),
        ("é", ".", True),
        ("𝄞", ".", True),
        ("é", r"\p{L}", True),
        ("a\x00b", "a\x00b", True),
        ("aa", "a{2}", True),
        ("aaa", "^a+$", True),
        ("a.b", r"a\.b", True),
        ("b", "(?P<name>b)", True),
    ],
)
def test_a_pattern_is_about_the_whole_text(text: str, pattern: str, result: bool) -> None:
    assert _matches(text, pattern) == b(result)


@pytest.mark.parametrize(
    "pattern", ["(", ")", "[", "*", "a**{", "(?<n", "\\", r"(a)\1", "(?=a)a", "(?!b)a", "a{2,1}", "a{1001}", r"\p{Nope}"]
)
def test_an_invalid_pattern_is_undefined(pattern: str) -> None:
    assert _matches("a", pattern) is None
    assert _matches("", pattern) is None
    assert regex(pattern) is None


def test_a_pattern_that_is_too_large_is_undefined() -> None:
    assert _matches("aaa", "((a{100}){100}){100}") is None


def test_a_pattern_that_would_take_others_for_ever_ends() -> None:
    assert _matches("a" * 5_000 + "b", "(a*)*(a*)*(a|aa)+") == b(False)


def test_an_invalid_pattern_says_nothing_on_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    assert regex("(never seen before") is None
    assert capfd.readouterr() == ("", "")


@given(texts)
def test_a_quoted_text_matches_itself_only(text: str) -> None:
    quoted = "".join(c if c.isalnum() or ord(c) > 127 else f"\\x{{{ord(c):x}}}" for c in text)
    assert _matches(text, quoted) == b(True)
    assert _matches(text + "x", quoted) == b(False)
    assert _matches("x" + text, quoted) == b(False)


@given(strings, strings)
def test_a_pattern_is_true_or_false_exactly_if_it_is_valid(text: Value, pattern: Value) -> None:
    result = apply("matches", [text, pattern])
    assert isinstance(pattern.content, str)
    assert (result is None) is (regex(pattern.content) is None)
    assert result in (None, b(True), b(False))


# --- conversions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argument", "result"),
    [
        (i(5), i(5)),
        (f(2.9), i(2)),
        (f(-2.9), i(-2)),
        (f(-0.5), i(0)),
        (f(2.0**62), i(2**62)),
        (f(-(2.0**63)), i(INT_MIN)),
        (s("12"), i(12)),
        (s("-12"), i(-12)),
        (s("+12"), i(12)),
        (s("012"), i(12)),
        (s("9223372036854775807"), i(INT_MAX)),
    ],
)
def test_int(argument: Value, result: Value) -> None:
    assert apply("int", [argument]) == result


@pytest.mark.parametrize(
    "argument",
    [
        s("x"),
        s(""),
        s(" 1"),
        s("1 "),
        s("1_0"),
        s("2.9"),
        s("1e5"),
        s("٣"),
        s("9223372036854775808"),
        s("9" * 10_000),
        f(2.0**63),
        f(-1e19),
        INFINITY,
        NAN,
        b(True),
        day("2026-11-15"),
        moment("2026-11-15T00:00:00"),
        IRI_VALUE,
        Value(Kind.LITERAL, Literal("5", XSD + "byte")),
    ],
)
def test_int_where_it_is_undefined(argument: Value) -> None:
    assert apply("int", [argument]) is None


def test_int_of_very_many_zeros() -> None:
    assert apply("int", [s("0" * 5_000)]) == i(0)


@pytest.mark.parametrize(
    ("argument", "result"),
    [
        (i(5), f(5.0)),
        (i(INT_MAX), f(2.0**63)),
        (i(2**53 + 1), f(2.0**53)),
        (f(2.5), f(2.5)),
        (NAN, NAN),
        (s("1e5"), f(100000.0)),
        (s("2"), f(2.0)),
        (s("-2.5"), f(-2.5)),
        (s("-0.0"), f(0.0)),
        (s(".5"), f(0.5)),
        (s("inf"), INFINITY),
        (s("nan"), NAN),
    ],
)
def test_float(argument: Value, result: Value) -> None:
    assert apply("float", [argument]) == result


@pytest.mark.parametrize(
    "argument",
    [s("x"), s(""), s(" 1"), s("1 "), s("1_0"), s("1e"), s("infinity"), s("0x1p3"), b(True), day("2026-11-15"), IRI_VALUE],
)
def test_float_where_it_is_undefined(argument: Value) -> None:
    assert apply("float", [argument]) is None


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        (s("a"), "a"),
        (i(-5), "-5"),
        (f(2.0), "2.0"),
        (NAN, "nan"),
        (b(True), "true"),
        (b(False), "false"),
        (day("2026-11-15"), "2026-11-15"),
        (moment("2026-11-15T06:43:00"), "2026-11-15T06:43:00Z"),
        (IRI_VALUE, "http://example.org/a"),
        (Value(Kind.LITERAL, Literal("5", XSD + "byte")), "5"),
        (language_literal("chat", "fr"), "chat"),
    ],
)
def test_string(argument: Value, text: str) -> None:
    assert apply("string", [argument]) == s(text)


@given(any_value)
def test_string_is_always_defined_and_stays_the_same(value: Value) -> None:
    once = apply("string", [value])
    assert once == s(text_of(value))
    assert apply("string", [once]) == once


@given(ints)
def test_integers_come_back_from_their_strings(value: Value) -> None:
    text = apply("string", [value])
    assert text is not None
    assert apply("int", [text]) == value


@given(OF_KIND[Kind.FLOAT])
def test_floats_come_back_from_their_strings(value: Value) -> None:
    text = apply("string", [value])
    assert text is not None
    assert apply("float", [text]) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_int_of_a_float_goes_towards_zero(x: float) -> None:
    nearer_to_zero = math.floor(x) if x >= 0 else math.ceil(x)
    assert apply("int", [f(x)]) == (i(nearer_to_zero) if INT_MIN <= nearer_to_zero <= INT_MAX else None)
