"""Comparisons: `=` and `!=` by kind and content, the others by value."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.some_values import INFINITY, NAN, OF_KIND, any_value, b, characters, day, f, floats, i, ints, moment, s, texts

from tidelog.functions.ordering import compare, extreme, ordered
from tidelog.functions.signatures import COMPARABLE, NUMBER
from tidelog.values import INT_MAX, INT_MIN, IRI, XSD, Kind, Literal, Value, language_literal

ORDERS = ("<", "<=", ">", ">=")
comparable_types = st.sampled_from([sorted(fused) for fused in COMPARABLE])


def _from(kinds: list[Kind]) -> st.SearchStrategy[Value]:
    return st.one_of(*(OF_KIND[kind] for kind in kinds)).filter(lambda value: value != NAN)


pairs = comparable_types.flatmap(lambda kinds: st.tuples(_from(kinds), _from(kinds)))
triples = comparable_types.flatmap(lambda kinds: st.tuples(_from(kinds), _from(kinds), _from(kinds)))


# --- equality ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (i(2), i(2), True),
        (i(2), f(2.0), False),
        (b(True), i(1), False),
        (b(False), i(0), False),
        (s("2"), i(2), False),
        (NAN, NAN, True),
        (NAN, f(1.0), False),
        (f(0.0), f(-0.0), True),
        (s("a"), s("a"), True),
        (s("a"), s("A"), False),
        (s("é"), s("e\u0301"), False),
        (s("http://example.org/a"), Value(Kind.IRI, IRI("http://example.org/a")), False),
        (s("chat"), language_literal("chat", "fr"), False),
        (language_literal("chat", "FR"), language_literal("chat", "fr"), True),
        (day("2026-11-15"), moment("2026-11-15T00:00:00"), False),
    ],
)
def test_equality_is_of_kind_and_content(left: Value, right: Value, equal: bool) -> None:
    assert compare("=", left, right) is equal
    assert compare("=", right, left) is equal
    assert compare("!=", left, right) is not equal
    assert compare("!=", right, left) is not equal


@given(any_value, any_value)
def test_equality_is_always_defined(left: Value, right: Value) -> None:
    assert compare("=", left, left) is True
    assert compare("!=", left, left) is False
    assert compare("=", left, right) is compare("=", right, left) is (left == right)
    assert compare("!=", left, right) is (left != right)


# --- order ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("small", "large"),
    [
        (i(1), i(2)),
        (i(-2), f(-1.5)),
        (f(1.5), i(2)),
        (i(2**53), i(2**53 + 1)),
        (f(2.0**53), i(2**53 + 1)),
        (i(-(2**53) - 1), f(-(2.0**53))),
        (i(INT_MAX), f(2.0**63)),
        (i(INT_MAX - 1), i(INT_MAX)),
        (i(INT_MAX), INFINITY),
        (f(float("-inf")), i(INT_MIN)),
        (s(""), s("a")),
        (s("Z"), s("a")),
        (s("10"), s("9")),
        (s("a"), s("ab")),
        (s("\uffff"), s("\U00010000")),
        (b(False), b(True)),
        (day("2026-11-15"), day("2026-11-16")),
        (day("0999-01-01"), day("2026-01-01")),
        (moment("2026-11-15T06:43:00"), moment("2026-11-15T06:43:00.000001")),
    ],
)
def test_what_is_smaller(small: Value, large: Value) -> None:
    assert [compare(op, small, large) for op in ORDERS] == [True, True, False, False]
    assert [compare(op, large, small) for op in ORDERS] == [False, False, True, True]


@pytest.mark.parametrize(("left", "right"), [(i(2), f(2.0)), (f(-(2.0**63)), i(INT_MIN)), (f(0.0), i(0)), (INFINITY, INFINITY)])
def test_numbers_of_the_same_value_are_neither_smaller_nor_larger(left: Value, right: Value) -> None:
    assert [compare(op, left, right) for op in ORDERS] == [False, True, False, True]
    assert [compare(op, right, left) for op in ORDERS] == [False, True, False, True]


@pytest.mark.parametrize("op", ORDERS)
@pytest.mark.parametrize(
    ("left", "right"),
    [
        (i(1), s("1")),
        (i(1), b(True)),
        (f(1.0), b(True)),
        (s("true"), b(True)),
        (day("2026-11-15"), moment("2026-11-15T00:00:00")),
        (day("2026-11-15"), s("2026-11-16")),
        (day("2026-11-15"), i(1)),
        (NAN, NAN),
        (NAN, i(1)),
        (NAN, INFINITY),
        (Value(Kind.IRI, IRI("a")), Value(Kind.IRI, IRI("b"))),
        (Value(Kind.LITERAL, Literal("1", XSD + "byte")), Value(Kind.LITERAL, Literal("2", XSD + "byte"))),
        (language_literal("a", "fr"), language_literal("b", "fr")),
        (language_literal("a", "fr"), s("b")),
    ],
)
def test_what_has_no_order_is_undefined(op: str, left: Value, right: Value) -> None:
    assert compare(op, left, right) is None
    assert compare(op, right, left) is None
    assert not ordered(left, right)


@given(any_value, any_value)
def test_an_order_is_there_for_both_directions_or_for_none(left: Value, right: Value) -> None:
    fused = any(left.kind in kinds and right.kind in kinds for kinds in COMPARABLE)
    expected = fused and NAN not in (left, right)
    assert ordered(left, right) is ordered(right, left) is expected
    for op in ORDERS:
        assert (compare(op, left, right) is not None) is expected


@given(pairs)
def test_the_order_is_total(pair: tuple[Value, Value]) -> None:
    left, right = pair
    less, same_or_less, more, same_or_more = (compare(op, left, right) for op in ORDERS)
    assert less is compare(">", right, left)
    assert same_or_less is compare(">=", right, left)
    assert same_or_less is not more
    assert same_or_more is not less
    assert not (less and more)
    if left == right:
        assert not less
        assert not more
    if left.kind is right.kind and left != right:
        assert less or more


@given(triples)
def test_the_order_is_transitive(triple: tuple[Value, Value, Value]) -> None:
    for x, y, z in itertools.permutations(triple):
        if compare("<=", x, y) and compare("<=", y, z):
            assert compare("<=", x, z)
        if compare("<", x, y) and compare("<=", y, z):
            assert compare("<", x, z)


@given(ints, st.floats(allow_nan=False, allow_infinity=False))
def test_integers_and_floats_compare_exactly(whole: Value, broken: float) -> None:
    assert isinstance(whole.content, int)
    assert compare("<", whole, f(broken)) is (Fraction(whole.content) < Fraction(broken))
    assert compare(">", whole, f(broken)) is (Fraction(whole.content) > Fraction(broken))


@given(st.integers(-(2**10), 2**10), st.sampled_from([2**53, 2**54, 2**62, -(2**53), -(2**62)]))
def test_integers_and_floats_compare_exactly_where_floats_have_gaps(offset: int, around: int) -> None:
    assert compare("<", i(around + offset), f(float(around))) is (offset < 0)
    assert compare(">", i(around + offset), f(float(around))) is (offset > 0)


@given(st.text(characters), st.text(characters))
def test_strings_compare_by_code_points(left: str, right: str) -> None:
    assert compare("<", s(left), s(right)) is ([ord(c) for c in left] < [ord(c) for c in right])


# --- the smallest and the largest -------------------------------------------------------------------------------------


@given(comparable_types.flatmap(lambda kinds: st.lists(_from(kinds), min_size=1, max_size=6)), st.booleans())
def test_the_extreme_is_one_of_them_and_none_is_beyond(values: list[Value], largest: bool) -> None:
    best = extreme(values, largest=largest)
    assert best in values
    assert best is not None
    for value in values:
        assert compare(">=" if largest else "<=", best, value)


@given(
    st.lists(any_value | floats, max_size=5).flatmap(lambda values: st.tuples(st.just(values), st.permutations(values))),
    st.booleans(),
)
def test_the_extreme_never_depends_on_the_order(both: tuple[list[Value], list[Value]], largest: bool) -> None:
    values, shuffled = both
    assert extreme(values, largest=largest) == extreme(shuffled, largest=largest)


@given(st.lists(st.sampled_from([i(1), f(1.0), i(2), f(2.0), i(2**53), f(2.0**53), i(2**53 + 1)]), min_size=1), st.booleans())
def test_ties_prefer_the_integer(values: list[Value], largest: bool) -> None:
    best = extreme(values, largest=largest)
    assert best is not None
    assert isinstance(best.content, int | float)
    has_integer = any(value.kind is Kind.INT and value.content == best.content for value in values)
    assert (best.kind is Kind.INT) is has_integer


@given(st.lists(any_value, min_size=2, max_size=5), st.booleans())
def test_the_extreme_of_values_without_an_order_is_undefined(values: list[Value], largest: bool) -> None:
    all_ordered = all(ordered(x, y) for x, y in itertools.product(values, repeat=2))
    assert (extreme(values, largest=largest) is not None) is all_ordered


def test_the_extreme_of_nothing_is_undefined() -> None:
    assert extreme([], largest=True) is None
    assert extreme([], largest=False) is None


def test_one_value_without_an_order_has_no_extreme() -> None:
    for value in (NAN, Value(Kind.IRI, IRI("a")), language_literal("a", "fr")):
        assert extreme([value], largest=True) is None


def test_numbers_compare_among_themselves_only_with_numbers() -> None:
    assert frozenset({Kind.INT, Kind.FLOAT}) == NUMBER
    assert {kind for kinds in COMPARABLE for kind in kinds} == set(Kind) - {Kind.IRI, Kind.LITERAL}
    assert sum(len(kinds) for kinds in COMPARABLE) == len(Kind) - 2


@given(texts, texts)
def test_a_longer_string_comes_after_its_beginning(text: str, more: str) -> None:
    assert compare("<=", s(text), s(text + more)) is True
    assert compare("<", s(text), s(text + more)) is bool(more)
