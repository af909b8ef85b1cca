"""Each kind of module is closed by its own algorithm."""

from __future__ import annotations

from tests.local.closure.test_virtual_relation import as_set, matrix

from tidelog.local.closure.closing import close
from tidelog.local.closure.connectivity.partition import Partition
from tidelog.program.modules import Module, ModuleKind

PAIRS = matrix([(1, 2), (2, 3)])


def test_a_symmetric_module_is_a_partition() -> None:
    relation = close(Module(ModuleKind.SYMMETRIC_TRANSITIVE, "r", (0,), is_irreflexive=True), PAIRS, None)
    assert isinstance(relation, Partition)
    assert as_set(relation) == {(x, y) for x in (1, 2, 3) for y in (1, 2, 3) if x != y}


def test_others_are_closures() -> None:
    assert as_set(close(Module(ModuleKind.TRANSITIVE, "r", (0,)), PAIRS, None)) == {(1, 2), (2, 3), (1, 3)}
    linear = Module(ModuleKind.LINEAR, "r", (0,), edge="e", extends="start")
    assert as_set(close(linear, matrix([(2, 9)]), PAIRS)) == {(2, 9), (1, 9)}
