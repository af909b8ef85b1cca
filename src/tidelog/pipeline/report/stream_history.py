"""What a stream has done since its job was started, update by update, for its report: sums, and the last so many."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tidelog.changes import Change

_KEPT = 2_400
"""Updates that a picture shows."""


@dataclass(frozen=True, slots=True)
class Step:
    """One update."""

    number: int
    name: str
    facts_in: int
    facts_out: int
    seconds: float
    algorithm: str
    phases: Mapping[str, float] = field(default_factory=dict)
    """Seconds of each."""

    @classmethod
    def of(cls, number: int, change: Change) -> Step:
        """What an update did."""
        stats, name = change.stats, "" if change.id is None else str(change.id)
        facts = change.inserted.total, change.deleted.total
        return cls(number, name, *facts, stats.seconds, stats.algorithm, stats.seconds_by_phase)


@dataclass(slots=True)
class StreamHistory:
    """What has been done."""

    updates: int = 0
    facts_in: int = 0
    facts_out: int = 0
    seconds: float = 0.0
    phases: dict[str, float] = field(default_factory=dict)
    """Seconds of each phase, all updates together."""
    broken: int = 0
    """Set aside since the state was begun, as `in_all` is worked off since then."""
    in_all: int = 0
    steps: deque[Step] = field(default_factory=lambda: deque(maxlen=_KEPT))
    """The last ones."""

    def note(self, step: Step) -> None:
        """Note an update that has been committed."""
        self.updates += 1
        self.facts_in += step.facts_in
        self.facts_out += step.facts_out
        self.seconds += step.seconds
        for name, seconds in step.phases.items():
            self.phases[name] = self.phases.get(name, 0.0) + seconds
        self.steps.append(step)
