"""Threads that read while one updates: every answer is that of some finished update, and never an older one than before."""

from __future__ import annotations

import gc
import random
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.local_engine import sharing_of

from tidelog import KnowledgeBase, TidelogError
from tidelog.core.limits import Progress

pytestmark = pytest.mark.usefixtures("showing_at_every_poll")

RULES = """
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
reach(X, N) :- N = count { Y : path(X, Y) }.
end(Y) :- edge(_, Y), not edge(Y, _).
"""
NODES = 24


@pytest.fixture
def showing_at_every_poll(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.core.limits._SHOW_EVERY", -1.0)


@contextmanager
def switching_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def closed(edges: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The pairs that a chain with gaps connects."""
    return {(a, b) for a in range(NODES) for b in range(a + 1, NODES + 1) if all((n, n + 1) in edges for n in range(a, b))}


def check_view(kb: KnowledgeBase) -> int:
    """One state: what is derived fits what is there; how many updates it has seen."""
    with kb.snapshot() as view:
        edges = set(view["edge"])
        assert set(view["path"]) == closed(edges)
        assert set(view.query("path(X, Y), edge(Y, Z)")) == {(x, y, y + 1) for x, y in closed(edges) if (y, y + 1) in edges}
        assert dict(view["reach"]) == {x: n for x in range(NODES) if (n := sum(a == x for a, _ in closed(edges)))}
        assert set(view["end"]) == {(y,) for _, y in edges if (y, y + 1) not in edges}
        (stamp,) = view["stamp"]
        assert stamp[1] == f"text {stamp[0]}"
    return int(stamp[0])


def read_until(over: threading.Event, kb: KnowledgeBase, failures: list[BaseException], counts: list[int]) -> None:
    try:
        last, rounds = -1, 0
        while not over.is_set():
            now = check_view(kb)
            assert now >= last, "no reader goes back"
            last, rounds = now, rounds + 1
            assert kb.count("edge") in (NODES - 1, NODES)
            assert len(list(kb.query(f"edge(X, Y), Z = X * 1000 + {rounds}"))) in (NODES - 1, NODES)
            assert ("edge", 10_000 + rounds, 0) not in kb
        counts.append(rounds)
    except BaseException as error:
        failures.append(error)
        raise


@pytest.mark.parametrize("modules", [True, False])
@pytest.mark.parametrize("updates", [60, pytest.param(6000, marks=pytest.mark.nightly)])
def test_readers_beside_a_writer(modules: bool, updates: int) -> None:
    kb = KnowledgeBase(RULES, modules=modules)
    kb.update(insert=[("stamp", 0, "text 0"), *(("edge", at, at + 1) for at in range(NODES))])
    over, failures, counts, chance = threading.Event(), list[BaseException](), list[int](), random.Random(updates)
    readers = [threading.Thread(target=read_until, args=(over, kb, failures, counts)) for _ in range(3)]
    with switching_often():
        for reader in readers:
            reader.start()
        done = 0
        while done < updates and not failures:
            at = chance.randrange(NODES)
            for change in ("delete", "insert"):
                stamps = {"delete": [("stamp", done, f"text {done}")], "insert": [("stamp", done + 1, f"text {done + 1}")]}
                stamps[change].append(("edge", at, at + 1))  # type: ignore[arg-type]
                kb.update(**stamps)  # type: ignore[arg-type]
                done += 1
        over.set()
        for reader in readers:
            reader.join()
    assert failures == []
    assert len(counts) == 3
    assert check_view(kb) == done


def test_writers_take_turns() -> None:
    kb = KnowledgeBase(RULES)

    def write(first: int) -> None:
        for at in range(first, first + 40):
            kb.update(insert=[("edge", 1000 * first + at, 1000 * first + at + 1)])

    writers = [threading.Thread(target=write, args=(at,)) for at in range(4)]
    with switching_often():
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
    assert kb.count("edge") == 160


def test_a_writer_may_be_refused() -> None:
    started, may_end = threading.Event(), threading.Event()

    def show(_: Progress) -> None:
        started.set()
        may_end.wait()

    kb = KnowledgeBase("p(X + 1) :- p(X), X < 3000.", writers="refuse", progress=show)
    writer = threading.Thread(target=lambda: kb.update(insert=[("p", 0)]))
    writer.start()
    started.wait()
    try:
        with pytest.raises(TidelogError, match=r"TL096.*another thread is changing"):
            kb.update(insert=[("p", 1)])
    finally:
        may_end.set()
        writer.join()
    assert kb.count("p") == 3001
    with pytest.raises(TidelogError, match=r"TL074.*there is no writers='later'"):
        KnowledgeBase("", writers="later")


@pytest.mark.parametrize("use", [lambda kb: kb.update(insert=[("p", 1)]), lambda kb: kb.count("p"), lambda kb: kb.query("p(X)")])
def test_a_progress_display_cannot_use_the_state_in_the_middle(use: Callable[[KnowledgeBase], object]) -> None:
    seen: list[str] = []

    def show(_: Progress) -> None:
        if not seen:
            with pytest.raises(TidelogError) as caught:
                use(kb)
            seen.append(caught.value.diagnostics[0].code)

    kb = KnowledgeBase("p(X + 1) :- p(X), X < 3000.", progress=show)
    kb.update(insert=[("p", 0)])
    assert seen == ["TL096"]
    assert kb.count("p") == 3001


def test_beside_readers_a_progress_display_sees_the_last_version() -> None:
    seen: list[int] = []
    kb = KnowledgeBase("p(X + 1) :- p(X), X < 3000.", progress=lambda _: seen.append(kb.count("p") if is_shared else 0))
    is_shared = False
    sharing_of(kb)._share()
    is_shared = True
    kb.update(insert=[("p", 0)])
    assert set(seen) == {0}
    assert kb.count("p") == 3001


@pytest.mark.parametrize("of", [lambda kb: kb, lambda kb: kb.snapshot()])
def test_a_question_in_the_middle_of_another_one(of: Callable[[KnowledgeBase], Any]) -> None:
    """A progress display, or a signal handler, asks while its thread is asking."""
    seen: list[tuple[int, int]] = []
    asks = False

    def show(_: Progress) -> None:
        nonlocal asks
        if asks:
            asks = False
            seen.append((len(kb.query("p(X), X < 10")), len(asked.query("p(X), X > 2990"))))
            asks = True

    kb = KnowledgeBase("p(X + 1) :- p(X), X < 3000.", progress=show)
    kb.update(insert=[("p", 0)])
    sharing_of(kb)._share()
    asked = of(kb)
    asks = True
    assert len(asked.query("p(X), X > 2000")) == 1000
    assert set(seen) == {(10, 10)}


def test_loaded_facts_are_derived_from_when_somebody_reads() -> None:
    import pyarrow as pa

    kb = KnowledgeBase(RULES)
    sharing_of(kb)._share()
    kb.load("edge", pa.table({"a": [1, 2], "b": [2, 3]}))
    assert kb.count("path") == 3


def test_nothing_waits_for_a_collection() -> None:
    """Cycles of references would keep tables, and the variables of callers, until Python looks for them."""
    kb = KnowledgeBase("path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z).")

    def everything(number: int) -> None:
        kb.update(insert=[("edge", number, number + 1)], delete=[("edge", number - 5, number - 4)])
        kept = kb.snapshot()
        kb.update(insert=[("edge", 1000 + at, 2000 + at) for at in range(3000)])
        assert len(kb.query("edge(X, Y), X >= 1000")) == 3000
        assert not kept.query("edge(X, Y), X >= 1000")  # far away by now: it has a replica of its own
        kb.update(delete=[("edge", 1000 + at, 2000 + at) for at in range(3000)])
        kept.close()
        with kb.snapshot() as view:
            assert view.count("edge") == kb.count("edge") == len(kb.facts("edge"))

    def garbage() -> list[str]:
        gc.collect()
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            everything(9)
            gc.collect()
            return [f"{type(found).__module__}.{type(found).__name__}" for found in gc.garbage]
        finally:
            gc.set_debug(0)
            gc.garbage.clear()

    everything(7)
    everything(8)
    assert not [name for name in garbage() if "tidelog" in name or "frame" in name]  # one thread
    sharing_of(kb)._share()
    assert not [name for name in garbage() if "tidelog" in name or "frame" in name]  # with published versions
