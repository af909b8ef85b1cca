"""A marked step is undone without any rule."""

from __future__ import annotations

from tests.local.small_engine import CHAIN, SmallEngine

from tidelog.local.maintenance.delta.deltas import Delta
from tidelog.local.maintenance.delta.marked_step import MarkedStep
from tidelog.local.maintenance.propagation import Propagation
from tidelog.local.storage.undo_log import UndoLog

RULES = """
path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z).
next(X, Y) :- edge(X, Y). last(X, Y) :- next(X, Y), not edge(Y, _).
"""
NAMES = ("edge", "path", "next", "last")


def test_counts() -> None:
    small = SmallEngine(RULES + CHAIN)
    step = MarkedStep(
        {"edge": small.rows((4, 5))},
        {"edge": Delta(small.rows((4, 5))), "path": Delta(small.rows((4, 5), (3, 5))), "last": Delta(deleted=small.rows((3, 4)))},
    )
    assert step.explicit == 1
    assert step.implicit == 2


def test_everything_is_what_it_was_before_the_step() -> None:
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
