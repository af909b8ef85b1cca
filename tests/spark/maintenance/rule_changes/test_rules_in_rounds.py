"""Units in rounds keep their facts when rules come and go, and follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest
from tests.local_engine import held, program, without_empty
from tests.spark.on_executors import no_facts_in_the_driver
from tests.spark.test_engine import spark_kb

from tidelog import TidelogError
from tidelog.reference import materialise

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tidelog.changes import Change
    from tidelog.spark.kb import SparkKnowledgeBase

FACTS = "".join(f"e({at}, {at + 1}). " for at in range(6)) + "x(6, 0). v(3). v(9). far(0, 9)."
RULES = {
    "base": "p(X, Y) :- e(X, Y).",
    "step": "p(X, Z) :- p(X, Y), e(Y, Z).",
    "count": "n(X, N) :- v(X), N = count { p(X, Y) }.",
    "far": "far(X, Y) :- p(X, Y), not e(X, Y).",
}
MORE = {
    "cross": "p(X, Y) :- x(X, Y).",
    "total": "n(X, N) :- v(X), N = sum { Y : far(X, Y) }.",
    "sums": "far(X, Y) :- e(X, Z), Y = X + Z, Y > 8.",
}


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, nobody gives up."""
    monkeypatch.setattr("tidelog.spark.maintenance.in_rounds.frame_maintenance._LEAST_PATIENCE", 1e9)


def named(rules: Mapping[str, str]) -> str:
    return "\n".join(f"{name}: {rule}" for name, rule in rules.items())


def agrees(kb: SparkKnowledgeBase, *rules: str) -> bool:
    there = "\n".join((RULES | MORE)[name] for name in rules)
    return without_empty(held(kb)) == without_empty(materialise(program(there + FACTS)))


def rows(changed: Mapping[str, Any]) -> dict[str, list[tuple[Any, ...]]]:
    return {name: sorted(facts) for name, facts in changed.items()}


def visited(change: Change) -> dict[tuple[str, ...], str]:
    assert change.rules is not None
    return {visit.relations: visit.how for visit in change.rules.visited}


def test_facts_stay_and_follow(spark: SparkSession) -> None:
    kb = spark_kb(named(RULES) + FACTS, spark, "rounds")
    engine = kb._maintained_engine()
    engine.exchange.relations["p"].flush(engine.lineage, engine.spark)
    (whole,) = (segment for segment, _ in engine.exchange.relations["p"].segments)
    for name, rule in MORE.items():
        change = kb.add_rules(f"{name}: {rule}")
        assert "rematerialise" not in change.stats.algorithm
        assert agrees(kb, *RULES, *(other for other in MORE if list(MORE).index(other) <= list(MORE).index(name)))
    assert kb._maintained_engine().exchange.relations["p"].segments[0][0] is whole
    for gone, name in enumerate(MORE, 1):
        change = kb.remove_rules(name)
        assert "rematerialise" not in change.stats.algorithm
        assert agrees(kb, *RULES, *list(MORE)[gone:])
    assert kb._maintained_engine().exchange.relations["p"].segments[0][0] is whole
    kb.close()


@pytest.mark.nightly
def test_facts_that_are_on_executors_follow(spark: SparkSession) -> None:
    with no_facts_in_the_driver():
        kb = spark_kb(named(RULES) + FACTS, spark, "rounds")
        change = kb.add_rules(named(MORE))
        assert "rematerialise" not in change.stats.algorithm
        assert agrees(kb, *RULES, *MORE)
        assert len(change.inserted["p"]) == 7
        assert visited(change) == dict.fromkeys((("p",), ("far",), ("n",)), "re-evaluated")
        change = kb.remove_rules(["cross", "far"])
        assert agrees(kb, "base", "step", "count", "total", "sums")
        assert (len(change.deleted["p"]), change.inserted.get("p")) == (7, None)
        kb.close()


def test_what_rules_bring_and_facts_take_is_no_change(spark: SparkSession) -> None:
    kb = spark_kb(named(RULES) + FACTS, spark, "rounds")
    change = kb.update(add_rules=f"cross: {MORE['cross']}", delete=[("x", 6, 0), ("far", 0, 9)], insert=[("p", 7, 8)])
    assert (rows(change.inserted), rows(change.deleted)) == ({"p": [(7, 8)], "far": [(7, 8)]}, {"x": [(6, 0)], "far": [(0, 9)]})
    assert (rows(change.inserted.explicit), rows(change.inserted.derived)) == ({"p": [(7, 8)]}, {"far": [(7, 8)]})
    assert (list(change.deleted.explicit), list(change.deleted.derived)) == (["far", "x"], [])
    kb.close()


def test_a_rule_that_gave_most_is_not_followed(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.spark.maintenance.in_rounds.deletion.TINY", 0)
    kb = spark_kb(
        "all: q(X) :- v(X). some: q(X) :- e(X, _). n(N) :- N = count { q(X) }. e(1, 2). v(1). v(2). v(3).", spark, "rounds"
    )
    change = kb.remove_rules("all")
    assert change.stats.algorithm.startswith("rematerialise: a removed rule may have derived more than half")
    assert (rows(change.deleted), rows(change.inserted)) == ({"q": [(2,), (3,)], "n": [(3,)]}, {"n": [(1,)]})
    kb.close()


@pytest.mark.parametrize("algorithm", ["auto", "rematerialise"])
def test_who_is_asked_to_start_over_does(spark: SparkSession, algorithm: str) -> None:
    kb = spark_kb(named(RULES) + FACTS, spark, "rounds", algorithm=algorithm)
    change = kb.add_rules(f"cross: {MORE['cross']}")
    assert ("rematerialise" in change.stats.algorithm) == (algorithm == "rematerialise")
    assert agrees(kb, *RULES, "cross")
    kb.close()


def test_who_reads_what_is_derived_anew_sees_how_it_differs(spark: SparkSession) -> None:
    kb = spark_kb(named(RULES) + FACTS, spark, "rounds")
    change = kb.remove_rules("step")  # by which its facts were partitioned
    assert change.stats.algorithm.startswith("rematerialise: rules have changed")
    assert visited(change) == {("p",): "re-evaluated", ("far",): "difference", ("n",): "difference"}
    assert agrees(kb, "base", "count", "far")
    kb.close()


def test_who_fails_halfway_goes_back(spark: SparkSession, tmp_path: Path) -> None:
    """The rule takes facts from `q`, then the update does, and both write what is left anew; then there are too many facts."""
    with no_facts_in_the_driver():
        text = "some: q(X) :- e(X, _). more: q(X) :- v(X)."
        facts = "e(1, 2). e(2, 3). e(3, 4). e(4, 5). v(5). v(6). v(7)."
        options: dict[str, Any] = {"lineage": "reliable", "lineage_folder": tmp_path, "limit_facts": 20}
        kb = spark_kb(text + facts, spark, "rounds", **options)
        before = held(kb)
        with pytest.raises(TidelogError, match="TL070"):
            kb.update(remove_rules="more", delete=[("e", 1, 2), ("e", 2, 3)], insert=[("e", at, 0) for at in range(9, 49)])
        assert held(kb) == before
        assert rows(kb.remove_rules("more").deleted) == {"q": [(5,), (6,), (7,)]}
        kb.close()
