"""Limits, progress and signals of an evaluation.  They take effect at a poll, whenever the kernel returns to Python."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` builds enumerations, which costs a small update too much
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any, Self

from tidelog.errors import Diagnostic, TidelogError

if TYPE_CHECKING:
    from tidelog.options import StartingOver


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
    starting_over: StartingOver = "allow"
    """Whether the local engine may derive a unit from scratch although nobody has asked for that."""


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
    """Watches one evaluation: checks its limits, shows its progress, defers signals."""

    def __init__(self, limits: Limits | None = None, show: Callable[[Progress], None] | None = None) -> None:
        self.limits, self.progress = limits or Limits(), Progress()
        self._show = show
        self._shown = 0.0
        self._guards = 0
        self._handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}
        """The handlers of signals that are deferred."""
        self._arrived: list[tuple[int, FrameType | None]] = []
        self._frame: FrameType | None = None
        """Signals are deferred while it runs."""
        self._thread = 0
        """Its thread."""
        self.stopped_by: BaseException | None = None
        """What a poll has raised."""
        self.counts_facts = self.limits.facts is not None or show is not None
        """Whether a limit or a progress display needs the number of facts."""

    def deferring_interrupts(self) -> Self:
        """Defer Ctrl-C and other signals until the next poll, so that they never come between two steps that belong together.

        The handler is called at the poll, and may raise there.  What comes after the last poll is handled after the end.
        """
        return self

    def __enter__(self) -> None:
        self.enter(sys._getframe(1))

    def __exit__(self, *_: object) -> None:
        self.leave()

    def enter(self, frame: FrameType) -> None:
        """Defer signals while a frame runs."""
        if self._guards or threading.current_thread() is not threading.main_thread():
            self._guards += 1
            return  # Python delivers signals to the main thread only
        self._frame = frame
        self._guards, self._thread, defer = 1, threading.get_ident(), self._defer
        for number, handler in zip(_SIGNALS, map(_signal.getsignal, _SIGNALS), strict=True):
            if handler is not None and type(handler) is not int:  # neither the system's own, nor ignored
                self._handlers[number] = handler
                _signal.signal(number, defer)

    def leave(self) -> None:
        """The end of `enter`: handle what has arrived."""
        if self._guards > 1:
            self._guards -= 1
            return
        if self._handlers and threading.get_ident() == self._thread:
            for number, handler in self._handlers.items():
                if _signal.getsignal(number) == self._defer:  # otherwise somebody has installed another one
                    _signal.signal(number, handler)
        self._guards, self._frame = 0, None
        self._deliver()

    def _defer(self, number: int, frame: FrameType | None) -> None:
        running = frame
        while running is not None and running is not self._frame:
            running = running.f_back
        if running is not None:
            self._arrived.append((number, frame))
            return
        if _signal.getsignal(number) == self._defer:  # an exception has kept `leave` from doing that
            _signal.signal(number, self._handlers[number])
        self._handlers[number](number, frame)

    def _deliver(self) -> None:
        """Call the handlers of what has arrived; one that raises leaves the others for later."""
        while self._arrived:
            number, frame = self._arrived.pop(0)
            self._handlers[number](number, frame)

    def poll(self) -> None:
        """Raise if a limit has been reached, or what the handler of a signal raises; called every few milliseconds."""
        try:
            self._poll()
        except BaseException as error:
            self.stopped_by = error
            raise

    def _poll(self) -> None:
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
        if self._arrived:
            self._deliver()

    def _limit(self, what: str, option: str) -> LimitReachedError:
        return LimitReachedError(option, what, self.progress.working_on)


_SHOW_EVERY = 0.1
_NAMES = ("INT", "TERM", "HUP", "QUIT", "ALRM", "VTALRM", "PROF", "USR1", "USR2", "XCPU")
_SIGNALS = tuple(int(getattr(signal, f"SIG{name}")) for name in _NAMES if hasattr(signal, f"SIG{name}"))
"""Those whose handlers tend to raise, as far as the system has them.  An update survives others, too (`local.recovery`)."""
