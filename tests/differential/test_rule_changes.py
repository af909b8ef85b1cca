"""Rules that come and go, at every place: after every step all facts are those of the program that is there then."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import strategies as st
from tests.differential.checks import check_rule_changes, check_structure
from tests.differential.examples import at_places, for_all
from tests.differential.judging import Judge, agrees, check_change, consequences, ground
from tests.differential.places import OpenPlace, Setting
from tests.differential.rule_histories import RuleHistory, rule_histories
from tests.local_engine import USUAL, Interruption, held, looking_often, under, without_empty

from tidelog import KnowledgeBase
from tidelog.local.maintenance import deletion
from tidelog.local.maintenance.cost_model import Choice
from tidelog.local.maintenance.deletion import Deadline
from tidelog.local.maintenance.delta import delta_rules
from tidelog.local.maintenance.propagation import Propagation
from tidelog.local.maintenance.rule_maintenance import RuleMaintenance
from tidelog.program.changes import versions


@at_places("rule changes")
def test_rules_come_and_go(place: OpenPlace, examples: int) -> None:
    for_all(rule_histories(), check_rule_changes, place, examples, shared=True)


@at_places("rule changes", nightly=True)
def test_many_rules_come_and_go(place: OpenPlace, examples: int) -> None:
    is_local = place.place.engine == "local"
    for_all(rule_histories(most_steps=8 if is_local else 6, largest_arity=4), check_rule_changes, place, examples)


# --- whatever is chosen --------------------------------------------------------------------------------------------------


@contextmanager
def at_random(chance: Random) -> Iterator[None]:
    """Let everything be chosen by chance that time and sizes tell otherwise, and let deletions give up after any round."""
    looks = itertools.count()

    def choose(*_: object) -> Choice:
        algorithm = chance.choice(("ranked", "bf", "dred", "rematerialise"))
        at = next(looks) + chance.randrange(5)
        return Choice(algorithm, "by chance", 1, None, chance.choice((None, lambda: Deadline(at, at, at, 0.0))))

    with ExitStack() as stack:
        for owner, name, value in (
            (RuleMaintenance, "_choose", choose),
            (Propagation, "_is_mostly_new", lambda *_: chance.random() < 0.5),
            (deletion, "thread_time", lambda: next(looks)),
            (deletion, "A_SUSPECT", 0.0),
            (delta_rules, "_MUCH", chance.choice((0.01, 0.5, 10.0))),
            (versions, "_SMALL", chance.choice((0, 512))),
        ):
            stack.enter_context(patch.object(owner, name, value))
        yield


Chosen = tuple[RuleHistory, int]
"""A history, and the seed of what is chosen."""


def check_choices(chosen: Chosen, place: OpenPlace, setting: Setting) -> None:
    history, seed = chosen
    with at_random(Random(seed)):
        check_rule_changes(history, place, setting)


def with_numbers(histories: st.SearchStrategy[RuleHistory], most: int) -> st.SearchStrategy[Chosen]:
    return st.tuples(histories, st.integers(0, most))


@at_places("choices by chance")
def test_whatever_is_chosen(place: OpenPlace, examples: int) -> None:
    for_all(with_numbers(rule_histories(), 1 << 16), check_choices, place, examples)


@at_places("choices by chance", nightly=True)
def test_whatever_is_chosen_in_long_histories(place: OpenPlace, examples: int) -> None:
    for_all(with_numbers(rule_histories(most_steps=8, largest_arity=4), 1 << 16), check_choices, place, examples)


# --- all or nothing ------------------------------------------------------------------------------------------------------


def check_interrupted(drawn: tuple[RuleHistory, int], place: OpenPlace, setting: Setting) -> None:
    """Each step is tried with an interruption after some looks, then done."""
    history, after = drawn
    judge, interruption = Judge(history), Interruption()
    often = replace(setting.conditions, step_budget=min(setting.conditions.step_budget, 7))
    with looking_often(), place.knowledge_base(history.text, Setting(often), progress=interruption) as kb:
        agrees(kb, judge.facts)
        for step in history.steps:
            requested, before, relations = judge.update(step), judge.facts, set(kb.relations)
            interruption.left = after
            try:
                change = kb.update(**requested)
            except KeyboardInterrupt:
                agrees(kb, judge.facts)
                assert set(kb.relations) == relations
                check_structure(kb, judge.rules, place)
                change = kb.update(**requested)
            interruption.left = None
            judge.follow(step)
            agrees(kb, judge.facts)
            check_change(change, before, judge.facts)


@at_places("interruptions")
def test_rule_changes_are_interrupted(place: OpenPlace, examples: int) -> None:
    for_all(with_numbers(rule_histories(), 30), check_interrupted, place, examples)


@at_places("interruptions", nightly=True)
def test_many_rule_changes_are_interrupted(place: OpenPlace, examples: int) -> None:
    for_all(with_numbers(rule_histories(), 100), check_interrupted, place, examples)


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
        explicit = {fact for name, *row in [*edges, ("edge", 6, 0)] for fact in ground((f"{name}({', '.join(map(str, row))})",))}
        agrees(kb, consequences(f"{text}\n{rules['add_rules']}", frozenset(explicit)))
    assert interrupted > 5
