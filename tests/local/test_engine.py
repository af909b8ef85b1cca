"""All or nothing: whatever stops an evaluation, at whatever moment, everything stays as it was, and the next one works.

Queries: distinct answers, and no trace of their temporary tables.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.differential.judging import ground
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
from tests.random_graphs import graph_histories
from tests.random_programs import History, histories

from tidelog import KnowledgeBase, Source
from tidelog.core.limits import Limits, Watch
from tidelog.errors import TidelogError
from tidelog.program.program import GroundFact
from tidelog.program.queries import check_query
from tidelog.reference import materialise

PATHS = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)."
MIXED = """
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
apart(X, Y) :- node(X), node(Y), not path(X, Y).
degree(X, N) :- node(X), N = count { path(X, _) }.
name(cat("n", string(X)), X) :- node(X).
twin(X, Y) :- degree(X, N), degree(Y, N), X != Y.
reached(X) :- start(X).
reached(Y) :- reached(X), edge(X, Y).
"""
EDGES = [("edge", n, (n * 7 + 3) % 23) for n in range(23)]
MORE = [*(("edge", n, n + 1) for n in range(30)), ("node", 1), ("start", 2), ("brand_new", 1, 2, 3)]


@contextmanager
def limits(
    kb: KnowledgeBase, facts: int | None = None, seconds: float | None = None, rounds: int | None = None
) -> Iterator[None]:
    """Let a knowledge base have these limits for a while."""
    before, kb._limits = kb._limits, (facts, seconds, rounds, None)
    try:
        yield
    finally:
        kb._limits = before


# --- interrupted at any moment -------------------------------------------------------------------------------------------


def check_interrupted(history: History, given_conditions: Conditions, after: int) -> None:
    """Each step is tried with an interruption after some looks, then done."""
    checked, interruption = program(history.program.text), Interruption()
    with under(given_conditions), looking_often():
        kb = KnowledgeBase(Source(history.program.text), modules=given_conditions.modules, progress=interruption)
        explicit = set(checked.facts)
        expected = materialise(checked, explicit)
        interruption.left = after
        try:
            first = held(kb)
        except KeyboardInterrupt:
            first = held(kb)
        assert without_empty(first) == without_empty(expected)
        for deleted, inserted in history.updates:
            gone, new = ground(deleted), ground(inserted)
            interruption.left = after
            try:
                change = kb.update(insert=as_tuples(new), delete=as_tuples(gone))
            except KeyboardInterrupt:
                assert without_empty(held(kb)) == without_empty(expected)
                change = kb.update(insert=as_tuples(new), delete=as_tuples(gone))
            before, explicit = expected, (explicit - set(gone)) | set(new)
            expected = materialise(checked, explicit)
            interruption.left = None
            assert without_empty(held(kb)) == without_empty(expected)
            assert {name: rows_of(facts) for name, facts in change.inserted.items()} == difference(expected, before)
            assert {name: rows_of(facts) for name, facts in change.deleted.items()} == difference(before, expected)
            tables = set(engine_of(kb).state.tables)
            for query in ("X = 1, X > 0",):
                interruption.left = 0
                with pytest.raises(KeyboardInterrupt):
                    kb.query(query)
            assert set(engine_of(kb).state.tables) == tables
        interruption.left = None
        assert without_empty(held(kb)) == without_empty(expected)


often = conditions.map(lambda given: replace(given, step_budget=min(given.step_budget, 7)))


@given(histories(), often, st.integers(0, 30))
@settings(max_examples=50)
def test_programs_are_interrupted(history: History, given_conditions: Conditions, after: int) -> None:
    check_interrupted(history, given_conditions, after)


@given(graph_histories(), often, st.integers(0, 30))
@settings(max_examples=50)
def test_graphs_are_interrupted(history: History, given_conditions: Conditions, after: int) -> None:
    check_interrupted(history, given_conditions, after)


@pytest.mark.nightly
@given(histories(largest_arity=4) | graph_histories(), often, st.integers(0, 100))
@settings(max_examples=2_000)
def test_many_are_interrupted(history: History, given_conditions: Conditions, after: int) -> None:
    check_interrupted(history, given_conditions, after)


@pytest.mark.usefixtures("python_takes_the_signal")
@pytest.mark.parametrize("modules", [True, False])
@pytest.mark.parametrize("by_signal", [True, False], ids=["signal", "exception"])
def test_interrupted_at_every_moment(modules: bool, by_signal: bool) -> None:
    """By an exception of the display, and by the signal of Ctrl-C."""
    if by_signal and threading.current_thread() is not threading.main_thread():
        pytest.skip("signals reach the main thread only")
    checked, interruption = program(MIXED), Interruption()
    interruption.by_signal = by_signal
    before = ground(f"{name}({', '.join(map(str, row))})" for name, *row in EDGES)
    after = {*before, *ground(f"{name}({', '.join(map(str, row))})" for name, *row in MORE)} - set(before[:3])
    expected = [without_empty(materialise(checked, facts)) for facts in (before, after)]
    handler = signal.getsignal(signal.SIGINT)
    interrupted = done = 0
    with under(replace(USUAL, step_budget=50)), looking_often():
        kb = KnowledgeBase(Source(MIXED), modules=modules, progress=interruption)
        kb.update(insert=EDGES)
        while not done:
            interruption.left = interrupted
            try:
                kb.update(insert=MORE, delete=EDGES[:3])
                done = interruption.left is not None
            except KeyboardInterrupt:
                interrupted += 1
            interruption.left = None
            if not done:
                assert without_empty(held(kb)) == expected[0]
                assert "brand_new" not in kb.relations
        assert without_empty(held(kb)) == expected[1]
    assert interrupted > 10
    assert signal.getsignal(signal.SIGINT) is handler


# --- limits --------------------------------------------------------------------------------------------------------------


@given(histories() | graph_histories(), conditions, st.integers(0, 60), st.integers(0, 2))
@settings(max_examples=100)
def test_limits_change_nothing(history: History, given_conditions: Conditions, facts: int, rounds: int) -> None:
    checked, failures = program(history.program.text), set[str]()
    with under(given_conditions):
        kb = KnowledgeBase(Source(history.program.text), modules=given_conditions.modules)
        explicit: set[GroundFact] = set(checked.facts)
        expected = materialise(checked, explicit)
        assert without_empty(held(kb)) == without_empty(expected)
        for deleted, inserted in history.updates:
            gone, new = ground(deleted), ground(inserted)
            after = (explicit - set(gone)) | set(new)
            for limit in ({"facts": facts}, {"rounds": rounds}, {"seconds": -1.0}):
                with limits(kb, **limit):
                    try:
                        kb.update(insert=as_tuples(new), delete=as_tuples(gone))
                    except TidelogError as error:
                        failures |= {problem.code for problem in error.diagnostics}
                        assert without_empty(held(kb)) == without_empty(expected)
                    else:
                        explicit = after
                        expected = materialise(checked, explicit)
                        assert without_empty(held(kb)) == without_empty(expected)
            explicit = after
            expected = materialise(checked, explicit)
            kb.update(insert=as_tuples(new), delete=as_tuples(gone))
            assert without_empty(held(kb)) == without_empty(expected)
    assert failures <= {"TL070"}


@pytest.mark.parametrize("limit", [{"facts": 500}, {"rounds": 50}, {"seconds": 0.2}])
def test_counting_without_end(limit: dict[str, int]) -> None:
    kb = KnowledgeBase("n(X + 1) :- n(X). m(X, Y) :- n(X), n(Y), X < Y.", **{f"limit_{k}": v for k, v in limit.items()})  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(TidelogError, match="TL070"):
            kb.update(insert=[("n", 0), ("other", "x")])
        assert len(kb.facts()) == 0
        assert "other" not in kb.relations
    kb.update(insert=[("m", 1, 2), ("other", "x", "y")])
    assert set(kb.facts()) == {("m", 1, 2), ("other", "x", "y")}
    with pytest.raises(TidelogError, match="TL070"):
        kb.update(insert=[("n", 0)], delete=[("m", 1, 2)])
    assert set(kb.facts()) == {("m", 1, 2), ("other", "x", "y")}


@pytest.mark.parametrize("modules", [True, False])
def test_a_limit_is_exactly_what_it_says(modules: bool) -> None:
    kb = KnowledgeBase(MIXED, modules=modules)
    kb.update(insert=[*EDGES, *MORE])
    facts = len(kb.facts())
    stored = facts - (kb.count("path") if modules else 0)
    KnowledgeBase(MIXED, modules=modules, limit_facts=facts).update(insert=[*EDGES, *MORE])
    with pytest.raises(TidelogError, match="TL070"):
        KnowledgeBase(MIXED, modules=modules, limit_facts=stored - 1).update(insert=[*EDGES, *MORE])


def test_a_deletion_meets_no_limit() -> None:
    kb = KnowledgeBase("q(X) :- p(X). r(X) :- q(X), not s(X).", limit_facts=27)
    kb.update(insert=[("p", n) for n in range(9)])
    kb.update(delete=[("p", 0)])
    assert len(kb.facts()) == 24


def test_what_helps_evaluation_is_not_counted() -> None:
    kb = KnowledgeBase("q(N) :- N = count { p(_) }. r(cat(string(X), a)) :- p(X).", limit_facts=19)
    kb.update(insert=[("p", n) for n in range(9)])
    assert len(kb.facts()) == 19
    with pytest.raises(TidelogError) as caught:
        kb.update(insert=[("p", 9)])
    assert "#" not in str(caught.value)


def test_what_is_asked_later_has_no_limit() -> None:
    kb = KnowledgeBase(PATHS)
    kb.update(insert=EDGES)
    with limits(kb, seconds=-1.0):
        assert kb.count("path") == len(list(kb.facts("path"))) > 0
        assert len(kb["path"].to_arrow()) == kb.count("path")


# --- how it was done -----------------------------------------------------------------------------------------------------


def test_the_algorithm_is_named() -> None:
    rules = "q(X) :- p(X). r(X) :- q(X), not s(X). t(X) :- u(X)."
    kb = KnowledgeBase(rules)
    assert kb.update(insert=[("p", 1)]).stats.algorithm == "semi-naive"
    assert kb.update(insert=[("s", 1)]).stats.algorithm == "ranked: few facts have gone"
    assert kb.update(insert=[("u", 1)]).stats.algorithm == "semi-naive"
    assert kb.update(delete=[("u", 7)]).stats.algorithm == "semi-naive"
    for algorithm in ("bf", "dred", "rematerialise"):
        kb = KnowledgeBase(rules, algorithm=algorithm)
        kb.update(insert=[("u", 1)])
        assert kb.update(delete=[("u", 1)]).stats.algorithm == f"{algorithm}: as asked for"


def test_what_is_counted() -> None:
    rules = "q(X, Y) :- p(X, Y). q(X, Z) :- q(X, Y), p(Y, Z)."
    edges = [("p", 1, 2), ("p", 2, 3), ("p", 1, 3), ("p", 3, 4)]
    by_algorithm = {}
    for algorithm in ("bf", "dred"):
        kb = KnowledgeBase(rules, algorithm=algorithm, modules=False)
        kb.update(insert=edges)
        change = kb.update(delete=[("p", 2, 3)])
        assert dict(change.deleted.items()).keys() == {"p", "q"}
        assert sorted(change.deleted["q"]) == [(2, 3), (2, 4)]
        by_algorithm[algorithm] = change.stats.counters
        assert set(change.stats.seconds_by_phase) == {"deletion", "insertion"}
    assert by_algorithm["dred"].overdeleted == 4  # q(1, 3) and q(1, 4) too, which come back
    assert by_algorithm["dred"].rederived >= 1
    assert by_algorithm["bf"].overdeleted == by_algorithm["bf"].rederived == 0
    assert by_algorithm["bf"].checked == 3  # q(2, 3), q(1, 3), q(2, 4)


def test_only_what_is_new_is_derived() -> None:
    kb = KnowledgeBase("q(X, Y) :- p(X, Y). q(X, Z) :- q(X, Y), p(Y, Z).", modules=False)
    kb.update(insert=[("p", n, n + 1) for n in range(100)])
    assert kb.update(insert=[("p", 100, 101)]).stats.derivations == 101
    assert kb.update(insert=[("p", 200, 201)]).stats.derivations == 1
    assert kb.update(insert=[("p", 200, 201)]).stats.derivations == 0


def test_queries_leave_nothing_behind() -> None:
    kb = KnowledgeBase(MIXED)
    kb.update(insert=[*EDGES, *MORE])
    store = engine_of(kb).state.store
    kb.query("path(1, X), N = count { path(X, _) }, T = cat(string(X), a), not degree(X, 3)")
    tables, indexes, names = len(store.tables), store._index_count, set(engine_of(kb).state.tables)
    for _ in range(20):
        kb.query("path(1, X), N = count { path(X, _) }, T = cat(string(X), a), not degree(X, 3)")
    assert (len(store.tables), store._index_count, set(engine_of(kb).state.tables)) == (tables, indexes, names)
    assert not any(name.startswith("#query") for name in names)


# --- queries -------------------------------------------------------------------------------------------------------------

PATHS = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)."


@pytest.fixture
def kb() -> KnowledgeBase:
    kb = KnowledgeBase(PATHS)
    kb.update(insert=[("edge", n, n + 1) for n in range(5)] + [("word", "ab"), ("word", "b")])
    return kb


def ask(kb: KnowledgeBase, text: str, limits: Limits | None = None) -> list[tuple[object, ...]]:
    engine = engine_of(kb)
    query = check_query(text, kb.relations, {})
    rows = engine.query(query.body, query.names, Watch(limits))
    contents = [[value.content for value in engine.state.terms.values_of(row)] for row in rows]
    return sorted(map(tuple, contents), key=str)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("path(3, X)", [(4,), (5,)]),
        ("path(X, _), X > 2", [(3,), (4,)]),
        ("edge(X, Y), not path(Y, 5)", [(4, 5)]),
        ("word(X), N = length(X)", [("ab", 2), ("b", 1)]),
        ("N = count { path(_, _) }", [(15,)]),
        ("path(0, 5)", [()]),
        ("path(5, 0)", []),
    ],
)
def test_answers(kb: KnowledgeBase, text: str, expected: list[tuple[object, ...]]) -> None:
    state = engine_of(kb).state
    before = set(state.tables), dict(state.answered)
    assert ask(kb, text) == expected
    assert (set(state.tables), dict(state.answered)) == before


def test_after_a_limit_no_table_is_left(kb: KnowledgeBase) -> None:
    kb.update(insert=[("edge", n, n + 1) for n in range(10, 400)])
    state = engine_of(kb).state
    before = set(state.tables)
    with pytest.raises(TidelogError, match="more than"):
        ask(kb, "path(X, Y), N = length(string(X))", Limits(seconds=-1.0))
    assert set(state.tables) == before
    assert ask(kb, "path(3, X)") == [(4,), (5,)]
