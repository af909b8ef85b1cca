"""Rules that come and go, against the reference: after every step all facts are those of the program that is there then."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.differential.rule_histories import Rule, RuleHistory, RuleStep, rule_histories, rule_text
from tests.differential.update_histories import skip_unless_there
from tests.local_engine import (
    USUAL,
    Conditions,
    Interruption,
    as_tuples,
    conditions,
    difference,
    engine_of,
    held,
    looking_often,
    program,
    rows_of,
    under,
    without_empty,
)

from tidelog import KnowledgeBase, Source
from tidelog.changes import Change
from tidelog.local.maintenance import deletion
from tidelog.local.maintenance.cost_model import Choice
from tidelog.local.maintenance.delta import delta_rules
from tidelog.local.maintenance.propagation import Propagation
from tidelog.local.maintenance.rule_maintenance import RuleMaintenance
from tidelog.program import versions
from tidelog.program.program import GroundFact
from tidelog.reference import Facts, materialise

ALGORITHMS = ("bf", "dred", "counting", "auto", "rematerialise")


def ground(texts: tuple[str, ...]) -> list[GroundFact]:
    return list(program("\n".join(f"{text}." for text in texts)).facts)


class Judge:
    """What there must be, by the reference."""

    def __init__(self, history: RuleHistory) -> None:
        self.rules, self.explicit = list(history.rules), set(ground(history.facts))
        self.facts = self._derived()

    def _derived(self) -> Facts:
        return materialise(program("\n".join(map(rule_text, self.rules))), self.explicit)

    def asks(self, step: RuleStep) -> dict[str, Any]:
        """The update of a step."""
        return {
            "insert": as_tuples(ground(step.insert)),
            "delete": as_tuples(ground(step.delete)),
            "remove_rules": [rule_text(rule) for rule in step.toggled if rule in self.rules],
            "add_rules": [rule_text(rule) for rule in step.toggled if rule not in self.rules],
        }

    def follow(self, step: RuleStep) -> None:
        coming = [rule for rule in step.toggled if rule not in self.rules]
        self.rules = [*(rule for rule in self.rules if rule not in step.toggled), *coming]
        self.explicit = (self.explicit - set(ground(step.delete))) | set(ground(step.insert))
        self.facts = self._derived()

    def agrees(self, kb: KnowledgeBase) -> None:
        assert without_empty(held(kb)) == without_empty(self.facts)


def check_change(change: Change, before: Facts, after: Facts) -> None:
    """A change says what is different, and of each fact whether the user gave it."""
    assert {name: rows_of(facts) for name, facts in change.inserted.items()} == difference(after, before)
    assert {name: rows_of(facts) for name, facts in change.deleted.items()} == difference(before, after)


def check_parts(change: Change, before: set[GroundFact], after: set[GroundFact]) -> None:
    for found, given_now, given_before in ((change.inserted, after, before), (change.deleted, before, after)):
        explicit = {(name, row) for name, facts in found.explicit.items() for row in rows_of(facts)}
        derived = {(name, row) for name, facts in found.derived.items() for row in rows_of(facts)}
        assert explicit <= given_now - given_before
        assert not derived & (given_now - given_before)
        assert sum(map(len, found.values())) == len(explicit) + len(derived)


def check_history(history: RuleHistory, given_conditions: Conditions) -> None:
    judge = Judge(history)
    with under(given_conditions):
        options: dict[str, Any] = {"modules": given_conditions.modules, "algorithm": given_conditions.algorithm}
        kb = KnowledgeBase(Source(history.text), **options)
        judge.agrees(kb)
        for step in history.steps:
            before, explicit = judge.facts, judge.explicit
            change = kb.update(**judge.asks(step))
            judge.follow(step)
            judge.agrees(kb)
            check_change(change, before, judge.facts)
            check_parts(change, explicit, judge.explicit)
            check_structure(kb, judge.rules)


def check_structure(kb: KnowledgeBase, rules: list[Rule]) -> None:
    """The program, its order and its tables are those of the rules, and nothing is left of others."""
    expected = program("\n".join(map(rule_text, rules)))
    assert sorted(map(str, kb.program.rules)) == sorted(map(str, expected.rules))
    engine = engine_of(kb)
    fresh = engine_of(KnowledgeBase(Source("\n".join(map(rule_text, rules))), modules=kb._modules))
    assert sorted(map(_shape, engine.structure.units.values())) == sorted(map(_shape, fresh.structure.units.values()))
    assert engine.core.given == fresh.core.given
    for name, number in engine.structure.deriver.items():
        for reader in engine.structure.readers.get(name, ()):
            order = engine.structure.order
            assert reader == number or order[number] < order[reader]
    assert not set(engine.state.tables) - set(engine.core.arities) - set(kb.relations)


def _shape(unit: Any) -> tuple[Any, ...]:
    """A unit, whatever the numbers in the names of its own relations."""
    seen = sorted(name for name in unit.relations if not name.startswith("#") or name.startswith("#given"))
    return seen, len(unit.relations), len(unit.rules), len(unit.operators), len(unit.stages)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(history=rule_histories(), given_conditions=conditions)
@settings(max_examples=60)
def test_rules_come_and_go(algorithm: str, history: RuleHistory, given_conditions: Conditions) -> None:
    skip_unless_there(algorithm)
    check_history(history, replace(given_conditions, algorithm=algorithm))


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(history=rule_histories(most_steps=8, largest_arity=4), given_conditions=conditions)
@settings(max_examples=1_000)
def test_many_rules_come_and_go(part: int, algorithm: str, history: RuleHistory, given_conditions: Conditions) -> None:
    skip_unless_there(algorithm)
    check_history(history, replace(given_conditions, algorithm=algorithm))


# --- whatever is chosen --------------------------------------------------------------------------------------------------


@contextmanager
def at_random(chance: Random) -> Iterator[None]:
    """Let everything be chosen by chance that time and sizes tell otherwise, and let deletions give up after any round."""
    looks = itertools.count()

    def choose(*_: object) -> Choice:
        algorithm = chance.choice(("bf", "dred", "rematerialise"))
        at = next(looks) + chance.randrange(5)
        return Choice(algorithm, "by chance", 1, None, chance.choice((None, lambda: at)))

    with ExitStack() as stack:
        for owner, name, value in (
            (RuleMaintenance, "_choose", choose),
            (Propagation, "_is_mostly_new", lambda *_: chance.random() < 0.5),
            (deletion, "thread_time", lambda: next(looks)),
            (deletion, "_A_SUSPECT", 0.0),
            (delta_rules, "_MUCH", chance.choice((0.01, 0.5, 10.0))),
            (versions, "_SMALL", chance.choice((0, 512))),
        ):
            stack.enter_context(patch.object(owner, name, value))
        yield


@given(rule_histories(), conditions, st.integers(0, 1 << 16))
@settings(max_examples=60)
def test_whatever_is_chosen(history: RuleHistory, given_conditions: Conditions, seed: int) -> None:
    with at_random(Random(seed)):
        check_history(history, replace(given_conditions, algorithm="auto"))


@pytest.mark.nightly
@given(rule_histories(most_steps=8, largest_arity=4), conditions, st.integers(0, 1 << 16))
@settings(max_examples=4_000)
def test_whatever_is_chosen_in_long_histories(history: RuleHistory, given_conditions: Conditions, seed: int) -> None:
    with at_random(Random(seed)):
        check_history(history, replace(given_conditions, algorithm="auto"))


# --- all or nothing ------------------------------------------------------------------------------------------------------


def check_interrupted(history: RuleHistory, given_conditions: Conditions, after: int) -> None:
    """Each step is tried with an interruption after some looks, then done."""
    judge, interruption = Judge(history), Interruption()
    with under(given_conditions), looking_often():
        options: dict[str, Any] = {"modules": given_conditions.modules, "algorithm": given_conditions.algorithm}
        kb = KnowledgeBase(Source(history.text), progress=interruption, **options)
        judge.agrees(kb)
        for step in history.steps:
            requested, before, relations = judge.asks(step), judge.facts, set(kb.relations)
            interruption.left = after
            try:
                change = kb.update(**requested)
            except KeyboardInterrupt:
                judge.agrees(kb)
                assert set(kb.relations) == relations
                check_structure(kb, judge.rules)
                change = kb.update(**requested)
            interruption.left = None
            judge.follow(step)
            judge.agrees(kb)
            check_change(change, before, judge.facts)


often = conditions.map(lambda given: replace(given, step_budget=min(given.step_budget, 7)))


@given(rule_histories(), often, st.sampled_from(ALGORITHMS), st.integers(0, 30))
@settings(max_examples=60)
def test_rule_changes_are_interrupted(history: RuleHistory, given_conditions: Conditions, algorithm: str, after: int) -> None:
    check_interrupted(history, replace(given_conditions, algorithm=algorithm), after)


@pytest.mark.nightly
@given(rule_histories(), often, st.sampled_from(ALGORITHMS), st.integers(0, 100))
@settings(max_examples=2_000)
def test_many_rule_changes_are_interrupted(
    history: RuleHistory, given_conditions: Conditions, algorithm: str, after: int
) -> None:
    check_interrupted(history, replace(given_conditions, algorithm=algorithm), after)


CLOSED = """
r1: path(X, Y) :- edge(X, Y).
r2: path(X, Z) :- path(X, Y), edge(Y, Z).
r3: far(X, Y) :- node(X), node(Y), not path(X, Y).
r4: many(X, N) :- node(X), N = count { Y : path(X, Y) }.
r5: named(X, T) :- many(X, N), T = cat(string(X), string(N)).
"""


@pytest.mark.usefixtures("python_takes_the_signal")
@pytest.mark.parametrize("modules", [True, False], ids=["modules", "rules"])
@pytest.mark.parametrize("removed", ["r1", "r2", "r4", "r5"])
def test_interrupted_at_every_moment(modules: bool, removed: str) -> None:
    """By the signal of Ctrl-C, while a rule goes and others come that make the rest recursive."""
    interruption = Interruption()
    interruption.by_signal = True
    edges = [("edge", at, at + 1) for at in range(6)] + [("node", at) for at in range(7)]
    rules = {
        "remove_rules": removed,
        "add_rules": "edge(Y, X) :- path(X, Y), X < 3. near(X) :- path(X, _), not many(X, 0).",
    }
    if removed != "r4":
        rules["add_rules"] += " few(X) :- many(X, N), N < 2."
    else:
        rules["add_rules"] = "edge(Y, X) :- path(X, Y), X < 3."
        rules["remove_rules"] = "r5"
    with under(replace(USUAL, step_budget=20)), looking_often():
        kb = KnowledgeBase(CLOSED, modules=modules, progress=interruption)
        kb.update(insert=edges)
        before = without_empty(held(kb))
        interrupted, done = 0, False
        while not done:
            interruption.left = interrupted
            try:
                kb.update(insert=[("edge", 6, 0)], **rules)  # type: ignore[arg-type]
                done = interruption.left is not None
            except KeyboardInterrupt:
                interrupted += 1
            interruption.left = None
            if not done:
                assert without_empty(held(kb)) == before
        text = "\n".join(rule_line for rule_line in CLOSED.splitlines() if not rule_line.startswith(f"{rules['remove_rules']}:"))
        judge = program(f"{text}\n{rules['add_rules']}")
        explicit = {fact for name, *row in [*edges, ("edge", 6, 0)] for fact in ground((f"{name}({', '.join(map(str, row))})",))}
        assert without_empty(held(kb)) == without_empty(materialise(judge, explicit))
    assert interrupted > 5
