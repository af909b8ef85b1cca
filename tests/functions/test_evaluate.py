"""Every function on every kind: it never fails, and its result has the type that its signature promises."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.some_values import OF_KIND, any_value, b, day, f, i, moment, numbers, s

from tidelog.functions.evaluate import apply, evaluate
from tidelog.functions.signatures import FUNCTIONS
from tidelog.syntax.tree import Call, Constant, Term, Variable
from tidelog.values import INT_MAX, INT_MIN, IRI, XSD, Kind, Literal, Value

SAMPLE: dict[Kind, Value] = {
    Kind.STRING: s("5"),
    Kind.INT: i(2),
    Kind.FLOAT: f(2.0),
    Kind.BOOL: b(True),
    Kind.DATE: day("2026-11-15"),
    Kind.TIMESTAMP: moment("2026-11-15T06:43:00"),
    Kind.IRI: Value(Kind.IRI, IRI("http://example.org/a")),
    Kind.LITERAL: Value(Kind.LITERAL, Literal("5", XSD + "byte")),
}
"""One value of each kind, such that each function that takes the kind is defined for it."""


def _args(name: str, of: st.SearchStrategy[Value]) -> st.SearchStrategy[list[Value]]:
    function = FUNCTIONS[name]
    return st.lists(of, min_size=function.least, max_size=min(function.most, 4))


def _of_plausible_kinds(name: str) -> st.SearchStrategy[list[Value]]:
    """Arguments of such kinds that the function may be defined."""
    function = FUNCTIONS[name]
    counts = range(function.least, min(function.most, 3) + 1)
    fitting = [
        kinds
        for count in counts
        for kinds in itertools.product(Kind, repeat=count)
        if function.result([frozenset({kind}) for kind in kinds])
    ]
    return st.sampled_from(fitting).flatmap(lambda kinds: st.tuples(*(OF_KIND[kind] for kind in kinds)).map(list))


def _check(name: str, args: list[Value]) -> None:
    result = apply(name, args)
    promised = FUNCTIONS[name].result([frozenset({arg.kind}) for arg in args])
    if result is None:
        return
    assert result.kind in promised
    assert isinstance(result, Value)
    content = {Kind.STRING: str, Kind.INT: int, Kind.FLOAT: float, Kind.BOOL: bool}.get(result.kind)
    assert content is None or type(result.content) is content
    if result.kind is Kind.INT:
        assert isinstance(result.content, int)
        assert INT_MIN <= result.content <= INT_MAX


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
@given(data=st.data())
def test_results_have_the_promised_type_and_nothing_fails(name: str, data: st.DataObject) -> None:
    _check(name, data.draw(_args(name, any_value)))


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
@settings(max_examples=300)
@given(data=st.data())
def test_the_same_where_the_kinds_fit(name: str, data: st.DataObject) -> None:
    _check(name, data.draw(_of_plausible_kinds(name)))


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
@given(data=st.data())
def test_the_same_on_numbers(name: str, data: st.DataObject) -> None:
    _check(name, data.draw(_args(name, numbers)))


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_type_is_empty_exactly_if_there_is_no_value(name: str) -> None:
    function = FUNCTIONS[name]
    for count in range(function.least, min(function.most, 3) + 1):
        for kinds in itertools.product(Kind, repeat=count):
            promised = function.result([frozenset({kind}) for kind in kinds])
            result = apply(name, [SAMPLE[kind] for kind in kinds])
            assert (result is not None) is bool(promised), kinds
            assert result is None or result.kind in promised, kinds


@pytest.mark.parametrize(
    ("name", "args", "kind"),
    [
        ("pow", (i(2), i(2)), Kind.INT),
        ("pow", (i(2), i(-2)), Kind.FLOAT),
        ("min", (i(2), f(3.0)), Kind.INT),
        ("max", (i(2), f(3.0)), Kind.FLOAT),
    ],
)
def test_both_kinds_of_a_type_of_two_occur(name: str, args: tuple[Value, ...], kind: Kind) -> None:
    result = apply(name, args)
    assert result is not None
    assert result.kind is kind


# --- terms ------------------------------------------------------------------------------------------------------------


def test_a_constant_is_its_value() -> None:
    assert evaluate(Constant(i(5)), {}) == i(5)


def test_a_variable_is_what_it_is_bound_to() -> None:
    assert evaluate(Variable("X"), {"X": s("a"), "Y": s("b")}) == s("a")


def test_a_call_is_evaluated_from_within() -> None:
    term = Call("+", (Call("*", (Variable("X"), Constant(i(2)))), Call("length", (Variable("T"),))))
    assert evaluate(term, {"X": i(5), "T": s("abc")}) == i(13)


def test_arguments_keep_their_order() -> None:
    assert evaluate(Call("-", (Variable("X"), Variable("Y"))), {"X": i(5), "Y": i(2)}) == i(3)
    assert evaluate(Call("substr", (Constant(s("chat")), Constant(i(1)), Constant(i(2)))), {}) == s("ha")


@pytest.mark.parametrize(
    "undefined",
    [
        Call("/", (Constant(i(1)), Constant(i(0)))),
        Call("+", (Constant(i(INT_MAX)), Constant(i(1)))),
        Call("sqrt", (Constant(i(-1)),)),
        Call("int", (Constant(s("x")),)),
    ],
)
def test_an_undefined_argument_makes_the_whole_undefined(undefined: Term) -> None:
    assert evaluate(undefined, {}) is None
    for term in (
        Call("string", (undefined,)),
        Call("min", (Constant(i(1)), undefined)),
        Call("*", (undefined, Constant(i(0)))),
        Call("pow", (Constant(i(1)), undefined)),
        Call("cat", (Constant(s("a")), Call("string", (undefined,)))),
    ):
        assert evaluate(term, {}) is None


@given(st.sampled_from(sorted(FUNCTIONS)).flatmap(lambda name: st.tuples(st.just(name), _args(name, any_value))))
def test_a_call_of_variables_is_the_function_of_their_values(call: tuple[str, list[Value]]) -> None:
    name, args = call
    variables = [Variable(f"X{at}") for at in range(len(args))]
    binding = {variable.name: arg for variable, arg in zip(variables, args, strict=True)}
    assert evaluate(Call(name, tuple(variables)), binding) == apply(name, args)
    assert evaluate(Call(name, tuple(map(Constant, args))), {}) == apply(name, args)
