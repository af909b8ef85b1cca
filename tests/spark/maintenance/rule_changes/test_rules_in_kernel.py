"""Changes of rules, by example: in the kernel, out of it when it is too small, and refused; tests/differential has random ones.

This covers `comparison` as well: what an engine with other rules derives is compared with the reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.local_engine import held
from tests.spark.test_engine import spark_kb

from tidelog import TidelogError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize("placement", ["kernel", "rounds"])
def test_what_is_refused_changes_nothing(spark: SparkSession, placement: str) -> None:
    kb = spark_kb("p(X) :- e(X). e(1). e(2).", spark, placement, limit_facts=20)
    before = held(kb)
    for rules, code in (("n(X + 1) :- n(X). n(0).", "TL070"), ("q(X) :- not p(X).", "TL0"), ("q(X) :- e(X, Y).", "TL020")):
        with pytest.raises(TidelogError, match=code):
            kb.add_rules(rules)
        assert held(kb) == before
    change = kb.update(add_rules="q(X) :- p(X), X > 1.", delete=[("e", 1)])
    assert (list(kb["q"]), list(change.inserted), list(change.deleted)) == ([(2,)], ["q"], ["e", "p"])
    assert change.stats.algorithm.startswith("rematerialise: rules have changed") == (placement == "rounds")
    assert change.rules is not None
    assert sorted(map(tuple, change.inserted_df("q").collect())) == [(2,)]
    assert list(kb.remove_rules("p(X) :- e(X).").deleted) == ["p", "q"]
    kb.close()


def test_what_rules_do_not_reach_stays(spark: SparkSession) -> None:
    text = "p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z). n(X, N) :- p(X, _), N = count { p(X, Y) }. b(X) :- e(X, X)."
    kb = spark_kb(text + "e(1, 2). e(2, 3).", spark, "rounds")
    assert kb.count("p") == 3
    engine = kb._started_engine
    engine.exchange.relations["p"].flush(engine.lineage, engine.spark)
    segments = [segment for segment, _ in engine.exchange.relations["p"].segments]
    assert segments
    change = kb.update(add_rules="q(X) :- n(X, 1), f(X). f(2).", remove_rules="b(X) :- e(X, X).", insert=[("f", 1)])
    assert [segment for segment, _ in kb._started_engine.exchange.relations["p"].segments] == segments
    assert {name: sorted(rows) for name, rows in change.inserted.items()} == {"f": [(1,), (2,)], "q": [(2,)]}
    assert change.rules is not None
    assert [visit.relations for visit in change.rules.visited] == [("q",)]
    change = kb.update(delete=[("e", 2, 3)])
    assert {name: sorted(rows) for name, rows in change.deleted.items()} == {
        "e": [(2, 3)],
        "n": [(1, 2), (2, 1)],
        "p": [(1, 3), (2, 3)],
        "q": [(2,)],
    }
    kb.close()


def test_rules_outgrow_the_kernel(spark: SparkSession) -> None:
    kb = spark_kb("".join(f"d({i})." for i in range(20)) + "s(X) :- d(X).", spark, "auto", memory_budget=64 * 100)
    assert [str(placed.where) for placed in kb.placements] == ["kernel"]
    change = kb.add_rules("t(X, Y) :- d(X), d(Y).")
    assert len(change.inserted["t"]) == kb.count("t") == 400
    assert {placed.relations: str(placed.where) for placed in kb.placements} == {("s",): "kernel", ("t",): "rounds"}
    assert list(kb.remove_rules("t(X, Y) :- d(X), d(Y).").deleted) == ["t"]
    assert list(kb.remove_rules("s(X) :- d(X).").deleted) == ["s"]
    kb.close()


@pytest.mark.parametrize("given", ["", "r(1, 1)."])
def test_a_transitive_relation_without_a_first_rule_is_taken_over(spark: SparkSession, given: str) -> None:
    kb = spark_kb(f"r(X, Z) :- r(X, Y), t(Y, Z). t(X, Y) :- e(X, Y). e(1, 2). e(2, 3). {given}", spark, "decomposed")
    expected = {(1, 1), (1, 2), (1, 3)} if given else set()
    assert set(kb["r"]) == expected
    kb.add_rules("s(X) :- e(X, _).")
    kb.update(insert=[("e", 3, 4)])
    assert set(kb["r"]) == (expected | {(1, 4)} if given else set())
    kb.close()


def test_what_stays_in_rounds_goes_on_reading_from_the_kernel(spark: SparkSession) -> None:
    text = "k(X) :- small(X). p(X, Y) :- big(X, Y), k(X). small(1). small(2)." + "".join(f"big({i % 3}, {i})." for i in range(60))
    kb = spark_kb(text, spark, "auto", memory_budget=64 * 25)
    assert {placed.relations: str(placed.where) for placed in kb.placements} == {("k",): "kernel", ("p",): "rounds"}
    kb.add_rules("z(X) :- other(X).")
    assert list(kb.update(insert=[("big", 1, 1000)]).inserted["p"]) == [(1, 1000)]
    assert len(kb.update(insert=[("small", 0)]).inserted["p"]) == 20
    assert len(kb.update(delete=[("small", 1)]).deleted["p"]) == 21
    kb.close()


def test_a_relation_that_is_transitive_again_has_nothing_that_had_gone(spark: SparkSession) -> None:
    closing = "r(X, Z) :- r(X, Y), r(Y, Z)."
    kb = spark_kb("r(1, 1).", spark, "auto")
    kb.add_rules(closing)
    kb.update(remove_rules=closing, delete=[("r", 1, 1)])
    kb.add_rules(closing)
    assert kb.count("r") == 0
    kb.close()
