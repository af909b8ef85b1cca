"""What the loops of B/F and of deletion by ranks have in common: whatever they stop for, the facts are right in the end."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.local_engine import USUAL, held, under

from tidelog import KnowledgeBase

RULES = """
p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z).
q(X, N) :- p(X, X), N = X + 1. p(N, N) :- q(_, N), N < 9.
"""


@pytest.mark.parametrize("algorithm", ["ranked", "bf"])
@pytest.mark.parametrize("bytes_a_fact", [0, 1 << 20], ids=["slots", "bits"])
def test_stops_change_nothing(algorithm: str, bytes_a_fact: int) -> None:
    """Tables grow, and budgets end after some steps."""
    edges = [("e", at, to) for at in range(40) for to in (at + 1, at * 7 % 40)]
    with under(replace(USUAL, step_budget=3, bytes_a_fact=bytes_a_fact)):
        kb, other = (KnowledgeBase(RULES, algorithm=name, modules=False) for name in (algorithm, "rematerialise"))  # type: ignore[arg-type]
        for each in (kb, other):
            each.update(insert=edges)
        for at in range(0, 80, 8):
            for each in (kb, other):
                each.update(delete=edges[at : at + 3])
            assert held(kb) == held(other)
