"""One writer at a time: a second one waits or is refused; an update inside an update is refused."""

from __future__ import annotations

import threading

import pytest

from tidelog import TidelogError
from tidelog.local.sharing.writer_lock import WriterLock


def in_another_thread(lock: WriterLock) -> list[str]:
    """What happens to a second writer; it has not come in when this returns, unless nobody is there."""
    happened: list[str] = []

    def write() -> None:
        try:
            with lock:
                happened.append("in")
        except TidelogError as error:
            happened.append(error.diagnostics[0].code)

    thread = threading.Thread(target=write)
    thread.start()
    thread.join(0.05)
    return happened


def test_a_second_writer_waits() -> None:
    lock = WriterLock()
    with lock:
        happened = in_another_thread(lock)
        assert happened == []
    while not happened:
        pass
    assert happened == ["in"]


def test_a_second_writer_is_refused() -> None:
    lock = WriterLock(waits=False)
    with lock:
        assert in_another_thread(lock) == ["TL096"]
    assert in_another_thread(lock) == ["in"]


def test_an_update_inside_an_update_is_refused() -> None:
    lock = WriterLock()
    with lock:
        with pytest.raises(TidelogError, match=r"TL096.*in the middle of an update"), lock:
            pass
        with pytest.raises(TidelogError, match="TL096"):
            lock.wait()
        assert not lock.enter_at_once()
    assert lock.enter_at_once()
