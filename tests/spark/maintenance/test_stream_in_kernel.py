"""Streams on Spark that look ahead, against the reference: where all is in the kernel, marks are used as in the local engine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from tests.differential.update_histories import maintained
from tests.local_engine import as_tuples, difference, held, program, without_empty
from tests.random_programs import History
from tests.spark.test_engine import spark_kb
from tests.spark.test_updates import SLOW, changed_rows, check_parts, ground

from tidelog import KnowledgeBase, Source, TidelogError
from tidelog.core.keys import value_of
from tidelog.program.explicit import explicit_facts
from tidelog.reference import materialise
from tidelog.streams import Update

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidelog.program.program import GroundFact


def there_and_back(history: History) -> list[Update]:
    """The updates of a history, each of which takes back, before anything else, some of what the one before has brought."""
    updates: list[Update] = []
    last: tuple[str, ...] = ()
    for at, (deleted, inserted) in enumerate(history.updates):
        gone = (*deleted, *last[::2])
        updates.append(Update(at, delete=tuple(as_tuples(ground(gone))), insert=tuple(as_tuples(ground(inserted)))))
        last = inserted
    return [*updates, Update("end", delete=tuple(as_tuples(ground(last))))]


def explicit_changes(change: Any) -> dict[bool, set[GroundFact]]:
    found: dict[bool, set[GroundFact]] = {False: set(), True: set()}
    for inserted, kept in change.explicit():
        columns = [column.to_pylist() for column in kept.keys.columns[: kept.arity]]
        rows = zip(*columns, strict=True) if columns else [()] * kept.rows
        found[inserted] |= {(kept.relation, tuple(map(value_of, row))) for row in rows}
    return found


def check_stream(history: History, spark: SparkSession, *, marking: Any) -> None:
    """After every update everything is as if evaluated from scratch, and the change says what is different."""
    checked = program(history.program.text)
    kb = spark_kb(history.program.text, spark, "kernel", marking=marking)
    explicit = {(name, tuple(values)) for name, values in checked.facts}
    expected = materialise(checked, explicit)
    updates = there_and_back(history)
    for update, change in zip(updates, kb.follow(updates), strict=True):
        gone, new = _grounded(update.delete), _grounded(update.insert)
        before, explicit_before = expected, explicit
        explicit = (explicit - gone) | new
        expected = materialise(checked, explicit)
        assert without_empty(held(kb)) == without_empty(expected)
        assert changed_rows(change.inserted) == difference(expected, before)
        assert changed_rows(change.deleted) == difference(before, expected)
        assert explicit_changes(change) == {False: explicit_before - explicit, True: explicit - explicit_before}
        check_parts(change, explicit - explicit_before, explicit_before - explicit)
    kb.close()


def _grounded(facts: Iterable[tuple[Any, ...]]) -> set[GroundFact]:
    return {(name, tuple(values)) for name, values in explicit_facts(program(""), facts)}


@pytest.mark.parametrize("marking", ["auto", True])
@given(history=maintained())
@settings(SLOW, max_examples=15)
def test_random_streams(spark: SparkSession, marking: Any, history: History) -> None:
    check_stream(history, spark, marking=marking)


@pytest.mark.nightly
@pytest.mark.parametrize("marking", ["auto", True])
@given(history=maintained(largest_arity=4))
@settings(SLOW, max_examples=200)
def test_many_random_streams(spark: SparkSession, marking: Any, history: History) -> None:
    check_stream(history, spark, marking=marking)


@pytest.mark.parametrize("marking", [True, False])
def test_what_an_update_takes_away_and_gives_again_is_no_change(spark: SparkSession, marking: bool) -> None:
    """Neither for facts of a relation with rules, nor for others, whichever way the update is worked off."""
    kb = spark_kb("p(X) :- e(X). e(a). p(b). there :- p(c), not e(c). there.", spark, "kernel", marking=marking)
    both = (("p", "b"), ("e", "a"), ("there",))
    (change,) = kb.follow([Update(1, delete=(*both, ("p", "x")), insert=(*both, ("p", "d")))])
    assert {inserted: {row[0] for row in rows} for inserted, rows in explicit_changes(change).items()} == {
        False: set(),
        True: {"p"},
    }
    assert sorted(kb["p"]) == [("a",), ("b",), ("d",)]


CHAIN = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z). far(X) :- path(X, Y), not edge(X, Y)."


def test_the_same_marks_as_elsewhere(spark: SparkSession) -> None:
    """Facts of relations that nobody knew, rules and refusals among them; what is refused changes nothing."""
    updates = [
        Update(1, insert=(("edge", "a", "b"), ("edge", "b", "c"), ("seen", 1))),
        Update(2, delete=(("edge", "b", "c"), ("unheard_of", 1)), insert=(("edge", "c", "d"),)),
        Update(3, delete=(("edge", "c", "d"),), add_rules=("back(X, Y) :- path(Y, X).",)),
        Update(4, insert=(("edge", "b", "d"),)),
        Update(5, delete=(("edge", "b", "d"),)),
    ]
    options: dict[str, Any] = {"marking": True, "algorithm": "bf", "modules": False}
    here, there = KnowledgeBase(Source(CHAIN), **options), spark_kb(CHAIN, spark, "kernel", **options)
    for one, other in zip(here.follow(updates), there.follow(updates), strict=True):
        assert one.stats.counters == other.stats.counters
        assert one.stats.without_effect == other.stats.without_effect
        assert {name: set(rows) for name, rows in one.deleted.items()} == {
            name: set(rows) for name, rows in other.deleted.items()
        }
    assert held(here) == held(there)
    before = held(there)
    with pytest.raises(TidelogError, match="TL020"):
        list(there.follow([Update(6, insert=(("seen", 1, 2),))]))
    assert held(there) == before
    there.close()
