"""Keeping an eye on long work: limits, progress, and Ctrl-C, which Python delivers whenever the kernel returns to it."""

from __future__ import annotations

import time
from collections.abc import Callable
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

    def look(self) -> None:
        """Called every few milliseconds: raises if a limit has been reached."""
        limits, progress = self.limits, self.progress
        if limits.facts is not None and progress.facts > limits.facts:
            raise self._limit(f"there are more than {limits.facts:,} facts", "limit_facts")
        if limits.seconds is not None and progress.seconds > limits.seconds:
            raise self._limit(f"it has taken more than {limits.seconds:g} seconds", "limit_seconds")
        if limits.rounds is not None and progress.round > limits.rounds:
            raise self._limit(f"there have been more than {limits.rounds:,} rounds", "limit_rounds")
        if self._show is not None and progress.seconds - self._shown > _SHOW_EVERY:
            self._shown = progress.seconds
            self._show(progress)

    def _limit(self, what: str, option: str) -> TidelogError:
        fix = f"raise {option}, or look for a rule that counts without end; nothing has been changed"
        return fail("TL070", f"{what} and still new ones, last of `{self.progress.working_on}`", fix=fix)


_SHOW_EVERY = 0.1
