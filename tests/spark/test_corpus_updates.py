"""The incremental cases and the streams of the corpus as updates on Spark, with rules that come and go."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.corpus import INCREMENTAL, check_transactions, incremental_case, needs_corpus, stream_name
from tests.differential.corpus_streams import found, is_short, marking_streams, revisions, rules_of
from tests.spark.on_executors import nothing_in_the_driver
from tests.spark.test_corpus import ON_EXECUTORS
from tests.spark.test_engine import spark_kb

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STREAMS = [path for path in marking_streams() if is_short(path) and path.parts[-4] != "batch"]
"""One of each knowledge base."""
MOST_TRANSACTIONS = 3


def check_case(spark: SparkSession, path: Path, placement: str, most: int | None = None) -> None:
    """One knowledge base for a whole case, or for its first transactions."""
    case = incremental_case(path)
    kb = spark_kb(case.text(case.transactions[0].rules), spark, "rounds" if placement == ON_EXECUTORS else placement)
    with nothing_in_the_driver() if placement == ON_EXECUTORS else nullcontext():
        check_transactions(kb, case, most)
    kb.close()


def check_stream(spark: SparkSession, path: Path, placement: str, most: int | None = None) -> None:
    """After each update there is what must be."""
    kb, explicit = spark_kb(rules_of(path), spark, placement), 0
    for revision in revisions(path, most):
        change = kb.update(insert=revision.insert, delete=revision.delete)
        explicit += change.stats.inserted - change.stats.deleted
        assert found(kb, explicit, revision) == revision.expected
    kb.close()


@needs_corpus
def test_there_is_a_stream_of_each_knowledge_base() -> None:
    assert {path.parts[-3] for path in STREAMS} == {path.parts[-3] for path in marking_streams()}
    assert len(STREAMS) == 6


@needs_corpus
@pytest.mark.parametrize("path", INCREMENTAL[::8], ids=lambda path: path.stem)
def test_transactions_in_the_kernel(spark: SparkSession, path: Path) -> None:
    check_case(spark, path, "kernel")


@needs_corpus
@pytest.mark.parametrize("path", INCREMENTAL[::30], ids=lambda path: path.stem)
def test_transactions_in_rounds(spark: SparkSession, path: Path) -> None:
    check_case(spark, path, "rounds", MOST_TRANSACTIONS)


@needs_corpus
@pytest.mark.parametrize("path", STREAMS, ids=stream_name)
def test_the_beginning_of_a_stream(spark: SparkSession, path: Path) -> None:
    check_stream(spark, path, "kernel", 5)


# --- in the night --------------------------------------------------------------------------------------------------------


@needs_corpus
@pytest.mark.nightly
@pytest.mark.parametrize("placement", ["auto", "kernel", "rounds", ON_EXECUTORS])
@pytest.mark.parametrize("path", INCREMENTAL, ids=lambda path: path.stem)
def test_all_transactions(spark: SparkSession, path: Path, placement: str) -> None:
    check_case(spark, path, placement)


@needs_corpus
@pytest.mark.nightly
@pytest.mark.parametrize("placement", ["auto", "kernel", "rounds"])
@pytest.mark.parametrize("path", STREAMS, ids=stream_name)
def test_a_whole_stream(spark: SparkSession, path: Path, placement: str) -> None:
    check_stream(spark, path, placement)
