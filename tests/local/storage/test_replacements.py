"""Relations before and after they were derived from scratch: numbers and rows of the difference."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.local.storage.test_tables import Terms, matrix, tuples
from tests.local_engine import placed

from tidelog.local.closure.connectivity.partition import Partition
from tidelog.local.storage.replacements import AnyVersion, Replacement, Version
from tidelog.local.storage.store import Store
from tidelog.local.storage.tables import Table

PAIRS = st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30)
Pairs = set[tuple[int, int]]


def table_of(pairs: Pairs, *, uses_bits: bool = True) -> Table:
    table = Store(Terms(10)).new_table(2)
    table.uses_bits = uses_bits
    table.insert(matrix(sorted(pairs), 2))
    return table


def check(replacement: Replacement, before: Pairs, after: Pairs) -> None:
    assert (replacement.gained, replacement.lost) == (len(after - before), len(before - after))
    assert (replacement.can_gain, replacement.can_lose) == (bool(after - before), bool(before - after))
    assert replacement.is_mostly_new == (2 * len(after - before) >= len(after))
    assert set(tuples(replacement.inserted())) == after - before
    assert set(tuples(replacement.deleted())) == before - after


@pytest.mark.parametrize("bits", [(True, True), (True, False), (False, False)])
@given(PAIRS, PAIRS)
def test_the_difference_of_two_versions(bits: tuple[bool, bool], before: Pairs, after: Pairs) -> None:
    versions = [Version.now(table_of(pairs, uses_bits=uses)) for pairs, uses in zip((before, after), bits, strict=True)]
    check(Replacement(*versions), before, after)


@given(PAIRS.filter(bool), PAIRS.filter(bool), st.booleans())
def test_the_difference_of_versions_with_places(before: Pairs, after: Pairs, is_first: bool) -> None:
    with placed():
        one, other = table_of(before), table_of(after)
        for table in (one, other):
            table.reserve(65)
            assert len(table.placed_ids)
    some, more = (one, table_of(after)) if is_first else (table_of(before), other)
    check(Replacement(Version.now(one), Version.now(other)), before, after)
    check(Replacement(Version.now(some), Version.now(more)), before, after)


@given(PAIRS, PAIRS)
def test_a_virtual_relation_is_a_version(before: Pairs, after: Pairs) -> None:
    """A partition of single loops holds exactly its loops."""
    loops = {(x, x) for x, _ in after}
    virtual = Partition(matrix(sorted(loops), 2))
    stored: AnyVersion = Version.now(table_of(before))
    check(Replacement(stored, virtual), before, loops)


@given(PAIRS, PAIRS, st.booleans())
def test_rows_added_to_a_version(held: Pairs, more: Pairs, uses_bits: bool) -> None:
    more -= held
    version = Version.now(table_of(held, uses_bits=uses_bits)).with_rows(matrix(sorted(more), 2))
    assert set(tuples(version.rows)) == held | more
    assert len(version) == len(held | more)
    every = [(x, y) for x in range(10) for y in range(10)]
    assert version.contains(matrix(every, 2)).tolist() == [pair in held | more for pair in every]
    check(Replacement(version, Version.now(table_of(held))), held | more, held)


def test_after_the_update_only_rows_are_used() -> None:
    before, after = table_of({(1, 2), (3, 4)}), table_of({(3, 4), (5, 6)})
    replacement = Replacement(Version.now(before), Version.now(after))
    replacement.end()
    before.remove(matrix([(1, 2)], 2))
    after.insert(matrix([(1, 2)], 2))
    assert tuples(replacement.deleted()) == [(1, 2)]
    assert tuples(replacement.inserted()) == [(5, 6)]
