"""What is kept of a group, against `functions.aggregates`: values of all kinds, and blocks that fill and empty."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.some_values import any_value, f, i, numbers, s

from tidelog.functions.aggregates import aggregate
from tidelog.local.maintenance.aggregates.group_states import GroupState, OrderedGroup
from tidelog.local.storage.state import State
from tidelog.values import INT_MAX, Value

KEPT = ("sum", "avg", "min", "max", "median")
every_function = pytest.mark.parametrize("function", KEPT)


class Group:
    """What is kept of a group, and all of its members."""

    def __init__(self, function: str, members: list[Value]) -> None:
        self.function, self.state, self.members = function, State(), list(members)
        self.kept = GroupState.of(function, self.state, self.encoded(members))
        self.check()

    def encoded(self, members: list[Value]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        return np.array(self.state.terms.encode(members), np.int32)

    def join(self, members: list[Value]) -> None:
        self.kept.join(self.encoded(members))
        self.members += members
        self.check()

    def leave(self, members: list[Value]) -> None:
        self.kept.leave(self.encoded(members))
        for member in members:
            self.members.remove(member)
        self.check()

    def check(self) -> None:
        assert self.kept.size == len(self.members)
        if self.members:
            found = self.kept.result()
            value = self.state.terms.values_of(np.array([found], np.int32))[0] if found >= 0 else None
            assert value == aggregate(self.function, self.members), self.function


some = st.lists(st.one_of(numbers, any_value), max_size=6)


@every_function
@pytest.mark.by_night(5_000)
@given(some, some, st.data())
@settings(max_examples=60)
def test_members_of_every_kind(function: str, first: list[Value], more: list[Value], data: st.DataObject) -> None:
    group = Group(function, first)
    group.join(more)
    group.leave(data.draw(st.lists(st.sampled_from(group.members), max_size=4, unique_by=id)) if group.members else [])
    group.leave(list(group.members))
    group.join(first)


@every_function
def test_many_members(function: str) -> None:
    random = Random(function)
    group = Group(function, [f(random.gauss(0, 1e6)) for _ in range(3_000)])
    for _ in range(3):
        group.join([f(random.gauss(0, 1e6)) for _ in range(2_000)])
        group.leave(random.sample(group.members, 1_500))
    group.join([i(INT_MAX), i(2**53 + 1), f(float(2**53))])
    group.join([s("text")])
    group.leave([s("text")])


@every_function
def test_members_of_several_sorts_at_first(function: str) -> None:
    group = Group(function, [s("b"), i(1), f(float("nan")), s("a"), f(0.5)])
    group.leave([s("a"), s("b")])
    group.leave([f(float("nan"))])


def test_blocks_that_have_become_much_too_large() -> None:
    group = Group("median", [i(at) for at in range(50_000)])
    assert isinstance(group.kept, OrderedGroup)
    before = group.kept.nbytes
    assert 4 * 50_000 <= before <= OrderedGroup.bytes_for(50_000)
    is_wasteful = [group.kept.is_wasteful]
    group.kept.leave(group.encoded(group.members[1_000:]))
    assert [*is_wasteful, group.kept.is_wasteful] == [False, True]
    assert not Group("sum", [i(1)]).kept.is_wasteful
