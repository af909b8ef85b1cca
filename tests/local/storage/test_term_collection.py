"""Collection of terms: what is there stays what it is, and memory follows it, not its history."""

from __future__ import annotations

import gc
import itertools
import weakref
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.differential.judging import check_change, check_parts, steps_of
from tests.differential.places import ALGORITHMS
from tests.differential.update_histories import maintained
from tests.local.small_engine import SmallEngine
from tests.local_engine import collecting, conditions, engine_of, held, rows_of, under, without_empty
from tests.random_programs import History
from tests.streams.seen_streams import ALWAYS, SeenStream

from tidelog import KnowledgeBase, Source, Update
from tidelog.core.limits import Watch
from tidelog.local.kb import LocalKnowledgeBase
from tidelog.local.kernel import layout
from tidelog.local.storage import term_collection
from tidelog.local.storage.state import State
from tidelog.local.storage.term_buffers import MOST_TERMS

VALUES = "@relation v(k: int key, x: string). same(X, K) :- v(K, X)."
NAMES = '@relation v(k: int key, x: string). named(K, S) :- v(K, X), S = cat("name of ", X).'
PATHS = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z)."


def no_poll() -> None:
    """Nothing stops it."""


def with_garbage(*, modules: bool = True) -> SmallEngine:
    """An engine with a short chain of edges, in whose dictionary most terms are in no fact."""
    small = SmallEngine(f"{PATHS} edge(901, 902). edge(903, 904). edge(904, 905).", modules=modules)
    small.rows(*((2 * n, 2 * n + 1) for n in range(100)))
    small.engine.remove("edge", small.rows((901, 902)))
    small.engine.maintain(Watch())
    return small


def collected(small: SmallEngine) -> State:
    """The state without unused terms."""
    with collecting():
        state = term_collection.without_unused_terms(small.state, {}, no_poll)
    assert state is not None
    return state


# --- what is collected ---------------------------------------------------------------------------------------------------


def test_terms_in_no_row_go_and_the_others_keep_their_order() -> None:
    small = with_garbage(modules=False)
    before, facts = small.state, small.facts("path")
    state = collected(small)
    assert len(before.terms) > 200
    assert [value.content for value in state.terms.values_of(np.arange(len(state.terms), dtype=np.int32))] == [903, 904, 905]
    small.engine.state = state
    assert small.facts("path") == facts == [(903, 904), (903, 905), (904, 905)]
    assert small.facts("edge") == [(903, 904), (904, 905)]
    assert state.tables["edge"].tombstones == 0


def test_the_state_before_is_not_touched() -> None:
    small = with_garbage()
    edges, terms = small.state.tables["edge"], small.state.terms
    words, size = small.state.store.M.copy(), len(terms)
    state = collected(small)
    state.tables["edge"].remove(state.tables["edge"].rows)
    assert small.state.tables["edge"] is edges
    assert np.array_equal(small.state.store.M, words)
    assert (small.state.terms, len(terms)) == (terms, size)
    assert small.facts("path") == [(903, 904), (903, 905), (904, 905)]


def test_tables_are_as_small_as_their_ids() -> None:
    """A bit matrix and an index with a place for each id get smaller with the ids."""
    with collecting(least=2_000):
        kb = KnowledgeBase("@relation v(k: int key, x: int). w(X, Y) :- v(X, Y), v(Y, _).")
        for begin in range(0, 20_000, 500):
            kb.update(upsert=[("v", n % 100, n) for n in range(begin, begin + 500)])
        kb.query("v(1, X), v(X, Y)")
        state = engine_of(kb).state
    assert len(state.terms) < 3_000
    for table in (*state.tables.values(), *state.explicit.values()):
        assert table.store.M[table.number, layout.DOMAIN] <= 4_096
        assert all(len(index.heads) <= 16_384 for index in table.indexes.values())


def test_results_of_functions_stay_while_their_arguments_are_requested() -> None:
    kb = KnowledgeBase(NAMES, algorithm="bf")
    kb.update(insert=[("v", n, f"x{n}") for n in range(50)])
    kb.update(delete=[("v", n, f"x{n}") for n in range(3, 50)])
    engine = engine_of(kb)
    (results,) = (name for name in engine.state.tables if name.startswith("#call"))
    assert len(engine.state.tables[results]) == 50
    with collecting():
        kb.update()
    assert len(engine.state.tables[results]) == 3
    with collecting(least=1 << 40):
        kb.update(insert=[("v", 9, "x9"), ("v", 8, "y")])
    assert len(engine.state.tables[results]) == 5
    assert set(kb["named"]) == {(0, "name of x0"), (1, "name of x1"), (2, "name of x2"), (9, "name of x9"), (8, "name of y")}


def test_a_function_without_value_is_not_called_again() -> None:
    kb = KnowledgeBase("n(X, N) :- v(X), N = int(X).")
    kb.update(insert=[("v", "1"), ("v", "none")])
    with collecting():
        assert kb.update(insert=[("v", "2")]).stats.undefined == 0
        assert kb.update(insert=[("v", "two")]).stats.undefined == 1
    assert set(kb["n"]) == {("1", 1), ("2", 2)}


@pytest.mark.parametrize("modules", [True, False])
def test_counters_of_derivations_stay(modules: bool) -> None:
    kb = KnowledgeBase(f"{PATHS} two(X) :- path(X, _). two(X) :- edge(_, X).", modules=modules, algorithm="counting")
    kb.update(insert=[("edge", n, n + 1) for n in range(20)])
    kb.update(delete=[("edge", n, n + 1) for n in range(12)])
    engine = engine_of(kb)
    before = engine.state.tables["two"].counters
    assert before is not None
    with collecting():
        kb.update()
    after = engine.state.tables["two"].counters
    assert after is not None
    assert after.shape == (2, len(engine.state.tables["two"]))
    assert (after.sum(axis=0) > 0).all()
    kb.update(delete=[("edge", 15, 16), ("edge", 16, 17)])
    assert set(kb["two"]) == {(n,) for n in range(12, 21)} - {(16,)}


# --- when ----------------------------------------------------------------------------------------------------------------


def test_too_few_new_terms_are_not_worth_a_look() -> None:
    small = with_garbage()
    with collecting(least=len(small.state.terms) + 1):
        assert not term_collection.is_due(small.state)
    with collecting(least=len(small.state.terms)):
        assert term_collection.is_due(small.state)
        assert term_collection.without_unused_terms(small.state, {}, no_poll) is not None


def test_if_most_terms_are_in_use_the_next_look_waits_until_there_are_twice_as_many() -> None:
    kb = KnowledgeBase("edge(0, 0).")
    with collecting(least=10, growth=1.0, used=0.5):
        kb.update(insert=[("edge", n, n) for n in range(30)])
        engine = engine_of(kb)
        before = engine.state
        assert term_collection.is_due(before)
        kb.update()
        assert engine.state is before
        assert before.next_look == 60
        kb.update(insert=[("edge", n, n) for n in range(59)])
        assert not term_collection.is_due(before)
        kb.update(insert=[("edge", 60, 60)], delete=[("edge", n, n) for n in range(59)])
        assert term_collection.is_due(before)
        kb.update()
    assert engine.state is not before
    assert len(engine.state.terms) == 1
    assert engine.state.next_look == 11


def test_many_rows_need_many_new_terms() -> None:
    """A look reads all rows, so few new terms do not pay for it."""
    kb = KnowledgeBase("")
    kb.update(insert=[("p", n // 100, n % 100) for n in range(2_000)])
    state = engine_of(kb).state
    with collecting(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_collection, "_ROWS_A_TERM", 4)
        assert term_collection.without_unused_terms(state, {}, no_poll) is None
        assert state.next_look == 500
        patch.setattr(term_collection, "_ROWS_A_TERM", 20)
        assert term_collection.without_unused_terms(state, {}, no_poll) is not None


def test_there_is_a_look_before_the_dictionary_is_full() -> None:
    assert term_collection._next_look(10, 100_000) == 100_010
    assert term_collection._next_look(1 << 20, 0) == 1 << 21
    assert 3 << 29 < term_collection._next_look(3 << 29, 0) < MOST_TERMS


def test_calls_without_new_terms_count_as_well() -> None:
    """A test of two texts brings a row, and no term."""
    kb = KnowledgeBase("in(X, Y) :- p(X), q(Y), contains(Y, X).")
    with collecting(least=400, growth=1.0, used=0.5):
        for n in range(40):
            kb.update(insert=[("p", "a"), ("q", str(n)), *(("p", str(m)) for m in range(20))])
            kb.update(delete=[("p", "a"), ("q", str(n)), *(("p", str(m)) for m in range(20))])
        engine = engine_of(kb)
        (results,) = (name for name in engine.state.tables if name.startswith("#call"))
        assert len(engine.state.tables[results]) < 900


def test_an_engine_does_not_collect_by_itself() -> None:
    """Another owner, such as the engine on Spark, may hold ids: it is only done if the owner asks."""
    with collecting():
        small = with_garbage()
        terms = small.state.terms
        for n in range(5):
            small.engine.add("edge", small.rows((n, n + 1)))
            small.engine.maintain(Watch())
        assert small.engine.may_collect_terms
        assert small.state.terms is terms
        small.engine.add("edge", small.rows((7, 8)))
        assert not small.engine.may_collect_terms, "changes wait that hold ids"


# --- all or nothing ------------------------------------------------------------------------------------------------------


def test_it_can_be_stopped_at_every_poll() -> None:
    text = f"{PATHS} far(X, N) :- N = count {{ Y : path(X, Y) }}. edge(1, 2). edge(2, 3)."
    for stop in itertools.count():
        looks = itertools.count()

        def poll(looks: itertools.count[int] = looks, stop: int = stop) -> None:
            if next(looks) == stop:
                raise KeyboardInterrupt

        small = SmallEngine(text, modules=True)
        before = small.state
        with collecting(), pytest.MonkeyPatch.context() as patch:
            patch.setattr(Watch, "poll", lambda _, poll=poll: poll())
            try:
                small.engine.collect_terms(Watch())
            except KeyboardInterrupt:
                assert small.state is before
                assert small.facts("path") == [(1, 2), (1, 3), (2, 3)]
                continue
        assert small.state is not before
        assert stop > 4
        return


def test_ctrl_c_stops_the_update_as_well() -> None:
    stops = [True]

    def show(_: object) -> None:
        if stops:
            stops.clear()
            raise KeyboardInterrupt

    kb = KnowledgeBase("p(1).", progress=show)
    kb.count("p")
    with collecting(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("tidelog.core.limits._SHOW_EVERY", -1.0)
        stops.append(True)
        with pytest.raises(KeyboardInterrupt):
            kb.update(insert=[("p", 2)])
        assert set(kb["p"]) == {(1,)}
        kb.update(insert=[("p", 2)])
    assert set(kb["p"]) == {(1,), (2,)}


def test_limits_of_an_update_are_not_used_up_by_it() -> None:
    kb = KnowledgeBase(VALUES, limit_facts=3)
    kb.update(insert=[("v", 1, "a")])
    with collecting():
        kb.update(delete=[("v", 1, "a")], insert=[("v", 2, "b")])
        with pytest.raises(Exception, match="TL070"):
            kb.update(insert=[("v", 3, "c"), ("v", 4, "d")])
        assert set(kb["same"]) == {("b", 2)}
        kb.update(delete=[("v", 2, "b")])
        assert kb.count("v") == 0


# --- results that were read before ---------------------------------------------------------------------------------------


@pytest.mark.by_night(1_000)
@given(history=maintained(), algorithm=st.sampled_from(ALGORITHMS), given_conditions=conditions)
@settings(max_examples=35)
def test_results_stay_what_they_were(history: History, algorithm: str, given_conditions: Any) -> None:
    """Facts, answers and changes are read long after the terms were collected."""
    steps = steps_of(history)
    later: list[Callable[[], None]] = []
    with under(given_conditions), collecting():
        kb = KnowledgeBase(Source(history.program.text), algorithm=algorithm)  # type: ignore[arg-type]
        for before, step in pairwise(steps):
            change = kb.update(**step.update)
            facts = {name: kb[name] for name in kb.relations}

            def check(change: Any = change, facts: Any = facts, before: Any = before, step: Any = step) -> None:
                found = {name: rows_of(rows) for name, rows in facts.items()}
                assert without_empty(found) == without_empty(step.expected)
                check_change(change, before.expected, step.expected)
                check_parts(change, before.explicit, step.explicit)

            later.append(check)
        kb.update()
        for check_later in later:
            check_later()
        assert without_empty(held(kb)) == without_empty(steps[-1].expected)


def test_what_nobody_holds_is_freed_at_once() -> None:
    """Buffers do not wait for the collector of cycles, which does not see how large they are."""
    kb = KnowledgeBase(NAMES)
    kb.update(insert=[("v", n, f"x{n}") for n in range(9)])
    facts, before = kb["v"], engine_of(kb).state
    terms, table, state = weakref.ref(before.terms), weakref.ref(before.tables["named"]), weakref.ref(before)
    del before
    gc.disable()
    try:
        with collecting():
            kb.update(upsert=[("v", 1, "y")])
        assert (state(), table()) == (None, None)
        assert terms() is not None
        assert (1, "x1") in facts
        del facts
        assert terms() is None
    finally:
        gc.enable()


def test_a_result_still_knows_what_it_contains() -> None:
    kb = KnowledgeBase(VALUES)
    kb.update(insert=[("v", n, f"x{n}") for n in range(20)])
    facts, answers = kb["same"], kb.query('v(K, "x3")')
    with collecting():
        kb.update(delete=[("v", n, f"x{n}") for n in range(19)])
        kb.update(insert=[("v", 77, "y")])
    assert ("x3", 3) in facts
    assert ("y", 77) not in facts
    assert set(answers) == {(3,)}
    assert ("y", 77) in kb["same"]
    assert facts.to_arrow().column(1).to_pylist() == list(range(20))


def test_snapshots_and_copies_stay_what_they_were() -> None:
    kb = local(VALUES)
    kb.update(insert=[("v", n, f"x{n}") for n in range(20)])
    with collecting(), kb.snapshot() as view:
        copy, state = kb.copy(), engine_of(kb).state
        kb.update(delete=[("v", n, f"x{n}") for n in range(19)])
        with kb.snapshot() as later:
            kb.update(insert=[("v", 77, "y")])
            copy.update(delete=[("v", 0, "x0")], insert=[("v", 88, "z")])
            assert engine_of(kb).state is not state
            assert set(view["same"]) == {(f"x{n}", n) for n in range(20)}
            assert set(view.query('v(K, "x3")')) == {(3,)}
            assert set(later["same"]) == {("x19", 19)}
            assert set(later.query("v(K, _)")) == {(19,)}
            assert set(kb["same"]) == {("x19", 19), ("y", 77)}
            assert set(copy["same"]) == {(f"x{n}", n) for n in range(1, 20)} | {("z", 88)}


def local(text: str) -> LocalKnowledgeBase:
    kb = KnowledgeBase(text)
    assert isinstance(kb, LocalKnowledgeBase)
    return kb


# --- over time -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [VALUES, NAMES, VALUES + "near(X, Y) :- same(X, K), same(Y, K)."])
@pytest.mark.parametrize("algorithm", ["auto", "bf", "dred", "counting"])
def test_terms_follow_what_is_there(text: str, algorithm: str) -> None:
    """200,000 upserts of values that were never there before, over 1,000 live rows."""
    kb = KnowledgeBase(text, algorithm=algorithm)  # type: ignore[arg-type]
    most, engine, upserts = 0, engine_of(kb), 200_000
    with collecting(least=10_000, growth=1.0, used=0.5):
        for begin in range(0, upserts, 1_000):
            kb.update(upsert=[("v", n % 1_000, f"value {n}") for n in range(begin, begin + 1_000)])
            most = max(most, len(engine.state.terms))
    assert most < 25_000
    assert max(len(table) for table in engine.state.tables.values()) < 25_000
    assert set(kb["v"]) == {(n % 1_000, f"value {n}") for n in range(upserts - 1_000, upserts)}


@pytest.mark.parametrize("modules", [True, False])
def test_edges_come_and_go(modules: bool) -> None:
    """A window slides over a path that never ends."""
    kb = KnowledgeBase(PATHS, modules=modules)
    engine, most = engine_of(kb), 0
    with collecting(least=200, growth=1.0, used=0.5):
        for n in range(3_000):
            kb.update(insert=[("edge", n, n + 1)], delete=[("edge", n - 20, n - 19)])
            most = max(most, len(engine.state.terms))
            if n % 250 == 249:
                assert kb.count("path") == 20 * 21 // 2
                assert (n - 19, n + 1) in kb["path"]
    assert most < 900


@pytest.mark.parametrize("marking", [True, "auto", False])
def test_streams_with_marks(marking: Any) -> None:
    """Marks hold ids, and are dropped with them; what is derived stays right."""
    deleted = [(("edge", n - 1, n), ("edge", n - 3, "end")) for n in range(1, 300)]
    updates = [Update(None, gone, (("edge", n, n + 1), ("edge", n, "end"))) for n, gone in enumerate(deleted, 1)]
    kb = KnowledgeBase(f'{PATHS} to(X) :- path(X, "end").', modules=False, marking=marking)
    engine, count = engine_of(kb), 0
    states = [engine.state]
    with collecting(least=30, growth=0.5, used=0.9), kb.follow(SeenStream(updates, ALWAYS)) as following:
        for n, change in enumerate(following, 1):
            count += change.stats.counters.explicit_marks
            assert set(kb["to"]) == {(m,) for m in range(max(1, n - 2), n + 1)}
            states += [engine.state] * (engine.state is not states[-1])
    assert len(states) > 3
    assert bool(count) == bool(marking)


def test_rules_change_between_collections() -> None:
    kb = KnowledgeBase(VALUES)
    with collecting():
        kb.update(insert=[("v", 1, "a"), ("v", 2, "b")])
        kb.add_rules('named(K, S) :- v(K, X), S = cat("n ", X). path(X, Y) :- v(X, Y). path(X, Z) :- path(X, Y), path(Y, Z).')
        kb.update(upsert=[("v", 1, "c")])
        assert set(kb["named"]) == {(1, "n c"), (2, "n b")}
        kb.remove_rules('named(K, S) :- v(K, X), S = cat("n ", X).')
        kb.update(upsert=[("v", 2, "d")], add_rules='named(K, S) :- v(K, X), S = cat("m ", X).')
        assert set(kb["named"]) == {(1, "m c"), (2, "m d")}
        assert set(kb["path"]) == {(1, "c"), (2, "d")}


def test_loads_and_replays_collect_as_well() -> None:
    import pyarrow as pa

    kb = KnowledgeBase(VALUES)
    engine = engine_of(kb)
    with collecting(least=100, growth=1.0, used=0.5):
        kb.replay(Update(None, (), (), (("v", n % 10, f"x{n}"),)) for n in range(1_000))
        assert len(engine.state.terms) < 250
        assert set(kb["same"]) == {(f"x{n}", n % 10) for n in range(990, 1_000)}
        for n in range(1_000, 2_000, 50):
            kb.load(
                "v", pa.table({"k": [m % 10 for m in range(n, n + 50)], "x": [f"x{m}" for m in range(n, n + 50)]}), upsert=True
            )
            assert kb.count("same") == 10
        assert len(engine.state.terms) < 400
    assert set(kb["same"]) == {(f"x{n}", n % 10) for n in range(1_990, 2_000)}
