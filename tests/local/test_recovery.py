"""Whatever exception comes, and wherever it comes, an update has happened as a whole or not at all, and later ones are right.

Exceptions are raised at calls and at single instructions of Tidelog's code, by signal handlers, and by other threads; the
reference judges what is there afterwards.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import cycle
from random import Random
from types import FrameType
from unittest.mock import patch

import numpy as np
import pytest
from tests.differential.judging import consequences
from tests.injection import Injected, Injector, let_it_come, raise_in
from tests.local_engine import Conditions, held, odd_conditions, under, without_empty
from tests.nightly import scaled

from tidelog import KnowledgeBase
from tidelog.core.arrays import Int32s, resized
from tidelog.local.maintenance.aggregates import kept_groups
from tidelog.local.readable import ReadableKnowledgeBase
from tidelog.local.recovery import is_running
from tidelog.reference import Facts

RULES = """
    p(X, Y) :- e(X, Y).
    p(X, Z) :- p(X, Y), e(Y, Z).
    n(X, Y) :- v(X), v(Y), not p(X, Y).
    c(X, N) :- N = count { Y : p(X, Y) }.
    a(N) :- N = avg { Y : p(X, Y) }.
    m(X, N) :- N = median { Y : p(X, Y) }.
    s(X, L) :- v(X), L = length(string(X)).
    q(X, Y) :- f(X, Y).  q(X, Y) :- q(Y, X).  q(X, Z) :- q(X, Y), q(Y, Z).
"""
MORE = ("z(X) :- p(X, X), not n(X, X).", "p(X, Y) :- h(X, Y).")
ALGORITHMS = ("auto", "ranked", "bf", "dred", "counting", "rematerialise")
NODES = 7
Explicit = frozenset[tuple[object, ...]]


@pytest.fixture(autouse=True)
def _something_is_kept_of_every_group() -> Iterator[None]:
    with patch.multiple(kept_groups, LEAST=1, FEW_CHANGES=float("inf")):
        yield


class Story:
    """A knowledge base that is updated at random, and what the reference says of it."""

    def __init__(self, algorithm: str, seed: int) -> None:
        self.random = Random(seed)
        self.explicit: Explicit = self._some(6)
        self.kb = KnowledgeBase(RULES, algorithm=algorithm, modules=bool(seed % 2))  # type: ignore[arg-type]
        self.kb.update(insert=sorted(self.explicit, key=str))
        self.has_stopped = self.was_done = 0
        self.check(RULES)

    def _some(self, count: int) -> Explicit:
        node = self.random.randrange
        pairs = {(name, node(NODES), node(NODES)) for name in ("e", "f") for _ in range(count)}
        return frozenset(pairs | {("v", node(NODES)) for _ in range(count)} | {("h", node(NODES), node(NODES))})

    def expected(self, explicit: Explicit, rules: str) -> Facts:
        facts = " ".join(f"{name}({', '.join(map(str, values))})." for name, *values in sorted(explicit, key=str))
        return without_empty(consequences(rules + facts))

    def check(self, rules: str) -> None:
        """The facts are those of the explicit facts; counts and queries agree."""
        expected = self.expected(self.explicit, rules)
        assert without_empty(held(self.kb)) == expected
        for name in expected:
            assert self.kb.count(name) == len(expected[name])
        assert len(self.kb.query("p(X, Y)")) == len(expected.get("p", ()))

    def step(self, stop: Callable[[Callable[[], object]], None]) -> None:
        """An update that `stop` runs and may stop; then one that nobody stops."""
        deleted = frozenset(
            self.random.sample(sorted(self.explicit, key=str), min(len(self.explicit), self.random.choice((1, 4))))
        )
        inserted, more = self._some(self.random.choice((1, 3))), self.random.choice(("", "", *MORE))
        after, before = (self.explicit - deleted) | inserted, without_empty(held(self.kb))
        done = False

        def run() -> None:
            nonlocal done
            self.kb.update(sorted(inserted, key=str), sorted(deleted, key=str), add_rules=more)
            done = True

        try:
            stop(run)
        except Injected:
            self.has_stopped += 1
        now = without_empty(held(self.kb))
        if not done and now == self.expected(after, RULES + more) != before:  # it was stopped when it was decided
            self.was_done += 1
            done = True
        assert done or now == before
        if done:
            self.explicit = after
            if more:
                self.kb.remove_rules(more)
        self.check(RULES)
        deleted = frozenset(self.random.sample(sorted(self.explicit, key=str), len(self.explicit) // 8))
        self.kb.update(delete=sorted(deleted, key=str))
        self.explicit -= deleted
        self.check(RULES)


def _inject(story: Story, by: str, steps: int, *, is_asynchronous: bool = False) -> int:
    """Stop updates at random calls or instructions; first it is counted how many there are.  How many were stopped."""
    most, random = 0, story.random
    for number in range(steps):
        points = [random.randrange(1, most) for _ in range(random.choice((1, 2, 3)) if is_asynchronous else 1)] if number else []
        injector = Injector(points, by, is_asynchronous)

        def stop(run: Callable[[], object], injector: Injector = injector) -> None:
            try:
                with injector.injecting():
                    run()
            finally:
                let_it_come()

        story.step(stop)
        most = max(most, injector.count + 1)
    return story.has_stopped


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_exception_at_any_call(algorithm: str) -> None:
    assert _inject(Story(algorithm, 1), "call", 6)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_exception_at_any_instruction(algorithm: str) -> None:
    assert _inject(Story(algorithm, 2), "opcode", 6)


@pytest.mark.parametrize("algorithm", ["auto", "ranked"])
def test_an_exception_at_any_instruction_of_loops_that_stop_all_the_time(algorithm: str) -> None:
    """Of compiled loops that return for want of room or time at every step, and of closures in pages."""
    with under(Conditions(searches=True, first_capacity=1, step_budget=1, keeps_groups=True)):
        assert _inject(Story(algorithm, 9), "opcode", 6)


def test_more_exceptions_while_the_first_is_handled() -> None:
    assert _inject(Story("auto", 3), "opcode", 8, is_asynchronous=True)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(10, 30))
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_many_exceptions_anywhere(algorithm: str, seed: int) -> None:
    stopped = 0
    with under(odd_conditions(seed)):
        for by, is_asynchronous in (("call", False), ("opcode", False), ("opcode", True)):
            stopped += _inject(Story(algorithm, seed), by, max(6, scaled(100)), is_asynchronous=is_asynchronous)
    assert stopped


# --- signals and threads -------------------------------------------------------------------------------------------------


@contextmanager
def _raising(number: signal.Signals) -> Iterator[None]:
    """A handler that raises."""

    def handle(_number: int, _frame: object) -> None:
        raise Injected

    before = signal.signal(number, handle)
    try:
        yield
        assert signal.getsignal(number) is handle
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize("seed", [4, 5])
def test_a_signal_handler_that_raises(seed: int) -> None:
    story, took = Story("auto", seed), 0.01

    def stop(run: Callable[[], object]) -> None:
        nonlocal took
        started = time.perf_counter()
        signal.setitimer(signal.ITIMER_REAL, took * story.random.uniform(0.01, 1.2))
        try:
            run()
            took = time.perf_counter() - started
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    with _raising(signal.SIGALRM):
        for _ in range(20):
            story.step(stop)
    assert story.has_stopped


def test_a_signal_that_comes_when_everything_is_done_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    kb = KnowledgeBase("p(X) :- e(X).")
    kb.update(insert=[("e", 1)])
    with _raising(signal.SIGTERM):
        from tidelog.local.transaction import Transaction

        finish = Transaction._finish

        def signalled(self: Transaction) -> None:
            signal.raise_signal(signal.SIGTERM)
            finish(self)

        monkeypatch.setattr(Transaction, "_finish", signalled)
        with pytest.raises(Injected):
            kb.update(insert=[("e", 2)])
    assert sorted(kb["p"]) == [(1,), (2,)]


@pytest.mark.parametrize("seed", [6, 7])
def test_another_thread_that_raises_an_exception_here(seed: int) -> None:
    story, own = Story("auto", seed), threading.get_ident()
    waits = cycle([0.0002, 0.001, 0.003, 0.01])

    def stop(run: Callable[[], object]) -> None:
        timer = threading.Timer(next(waits) * story.random.uniform(0.5, 1.5), raise_in, [own])
        timer.start()
        try:
            run()
        finally:
            timer.join()
            let_it_come()

    for _ in range(20):
        try:
            story.step(stop)
        except Injected:  # it came in `stop` itself
            story.has_stopped += 1
    assert story.has_stopped


# --- what is not an update -----------------------------------------------------------------------------------------------


def test_a_load_that_fails_leaves_earlier_loads_waiting() -> None:
    kb = KnowledgeBase("p(X) :- e(X).  q(X) :- p(X).", limit_facts=100)
    kb.update(insert=[("e", 0)])
    import pyarrow as pa

    kb.load("p", pa.table({"x": [1]}))
    injector = Injector([10**9])
    with injector.injecting():
        kb.load("p", pa.table({"x": [1]}))
    for at in range(injector.count - 20, injector.count):
        table = pa.table({"x": [at + 1000]})
        with pytest.raises(Injected), Injector([at]).injecting():
            kb.load("p", table)
    assert (1,) in set(kb["q"])
    assert len(kb["q"]) == len(set(kb["p"]))
    assert [report.rows for report in kb.loads] == [1] * len(kb.loads)


def test_a_query_that_is_stopped_leaves_nothing_behind() -> None:
    kb = KnowledgeBase(RULES)
    assert isinstance(kb, ReadableKnowledgeBase)
    kb.update(insert=[("e", x, x + 1) for x in range(20)])
    injector = Injector([])
    with injector.injecting():
        expected = sorted(kb.query("p(X, Y), e(Y, Z), not p(Z, X), W = Z * 3"))
    for at in np.linspace(1, injector.count - 1, 40, dtype=int).tolist():
        with suppress(Injected), Injector([at]).injecting():
            kb.query("p(X, Y), e(Y, Z), not p(Z, X), W = Z * 3")
        assert sorted(kb.query("p(X, Y), e(Y, Z), not p(Z, X), W = Z * 3")) == expected
    assert not [name for name in kb._engine.state.tables if "answer" in name or "query" in name]


def test_no_memory_at_any_allocation(monkeypatch: pytest.MonkeyPatch) -> None:
    from tidelog.local.storage import row_buffers

    story = Story("auto", 8)
    left = [0]

    def scarce(values: Int32s, length: int) -> Int32s:
        left[0] -= 1
        if left[0] < 0:
            raise Injected
        return resized(values, length)

    monkeypatch.setattr(row_buffers, "resized", scarce)

    def stop(run: Callable[[], object]) -> None:
        left[0] = story.random.randrange(2)
        try:
            run()
        finally:
            left[0] = 10**9

    for number in range(3):
        many = frozenset(("e", 100 * number + x, 100 * number + x + 1) for x in range(40))
        with pytest.raises(Injected):
            stop(lambda many=many: story.kb.update(insert=sorted(many)))  # type: ignore[misc]
        story.check(RULES)
        story.step(lambda run: run())  # type: ignore[arg-type]


def test_work_runs_as_long_as_its_frame_does_whatever_it_calls() -> None:
    """Looking through the stacks of threads, one in some thousand looks missed a frame whose generators were just yielding."""
    over, frames, missed = threading.Event(), list[FrameType](), 0

    def work() -> None:
        frames.append(sys._getframe())
        while not over.is_set():
            sum(at for at in (other for other in range(20)))

    thread, before = threading.Thread(target=work), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        thread.start()
        while not frames:
            time.sleep(0.001)
        missed = sum(not is_running(frames[0]) for _ in range(100_000))
    finally:
        over.set()
        thread.join()
        sys.setswitchinterval(before)
    assert missed == 0
    assert not is_running(frames[0])
    assert not is_running(None)
