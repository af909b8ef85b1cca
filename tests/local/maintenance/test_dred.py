"""DRed on one unit: over-deletion and rederivation."""

from __future__ import annotations

from tests.local.small_engine import PATHS, SmallEngine

from tidelog.local.maintenance.dred import DRed

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
