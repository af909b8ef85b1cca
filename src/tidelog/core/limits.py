"""Limits, progress and Ctrl-C of an evaluation.  They take effect at a poll, whenever the kernel returns to Python."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` builds enumerations, which costs a small update too much
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

from tidelog.errors import Diagnostic, TidelogError


class LimitReachedError(TidelogError):
    """A limit was reached; `option` is `facts`, `seconds`, `rounds` or `memory`."""

    def __init__(self, option: str, what: str, working_on: str | None = None) -> None:
        """`working_on` is the rule in hand, if there is still something to derive."""
        self.option = option
        where = f", last of `{working_on}`" if working_on else ""
        message = what if working_on is None else f"{what}, and there is still something to derive{where}"
        fix = f"raise limit_{option} (--limit-{option}), or look for a rule that counts without end; nothing has been changed"
        super().__init__([Diagnostic("TL070", message, fix=fix)])

    @classmethod
    def of_memory(cls, needed: int, limit: int) -> LimitReachedError:
        """The stored state would need so many bytes, and may have fewer."""
        return cls("memory", f"facts and values would need {needed:,} bytes of memory, and may have {limit:,}")


class TooExpensiveError(Exception):
    """Maintaining a unit costs more than deriving it anew; the message is the reason."""

    def __init__(self, reason: str, *, is_over_time: bool = False) -> None:
        """`is_over_time` says that maintenance was tried and took too long."""
        self.is_over_time = is_over_time
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Limits:
    """The most facts, seconds, rounds of one recursion, and bytes of the stored state that an evaluation may take."""

    facts: int | None = None
    seconds: float | None = None
    rounds: int | None = None
    memory: int | None = None
    """Kept by the storage of the local engine, which asks before it grows."""


@dataclass(slots=True)
class Progress:
    """How far an evaluation has got."""

    unit: int = 0
    units: int = 0
    working_on: str = ""
    round: int = 0
    facts: int = 0
    derivations: int = 0
    started: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        """Seconds since the evaluation began."""
        return time.perf_counter() - self.started


class Watch:
    """Watches one evaluation: checks its limits, shows its progress, defers Ctrl-C."""

    def __init__(self, limits: Limits | None = None, show: Callable[[Progress], None] | None = None) -> None:
        self.limits, self.progress = limits or Limits(), Progress()
        self._show = show
        self._shown = 0.0
        self._interrupted = False
        self._guards = 0
        self._defers = False
        self.counts_facts = self.limits.facts is not None or show is not None
        """Whether a limit or a progress display needs the number of facts."""

    def deferring_interrupts(self) -> Self:
        """Defer Ctrl-C until the next poll, so that it never interrupts between two steps that belong together.

        A Ctrl-C after the last poll cannot stop anything any more and is dropped.  Where another handler than Python's own is
        installed (a Spark that we started has one that ends its jobs first), Ctrl-C is not deferred; the caller must then start
        from scratch afterwards, as the knowledge base on Spark does.
        """
        return self

    def __enter__(self) -> None:
        self._guards += 1
        if self._guards > 1 or threading.current_thread() is not threading.main_thread():
            return  # Python delivers signals to the main thread only
        if _signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # another handler stays in place
            _signal.signal(signal.SIGINT, self._defer)
            self._defers = True

    def __exit__(self, *_: object) -> None:
        self._guards -= 1
        if self._defers and not self._guards:
            _signal.signal(signal.SIGINT, signal.default_int_handler)
            self._defers = self._interrupted = False

    def _defer(self, _number: int, _frame: object) -> None:
        self._interrupted = True

    def poll(self) -> None:
        """Raise if a limit has been reached or Ctrl-C was pressed; called every few milliseconds."""
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

    def _limit(self, what: str, option: str) -> LimitReachedError:
        return LimitReachedError(option, what, self.progress.working_on)


_SHOW_EVERY = 0.1
