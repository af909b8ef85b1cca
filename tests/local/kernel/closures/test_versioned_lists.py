"""Lists in one buffer: the next version is changed, the one before can still be read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.local.kernel.closures.test_graphs import columns

from tidelog.local.closure.adjacency import Lists
from tidelog.local.kernel.closures import versioned_lists as kernel

PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), max_size=25, unique=True)


def contents(lists: Lists) -> set[tuple[int, int]]:
    return {(u, v) for u in range(len(lists.start)) for v in lists.pool.buffer[lists.start[u] : lists.end[u]].tolist()}


@given(PAIRS, st.lists(st.tuples(PAIRS, st.integers(0, 20)), max_size=4))
def test_each_version_stays_what_it_was(first: list[tuple[int, int]], changes: list[tuple[list[tuple[int, int]], int]]) -> None:
    versions = [(Lists.from_pairs(*columns(first), 7, 1000), set(first))]
    for inserted, removed in changes:
        lists, pairs = versions[-1]
        gone, new = sorted(pairs)[:removed], [pair for pair in inserted if pair not in pairs]
        following = lists.copied(7)
        assert following.delete(*columns(gone))
        assert following.insert(*columns(new))
        versions.append((following, pairs - set(gone) | set(new)))
    for lists, pairs in versions:
        assert contents(lists) == pairs


def test_no_room_and_too_many_steps_are_told() -> None:
    lists = Lists.from_pairs(*columns([(0, n) for n in range(5)]), 1, 4)
    arrays = lists.start.copy(), lists.end.copy(), lists.pool.buffer.copy(), lists.pool.used
    assert kernel.insert_values(*arrays, *columns([(0, 9)])) == -1
    lists = Lists.from_pairs(*columns([(0, n) for n in range(5)]), 1, 100)
    arrays = lists.start.copy(), lists.end.copy(), lists.pool.buffer.copy(), lists.pool.used
    assert kernel.remove_values(*arrays, *columns([(0, 1), (0, 2)]), 6) == -1
