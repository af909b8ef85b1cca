"""Keeping an eye on long work: limits, progress, and Ctrl-C, which takes effect whenever the kernel returns to Python."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` makes enumerations of everything, which a small update has no time for
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

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
        self._guards = 0
        self._keeps = False
        self.counts_facts = self.limits.facts is not None or show is not None
        """Whether anybody wants to know how many facts there are."""

    def deferring_interrupts(self) -> Self:
        """Defer Ctrl-C until the next poll, so that it never interrupts between two steps that belong together.

        A Ctrl-C after the last poll comes too late to stop anything and is dropped.  Where another handler than Python's own is
        installed (a Spark that we started has one that ends its jobs first), Ctrl-C is not deferred; the caller must then start
        from scratch afterwards, as the knowledge base on Spark does.
        """
        return self

    def __enter__(self) -> None:
        self._guards += 1
        if self._guards > 1 or threading.current_thread() is not threading.main_thread():
            return  # Python delivers it to the main thread only
        if _signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else somebody else takes care of it
            _signal.signal(signal.SIGINT, self._keep)
            self._keeps = True

    def __exit__(self, *_: object) -> None:
        self._guards -= 1
        if self._keeps and not self._guards:
            _signal.signal(signal.SIGINT, signal.default_int_handler)
            self._keeps = self._interrupted = False

    def _keep(self, _number: int, _frame: object) -> None:
        self._interrupted = True

    def poll(self) -> None:
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
