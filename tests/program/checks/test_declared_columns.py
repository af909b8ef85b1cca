"""Declared columns hold their types and nothing else."""

from __future__ import annotations

from tests.program.from_text import rule

from tidelog.functions.signatures import ANY, FLOAT
from tidelog.program.checks.declared_columns import coerce_rule, coerce_value
from tidelog.program.program import Program, check
from tidelog.program.relations import Relation
from tidelog.reference import materialise
from tidelog.source import Source
from tidelog.syntax.printer import Printer
from tidelog.values import from_python

COLUMNS = (
    "@relation s(a: string). @relation n(a: int). @relation f(a: float). @relation d(a: date). @relation i(a: iri). "
    "@relation x(a). "
)


def program(text: str) -> Program:
    return check(Source(COLUMNS + text, "test.dl"))


def test_a_float_column_holds_floats() -> None:
    checked = program(
        "f(1). f(X) :- n(X). f(N) :- N = count { x(3), n(_) }. h(X) :- f(X), not f(2). f(X) :- f(Y), X = Y * 2. s(X) :- x(X)."
    )
    assert [str(row) for name, row in checked.facts] == ["(Value(kind=<Kind.FLOAT: 'float'>, content=1.0),)"]
    assert [Printer().rule(rule) for rule in checked.rules] == [
        "f(#float(X)) :- n(X).",
        "f(#float(N)) :- N = count { x(3), n(_) }.",
        "h(X) :- f(X), not f(2.0).",
        "f(X) :- f(Y), X = Y * 2.",
        "s(#string(X)) :- x(X).",
    ]


def test_what_does_not_fit_derives_nothing() -> None:
    checked = program("x(1). x(a). x(2.5). s(X) :- x(X). f(X) :- x(X). n(X) :- x(X).")
    facts = materialise(checked)
    assert facts["s"] == {(from_python("a"),)}
    assert facts["f"] == {(from_python(1.0),), (from_python(2.5),)}
    assert facts["n"] == {(from_python(1),)}


def test_only_integers_in_float_columns_are_changed() -> None:
    assert coerce_value(from_python(1), FLOAT) == from_python(1.0)
    assert coerce_value(from_python("a"), FLOAT) == from_python("a")
    assert coerce_value(from_python(1), ANY) == from_python(1)


def test_a_rule_over_undeclared_relations_stays() -> None:
    written = rule("p(X, 1) :- q(X, 2), N = count { r(3) }, N > 1.")
    assert coerce_rule(written, {name: Relation(name, arity) for name, arity in (("p", 2), ("q", 2), ("r", 1))}) == written


def test_constants_in_aggregates_and_negations_are_coerced_too() -> None:
    relations = program("").relations | {"h": Relation("h", 0)}
    found = coerce_rule(rule("h :- not f(1), N = count { f(2), n(3) }, N > 4."), relations)
    assert Printer().rule(found) == "h :- not f(1.0), N = count { f(2.0), n(3) }, N > 4."
