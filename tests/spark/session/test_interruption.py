"""Ctrl-C while Spark works, with a stand-in for Spark; with a real one in tests/pipeline/test_interruption.py."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tidelog.spark.session.interruption import end_jobs_on_interrupt, without_interruption


@pytest.fixture(autouse=True)
def _handler_as_before() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


class FakeSpark:
    """Spark whose calls run a function, and whose jobs are cancelled."""

    def __init__(self, call: Callable[[], None]) -> None:
        self.cancelled = threading.Event()
        self.client = SimpleNamespace(send_command=lambda command: (call(), f"answer to {command}")[1])
        context = SimpleNamespace(cancelAllJobs=self.cancelled.set, _gateway=SimpleNamespace(_gateway_client=self.client))
        self.session: Any = SimpleNamespace(sparkContext=context)
        end_jobs_on_interrupt(self.session)


def test_a_call_that_waits_returns_before_the_interrupt_is_raised() -> None:
    after: list[str] = []

    def call() -> None:
        signal.raise_signal(signal.SIGINT)
        after.append("the call is still waiting")
        assert spark.cancelled.wait(60)

    spark = FakeSpark(call)
    with pytest.raises(KeyboardInterrupt):
        spark.client.send_command("run")
    assert after == ["the call is still waiting"]


def test_without_a_call_the_interrupt_is_raised_at_once() -> None:
    spark = FakeSpark(lambda: None)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    assert spark.cancelled.wait(60)
    assert spark.client.send_command("next") == "answer to next"


def test_a_second_interrupt_does_not_wait() -> None:
    seen: list[str] = []

    def call() -> None:
        signal.raise_signal(signal.SIGINT)
        seen.append("first")
        signal.raise_signal(signal.SIGINT)
        seen.append("second")

    with pytest.raises(KeyboardInterrupt):
        FakeSpark(call).client.send_command("run")
    assert seen == ["first"]


def test_calls_of_other_threads_are_not_interrupted() -> None:
    spark, answers = FakeSpark(lambda: None), list[str]()
    thread = threading.Thread(target=lambda: answers.append(spark.client.send_command("run")))
    thread.start()
    thread.join()
    assert answers == ["answer to run"]


def test_a_block_is_not_left_half_done() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    done: list[int] = []
    with pytest.raises(KeyboardInterrupt), without_interruption():
        done.append(1)
        signal.raise_signal(signal.SIGINT)
        done.append(2)
    assert done == [1, 2]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_block_without_an_interrupt() -> None:
    before = signal.getsignal(signal.SIGINT)
    with without_interruption():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before
