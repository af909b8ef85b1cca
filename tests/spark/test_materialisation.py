"""The engine of a knowledge base: an update that fails puts schema and engine version back, and snapshots restore facts.

This covers `data.explicit_snapshot`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

import pyarrow as pa
import pytest

from tidelog.errors import TidelogError
from tidelog.spark.engine import SparkEngine
from tidelog.spark.kb import SparkKnowledgeBase
from tidelog.spark.maintenance.update import SparkUpdate

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RULES = "p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z). e(1, 2)."


def test_a_failed_update_leaves_nothing_behind(spark: SparkSession) -> None:
    for placement in ("kernel", "rounds"):
        kb = SparkKnowledgeBase(RULES, spark=spark, placement=placement)
        assert sorted(kb["p"]) == [(1, 2)]
        schema, version = kb._schema, kb._version
        with patch.object(SparkUpdate, "_maintain", side_effect=RuntimeError("the end")), pytest.raises(RuntimeError):
            kb.update(insert=[("e", 2, 3), ("new", 1)])
        with pytest.raises(TidelogError):
            kb.add_rules("q(X) :- not q(X).")
        assert (kb._schema.relations(), kb._version) == (schema.relations(), version)
        assert (sorted(kb["p"]), sorted(kb["e"])) == ([(1, 2)], [(1, 2)])
        kb.update(insert=[("e", 2, 3)])
        assert sorted(kb["p"]) == [(1, 2), (1, 3), (2, 3)]
        kb.close()


def test_an_interrupted_evaluation_starts_with_a_new_engine(spark: SparkSession) -> None:
    kb = SparkKnowledgeBase(RULES, spark=spark)
    kb.load("e", pa.table({"a": [2], "b": [3]}))
    first = kb._started_engine
    with patch.object(SparkEngine, "_evaluate", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        kb.count("p")
    assert kb._version.has_begun
    assert sorted(kb["p"]) == [(1, 2), (1, 3), (2, 3)]
    assert kb._started_engine is not first
    assert kb._version.inputs == (), "the engine has them"
    kb.close()


def test_facts_that_were_loaded_later_wait_if_their_update_fails(spark: SparkSession) -> None:
    kb = SparkKnowledgeBase(RULES, spark=spark, placement="rounds")
    assert kb.count("p") == 1
    kb.load("e", pa.table({"a": [2], "b": [3]}))
    with patch.object(SparkUpdate, "_maintain", side_effect=RuntimeError("the end")), pytest.raises(RuntimeError):
        kb.count("p")
    assert kb._started_engine.exchange.relations["e"].count == 1, "rolled back"
    assert sorted(kb["p"]) == [(1, 2), (1, 3), (2, 3)]
    kb.close()


def test_snapshots_restore_explicit_facts_only(spark: SparkSession) -> None:
    kb = SparkKnowledgeBase(RULES, spark=spark)
    kb.update(insert=[("e", 2, 3), ("more", "x")], delete=[("e", 1, 2)])
    kept = list(kb.explicit_facts())
    assert {(facts.relation, facts.arity, facts.rows) for facts in kept} == {("e", 2, 1), ("more", 1, 1)}
    other = SparkKnowledgeBase(RULES, spark=spark)
    other.restore(kept)
    assert sorted(other["p"]) == [(2, 3)], "the fact of the program's text had been deleted"
    assert sorted(other["more"]) == [("x",)]
    for one in (kb, other):
        one.close()
