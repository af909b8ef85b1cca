"""Aggregates under change: every function, groups that grow, shrink, vanish and come back, against folding from scratch."""

from __future__ import annotations

from collections import defaultdict
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.local_engine import rows_of

from tidelog import KnowledgeBase, TidelogError
from tidelog.functions.aggregates import aggregate
from tidelog.functions.signatures import AGGREGATES
from tidelog.local.maintenance.aggregates import kept_groups
from tidelog.reference import Row
from tidelog.values import Value, from_python

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


POOL: tuple[object, ...] = (
    *(0.1, 0.2, 1e16, -1e16, 5e-324, 1.7e308, -1.7e308, 2.0**-53, 1.0, 1, 2, 2.0, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), 0, -3),
    *("a", "b", "ab", True, float("inf"), float("-inf"), float("nan")),
)
"""Values whose sums overflow, cancel and are rounded, and that have no order among them."""
HISTORIES = "".join(
    f"{name}_of(G, H, N) :- N = {name} {{ V : g(G, H, I, V) }}. {name}_all(N) :- N = {name} {{ V : g(_, _, _, V) }}."
    f"{name}_asked(G, N) :- k(G), N = {name} {{ V : g(G, _, _, V) }}."
    for name in AGGREGATES
)


@pytest.mark.parametrize("least", [1, 4])
@pytest.mark.by_night(2_000)
@settings(max_examples=6)
@given(st.integers(0, 2**32))
def test_long_histories(least: int, seed: int) -> None:
    """Every result after every update is that of `functions.aggregates`, also after updates that failed, and of copies."""
    random = Random(seed)
    pool = random.sample(POOL, random.choice((2, 5, len(POOL))))
    facts: dict[str, tuple[object, ...]] = {}
    with patch.multiple(kept_groups, LEAST=least, FEW_CHANGES=random.choice((0.125, 1.0, float("inf")))):
        kb = KnowledgeBase(HISTORIES, limit_facts=600)
        kb.update(insert=[("k", group) for group in range(4)])
        for _ in range(12):
            deleted = random.sample(sorted(facts), random.randrange(min(len(facts), 5) + 1))
            added = [("g", random.randrange(3), random.randrange(2), random.randrange(8), random.choice(pool)) for _ in range(4)]
            if random.random() < 0.2:
                with pytest.raises(TidelogError, match="TL070"):
                    kb.update(added + [("g", 9, 9, at, 1) for at in range(700)], [facts[key] for key in deleted])
            else:
                kb.update(insert=added, delete=[facts[key] for key in deleted])
                facts = {key: fact for key, fact in facts.items() if key not in deleted} | {repr(fact): fact for fact in added}
            if random.random() < 0.1:
                kb = kb.copy()
            check_results(kb, list(facts.values()))


def check_results(kb: KnowledgeBase, facts: list[tuple[object, ...]]) -> None:
    """Compare all results with those of the members of each group."""
    for name in AGGREGATES:
        of_all, of_two, of_one = list[Value](), defaultdict[Row, list[Value]](list), defaultdict[Row, list[Value]](list)
        for _, *columns in facts:
            first, second, _, value = map(from_python, columns)
            of_all.append(value)
            of_two[first, second].append(value)
            of_one[(first,)].append(value)
        for group in range(4) if name in ("count", "sum") else ():
            of_one[(from_python(group),)] += []
        everything = {(): of_all} if facts or name in ("count", "sum") else {}
        for relation, groups in ((f"{name}_of", of_two), (f"{name}_asked", of_one), (f"{name}_all", everything)):
            expected = {key: aggregate(name, members) for key, members in groups.items()}
            assert rows_of(kb[relation]) == {(*key, found) for key, found in expected.items() if found is not None}, relation
