"""The local engine against the reference: whatever the program and whatever happens to its facts, all facts are the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.differential.update_histories import ALONE, maintained, reordered, skip_unless_there
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


def changed_rows(found: Mapping[str, Iterable[tuple[Any, ...]]]) -> Facts:
    """What came or went in an update, as the reference would have it."""
    return {name: rows_of(facts) for name, facts in found.items()}


@dataclass(frozen=True)
class Step:
    """One update of a history, and what holds after it."""

    gone: list[GroundFact]
    new: list[GroundFact]
    explicit: set[GroundFact]
    expected: Facts


def steps_of(history: History) -> list[Step]:
    """What the reference says after every update; the first step is the program itself."""
    checked = program(history.program.text)
    explicit = set(checked.facts)
    steps = [Step([], [], explicit, materialise(checked, explicit))]
    for deleted, inserted in history.updates:
        gone, new = ground(deleted), ground(inserted)
        explicit = (explicit - set(gone)) | set(new)
        steps.append(Step(gone, new, explicit, materialise(checked, explicit)))
    return steps


def check_history(history: History, given_conditions: Conditions, steps: Sequence[Step] | None = None) -> None:
    """After every update everything is as if evaluated from scratch, and the change says what is different."""
    steps = steps or steps_of(history)
    with under(given_conditions):
        options: dict[str, Any] = {"modules": given_conditions.modules, "algorithm": given_conditions.algorithm}
        kb = KnowledgeBase(Source(history.program.text), **options)
        assert without_empty(held(kb)) == without_empty(steps[0].expected)
        check_queries(history.queries, kb, steps[0].expected)
        for before, step in pairwise(steps):
            gone, new = set(step.gone), set(step.new)
            change = kb.update(insert=as_tuples(step.new), delete=as_tuples(step.gone))
            remaining = before.explicit - gone
            stats = change.stats
            assert (stats.deleted, stats.inserted) == (len(before.explicit & gone), len(new - remaining))
            assert stats.without_effect == len(gone - before.explicit) + len(new & remaining)
            assert without_empty(held(kb)) == without_empty(step.expected)
            assert changed_rows(change.inserted) == difference(step.expected, before.expected)
            assert changed_rows(change.deleted) == difference(before.expected, step.expected)
        check_queries(history.queries, kb, steps[-1].expected)
        assert without_empty(held(kb)) == without_empty(steps[-1].expected)


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


ALGORITHMS = ("bf", "dred", "counting", "auto", "rematerialise")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(history=maintained(), given_conditions=conditions)
@settings(max_examples=300)
def test_random_updates_by_algorithm(algorithm: str, history: History, given_conditions: Conditions) -> None:
    skip_unless_there(algorithm)
    check_history(history, replace(given_conditions, algorithm=algorithm))


def check_there_and_back(history: History, algorithm: Any, *, modules: bool) -> None:
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


def check_orders(history: History, other: RandomProgram, algorithm: Any, *, modules: bool) -> None:
    """The order of rules, of the atoms of a rule and of facts makes no difference, to no update."""
    kbs = [KnowledgeBase(Source(text), algorithm=algorithm, modules=modules) for text in (history.program.text, other.text)]
    for deleted, inserted in ((), ()), *history.updates:
        one, two = (kb.update(insert=as_tuples(ground(inserted)), delete=as_tuples(ground(deleted))) for kb in kbs)
        assert without_empty(held(kbs[0])) == without_empty(held(kbs[1]))
        for left, right in ((one.inserted, two.inserted), (one.deleted, two.deleted)):
            assert {name: rows_of(facts) for name, facts in left.items()} == {
                name: rows_of(facts) for name, facts in right.items()
            }


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(history=maintained(), modules=st.booleans())
@settings(max_examples=30)
def test_there_and_back_again(algorithm: str, history: History, modules: bool) -> None:
    skip_unless_there(algorithm)
    check_there_and_back(history, algorithm, modules=modules)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(data=st.data(), history=maintained(), modules=st.booleans())
@settings(max_examples=30)
def test_order_does_not_matter(algorithm: str, data: st.DataObject, history: History, modules: bool) -> None:
    skip_unless_there(algorithm)
    check_orders(history, data.draw(reordered(history.program)), algorithm, modules=modules)


def test_what_the_histories_cover() -> None:
    """The random updates meet what is hard about maintenance, and not once in a while only."""
    seen: Counter[str] = Counter()

    @given(maintained())
    @settings(max_examples=100)
    def look(history: History) -> None:
        seen.update(met_by(history))

    look()
    assert {name: count for name, count in seen.items() if count < 3} == {}
    assert set(seen) == HARD


HARD = {
    *("second support", "support in a circle", "delete and re-insert", "under 10 %", "over 90 %"),
    *("negation above recursion", "aggregate of an aggregate"),
}


def met_by(history: History) -> set[str]:
    """Which of the hard things happen in a history."""
    found = set()
    rules, kb = set(history.program.rules), KnowledgeBase(Source(history.program.text), algorithm="dred", modules=False)
    bodies = " ".join(literal for _, body in rules for literal in body)
    in_a_circle = ALONE in rules and any(head == "s(X, Y)" and body[0].startswith("r(") for head, body in rules)
    explicit, gone_before = set(history.program.facts), set[str]()
    for deleted, inserted in history.updates:
        change = kb.update(insert=as_tuples(ground(inserted)), delete=as_tuples(ground(deleted)))
        share = len(explicit & set(deleted)) / max(len(explicit), 1)
        for name, is_met in (
            ("second support", change.stats.counters.rederived > 0),
            ("support in a circle", in_a_circle and {"r", "s"} <= set(change.deleted)),
            ("delete and re-insert", bool(gone_before & set(inserted))),
            ("under 10 %", 0 < share < 0.1),
            ("over 90 %", share > 0.9),
            ("negation above recursion", "not r(" in bodies and "n" in {*change.inserted, *change.deleted}),
            ("aggregate of an aggregate", ": c(" in bodies and "d" in change.deleted),
        ):
            if is_met:
                found.add(name)
        gone_before |= explicit & set(deleted)
        explicit = (explicit - set(deleted)) | set(inserted)
    return found


# --- the same, much longer -----------------------------------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(20))
@given(history=maintained(largest_arity=4, most_updates=5), given_conditions=conditions)
@settings(max_examples=1_000)
def test_many_random_updates_by_every_algorithm(part: int, history: History, given_conditions: Conditions) -> None:
    """To make a history and to ask the reference takes longer than an algorithm does: all of them get the same ones."""
    steps = steps_of(history)
    for algorithm in ALGORITHMS:
        check_history(history, replace(given_conditions, algorithm=algorithm), steps)


@pytest.mark.nightly
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(data=st.data(), history=maintained(), modules=st.booleans())
@settings(max_examples=1_000)
def test_many_there_and_back_and_in_other_orders(algorithm: str, data: st.DataObject, history: History, modules: bool) -> None:
    skip_unless_there(algorithm)
    check_there_and_back(history, algorithm, modules=modules)
    check_orders(history, data.draw(reordered(history.program)), algorithm, modules=modules)


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
