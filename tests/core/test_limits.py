"""Limits, progress and deferred Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest
from tests.local_engine import looking_often

from tidelog.core.limits import LimitReachedError, Limits, Progress, Watch


@pytest.mark.parametrize(
    ("limits", "facts", "rounds", "option"),
    [
        (Limits(facts=10), 11, 0, "facts"),
        (Limits(rounds=3), 0, 4, "rounds"),
        (Limits(seconds=-1.0), 0, 0, "seconds"),
    ],
)
def test_a_limit_raises_at_the_next_poll(limits: Limits, facts: int, rounds: int, option: str) -> None:
    watch = Watch(limits)
    watch.progress.facts, watch.progress.round, watch.progress.working_on = facts, rounds, "path"
    with pytest.raises(LimitReachedError, match="path") as caught:
        watch.poll()
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "TL070"
    assert caught.value.option == option
    assert f"limit_{option}" in (diagnostic.fix or "")


def test_a_limit_that_is_just_met_does_not_raise() -> None:
    watch = Watch(Limits(facts=10, rounds=3))
    watch.progress.facts, watch.progress.round = 10, 3
    watch.poll()


def test_facts_are_counted_only_for_a_limit_or_a_display() -> None:
    assert not Watch().counts_facts
    assert not Watch(Limits(rounds=1, seconds=1.0)).counts_facts
    assert Watch(Limits(facts=1)).counts_facts
    assert Watch(show=lambda _: None).counts_facts


def test_a_poll_shows_the_progress() -> None:
    seen: list[int] = []

    def show(progress: Progress) -> None:
        seen.append(progress.facts)

    watch = Watch(show=show)
    with looking_often():
        for facts in range(3):
            watch.progress.facts = facts
            watch.poll()
    assert seen == [0, 1, 2]


@pytest.fixture
def default_handler() -> Iterator[None]:
    """Python's own handler of Ctrl-C: a Spark that another test of this process has started has one of its own."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("default_handler")
def test_an_interrupt_waits_for_the_next_poll() -> None:
    watch, done = Watch(), []
    with pytest.raises(KeyboardInterrupt), watch.deferring_interrupts():  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        done.append("after the signal")
        watch.poll()
    assert done == ["after the signal"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("default_handler")
def test_an_interrupt_after_the_last_poll_comes_at_the_end() -> None:
    watch, done = Watch(), []
    with pytest.raises(KeyboardInterrupt), watch.deferring_interrupts():  # noqa: PT012
        with watch.deferring_interrupts():
            signal.raise_signal(signal.SIGINT)
        done.append("the inner end")
    watch.poll()
    assert done == ["the inner end"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_another_handler_stays_in_place() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: seen.append(number))
    try:
        with Watch().deferring_interrupts():
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIGINT]


@pytest.mark.usefixtures("default_handler")
def test_other_threads_install_no_handler() -> None:
    failed: list[BaseException] = []

    def work() -> None:
        try:
            with Watch().deferring_interrupts():
                assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        except BaseException as error:  # reported by the main thread
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not failed
