"""Rules that come and go on Spark, against the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from tests.differential.rule_histories import RuleHistory, rule_histories
from tests.differential.test_rule_changes import Judge, check_change, check_parts
from tests.local_engine import held
from tests.spark.test_engine import spark_kb

from tidelog import TidelogError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SLOW = settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))


def check_history(history: RuleHistory, spark: SparkSession, placement: str) -> None:
    judge = Judge(history)
    kb = spark_kb(history.text, spark, placement)
    judge.agrees(kb)
    for step in history.steps:
        before, explicit = judge.facts, judge.explicit
        change = kb.update(**judge.asks(step))
        judge.follow(step)
        judge.agrees(kb)
        check_change(change, before, judge.facts)
        check_parts(change, explicit, judge.explicit)
    kb.close()


@pytest.mark.parametrize("placement", ["kernel", "rounds"])
@given(history=rule_histories())
@settings(SLOW)
def test_rules_come_and_go(spark: SparkSession, placement: str, history: RuleHistory) -> None:
    check_history(history, spark, placement)


@pytest.mark.nightly
@pytest.mark.parametrize("placement", ["auto", "kernel", "decomposed", "components", "rounds"])
@given(history=rule_histories(most_steps=6, largest_arity=4))
@settings(SLOW, max_examples=200)
def test_many_rules_come_and_go(spark: SparkSession, placement: str, history: RuleHistory) -> None:
    check_history(history, spark, placement)


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
    assert change.stats.algorithm.startswith("rematerialise: rules have changed")
    assert change.rules is not None
    assert sorted(map(tuple, change.inserted_df("q").collect())) == [(2,)]
    assert list(kb.remove_rules("p(X) :- e(X).").deleted) == ["p", "q"]
    kb.close()
