"""The context of an update: deltas of tables, of relations derived anew, and the number of facts that limits see."""

from __future__ import annotations

from tests.local.small_engine import CHAIN, PATHS, SmallEngine

from tidelog.core.limits import Limits, Watch
from tidelog.core.statistics import Statistics
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.maintenance.update_context import FactCount, UpdateContext, count_visible
from tidelog.local.storage.replacements import Replacement, Version


def delta(small: SmallEngine, context: UpdateContext, name: str) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """What came and what went."""
    found = context.deltas.of[name]
    return small.tuples(found.inserted_rows()), small.tuples(found.deleted_rows())


def test_what_left_and_is_back_is_no_change() -> None:
    small = SmallEngine(PATHS + CHAIN)
    context, edges = small.context(), small.state.tables["edge"]
    begin, deleted = edges.end, small.rows((1, 2), (2, 3))
    edges.remove(deleted)
    edges.insert(small.rows((2, 3), (8, 9)))
    context.record_change("edge", begin, deleted)
    assert delta(small, context, "edge") == ([(8, 9)], [(1, 2)])


def test_what_only_left() -> None:
    small = SmallEngine(PATHS + CHAIN)
    context, edges = small.context(), small.state.tables["edge"]
    edges.remove(small.rows((1, 2)))
    context.record_change("edge", edges.end, small.rows((1, 2)))
    assert delta(small, context, "edge") == ([], [(1, 2)])


def test_a_proposition_leaves_no_tombstone() -> None:
    small = SmallEngine("wet() :- rain(). rain().")
    context, rain = small.context(), small.state.tables["rain"]
    deleted = rain.rows.copy()
    rain.remove(deleted)
    rain.insert(deleted)
    context.record_change("rain", 0, deleted)
    assert "rain" not in context.deltas, "it was deleted and inserted"


def test_a_relation_derived_anew_is_compared_at_once_unless_rules_change() -> None:
    small = SmallEngine(PATHS + CHAIN)
    paths = small.state.tables["path"]
    context, other = small.context(), small.context(changes_rules=True)
    context.undo.truncate(paths)
    paths.insert(small.rows((1, 2), (9, 9)))
    for some in (context, other):
        before = context.undo.version_before(paths)
        some.record_replacement("path", Replacement(before, Version.now(paths)))
        assert delta(small, some, "path") == ([(9, 9)], [(1, 3), (1, 4), (2, 3), (2, 4), (3, 4)])
    assert context.deltas.of["path"].replaced is None
    assert other.deltas.of["path"].replaced is not None


def test_all_rows_are_joined_only_where_rules_change() -> None:
    small = SmallEngine(PATHS + CHAIN)
    assert not small.context().deltas.may_join_all
    assert small.context(changes_rules=True).deltas.may_join_all
    assert not small.context("counting", changes_rules=True).deltas.may_join_all


def test_phases_add_up() -> None:
    context = SmallEngine(PATHS + CHAIN).context()
    with context.phase("deletion"):
        pass
    first = context.seconds["deletion"]
    context.spent("deletion", 0.0)
    assert context.seconds.keys() == {"deletion"}
    assert context.seconds["deletion"] > first > 0


def test_facts_that_limits_see_follow_the_tables_of_a_unit() -> None:
    small = SmallEngine(PATHS + CHAIN)
    paths = small.state.tables["path"]
    own = {"path": paths, "#hidden": small.state.helper("#hidden", 2, small.rows((1, 1)))}
    assert count_visible(own.items()) == 6
    watch = Watch(Limits(facts=100))
    watch.progress.facts = 50
    count = FactCount(Evaluation(small.state, watch, Statistics()), own)
    paths.insert(small.rows((9, 9)))
    count.update()
    assert watch.progress.facts == 51
