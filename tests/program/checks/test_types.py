"""Types: what the columns of relations without a declaration turn out to hold."""

from __future__ import annotations

import pytest
from tests.program.from_text import rule

from tidelog.functions.signatures import ANY, type_name
from tidelog.program.checks.types import declared_types, environment_of, type_of
from tidelog.program.program import Program, check
from tidelog.program.relations import Relation
from tidelog.source import Source
from tidelog.syntax.tree import Comparison
from tidelog.values import Kind

COLUMNS = (
    "@relation s(a: string). @relation n(a: int). @relation f(a: float). @relation d(a: date). @relation i(a: iri). "
    "@relation x(a). "
)


def program(text: str) -> Program:
    return check(Source(COLUMNS + text, "test.dl"))


def test_inferred_columns() -> None:
    text = "e(a, 1). e(b, 2.0). h(X, Y) :- e(X, Y). h(X, Y) :- h(Y, X). c(N) :- N = count { h(_, _) }. u(X) :- later(X). "
    text += "l(length(X)) :- s(X). g(X, N) :- N = count { n(X) }, M = max { X1 : s(X1) }, M != a. "
    text += "two(A, B) :- A = max { Y : n(Y) }, B = max { Y : s(Y) }."
    types = program(text).types
    assert {
        name: [type_name(kinds) for kinds in types[name]] for name in ("e", "h", "c", "u", "l", "later", "s", "g", "two")
    } == {
        "e": ["string", "int or float"],
        "h": ["string or int or float", "string or int or float"],
        "c": ["int"],
        "u": ["any"],
        "l": ["int"],
        "later": ["any"],
        "s": ["string"],
        "g": ["int", "int"],
        "two": ["int", "string"],
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X", "any"),
        ("N", "int"),
        ("1.5", "float"),
        ("N + 1", "int"),
        ("N + 1.5", "float"),
        ("N / 2", "int"),
        ("cat(X, X)", "string"),
        ("length(S)", "int"),
        ("unknown(N)", "any"),
        ("S + 1", "nothing"),
        ("abs(S + 1)", "nothing"),
    ],
)
def test_types_of_terms(text: str, expected: str) -> None:
    (comparison,) = rule(f"h :- Unbound = {text}.").body
    assert isinstance(comparison, Comparison)
    found = type_of(comparison.right, {"N": frozenset({Kind.INT}), "S": frozenset({Kind.STRING})})
    assert (type_name(found) if found else "nothing") == expected


def test_variables_have_the_types_of_columns_and_equations() -> None:
    columns = {"n": (frozenset({Kind.INT}),), "s": (frozenset({Kind.STRING}),)}
    body = rule("h :- n(X), Y = X + 1, Z = Y, s(U), n(U), N = count { s(G) }, x(V).").body
    found = {name: type_name(kinds) if kinds else "nothing" for name, kinds in environment_of(body, columns).items()}
    assert found == {"X": "int", "Y": "int", "Z": "int", "U": "nothing", "N": "int", "G": "string"}


def test_declared_types() -> None:
    relation = program("").relations["f"]
    assert declared_types(relation) == (frozenset({Kind.FLOAT}),)
    assert declared_types(Relation("p", 2)) == (ANY, ANY)
