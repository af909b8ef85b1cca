"""One writer at a time: a second one waits or is refused; an update inside an update is refused; a lock left behind is taken."""

from __future__ import annotations

import sys
import threading
from types import FrameType
from typing import Any

import pytest

from tidelog import TidelogError
from tidelog.local.sharing.writer_lock import WriterLock, _Place


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


class Queue(dict[Any, None]):
    """The queue of a lock, with what was there when somebody joined it."""

    def __init__(self, turns: list[str], joined: dict[str, int]) -> None:
        super().__init__()
        self._turns, self._joined = turns, joined

    def __setitem__(self, place: Any, nothing: None) -> None:
        super().__setitem__(place, nothing)
        self._joined[threading.current_thread().name] = len(self._turns)


def take_turn(lock: WriterLock, turns: list[str]) -> None:
    frame = sys._getframe()
    if not lock.enter_at_once(frame):
        lock.wait(frame)
    turns.append(threading.current_thread().name)
    lock.leave(frame)


def test_a_writer_waits_for_those_that_came_first_and_for_nobody_else() -> None:
    lock, turns, joined, over = WriterLock(), list[str](), dict[str, int](), threading.Event()
    lock._queue = Queue(turns, joined)
    many = 4

    def read() -> None:
        while not over.is_set():
            take_turn(lock, turns)

    readers = [threading.Thread(target=read) for _ in range(many)]
    for reader in readers:
        reader.start()
    passed = []
    for at in range(200):
        writer = threading.Thread(target=take_turn, args=(lock, turns), name=f"writer {at}")
        writer.start()
        writer.join()
        if writer.name in joined:
            passed.append(turns.index(writer.name) - joined[writer.name])
    over.set()
    for reader in readers:
        reader.join()
    assert passed
    assert max(passed) <= 2 * many  # those before it, and those that found nobody waiting just then


def test_all_that_wait_come_in_their_order() -> None:
    lock, turns, joined, frame = WriterLock(), list[str](), dict[str, int](), sys._getframe()
    lock._queue = Queue(turns, joined)
    lock.enter(frame)
    threads = [threading.Thread(target=take_turn, args=(lock, turns), name=str(at)) for at in range(8)]
    for thread in threads:
        thread.start()
        while thread.name not in joined:
            pass
    lock.leave(frame)
    assert not lock.enter_at_once(frame) or len(turns) == 8
    for thread in threads:
        thread.join()
    assert turns == [str(at) for at in range(8)]
    lock.leave(frame)
    assert lock.enter_at_once(frame)


def test_nobody_waits_for_those_that_need_not_wait_any_more() -> None:
    lock, happened, asked, frame = WriterLock(), threading.Event(), threading.Event(), sys._getframe()
    lock.enter(frame)

    def unless() -> bool:
        if threading.current_thread() is thread:
            asked.set()
            time_to_go.wait()
        return happened.is_set()

    time_to_go = threading.Event()
    thread = threading.Thread(target=lambda: lock.wait(sys._getframe(), unless=unless))
    thread.start()
    asked.wait()  # it is the first in the queue
    lock.leave(frame)
    assert not lock.enter_at_once(frame)
    happened.set()
    assert lock.enter_at_once(frame)
    time_to_go.set()
    thread.join()
    lock.leave(frame)


def test_a_signal_handler_has_the_place_of_what_it_stops() -> None:
    lock, turns, joined, frame = WriterLock(), list[str](), dict[str, int](), sys._getframe()
    lock._queue = Queue(turns, joined)
    lock.enter(frame)
    freed = threading.Event()

    def handler() -> bool:
        if threading.current_thread() is outer and not freed.is_set():
            freed.wait()
            take_turn(lock, turns)
        return False

    def wait() -> None:
        lock.wait(sys._getframe(), unless=handler)
        turns.append("outer frame")
        lock.leave(sys._getframe())

    outer = threading.Thread(target=wait, name="outer")
    outer.start()
    while "outer" not in joined:
        pass
    other = threading.Thread(target=take_turn, args=(lock, turns), name="other")
    other.start()
    while "other" not in joined:
        pass
    lock.leave(frame)
    freed.set()
    outer.join()
    other.join()
    assert turns[0] == "outer"
    assert sorted(turns[1:]) == ["other", "outer frame"]


def test_a_place_that_an_exception_has_left_does_not_count() -> None:
    lock, frame = WriterLock(), sys._getframe()

    def left_place() -> FrameType:
        return sys._getframe()

    lock._queue[_Place(left_place(), None)] = None
    assert lock.enter_at_once(frame)
    assert not lock._queue
