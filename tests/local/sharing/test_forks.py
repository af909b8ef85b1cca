"""Forked processes: what no other thread was using goes on as a copy, anything else is refused; the folder is the parent's."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.local_engine import looking_often, sharing_of

from tidelog import KnowledgeBase, TidelogError
from tidelog.core.limits import Progress
from tidelog.local.sharing.forks import tell_of_forks

RULES = "p(X + 1) :- p(X), X < 300. same(X, Y) :- link(X, Y). same(X, Y) :- same(Y, X). same(X, Z) :- same(X, Y), same(Y, Z)."
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


def in_a_fork(ask: Callable[[], object]) -> str:
    """What something returns in a forked process, as a text, or the codes of its error."""
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        signal.alarm(120)  # one that waits for ever ends, and the test fails
        try:
            try:
                found = str(ask())
            except TidelogError as error:
                found = " ".join(problem.code for problem in error.diagnostics)
            except BaseException as error:
                found = repr(error)
            os.write(writing, found.encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        found = file.read()
    os.waitpid(process, 0)
    return found


@contextmanager
def stopped_in(kb: KnowledgeBase, work: Callable[[], object], inside: list[threading.Event]) -> Iterator[None]:
    """While another thread is in the middle of something, at a progress display."""
    started, may_end = inside
    thread = threading.Thread(target=work)
    with looking_often():
        thread.start()
        assert started.wait(60)
        try:
            yield
        finally:
            may_end.set()
            thread.join()


def stopping() -> tuple[list[threading.Event], Callable[[Progress], None]]:
    """A progress display that waits, when it is told to."""
    events = [threading.Event(), threading.Event()]

    def show(_: Progress) -> None:
        if threading.current_thread() is not threading.main_thread():
            events[0].set()
            events[1].wait()

    return events, show


def everything(kb: KnowledgeBase) -> tuple[int, int, int]:
    return kb.count("p"), len(kb.query("same(X, Y), link(X, Y)")), kb.count("same")


@pytest.mark.parametrize("is_shared", [False, True])
def test_a_fork_of_what_nobody_uses_is_a_copy(*, is_shared: bool) -> None:
    kb = KnowledgeBase(RULES)
    kb.update(insert=[("p", 0), ("link", 1, 2)])
    if is_shared:
        sharing_of(kb)._share()

    def change() -> object:
        kb.update(insert=[("link", 2, 3)])
        return everything(kb)

    assert in_a_fork(change) == "(301, 2, 9)"
    assert everything(kb) == (301, 1, 4)


@pytest.mark.parametrize("is_shared", [False, True])
@pytest.mark.parametrize(
    "use", [everything, lambda kb: kb.copy(), lambda kb: kb.update(insert=[("p", 5)]), lambda kb: kb["same"]]
)
def test_a_fork_in_the_middle_of_an_update_is_refused(use: Callable[[KnowledgeBase], object], *, is_shared: bool) -> None:
    inside, show = stopping()
    kb = KnowledgeBase(RULES, progress=show)
    kb.update(insert=[("link", 1, 2)])
    if is_shared:
        sharing_of(kb)._share()
    with stopped_in(kb, lambda: kb.update(insert=[("p", 0)]), inside):
        assert in_a_fork(lambda: use(kb)) == "TL096"
    assert everything(kb) == (301, 1, 4)


def test_a_fork_in_the_middle_of_a_query_asks_anew() -> None:
    inside, show = stopping()
    kb = KnowledgeBase(RULES, progress=show)
    kb.update(insert=[("p", 0), ("link", 1, 2)])
    sharing_of(kb)._share()
    found: list[int] = []
    with stopped_in(kb, lambda: found.append(len(kb.query("same(X, Y), link(Y, Z)"))), inside):
        assert in_a_fork(lambda: everything(kb)) == "(301, 1, 4)"
    assert found == [2]


@pytest.mark.parametrize("durability", ["fsync", "batch"])
def test_the_folder_stays_that_of_the_first_process(tmp_path: Path, durability: str) -> None:
    with KnowledgeBase.open(tmp_path / "kb", RULES, durability=durability) as kb:
        kb.update(insert=[("link", 1, 2)])
        assert in_a_fork(lambda: everything(kb)) == "(0, 1, 4)"
        assert in_a_fork(lambda: kb.update(insert=[("link", 2, 3)])) == "TL065"
        assert in_a_fork(lambda: kb.save(tmp_path / "kb")) == "TL065"
        assert in_a_fork(lambda: kb.save(tmp_path / "copy")) == "None"
        assert in_a_fork(kb.close) == "None"
        kb.update(insert=[("link", 3, 4)])
        with pytest.raises(TidelogError, match="TL063"):
            KnowledgeBase.open(tmp_path / "kb")
        kb.save(tmp_path / "kb")
        kb.update(insert=[("link", 4, 5)])
    with KnowledgeBase.open(tmp_path / "kb") as kb, KnowledgeBase.open(tmp_path / "copy") as copy:
        assert sorted(kb["link"]) == [(1, 2), (3, 4), (4, 5)]
        assert sorted(copy["link"]) == [(1, 2)]


class Shared:
    """Something that is told of forks."""

    told = False

    def forked(self) -> None:
        self.told = True


def test_what_is_there_is_told() -> None:
    shared, others = Shared(), [Shared() for _ in range(5)]
    for one in shared, *others:
        tell_of_forks(one)
    del others
    assert in_a_fork(lambda: shared.told) == "True"
    assert not shared.told
