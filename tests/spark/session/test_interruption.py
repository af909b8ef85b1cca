"""Ctrl-C is deferred to the end of what must not be left half done; how it cancels jobs is tested with whole jobs."""

from __future__ import annotations

import signal
import threading

import pytest

from tidelog.spark.session.interruption import without_interruption


def test_an_interrupt_waits_for_the_end_of_the_block() -> None:
    done = []
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), without_interruption():  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        done.append("after the signals")
    assert done == ["after the signals"]
    assert signal.getsignal(signal.SIGINT) is before


def test_an_error_in_the_block_is_raised_and_the_handler_is_put_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ValueError, match="wrong"), without_interruption():
        raise ValueError("wrong")
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_install_no_handler() -> None:
    before, seen = signal.getsignal(signal.SIGINT), []

    def work() -> None:
        with without_interruption():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]
