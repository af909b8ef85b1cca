"""The Spark engine gives exactly the results of other engines' test suites, wherever it evaluates."""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.corpus import INCREMENTAL, WHOLE, incremental_case, needs_corpus, neutral, program_text, read, uses_bit_functions
from tests.local_engine import rows_of
from tests.spark.on_executors import nothing_in_the_driver

from tidelog import KnowledgeBase, Source
from tidelog.spark.evaluation.placement import Where
from tidelog.values import from_python

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ON_EXECUTORS = "rounds on executors"
"""Rounds in which nothing is so few that the driver would do it by itself."""
PLACEMENTS = ("auto", *(where.value for where in Where), ON_EXECUTORS)
MOST_FACTS, MOST_ROUNDS = 20_000, 50
OTHERS = [path for path in INCREMENTAL if path.parent.parent.name != "derived_incremental"]
"""Incremental cases that are not made from those of one evaluation."""


@cache
def too_much_for_rounds(text: str) -> str:
    """Why a small machine would take hours for the rounds of a program; empty if it would not."""
    kb = KnowledgeBase(Source(text), modules=False)
    facts = len(kb.facts())
    rounds = max((done.number for done in kb.statistics.rounds), default=0)
    if facts <= MOST_FACTS and rounds <= MOST_ROUNDS:
        return ""
    return f"{facts:,} facts in {rounds:,} rounds are too much for rounds on a small machine"


def evaluated(spark: SparkSession, text: str, placement: str) -> KnowledgeBase:
    """A knowledge base that has derived everything in one place."""
    if placement not in ("auto", Where.KERNEL) and (reason := too_much_for_rounds(text)):
        pytest.skip(reason)
    forced = "rounds" if placement == ON_EXECUTORS else placement
    kb = KnowledgeBase(Source(text, "case.dl"), engine="spark", spark=spark, placement=forced)
    with nothing_in_the_driver() if placement == ON_EXECUTORS else nullcontext():
        for relation in kb.relations:
            kb.count(relation)
    return kb


def check_case(spark: SparkSession, path: Path, placement: str) -> None:
    case = read(path)
    if uses_bit_functions(case["rules"]):
        pytest.skip("the language has no bit functions")
    kb = evaluated(spark, program_text(case), placement)
    for relation, rows in case["expected"].items():
        found = rows_of(kb.facts(relation)) if relation in kb.relations else set()
        assert found == {tuple(map(from_python, row)) for row in rows}, relation


def named(name: str) -> Path:
    """The file of a case."""
    (path,) = [path for path in WHOLE if path.stem == name]
    return path


# --- always --------------------------------------------------------------------------------------------------------------


@needs_corpus
@pytest.mark.parametrize(
    "name",
    [
        "souffle_evaluation_neg5",
        "souffle_evaluation_mrtc",
        "souffle_evaluation_aggregates7",
        "souffle_example_ackermann",
        "souffle_example_circuit_eval",
        "souffle_example_minpath1",
        "souffle_semantic_rel_nullary",
        "souffle_semantic_string_substr1",
        "nemo_aggregate_distinct",
    ],
)
def test_in_the_kernel(spark: SparkSession, name: str) -> None:
    """Negation, recursion through several relations, aggregates, functions, relations without arguments."""
    check_case(spark, named(name), "kernel")


@needs_corpus
@pytest.mark.parametrize(
    ("name", "placement"),
    [
        ("souffle_evaluation_neg5", "rounds"),
        ("souffle_evaluation_mrtc", ON_EXECUTORS),
        ("souffle_example_shortest_path", "rounds"),
        ("souffle_example_degree", ON_EXECUTORS),
        ("souffle_example_graph", "decomposed"),
    ],
)
def test_in_rounds(spark: SparkSession, name: str, placement: str) -> None:
    check_case(spark, named(name), placement)


# --- in the night --------------------------------------------------------------------------------------------------------


@needs_corpus
@pytest.mark.nightly
@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
@pytest.mark.parametrize("placement", PLACEMENTS)
def test_case(spark: SparkSession, placement: str, path: Path) -> None:
    check_case(spark, path, placement)


@needs_corpus
@pytest.mark.nightly
@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.stem)
@pytest.mark.parametrize("placement", PLACEMENTS)
def test_what_an_incremental_case_comes_to(spark: SparkSession, placement: str, path: Path) -> None:
    """From scratch: the rules and facts that are there after the last transaction."""
    case, constant = incremental_case(path), neutral().constant
    explicit = set(case.facts)
    for transaction in case.transactions:
        explicit = (explicit - transaction.delete) | transaction.insert
    last = case.transactions[-1]
    facts = [f"{name}({', '.join(map(constant, row))})." for name, *row in sorted(explicit, key=repr)]
    kb = evaluated(spark, "\n".join([case.text(last.rules), *facts]), placement)
    for relation, rows in last.expected.items():
        # As Python compares: these expectations come from several engines and do not always tell 1 from 1.0.
        assert (set(kb.facts(relation)) if relation in kb.relations else set()) == rows, relation
