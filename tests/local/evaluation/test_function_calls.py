"""Functions that Python computes: relations filled on request, with the values that `functions` defines."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.local_engine import ODD, Conditions, conditions, engine_of, rows_of, under
from tests.some_values import any_value, numbers, strings

from tidelog import KnowledgeBase
from tidelog.core.rules import NATIVE
from tidelog.functions.evaluate import apply
from tidelog.functions.signatures import FUNCTIONS
from tidelog.local.maintenance.cost_model import Choice
from tidelog.local.maintenance.rule_maintenance import RuleMaintenance
from tidelog.values import TRUE, Value

ONE = ("length", "lower", "upper", "string", "int", "float")
TWO = ("pow", "cat")
TESTS = ("contains", "starts_with", "ends_with", "matches")

RULES = "\n".join(
    [
        *(f"of_{name}(X, Z) :- p(X), Z = {name}(X)." for name in ONE),
        *(f"of_{name}(X, Y, Z) :- p(X), q(Y), Z = {name}(X, Y)." for name in TWO),
        *(f"of_{name}(X, Y) :- p(X), q(Y), {name}(X, Y)." for name in TESTS),
        *(f"no_{name}(X, Y) :- p(X), q(Y), not {name}(X, Y)." for name in TESTS),
        "of_substr(X, Y, Z) :- p(X), q(Y), Z = substr(X, Y, 2).",
        "nested(X, Z) :- p(X), Z = length(cat(string(X), upper(string(X)))) + 1.",
    ]
)


def test_every_function_is_native_or_here() -> None:
    here = {*ONE, *TWO, *TESTS, "substr"}
    assert here.isdisjoint(NATIVE)
    assert here | (NATIVE & set(FUNCTIONS)) == set(FUNCTIONS)


def check(left: list[Value], right: list[Value]) -> None:
    kb = KnowledgeBase(RULES)
    kb.update(insert=[*(("p", x) for x in left), *(("q", y) for y in right)])
    pairs = list(itertools.product(set(left), set(right)))
    for name in ONE:
        assert rows_of(kb.facts(f"of_{name}")) == {(x, z) for x in left if (z := apply(name, [x])) is not None}, name
    for name in TWO:
        assert rows_of(kb.facts(f"of_{name}")) == {(x, y, z) for x, y in pairs if (z := apply(name, [x, y])) is not None}, name
    for name in TESTS:
        results = {(x, y): apply(name, [x, y]) for x, y in pairs}
        assert rows_of(kb.facts(f"of_{name}")) == {pair for pair, truth in results.items() if truth == TRUE}, name
        assert rows_of(kb.facts(f"no_{name}")) == {pair for pair, truth in results.items() if truth not in (TRUE, None)}, name


@pytest.mark.by_night(2_000)
@given(st.lists(strings | numbers, max_size=6), st.lists(strings | numbers, max_size=6))
@settings(max_examples=50)
def test_texts_and_numbers(left: list[Value], right: list[Value]) -> None:
    check(left, right)


@pytest.mark.by_night(2_000)
@given(st.lists(any_value, max_size=6), st.lists(any_value, max_size=6))
@settings(max_examples=50)
def test_values_of_every_kind(left: list[Value], right: list[Value]) -> None:
    check(left, right)


@pytest.mark.by_night(200)
@given(conditions)
@settings(max_examples=8)
def test_in_a_recursion(given_conditions: Conditions) -> None:
    with under(given_conditions):
        kb = KnowledgeBase('n(a). n(cat(X, "b")) :- n(X), length(X) < 40. m(length(X)) :- n(X).')
        assert set(kb.facts("n")) == {("a" + "b" * n,) for n in range(40)}
        assert set(kb.facts("m")) == {(n,) for n in range(1, 41)}
        kb.update(insert=[("n", "ccc")])
        assert kb.count("n") == 40 + 38


def test_arguments_are_requested_once() -> None:
    with under(ODD):
        kb = KnowledgeBase("h(X, upper(Y)) :- p(X, Y). k(upper(Y)) :- p(_, Y).")
        kb.update(insert=[("p", n, "abc"[n % 3]) for n in range(30)])
    requested = [len(table) for name, table in engine_of(kb).state.tables.items() if name.startswith("#requested")]
    assert requested == [3, 3]


def test_undefined_results_are_counted() -> None:
    kb = KnowledgeBase("h(Z) :- p(X), Z = int(X).")
    change = kb.update(insert=[("p", text) for text in ("1", "x", "y", "2")])
    assert change.stats.undefined == 2
    assert set(kb.facts("h")) == {(1,), (2,)}


@pytest.mark.parametrize("algorithm", ["bf", "dred", "counting", "auto", "rematerialise"])
def test_a_request_beside_a_deleted_request(algorithm: Any) -> None:
    """One update inserts an argument and deletes another one; the new one must be computed."""
    kb = KnowledgeBase("number(X) :- word(X), W = int(string(X)), not hidden(X).", algorithm=algorithm)
    kb.update(insert=[("word", 1), ("word", 2), ("word", 3), ("hidden", 1)])
    assert sorted(kb.facts("number")) == [(2,), (3,)]
    kb.update(delete=[("word", 2), ("hidden", 1)])
    assert sorted(kb.facts("number")) == [(1,), (3,)]


def test_requests_derived_from_scratch_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    kb = KnowledgeBase("of(X, Z) :- p(X), X > 0, Z = float(X). p(1). p(2). p(3).")
    assert kb.count("of") == 3
    requested: list[object] = []

    def noting(name: str, arguments: Any) -> Value | None:
        requested.append(arguments[0].content)
        return apply(name, arguments)

    def anew_where_arguments_are(self: RuleMaintenance, *_: object) -> Choice:
        return Choice("rematerialise" if self._unit.relations[0].startswith("#requested") else "bf", "for the test")

    monkeypatch.setattr("tidelog.local.evaluation.function_calls.apply", noting)
    monkeypatch.setattr(RuleMaintenance, "_choose", anew_where_arguments_are)
    kb.update(delete=[("p", 2)], insert=[("p", 7)])
    assert sorted(kb["of"]) == [(1, 1.0), (3, 3.0), (7, 7.0)]
    assert requested == [7]
