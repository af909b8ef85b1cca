"""Types: what the columns of relations without a declaration turn out to hold."""

from __future__ import annotations

from tidelog.functions.signatures import type_name
from tidelog.program.program import Program, check
from tidelog.source import Source

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
