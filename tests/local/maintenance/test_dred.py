"""DRed on one unit: over-deletion and rederivation."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from tests.local.small_engine import PATHS, SmallEngine

from tidelog.core.limits import TooExpensiveError
from tidelog.local.maintenance import dred
from tidelog.local.maintenance.dred import DRed, ModularDRed

DIAMOND = "edge(1, 2). edge(2, 4). edge(1, 3). edge(3, 4). edge(4, 5)."


def deleting(small: SmallEngine, *edges: tuple[int, int]) -> DRed:
    """DRed for `path` after edges have been deleted."""
    context = small.context("dred")
    table = small.state.tables["edge"]
    table.remove(small.rows(*edges))
    context.deltas.changed("edge", small.rows(arity=2), small.rows(*edges))
    context.evaluation.enter(small.number("path"), small.runtime("path").plans)
    return DRed(small.runtime("path"), context.deltas, context.evaluation, context.undo)


def test_what_has_another_derivation_is_deleted_and_rederived() -> None:
    small = SmallEngine(PATHS + DIAMOND)
    dred = deleting(small, (2, 4))
    deleted = dred.delete({})
    assert small.tuples(deleted["path"].rows) == [(1, 4), (1, 5), (2, 4), (2, 5)]
    assert dred.counters.overdeleted == 4
    assert not {(2, 4), (2, 5)} & set(small.facts("path"))
    assert (1, 4) in small.facts("path"), "by way of 3; what follows from that may be for the caller to derive"


def test_explicit_facts_come_back() -> None:
    small = SmallEngine(PATHS + DIAMOND + "path(2, 4).")
    deleting(small, (2, 4)).delete({})
    assert (2, 4) in small.facts("path")


def test_facts_that_are_explicit_no_more_are_suspects() -> None:
    small = SmallEngine(PATHS + DIAMOND + "path(1, 2). path(8, 9).")
    dred = deleting(small)
    seeds = small.rows((1, 2), (8, 9), (7, 7))
    for rows in (seeds[:1], seeds[1:2]):
        small.state.explicit["path"].remove(rows)
    deleted = dred.delete({"path": seeds})
    assert dred.first_suspects == 2, "(7, 7) is no fact"
    assert small.tuples(deleted["path"].rows) == [(1, 2), (1, 4), (1, 5), (8, 9)]
    assert {(1, 2), (1, 4)} <= set(small.facts("path")), "both are derived by rules, too"
    assert (8, 9) not in small.facts("path")
    assert dred.counters.affected == 2


def test_nothing_is_deleted_without_a_suspect() -> None:
    small = SmallEngine(PATHS + DIAMOND)
    before = small.facts("path")
    assert deleting(small).delete({}) == {}
    assert small.facts("path") == before


# --- beside closed relations ---------------------------------------------------------------------------------------------

MODULAR = (
    "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z). "
    "same(X, Y) :- path(X, Y), path(Y, X). path(X, Y) :- same(X, Z), jump(Z, Y). "
)
CYCLE = "edge(1, 2). edge(2, 3). edge(3, 1). edge(3, 4). jump(2, 9)."


def modular(small: SmallEngine, *edges: tuple[int, int]) -> ModularDRed:
    """DRed for the unit of `path` after edges have been deleted."""
    context = small.context("dred")
    small.state.tables["edge"].remove(small.rows(*edges))
    context.deltas.changed("edge", small.rows(arity=2), small.rows(*edges))
    runtime = small.runtime("path")
    context.evaluation.enter(small.number("path"), runtime.plans)
    return ModularDRed(runtime, context.deltas, context.evaluation, context.undo, (), ["path"])


def test_pairs_go_with_external_facts_and_what_follows_from_them() -> None:
    small = SmallEngine(MODULAR + CYCLE, modules=True)
    assert {(1, 9), (2, 9), (3, 9)} <= set(small.facts("path"))
    deleted = modular(small, (3, 1)).delete({})
    assert set(deleted) == {"#given path", "same"}
    assert small.facts("same") == []
    assert small.facts("path") == [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]


def test_what_is_explicit_or_has_another_rule_stands() -> None:
    small = SmallEngine(MODULAR + CYCLE + "path(3, 1). path(X, Y) :- other(X, Y). other(1, 2).", modules=True)
    before = small.facts("path")
    deletion = modular(small, (3, 1), (1, 2))
    assert deletion.delete({}) == {}
    assert deletion.counters.overdeleted == 0
    assert small.facts("path") == before


def test_facts_that_support_each_other_through_a_closure_go() -> None:
    """Each of the two would follow from the other."""
    rules = MODULAR + "edge(1, 2). edge(2, 1). path(X, Y) :- same(Y, X), node(X)."
    small = SmallEngine(rules + "node(1). node(2).", modules=True)
    modular(small, (1, 2)).delete({})
    assert small.facts("path") == [(2, 1)]


def test_too_many_pairs() -> None:
    small = SmallEngine(MODULAR + CYCLE, modules=True)
    with patch.object(dred, "_PAIRS", 3), patch.object(dred, "_PAIRS_A_ROW", 0), pytest.raises(TooExpensiveError, match="`path`"):
        modular(small, (3, 1)).delete({})
