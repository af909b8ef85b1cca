"""Type errors: what is refused, and what is not."""

from __future__ import annotations

import pytest
from tests.program.from_text import rule

from tidelog.errors import Diagnostics, TidelogError
from tidelog.program.checks.type_checks import TypeChecker
from tidelog.program.program import Program, check
from tidelog.source import Source

COLUMNS = (
    "@relation s(a: string). @relation n(a: int). @relation f(a: float). @relation d(a: date). @relation i(a: iri). "
    "@relation x(a). "
)


def program(text: str) -> Program:
    return check(Source(COLUMNS + text, "test.dl"))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("s(1).", "TL040"),
        ("n(2.5).", "TL040"),
        ('i("http://e/").', "TL040"),
        ("h(X) :- x(X), not n(a).", "TL040"),
        ("h(X) :- s(X), n(X).", "TL041"),
        ("s(X) :- n(X).", "TL041"),
        ("n(X) :- f(X).", "TL041"),
        ("h(X) :- n(X), not s(X).", "TL041"),
        ("h(X) :- s(X), N = count { n(X) }, N > 0.", "TL041"),
        ("h(X + 1) :- s(X).", "TL042"),
        ("h(X) :- s(X), X < 3.", "TL042"),
        ("h(X) :- d(X), n(Y), X < Y.", "TL042"),
        ("h(X) :- i(X), i(Y), X < Y.", "TL042"),
        ("h(N) :- N = sum { X : s(X) }.", "TL042"),
        ("h(N) :- N = max { X : i(X) }.", "TL042"),
        ("h(X) :- n(X), contains(X, a).", "TL042"),
        ("h(Y) :- n(X), Y = length(X).", "TL042"),
        ("h(Y) :- d(X), n(Z), Y = X - Z.", "TL042"),
        ("s(X) :- n(Y), X = Y + 1.", "TL041"),
    ],
)
def test_refused(text: str, code: str) -> None:
    with pytest.raises(TidelogError) as caught:
        program(text)
    assert {d.code for d in caught.value.diagnostics} == {code}


@pytest.mark.parametrize(
    "text",
    [
        "h(X) :- x(X), s(X).",
        "h(X) :- x(X), n(Y), X < Y.",
        "h(X + 1) :- x(X).",
        "h(X - Y) :- d(X), d(Y).",
        "h(N) :- N = min { X : d(X) }.",
        "h(X) :- n(X), f(Y), X < Y.",
        "f(1). f(X) :- n(X).",
        "h(X) :- n(X), f(float(X)).",
        "h(string(X)) :- i(X).",
        "h(X) :- f(X), not f(3).",
    ],
)
def test_accepted(text: str) -> None:
    program(text)


def test_each_clash_is_told_once_with_both_places() -> None:
    diagnostics = Diagnostics()
    checker = TypeChecker(program("").relations, diagnostics, str)
    checker.check_rule(rule("h(X) :- s(X), n(X), f(X), d(Y)."))
    (problem,) = diagnostics.errors
    assert (problem.code, problem.message) == ("TL041", "X is string in `s.a` and int in `n.a`")
    assert problem.fix == "the two never join; check the declarations"
