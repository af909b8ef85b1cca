"""What is kept of large groups: when it is built, what it follows, and when it is given back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from tests.local_engine import collecting, engine_of

from tidelog import KnowledgeBase, TidelogError
from tidelog.local.maintenance.aggregates import kept_groups
from tidelog.local.maintenance.aggregates.group_states import OrderedGroup
from tidelog.local.maintenance.aggregates.kept_groups import KeptGroups
from tidelog.streams import Update

RULES = "r(G, N) :- N = {} {{ V : g(G, I, V) }}."
SIZE = kept_groups.LEAST


def knowledge(function: str, *, groups: int = 2, size: int = SIZE, **options: int) -> KnowledgeBase:
    """Groups of as many members as are needed for something to be kept; their values are 0.5, 1.5 and so on."""
    kb = KnowledgeBase(RULES.format(function), **options)  # type: ignore[arg-type]
    kb.update(insert=[member(group, at) for group in range(groups) for at in range(size)])
    return kb


def member(group: int, at: int) -> tuple[object, ...]:
    return "g", group, at, at + 0.5


def kept(kb: KnowledgeBase) -> int:
    """Of how many groups something is kept."""
    found = [runtime.kept(KeptGroups, name) for runtime in engine_of(kb).runtimes.values() for name in runtime.unit.operators]
    return sum(len(groups) for groups in found if groups is not None)


def values(kb: KnowledgeBase) -> dict[int, float]:
    return dict(iter(kb["r"]))


def judged(kb: KnowledgeBase, function: str) -> dict[int, float]:
    """The results of the facts as they are, from scratch."""
    other = KnowledgeBase(RULES.format(function))
    other.update(insert=[("g", *fact) for fact in kb["g"]])
    return values(other)


def test_a_group_is_kept_when_it_first_changes() -> None:
    kb = knowledge("avg")
    assert kept(kb) == 0
    kb.update(delete=[member(0, 7)])
    assert kept(kb) == 0, "now it has too few members"
    kb.update(insert=[member(0, 7)])
    assert kept(kb) == 1
    kb.update(insert=[member(1, SIZE)])
    assert kept(kb) == 2
    assert values(kb) == {0: SIZE / 2, 1: (SIZE + 1) / 2}


def test_nothing_is_kept_where_much_changes_at_once() -> None:
    kb = knowledge("avg", groups=1)
    kb.update(insert=[member(0, SIZE + at) for at in range(SIZE)])
    assert kept(kb) == 0
    assert values(kb) == {0: SIZE}


def test_the_largest_is_kept_once_it_goes_and_given_back_when_nobody_needs_it() -> None:
    kb = knowledge("max", groups=1, size=SIZE + 10)
    kb.update(insert=[member(0, -1)])
    assert kept(kb) == 0, "the largest is still there"
    kb.update(delete=[member(0, SIZE + 9)])
    assert kept(kb) == 1
    size = kb.count("g")
    for at in range(2, 2 + size // 100 + 1):
        kb.update(insert=[member(0, -100 * at - i) for i in range(100)])
    assert kept(kb) == 1
    for at in range(100, 100 + kb.count("g") // 100 + 2):
        kb.update(delete=[member(0, -1)] if at == 100 else [], insert=[member(0, -100 * at - i) for i in range(100)])
    assert values(kb) == {0: SIZE + 8.5}
    kb.update(delete=[member(0, SIZE + 8)])
    assert values(kb) == {0: SIZE + 7.5}


def test_a_group_that_vanishes_takes_what_is_kept_with_it() -> None:
    kb = knowledge("median", size=SIZE + 1)
    kb.update(delete=[member(group, 0) for group in (0, 1)])
    assert kept(kb) == 2
    for begin in range(0, SIZE + 1, 50):
        kb.update(delete=[member(0, at) for at in range(begin, begin + 50)])
    assert kept(kb) == 1
    assert values(kb) == {1: (SIZE + 1) / 2 + 0.5}
    kb.update(insert=[member(0, 3)])
    assert values(kb)[0] == 3.5


@pytest.mark.parametrize("function", ["avg", "median", "min", "max"])
def test_it_is_forgotten_after_a_rollback(function: str) -> None:
    kb = knowledge(function, groups=1, size=SIZE + 5, limit_facts=3 * SIZE)
    kb.update(delete=[member(0, 0), member(0, SIZE + 4)])
    assert kept(kb) == 1
    for _ in range(2):
        with pytest.raises(TidelogError, match="TL070"):
            kb.update(delete=[member(0, 1)], insert=[member(0, 10_000 + at) for at in range(4 * SIZE)])
        assert values(kb) == judged(kb, function)
        kb.update(insert=[member(0, -5), member(0, SIZE + 100)])
        kb.update(delete=[member(0, -5), member(0, SIZE + 100)])
        assert values(kb) == judged(kb, function)


@pytest.mark.parametrize("function", ["sum", "median", "max"])
def test_it_follows_what_a_stream_undoes(function: str) -> None:
    """Marked facts go without maintenance: their rows are removed, and what is kept sees it at the next visit."""
    kb = KnowledgeBase(RULES.format(function), marking=True)
    kb.update(insert=[member(0, at) for at in range(SIZE + 5)])
    updates = [Update(insert=(member(0, SIZE + 10 + at),), delete=(member(0, SIZE + 9 + at),)) for at in range(6)]
    last = Update(insert=(member(0, 3 * SIZE),)), Update(delete=tuple(member(0, at) for at in range(3)))
    for _ in kb.follow([*updates, *last]):
        pass
    assert values(kb) == judged(kb, function)


def test_copies_and_collections_of_terms_begin_anew() -> None:
    kb = knowledge("avg", groups=1, size=SIZE + 5)
    kb.update(delete=[member(0, 0)])
    copy = kb.copy()
    assert (kept(kb), kept(copy)) == (1, 0)
    copy.update(delete=[member(0, 1)])
    assert values(copy) == judged(copy, "avg")
    assert values(kb) == judged(kb, "avg")
    with collecting():
        kb.update(delete=[member(0, 2)])
        kb.update(delete=[member(0, 3)])
    assert values(kb) == judged(kb, "avg")


def test_rules_that_change_beside_it() -> None:
    kb = knowledge("avg", groups=1, size=SIZE + 5)
    kb.update(delete=[member(0, 0)])
    kb.add_rules("g(0, I, V) :- more(I, V). other(N) :- N = median { V : g(_, _, V) }.")
    kb.update(insert=[("more", -1, -7.25)])
    assert values(kb) == judged(kb, "avg")
    kb.remove_rules("g(0, I, V) :- more(I, V).")
    kb.update(delete=[member(0, 5)])
    assert values(kb) == judged(kb, "avg")


def test_tables_that_are_compacted() -> None:
    with _no_compaction_is_too_early():
        kb = knowledge("median", groups=1, size=SIZE + 200)
        for at in range(0, 180, 2):
            kb.update(delete=[member(0, at)])
            kb.update(insert=[member(0, -at - 1)], delete=[member(0, at + 1)])
        assert values(kb) == judged(kb, "median")


@contextmanager
def _no_compaction_is_too_early() -> Iterator[None]:
    from tidelog.local.storage import tables

    with patch.object(tables, "_MANY_TOMBSTONES", -1):
        yield


def test_its_memory_counts_and_is_not_taken_where_there_is_none() -> None:
    kb = knowledge("median", groups=1, size=3 * SIZE)
    state = engine_of(kb).state
    before = state._bytes()
    kb.update(delete=[member(0, 0)])
    (groups,) = state.followers
    assert state._bytes() - before >= groups.nbytes >= 4 * 3 * SIZE
    assert state.budget.has_room(1 << 40)
    state.budget.limit = state._bytes()
    assert not state.budget.has_room(1)


def test_a_limit_on_memory_does_without() -> None:
    kb = knowledge("median", groups=1, size=3 * SIZE)
    with patch.object(OrderedGroup, "bytes_for", lambda _: 1 << 50):
        limited = knowledge("median", groups=1, size=3 * SIZE, limit_memory=1 << 30)
        for each in (kb, limited):
            each.update(delete=[member(0, 0)])
    assert (kept(kb), kept(limited)) == (1, 0)
    assert values(kb) == values(limited)
