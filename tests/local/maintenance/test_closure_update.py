"""Transitive relations of a knowledge base under change: what is seen from outside."""

from __future__ import annotations

import pytest

from tidelog import KnowledgeBase
from tidelog.errors import TidelogError
from tidelog.local.closure import virtual_relation
from tidelog.local.closure.digraph import Digraph
from tidelog.local.closure.virtual_relation import VirtualRelation

CLOSED = """
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), path(Y, Z).
same(X, Y) :- link(X, Y).
same(X, Y) :- same(Y, X).
same(X, Z) :- same(X, Y), same(Y, Z).
far(X, Z) :- path(X, Y), hop(Y, Z).
far(X, Z) :- far(X, Y), hop(Y, Z).
"""
CHAIN = "".join(f"edge({n}, {n + 1}). link({n}, {n + 1}). hop({n}, {n + 1}).\n" for n in range(20))


def everything(kb: KnowledgeBase) -> dict[str, set[tuple[object, ...]]]:
    return {name: set(kb[name]) for name in ("path", "same", "far")}


def test_changes_say_what_they_did_also_later() -> None:
    kb = KnowledgeBase(CLOSED + CHAIN)
    before = everything(kb)
    changes = [
        kb.update(delete=[("edge", 9, 10), ("link", 9, 10)]),
        kb.update(insert=[("edge", 15, 3), ("link", 0, 20), ("hop", 20, 0)]),
        kb.update(insert=[("edge", 9, 10)], delete=[("edge", 15, 3), ("hop", 0, 1)]),
    ]
    states = [before]
    for change in changes:
        now: dict[str, set[tuple[object, ...]]] = {}
        for name, pairs in states[-1].items():
            inserted, deleted = set(change.inserted.get(name, ())), set(change.deleted.get(name, ()))
            assert not pairs & inserted
            assert pairs >= deleted
            now[name] = (pairs | inserted) - deleted
        states.append(now)
    assert states[-1] == everything(kb)


@pytest.mark.parametrize("budget", [virtual_relation.BITS_BUDGET, 0], ids=["bits", "search"])
def test_pairs_are_counted_by_what_has_changed(budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(virtual_relation, "BITS_BUDGET", budget)
    kb = KnowledgeBase(CLOSED + CHAIN)
    assert kb.count("path") == 210
    kb.update(insert=[("edge", 3, 30)])  # nobody asks how many there are after this one

    def counted_anew(*_: object) -> int:
        raise AssertionError

    with monkeypatch.context() as patch:
        assert kb.count("path") == len(set(kb["path"])) == 214
        patch.setattr(VirtualRelation, "_counts", counted_anew)
        patch.setattr(Digraph, "pair_count", counted_anew)
        kb.update(delete=[("edge", 9, 10)])
        assert kb.count("path") == 214 - 110
        kb.update(insert=[("edge", 9, 10), ("edge", 20, 0)], delete=[("edge", 3, 30)])
        assert kb.count("path") == 21 * 21
        with pytest.raises(TidelogError):
            kb.update(delete=[("edge", 20, 0), ("edge", "a", "b", "c")])
        assert kb.count("path") == 21 * 21
    kb.update(delete=[("edge", 20, 0)])
    kb.update(delete=[("edge", 0, 1)])
    assert kb.count("path") == len(set(kb["path"])) == 190


def test_results_that_were_handed_out_stay() -> None:
    kb = KnowledgeBase(CLOSED + CHAIN)
    before, held = everything(kb), {name: kb[name] for name in ("path", "same", "far")}
    kb.update(delete=[("edge", 9, 10), ("link", 9, 10), ("hop", 3, 4)])
    kb.update(insert=[("edge", 20, 0), ("link", 30, 31), ("hop", 20, 40)])
    assert {name: set(facts) for name, facts in held.items()} == before


def test_an_error_in_the_middle_leaves_all_as_it_was() -> None:
    """Relations above a closure are derived after it has its next version; a limit stops them."""
    rules = CLOSED + "pair(X, Y, Z) :- path(X, Y), path(Y, Z).\n"
    kb = KnowledgeBase(rules + CHAIN, limit_facts=4000)
    before = everything(kb)
    with pytest.raises(TidelogError):
        kb.update(insert=[("edge", 20, 0), ("edge", 50, 51)], delete=[("link", 3, 4), ("hop", 1, 2)])
    assert everything(kb) == before
    kb.update(delete=[("link", 3, 4)], insert=[("link", 60, 61), ("edge", 71, 70)])
    other = KnowledgeBase(CLOSED + CHAIN.replace("link(3, 4).", "") + "link(60, 61). edge(71, 70).")
    assert everything(kb) == everything(other)


@pytest.mark.parametrize("algorithm", ["auto", "rematerialise", "dred", "bf"])
def test_every_algorithm_gives_the_same(algorithm: str) -> None:
    kb = KnowledgeBase(CLOSED + CHAIN + "alone(X) :- node(X), not path(X, _). node(5).", algorithm=algorithm)  # type: ignore[arg-type]
    kb.update(delete=[("edge", 5, 6), ("link", 7, 8)], insert=[("edge", 4, 1)])
    other = KnowledgeBase(CLOSED + CHAIN.replace("edge(5, 6).", "").replace("link(7, 8).", "") + "edge(4, 1).")
    assert everything(kb) == everything(other)
    assert set(kb["alone"]) == {(5,)}
