"""B/F against the algorithm as printed in the paper: the same facts, and the same counters where no order of work matters."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.backward_forward import delete
from tests.oracles.grounding import Bounds, instances
from tests.oracles.histories import by_relation, ground_facts, histories_without_projection, plain_histories, run
from tests.random_programs import History, RandomProgram

from tidelog import Source
from tidelog.changes import Counters
from tidelog.local.maintenance.backward_forward.as_printed import AsPrinted
from tidelog.program.program import check
from tidelog.reference import materialise


def check_counters(history: History) -> None:
    for change, bounds in run(history, "bf", delete):
        counters = change.stats.counters
        for name in ("suspected", "affected", "checked", "proved", "backward", "forward", "inserted"):
            bounds.check(name, getattr(counters, name))
        bounds.check("disproved", counters.checked - counters.proved)


@settings(max_examples=60)
@given(histories_without_projection())
def test_rules_without_projection(history: History) -> None:
    """Every variable is in the head: the number of instances that propagate a deletion is exact."""
    check_counters(history)


@settings(max_examples=60)
@given(plain_histories)
def test_any_rules(history: History) -> None:
    check_counters(history)


@settings(max_examples=60)
@given(histories_without_projection(negation=False, insertions=False))
def test_all_rules_at_once(history: History) -> None:
    """The paper knows no components: all rules of a positive program together give the same facts."""
    program = check(Source(history.program.text))
    explicit = set(program.facts)
    facts = {(name, row) for name, rows in materialise(program).items() for row in rows}
    for texts, _ in history.updates:
        deleted = ground_facts(texts)
        bf = AsPrinted(instances(program, range(len(program.rules)), by_relation(facts)), explicit, facts)
        bf.BF(fact for fact in deleted if fact in explicit)
        explicit.difference_update(deleted)
        facts = bf.I
        assert facts == {(name, row) for name, rows in materialise(program, explicit).items() for row in rows}
        assert bf.C.keys() == bf.S | bf.P.keys()


def last_update(rules: tuple[tuple[str, tuple[str, ...]], ...], facts: list[str], deleted: list[str]) -> tuple[Counters, Bounds]:
    ((change, bounds),) = run(History(RandomProgram(rules, tuple(facts)), ((tuple(deleted), ()),), ()), "bf", delete)
    return change.stats.counters, bounds


PATHS = (("path(X, Y)", ("edge(X, Y)",)), ("path(X, Z)", ("path(X, Y)", "edge(Y, Z)")))


@settings(max_examples=40)
@given(st.lists(st.integers(0, 1000), min_size=1, max_size=14), st.integers(0, 1000))
def test_a_tree_has_one_proof_for_each_path(parents: list[int], chosen: int) -> None:
    """Nothing can be proved, so every order checks the same facts and finds no instance."""
    edges = [f"edge({parent % (node + 1)}, {node + 1})" for node, parent in enumerate(parents)]
    counters, bounds = last_update(PATHS, edges, [edges[chosen % len(edges)]])
    assert counters.suspected == bounds.most["suspected"] == counters.affected == counters.checked > 0
    assert counters.checked == bounds.most["printed checked"] == bounds.most["disproved"]
    assert counters.backward == bounds.most["printed backward"] == 0
    assert counters.forward == bounds.most["printed forward"] == counters.proved == 0


@pytest.mark.parametrize("length", [1, 2, 3, 10])
def test_a_chain_of_proofs(length: int) -> None:
    """One proof, of `length` steps from an explicit fact. The engine looks one step ahead, the paper does not.

    So the engine does not check the explicit fact and does not use the first step forward; and it sees every other instance
    twice, once ahead and once to check its body.
    """
    steps = [f"step({at}, {at + 1})" for at in range(length)]
    facts = ["reached(0)", f"reached({length})", *steps]
    counters, bounds = last_update((("reached(Y)", ("reached(X)", "step(X, Y)")),), facts, [f"reached({length})"])
    assert counters.suspected == counters.affected == 0
    printed = [bounds.most[f"printed {name}"] for name in ("checked", "backward", "forward")]
    assert printed == [length + 1, length, length]
    assert [counters.checked, counters.backward, counters.forward] == [length, 2 * length - 1, length - 1]
    assert counters.proved == counters.checked


@pytest.mark.parametrize("others", [1, 2, 5])
def test_other_rules_prove_every_suspect(others: int) -> None:
    """Not recursive: the first instance that is found is a proof."""
    rules = tuple(("top(X)", (f"base{at}(X)",)) for at in range(others + 1))
    facts = [f"base{at}({x})" for at in range(others + 1) for x in range(4)]
    counters, bounds = last_update(rules, facts, ["base0(1)", "base0(3)"])
    assert counters.suspected == counters.affected == counters.checked == counters.proved == 2
    assert counters.checked == bounds.most["printed checked"]
    assert counters.backward == bounds.most["printed backward"] == 2
    assert counters.forward == 0


def test_facts_that_support_each_other_are_checked_together() -> None:
    """A circle of n facts without support from outside: each is checked once, and each instance of the circle is found."""
    rules = (("on(Y)", ("on(X)", "step(X, Y)")), ("on(X)", ("start(X)",)))
    facts = [*(f"step({at}, {(at + 1) % 6})" for at in range(6)), "start(2)"]
    counters, bounds = last_update(rules, facts, ["start(2)"])
    assert counters.checked == bounds.most["printed checked"] == 6
    assert counters.backward == 2 * bounds.most["printed backward"] == 12
    assert counters.forward == bounds.most["printed forward"] == counters.proved == 0
    assert counters.suspected == bounds.most["suspected"] == 7
