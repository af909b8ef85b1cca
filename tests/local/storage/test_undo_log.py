"""The undo log: after a rollback, rows, indexes, tables and virtual relations are what they were."""

from __future__ import annotations

import numpy as np
import pytest
from tests.local.small_engine import CHAIN, SmallEngine

from tidelog.local.storage.tables import Table
from tidelog.local.storage.undo_log import UndoLog

RULES = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z). twice(X, Z) :- edge(X, Y), edge(Y, Z). twice(7, 7)."
EDGES = [(1, 2), (2, 3), (3, 4)]


@pytest.fixture
def small() -> SmallEngine:
    return SmallEngine(RULES + CHAIN, modules=True)


def found_by_index(small: SmallEngine, table: Table, key: int) -> list[tuple[object, ...]]:
    """The rows whose first column has a value, by the index of the table."""
    return small.tuples(table.rows_with_keys([0], small.rows((key,))))


def test_inserted_rows_are_removed(small: SmallEngine) -> None:
    undo, edges = UndoLog(small.state), small.state.tables["edge"]
    assert undo.end_before(edges) == edges.end
    edges.insert(small.rows((1, 9), (8, 9)))
    assert found_by_index(small, edges, 1) == [(1, 2), (1, 9)]
    undo.rollback()
    assert small.facts("edge") == EDGES
    assert found_by_index(small, edges, 1) == [(1, 2)]
    assert edges.contains(small.rows((8, 9), (3, 4))).tolist() == [False, True]


def test_removed_rows_come_back(small: SmallEngine) -> None:
    undo, edges = UndoLog(small.state), small.state.tables["edge"]
    assert edges.remove(small.rows((2, 3), (8, 8))) == 1, "the other one was not there"
    edges.insert(small.rows((5, 6)))
    assert edges.remove(small.rows((5, 6), (1, 2))) == 2
    assert small.facts("edge") == [(3, 4)]
    undo.rollback()
    assert small.facts("edge") == EDGES
    assert [found_by_index(small, edges, node) for node in (1, 2, 5)] == [[(1, 2)], [(2, 3)], []]


def test_truncated_rows_come_back(small: SmallEngine) -> None:
    undo, edges = UndoLog(small.state), small.state.tables["edge"]
    edges.remove(small.rows((1, 2)))
    undo.truncate(edges)
    assert len(edges) == 0
    assert small.tuples(undo.rows_before(edges)) == [(2, 3), (3, 4)]
    edges.insert(small.rows((5, 6), (6, 7)))
    undo.truncate(edges)  # what the first one kept is what counts
    edges.insert(small.rows((7, 8)))
    assert edges.remove(small.rows((7, 8))) == 1
    version = undo.version_before(edges, small.rows((1, 2)))
    assert version.contains(small.rows((1, 2), (2, 3), (5, 6), (7, 8))).tolist() == [True, True, False, False]
    assert small.tuples(version.rows) == EDGES
    undo.rollback()
    assert small.facts("edge") == EDGES
    assert found_by_index(small, edges, 2) == [(2, 3)]


def test_tables_and_virtual_relations_come_back(small: SmallEngine) -> None:
    state = small.state
    before, numbers = state.virtual["path"], {name: table.number for name, table in state.tables.items()}
    version = state.explicit_version
    undo = UndoLog(state)
    new = state.ensure_table("new", 1)
    new.insert(small.rows((1,)))
    state.explicit_table("edge").insert(small.rows((1, 2)))
    state.explicit["twice"].remove(small.rows((7, 7)))
    state.take_table("twice")
    state.virtual.pop("path")
    state.answered["edge"] = 3
    undo.rollback()
    assert {name: table.number for name, table in state.tables.items()} == numbers
    assert state.explicit.keys() == {"twice"}
    assert small.tuples(state.explicit["twice"].rows) == [(7, 7)]
    assert small.facts("twice") == [(1, 3), (2, 4), (7, 7)]
    assert state.virtual == {"path": before}
    assert state.V[state.number_of("path")].tolist() == before.words.tolist()
    assert state.answered == {}
    assert state.explicit_version > version
    assert state.store.new_table(1).number in {new.number, new.number + 1}, "places of new tables are free"


def test_a_second_rollback_does_nothing(small: SmallEngine) -> None:
    """An update that fails may be rolled back in its last step, and then as a whole."""
    undo, edges = UndoLog(small.state), small.state.tables["edge"]
    undo.truncate(edges)
    small.state.tables["twice"].remove(small.rows((1, 3)))
    edges.insert(small.rows((5, 6)))
    undo.rollback()
    undo.rollback()
    assert small.facts("edge") == EDGES
    assert small.facts("twice") == [(1, 3), (2, 4), (7, 7)]


def test_what_an_update_has_added_is_not_in_the_log_of_its_next_step(small: SmallEngine) -> None:
    first, edges = UndoLog(small.state), small.state.tables["edge"]
    edges.insert(small.rows((5, 6)))
    second = UndoLog(small.state)
    edges.remove(small.rows((5, 6), (1, 2)))
    edges.insert(small.rows((6, 7)))
    second.rollback()
    assert small.facts("edge") == [*EDGES, (5, 6)]
    first.rollback()
    assert small.facts("edge") == EDGES


def test_tombstones_are_given_back_where_they_are_many() -> None:
    small = SmallEngine("seen(X) :- edge(X, _).")
    edges = small.state.tables["edge"]
    edges.insert(small.rows(*((node, 0) for node in range(5000))))
    undo = UndoLog(small.state)
    edges.remove(small.rows(*((node, 0) for node in range(4900))))
    assert edges.end == 5000
    undo.compact_tables()
    assert edges.end == len(edges) == 100
    assert np.all(edges.contains(small.rows(*((node, 0) for node in range(4900, 5000)))))
