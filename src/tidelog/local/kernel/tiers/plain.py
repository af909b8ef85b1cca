"""The kernel, run by Python itself: some microseconds an instruction, and nothing to wait for.

A call of the kernel is one step for whoever calls it: no exception comes between two of its instructions. Python could raise one
there, from a signal handler or from another thread, so a thread of its own runs all calls, one after the other; whoever waits for
it waits to the end, and raises then what has come meanwhile.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from queue import SimpleQueue
from types import FunctionType
from typing import Any

import numpy as np

from tidelog.local.kernel.tiers.forms import Either, Entry
from tidelog.local.kernel.tiers.plain_numpy import PlainNumPy, View
from tidelog.local.kernel.tiers.twins import World

IS_POSSIBLE = int(np.__version__.partition(".")[0]) >= 2
"""Before version 2 NumPy made a float of a `uint64` and one of Python's integers."""


class _PlainWorld(World):
    """Functions as they are written, with arrays and numbers that behave as in compiled code."""

    _numpy = PlainNumPy()

    def _made(self, function: FunctionType, copy: FunctionType) -> Any:  # noqa: ARG002
        return copy

    def _chosen(self, either: Either) -> Any:
        return either.plain

    def _named(self, value: Any) -> Any:
        return self._numpy if value is np else value


_world = _PlainWorld()


class _Call:
    """One call, which runs once, or is called off before it begins."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.function, self.args = function, args
        self.claim = threading.Lock()
        self.done = threading.Event()
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        if not self.claim.acquire(blocking=False):
            return
        try:
            self.result = self.function(*self.args)
        except BaseException as error:
            self.error = error
        finally:
            self.done.set()

    def wait(self) -> None:
        """Until it has ended; an exception that comes meanwhile is raised then."""
        came: BaseException | None = None
        while not self.done.is_set():
            try:
                self.done.wait()
            except BaseException as error:
                came = error
        if came is not None:
            raise came


class _Runner:
    """The thread that runs all calls."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[_Call] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def run(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """The result of a call; it is run whole or not at all."""
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    thread = threading.Thread(target=self._serve, name="tidelog-kernel", daemon=True)
                    thread.start()
                    self._thread = thread
        call = _Call(function, args)
        try:
            self._calls.put(call)
            call.done.wait()
        except BaseException:
            if not call.claim.acquire(blocking=False):
                call.wait()
            raise
        if call.error is not None:
            raise call.error
        return call.result

    def _serve(self) -> None:
        np.seterr(all="ignore")  # for this thread: numbers wrap around
        while True:
            self._calls.get().run()


_runner = _Runner()


def _begin_anew() -> None:
    """After a fork the thread is not there."""
    global _runner  # noqa: PLW0603
    _runner = _Runner()


os.register_at_fork(after_in_child=_begin_anew)


def run(entry: Entry, args: tuple[Any, ...]) -> Any:
    """Call the function of an entry."""
    if entry.plain is None:
        entry.plain = _world.twin(entry.function)
    result = _runner.run(entry.plain, tuple(map(_given, args)))
    return result.view(np.ndarray) if isinstance(result, View) else result


def _given(value: Any) -> Any:
    """An argument, as the kernel's functions expect it."""
    if isinstance(value, np.ndarray):
        return value.view(View)
    if isinstance(value, np.generic):
        return value if isinstance(value, np.uint64) else value.item()
    return tuple(map(_given, value)) if isinstance(value, tuple) else value


_OWN_THREADS = ("tidelog-kernel", "tidelog-sync")


def threads() -> int:
    """How many threads Python runs, without the one here, and one that calls nothing of the kernel."""
    return sum(thread.name not in _OWN_THREADS for thread in threading.enumerate())
