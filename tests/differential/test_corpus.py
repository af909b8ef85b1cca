"""Other engines' test suites, at every place: exactly the results that those engines give, from scratch and by transactions."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from tests.corpus import (
    INCREMENTAL,
    WHOLE,
    IncrementalCase,
    check_transactions,
    incremental_case,
    needs_corpus,
    neutral,
    program_text,
    read,
    uses_bit_functions,
)
from tests.differential.examples import at_cases
from tests.differential.places import LOCAL, PLACEMENTS, OpenPlace
from tests.local_engine import rows_of

from tidelog import KnowledgeBase, Source
from tidelog.values import from_python

MOST_FACTS, MOST_ROUNDS = 20_000, 50
OTHERS = [path for path in INCREMENTAL if path.parent.parent.name != "derived_incremental"]
"""Incremental cases that are not made from those of one evaluation."""
SPARK_PLACES = (*(f"spark-{placement}" for placement in PLACEMENTS), "spark-on-executors")


@cache
def too_much_for_rounds(text: str) -> str:
    """Why a small machine would take hours for the rounds of a program; empty if it would not."""
    kb = KnowledgeBase(Source(text), modules=False)
    facts = len(kb.facts())
    rounds = max((done.number for done in kb.statistics.rounds), default=0)
    if facts <= MOST_FACTS and rounds <= MOST_ROUNDS:
        return ""
    return f"{facts:,} facts in {rounds:,} rounds are too much for rounds on a small machine"


def skip_what_takes_hours(text: str, place: OpenPlace) -> None:
    is_small = place.place.engine == "local" or place.place.options["placement"] in ("auto", "kernel")
    if not is_small and (reason := too_much_for_rounds(text)):
        pytest.skip(reason)


# --- from scratch --------------------------------------------------------------------------------------------------------


def check_case(path: Path, place: OpenPlace) -> None:
    case = read(path)
    if uses_bit_functions(case["rules"]):
        pytest.skip("the language has no bit functions")
    text = program_text(case)
    skip_what_takes_hours(text, place)
    with place.knowledge_base(text) as kb:
        for relation, rows in case["expected"].items():
            found = rows_of(kb.facts(relation)) if relation in kb.relations else set()
            assert found == {tuple(map(from_python, row)) for row in rows}, relation


def named(*names: str) -> list[Path]:
    """The files of some cases."""
    return [path for path in WHOLE if path.stem in names]


EVERY_DAY = {
    "local-auto-modules": WHOLE,
    "local-auto-rules": WHOLE,
    "spark-kernel": named(  # negation, recursion through several relations, aggregates, functions, relations without arguments
        "souffle_evaluation_neg5",
        "souffle_evaluation_mrtc",
        "souffle_evaluation_aggregates7",
        "souffle_example_ackermann",
        "souffle_example_circuit_eval",
        "souffle_example_minpath1",
        "souffle_semantic_rel_nullary",
        "souffle_semantic_string_substr1",
        "nemo_aggregate_distinct",
    ),
    "spark-rounds": named("souffle_evaluation_neg5", "souffle_example_shortest_path"),
    "spark-on-executors": named("souffle_evaluation_mrtc"),
    "spark-decomposed": named("souffle_example_graph"),
}


@needs_corpus
@at_cases("cases", EVERY_DAY)
def test_case(path: Path, place: OpenPlace) -> None:
    check_case(path, place)


@needs_corpus
@at_cases("cases", dict.fromkeys(SPARK_PLACES, WHOLE), nightly=True)
def test_all_cases_on_spark(path: Path, place: OpenPlace) -> None:
    check_case(path, place)


# --- by transactions -----------------------------------------------------------------------------------------------------


def check_incremental(path: Path, place: OpenPlace, most: int | None = None) -> None:
    """One knowledge base for a whole case, or for its first transactions."""
    case = incremental_case(path)
    with place.knowledge_base(case.text(case.transactions[0].rules)) as kb:
        check_transactions(kb, case, most)


@needs_corpus
@at_cases("transactions", {**{place.name: INCREMENTAL for place in LOCAL if place.modules}, "spark-kernel": INCREMENTAL[::8]})
def test_transactions(path: Path, place: OpenPlace) -> None:
    check_incremental(path, place)


@needs_corpus
@at_cases("transactions", {"spark-rounds": INCREMENTAL[::30]})
def test_first_transactions(path: Path, place: OpenPlace) -> None:
    check_incremental(path, place, 3)


@needs_corpus
@at_cases(
    "transactions",
    {
        **{place.name: INCREMENTAL for place in LOCAL if not place.modules},
        **dict.fromkeys(("spark-auto", "spark-kernel", "spark-rounds", "spark-on-executors"), INCREMENTAL),
    },
    nightly=True,
)
def test_all_transactions(path: Path, place: OpenPlace) -> None:
    check_incremental(path, place)


@needs_corpus
@at_cases("last transactions", dict.fromkeys(SPARK_PLACES, OTHERS), nightly=True)
def test_what_an_incremental_case_comes_to(path: Path, place: OpenPlace) -> None:
    """From scratch: the rules and facts that are there after the last transaction."""
    case = incremental_case(path)
    text, last = text_in_the_end(case), case.transactions[-1]
    skip_what_takes_hours(text, place)
    with place.knowledge_base(text) as kb:
        for relation, rows in last.expected.items():
            # As Python compares: these expectations come from several engines and do not always tell 1 from 1.0.
            assert (set(kb.facts(relation)) if relation in kb.relations else set()) == rows, relation


def text_in_the_end(case: IncrementalCase) -> str:
    """The rules and facts that are there after the last transaction."""
    constant, explicit = neutral().constant, set(case.facts)
    for transaction in case.transactions:
        explicit = (explicit - transaction.delete) | transaction.insert
    facts = [f"{name}({', '.join(map(constant, row))})." for name, *row in sorted(explicit, key=repr)]
    return "\n".join([case.text(case.transactions[-1].rules), *facts])


@needs_corpus
def test_transactions_change_rules_and_leave_them_alone() -> None:
    assert len(INCREMENTAL) == 88
    rules = [[transaction.rules for transaction in incremental_case(path).transactions] for path in INCREMENTAL]
    assert sum(now == before for steps in rules for before, now in pairwise(steps)) == 175
    assert sum(now != before for steps in rules for before, now in pairwise(steps)) == 156
