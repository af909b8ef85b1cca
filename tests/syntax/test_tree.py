"""Trees: values that compare without their places, and the walks over them."""

from __future__ import annotations

from tests.syntax.parsed import X, Y, Z, body, document, literal, only, term

from tidelog.syntax.tree import (
    Atom,
    Call,
    Constant,
    Prefix,
    Variable,
    atoms,
    calls,
    iri_constant,
    is_iri_name,
    names_of,
    subterms,
    terms,
    variables,
)
from tidelog.values import IRI, Kind, Value

NESTED = "p(X, abs(Y)), not q(Z), X + 1 < Y, N = sum { A * 2 : r(A, X), not s(A) }"


def test_trees_are_values() -> None:
    assert only("p(X) :- q(X), X > 1.") == only("  p(X)<-q(X),X>1 .")
    assert hash(only("p(X) :- q(X).")) == hash(only(" p(X) :- q(X)."))
    assert Constant(Value(Kind.INT, 1)) != Constant(Value(Kind.FLOAT, 1.0))


def test_anonymous_variables() -> None:
    assert [arg.is_anonymous for arg in (Variable("_#1"), Variable("_a"), X)] == [True, False, False]


def test_prefixes_of_a_document() -> None:
    found = document("@prefix a: <http://a/> . p(1). @prefix : <http://b/> .")
    assert found.prefixes == {"a": "http://a/", "": "http://b/"}
    assert Prefix("a", "http://a/") in found.statements


def test_subterms_come_from_the_outside_in() -> None:
    one = Constant(Value(Kind.INT, 1))
    inner = Call("abs", (Y,))
    assert list(subterms(term("X + abs(Y) * 1"))) == [
        Call("+", (X, Call("*", (inner, one)))), X, Call("*", (inner, one)), inner, Y, one,
    ]  # fmt: skip


def test_terms_of_literals() -> None:
    assert list(terms(literal("not p(X, Y)"))) == [X, Y]
    assert list(terms(literal("X < Y"))) == [X, Y]
    assert list(terms(literal("N = sum { X : p(X, Y), Z > 1 }")))[:5] == [Variable("N"), X, X, Y, Z]
    assert list(terms(literal("N = count { p(X) }"))) == [Variable("N"), X]


def test_variables_and_names() -> None:
    found = [variable.name for variable in variables(*body(NESTED))]
    assert found == ["X", "Y", "Z", "X", "Y", "N", "A", "A", "X", "A"]
    assert names_of(body(NESTED)) == {"X", "Y", "Z", "N", "A"}
    assert names_of([term("X + Y")]) == {"X", "Y"}


def test_atoms_with_how_they_stand_there() -> None:
    """Inside the braces of an aggregate a negation counts as aggregated."""
    found = [(atom.predicate, sign) for atom, sign in atoms(body(NESTED))]
    assert found == [("p", "positive"), ("q", "negative"), ("r", "aggregate"), ("s", "aggregate")]


def test_calls() -> None:
    assert [call.function for part in body(NESTED) for call in calls(part)] == ["abs", "+", "*"]


def test_names_that_are_iris() -> None:
    assert (is_iri_name("http://e/p"), is_iri_name("p")) == (True, False)
    assert iri_constant("http://e/a") == Constant(Value(Kind.IRI, IRI("http://e/a")))
    assert literal("<http://e/p>(X, Z)") == Atom("http://e/p", (X, Z))
