"""Classes of individuals: joined and split by edges, against connected components from nothing."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tidelog.core.rewriting import core_of
from tidelog.local.engine import LocalEngine
from tidelog.local.equality.classes import NO_EDGES, Classes, mapped, mapped_counts
from tidelog.program.program import check
from tidelog.program.same_as import CONSTANT, EQUATED, REPRESENTATIVE, source_with_same_as
from tidelog.source import Source
from tidelog.values import IRI, from_python


def some_engine() -> LocalEngine:
    program = check(source_with_same_as(Source("", "text")))
    assert REPRESENTATIVE in core_of(program).arities
    engine = LocalEngine(program)
    engine.dictionary.encode([from_python(IRI(f"x:{number}")) for number in range(40)])
    return engine


def components(edges: set[tuple[int, int]]) -> set[frozenset[int]]:
    of: dict[int, frozenset[int]] = {}
    for one, other in edges:
        joined = of.get(one, frozenset({one})) | of.get(other, frozenset({other}))
        of |= dict.fromkeys(joined, joined)
    return {one for one in of.values() if len(one) > 1}


def test_maps() -> None:
    pairs = np.array([[3, 1], [5, 2]], np.int32)
    assert mapped(np.array([5, 4, 3, 9], np.int32), pairs).tolist() == [2, 4, 1, 9]
    assert mapped(np.array([5], np.int32), NO_EDGES).tolist() == [5]
    assert mapped_counts(np.array([1, 2], np.int32), np.array([2, 1, 2, 7], np.int32)).tolist() == [1, 2]


@pytest.mark.parametrize("seed", range(8))
def test_classes_are_the_components_of_the_edges(seed: int) -> None:
    chance, engine = random.Random(seed), some_engine()
    classes, edges = Classes(engine), set[tuple[int, int]]()
    classes.know_constants(np.array([1, 2, 3], np.int32))
    for _ in range(30):
        new = {(chance.randrange(30), chance.randrange(30)) for _ in range(chance.choice([0, 1, 4]))} - edges
        gone = {edge for edge in sorted(edges) if chance.random() < 0.15}
        edges = (edges - gone) | new
        added, removed = (np.array(sorted(some), np.int32).reshape(-1, 2) for some in (new, gone))
        engine.remove(EQUATED, removed)
        engine.add(EQUATED, added)
        classes.change(added, removed)
        rows = classes.table(REPRESENTATIVE).rows
        assert len(np.unique(rows[:, 0])) == len(rows), "each has one"
        assert not np.isin(rows[:, 1], rows[:, 0]).any(), "a representative stands for itself"
        of: dict[int, set[int]] = {}
        for one, other in rows.tolist():
            of.setdefault(other, {other}).add(one)
        assert {frozenset(one) for one in of.values()} == components(edges)
        constants = np.array([1, 2, 3], np.int32)
        expected = sorted(zip([1, 2, 3], classes.representatives(constants).tolist(), strict=True))
        assert sorted(map(tuple, classes.table(CONSTANT).rows.tolist())) == expected


def test_the_representative_of_the_largest_class_stays() -> None:
    classes = Classes(engine := some_engine())
    for edges in ([[1, 2]], [[5, 6], [6, 7]]):
        engine.add(EQUATED, rows := np.array(edges, np.int32))
        classes.change(rows, NO_EDGES)
    engine.add(EQUATED, rows := np.array([[2, 7]], np.int32))
    classes.change(rows, NO_EDGES)
    assert set(classes.representatives(np.array([1, 2, 5, 6, 7], np.int32)).tolist()) == {5}
    assert sorted(classes.members(np.array([5], np.int32))[:, 0].tolist()) == [1, 2, 5, 6, 7]
