"""Transitive and symmetric-transitive relations against the module functions of the paper, in plain Python."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.modules import Module, Pairs, SymmetricTransitive, Transitive

from tidelog import KnowledgeBase
from tidelog.local.closure import virtual_relation

TRANSITIVE = "r(X, Y) :- e(X, Y). r(X, Z) :- r(X, Y), r(Y, Z)."
RULES: dict[type[Module], str] = {Transitive: TRANSITIVE, SymmetricTransitive: f"{TRANSITIVE} r(X, Y) :- r(Y, X)."}
every_module = pytest.mark.parametrize("kind", list(RULES))
pairs = st.tuples(st.integers(0, 6), st.integers(0, 6))
updates = st.lists(st.tuples(st.sets(pairs, max_size=4), st.sets(pairs, max_size=4), st.booleans()), min_size=1, max_size=6)


@every_module
@pytest.mark.parametrize(("modules", "budget"), [(True, 1 << 28), (True, 0), (False, 0)], ids=["bits", "search", "rules"])
@settings(max_examples=60)
@given(first=st.sets(pairs, max_size=12), changes=updates)
def test_what_comes_and_goes(
    kind: type[Module], modules: bool, budget: int, first: Pairs, changes: list[tuple[Pairs, Pairs, bool]]
) -> None:
    """External facts are those of e, which a rule copies, and those of r that the user gives."""
    with patch.object(virtual_relation, "BITS_BUDGET", budget):
        come_and_go(kind, modules, first, changes)


def come_and_go(kind: type[Module], modules: bool, first: Pairs, changes: list[tuple[Pairs, Pairs, bool]]) -> None:
    module, kb = kind(), KnowledgeBase(RULES[kind], modules=modules)
    kb.update(insert=[("e", *pair) for pair in first])
    assert module.Add(first) == module.R == set(kb["r"])
    given_of = {"e": set(first), "r": set[tuple[int, int]]()}
    for deleted, inserted, of_r in changes:
        name = "r" if of_r else "e"
        change = kb.update(delete=[(name, *pair) for pair in deleted], insert=[(name, *pair) for pair in inserted])
        given_of[name] = given_of[name] - deleted | inserted
        external = given_of["e"] | given_of["r"]
        came, went = module.update(module.X - external, external - module.X)
        assert external == module.X
        assert set(kb["r"]) == module.R
        assert (came, went) == tuple(set(facts.get("r", ())) for facts in (change.inserted, change.deleted))


@every_module
@settings(max_examples=60)
@given(first=st.sets(pairs, min_size=1, max_size=12), chosen=st.data())
def test_the_contract_of_each_function(kind: type[Module], first: Pairs, chosen: st.DataObject) -> None:
    """Del deletes all that must go and nothing external; Red brings back nothing that must go."""
    deleted = chosen.draw(st.sets(st.sampled_from(sorted(first))))
    module, anew = kind(), kind()
    module.Add(first)
    anew.Add(first - deleted)
    before = set(module.R)
    gone = module.Del(deleted)
    assert before - anew.R <= gone
    assert gone.isdisjoint(module.X)
    assert before - gone == module.R
    back = module.Red(gone)
    assert back <= gone & anew.R
    assert (back == set()) == (module.R == anew.R)
    assert module.Diff(first, deleted) == set()


def test_a_chain_takes_one_step_for_each_pair() -> None:
    """R joined with X looks at each pair once, where the rule has an instance for every node between the two ends."""
    length = 20
    chain = {(at, at + 1) for at in range(length)}
    module = Transitive()
    module.Add(chain)
    extended = length * (length - 1) // 2
    assert module.joins == extended, "the first external facts are joined with an empty R"
    assert len(module.R) == extended + length
    kb = KnowledgeBase(TRANSITIVE, modules=False)
    change = kb.update(insert=[("e", *pair) for pair in chain])
    instances = (length + 1) * length * (length - 1) // 6
    assert change.stats.derivations >= length + instances > module.joins
