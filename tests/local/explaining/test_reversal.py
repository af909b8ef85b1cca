"""The state before a change: exactly that, with its rules, and the change is made again."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from tests.local_engine import held

from tidelog import KnowledgeBase, TidelogError
from tidelog.explain.access import Access
from tidelog.local.explaining.reversal import Reversal
from tidelog.local.kb import LocalKnowledgeBase


def made(kb: KnowledgeBase, **update: Any) -> Reversal:
    """A change of facts, and how to take it back."""
    change = kb.update(**update)
    return Reversal(change.explainer.args[0], change)  # type: ignore[union-attr]


def facts_in(access: Access, names: list[str]) -> dict[str, set[tuple[Any, ...]]]:
    return {name: {tuple(access.value(cell).content for cell in row) for row in access.matching(name, (), ())} for name in names}


@pytest.mark.parametrize("modules", [True, False])
def test_the_state_before_has_its_facts_and_rules(modules: bool) -> None:
    text = "one: path(X, Y) :- edge(X, Y). two: path(X, Z) :- path(X, Y), edge(Y, Z). far(X) :- path(a, X), not near(X). near(b)."
    kb = KnowledgeBase(text, modules=modules)
    kb.update(insert=[("edge", "a", "b"), ("edge", "b", "c")])
    names, rules = list(kb.relations), [rule.name for rule in kb.program.rules]
    before = {name: set(kb[name]) for name in names}
    reversal = made(
        kb,
        insert=[("edge", "c", "d"), ("far", "b")],
        delete=[("near", "b")],
        remove_rules=["two"],
        add_rules="three: path(X, Y) :- wire(X, Y). wire(b, z).",
    )
    after = held(kb)
    assert reversal.before(lambda access: facts_in(access, names)) == before
    assert sorted(map(str, reversal.before(lambda access: [rule.name for rule in access.program.rules]))) == sorted(
        map(str, rules)
    )
    assert held(kb) == after
    assert reversal.now(lambda access: facts_in(access, ["path"]))["path"] == set(kb["path"])
    changed = {rule.name for rule in kb.program.rules if reversal.is_changed(rule)}
    assert changed == {"three"}


def test_a_relation_that_only_the_removed_rule_mentioned() -> None:
    kb = KnowledgeBase("p(X) :- q(X), not gone(X). q(1).")
    assert kb.count("p") == 1
    change = kb.remove_rules("p(X) :- q(X), not gone(X).")
    changed = change.explain(("q", 1))
    assert changed.what == "stayed"
    assert change.deleted["p"] is not None


def test_it_is_over_with_the_next_change() -> None:
    kb = KnowledgeBase("p(X) :- q(X).")
    reversal = made(kb, insert=[("q", 1)])
    kb.update(insert=[("q", 2)])
    for ask in (reversal.now, reversal.before):
        with pytest.raises(TidelogError, match="TL099"):
            ask(lambda access: access)


def test_a_knowledge_base_that_is_gone() -> None:
    kb: KnowledgeBase | None = KnowledgeBase("p(X) :- q(X).")
    assert isinstance(kb, LocalKnowledgeBase)
    change = kb.update(insert=[("q", 1)])
    del kb
    gc.collect()
    with pytest.raises(TidelogError, match="TL099"):
        change.explain("p(1)")
