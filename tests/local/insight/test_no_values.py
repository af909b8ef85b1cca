"""Functions that have no value for any fact: found by computing them, and only where that is so of all."""

from __future__ import annotations

import pytest
from tests.local_engine import engine_of

from tidelog import KnowledgeBase, TidelogWarning
from tidelog.local.insight.no_values import no_value_of_any


def said(rule: str, *facts: tuple[object, ...]) -> str | None:
    kb = KnowledgeBase(rule)
    kb.update(insert=facts)
    found = no_value_of_any(kb.program.rules[0], engine_of(kb), kb.program.printer)
    return None if found is None else found.message.removeprefix("the rule derives nothing: ")


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("q(Y) :- p(X, _), Y = int(X).", "`int(X)` has no value for any of 2 facts of `p`, such as X = x1"),
        ("q(int(X)) :- p(X, _).", "`int(X)` has no value for any of 2 facts of `p`, such as X = x1"),
        ("q(Y) :- p(_, N), Y = 1 + sqrt(N).", "`sqrt(N)` has no value for any of 2 facts of `p`, such as N = -1"),
        ('q(N) :- p("x1", N), 0 < sqrt(N).', "`sqrt(N)` has no value for the only fact of `p`, such as N = -1"),
        ("q(X) :- p(X, N), p(X, M), N / (M - M) > 1.", None),
        ("q(Y) :- p(_, N), Y = 1 / (N + 1).", None),
        ("q(Y) :- p(_, N), r(M), Y = sqrt(N * M).", None),
        ("q(Y) :- r(N), Y = sqrt(N).", None),
        ("q(Y) :- p(X, X), Y = sqrt(X).", None),
    ],
)
def test_what_is_found(rule: str, message: str | None) -> None:
    assert said(rule, ("p", "x1", -1), ("p", "x2", -2)) == message


def test_it_is_told_when_nothing_was_derived() -> None:
    kb = KnowledgeBase("q(Y) :- p(X), Y = int(X).")
    with pytest.warns(TidelogWarning, match="TL105: the rule derives nothing: `int"):
        kb.update(insert=[("p", "n/a"), ("p", "none")])
