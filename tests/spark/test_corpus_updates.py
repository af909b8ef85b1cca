"""The incremental cases and the streams of the corpus as updates on Spark, with rules that come and go."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.corpus import INCREMENTAL, incremental_case, needs_corpus, stream_name
from tests.differential.corpus_streams import found, is_short, marking_streams, revisions, rules_of
from tests.local_engine import program
from tests.spark.on_executors import nothing_in_the_driver
from tests.spark.test_corpus import ON_EXECUTORS
from tests.spark.test_engine import spark_kb

from tidelog.program.sameness import canonical_key

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STREAMS = [path for path in marking_streams() if is_short(path) and path.parts[-4] != "batch"]
"""One of each knowledge base."""
MOST_TRANSACTIONS = 3


def check_transactions(spark: SparkSession, path: Path, placement: str, most: int | None = None) -> None:
    """One knowledge base for a whole case."""
    case = incremental_case(path)
    keys = {at: canonical_key(program(text).rules[0]) for at, text in case.all_rules.items()}  # some stand twice
    rules = case.transactions[0].rules
    kb = spark_kb(case.text(rules), spark, "rounds" if placement == ON_EXECUTORS else placement)
    with nothing_in_the_driver() if placement == ON_EXECUTORS else nullcontext():
        kb.update(insert=case.facts)
        for transaction in islice(case.transactions, most):
            there, coming = ({keys[at]: case.all_rules[at] for at in some} for some in (rules, transaction.rules))
            kb.update(
                insert=transaction.insert,
                delete=transaction.delete,
                remove_rules=[text for key, text in there.items() if key not in coming],
                add_rules=[text for key, text in coming.items() if key not in there],
            )
            rules = transaction.rules
            for relation, rows in transaction.expected.items():
                assert (set(kb.facts(relation)) if relation in kb.relations else set()) == rows, relation
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
    check_transactions(spark, path, "kernel")


@needs_corpus
@pytest.mark.parametrize("path", INCREMENTAL[::30], ids=lambda path: path.stem)
def test_transactions_in_rounds(spark: SparkSession, path: Path) -> None:
    check_transactions(spark, path, "rounds", MOST_TRANSACTIONS)


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
    check_transactions(spark, path, placement)


@needs_corpus
@pytest.mark.nightly
@pytest.mark.parametrize("placement", ["auto", "kernel", "rounds"])
@pytest.mark.parametrize("path", STREAMS, ids=stream_name)
def test_a_whole_stream(spark: SparkSession, path: Path, placement: str) -> None:
    check_stream(spark, path, placement)
