"""The three ways of looking for a proof, and which proof is chosen."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from tests.local_engine import access_to
from tests.proof_checker import Checker

from tidelog import KnowledgeBase, Source
from tidelog.explain.search import Goal, Search

RULES = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z)."


def search_in(kb: KnowledgeBase, fact: str, way: str) -> tuple[Search, Goal, bool]:
    """Look for a proof in one way only."""
    with access_to(kb) as access:
        relation, values = kb._fact(fact)
        search = Search(access, 100)
        root = search.goal((relation, tuple(map(access.cell, values))))
        look: dict[str, Any] = {
            "level by level": lambda: search._level_by_level(root, 10_000),
            "by times": lambda: search._by_times(root),
            "depth first": lambda: search._depth_first(root),
        }
        found = look[way]()
        search._choose(root)
        return search, root, found is not False


@pytest.mark.parametrize("way", ["level by level", "by times", "depth first"])
def test_each_way_finds_a_proof(way: str) -> None:
    kb = KnowledgeBase(Source(RULES), modules=False)
    random = Random(7)
    kb.update(insert=[("edge", random.randrange(12), random.randrange(12)) for _ in range(20)])
    for row in kb["path"]:
        _, root, has_found = search_in(kb, f"path({row[0]}, {row[1]})", way)
        assert has_found
        assert root.is_proved
        assert root.by is not None


def test_levels_find_the_lowest_proof() -> None:
    kb = KnowledgeBase(Source(RULES), modules=False)
    kb.update(insert=[("edge", n, n + 1) for n in range(16)])
    proof = kb.explain(("path", 0, 16))
    assert (proof.height, proof.is_whole) == (5, True)


def test_a_shorter_proof_that_came_later_is_found() -> None:
    kb = KnowledgeBase(Source("path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)."), modules=False)
    kb.update(insert=[("edge", n, n + 1) for n in range(30)])
    kb.update(insert=[("edge", 0, 29)])
    assert kb.explain(("path", 0, 30)).height == 2
    assert kb.explain(("path", 0, 30), effort=0).height == 2 or not kb.explain(("path", 0, 30), effort=0).is_whole


def test_without_times_there_is_a_proof() -> None:
    kb = KnowledgeBase(Source(RULES), modules=False)
    kb.update(insert=[("edge", n, (n + 1) % 9) for n in range(9)])
    with access_to(kb):
        for table in kb._started.state.tables.values():  # type: ignore[attr-defined]
            table.forget_order()
    _, root, has_found = search_in(kb, "path(3, 3)", "by times")
    assert not has_found
    assert not root.is_proved
    proof = kb.explain("path(3, 3)", effort=0)
    Checker(kb.program, frozenset(kb.program.facts) | {("edge", row) for row in _edges(kb)}).check(proof)
    assert not proof.is_whole


def _edges(kb: KnowledgeBase) -> list[Any]:
    from tidelog.values import from_python

    return [tuple(map(from_python, row)) for row in kb["edge"]]


@pytest.mark.parametrize("effort", [None, 0])
def test_relations_that_are_closed_inside_a_larger_recursion(effort: int | None) -> None:
    """The shortest chain of a pair may rest on the pair itself: then other chains are looked for."""
    text = """
        wide(X, Y) :- given(X, Y).
        wide(X, Z) :- wide(X, Y), wide(Y, Z).
        wide(X, Y) :- near(X, Y).
        near(X, Y) :- wide(X, Z), twin(Z, Y).
        given(a, b). given(b, c). given(c, d). given(d, a). twin(a, c). twin(c, d). twin(d, b).
    """
    kb = KnowledgeBase(Source(text))
    checker = Checker(kb.program, frozenset(kb.program.facts))
    for name in ("wide", "near"):
        for row in kb[name]:
            checker.check(kb.explain((name, *row), effort=effort))
