"""One writer at a time: a second one waits or is refused; an update inside an update is refused; a lock left behind is taken."""

from __future__ import annotations

import sys
import threading

import pytest

from tidelog import TidelogError
from tidelog.local.sharing.writer_lock import WriterLock


def in_another_thread(lock: WriterLock) -> list[str]:
    """What happens to a second writer; it has not come in when this returns, unless nobody is there."""
    happened: list[str] = []

    def write() -> None:
        try:
            lock.enter(sys._getframe())
            happened.append("in")
            lock.leave(sys._getframe())
        except TidelogError as error:
            happened.append(error.diagnostics[0].code)

    thread = threading.Thread(target=write)
    thread.start()
    thread.join(0.05)
    return happened


def test_a_second_writer_waits() -> None:
    lock, frame = WriterLock(), sys._getframe()
    lock.enter(frame)
    happened = in_another_thread(lock)
    assert happened == []
    lock.leave(frame)
    while not happened:
        pass
    assert happened == ["in"]


def test_a_second_writer_is_refused() -> None:
    lock, frame = WriterLock(waits=False), sys._getframe()
    lock.enter(frame)
    assert in_another_thread(lock) == ["TL096"]
    lock.leave(frame)
    assert in_another_thread(lock) == ["in"]


def test_an_update_inside_an_update_is_refused() -> None:
    lock, frame = WriterLock(), sys._getframe()

    def inside() -> None:
        with pytest.raises(TidelogError, match=r"TL096.*in the middle of an update"):
            lock.enter(sys._getframe())
        with pytest.raises(TidelogError, match="TL096"):
            lock.wait(sys._getframe())
        assert not lock.enter_at_once(sys._getframe())

    lock.enter(frame)
    inside()
    lock.leave(frame)
    assert lock.enter_at_once(frame)


def left(lock: WriterLock) -> None:
    lock.enter(sys._getframe())


@pytest.mark.parametrize("waits", [True, False])
def test_a_lock_that_was_left_behind_is_taken_over(*, waits: bool) -> None:
    lock, frame = WriterLock(waits=waits), sys._getframe()
    left(lock)
    assert lock.is_left
    assert not lock.enter_at_once(frame)
    lock.enter(frame)
    assert lock.was_left
    lock.leave(frame)
    left(lock)
    assert in_another_thread(lock) == ["in"]


def test_one_of_many_takes_over() -> None:
    lock, inside, most = WriterLock(), [0], [0]
    left(lock)

    def write() -> None:
        for _ in range(200):
            lock.enter(sys._getframe())
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            inside[0] -= 1
            lock.leave(sys._getframe())

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]
    assert not lock.is_left


def test_a_thread_that_takes_it_again_and_again_gives_way() -> None:
    lock, over, taken = WriterLock(), threading.Event(), threading.Event()

    def greedy() -> None:
        while not over.is_set():
            frame = sys._getframe()
            lock.enter(frame)
            lock.leave(frame)

    def waiting() -> None:
        for _ in range(50):
            frame = sys._getframe()
            lock.wait(frame)
            lock.leave(frame)
        taken.set()

    threads = [threading.Thread(target=greedy), threading.Thread(target=waiting)]
    for thread in threads:
        thread.start()
    assert taken.wait(60)
    over.set()
    for thread in threads:
        thread.join()


def test_who_waits_for_something_that_has_happened_goes_without() -> None:
    lock, happened, went = WriterLock(), threading.Event(), threading.Event()
    frame = sys._getframe()
    lock.enter(frame)

    def waiting() -> None:
        assert not lock.wait(sys._getframe(), unless=happened.is_set)
        went.set()

    thread = threading.Thread(target=waiting)
    thread.start()
    happened.set()
    assert went.wait(60)  # while the lock is held
    thread.join()
    lock.leave(frame)
    assert lock.enter_at_once(frame)
