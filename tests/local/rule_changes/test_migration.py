"""Migration: when rules change, explicit facts move to where the new rules keep them, and back if that fails."""

from __future__ import annotations

from tests.local.small_engine import CHAIN, PATHS, SmallEngine
from tests.local_engine import program

from tidelog.local.maintenance.delta.deltas import ExplicitChanges
from tidelog.local.rule_changes.migration import Migration
from tidelog.local.storage.undo_log import UndoLog
from tidelog.program.live_rules import LiveRules
from tidelog.program.rule_changes import plan_change

TRANSITIVE = "path(X, Z) :- path(X, Y), path(Y, Z)."


class Moved:
    """An engine whose rules have changed, with its facts moved."""

    def __init__(self, text: str, *, remove: str = "", add: str = "", modules: bool = False, derive: bool = True) -> None:
        self.small = SmallEngine(text, modules=modules, derive=derive)
        live, state = LiveRules.of(program(text)), self.small.state
        difference = plan_change(live, [remove] if remove else [], [add] if add else [], {}).difference
        assert difference is not None
        change = self.small.engine.structure.changed(difference, modules=modules)
        self.undo, self.changes = UndoLog(state), ExplicitChanges()
        self.migration = Migration(change, state, self.undo, counts=False)
        self.migration.move_facts(self.changes, is_derived=derive)

    def explicit(self, name: str) -> list[tuple[object, ...]] | None:
        """The explicit facts of a relation with rules."""
        table = self.small.state.explicit.get(name)
        return None if table is None else self.small.tuples(table.rows)


def test_a_relation_without_rules_keeps_its_explicit_facts_only() -> None:
    moved = Moved("seen(X, Y) :- edge(X, Y). seen(8, 9)." + CHAIN, remove="seen(X, Y) :- edge(X, Y).")
    small = moved.small
    assert small.facts("seen") == [(8, 9)]
    assert moved.explicit("seen") is None
    assert small.tuples(moved.changes.lost["seen"]) == [(1, 2), (2, 3), (3, 4)]
    moved.undo.rollback()
    moved.migration.rollback()
    assert small.facts("seen") == [(1, 2), (2, 3), (3, 4), (8, 9)]
    assert moved.explicit("seen") == [(8, 9)]


def test_before_anything_is_derived_nothing_is_lost() -> None:
    moved = Moved("seen(X, Y) :- edge(X, Y). seen(8, 9)." + CHAIN, remove="seen(X, Y) :- edge(X, Y).", derive=False)
    assert moved.small.facts("seen") == [(8, 9)]
    assert not moved.changes.lost


def test_a_relation_with_its_first_rule_gets_a_table_of_explicit_facts() -> None:
    moved = Moved(PATHS + CHAIN, add="edge(X, Y) :- bridge(X, Y).")
    assert moved.explicit("edge") == moved.small.facts("edge") == [(1, 2), (2, 3), (3, 4)]
    assert "bridge" in moved.small.state.tables
    moved.undo.rollback()
    moved.migration.rollback()
    assert "bridge" not in moved.small.state.tables
    assert moved.explicit("edge") is None


def test_explicit_facts_of_a_relation_that_becomes_virtual() -> None:
    moved = Moved("path(X, Y) :- edge(X, Y). path(8, 9)." + CHAIN, add=TRANSITIVE, modules=True)
    assert moved.explicit("#given path") == [(8, 9)]
    assert moved.explicit("path") is None
    assert moved.small.facts("path") == [(1, 2), (2, 3), (3, 4), (8, 9)], "derived facts stay until the unit is visited"
    moved.undo.rollback()
    assert moved.explicit("path") == [(8, 9)]


def test_explicit_facts_of_a_relation_that_becomes_stored() -> None:
    moved = Moved("path(X, Y) :- edge(X, Y). path(8, 9)." + TRANSITIVE + CHAIN, remove=TRANSITIVE, modules=True)
    state = moved.small.state
    assert moved.explicit("path") == moved.small.tuples(state.tables["path"].rows) == [(8, 9)]
    assert "path" in state.virtual, "until the unit is visited"
    assert "#given path" not in state.tables


def test_a_closed_relation_without_rules() -> None:
    moved = Moved("edge(1, 2). edge(2, 3). edge(X, Z) :- edge(X, Y), edge(Y, Z).", remove="edge(X, Z) :- edge(X, Y), edge(Y, Z).", modules=True)
    assert moved.small.facts("edge") == [(1, 2), (2, 3)]
    assert moved.small.tuples(moved.changes.lost["edge"]) == [(1, 3)]
    assert "edge" not in moved.small.state.virtual


def test_commit_releases_what_belonged_to_removed_rules() -> None:
    counting = "many(N) :- N = count { X : edge(X, _) }."
    moved = Moved(PATHS + counting + CHAIN, remove=counting)
    state = moved.small.state
    internal = {name for name in state.tables if name.startswith("#")}
    assert internal
    state.helper("#plus many", 1)
    moved.migration.commit(["many"])
    assert not internal & state.tables.keys()
    assert "many" not in state.tables
    assert "#plus many" not in state.helpers
    assert moved.small.facts("edge") == [(1, 2), (2, 3), (3, 4)]
