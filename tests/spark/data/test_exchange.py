"""Relations between Spark and the kernel: the same facts at both places, whoever had them first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.local_engine import collecting

from tidelog import KnowledgeBase
from tidelog.local.engine import LocalEngine
from tidelog.program.program import check
from tidelog.source import Source
from tidelog.spark.data.exchange import Exchange
from tidelog.spark.kb import SparkKnowledgeBase
from tidelog.spark.session.lineage import Lineage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KEYS = pa.table({"k0": ["sa", "sb", "sa"], "k1": ["i1", "f4607182418800017408", "i1"]})
FACTS = [("a", 1), ("b", 1.0)]


@pytest.fixture
def exchange(spark: SparkSession) -> Iterator[Exchange]:
    with closing(Lineage(spark)) as lineage:
        found = Exchange(spark, lineage, LocalEngine(check(Source("p(X, Y) :- e(X, Y)."))))
        yield found
        found.shipping.close()


def in_kernel(exchange: Exchange, name: str) -> list[tuple[object, ...]]:
    rows, terms = exchange.local.rows(name), exchange.local.dictionary
    columns = [[value.content for value in terms.values_of(rows[:, at].copy())] for at in range(rows.shape[1])]
    return sorted(zip(*columns, strict=True), key=str)


def test_keys_go_to_the_kernel_and_from_there_to_spark(exchange: Exchange) -> None:
    exchange.add("e", KEYS, 3)
    assert exchange.size("e") == 3, "repeated facts count until they are stored"
    exchange.to_kernel("e", 2)
    assert in_kernel(exchange, "e") == FACTS
    relation = exchange.to_spark("e", 2)
    assert relation.count == exchange.size("e") == 2
    exchange.local.load("q", 2, exchange.rows_from_numbers(relation, 2))
    assert in_kernel(exchange, "q") == FACTS


@pytest.mark.parametrize("is_frame", [True, False])
def test_keys_go_to_spark_and_from_there_to_the_kernel(spark: SparkSession, exchange: Exchange, is_frame: bool) -> None:
    exchange.add("e", spark.createDataFrame(KEYS) if is_frame else KEYS, 3)
    assert exchange.to_spark("e", 2).count == 2
    exchange.to_kernel("e", 2)
    assert in_kernel(exchange, "e") == FACTS
    assert exchange.numbered("e", [(KEYS, 3)], 2).count == 2


def test_a_relation_without_arguments(exchange: Exchange) -> None:
    exchange.add("ready", pa.table({"k0": ["i0", "i0"]}), 2)
    assert exchange.to_spark("ready", 0).count == 1
    exchange.to_kernel("ready", 0)
    assert exchange.local.size("ready") == 1


def test_ids_of_the_kernel_stay_while_spark_maps_them(spark: SparkSession) -> None:
    """The kernel of the driver collects no terms: the exchange has numbers of Spark for its ids."""
    kb = KnowledgeBase("p(X, Y) :- e(X, Y).", engine="spark", spark=spark, placement="kernel")
    assert isinstance(kb, SparkKnowledgeBase)
    with closing(kb), collecting():
        kb.update(insert=[("e", "a", 0)])
        terms = kb._started_engine.local.dictionary
        for n in range(3):
            kb.update(delete=[("e", "a", n)], insert=[("e", "a", n + 1)])
        assert kb._started_engine.local.dictionary is terms
        assert list(kb["p"]) == [("a", 3)]
