"""Tables: rows are appended once, found by hash table, bit matrix and index, deleted and restored."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.injection import Injected, Injector
from tests.local_engine import Conditions, conditions, under

from tidelog.local.kernel import layout
from tidelog.local.storage.indexes import Index
from tidelog.local.storage.store import Store
from tidelog.local.storage.tables import Table

Row = tuple[int, ...]


class Terms:
    """A dictionary of which only the size counts."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size


def matrix(rows: Iterable[Row], arity: int) -> NDArray[np.int32]:
    found = list(rows)
    return np.array(found, np.int32).reshape(len(found), arity)


def tuples(rows: NDArray[np.int32]) -> list[Row]:
    return [tuple(row) for row in rows.tolist()]


def mark_all(table: Table) -> None:
    """Make all rows visible to the indexes."""
    table.store.M[table.number, layout.OLD] = table.store.M[table.number, layout.ALL] = len(table)


def chains(table: Table, index: Index) -> dict[Row, list[int]]:
    """The rows of each chain of an index, by their key; walked as the kernel does."""
    words, rows = table.store.X[index.number], tuples(table.rows)
    found: dict[Row, list[int]] = {}
    for place, head in enumerate(index.heads[: words[layout.HEAD_COUNT]].tolist()):
        row, chain = head - 1, []
        while row >= 0:
            chain.append(row)
            row = int(index.next[row]) - 1
        if chain:
            keys = {tuple(rows[at][column] for column in index.columns) for at in chain}
            assert len(keys) == 1, "a chain has one key"
            (key,) = keys
            assert key not in found, "a key has one chain"
            assert not words[layout.IS_DIRECT] or key == (place,)
            found[key] = chain
    assert words[layout.DISTINCT] == len(found)
    return found


def check_index(table: Table, columns: Sequence[int]) -> None:
    index = table.index_on(columns)
    mark_all(table)
    table.extend_index(index)
    expected: dict[Row, list[int]] = defaultdict(list)
    for at, row in enumerate(tuples(table.rows)):
        expected[tuple(row[column] for column in columns)].insert(0, at)
    assert chains(table, index) == expected


@st.composite
def row_lists(draw: st.DrawFn) -> tuple[int, list[list[Row]]]:
    """An arity, and some lists of rows."""
    arity = draw(st.sampled_from((0, 1, 2, 2, 2, 3, 5)))
    value = st.integers(0, draw(st.sampled_from((2, 9, 200))))
    return arity, draw(st.lists(st.lists(st.tuples(*[value] * arity), max_size=30), max_size=5))


@given(row_lists(), conditions, st.data())
def test_rows_against_a_set(given_rows: tuple[int, list[list[Row]]], given_conditions: Conditions, data: st.DataObject) -> None:
    """Insertion, indexes and every kind of undo, while the dictionary grows."""
    arity, batches = given_rows
    with under(given_conditions):
        terms = Terms(1)
        table = Store(terms).new_table(arity)
        kept: dict[Row, None] = {}
        for batch in batches:
            terms.size = max([terms.size, *(value + 1 for row in batch for value in row)])
            before = len(kept)
            kept |= dict.fromkeys(batch)
            assert table.insert(matrix(batch, arity)) == len(kept) - before
            assert tuples(table.rows) == list(kept)
            requested = [*kept, *batch, (0,) * arity, (1,) * arity, (64,) * arity]
            assert table.contains(matrix(requested, arity)).tolist() == [row in kept for row in requested]
            if arity:
                columns = sorted(data.draw(st.sets(st.integers(0, arity - 1), min_size=1)))
                check_index(table, columns)
            match data.draw(st.sampled_from(("go on", "shorten", "aside and back"))):
                case "shorten":
                    count = data.draw(st.integers(0, len(kept)))
                    kept = dict.fromkeys(list(kept)[:count])
                    table.truncate_to(count)
                case "aside and back":
                    aside = table.contents()
                    table.empty()
                    assert len(table) == 0
                    assert not table.contains(matrix(kept, arity)).any()
                    table.insert(matrix(batch[::-1], arity))
                    for index in list(table.indexes):
                        check_index(table, index)
                    table.reattach(aside)
            assert tuples(table.rows) == list(kept)
            for index in list(table.indexes):
                check_index(table, index)


def test_an_index_of_few_rows_with_ids_from_a_large_range_is_hashed() -> None:
    """And becomes direct when there are more rows."""
    terms = Terms(1_000_000)
    table = Store(terms).new_table(2)
    rows = np.array([[n * 9_999, n % 7] for n in range(100)], np.int32)
    table.insert(rows)
    check_index(table, [0])
    assert not table.store.X[table.index_on([0]).number, layout.IS_DIRECT]
    terms.size = 4000
    table = Store(terms).new_table(2)
    table.insert(rows % 4000)
    check_index(table, [0])
    assert table.store.X[table.index_on([0]).number, layout.IS_DIRECT]
    terms.size = 2_000_000
    table.insert(np.array([[1_999_999, 3]], np.int32))
    check_index(table, [0])
    assert not table.store.X[table.index_on([0]).number, layout.IS_DIRECT]
    table.truncate_to(50)
    check_index(table, [0])


def test_a_released_table_leaves_its_places_to_others() -> None:
    store = Store(Terms(50))
    tables = [store.new_table(2) for _ in range(40)]  # more than there is room for at first
    for number, table in enumerate(tables):
        table.insert(matrix([(number, 1), (1, number)], 2))
        check_index(table, [1])
    assert [len(table) for table in tables] == [1 if number == 1 else 2 for number in range(40)]
    indexes = store._index_count
    store.release(tables[7])
    new = store.new_table(3)
    assert new.number == tables[7].number
    assert len(new) == 0
    new.insert(matrix([(1, 2, 3)], 3))
    check_index(new, [0, 2])
    assert store._index_count == indexes
    assert tuples(tables[8].rows) == [(8, 1), (1, 8)]


@given(conditions, st.integers(1, 3), st.integers(0, 300))
def test_filled_at_once_as_row_by_row(condition: Conditions, arity: int, count: int) -> None:
    """And the next rows need no other buffers."""
    with under(condition):
        terms = Terms(400)
        rows = matrix([(at, *[(7 * at + place) % 400 for place in range(1, arity)]) for at in range(count)], arity)
        store = Store(terms)
        filled, inserted = store.new_table(arity), store.new_table(arity)
        filled.fill(rows)
        inserted.insert(rows)
        assert tuples(filled.rows) == tuples(inserted.rows) == tuples(rows)
        assert filled.contains(rows).all()
        buffer = filled._rows
        assert filled.insert(matrix([(399,) * arity], arity)) == 1
        assert filled._rows is buffer
        assert filled.insert(rows) == 0
        assert not filled.contains(matrix([(398,) * arity], arity)).any()


def pairs(begin: int, end: int, distance: int) -> NDArray[np.int32]:
    """The pairs of a number and the one that is so far behind it."""
    numbers = np.arange(begin, end, dtype=np.int32)
    return np.stack([numbers, numbers + distance], axis=1)


def shrunk(stop: int) -> int:
    """Compact a table that has lost most of its rows, stopped at some call; how many calls there were."""
    table = Store(Terms(8_000)).new_table(2)
    table.insert(pairs(0, 6_000, 1))
    index = table.index_on((1,))
    mark_all(table)
    table.extend_index(index)
    table.remove(pairs(0, 5_000, 1))
    version, before, injector = table.version(), table.nbytes, Injector({stop})
    with injector.injecting(), suppress(Injected):
        table.compact()
    table.repair()
    if table.tombstones:  # nothing had been changed
        assert table.compact()
    assert 2 * table.nbytes < before
    assert tuples(table.rows) == tuples(version.rows) == tuples(pairs(5_000, 6_000, 1))
    assert table.contains(matrix([(4_999, 5_000), (5_000, 5_001)], 2)).tolist() == [False, True]
    table.insert(pairs(0, 1_500, 0))  # more room, but less than before
    table.insert(pairs(1_500, 6_000, 0))
    table.mark_delta()
    table.extend_index(index)
    assert Counter(map(len, chains(table, index).values())) == {1: 5_002, 2: 999}
    return injector.count


def test_a_compaction_gives_back_room_wherever_it_is_stopped() -> None:
    calls = shrunk(0)
    assert calls > 5
    for stop in range(1, calls + 1, 1 + calls // 30):
        shrunk(stop)


def test_memory_is_bounded_while_rows_come_and_go() -> None:
    table, size, sizes = Store(Terms(70_000)).new_table(2), 20_000, list[int]()
    table.insert(pairs(0, size, 0))
    for distance in range(3):
        for at in range(0, size, 1_000):
            table.remove(pairs(at, at + 1_000, distance))
            table.insert(pairs(at, at + 1_000, distance + 1))
            table.compact()
            assert len(table) == size
            assert 4 * table.tombstones <= table.end
            sizes.append(table.nbytes)
    assert max(sizes[40:]) == max(sizes)
    assert max(sizes) <= 3 * min(sizes)
