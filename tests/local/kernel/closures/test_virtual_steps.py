"""The steps of a plan that read a virtual relation, for every kind of relation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.local.closure.test_virtual_relation import Case, cases

from tidelog.core.arrays import Int64s
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.kernel.build import kernel
from tidelog.local.kernel.closures import virtual_steps
from tidelog.local.kernel.layout import BACKWARD, FORWARD, HAS_PAIR, NODES
from tidelog.local.kernel.memory import address_of, int32s


@kernel
def run_step(op: int, W: Int64s, first: int, second: int, L: Int64s) -> int:
    return virtual_steps.run_step(op, W, first, second, L)


@kernel
def copy_list(L: Int64s, out: Int64s) -> None:
    values = int32s(L[0], L[1])
    for i in range(len(values)):
        out[i] = values[i]


def listed(relation: VirtualRelation, op: int, value: int) -> set[int]:
    scratch = np.empty(relation.longest_list + 1, np.int32)
    lists = np.array([0, 0, address_of(scratch), len(scratch)], np.int64)
    count = run_step(op, relation.words, value, 0, lists)
    assert lists[1] == count
    out = np.empty(count, np.int64)
    copy_list(lists, out)
    assert len(set(out.tolist())) == count, "a value twice"
    return set(out.tolist())


@pytest.mark.by_night(4_000)
@given(cases)
@settings(max_examples=50)
def test_steps_list_and_test_pairs(case: Case) -> None:
    for budget in (None, 0):  # rows of bits, or a search each time
        relation, expected = case.build(budget), case.expected
        assert listed(relation, NODES, 0) >= {x for x, _ in expected}
        for value in (0, 1, 5, 70, 9999):
            assert listed(relation, FORWARD, value) == {y for x, y in expected if x == value}
            assert listed(relation, BACKWARD, value) == {x for x, y in expected if y == value}
        none = np.zeros(4, np.int64)
        for x in range(8):
            for y in (0, 3, 70):
                assert run_step(HAS_PAIR, relation.words, x, y, none) == ((x, y) in expected)
