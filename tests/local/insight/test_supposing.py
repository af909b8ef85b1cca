"""What an update would change is what it changes; and to ask for it changes nothing: by the reference, on random histories."""

from __future__ import annotations

import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.differential.judging import Judge, agrees, check_change, check_counts, check_parts, steps_of
from tests.differential.places import ALGORITHMS
from tests.differential.rule_histories import RuleHistory, rule_histories
from tests.differential.update_histories import maintained
from tests.local_engine import access_to, held, without_empty
from tests.random_graphs import graph_histories
from tests.random_programs import History, histories

from tidelog import KnowledgeBase, Source, TidelogError
from tidelog.local.insight.supposing import Supposed, supposing
from tidelog.local.kb import LocalKnowledgeBase
from tidelog.program.changes.rule_changes import NO_CHANGE
from tidelog.values import from_python

RULES = """
@relation age(name: string key, years: int) .
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
same(X, Y) :- same(Y, X).
same(X, Z) :- same(X, Y), same(Y, Z).
same(X, Y) :- alias(X, Y).
alone(X) :- node(X), not path(X, _).
oldest(N) :- N = max { A : age(_, A) }.
"""
conditions = st.fixed_dictionaries({"algorithm": st.sampled_from(ALGORITHMS), "modules": st.booleans()})


@pytest.fixture
def kb() -> KnowledgeBase:
    kb = KnowledgeBase(RULES)
    kb.update(
        insert={"edge": [(1, 2), (2, 3), (3, 1)], "alias": [("a", "b"), ("c", "d")], "node": [(1,), (9,)], "age": [("ann", 7)]}
    )
    return kb


def check_updates(history: History, options: dict[str, Any]) -> None:
    steps = steps_of(history)
    kb = KnowledgeBase(Source(history.program.text), **options)
    for before, step in pairwise(steps):
        change = kb.what_if(**step.update)
        agrees(kb, before.expected)
        made = kb.update(**step.update)
        agrees(kb, step.expected)
        check_counts(change, before, step)
        check_change(change, before.expected, step.expected)
        check_parts(change, before.explicit, step.explicit)
        check_change(made, before.expected, step.expected)


@given(maintained(), conditions)
@settings(max_examples=25)
@pytest.mark.by_night(3_000)
def test_random_updates(history: History, options: dict[str, Any]) -> None:
    check_updates(history, options)


@given(st.one_of(histories(), graph_histories()), conditions)
@settings(max_examples=25)
@pytest.mark.by_night(3_000)
def test_random_updates_of_other_programs(history: History, options: dict[str, Any]) -> None:
    check_updates(history, options)


@given(rule_histories(), conditions)
@settings(max_examples=25)
@pytest.mark.by_night(3_000)
def test_random_changes_of_rules(history: RuleHistory, options: dict[str, Any]) -> None:
    kb, judge = KnowledgeBase(Source(history.text), **options), Judge(history)
    for step in history.steps:
        update, before, rules = judge.update(step), judge.facts, kb.rules
        change = kb.what_if(**update)
        agrees(kb, before)
        assert kb.rules == rules
        made = kb.update(**update)
        judge.follow(step)
        check_change(change, without_empty(before), without_empty(judge.facts))
        assert (change.rules is None) == (made.rules is None)
        if change.rules is not None and made.rules is not None:
            assert (change.rules.added, change.rules.removed) == (made.rules.added, made.rules.removed)
            assert change.rules.hyper_nodes == made.rules.hyper_nodes


def test_a_change_of_everything_at_once(kb: KnowledgeBase) -> None:
    before = held(kb)
    asked: dict[str, Any] = {
        "insert": [("edge", 9, 1), ("alias", "b", "c"), ("new", 1)],
        "delete": [("edge", 3, 1)],
        "upsert": [("age", "ann", 8)],
        "remove_rules": "path(X, Z) :- path(X, Y), edge(Y, Z).",
        "add_rules": "far(X) :- same(a, X). node(17).",
    }
    change = kb.what_if(**asked)
    assert held(kb) == before
    assert "new" not in kb.relations
    assert set(change.inserted["same"]) >= {("a", "d"), ("d", "a")}
    assert set(change.inserted["far"]) == {("a",), ("b",), ("c",), ("d",)}
    assert list(change.inserted["oldest"]) == [(8,)]
    assert list(change.deleted["oldest"]) == [(7,)]
    assert list(change.inserted["new"]) == [(1,)]
    assert change.stats.seconds > 0
    made = kb.update(**asked)
    for one, other in ((change.inserted, made.inserted), (change.deleted, made.deleted)):
        assert {name: set(facts) for name, facts in one.items()} == {name: set(facts) for name, facts in other.items()}
    assert change.rules is not None
    assert made.rules is not None
    assert change.rules.added == made.rules.added


def test_what_it_said_stays_when_other_things_happen(kb: KnowledgeBase) -> None:
    change = kb.what_if(insert=[("alias", "b", "c"), ("edge", 4, 1)], delete=[("edge", 1, 2)])
    kb.update(insert=[("alias", "x", n) for n in range(50)] + [("edge", n, n + 1) for n in range(50)])
    kb.what_if(delete=list(kb.facts()))
    assert len(change.inserted["same"]) == 16 - 8
    assert set(change.inserted["path"]) == {(4, 1)}
    assert set(change.deleted["path"]) == {(1, 1), (1, 2), (1, 3), (2, 2), (3, 2), (3, 3)}


def test_an_error_is_that_of_the_update_and_nothing_has_happened(kb: KnowledgeBase) -> None:
    before = held(kb)
    for wrong in ({"insert": [("edge", 1)]}, {"add_rules": "p(X) :- not p(X)."}, {"upsert": [("edge", 1, 2)]}):
        with pytest.raises(TidelogError) as supposed:
            kb.what_if(**wrong)
        with pytest.raises(TidelogError) as made:
            kb.update(**wrong)
        assert str(supposed.value) == str(made.value)
    assert held(kb) == before


def test_nobody_is_told_and_nothing_is_saved(tmp_path: Path, kb: KnowledgeBase) -> None:
    told: list[Any] = []
    kb.subscribe("path", told.append)
    kb.save(tmp_path / "saved")
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "saved").iterdir()}
    loads, statistics = list(kb.loads), kb.statistics
    with kb.profile(anew=False) as profile:
        kb.what_if(insert=[("edge", 3, 4)], add_rules="p(X) :- edge(X, _).")
    assert {path.name: path.stat().st_size for path in (tmp_path / "saved").iterdir()} == sizes
    assert (told, profile.count, kb.loads) == ([], 0, loads)
    assert kb.statistics == statistics
    kb.close()
    with KnowledgeBase.open(tmp_path / "saved", read_only=True) as opened:
        assert held(opened) == held(kb)
        assert ("path", 3, 4) not in opened
        assert (1, 4) in opened.what_if(insert=[("edge", 3, 4)]).inserted["path"]


def test_a_stream_goes_on(kb: KnowledgeBase) -> None:
    updates = [{"insert": [["edge", 9, n]], "delete": [["edge", 9, n - 1]]} for n in range(10, 30)]
    other = kb.copy()
    for change, expected in zip(kb.follow(updates), other.follow(updates), strict=True):
        kb.what_if(delete=[("edge", 1, 2)], insert=[("edge", 1, 77)])
        assert {name: set(facts) for name, facts in change.inserted.items()} == {
            name: set(facts) for name, facts in expected.inserted.items()
        }
        assert held(kb) == held(other)


def test_readers_beside_it_never_see_it(kb: KnowledgeBase) -> None:
    seen: set[int] = set()
    is_over = threading.Event()

    def read() -> None:
        while not is_over.is_set():
            seen.add(kb.count("path"))

    kb.snapshot()
    thread = threading.Thread(target=read)
    thread.start()
    for n in range(200):
        kb.what_if(insert=[("edge", 3, 100 + n)])
    is_over.set()
    thread.join()
    assert seen == {9}


def test_the_state_that_it_is_in_meanwhile(kb: KnowledgeBase) -> None:
    assert isinstance(kb, LocalKnowledgeBase)

    def holds(supposed: Supposed) -> bool:
        with access_to(kb) as access:
            row = tuple(map(access.cell, [from_python(4), from_python(2)]))
            return access.holds("path", row) and "path" in supposed.schema.program.relations

    assert supposing(kb, ([("edge", 4, 1)], [], []), NO_CHANGE, holds)
    assert ("path", 4, 2) not in kb


def test_on_another_engine_it_is_refused(kb: KnowledgeBase) -> None:
    from tidelog.explain.questions import Questions

    with pytest.raises(TidelogError, match="TL074"):
        Questions.what_if(kb, insert=[("edge", 1, 5)])
