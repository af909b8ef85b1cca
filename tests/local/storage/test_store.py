"""The store: numbers of tables and indexes are freed and used again, each by one owner."""

from __future__ import annotations

from tests.local.storage.test_tables import Terms, matrix

from tidelog.local.storage.store import Store


def test_a_number_is_used_again_once_however_often_it_was_released() -> None:
    store = Store(Terms(10))
    first, other = store.new_table(2), store.new_table(2)
    first.index_on((0,))
    store.release(first)
    store.release(first)
    again, more = store.new_table(1), store.new_table(3)
    assert len({other.number, again.number, more.number}) == 3
    assert again.number == first.number


def test_tables_that_nobody_owns_are_released() -> None:
    store = Store(Terms(10))
    kept, lost = store.new_table(2), store.new_table(2)
    kept.insert(matrix([(1, 2)], 2))
    kept.index_on((1,))
    lost.index_on((0,))
    store.new_index()  # and a number that was taken for an index that never came
    store.keep_only([kept])
    assert len(kept) == 1
    assert store.new_table(1).number == lost.number
    numbers = {kept.index_on((0,)).number, store.new_index(), kept.index_on((1,)).number}
    assert numbers == {0, 1, 2}
