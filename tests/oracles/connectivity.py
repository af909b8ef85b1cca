"""Connectivity in plain Python: all pairs within the connected components of a set of edges, by a search from every node."""

from __future__ import annotations

from collections.abc import Iterable

Edge = tuple[int, int]


def components(edges: Iterable[Edge]) -> list[set[int]]:
    """The connected components of the ends of some edges."""
    near: dict[int, set[int]] = {}
    for x, y in edges:
        near.setdefault(x, set()).add(y)
        near.setdefault(y, set()).add(x)
    result, seen = list[set[int]](), set[int]()
    for root in near:
        if root in seen:
            continue
        found, waiting = {root}, [root]
        while waiting:
            new = near[waiting.pop()] - found
            found |= new
            waiting += new
        seen |= found
        result.append(found)
    return result


def pairs(edges: Iterable[Edge], *, is_irreflexive: bool = False) -> set[Edge]:
    """All pairs within a component; irreflexive, (x, x) only if it is an edge."""
    edges = set(edges)
    found = {(x, y) for component in components(edges) for x in component for y in component}
    return {(x, y) for x, y in found if x != y or (x, y) in edges} if is_irreflexive else found
