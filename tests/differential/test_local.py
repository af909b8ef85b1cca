"""The local engine against the reference: whatever the program and whatever happens to its facts, all facts are the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.local_engine import (
    ODD,
    Conditions,
    as_tuples,
    conditions,
    difference,
    held,
    program,
    rows_of,
    under,
    without_empty,
)
from tests.random_graphs import graph_histories
from tests.random_programs import History, RandomProgram, histories, programs

from tidelog import KnowledgeBase, Source
from tidelog.errors import Diagnostics
from tidelog.program.program import GroundFact
from tidelog.reference import Facts, answers, materialise
from tidelog.syntax.parser import parse_query
from tidelog.syntax.tree import atoms
from tidelog.values import from_python


def ground(texts: Iterable[str]) -> list[GroundFact]:
    """Facts from their texts."""
    return list(program("\n".join(f"{text}." for text in texts)).facts)


def check_program(random_program: RandomProgram) -> None:
    expected = materialise(program(random_program.text))
    for modules in (True, False):
        kb = KnowledgeBase(Source(random_program.text), modules=modules)
        assert held(kb) == expected


def check_history(history: History, given_conditions: Conditions) -> None:
    """After every update everything is as if evaluated from scratch, and the change says what is different."""
    checked = program(history.program.text)
    with under(given_conditions):
        options: dict[str, Any] = {"modules": given_conditions.modules, "algorithm": given_conditions.algorithm}
        kb = KnowledgeBase(Source(history.program.text), **options)
        explicit = set(checked.facts)
        expected = materialise(checked, explicit)
        assert without_empty(held(kb)) == without_empty(expected)
        check_queries(history.queries, kb, expected)
        for deleted, inserted in history.updates:
            gone, new = set(ground(deleted)), set(ground(inserted))
            change = kb.update(insert=as_tuples(ground(inserted)), delete=as_tuples(ground(deleted)))
            remaining = explicit - gone
            stats = change.stats
            assert (stats.deleted, stats.inserted) == (len(explicit & gone), len(new - remaining))
            assert stats.without_effect == len(gone - explicit) + len(new & remaining)
            before, explicit = expected, remaining | new
            expected = materialise(checked, explicit)
            assert without_empty(held(kb)) == without_empty(expected)
            assert {name: rows_of(facts) for name, facts in change.inserted.items()} == difference(expected, before)
            assert {name: rows_of(facts) for name, facts in change.deleted.items()} == difference(before, expected)
        check_queries(history.queries, kb, expected)
        assert without_empty(held(kb)) == without_empty(expected)


def check_queries(queries: Iterable[str], kb: KnowledgeBase, expected: Facts) -> None:
    for text in queries:
        body = parse_query(Source(text), Diagnostics(), {})
        if not {atom.predicate for atom, _ in atoms(body)} <= set(kb.relations):
            continue  # of a relation that neither rules nor facts have mentioned so far
        found = kb.query(text)
        bindings = {tuple(sorted(zip(found.columns, map(from_python, row), strict=True))) for row in found}
        assert len(bindings) == len(found)
        assert bindings == {tuple(sorted(binding.items())) for binding in answers(body, expected)}


# --- random programs -----------------------------------------------------------------------------------------------------


@given(programs(largest_arity=8))
@settings(max_examples=300)
def test_random_programs(random_program: RandomProgram) -> None:
    check_program(random_program)


@given(histories(), conditions)
@settings(max_examples=150)
def test_random_updates_and_queries(history: History, given_conditions: Conditions) -> None:
    check_history(history, given_conditions)


@given(histories(largest_arity=6))
@settings(max_examples=60)
def test_random_updates_of_wide_relations(history: History) -> None:
    check_history(history, ODD)


@given(graph_histories(), conditions)
@settings(max_examples=250)
def test_random_graphs(history: History, given_conditions: Conditions) -> None:
    check_history(history, given_conditions)


ALGORITHMS = ("bf", "dred", "auto", "rematerialise")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(history=histories(largest_arity=3) | graph_histories(most_updates=4), given_conditions=conditions)
@settings(max_examples=300)
def test_random_updates_by_algorithm(algorithm: str, history: History, given_conditions: Conditions) -> None:
    check_history(history, replace(given_conditions, algorithm=algorithm))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(history=histories(largest_arity=3) | graph_histories(most_updates=4), modules=st.booleans())
@settings(max_examples=30)
def test_there_and_back_again(algorithm: Any, history: History, modules: bool) -> None:
    """What an update did is undone by the opposite update; and a batch does what its facts do one by one."""
    kb, one_by_one = (KnowledgeBase(Source(history.program.text), algorithm=algorithm, modules=modules) for _ in range(2))
    explicit = set(program(history.program.text).facts)
    for deleted, inserted in history.updates:
        before = held(kb)
        gone = [fact for fact in set(ground(deleted)) if fact in explicit]
        new = [fact for fact in set(ground(inserted)) if fact not in explicit]
        kb.update(insert=as_tuples(new), delete=as_tuples(gone))
        kb.update(insert=as_tuples(gone), delete=as_tuples(new))
        assert without_empty(held(kb)) == without_empty(before)
        kb.update(insert=as_tuples(new), delete=as_tuples(gone))
        for fact in as_tuples(gone):
            one_by_one.update(delete=[fact])
        for fact in as_tuples(new):
            one_by_one.update(insert=[fact])
        assert without_empty(held(kb)) == without_empty(held(one_by_one))
        explicit = (explicit - set(gone)) | set(new)


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(history=histories(largest_arity=4) | graph_histories(most_updates=5), given_conditions=conditions)
@settings(max_examples=2_000)
def test_many_random_updates_by_algorithm(part: int, algorithm: str, history: History, given_conditions: Conditions) -> None:
    check_history(history, replace(given_conditions, algorithm=algorithm))


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(10))
@given(random_program=programs(largest_arity=8))
@settings(max_examples=2_000)
def test_many_random_programs(part: int, random_program: RandomProgram) -> None:
    check_program(random_program)


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(4))
@given(history=histories(largest_arity=5), given_conditions=conditions)
@settings(max_examples=1_000)
def test_many_random_updates_and_queries(part: int, history: History, given_conditions: Conditions) -> None:
    check_history(history, given_conditions)


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(4))
@given(history=graph_histories(most_updates=5), given_conditions=conditions)
@settings(max_examples=1_000)
def test_many_random_graphs(part: int, history: History, given_conditions: Conditions) -> None:
    check_history(history, given_conditions)
