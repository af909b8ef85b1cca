"""Chains behind the pairs of closed relations: as short as a plain search finds them."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from random import Random

import pytest
from tests.local_engine import access_to

from tidelog import KnowledgeBase, Source
from tidelog.local.explaining.chains import Chains, Links
from tidelog.values import from_python

TRANSITIVE = "r(X, Z) :- r(X, Y), r(Y, Z)."
SYMMETRIC = "r(X, Y) :- r(Y, X). " + TRANSITIVE
AT_THE_END = "r(X, Z) :- r(X, Y), e(Y, Z). r(X, Y) :- s(X, Y)."
AT_THE_START = "r(X, Z) :- e(X, Y), r(Y, Z). r(X, Y) :- s(X, Y)."


def distance(edges: set[tuple[int, int]], start: int, end: int) -> int:
    """The length of a shortest path of one edge or more."""
    queue, seen = deque([(start, 0)]), set()
    while queue:
        node, far = queue.popleft()
        for one, other in edges:
            if one == node and other == end:
                return far + 1
            if one == node and other not in seen:
                seen.add(other)
                queue.append((other, far + 1))
    raise AssertionError


@pytest.mark.parametrize("irreflexive", [False, True])
@pytest.mark.parametrize("rules", [TRANSITIVE, SYMMETRIC])
@pytest.mark.parametrize("seed", range(6))
def test_chains_are_shortest_paths(rules: str, seed: int, irreflexive: bool) -> None:
    random = Random(seed)
    edges = {(random.randrange(12), random.randrange(12)) for _ in range(14)}
    text = rules.replace("r(Y, Z).", "r(Y, Z), X != Z.") if irreflexive else rules
    kb = KnowledgeBase(Source(text))
    kb.update(insert=[("r", *edge) for edge in edges])
    either = edges | {edge[::-1] for edge in edges} if rules == SYMMETRIC else edges
    with access_to(kb) as access:
        assert access.module_of("r") is not None
        for row in kb["r"]:
            path = access.path("r", tuple(access.cell(from_python(value)) for value in row))
            assert path is not None
            assert len(path) == (1 if row in edges else distance(either, *row))
            links = [tuple(access.value(cell).content for cell in cells) for _, cells in path]
            assert set(links) <= edges


@pytest.mark.parametrize("rules", [AT_THE_END, AT_THE_START])
@pytest.mark.parametrize("seed", range(6))
def test_chains_of_linear_relations(rules: str, seed: int) -> None:
    random = Random(seed)
    kb = KnowledgeBase(Source(rules))
    pairs = [(name, random.randrange(9), random.randrange(9)) for name in ("e",) * 9 + ("s",) * 3]
    kb.update(insert=pairs)
    at_end = rules == AT_THE_END
    with access_to(kb) as access:
        for row in kb["r"]:
            path = access.path("r", tuple(access.cell(from_python(value)) for value in row))
            assert path is not None
            found = [(name, *(access.value(cell).content for cell in cells)) for name, cells in path]
            given = found[0] if at_end else found[-1]
            steps = found[1:] if at_end else found[:-1]
            assert ("s", *given[1:]) in pairs
            assert set(steps) <= set(pairs)
            assert (found[0][1], found[-1][2]) == row
            assert all(one[2] == other[1] for one, other in pairwise(found))


def test_edges_that_are_not_stored_themselves() -> None:
    kb = KnowledgeBase(Source("e(X, Z) :- e(X, Y), e(Y, Z). r(X, Z) :- r(X, Y), e(Y, Z). e(1, 2). e(2, 3). r(0, 1)."))
    assert [reason.text for reason in kb.explain("r(0, 3)").root.ways[0].reasons] == ["r(0, 1)", "e(1, 3)"]


def test_links_are_a_sequence() -> None:
    links = Links([1, 2, 3], "e", first=[("r", (0, 1))])
    assert len(links) == 3
    assert list(links) == [("r", (0, 1)), ("e", (1, 2)), ("e", (2, 3))]
    assert links[1:] == [("e", (1, 2)), ("e", (2, 3))]
    assert list(Links([1], "e", last=[("r", (1, 2))])) == [("r", (1, 2))]
    with pytest.raises(IndexError):
        links[3]


def test_nothing_leads_there() -> None:
    kb = KnowledgeBase(Source(TRANSITIVE + " r(1, 2). r(3, 4)."))
    with access_to(kb) as access:
        one, four = access.cell(from_python(1)), access.cell(from_python(4))
        assert isinstance(access._chains, Chains)
        assert access.path("r", (one, four)) is None
