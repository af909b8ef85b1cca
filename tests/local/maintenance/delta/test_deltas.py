"""Deltas: what came and went, as rows and as tables that rules can join."""

from __future__ import annotations

from tests.local.small_engine import CHAIN, PATHS, SmallEngine

from tidelog.local.maintenance.delta.deltas import Delta, Deltas, ExplicitChanges, MarkedStep, concatenated
from tidelog.local.maintenance.propagation import Propagation
from tidelog.local.storage.undo_log import UndoLog


def test_appended_rows_need_no_copy() -> None:
    small = SmallEngine(PATHS + CHAIN)
    deltas, edges = Deltas(small.state), small.state.tables["edge"]
    begin = edges.end
    deltas.grew("edge", begin)
    assert "edge" not in deltas
    edges.insert(small.rows((8, 9), (9, 8)))
    deltas.grew("edge", begin)
    delta = deltas.of["edge"]
    assert (delta.begin, delta.gained, delta.lost, delta.has_gained, delta.has_lost) == (begin, 2, 0, True, False)
    deltas.changed("path", small.rows((7, 7)), small.rows(arity=2))
    assert deltas.ranges(["edge", "path"]) == {"edge": begin}
    assert deltas.ranges(["edge", "path"], others={"edge"}) == {}


def test_tables_are_filled_when_a_rule_needs_them() -> None:
    small = SmallEngine(PATHS + CHAIN)
    deltas = Deltas(small.state)
    deltas.changed("edge", small.rows((8, 9)), small.rows((1, 2), (2, 3)))
    assert "#plus edge" not in small.state.helpers
    assert deltas.plus("edge") == "#plus edge"
    assert deltas.minus("edge") == "#minus edge"
    assert small.facts("#plus edge") == [(8, 9)]
    assert small.facts("#minus edge") == [(1, 2), (2, 3)]
    assert small.state.filled >= {("edge", True), ("edge", False)}
    assert (deltas.plus("path"), deltas.minus("path")) == (None, None)


def test_an_empty_side_has_no_table() -> None:
    small = SmallEngine(PATHS + CHAIN)
    deltas = Deltas(small.state)
    deltas.changed("edge", small.rows((8, 9)), small.rows(arity=2))
    assert deltas.minus("edge") is None
    deltas.changed("path", small.rows(arity=2), small.rows(arity=2))
    assert "path" not in deltas


def test_a_replaced_delta_has_other_tables() -> None:
    """Marks take rows out of a delta for one unit, and put them back."""
    small = SmallEngine(PATHS + CHAIN)
    deltas = Deltas(small.state)
    deltas.changed("edge", small.rows(arity=2), small.rows((1, 2), (2, 3)))
    whole = deltas.of["edge"]
    assert deltas.minus("edge") == "#minus edge"
    deltas.replace("edge", Delta(deleted=small.rows((2, 3))))
    assert deltas.minus("edge") == "#minus edge"
    assert small.facts("#minus edge") == [(2, 3)]
    deltas.replace("edge", Delta())
    assert deltas.minus("edge") is None
    deltas.replace("edge", whole)
    assert deltas.minus("edge") == "#minus edge"
    assert small.facts("#minus edge") == [(1, 2), (2, 3)]


def test_deltas_of_which_only_the_sides_are_known() -> None:
    """Rules are made from them before there are rows."""
    small = SmallEngine(PATHS + CHAIN)
    deltas = Deltas.of_changed(small.state, ["a"], ["a", "b"])
    assert [deltas.plus(name) for name in "ab"] == ["#plus a", None]
    assert [deltas.minus(name) for name in "ab"] == ["#minus a", "#minus b"]
    assert not {"#plus a", "#minus a"} & small.state.helpers.keys()


def test_explicit_changes_are_there_if_any_part_is() -> None:
    small = SmallEngine(PATHS + CHAIN)
    rows = small.rows((1, 2))
    assert not ExplicitChanges()
    assert ExplicitChanges(began={"a": 0})
    assert ExplicitChanges(deleted={"a": [rows]})
    assert ExplicitChanges(inserted={"a": [rows]})
    assert ExplicitChanges(lost={"a": rows})


def test_parts_are_put_together() -> None:
    small = SmallEngine(PATHS + CHAIN)
    some, other = small.rows((1, 2)), small.rows((2, 3))
    assert concatenated([some]) is some
    assert small.tuples(concatenated([some, other])) == [(1, 2), (2, 3)]


# --- marked steps --------------------------------------------------------------------------------------------------------

RULES = """
path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z).
next(X, Y) :- edge(X, Y). last(X, Y) :- next(X, Y), not edge(Y, _).
"""
NAMES = ("edge", "path", "next", "last")


def test_a_marked_step_counts_its_facts() -> None:
    small = SmallEngine(RULES + CHAIN)
    step = MarkedStep(
        {"edge": small.rows((4, 5))},
        {"edge": Delta(small.rows((4, 5))), "path": Delta(small.rows((4, 5), (3, 5))), "last": Delta(deleted=small.rows((3, 4)))},
    )
    assert step.explicit == 1
    assert step.implicit == 2


def test_a_marked_step_is_undone_without_any_rule() -> None:
    """Insertions go, deletions come back, and virtual relations have their version before."""
    small = SmallEngine(RULES + CHAIN, modules=True)
    before = {name: small.facts(name) for name in NAMES}
    context = small.context()
    small.change("edge", insert=[(4, 5)])
    small.change("next", insert=[(8, 9)])
    given = small.engine.new_explicit_rows()
    Propagation(context, small.engine.runtime).run(small.engine.structure)
    assert small.facts("last") == [(4, 5), (8, 9)]
    assert (1, 5) in small.facts("path")
    step = MarkedStep(given, context.deltas.of)
    undo = UndoLog(small.state)
    step.undo(small.state)
    assert {name: small.facts(name) for name in NAMES} == before
    assert small.tuples(small.state.explicit["next"].rows) == []
    undo.rollback()
    assert small.facts("last") == [(4, 5), (8, 9)]
    assert small.tuples(small.state.explicit["next"].rows) == [(8, 9)]
