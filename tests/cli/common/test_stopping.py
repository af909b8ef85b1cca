"""SIGTERM and Ctrl-C: at once while nothing is in hand, afterwards while something is, and a second Ctrl-C at once again."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from tidelog.cli.common.stopping import Stopped, Stopping

TERM, INT = signal.SIGTERM, signal.SIGINT


@pytest.fixture(autouse=True)
def _handlers(python_takes_the_signal: None) -> Iterator[None]:
    """No test leaves a handler behind."""
    before = signal.getsignal(TERM), signal.getsignal(INT)
    yield
    assert (signal.getsignal(TERM), signal.getsignal(INT)) == before


def test_before_the_first_thing_sigterm_ends_it_and_ctrl_c_interrupts() -> None:
    with Stopping() as stopping:
        with pytest.raises(Stopped):
            signal.raise_signal(TERM)
        assert stopping.requested == TERM
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(INT)


@pytest.mark.parametrize("number", [TERM, INT])
def test_what_is_in_hand_is_finished(number: signal.Signals) -> None:
    with Stopping() as stopping, stopping.working():
        signal.raise_signal(number)
        stopping.look()  # goes on
        assert stopping.requested == number
        with pytest.raises(Stopped):
            stopping.waiting_for(lambda: pytest.fail("nothing is begun any more"))


@pytest.mark.parametrize("number", [TERM, INT])
def test_while_it_waits_it_ends_at_once(number: signal.Signals) -> None:
    with Stopping() as stopping, stopping.working():
        assert stopping.waiting_for(lambda: "an update") == "an update"
        with pytest.raises(Stopped):
            stopping.waiting_for(lambda: signal.raise_signal(number))
        assert stopping.requested == number


@pytest.mark.parametrize(
    ("signals", "is_urgent"), [((INT, INT), True), ((TERM, TERM), False), ((TERM, INT), False), ((INT, TERM), False)]
)
def test_only_a_second_ctrl_c_does_not_wait(signals: tuple[signal.Signals, ...], is_urgent: bool) -> None:
    with Stopping() as stopping, stopping.working():
        for number in signals:
            signal.raise_signal(number)
        if is_urgent:
            with pytest.raises(KeyboardInterrupt):
                stopping.look()
        else:
            stopping.look()


def test_in_another_thread_nothing_is_set() -> None:
    """Only the main thread may set handlers."""
    seen: list[object] = []

    def work() -> None:
        with Stopping() as stopping, stopping.working():
            seen.append((signal.getsignal(TERM), signal.getsignal(INT), stopping.waiting_for(lambda: 7)))

    expected = (signal.getsignal(TERM), signal.getsignal(INT), 7)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [expected]
