"""An update that fails is undone once, whatever it had done before it failed."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from tidelog import KnowledgeBase, TidelogError

RULES = """
    p(X, Y) :- e(X, Y).
    p(X, Z) :- p(X, Y), e(Y, Z).
    pair(X, Y) :- b(X), b(Y).
    bad(X, Y) :- n(X), n(Y), not p(X, Y).
"""
NODES = 300


@pytest.mark.parametrize(
    ("algorithm", "seed"), [("auto", 0), ("auto", 1), ("auto", 2), ("bf", 0), ("dred", 0), ("rematerialise", 0)]
)
def test_an_update_that_fails_after_a_unit_was_derived_anew_changes_nothing(algorithm: str, seed: int) -> None:
    random = Random(seed)
    kb = KnowledgeBase(RULES, modules=False, limit_facts=200_000, algorithm=algorithm)  # type: ignore[arg-type]
    ring = [("e", i, (i + 1) % NODES) for i in range(NODES)]
    kb.update(insert=ring + [("e", random.randrange(NODES), random.randrange(NODES)) for _ in range(30)])
    before = set(kb["p"])
    with pytest.raises(TidelogError, match="TL070"):  # `p` loses facts, then `pair` goes over the limit
        kb.update(delete=ring[:60:10], insert=[("b", i) for i in range(500)])
    assert kb.count("p") == len(before)
    assert set(kb["p"]) == before
    kb.update(insert=[("n", i) for i in range(NODES)])
    assert kb.count("bad") == 0  # every pair is in `p`, and is found there
    kb.update(insert=[("e", 0, 7)])
    assert max(Counter(kb["p"]).values()) == 1
