"""Streams on Spark that look ahead: where all is in the kernel, marks are used as in the local engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.differential.checks import explicit_changes
from tests.local_engine import held
from tests.spark.test_engine import spark_kb

from tidelog import KnowledgeBase, Source, TidelogError
from tidelog.streams import Update

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
