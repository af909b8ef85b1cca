"""Joins: what a search may look at, and how far a body gets."""

from __future__ import annotations

import pytest
from tests.local_engine import access_to

from tidelog import KnowledgeBase, Source
from tidelog.explain.bodies import Body
from tidelog.explain.joins import Budget, Exhausted

TEXT = "p(X) :- q(X, Y), r(Y, Z), Z > 50. q(1, 1). " + " ".join(f"r(1, {n})." for n in range(100))


def test_a_budget_ends_a_search() -> None:
    kb = KnowledgeBase(Source(TEXT))
    with access_to(kb) as access:
        body, row = Body(access.program.rules[0], 0, access), tuple(map(access.cell, kb._fact("p(1)")[1]))
        budget = Budget(20)
        with pytest.raises(Exhausted):
            list(body.instances(row, budget))
        assert budget.spent == 21
        assert len(list(body.instances(row, Budget()))) == 49


def test_the_same_join_may_run_twice_at_a_time() -> None:
    kb = KnowledgeBase(Source(TEXT))
    with access_to(kb) as access:
        body, row = Body(access.program.rules[0], 0, access), tuple(map(access.cell, kb._fact("p(1)")[1]))
        one, other = body.instances(row, Budget()), body.instances(row, Budget())
        pairs = [(list(first), list(second)) for first, second in zip(one, other, strict=True)]
        assert len(pairs) == 49
        assert all(first == second for first, second in pairs)
