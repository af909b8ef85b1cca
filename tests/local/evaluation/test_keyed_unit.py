"""Units evaluated for some keys at a time, against a plain closure; differences after their inputs have changed."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tidelog.core.arrays import Int32s
from tidelog.core.rules import CoreRule
from tidelog.local.evaluation.keyed_unit import GIVEN, STEPS, KeyedClosure, KeyedRules, KeyedUnit, given_name, in_groups
from tidelog.program.modules import Module, ModuleKind
from tidelog.syntax.tree import Atom, Comparison, Constant, Variable
from tidelog.values import Kind, Value

Pairs = set[tuple[int, int]]
X, Y, Z = Variable("X"), Variable("Y"), Variable("Z")
PATH = KeyedRules(
    ("path",),
    (
        CoreRule(Atom("path", (X, Y)), (Atom("edge", (X, Y)),), 0, "path"),
        CoreRule(Atom("path", (X, Z)), (Atom("path", (X, Y)), Atom("edge", (Y, Z))), 1, "path"),
    ),
    {"path": 2, "edge": 2},
    {"path": 0},
)


def rows(pairs: Pairs) -> Int32s:
    return np.array(sorted(pairs), np.int32).reshape(-1, 2)


def paths(starts: Pairs, edges: Pairs) -> Pairs:
    found = set(starts)
    while more := {(x, z) for x, y in found for other, z in edges if y == other} - found:
        found |= more
    return found


def some_edges(seed: int) -> Pairs:
    dice = random.Random(seed)
    return {(dice.randrange(1000, 1030), dice.randrange(1000, 1030)) for _ in range(40)}


def found_by(unit: KeyedUnit | KeyedClosure, keys: Int32s, most: int) -> Pairs:
    groups = list(in_groups(unit, keys, most))
    assert sorted(key for some, _ in groups for key in some.tolist()) == sorted(keys.tolist())
    pairs = [tuple(row) for _, found in groups for row in found["path"].tolist()]
    assert len(pairs) == len(set(pairs)), "each fact once"
    return set(pairs)


@pytest.mark.parametrize("most", [1, 50, 100_000])
def test_a_unit_of_rules(most: int) -> None:
    edges, explicit = some_edges(1), {(7, 1001), (1002, 9)}
    unit = KeyedUnit(PATH, {"edge": rows(edges), given_name("path"): rows(explicit)})
    assert found_by(unit, unit.keys(), most) == paths(edges | explicit, edges)
    one = unit.keys()[:1]
    assert found_by(unit, one, most) == {(x, y) for x, y in paths(edges | explicit, edges) if x == one[0]}
    unit.change({"edge": rows({(7, 8), (9, 7)})}, {"edge": rows(set(sorted(edges)[:5]))})
    changed = (edges - set(sorted(edges)[:5])) | {(7, 8), (9, 7)}
    assert found_by(unit, unit.keys(), most) == paths(changed | explicit, changed)
    unit.refill(given_name("path"), rows({(5, 6)}))
    assert found_by(unit, unit.keys(), most) == paths(changed | {(5, 6)}, changed)


def test_constants_are_numbers_and_may_be_keys() -> None:
    rules = KeyedRules(
        ("path",),
        (
            CoreRule(
                Atom("path", (Constant(Value(Kind.INT, 3)), Y)),
                (Atom("edge", (X, Y)), Comparison("=", X, Constant(Value(Kind.INT, 1)))),
                0,
                "path",
            ),
            CoreRule(Atom("path", (Z, Y)), (Atom("edge", (X, Y)), Comparison("=", Z, X)), 2, "path"),
            PATH.rules[1],
        ),
        PATH.arities,
        PATH.key,
    )
    edges = {(1, 2), (2, 4), (8, 9)}
    unit = KeyedUnit(rules, {"edge": rows(edges)})
    assert found_by(unit, unit.keys(), 100) == {(3, 2), (3, 4), (1, 2), (1, 4), (2, 4), (8, 9)}


@pytest.mark.parametrize("most", [1, 100_000])
@pytest.mark.parametrize("is_turned", [False, True])
def test_a_linear_relation(most: int, is_turned: bool) -> None:
    edges, starts = some_edges(2), some_edges(3)
    module = Module(ModuleKind.LINEAR, "path", (1,), edge="edge", extends="start" if is_turned else "end")

    def expected(starts: Pairs, edges: Pairs) -> Pairs:
        if not is_turned:
            return paths(starts, edges)
        return {(x, y) for y, x in paths({(y, x) for x, y in starts}, {(y, x) for x, y in edges})}

    unit = KeyedClosure(module, rows(starts), rows(edges), "path")
    assert found_by(unit, unit.keys(), most) == expected(starts, edges)
    gone, new = set(sorted(edges)[:4]), {(1003, 5), (5, 1004)} - edges
    unit.change({STEPS: rows(new), GIVEN: rows({(4, 5)})}, {STEPS: rows(gone)})
    keys = np.union1d(unit.keys(), np.array([77], np.int32)).astype(np.int32)
    assert found_by(unit, keys, most) == expected(starts | {(4, 5)}, (edges - gone) | new)


@pytest.mark.parametrize("kind", [ModuleKind.TRANSITIVE, ModuleKind.SYMMETRIC_TRANSITIVE])
def test_a_relation_closed_by_itself(kind: ModuleKind) -> None:
    edges = some_edges(4)

    def expected(edges: Pairs) -> Pairs:
        both = edges | ({(y, x) for x, y in edges} if kind is ModuleKind.SYMMETRIC_TRANSITIVE else set())
        return paths(both, both)

    unit = KeyedClosure(Module(kind, "path", (1,)), rows(edges), None, "path")
    assert found_by(unit, unit.keys(), 100) == expected(edges)
    gone = set(sorted(edges)[:4])
    unit.change({GIVEN: rows({(1, 2)})}, {GIVEN: rows(gone)})
    assert found_by(unit, unit.keys(), 100) == expected((edges - gone) | {(1, 2)})
