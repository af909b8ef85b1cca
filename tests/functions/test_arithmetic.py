"""Numbers: 64-bit integers, floats, and what is undefined."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.some_values import INFINITY, NAN, any_value, b, day, f, floats, i, int64, moment, numbers, s, timestamps

from tidelog.functions.arithmetic import number
from tidelog.functions.evaluate import apply
from tidelog.values import INT_MAX, INT_MIN, Kind, Value

finite = st.floats(allow_nan=False, allow_infinity=False)


def _number(value: Value | None) -> int | float:
    assert value is not None
    found = number(value)
    assert found is not None
    return found


def _fits(exact: int) -> Value | None:
    """What language.md wants of an integer result."""
    return i(exact) if INT_MIN <= exact <= INT_MAX else None


# --- integers ---------------------------------------------------------------------------------------------------------


@given(int64, int64)
def test_integers_are_exact_or_undefined(x: int, y: int) -> None:
    assert apply("+", [i(x), i(y)]) == _fits(x + y)
    assert apply("-", [i(x), i(y)]) == _fits(x - y)
    assert apply("*", [i(x), i(y)]) == _fits(x * y)
    assert apply("-", [i(x)]) == _fits(-x)
    assert apply("abs", [i(x)]) == _fits(abs(x))


@pytest.mark.parametrize(
    ("function", "args"),
    [
        ("+", (INT_MAX, 1)),
        ("+", (INT_MIN, -1)),
        ("-", (INT_MIN, 1)),
        ("-", (INT_MAX, -1)),
        ("-", (0, INT_MIN)),
        ("*", (INT_MAX, 2)),
        ("*", (INT_MIN, 2)),
        ("*", (INT_MIN, -1)),
        ("*", (2**32, 2**31)),
        ("/", (INT_MIN, -1)),
        ("abs", (INT_MIN,)),
        ("-", (INT_MIN,)),
        ("pow", (2, 63)),
        ("pow", (-2, 64)),
        ("pow", (-2, 65)),
        ("pow", (3, 40)),
        ("pow", (INT_MAX, 2)),
    ],
)
def test_integer_overflow_is_undefined(function: str, args: tuple[int, ...]) -> None:
    assert apply(function, [i(arg) for arg in args]) is None


@pytest.mark.parametrize(
    ("function", "args", "result"),
    [
        ("+", (INT_MAX, 0), INT_MAX),
        ("+", (INT_MAX - 1, 1), INT_MAX),
        ("+", (INT_MAX, INT_MIN), -1),
        ("-", (INT_MIN + 1, 1), INT_MIN),
        ("-", (-1, INT_MIN), INT_MAX),
        ("-", (INT_MAX,), INT_MIN + 1),
        ("*", (2**31, 2**31), 2**62),
        ("*", (-(2**32), 2**31), INT_MIN),
        ("/", (INT_MIN, 1), INT_MIN),
        ("/", (INT_MAX, -1), INT_MIN + 1),
        ("mod", (INT_MIN, -1), 0),
        ("abs", (INT_MIN + 1,), INT_MAX),
        ("pow", (2, 62), 2**62),
        ("pow", (-2, 63), INT_MIN),
        ("pow", (3, 39), 3**39),
        ("pow", (INT_MIN, 1), INT_MIN),
    ],
)
def test_the_ends_of_the_range_are_within(function: str, args: tuple[int, ...], result: int) -> None:
    assert apply(function, [i(arg) for arg in args]) == i(result)


@pytest.mark.parametrize(
    ("x", "y", "quotient", "remainder"),
    [(7, 2, 3, 1), (-7, 2, -3, -1), (7, -2, -3, 1), (-7, -2, 3, -1), (1, 3, 0, 1), (-1, 3, 0, -1), (6, 3, 2, 0), (-6, 3, -2, 0)],
)
def test_division_truncates_and_mod_has_the_sign_of_the_dividend(x: int, y: int, quotient: int, remainder: int) -> None:
    assert apply("/", [i(x), i(y)]) == i(quotient)
    assert apply("mod", [i(x), i(y)]) == i(remainder)


@given(int64, int64)
def test_the_dividend_is_quotient_times_divisor_plus_remainder(x: int, y: int) -> None:
    quotient, remainder = apply("/", [i(x), i(y)]), apply("mod", [i(x), i(y)])
    if y == 0:
        assert quotient is None
        assert remainder is None
        return
    assert (quotient is None) is ((x, y) == (INT_MIN, -1))
    rest = _number(remainder)
    assert abs(rest) < abs(y)
    assert rest == 0 or (rest < 0) is (x < 0)
    if quotient is not None:
        assert _number(quotient) * y + rest == x
        assert apply("+", [apply("*", [quotient, i(y)]) or i(-1), i(int(rest))]) == i(x)


@given(int64, int64)
def test_integer_division_is_exact_for_large_numbers(x: int, y: int) -> None:
    assume(y != 0)
    assert apply("/", [i(x), i(y)]) == _fits(math.trunc(Fraction(x, y)))


# --- floats and both --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "args", "result"),
    [
        ("+", (i(1), f(2.0)), f(3.0)),
        ("+", (f(2.0), i(1)), f(3.0)),
        ("-", (i(1), f(1.0)), f(0.0)),
        ("*", (i(2), f(0.5)), f(1.0)),
        ("/", (i(7), f(2.0)), f(3.5)),
        ("/", (f(7.0), i(2)), f(3.5)),
        ("/", (f(4.0), f(2.0)), f(2.0)),
        ("mod", (f(7.5), i(2)), f(1.5)),
        ("mod", (i(-7), f(2.5)), f(-2.0)),
        ("mod", (f(7.0), f(-2.5)), f(2.0)),
        ("mod", (f(1.0), INFINITY), f(1.0)),
        ("+", (i(INT_MAX), f(0.0)), f(2.0**63)),
        ("*", (i(INT_MAX), f(2.0)), f(2.0**64)),
        ("-", (f(0.0),), f(0.0)),
        ("*", (f(-1.0), f(0.0)), f(0.0)),
        ("*", (f(1e308), f(10.0)), INFINITY),
        ("/", (f(1e308), f(1e-10)), INFINITY),
        ("+", (INFINITY, i(1)), INFINITY),
        ("abs", (f(-2.5),), f(2.5)),
        ("abs", (f(float("-inf")),), INFINITY),
    ],
)
def test_a_float_makes_the_result_a_float(function: str, args: tuple[Value, ...], result: Value) -> None:
    assert apply(function, args) == result


def test_a_result_of_minus_zero_is_zero() -> None:
    for value in (
        apply("-", [f(0.0)]),
        apply("*", [f(-1.0), f(0.0)]),
        apply("mod", [f(-4.0), f(2.0)]),
        apply("/", [i(0), f(-3.0)]),
    ):
        assert math.copysign(1.0, _number(value)) == 1.0


@given(finite, finite)
def test_floats_are_those_of_the_hardware(x: float, y: float) -> None:
    assert apply("+", [f(x), f(y)]) == f(x + y)
    assert apply("-", [f(x), f(y)]) == f(x - y)
    assert apply("*", [f(x), f(y)]) == f(x * y)
    assert apply("/", [f(x), f(y)]) == (f(x / y) if y else None)
    assert apply("mod", [f(x), f(y)]) == (f(math.fmod(x, y)) if y else None)
    assert apply("-", [f(x)]) == f(-x)
    assert apply("abs", [f(x)]) == f(abs(x))


@given(int64, finite)
def test_an_integer_among_floats_is_the_nearest_float(x: int, y: float) -> None:
    for function in ("+", "-", "*", "/", "mod"):
        assert apply(function, [i(x), f(y)]) == apply(function, [f(float(x)), f(y)])
        assert apply(function, [f(y), i(x)]) == apply(function, [f(y), f(float(x))])


@pytest.mark.parametrize("function", ["/", "mod"])
@pytest.mark.parametrize("dividend", [i(1), i(0), i(INT_MIN), f(1.0), f(0.0), INFINITY])
@pytest.mark.parametrize("zero", [i(0), f(0.0), f(-0.0)])
def test_division_by_zero_is_undefined(function: str, dividend: Value, zero: Value) -> None:
    assert apply(function, [dividend, zero]) is None


@pytest.mark.parametrize(
    ("function", "args"),
    [
        ("-", (INFINITY, INFINITY)),
        ("+", (INFINITY, f(float("-inf")))),
        ("*", (INFINITY, f(0.0))),
        ("*", (i(0), INFINITY)),
        ("/", (INFINITY, INFINITY)),
        ("mod", (INFINITY, i(2))),
        ("+", (NAN, i(1))),
        ("*", (f(0.0), NAN)),
        ("-", (NAN,)),
        ("abs", (NAN,)),
        ("sqrt", (NAN,)),
        ("sqrt", (f(float("-inf")),)),
    ],
)
def test_what_is_not_a_number_is_undefined(function: str, args: tuple[Value, ...]) -> None:
    assert apply(function, args) is None


@given(st.sampled_from(["+", "-", "*", "/", "mod", "pow"]), numbers, numbers)
def test_arithmetic_never_gives_nan(function: str, x: Value, y: Value) -> None:
    result = apply(function, [x, y])
    assert result != NAN


# --- functions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argument", "result"),
    [(i(4), f(2.0)), (i(0), f(0.0)), (f(2.25), f(1.5)), (i(2), f(math.sqrt(2))), (INFINITY, INFINITY), (f(-0.0), f(0.0))],
)
def test_sqrt_is_a_float(argument: Value, result: Value) -> None:
    assert apply("sqrt", [argument]) == result


@pytest.mark.parametrize("argument", [i(-1), f(-1.0), f(-1e-300), i(INT_MIN)])
def test_sqrt_of_less_than_zero_is_undefined(argument: Value) -> None:
    assert apply("sqrt", [argument]) is None


@given(int64, st.integers(0, 70))
def test_pow_of_integers_is_exact_or_undefined(base: int, exponent: int) -> None:
    assert apply("pow", [i(base), i(exponent)]) == _fits(base**exponent)


@pytest.mark.parametrize(
    ("base", "exponent", "result"),
    [
        (3, 10**18, None),
        (-3, 10**18, None),
        (2, INT_MAX, None),
        (INT_MIN, INT_MAX, None),
        (-1, 2**62, i(1)),
        (-1, 2**62 + 1, i(-1)),
        (-1, INT_MAX, i(-1)),
        (1, INT_MAX, i(1)),
        (0, INT_MAX, i(0)),
        (0, 0, i(1)),
        (-5, 0, i(1)),
    ],
)
def test_pow_with_huge_exponents_ends(base: int, exponent: int, result: Value | None) -> None:
    assert apply("pow", [i(base), i(exponent)]) == result


@pytest.mark.parametrize(
    ("base", "exponent", "result"),
    [
        (i(2), i(-1), f(0.5)),
        (i(-2), i(-1), f(-0.5)),
        (i(1), i(-5), f(1.0)),
        (i(3), i(INT_MIN), f(0.0)),
        (i(2), f(3.0), f(8.0)),
        (f(2.0), i(3), f(8.0)),
        (f(2.0), i(-2), f(0.25)),
        (i(4), f(0.5), f(2.0)),
        (f(2.0), i(63), f(2.0**63)),
        (f(0.0), i(0), f(1.0)),
        (f(10.0), i(400), INFINITY),
        (f(-10.0), i(400), INFINITY),
        (f(-10.0), i(401), f(float("-inf"))),
        (i(-10), f(401.0), f(float("-inf"))),
        (f(-1e-300), i(-3), f(float("-inf"))),
        (f(10.0), i(INT_MAX), INFINITY),
        (f(10.0), i(INT_MIN), f(0.0)),
        (INFINITY, i(-1), f(0.0)),
        (f(2.0), INFINITY, INFINITY),
    ],
)
def test_pow_of_anything_else_is_a_float(base: Value, exponent: Value, result: Value) -> None:
    assert apply("pow", [base, exponent]) == result


@pytest.mark.parametrize(
    ("base", "exponent"),
    [
        (i(0), i(-1)),
        (f(0.0), i(-1)),
        (f(0.0), f(-math.inf)),
        (i(0), f(-0.5)),
        (i(0), i(INT_MIN)),
        (i(-8), f(0.5)),
        (f(-8.0), f(1 / 3)),
        (NAN, i(2)),
        (i(2), NAN),
    ],
)
def test_pow_where_it_is_undefined(base: Value, exponent: Value) -> None:
    assert apply("pow", [base, exponent]) is None


def test_pow_of_minus_one_with_an_odd_negative_exponent() -> None:
    assert apply("pow", [i(-1), i(-(2**53) - 1)]) == f(-1.0)


@pytest.mark.parametrize(
    ("x", "floor", "ceil", "nearest"),
    [
        (2.5, 2, 3, 2),
        (3.5, 3, 4, 4),
        (-2.5, -3, -2, -2),
        (-3.5, -4, -3, -4),
        (0.5, 0, 1, 0),
        (1.5, 1, 2, 2),
        (-0.5, -1, 0, 0),
        (2.4, 2, 3, 2),
        (2.6, 2, 3, 3),
        (-2.6, -3, -2, -3),
        (0.49999999999999994, 0, 1, 0),
        (7.0, 7, 7, 7),
        (2.0**62, 2**62, 2**62, 2**62),
        (-(2.0**63), INT_MIN, INT_MIN, INT_MIN),
    ],
)
def test_floor_ceil_and_round_half_to_even_give_integers(x: float, floor: int, ceil: int, nearest: int) -> None:
    assert apply("floor", [f(x)]) == i(floor)
    assert apply("ceil", [f(x)]) == i(ceil)
    assert apply("round", [f(x)]) == i(nearest)


@pytest.mark.parametrize("function", ["floor", "ceil", "round"])
@pytest.mark.parametrize("x", [math.inf, -math.inf, math.nan, 2.0**63, -(2.0**63) - 2048, 1e300, -1e300])
def test_floor_ceil_and_round_beyond_the_integers_are_undefined(function: str, x: float) -> None:
    assert apply(function, [f(x)]) is None


@given(st.sampled_from(["floor", "ceil", "round"]), int64)
def test_floor_ceil_and_round_leave_integers_alone(function: str, n: int) -> None:
    assert apply(function, [i(n)]) == i(n)


@given(st.floats(-(2.0**62), 2.0**62))
def test_floor_ceil_and_round_are_next_to_the_number(x: float) -> None:
    floor, ceil, nearest = (_number(apply(function, [f(x)])) for function in ("floor", "ceil", "round"))
    assert all(isinstance(n, int) for n in (floor, ceil, nearest))
    assert floor <= x <= ceil
    assert ceil - floor == (0 if x.is_integer() else 1)
    distance = abs(Fraction(nearest) - Fraction(x))
    assert distance <= Fraction(1, 2)
    assert distance < Fraction(1, 2) or nearest % 2 == 0


# --- min and max ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "least", "most"),
    [
        ((i(2), i(3), i(1)), i(1), i(3)),
        ((i(2), f(2.5)), i(2), f(2.5)),
        ((i(2), f(2.0)), i(2), i(2)),
        ((f(2.0), i(2)), i(2), i(2)),
        ((f(2.0), i(2), f(2.0)), i(2), i(2)),
        ((f(0.0), f(-0.0)), f(0.0), f(0.0)),
        ((i(2**53 + 1), f(2.0**53)), f(2.0**53), i(2**53 + 1)),
        ((s("b"), s("a"), s("ab")), s("a"), s("b")),
        ((i(5),), i(5), i(5)),
        ((INFINITY, i(INT_MAX)), i(INT_MAX), INFINITY),
        ((day("2026-01-02"), day("2025-12-31")), day("2025-12-31"), day("2026-01-02")),
    ],
)
def test_min_and_max(args: tuple[Value, ...], least: Value, most: Value) -> None:
    assert apply("min", args) == least
    assert apply("max", args) == most


@pytest.mark.parametrize(
    "args",
    [(i(1), s("1")), (i(1), NAN), (NAN, i(1)), (NAN,), (b(True), i(1)), (day("2026-01-02"), moment("2026-01-02T00:00:00"))],
)
def test_min_and_max_without_an_order_are_undefined(args: tuple[Value, ...]) -> None:
    assert apply("min", args) is None
    assert apply("max", args) is None


# --- other kinds ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("later", "earlier", "seconds"),
    [
        (day("2026-11-16"), day("2026-11-15"), 86400.0),
        (day("2026-11-15"), day("2026-11-16"), -86400.0),
        (day("2026-11-15"), day("2026-11-15"), 0.0),
        (day("9999-12-31"), day("0001-01-01"), 3652058 * 86400.0),
        (moment("2026-11-15T06:43:01"), moment("2026-11-15T06:43:00"), 1.0),
        (moment("2026-11-15T06:43:00.000001"), moment("2026-11-15T06:43:00"), 1e-06),
        (moment("2026-11-15T06:43:00"), moment("2026-11-15T06:43:00.250000"), -0.25),
        (moment("2026-11-16T00:00:00"), moment("2026-11-15T06:00:00"), 64800.0),
    ],
)
def test_dates_and_timestamps_differ_by_seconds(later: Value, earlier: Value, seconds: float) -> None:
    assert apply("-", [later, earlier]) == f(seconds)


@given(timestamps, timestamps)
def test_differences_of_timestamps_change_their_sign(x: Value, y: Value) -> None:
    assert apply("-", [x, y]) == apply("-", [apply("-", [y, x]) or s("undefined")])
    assert (apply("-", [x, y]) == f(0.0)) is (x == y)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        ("-", (day("2026-11-15"), moment("2026-11-15T00:00:00"))),
        ("-", (moment("2026-11-15T00:00:00"), day("2026-11-15"))),
        ("-", (day("2026-11-15"), i(1))),
        ("-", (i(1), day("2026-11-15"))),
        ("-", (day("2026-11-15"),)),
        ("+", (day("2026-11-15"), day("2026-11-15"))),
        ("+", (day("2026-11-15"), i(1))),
        ("+", (s("1"), i(1))),
        ("+", (s("a"), s("b"))),
        ("+", (b(True), i(1))),
        ("*", (b(True), b(True))),
        ("-", (b(True),)),
        ("abs", (b(True),)),
        ("floor", (b(True),)),
        ("floor", (s("2.5"),)),
        ("pow", (b(True), i(2))),
        ("sqrt", (s("4"),)),
    ],
)
def test_other_kinds_have_no_arithmetic(function: str, args: tuple[Value, ...]) -> None:
    assert apply(function, args) is None


@given(any_value)
def test_number_is_the_number_in_a_value(value: Value) -> None:
    assert number(value) is (value.content if value.kind in (Kind.INT, Kind.FLOAT) else None)


@given(floats, floats)
def test_sums_and_products_commute(x: Value, y: Value) -> None:
    assert apply("+", [x, y]) == apply("+", [y, x])
    assert apply("*", [x, y]) == apply("*", [y, x])
