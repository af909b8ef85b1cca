"""The state: tables by relation, helper tables that keep their places, and rows of virtual relations for the kernel."""

from __future__ import annotations

import gc
import weakref

import pytest
from tests.local.small_engine import CHAIN, SmallEngine
from tests.some_values import i

from tidelog.local.kernel.closures import virtual_access
from tidelog.local.storage.state import State

CLOSED = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z)."


def test_there_is_a_table_for_each_relation_but_virtual_ones() -> None:
    small = SmallEngine(CLOSED + CHAIN, modules=True)
    assert small.state.tables.keys() == {"edge", "#given path"}
    assert small.state.virtual.keys() == {"path"}
    assert small.state.stored("path") is small.state.virtual["path"]
    assert small.state.stored("edge") is small.state.table("edge")


def test_shared_dictionaries_are_copied_before_they_change() -> None:
    state = State()
    first = state.ensure_table("a", 1)
    tables, explicit = state.share()
    assert state.ensure_table("a", 1) is first
    assert state.tables is tables, "nothing has changed yet"
    state.ensure_table("b", 2)
    state.explicit_table("a")
    state.store.release(state.take_table("a"))
    assert tables == {"a": first}
    assert explicit == {}
    assert state.tables.keys() == {"b"}
    assert state.explicit.keys() == {"a"}


def test_tables_of_explicit_facts_have_a_version() -> None:
    state = State()
    state.ensure_table("a", 3)
    version = state.explicit_version
    made = state.explicit_table("a")
    assert made.arity == 3
    assert state.explicit_table("a") is made
    assert state.explicit_version == version + 1
    assert state.take_explicit("a") is made
    assert state.take_explicit("a") is None
    assert state.explicit_version > version + 1


def test_a_helper_is_refilled_in_its_place() -> None:
    small = SmallEngine(CLOSED + CHAIN)
    helper = small.state.helper("#some", 2, small.rows((1, 2), (3, 4)))
    assert small.state.helper("#some", 2, small.rows((2, 2))) is helper
    assert small.facts("#some") == [(2, 2)]
    assert len(small.state.helper("#some", 2)) == 0
    with pytest.raises(AssertionError, match="#some"):
        small.state.helper("#some", 3)
    small.state.drop_helpers(["#some", "#other"])
    assert "#some" not in small.state.helpers
    assert small.state.store.new_table(1).number == helper.number, "its place is free"


def test_delta_tables_are_dropped_by_relation() -> None:
    state = State()
    for name in ("#plus a", "#minus a", "#marked a", "#plus b"):
        state.helper(name, 1)
    state.drop_delta_tables(["a"])
    assert state.helpers.keys() == {"#plus b"}


def test_rows_among_other_rows() -> None:
    small = SmallEngine(CLOSED + CHAIN)
    rows, others = small.rows((1, 2), (3, 4), (2, 1)), small.rows((2, 1), (1, 2), (9, 9))
    assert small.state.isin_rows(rows, others).tolist() == [True, False, True]
    assert small.state.isin_rows(rows, others[:0]).tolist() == [False] * 3
    assert small.state.isin_rows(rows, small.rows((1,))).tolist() == [False] * 3
    assert small.state.isin_rows(rows[:0], others).tolist() == []


def test_a_virtual_relation_keeps_its_row() -> None:
    """Plans that are kept name it by the row."""
    small = SmallEngine(CLOSED + CHAIN, modules=True)
    state = small.state
    number = state.number_of("path")
    relation = state.virtual.pop("path")
    assert state.number_of("other") != number
    state.set_virtual("path", relation)
    assert state.number_of("path") == number
    assert state.V[number].tolist() == relation.words.tolist()
    assert state.V[number].any()


def test_loops_are_counted_when_somebody_needs_them() -> None:
    small = SmallEngine(CLOSED + CHAIN + "edge(4, 3).", modules=True)
    relation = small.state.virtual["path"]
    relation.words[virtual_access.LOOPS] = -1
    small.state.count_loops("path")
    assert relation.words[virtual_access.LOOPS] == small.state.V[small.state.number_of("path"), virtual_access.LOOPS] == 2


def test_an_abandoned_state_is_freed_at_once_and_leaves_its_dictionary() -> None:
    state = State()
    table, left, terms = weakref.ref(state.ensure_table("a", 2)), weakref.ref(state), state.terms
    terms.encode([i(1)])
    gc.disable()
    try:
        state.abandon()
        del state
        assert (table(), left()) == (None, None)
        assert terms.encode([i(1), i(2)]).tolist() == [0, 1]
    finally:
        gc.enable()
