"""Keeping an eye on long work: limits, progress, and Ctrl-C, which takes effect whenever the kernel returns to Python."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tidelog.errors import TidelogError, fail


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop: more facts than that, longer than that, more rounds of one recursion than that."""

    facts: int | None = None
    seconds: float | None = None
    rounds: int | None = None


@dataclass(slots=True)
class Progress:
    """Where the work stands."""

    unit: int = 0
    units: int = 0
    working_on: str = ""
    round: int = 0
    facts: int = 0
    derivations: int = 0
    started: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        """Since the work began."""
        return time.perf_counter() - self.started


class Watch:
    """Limits and progress of one piece of work."""

    def __init__(self, limits: Limits | None = None, show: Callable[[Progress], None] | None = None) -> None:
        self.limits, self.progress = limits or Limits(), Progress()
        self._show = show
        self._shown = 0.0
        self._interrupted = False

    @contextmanager
    def guarding(self) -> Iterator[None]:
        """Keep Ctrl-C until the next look, so that it never falls between two steps that belong together.

        What comes behind the last look comes too late to stop anything, and is let go.
        """
        if threading.current_thread() is not threading.main_thread():
            yield  # Python delivers it to the main thread only
            return
        before = signal.getsignal(signal.SIGINT)
        if before is not signal.default_int_handler:
            yield  # somebody else takes care of it, this watch further out perhaps
            return

        def keep(_number: int, _frame: object) -> None:
            self._interrupted = True

        signal.signal(signal.SIGINT, keep)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
            self._interrupted = False

    def look(self) -> None:
        """Called every few milliseconds: raises if a limit has been reached."""
        limits, progress = self.limits, self.progress
        if limits.facts is not None and progress.facts > limits.facts:
            raise self._limit(f"there are more than {limits.facts:,} facts", "facts")
        if limits.seconds is not None and progress.seconds > limits.seconds:
            raise self._limit(f"it has taken more than {limits.seconds:g} seconds", "seconds")
        if limits.rounds is not None and progress.round > limits.rounds:
            raise self._limit(f"there have been more than {limits.rounds:,} rounds", "rounds")
        if self._show is not None and progress.seconds - self._shown > _SHOW_EVERY:
            self._shown = progress.seconds
            self._show(progress)
        if self._interrupted:
            self._interrupted = False
            raise KeyboardInterrupt

    def _limit(self, what: str, option: str) -> TidelogError:
        where = f", last of `{self.progress.working_on}`" if self.progress.working_on else ""
        fix = f"raise limit_{option} (--limit-{option}), or look for a rule that counts without end; nothing has been changed"
        return fail("TL070", f"{what}, and there is still something to derive{where}", fix=fix)


_SHOW_EVERY = 0.1
