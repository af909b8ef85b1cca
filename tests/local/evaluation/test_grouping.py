"""Aggregates that read a relation itself: the same as with a relation of bindings between, also while rules change."""

from __future__ import annotations

from random import Random
from unittest.mock import patch

import numpy as np
import pytest
from tests.local_engine import engine_of, held

from tidelog import KnowledgeBase
from tidelog.core import rewriting
from tidelog.core.rules import Aggregation
from tidelog.local.evaluation import grouping
from tidelog.local.kernel.aggregates import row_groups
from tidelog.local.storage.state import State

RULES = """
total(G, N) :- N = sum { V : g(V, G, I) }.
pairs(A, B, N) :- N = count { g(A, B, _) }.
asked(G, N) :- k(G), N = count { g(_, G, _) }.
largest(I, N) :- g(_, _, I), N = max { V : g(V, G, I) }.
of_two(G, N) :- N = median { V : d(V, G) }.
d(X, Y) :- g(X, Y, _).
d(X, 0) :- k(X).
"""


def test_no_relation_of_bindings_is_made() -> None:
    names = engine_of(KnowledgeBase(RULES)).core.arities
    assert not [name for name in names if name.startswith("#inner")]
    for body in ("V : g(V, G, 1)", "V : g(V, G, G)", "V : g(V, G, I), V > 2", "V : g(V, G, I), k(I)"):
        names = engine_of(KnowledgeBase(f"r(G, N) :- N = sum {{ {body} }}.")).core.arities
        assert [name for name in names if name.startswith("#inner")], body
    names = engine_of(KnowledgeBase("p(X, Z) :- p(X, Y), p(Y, Z). r(X, N) :- N = count { p(X, Y) }.")).core.arities
    assert [name for name in names if name.startswith("#inner")]


@pytest.mark.parametrize("seed", range(6))
def test_updates_are_the_same_as_with_bindings(seed: int) -> None:
    chance = Random(seed)
    direct = KnowledgeBase(RULES)
    with patch.object(rewriting._Builder, "_read_directly", lambda *_: None):
        other = KnowledgeBase(RULES)
    numbers = [(chance.choice((1, 2, 3, 0.5)), chance.randrange(4), chance.randrange(4)) for _ in range(60)]
    facts: list[tuple[object, ...]] = [("g", *row) for row in numbers]
    facts += [("k", number) for number in range(5)]
    for _ in range(12):
        insert, delete = chance.sample(facts, 12), chance.sample(facts, 12)
        for kb in (direct, other):
            kb.update(delete=delete, insert=insert)
        assert held(direct) == held(other)


def test_a_relation_that_becomes_transitive_is_no_longer_read_itself() -> None:
    """Then its pairs are not stored; when the rule goes, they are again."""
    closing, rules = "c: p(X, Z) :- p(X, Y), p(Y, Z).", "r(X, N) :- N = count { p(X, Y) }. both(X) :- r(X, N), p(X, X)."
    kb = KnowledgeBase(rules)
    kb.update(insert=[("p", n, n + 1) for n in range(5)])
    before = held(kb)
    kb.update(add_rules=closing, insert=[("p", 5, 0)])
    assert "p" in engine_of(kb).core.given
    assert set(kb["r"]) == {(n, 6) for n in range(6)}
    assert set(kb["both"]) == {(n,) for n in range(6)}
    ring = [(n, (n + 1) % 6) for n in range(6)]
    assert held(kb) == held(_anew(rules + closing, *ring))
    kb.update(delete=[("p", 2, 3)])
    assert held(kb) == held(_anew(rules + closing, *ring[:2], *ring[3:]))
    kb.update(remove_rules=["c"], insert=[("p", 2, 3)], delete=[("p", 5, 0)])
    assert "p" not in engine_of(kb).core.given
    assert held(kb) == before
    kb.update(delete=[("p", 0, 1)])
    assert set(kb["r"]) == {(n, 1) for n in range(1, 5)}


def _anew(rules: str, *pairs: tuple[int, int]) -> KnowledgeBase:
    """Pairs under rules that have not changed."""
    result = KnowledgeBase(rules)
    result.update(insert=[("p", *pair) for pair in pairs])
    return result


def test_keys_sizes_and_members_of_groups() -> None:
    """Of the rows from a number on, in the order in which groups are met."""
    state = State()
    table = state.ensure_table("rows", 3)
    table.insert(np.array([(9, 9, 9), (1, 2, 3), (1, 2, 4), (5, 2, 4), (1, 2, 5)], np.int32))
    with patch.object(grouping, "FEWEST_GROUPS", 1):
        groups = grouping.RowGroups(state, table, Aggregation("median", "rows", (1, 0), 2), row_groups.COUNT_ROWS, 1)
    assert groups.keys.tolist() == [[2, 1], [2, 5]]
    assert groups.sizes.tolist() == [3, 1]
    members, starts = groups.members(np.array([True, True]))
    assert (members.tolist(), starts.tolist()) == ([3, 4, 5, 4], [0, 3, 4])
    assert groups.members(np.array([False, True]))[0].tolist() == [4]
