"""Sources inside Python: what is next, what is waiting, and that nobody is made to wait or run ahead."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from tidelog import TidelogError
from tidelog.streams import source as module
from tidelog.streams.following import open_source
from tidelog.streams.source import IterableSource, QueueSource
from tidelog.streams.update import Update


def ids(source: module.UpdateSource) -> list[object]:
    found: list[object] = []
    while (update := source.next()) is not None:
        found.append(update.id)
    return found


@pytest.mark.parametrize("make", [list, tuple, deque])
def test_what_is_in_memory_can_be_seen_ahead(make: type) -> None:
    source = open_source(make([{"id": 1}, Update(2), '{"id": 3}']))
    assert source.backlog == 3
    for expected in (1, 2, 3):
        waiting = source.waiting()
        assert source.waiting() is waiting
        assert source.next() is waiting
        assert waiting is not None
        assert waiting.id == expected
        assert source.backlog == 3 - expected
    assert source.waiting() is None
    assert source.next() is None
    assert source.next() is None


def test_a_generator_does_not_run_ahead() -> None:
    made = []

    def updates() -> Iterator[dict[str, object]]:
        for number in range(3):
            made.append(number)
            yield {"id": number}

    source = open_source(updates())
    for number in range(3):
        assert source.waiting() is None
        assert source.backlog == 0
        update = source.next()
        assert update is not None
        assert update.id == number
        assert made == list(range(number + 1))
    assert source.next() is None


def test_what_is_wrong_waits_for_its_turn() -> None:
    source = open_source([{"id": 1}, {"bad": 2}, {"id": 3}])
    assert source.next() == Update(1)
    assert source.waiting() is None, "there is one, and nobody can use it"
    with pytest.raises(TidelogError, match='update 2: error TL076: an update has no "bad"'):
        source.next()
    assert source.waiting() == Update(3)
    assert ids(source) == [3]


def test_updates_are_prepared_once() -> None:
    source = IterableSource([{"id": 1}, {"id": 2}])
    source.prepare = lambda update: Update(f"{update.id}!")
    assert source.waiting() == Update("1!")
    assert ids(source) == ["1!", "2!"]


@pytest.mark.parametrize("make", [queue.Queue, queue.SimpleQueue])
def test_a_queue_ends_with_none(make: type) -> None:
    updates = make()
    source = open_source(updates)
    assert isinstance(source, QueueSource)
    assert source.waiting() is None
    for thing in ({"id": 1}, {"id": 2}, None, {"id": 3}):
        updates.put(thing)
    assert source.waiting() == Update(1)
    assert source.backlog >= 2
    assert ids(source) == [1, 2]
    assert source.waiting() is None
    assert source.next() is None, "whatever comes behind the end"


def test_a_queue_is_waited_for() -> None:
    updates: queue.Queue[object] = queue.Queue()
    source = open_source(updates)
    found: list[object] = []
    reader = threading.Thread(target=lambda: found.extend(ids(source)))
    reader.start()
    for number in range(5):
        updates.put({"id": number})
    updates.put(None)
    reader.join()
    assert found == list(range(5))


def test_a_queue_that_is_shut_down(monkeypatch: pytest.MonkeyPatch) -> None:
    class ShutDown(Exception):  # noqa: N818
        """As Python has it from 3.13 on."""

    def get() -> object:
        raise ShutDown

    monkeypatch.setattr(module, "_SHUT_DOWN", (ShutDown,))
    assert QueueSource(SimpleNamespace(get=get, get_nowait=get)).next() is None
    source = QueueSource(SimpleNamespace(get=get, get_nowait=get))
    assert source.waiting() is None
    assert source.next() is None
