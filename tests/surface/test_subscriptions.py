"""Functions that are told of changes: when, with what, in which order, and what their failures do."""

from __future__ import annotations

import asyncio
import logging
import threading
from pathlib import Path

import pyarrow as pa
import pytest

from tidelog import KnowledgeBase, TidelogError
from tidelog.surface.subscriptions import RelationChange, Subscription

PATHS = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z). apart(X) :- node(X), not edge(X, _)."
Seen = list[tuple[set[tuple[object, ...]], set[tuple[object, ...]]]]


def listening(kb: KnowledgeBase, relation: str) -> tuple[Seen, Subscription]:
    seen: Seen = []
    return seen, kb.subscribe(relation, lambda change: seen.append((set(change.inserted), set(change.deleted))))


def test_a_function_is_told_what_each_update_has_changed() -> None:
    kb = KnowledgeBase(PATHS)
    seen, _ = listening(kb, "path")
    kb.update(insert=[("edge", "a", "b")])
    kb.update(insert=[("edge", "b", "c")], delete=[("edge", "a", "b")])
    assert seen == [({("a", "b")}, set()), ({("b", "c")}, {("a", "b")})]


def test_it_is_not_told_of_other_relations_nor_of_updates_without_effect() -> None:
    kb = KnowledgeBase(PATHS)
    kb.update(insert=[("edge", "a", "b")])
    seen, _ = listening(kb, "path")
    kb.update(insert=[("node", "x")])
    kb.update(insert=[("edge", "a", "b"), ("path", "a", "b")])
    kb.update(delete=[("edge", "x", "y")])
    kb.update()
    assert seen == []


@pytest.mark.parametrize("algorithm", ["ranked", "bf", "dred", "counting", "rematerialise"])
@pytest.mark.parametrize("modules", [True, False])
def test_what_it_was_told_adds_up_to_what_there_is(algorithm: str, *, modules: bool) -> None:
    kb = KnowledgeBase(PATHS, algorithm=algorithm, modules=modules)  # type: ignore[arg-type]
    kb.update(insert=[("edge", 0, 1), ("node", 0), ("node", 9)])
    held = {name: set(kb[name]) for name in ("path", "apart")}

    def follow(change: RelationChange) -> None:
        assert not set(change.inserted) & held[change.relation]
        assert set(change.deleted) <= held[change.relation]
        held[change.relation] = (held[change.relation] - set(change.deleted)) | set(change.inserted)

    for name in held:
        kb.subscribe(name, follow)
    kb.update(insert=[("edge", n, (n * 7 + 1) % 10) for n in range(10)])
    kb.load("edge", pa.table({"x": [5, 6], "y": [2, 3]}))
    kb.update(delete=[("edge", n, (n * 7 + 1) % 10) for n in (2, 3, 9)])
    list(kb.follow([{"id": n, "insert": [["edge", n, 0]], "delete": [["edge", n - 1, 0]]} for n in range(5)]))
    kb.add_rules("path(Y, X) :- path(X, Y), node(X).")
    kb.remove_rules("path(X, Y) :- edge(X, Y).")
    assert held == {name: set(kb[name]) for name in held}


def test_a_load_and_rdf_are_told_at_once_if_somebody_listens(tmp_path: Path) -> None:
    kb = KnowledgeBase("@relation temp(t: string key, c: int) . hot(T) :- temp(T, C), C > 20. big(X) :- p(X, _).")
    kb.load("temp", pa.table({"t": ["t1"], "c": [30]}))
    seen, _ = listening(kb, "hot")
    report = kb.load("temp", pa.table({"t": ["t1", "t2"], "c": [10, 25]}), upsert=True)
    assert (report.replaced, report.new_facts) == (1, 2)
    assert seen == [({("t2",)}, {("t1",)})]
    file = tmp_path / "few.nt"
    file.write_text("<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n", encoding="utf-8")
    rdf = KnowledgeBase("q(X) :- <http://e.org/p>(X, _).")
    found, _ = listening(rdf, "q")
    rdf.load_rdf(file)
    assert [(len(inserted), len(deleted)) for inserted, deleted in found] == [(1, 0)]


def test_facts_that_came_before_are_nothing_new() -> None:
    kb = KnowledgeBase(PATHS + " edge(a, b).")
    kb.load("edge", pa.table({"x": ["b"], "y": ["c"]}))
    seen, _ = listening(kb, "path")
    kb.update(insert=[("edge", "c", "d")])
    assert seen == [({("c", "d"), ("b", "d"), ("a", "d")}, set())]


def test_the_change_says_which_relation_and_which_update_of_a_stream() -> None:
    kb = KnowledgeBase("@prefix ex: <http://e.org/> . ex:q(X) :- p(X).")
    got: list[RelationChange] = []
    subscription = kb.subscribe("ex:q", got.append)
    assert (subscription.relation, repr(subscription)) == ("http://e.org/q", "<Subscription: http://e.org/q>")
    list(kb.follow([{"id": "u1", "insert": [["p", 1], ["p", 2]]}, {"id": 7, "delete": [["p", 1]]}]))
    kb.update(delete=[("p", 2)])
    assert [(change.id, len(change.inserted), len(change.deleted)) for change in got] == [("u1", 2, 0), (7, 0, 1), (None, 0, 1)]
    assert all(change.relation == "http://e.org/q" for change in got)
    assert repr(got[0]) == "RelationChange(http://e.org/q: 2 inserted, 0 deleted)"
    assert "<td>2</td><td>0</td>" in got[0]._repr_html_()
    assert all(got)


def test_an_update_that_fails_calls_nobody() -> None:
    kb = KnowledgeBase(PATHS, limit_facts=20)
    seen, _ = listening(kb, "path")
    with pytest.raises(TidelogError, match="TL020"):
        kb.update(insert=[("edge", "a", "b"), ("edge", "a")])
    with pytest.raises(TidelogError, match="TL070"):
        kb.update(insert=[("edge", n, n + 1) for n in range(50)])
    with pytest.raises(TidelogError):
        kb.add_rules("q(X) :- q(Y).")
    assert seen == []
    kb.update(insert=[("edge", "a", "b")])
    assert seen == [({("a", "b")}, set())]


def test_a_function_that_fails_stops_neither_the_update_nor_others(caplog: pytest.LogCaptureFixture) -> None:
    kb = KnowledgeBase(PATHS)
    kb.subscribe("path", lambda _: 1 / 0)
    seen, _ = listening(kb, "path")
    with caplog.at_level(logging.ERROR, "tidelog.subscriptions"):
        change = kb.update(insert=[("edge", "a", "b")])
        kb.update(insert=[("edge", "b", "c")])
    assert len(change.inserted["path"]) == 1
    assert len(seen) == 2
    assert [(record.name, record.levelname) for record in caplog.records] == [("tidelog.subscriptions", "ERROR")] * 2
    assert "ZeroDivisionError" in caplog.text


def test_ctrl_c_in_a_function_reaches_the_caller_and_later_changes_reach_the_functions() -> None:
    kb = KnowledgeBase(PATHS)

    def interrupt(change: RelationChange) -> None:
        if ("a", "b") in change.inserted:
            raise KeyboardInterrupt

    kb.subscribe("path", interrupt)
    seen, _ = listening(kb, "path")
    with pytest.raises(KeyboardInterrupt):
        kb.update(insert=[("edge", "a", "b")])
    assert ("path", "a", "b") in kb
    kb.update(insert=[("edge", "b", "c")])
    assert [inserted for inserted, _ in seen] == [{("b", "c"), ("a", "c")}]


def test_unsubscribing() -> None:
    kb = KnowledgeBase(PATHS)
    seen, subscription = listening(kb, "path")
    other, _ = listening(kb, "path")
    states = [subscription.is_open]
    kb.update(insert=[("edge", "a", "b")])
    subscription.close()
    subscription.close()
    states.append(subscription.is_open)
    assert states == [True, False]
    assert repr(subscription) == "<Subscription: path, closed>"
    kb.update(insert=[("edge", "b", "c")])
    assert (len(seen), len(other)) == (1, 2)
    with kb.subscribe("path", lambda change: seen.append((set(change.inserted), set()))):
        kb.update(insert=[("edge", "c", "d")])
    kb.update(insert=[("edge", "d", "e")])
    assert (len(seen), len(other)) == (2, 4)


def test_a_function_may_unsubscribe_itself_and_others() -> None:
    kb = KnowledgeBase(PATHS)
    calls: list[str] = []

    def once(_: RelationChange) -> None:
        calls.append("once")
        first.close()
        second.close()

    first = kb.subscribe("path", once)
    second = kb.subscribe("path", lambda _: calls.append("never"))
    kb.update(insert=[("edge", "a", "b")])
    kb.update(insert=[("edge", "b", "c")])
    assert calls == ["once"]


def test_a_function_may_read_and_update_and_its_changes_come_after_this_one() -> None:
    kb = KnowledgeBase("seen(X) :- p(X). p2(X) :- p(X), X < 3.")
    order: list[tuple[str, int]] = []

    def count_up(change: RelationChange) -> None:
        ((number,),) = change.inserted
        assert kb.count("p") == number + 1
        if number < 4:
            kb.update(insert=[("p", number + 1)])
        order.append(("first", number))

    kb.subscribe("seen", count_up)
    kb.subscribe("seen", lambda change: order.extend(("second", number) for (number,) in change.inserted))
    kb.update(insert=[("p", 0)])
    assert order == [(name, number) for number in range(5) for name in ("first", "second")]


def test_changes_of_several_threads_come_one_at_a_time_and_in_the_order_of_the_updates() -> None:
    kb = KnowledgeBase(PATHS)
    kb.update(insert=[("node", -1)])
    held, busy, overlapped, lost = set(kb["node"]), threading.Lock(), [], []

    def follow(change: RelationChange) -> None:
        if not busy.acquire(blocking=False):
            overlapped.append(change)
            return
        try:
            nonlocal held
            if set(change.inserted) & held or not set(change.deleted) <= held:
                lost.append(change)
            held = (held - set(change.deleted)) | set(change.inserted)
        finally:
            busy.release()

    kb.subscribe("node", follow)

    def write() -> None:
        for n in range(60):  # all threads write the same facts: only the right order adds up
            kb.update(insert=[("node", n % 7)], delete=[("node", (n + 3) % 7)])

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (overlapped, lost) == ([], [])
    assert held == set(kb["node"])


def test_a_relation_must_be_there_and_the_function_must_be_one() -> None:
    kb = KnowledgeBase(PATHS)
    with pytest.raises(TidelogError, match=r"TL073(.|\n)*did you mean `path`"):
        kb.subscribe("pth", print)
    with pytest.raises(TidelogError, match="TL071"):
        kb.subscribe("path", "print")  # type: ignore[arg-type]

    async def later(_: RelationChange) -> None: ...

    with pytest.raises(TidelogError, match=r"TL071(.|\n)*call_soon_threadsafe"):
        kb.subscribe("path", later)


def test_changes_for_an_event_loop() -> None:
    async def main() -> list[str]:
        loop, queue = asyncio.get_running_loop(), asyncio.Queue[RelationChange]()
        kb = KnowledgeBase(PATHS)
        with kb.subscribe("path", lambda change: loop.call_soon_threadsafe(queue.put_nowait, change)):
            await asyncio.to_thread(kb.update, [("edge", "a", "b")])
            return [str(fact) for fact in (await asyncio.wait_for(queue.get(), 30)).inserted]

    assert asyncio.run(main()) == ["('a', 'b')"]


def test_a_copy_has_no_subscribers_and_a_saved_one_keeps_them_while_it_is_open(tmp_path: Path) -> None:
    kb = KnowledgeBase(PATHS)
    seen, _ = listening(kb, "path")
    kb.copy().update(insert=[("edge", "x", "y")])
    assert seen == []
    kb.save(tmp_path / "saved")
    kb.update(insert=[("edge", "a", "b")])
    kb.load("edge", pa.table({"x": ["b"], "y": ["c"]}))
    kb.close()
    assert [inserted for inserted, _ in seen] == [{("a", "b")}, {("b", "c"), ("a", "c")}]
    with KnowledgeBase.open(tmp_path / "saved") as again:
        assert again.count("path") == 3
        again.update(insert=[("edge", "c", "d")])
    assert len(seen) == 2


def test_a_relation_that_a_change_of_rules_drops_ends_with_its_facts_deleted() -> None:
    kb = KnowledgeBase("r1: q(X) :- p(X). p(1).")
    seen, subscription = listening(kb, "q")
    kb.remove_rules("r1")
    assert seen == [(set(), {(1,)})]
    kb.add_rules("q(X) :- p(X).")
    assert seen[1:] == [({(1,)}, set())]
    assert subscription.is_open
