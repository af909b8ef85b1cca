"""A knowledge base to explain facts of."""

from __future__ import annotations

import pytest

from tidelog import KnowledgeBase, Source

TEXT = """
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
busy(X, N) :- node(X), not closed(X), N = count { Y : edge(X, Y) }, N > 1.
edge(a, b). edge(b, c). edge(c, a). edge(a, d). node(a). node(d).
"""


@pytest.fixture(params=[True, False], ids=["modules", "rules"])
def kb(request: pytest.FixtureRequest) -> KnowledgeBase:
    return KnowledgeBase(Source(TEXT), modules=request.param)
