"""Marks: how many there are, what they save, where they are dropped, and what becomes of them if something else happens."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest
from tests.corpus import needs_corpus
from tests.differential.corpus_streams import marking_streams, revisions, rules_of
from tests.local.small_engine import PATHS, SmallEngine
from tests.local_engine import held
from tests.streams.seen_streams import ALWAYS, NEVER, SeenStream

from tidelog import KnowledgeBase, TidelogError
from tidelog.changes import Change, Counters
from tidelog.core.limits import Watch
from tidelog.local.encoded_facts import EncodedUpdate
from tidelog.local.lookahead import look_ahead
from tidelog.local.lookahead.marking import EarlierMarks, propagate_marks
from tidelog.local.maintenance.propagation import Propagation
from tidelog.streams import Update, UpdateError

SEQUENCE = "e1(X, Y) :- edge(X, Y). e2(X, Y) :- e1(X, Y). e3(X, Y) :- e2(X, Y). e4(X, Y) :- e3(X, Y)."
PATH = "path(X, Y) :- edge(X, Y). path(X, Z) :- edge(X, Y), path(Y, Z)."


def edges(pairs: Iterable[tuple[object, object]]) -> tuple[tuple[object, ...], ...]:
    return tuple(("edge", *pair) for pair in pairs)


def paper_stream(nodes: int, size: int, updates: int = 50) -> list[Update]:
    """From the third update on each deletes what the one before has inserted."""
    generator = random.Random(3)
    pool = [(x, y) for x in range(nodes) for y in range(nodes)]
    last = generator.sample(pool, 100)
    stream = [Update(insert=edges(last))]
    left = [pair for pair in pool if pair not in set(last)]
    for number in range(1, updates):
        gone = generator.sample(last, size) if number == 1 else last
        new = generator.sample(left, size)
        stream.append(Update(delete=edges(gone), insert=edges(new)))
        left = [pair for pair in left if pair not in set(new)] + list(gone)
        last = new
    return stream


def worked_off(rules: str, stream: list[Update], moments: Iterable[bool] = ALWAYS, **options: Any) -> tuple[Counters, Any]:
    """What all updates but the first did, and all facts in the end."""
    kb = KnowledgeBase(rules, modules=False, **options)
    kb.update(insert=stream[0].insert)
    total = Counters()
    for change in kb.follow(SeenStream(stream[1:], moments)):
        total.add(change.stats.counters)
    return total, held(kb)


@pytest.mark.parametrize("size", [10, 20, 30])
def test_table_2_of_the_paper(size: int) -> None:
    stream = paper_stream(100, size)
    without, facts = worked_off(SEQUENCE, stream, algorithm="bf", marking=False)
    marked, same = worked_off(SEQUENCE, stream, algorithm="bf", marking=True)
    assert facts == same
    assert (without.suspected, marked.suspected) == (without.affected, marked.affected) == (196 * size, 148 * size)
    assert (marked.explicit_marks, marked.implicit_marks, marked.dropped_marks) == (48 * size, 48 * size, 0)
    assert (without.backward, without.forward, without.inserted) == (marked.backward, marked.forward, marked.inserted)


def test_with_dred_derived_facts_pass_marks_on() -> None:
    stream = paper_stream(100, 10)
    without, facts = worked_off(SEQUENCE, stream, algorithm="dred", marking=False)
    marked, same = worked_off(SEQUENCE, stream, algorithm="dred", marking=True)
    assert facts == same
    assert (without.suspected, marked.suspected) == (1960, 40)
    assert (marked.explicit_marks, marked.implicit_marks) == (480, 4 * 480)
    assert without.overdeleted == marked.overdeleted == 1960


def test_auto_applies_no_rule_to_what_goes_as_it_came() -> None:
    stream = paper_stream(100, 10)
    marked, facts = worked_off(SEQUENCE, stream, marking="auto")
    assert facts == worked_off(SEQUENCE, stream, marking=False)[1]
    assert (marked.suspected, marked.checked, marked.explicit_marks, marked.implicit_marks) == (40, 40, 480, 4 * 480)


@pytest.mark.parametrize("algorithm", ["bf", "dred"])
def test_fewer_deletions_in_a_recursion(algorithm: str) -> None:
    stream = paper_stream(20, 10)
    without, facts = worked_off(PATH, stream, algorithm=algorithm, marking=False)
    marked, same = worked_off(PATH, stream, algorithm=algorithm, marking=True)
    assert facts == same
    assert marked.suspected < without.suspected / 2


@needs_corpus
def test_table_3_of_the_paper() -> None:
    """The explicit marks, and what is proved; how many facts are affected, and not found otherwise, is a matter of order."""
    (track,) = (path for path in marking_streams() if path.parts[-4] == "real")
    stream = [Update(delete=tuple(step.delete), insert=tuple(step.insert)) for step in revisions(track)]
    without, facts = worked_off(rules_of(track), stream, algorithm="bf", marking=False)
    marked, same = worked_off(rules_of(track), stream, algorithm="bf", marking=True)
    assert facts == same
    assert (without.explicit_marks, marked.explicit_marks) == (0, 910)
    assert without.proved == marked.proved == 3299
    assert (without.affected, marked.affected) == (556, 242)
    dred, _ = worked_off(rules_of(track), stream, algorithm="dred", marking=False)
    assert without.checked == marked.checked == dred.overdeleted


def test_what_each_update_takes_is_told_from_what_each_fact_takes() -> None:
    deletions = look_ahead._Deletions()
    for facts in (10, 40, 20, 80):
        deletions.record(facts, 1e-3 + facts * 1e-5)
    assert deletions.saved(30, 2) == pytest.approx(30e-5)
    assert deletions.saved(30, 0) == pytest.approx(1e-3 + 30e-5)


def test_updates_of_one_size_do_not_tell_them_apart() -> None:
    deletions = look_ahead._Deletions()
    for _ in range(5):
        deletions.record(10, 2e-3)
    assert deletions.saved(10, 0) == deletions.saved(10, 5) == pytest.approx(2e-3)


@pytest.mark.parametrize("algorithm", ["bf", "dred"])
def test_facts_that_were_there_before_are_marked_too(algorithm: str) -> None:
    """They pass their marks to what the update derives with them; the rest is still to be found."""
    kb = KnowledgeBase(PATH, marking=True, algorithm=algorithm, modules=False)  # type: ignore[arg-type]
    kb.update(insert=edges([("a", "b"), ("d", "e")]))
    second = {"delete": edges([("a", "b")])}
    first, change = kb.follow([{"insert": edges([("b", "c")]), "delete": edges([("d", "e")])}, second])
    assert first.stats.counters.marks == 0
    counters = change.stats.counters
    assert (counters.explicit_marks, counters.implicit_marks, counters.dropped_marks) == (1, 1, 0), "path(a, c) is marked"
    assert counters.affected == 1, "path(a, b) is found"
    assert set(kb["path"]) == {("b", "c")}


@pytest.mark.parametrize("algorithm", ["bf", "dred"])
def test_what_is_proved_by_a_marked_fact_is_marked(algorithm: str) -> None:
    kb = KnowledgeBase("p(X) :- q(X). p(X) :- r(X, Y), s(Y).", marking=True, algorithm=algorithm)  # type: ignore[arg-type]
    kb.update(insert=[("q", 1), ("r", 1, 2), ("s", 2)])
    _, change = kb.follow([{"delete": [["q", 1]]}, {"delete": [["s", 2]]}])
    counters = change.stats.counters
    assert (counters.explicit_marks, counters.implicit_marks, counters.affected) == (
        (1, 1, 0) if algorithm == "bf" else (1, 0, 1)
    )
    assert not kb["p"]


def test_a_fact_that_may_still_be_derived_passes_no_mark() -> None:
    kb = KnowledgeBase("p(X) :- q(X). r(X, Y) :- p(X), s(Y).", marking=True, algorithm="bf")
    kb.update(insert=[("p", 1), ("q", 1)])
    _, change = kb.follow([{"insert": [["s", 2]]}, {"delete": [["p", 1]]}])
    assert change.stats.counters.implicit_marks == 0
    assert set(kb["r"]) == {(1, 2)}


@pytest.mark.parametrize("marking", [True, "auto"])
def test_what_is_not_seen_is_not_marked(marking: Any) -> None:
    counters, _ = worked_off(SEQUENCE, paper_stream(100, 10, 10), NEVER, marking=marking, algorithm="bf")
    assert (counters.marks, counters.suspected) == (0, 9 * 40)


def test_an_update_that_comes_late_still_finds_marks() -> None:
    """It is there when the one before is done; with marks as in the papers, that is soon enough."""
    moments = [at % 2 == 1 for at in range(40)]
    counters, _ = worked_off(SEQUENCE, paper_stream(100, 10, 10), moments, marking=True, algorithm="bf")
    assert (counters.explicit_marks, counters.implicit_marks) == (80, 80)


# --- where marks are of no use -------------------------------------------------------------------------------------------


def last_change(rules: str, updates: list[dict[str, Any]], **options: Any) -> Change:
    kb = KnowledgeBase(rules, **options)
    kb.update()
    return list(kb.follow(updates))[-1]


def test_marks_are_dropped_above_a_negation() -> None:
    rules = "covered(X) :- roof(X). wet(X) :- out(X), rain(D), not covered(X). out(1). out(2). out(3). rain(1)."
    updates = [{"insert": [["roof", 1], ["rain", 2]]}, {"delete": [["roof", 1], ["rain", 2]]}]
    change = last_change(rules, updates, marking=True, algorithm="bf")
    assert set(change.inserted["wet"]) == {(1,)}
    assert change.stats.counters.dropped_marks == 0, "nothing new was wet"
    updates = [{"insert": [["roof", 1], ["out", 4]]}, {"delete": [["roof", 1], ["out", 4]]}]
    change = last_change(rules, updates, marking=True, algorithm="bf")
    assert (set(change.inserted["wet"]), set(change.deleted["wet"])) == ({(1,)}, {(4,)})
    counters = change.stats.counters
    assert (counters.explicit_marks, counters.implicit_marks, counters.dropped_marks) == (2, 1, 1)


def test_taking_back_what_a_function_was_asked_for() -> None:
    rules = 'named(X, N) :- p(X), N = cat("n", X). p("a").'
    updates = [{"insert": [["p", "b"]]}, {"delete": [["p", "b"]], "insert": [["p", "c"]]}, {"insert": [["p", "b"]]}]
    change = last_change(rules, updates)
    assert set(change.inserted["named"]) == {("b", "nb")}
    kb = KnowledgeBase(rules)
    kb.update()
    first, second, _ = kb.follow(updates)
    assert (first.stats.counters.dropped_marks, second.stats.counters.marks) == (1, 0)


@pytest.mark.parametrize("algorithm", ["counting", "rematerialise"])
def test_algorithms_without_marks(algorithm: str) -> None:
    counters, _ = worked_off(SEQUENCE, paper_stream(100, 10, 5), algorithm=algorithm, marking=True)
    assert counters.marks == 0


# --- what else may happen ------------------------------------------------------------------------------------------------

TAKEN_BACK = [Update(1, insert=edges([(1, 2), (2, 3)])), Update(2, delete=edges([(1, 2), (2, 3)]), insert=edges([(2, 4)]))]


@pytest.mark.parametrize("marking", [True, "auto"])
@pytest.mark.parametrize("what", ["update", "load", "nothing"])
def test_something_else_in_between(marking: Any, what: str) -> None:
    kb = KnowledgeBase(PATH, marking=marking, algorithm="bf", modules=False)
    kb.update(insert=edges([(3, 4)]))
    following = kb.follow(TAKEN_BACK)
    next(following)
    if what == "update":
        kb.update(insert=edges([(4, 5)]))
    elif what == "load":
        import pyarrow as pa

        kb.load("edge", pa.table({"c0": [4], "c1": [5]}))
    change = next(following)
    assert set(kb["edge"]) == ({(3, 4), (2, 4)} if what == "nothing" else {(3, 4), (2, 4), (4, 5)})
    assert set(kb["path"]) == ({(3, 4), (2, 4)} if what == "nothing" else {(3, 4), (2, 4), (4, 5), (3, 5), (2, 5)})
    assert (change.stats.counters.marks > 0) == (what == "nothing")


@pytest.mark.parametrize("marking", [True, "auto"])
def test_an_update_that_fails_leaves_what_was_marked(marking: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    kb = KnowledgeBase(PATH, marking=marking, algorithm="bf", modules=False)
    kb.update(insert=edges([(3, 4)]))
    following = kb.follow([*TAKEN_BACK, Update(3, delete=edges([(2, 3)]))])
    next(following)
    before = held(kb)
    run = Propagation.run

    def interrupted(*given: Any) -> None:
        run(*given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Propagation, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            next(following)
    assert held(kb) == before
    assert next(following).id == 3
    assert set(kb["path"]) == {(1, 2), (3, 4)}


@pytest.mark.parametrize("marking", [True, "auto"])
def test_a_next_update_that_is_wrong_is_no_concern_of_this_one(marking: Any) -> None:
    kb = KnowledgeBase(PATH, marking=marking)
    following = kb.follow([TAKEN_BACK[0], Update(2, delete=(("edge", 1),)), TAKEN_BACK[1]])
    next(following)
    with pytest.raises(UpdateError, match="update 2"):
        next(following)
    next(following)
    assert set(kb["path"]) == {(2, 4)}


def test_a_relation_that_this_update_brings_is_known_to_the_next() -> None:
    kb = KnowledgeBase(marking=True)
    following = kb.follow([{"insert": [["new", 1, 2]]}, {"delete": [["new", 1]]}])
    next(following)
    with pytest.raises(TidelogError, match="TL020"):
        next(following)


@pytest.mark.parametrize("marking", [True, "auto"])
def test_rules_that_come_and_go_in_between(marking: Any) -> None:
    recursion = ["path(X, Z) :- edge(X, Y), path(Y, Z)."]
    updates: list[dict[str, Any]] = [
        {"insert": [["edge", 1, 2]]},
        {"delete": [["edge", 1, 2]], "insert": [["edge", 1, 3]], "add_rules": recursion},
        {"delete": [["edge", 1, 3]], "insert": [["edge", 1, 4]]},
        {"delete": [["edge", 1, 4]], "insert": [["edge", 1, 5]], "remove_rules": recursion},
        {"delete": [["edge", 1, 5]]},
    ]
    kb = KnowledgeBase("path(X, Y) :- edge(X, Y). edge(0, 1).", marking=marking, modules=False)
    found = [sorted(kb["path"]) for _ in kb.follow(updates)]
    assert found == [[(0, 1), (1, 2)], [(0, 1), (0, 3), (1, 3)], [(0, 1), (0, 4), (1, 4)], [(0, 1), (1, 5)], [(0, 1)]]


# --- upserts -------------------------------------------------------------------------------------------------------------

TEMPERATURES = "@relation temp(turbine: string key, celsius: int) . hot(T) :- temp(T, C), C > 20. calm(T) :- at(T), not hot(T)."


@pytest.mark.parametrize("marking", [True, "auto", False])
def test_measurements_that_replace_each_other(marking: Any) -> None:
    kb = KnowledgeBase(TEMPERATURES, marking=marking, algorithm="bf")
    kb.update(insert=[("at", "a"), ("at", "b")])
    ticks = [
        {"upsert": [["temp", "a", 10], ["temp", "b", 30]]},
        {"upsert": [["temp", "a", 25], ["temp", "b", 31]]},
        {"upsert": [["temp", "a", 25], ["temp", "b", 5]]},  # one stays
        {"upsert": [["temp", "a", 1], ["temp", "a", 2]]},  # the last counts
    ]
    changes = [change.to_dict() for change in kb.follow(ticks)]
    assert [change["inserted"] for change in changes] == [
        {"hot": [["b"]], "temp": [["a", 10], ["b", 30]]},
        {"hot": [["a"]], "temp": [["a", 25], ["b", 31]]},
        {"calm": [["b"]], "temp": [["b", 5]]},
        {"calm": [["a"]], "temp": [["a", 2]]},
    ]
    assert [change["deleted"] for change in changes] == [
        {"calm": [["b"]]},
        {"calm": [["a"]], "temp": [["a", 10], ["b", 30]]},
        {"hot": [["b"]], "temp": [["b", 31]]},
        {"hot": [["a"]], "temp": [["a", 25]]},
    ]
    stats: Any = [change["stats"] for change in changes]
    assert [(each["inserted"], each["deleted"], each["without_effect"]) for each in stats] == [
        *((2, 0, 0), (2, 2, 0)),
        *((1, 1, 1), (1, 1, 0)),
    ]
    marks = sum(each["counters"]["explicit_marks"] for each in stats)
    assert (marks > 0) == (marking is not False)


# --- facts that were there before the update -------------------------------------------------------------------------------

EDGES = "edge(2, 3). edge(3, 4). edge(6, 7)."


def marked_after_insertion(small: SmallEngine, marked: str, fact: tuple[int, int], inserted: tuple[int, int]) -> EarlierMarks:
    """The marks after an edge was inserted, while the next update deletes a fact that was there before."""
    with small.engine.begin(Watch()) as transaction:
        transaction.run(EncodedUpdate({}, {"edge": small.rows(inserted)}, {}, {}, 0))
        found = propagate_marks(small.engine, {marked: small.rows(fact)}, transaction.step_deltas, transaction.watch)
        transaction.commit()
    return found


def test_heads_of_instances_with_a_marked_fact_and_a_new_one() -> None:
    small = SmallEngine(PATHS + EDGES)
    marks = marked_after_insertion(small, "edge", (2, 3), (1, 2))
    assert marks.explicit == 1
    assert {name: small.tuples(rows) for name, rows in marks.heads.items()} == {"path": [(1, 3)]}


def test_instances_without_the_marked_fact_pass_nothing() -> None:
    small = SmallEngine(PATHS + EDGES)
    marks = marked_after_insertion(small, "edge", (6, 7), (1, 2))
    assert small.tuples(marks.given["edge"]) == [(6, 7)]
    assert marks.heads == {}


def test_explicit_facts_of_a_relation_with_rules_pass_nothing() -> None:
    """They may still be derived when they are deleted."""
    small = SmallEngine(PATHS + EDGES + "path(2, 3). reach(X) :- path(1, X).")
    marks = marked_after_insertion(small, "path", (2, 3), (1, 2))
    assert marks.explicit == 1
    assert marks.heads == {}


def test_units_with_operators_pass_nothing() -> None:
    small = SmallEngine("name(X, Y) :- edge(X, Z), edge(Z, Y)." + EDGES)
    assert marked_after_insertion(small, "edge", (2, 3), (1, 2)).heads.keys() == {"name"}
    calling = SmallEngine("closed(X, Y) :- edge(X, Y). closed(X, Z) :- closed(X, Y), closed(Y, Z)." + EDGES, modules=True)
    assert "closed" not in marked_after_insertion(calling, "edge", (2, 3), (1, 2)).heads
