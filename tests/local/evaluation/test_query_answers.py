"""Queries on the state: distinct answers, and no trace of the temporary tables."""

from __future__ import annotations

import pytest
from tests.local_engine import engine_of

from tidelog import KnowledgeBase
from tidelog.core.limits import Limits, Watch
from tidelog.errors import TidelogError
from tidelog.local.evaluation.query_answers import answers
from tidelog.program.queries import check_query

RULES = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)."


@pytest.fixture
def kb() -> KnowledgeBase:
    kb = KnowledgeBase(RULES)
    kb.update(insert=[("edge", n, n + 1) for n in range(5)] + [("word", "ab"), ("word", "b")])
    return kb


def ask(kb: KnowledgeBase, text: str, limits: Limits | None = None) -> list[tuple[object, ...]]:
    engine = engine_of(kb)
    query = check_query(text, kb.relations, {})
    rows = answers(engine.state, engine.core.arities, query.body, query.names, Watch(limits))
    contents = [[value.content for value in engine.state.terms.values_of(row)] for row in rows]
    return sorted(map(tuple, contents), key=str)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("path(3, X)", [(4,), (5,)]),
        ("path(X, _), X > 2", [(3,), (4,)]),
        ("edge(X, Y), not path(Y, 5)", [(4, 5)]),
        ("word(X), N = length(X)", [("ab", 2), ("b", 1)]),
        ("N = count { path(_, _) }", [(15,)]),
        ("path(0, 5)", [()]),
        ("path(5, 0)", []),
    ],
)
def test_answers(kb: KnowledgeBase, text: str, expected: list[tuple[object, ...]]) -> None:
    state = engine_of(kb).state
    before = set(state.tables), dict(state.answered)
    assert ask(kb, text) == expected
    assert (set(state.tables), dict(state.answered)) == before


def test_after_a_limit_no_table_is_left(kb: KnowledgeBase) -> None:
    kb.update(insert=[("edge", n, n + 1) for n in range(10, 400)])
    state = engine_of(kb).state
    before = set(state.tables)
    with pytest.raises(TidelogError, match="more than"):
        ask(kb, "path(X, Y), N = length(string(X))", Limits(seconds=-1.0))
    assert set(state.tables) == before
    assert ask(kb, "path(3, X)") == [(4,), (5,)]
