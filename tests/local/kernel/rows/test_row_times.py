"""When rows came: entries of ticks, merged when there is no room, forgotten with the rows, kept through everything else."""

from __future__ import annotations

from tests.local.storage.test_tables import Terms, matrix

from tidelog.local.kernel import layout
from tidelog.local.kernel.rows import row_times
from tidelog.local.kernel.tiers.plain_numpy import View
from tidelog.local.storage.store import Store
from tidelog.local.storage.tables import Table


def times(table: Table) -> list[tuple[int, ...]]:
    count = int(table.store.M[table.number, layout.TIME_COUNT])
    return [tuple(map(int, entry)) for entry in table._times.reshape(-1, row_times.TIMES_WIDTH)[:count]]


def two_tables() -> tuple[Table, Table]:
    store = Store(Terms(5000))
    return store.new_table(1, is_timed=True), store.new_table(1, is_timed=True)


def test_each_append_is_a_tick_of_one_clock() -> None:
    one, two = two_tables()
    one.insert(matrix([(1,), (2,)], 1))
    two.insert(matrix([(1,)], 1))
    one.insert(matrix([(2,)], 1))
    one.insert(matrix([(3,)], 1))
    assert times(one) == [(0, 1, 1), (2, 3, 3)]
    assert times(two) == [(0, 2, 2)]


def test_neighbours_are_merged_when_there_is_no_room() -> None:
    one, two = two_tables()
    room = int(one.store.M[one.number, layout.TIME_ROOM])
    for at in range(room + 1):
        one.insert(matrix([(at,)], 1))
        two.insert(matrix([(at,)], 1))
    found = times(one)
    assert len(found) == room // 2 + 1
    assert found[0] == (0, 1, 3)
    assert found[-1] == (room, 2 * room + 1, 2 * room + 1)


def test_more_rows_have_more_room() -> None:
    one, _ = two_tables()
    one.reserve(10_000)
    assert int(one.store.M[one.number, layout.TIME_ROOM]) * row_times.TIMES_WIDTH * 8 <= 2 * 10_000
    for at in range(500):
        one.insert(matrix([(at,)], 1))
    assert len(times(one)) == 500


def test_times_go_with_their_rows() -> None:
    one, _ = two_tables()
    for at in range(4):
        one.insert(matrix([(at,)], 1))
    one.truncate_to(2)
    assert times(one) == [(0, 1, 1), (1, 2, 2)]
    one.insert(matrix([(9,)], 1))
    assert times(one)[-1] == (2, 5, 5)
    one.remove(matrix([(0,)], 1))
    one.restore_rows(1, 0)
    assert times(one) == [(0, 1, 1)]


def test_order_and_times_are_forgotten() -> None:
    one, two = two_tables()
    one.insert(matrix([(1,), (2,)], 1))
    two.insert(matrix([(1,)], 1))
    one.forget_times()
    assert times(one) == [(0, 0, 3)]
    assert (one.live_times()[1], one.is_ordered) == (0, True)
    two.forget_order()
    assert (two.live_times()[1], two.is_ordered) == (1, False)
    two.insert(matrix([(2,), (3,)], 1))
    assert two.is_ordered
    assert times(two) == [(0, 0, 4), (1, 5, 5)]


def test_compaction_and_copies_keep_times() -> None:
    one, _ = two_tables()
    for begin in (0, 3000, 6000):
        one.insert(matrix([(at % 5000, at) for at in range(begin, begin + 3000)], 2)[:, 1:])
    one.remove(matrix([(at,) for at in range(5000)], 1))
    assert one.compact()
    assert times(one) == [(0, 1, 1), (0, 2, 2), (1000, 3, 3)]
    copy = Store(Terms(5000)).new_table(1, is_timed=True)
    one.copy_to(copy, {})
    copy.insert(matrix([(1,)], 1))
    assert times(copy)[:3] == times(one)


def test_helpers_have_no_times() -> None:
    helper = Store(Terms(5)).new_table(1)
    helper.insert(matrix([(1,)], 1))
    helper.forget_order()
    assert times(helper) == []


def test_rows_that_came_before_a_tick_for_sure() -> None:
    one, two = two_tables()
    for at in range(3):
        one.insert(matrix([(2 * at,), (2 * at + 1,)], 1))
        two.insert(matrix([(at,)], 1))
    assert times(one) == [(0, 1, 1), (2, 3, 3), (4, 5, 5)]
    words = one.store.M.view(View)
    assert [row_times.rows_before(words, one.number, tick) for tick in range(8)] == [0, 0, 2, 2, 4, 4, 6, 6]
    one.forget_times()
    assert [row_times.rows_before(words, one.number, tick) for tick in (0, 7, 8)] == [0, 0, 6]
    helper = Store(Terms(5)).new_table(1)
    helper.insert(matrix([(1,)], 1))
    assert row_times.rows_before(helper.store.M.view(View), helper.number, 9) == 0, "nobody knows when they came"
