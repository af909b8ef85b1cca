"""The kernel in plain Python: the same results as compiled, and each call whole or not at all."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tidelog import KnowledgeBase
from tidelog.core.arrays import Int64s
from tidelog.local.kernel import build, memory
from tidelog.local.kernel.tiers import choice, plain


@build.kernel
def _count_up(numbers: Int64s, upto: int) -> int:
    while numbers[0] < upto:
        numbers[0] += 1
    return int(numbers[0])


@build.kernel
def _words(number: float, word: int, text: Int64s) -> tuple[int, int, int, int]:
    bits: Any = np.uint64(word)
    return memory.bits_of(number), memory.ones_in(bits), memory.lowest_one(bits), int(np.int64(memory.load_word(text[0])))


@pytest.fixture(autouse=True)
def _plainly() -> Iterator[None]:
    with choice.forced("never"):
        yield


def test_instructions_are_what_the_compiled_ones_are() -> None:
    text = np.frombuffer(b"0123456789abcdef", np.uint8)
    for number, word, at in ((0.1, 1, 0), (-2.5, -(2**63), 3), (float("inf"), 12, 8)):
        args = number, word, np.array([text.ctypes.data + at], np.int64)
        found = _words(*args)
        with choice.forced("always"):
            assert _words(*args) == found


@pytest.mark.parametrize(("a", "b"), [(2**63 - 1, 1), (-(2**63), -1), (2**62, 2), (3, 4), (-(2**63), 2**63 - 1)])
def test_overflows(a: int, b: int) -> None:
    found = memory.sum_overflows(a, b), memory.difference_overflows(a, b), memory.product_overflows(a, b)

    @build.kernel
    def overflows(a: int, b: int) -> tuple[bool, bool, bool]:
        return memory.sum_overflows(a, b), memory.difference_overflows(a, b), memory.product_overflows(a, b)

    with choice.forced("always"):
        assert overflows(a, b) == found


def _count_up_and_sleep(numbers: Int64s) -> None:
    _count_up(numbers, 200_000)
    time.sleep(5)  # if it has not come yet, it comes at the next instruction


def _count_for_ever(numbers: Int64s) -> None:
    while True:
        _count_up(numbers, int(numbers[0]) + 200_000)


class _StopError(Exception):
    pass


def test_a_signal_waits_until_the_call_has_ended() -> None:
    def stop(*_: object) -> None:
        raise _StopError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        numbers = np.zeros(1, np.int64)
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        with pytest.raises(_StopError):
            _count_for_ever(numbers)
        assert numbers[0] % 200_000 == 0, "no call was left in its middle"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_an_exception_from_another_thread_waits_until_the_call_has_ended() -> None:
    numbers, ident = np.zeros(1, np.int64), threading.get_ident()

    def throw() -> None:
        while numbers[0] == 0:
            time.sleep(0.001)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(_StopError))

    other = threading.Thread(target=throw)
    other.start()
    with pytest.raises(_StopError):
        _count_up_and_sleep(numbers)
    other.join()
    assert numbers[0] == 200_000


def test_an_error_of_the_kernel_is_raised_where_it_was_called() -> None:
    with pytest.raises(IndexError):
        _count_up(np.zeros(0, np.int64), 3)
    assert _count_up(np.zeros(1, np.int64), 3) == 3  # the next call is as any other


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of fork among threads: Python tells before, and it is what is tested
def test_a_forked_process_goes_on() -> None:
    assert _count_up(np.zeros(1, np.int64), 3) == 3
    child = os.fork()
    if child == 0:
        os._exit(0 if _count_up(np.zeros(1, np.int64), 4) == 4 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_arrays_that_are_given_back_are_arrays_of_numpy() -> None:
    @build.kernel
    def doubled(numbers: Int64s) -> Int64s:
        return numbers * 2

    assert type(doubled(np.arange(3))) is np.ndarray


def test_the_thread_that_runs_the_kernel_does_not_count() -> None:
    before = plain.threads()
    _count_up(np.zeros(1, np.int64), 3)
    assert "tidelog-kernel" in [thread.name for thread in threading.enumerate()]
    assert plain.threads() == before


def test_a_thread_that_syncs_does_not_count(tmp_path: Path) -> None:
    before = plain.threads()
    with KnowledgeBase.open(tmp_path, "q(X) :- p(X).") as kb:
        kb.update(insert=[("p", 1)])
        assert "tidelog-sync" in [thread.name for thread in threading.enumerate()]
        assert plain.threads() == before


def test_several_threads_call_at_once() -> None:
    """One call after the other: no number is counted twice."""
    numbers = np.zeros(1, np.int64)

    @build.kernel
    def add(numbers: Int64s, count: int) -> None:
        for _ in range(count):
            numbers[0] += 1

    threads = [threading.Thread(target=lambda: [add(numbers, 100) for _ in range(20)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert numbers[0] == 8_000


def test_a_program_in_plain_python_needs_no_numba() -> None:
    script = (
        "import sys; from tidelog import KnowledgeBase; kb = KnowledgeBase('p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z).'); "
    )
    script += "kb.update(insert=[('e', 1, 2), ('e', 2, 3)]); print(sorted(kb['p']), 'numba' in sys.modules)"
    environment = {**os.environ, "TIDELOG_COMPILE": "auto"}
    found = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert (found.stdout, found.stderr) == ("[(1, 2), (1, 3), (2, 3)] False\n", "")
