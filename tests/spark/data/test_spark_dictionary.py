"""The dictionary on Spark: a key keeps its number, whoever gave it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tidelog.spark.data import spark_dictionary as terms
from tidelog.spark.data.spark_dictionary import SparkDictionary
from tidelog.spark.session.lineage import Lineage
from tidelog.spark.session.shipping import Shipping

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@pytest.fixture
def dictionary(spark: SparkSession) -> Iterator[SparkDictionary]:
    shipping = Shipping(spark)
    yield SparkDictionary(spark, Lineage(spark, "local"), shipping)
    shipping.close()


def keys(spark: SparkSession, *given: str) -> DataFrame:
    return spark.createDataFrame([(key,) for key in given], "key string")


def numbers(dictionary: SparkDictionary) -> dict[str, int]:
    rows = [(row["key"], row["id"]) for row in dictionary.frame.collect()]
    assert len(dict(rows)) == len(rows) == dictionary.count
    assert sorted(number for _, number in rows) == list(range(len(rows)))
    return dict(rows)


@pytest.mark.parametrize("most", [0, 3, 100])
def test_a_key_keeps_its_number(
    spark: SparkSession, dictionary: SparkDictionary, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(terms, "_MOST_COLLECTED", most)
    first = dict(zip(("sa", "sb"), dictionary.number(["sa", "sb"]), strict=True))
    assert numbers(dictionary) == first
    dictionary.extend(keys(spark, "sb", "sc", "sc"), 3)
    second = numbers(dictionary)
    assert second.keys() == {"sa", "sb", "sc"}
    assert second.items() >= first.items()
    dictionary.extend(keys(spark, "sd", "sa", "sé"), 3)
    third = numbers(dictionary)
    assert third.items() >= second.items()
    assert dictionary.knows_all == (most == 100)
    assert dictionary.number(["sé", "new", "sa", "new"]) == [third["sé"], 5, third["sa"], 5]
    assert dictionary.number(["new"]) == [5]
    assert numbers(dictionary) == {**third, "new": 5}
    dictionary.extend(keys(spark, "new", "sa"), 2)
    assert numbers(dictionary) == {**third, "new": 5}


def test_small_pieces_become_one(spark: SparkSession, dictionary: SparkDictionary) -> None:
    for at in range(30):
        dictionary.number([f"i{at}"])
        assert dictionary.frame.count() == at + 1
        assert len(dictionary.segments) <= terms._MOST_SEGMENTS
    assert numbers(dictionary) == {f"i{at}": at for at in range(30)}
    assert [column.to_pylist() for column in dictionary.decode_rows(np.array([[3, 29]], np.int32))] == [["i3"], ["i29"]]


def test_keys_that_come_one_by_one_do_not_pile_up(
    spark: SparkSession, dictionary: SparkDictionary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the driver does not know all keys, it remembers some, and what it numbers is a segment each time."""
    monkeypatch.setattr(terms, "_MOST_COLLECTED", 3)
    dictionary.extend(keys(spark, "sa", "sb", "sc", "sd"), 4)
    assert not dictionary.knows_all
    for at in range(12):
        assert dictionary.number([f"i{at}", f"i{at}"]) == [4 + at] * 2
        assert len(dictionary.segments) <= terms._MOST_SEGMENTS + 1
        assert len(dictionary._met) <= 5
    assert dictionary.number(["i3", "new"]) == [7, 16]
    assert numbers(dictionary).items() >= {f"i{at}": 4 + at for at in range(12)}.items()
