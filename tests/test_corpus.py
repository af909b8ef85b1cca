"""Programs of other engines' test suites: the reference gives exactly the results that those engines give.

Incremental suites are judged from scratch: after every transaction or update, all facts follow from what is explicit then.

The cases are no part of this project; they are read from a folder beside it and skipped where it is missing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.corpus import (
    INCREMENTAL,
    WHOLE,
    digest,
    ground_fact,
    incremental_case,
    needs_corpus,
    program_text,
    read,
    stream_name,
    stream_rules,
    stream_updates,
    streams,
    uses_bit_functions,
)

from tidelog.program.explicit import explicit_facts
from tidelog.program.program import GroundFact, check
from tidelog.reference import materialise
from tidelog.source import Source
from tidelog.syntax.printer import Printer
from tidelog.values import from_python

SLOW = {
    *("souffle_example_amicable", "souffle_example_sequences", "souffle_example_factoring", "souffle_evaluation_magic_factoring"),
    *(f"souffle_example_po{at}" for at in (2, 3, 4, 5)),  # the first one stays
    *("souffle_evaluation_access1", "souffle_evaluation_access3"),  # the second one stays
}
"""Five seconds to half a minute each for the reference; the engines take part in them every day."""


def by_day_or_by_night(paths: list[Path]) -> list[Any]:
    """Cases as parameters; the slow ones are for the night."""
    return [pytest.param(path, marks=pytest.mark.nightly if path.stem.removeprefix("inc_") in SLOW else ()) for path in paths]


@needs_corpus
@pytest.mark.parametrize("path", by_day_or_by_night(WHOLE), ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    case = read(path)
    if uses_bit_functions(case["rules"]):
        pytest.skip("the language has no bit functions")
    program = check(Source(program_text(case), path.name))
    facts = materialise(program)
    for relation, rows in case["expected"].items():
        assert facts.get(relation, set()) == {tuple(map(from_python, row)) for row in rows}, relation
    assert check(Source(Printer().document(program.document))).document == program.document


@needs_corpus
def test_six_cases_are_aside() -> None:
    aside = [path.stem for path in WHOLE if uses_bit_functions(read(path)["rules"])]
    assert len(aside) == 6
    assert len(WHOLE) == 155


# --- transaction by transaction ------------------------------------------------------------------------------------------


@needs_corpus
@pytest.mark.parametrize("path", by_day_or_by_night(INCREMENTAL), ids=lambda path: path.stem)
def test_transactions(path: Path) -> None:
    case = incremental_case(path)
    explicit = set(case.facts)
    for transaction in case.transactions:
        explicit = (explicit - transaction.delete) | transaction.insert
        program = check(Source(case.text(transaction.rules), path.name))
        facts = materialise(program, explicit_facts(program, explicit))
        for relation, rows in transaction.expected.items():
            # As Python compares: these expectations come from several engines and do not always tell 1 from 1.0.
            assert {tuple(value.content for value in row) for row in facts.get(relation, set())} == rows, relation


# --- update by update ----------------------------------------------------------------------------------------------------


@needs_corpus
@pytest.mark.parametrize("path", streams(), ids=stream_name)
def test_stream(path: Path) -> None:
    program = check(Source(stream_rules(path)))
    explicit: set[GroundFact] = set()
    for update, outcome in stream_updates(path):
        explicit -= set(map(ground_fact, update.get("delete", [])))
        explicit |= set(map(ground_fact, update.get("insert", [])))
        facts = materialise(program, explicit)
        found = {"explicit": len(explicit), "facts": sum(map(len, facts.values())), "digest": digest(facts)}
        assert found == outcome
