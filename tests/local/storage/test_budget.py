"""The limit on memory: what reaches it changes nothing, and what comes later works."""

from __future__ import annotations

import ctypes
import mmap
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tidelog import KnowledgeBase
from tidelog.core.limits import LimitReachedError
from tidelog.local.storage import budget
from tidelog.local.storage.budget import DroppedBuffers, MemoryBudget

PATHS = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z). three(X, Y, Z) :- edge(X, _), edge(Y, _), edge(Z, _)."


def test_memory_is_measured_only_if_the_bound_exceeds_the_limit() -> None:
    measured: list[int] = []

    def measure() -> int:
        measured.append(10)
        return 10

    budget = MemoryBudget(measure)
    budget.ask(1_000)
    budget.limit = 100
    budget.ask(50)  # buffers have been given back since
    assert measured == [10]
    budget.ask(40)
    assert measured == [10]
    with pytest.raises(LimitReachedError, match="may have 100"):
        budget.ask(95)
    assert budget.was_reached


@pytest.mark.parametrize("modules", [True, False])
def test_an_update_that_reaches_the_limit_changes_nothing(modules: bool) -> None:
    kb = KnowledgeBase(PATHS, limit_memory=4_000_000, modules=modules)
    kb.update(insert=[("edge", 1, 2), ("edge", 2, 3)])
    before = sorted(kb.facts())
    for _ in range(2):
        with pytest.raises(LimitReachedError) as caught:
            kb.update(delete=[("edge", 1, 2)], insert=[("edge", n, n + 1) for n in range(200)])
        assert caught.value.option == "memory"
        assert sorted(kb.facts()) == before
    kb.update(insert=[("edge", 3, 4)])
    assert kb.count("path") == 6


def test_buffers_are_given_back_after_a_rollback() -> None:
    kb = KnowledgeBase("n(X + 1) :- n(X), X < 3. m(X + 1) :- m(X).", limit_memory=3_000_000)
    with pytest.raises(LimitReachedError):
        kb.update(insert=[("m", 0)])
    kb.update(insert=[("n", 0)])
    assert kb.count("n") == 4
    state = kb._engine.state  # type: ignore[attr-defined]
    assert sum(table.nbytes for table in state.store.tables) < 100_000
    kb.update(insert=[("k", n) for n in range(5_000)])
    assert kb.count("k") == 5_000


def test_a_query_that_reaches_the_limit() -> None:
    kb = KnowledgeBase(limit_memory=2_000_000)
    kb.update(insert=[("p", n) for n in range(1_000)])
    with pytest.raises(LimitReachedError):
        kb.query("p(X), p(Y), p(Z)")
    assert len(kb.query("p(X), X < 10")) == 10


def test_without_a_limit_nothing_is_refused() -> None:
    kb = KnowledgeBase(PATHS)
    kb.update(insert=[("edge", n, n + 1) for n in range(100)])
    assert kb.count("path") == 5050


def test_memory_goes_back_once_much_has_been_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    trimmed: list[int] = []
    monkeypatch.setattr(budget, "_trim", lambda: trimmed.append)
    dropped = DroppedBuffers()
    for size, times in ((30, 0), (30, 0), (30, 1), (60, 1), (60, 2)):
        dropped.note(size << 20)
        dropped.give_back()
        assert len(trimmed) == times


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="there is no allocator of glibc")
def test_what_threads_have_given_back_goes_back_to_the_system() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * mmap.PAGESIZE

    def in_thread() -> None:
        # pieces that lie among others are not given back by the allocator itself
        pieces = [np.ones(1 << 16, np.uint8) for _ in range(400)]
        kept.append(pieces[::10])

    kept: list[Sequence[object]] = []
    for _ in range(4):
        thread = threading.Thread(target=in_thread)
        thread.start()
        thread.join()
    before = resident()
    dropped = DroppedBuffers()
    dropped.note(1 << 30)
    dropped.give_back()
    assert before - resident() > 20 << 20
