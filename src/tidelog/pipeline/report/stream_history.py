"""The updates of a streaming job since its start, for its report: totals, and the last updates one by one."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tidelog.changes import Change

_KEPT = 2_400
"""Updates that are kept one by one."""


@dataclass(frozen=True, slots=True)
class AppliedUpdate:
    """One update that has been applied."""

    number: int
    name: str
    facts_in: int
    facts_out: int
    seconds: float
    algorithm: str
    phases: Mapping[str, float] = field(default_factory=dict)
    """Seconds of each."""

    @classmethod
    def of(cls, number: int, change: Change) -> AppliedUpdate:
        """The record of a change."""
        stats, name = change.stats, "" if change.id is None else str(change.id)
        facts = change.inserted.total, change.deleted.total
        return cls(number, name, *facts, stats.seconds, stats.algorithm, stats.seconds_by_phase)


@dataclass(slots=True)
class StreamHistory:
    """Totals and recent updates."""

    updates: int = 0
    facts_in: int = 0
    facts_out: int = 0
    seconds: float = 0.0
    phases: dict[str, float] = field(default_factory=dict)
    """Seconds of each phase, all updates together."""
    broken: int = 0
    """Refused updates since the state was begun; `in_all` counts those applied since then."""
    in_all: int = 0
    recent: deque[AppliedUpdate] = field(default_factory=lambda: deque(maxlen=_KEPT))

    def note(self, update: AppliedUpdate) -> None:
        """Add an update that has been committed."""
        self.updates += 1
        self.facts_in += update.facts_in
        self.facts_out += update.facts_out
        self.seconds += update.seconds
        for name, seconds in update.phases.items():
            self.phases[name] = self.phases.get(name, 0.0) + seconds
        self.recent.append(update)
