"""The shortest of several chains: equal to the reference whatever is chosen, and without the steps of the longer ones."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.local_engine import Conditions, as_tuples, held, program, shortest, under, without_empty

from tidelog import KnowledgeBase
from tidelog.options import Algorithm
from tidelog.program.program import GroundFact
from tidelog.reference import materialise
from tidelog.values import from_python

PROGRAMS = (
    "r(X, Z) :- a(X, Y), b(Y, Z), c(X, Z).",
    "t(X, Y, Z) :- a(X, Y), a(Y, Z), a(Z, X).",
    "f(X, Z) :- a(X, Y), b(Y, Z), c(Z, W), a(W, X).",
    "k(X, Y, Z, W) :- a(X, Y), a(X, Z), a(X, W), a(Y, Z), a(Y, W), a(Z, W).",
    "d(X) :- a(X, Y), c(Y, Z, Z), b(X, Z, Z).",
    "p(X, Z) :- a(X, Z). p(X, Z) :- p(X, Y), p(Y, Z), b(X, Z).",
    "n(X, Z) :- a(X, Y), b(Y, Z), c(X, Z), not a(X, Z), X != Z.",
)
Pairs = list[tuple[int, int]]


def _fact(name: str, row: tuple[int, ...], width: int) -> GroundFact:
    return name, tuple(map(from_python, (*row, row[-1])[:width]))


def facts_of(rules: str, pairs: dict[str, Pairs]) -> list[GroundFact]:
    """The pairs as facts of relations that may have three columns."""
    widths = {name: relation.arity for name, relation in program(rules).relations.items()}
    return [_fact(name, pair, widths[name]) for name, some in pairs.items() if name in widths for pair in some]


pairs = st.lists(st.tuples(st.integers(0, 3) | st.just(0), st.integers(0, 5) | st.just(0)), max_size=30)


@given(
    st.sampled_from(PROGRAMS),
    st.fixed_dictionaries({"a": pairs, "b": pairs, "c": pairs}),
    st.sampled_from(("auto", "bf", "dred", "counting")),
    st.sampled_from((1 << 17, 1)),
    st.randoms(use_true_random=False),
)
def test_equal_to_the_reference(rules: str, given: dict[str, Pairs], algorithm: Algorithm, budget: int, chance: Random) -> None:
    facts = facts_of(rules, given)
    if algorithm == "counting" and rules.startswith("p"):
        algorithm = "bf"
    with under(Conditions(shortest=True, step_budget=budget)):
        kb = KnowledgeBase(rules, algorithm=algorithm)
        kb.update(insert=as_tuples(facts))
        assert without_empty(held(kb)) == without_empty(materialise(program(rules), facts))
        chance.shuffle(facts)
        half = len(facts) // 2
        kb.update(delete=as_tuples(facts[:half]))
        left = [fact for fact in facts if fact not in facts[:half]]
        assert without_empty(held(kb)) == without_empty(materialise(program(rules), left))
        kb.update(insert=as_tuples(facts[:half]))
        assert without_empty(held(kb)) == without_empty(materialise(program(rules), facts))


STAR = [(0, n) for n in range(400)] + [(n, 0) for n in range(1, 400)]


@pytest.mark.parametrize("is_used", [True, False])
def test_a_star_is_a_cliff_for_any_fixed_order(is_used: bool) -> None:
    """Each pair of the three atoms has as many matches as the square of the star's size; choosing takes a share of that."""
    with shortest(is_used):
        kb = KnowledgeBase("t(X, Y, Z) :- a(X, Y), b(Y, Z), c(Z, X).")
        kb.update(insert=[(name, *pair) for name in "abc" for pair in STAR])
        assert kb.count("t") == 1 + 3 * 399
