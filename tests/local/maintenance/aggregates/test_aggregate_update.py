"""Aggregates under change: every function, groups that grow, shrink, vanish and come back, against folding from scratch."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.local_engine import rows_of

from tidelog import KnowledgeBase
from tidelog.functions.signatures import AGGREGATES
from tidelog.local.maintenance.aggregates import kept_groups

RULES = "\n".join(
    [
        *(f"{name}_of(G, N) :- N = {name} {{ V : g(G, I, V) }}." for name in AGGREGATES),
        *(f"{name}_all(N) :- N = {name} {{ V : g(_, _, V) }}." for name in AGGREGATES),
        *(f"{name}_two(G, H, N) :- N = {name} {{ V : g(G, I, V), h(H, I) }}." for name in AGGREGATES),
        "many(N) :- N = count { g(_, _, _) }.",
    ]
)
values = st.one_of(
    st.integers(-3, 3),
    st.sampled_from([2**63 - 1, -(2**63), 2**62]),
    st.sampled_from([0.5, -0.5, 2.0, 1e300, float("inf"), float("nan")]),
    st.sampled_from(["a", "b"]),
)
given_facts = st.one_of(
    st.tuples(st.just("g"), st.integers(0, 2), st.integers(0, 3), values),
    st.tuples(st.just("h"), st.integers(0, 1), st.integers(0, 3)),
)


@pytest.mark.by_night(1_000)
@settings(max_examples=40)
@given(
    st.sampled_from((1, 3, kept_groups.LEAST)),
    st.lists(given_facts, max_size=12),
    st.lists(st.tuples(st.lists(given_facts, max_size=3), st.data()), min_size=1, max_size=6),
)
def test_results_are_those_of_folding_from_scratch(
    least: int, initial: list[tuple[object, ...]], updates: list[tuple[list[tuple[object, ...]], st.DataObject]]
) -> None:
    """Also where something is kept of every group: large ones begin with so many members."""
    with patch.multiple(kept_groups, LEAST=least, FEW_CHANGES=float("inf")):
        check(initial, updates)


def check(initial: list[tuple[object, ...]], updates: list[tuple[list[tuple[object, ...]], st.DataObject]]) -> None:
    kb = KnowledgeBase(RULES)
    kb.update(insert=initial)
    explicit = {repr(fact): fact for fact in initial}  # 2 and 2.0 are two values
    for inserted, data in updates:
        deleted = data.draw(st.lists(st.sampled_from(list(explicit.values())), max_size=4)) if explicit else []
        kb.update(insert=inserted, delete=deleted)
        for fact in deleted:
            explicit.pop(repr(fact), None)
        explicit |= {repr(fact): fact for fact in inserted}
        anew = KnowledgeBase(RULES)
        anew.update(insert=list(explicit.values()))
        for name in kb.relations:
            assert rows_of(kb.facts(name)) == rows_of(anew.facts(name)), name
