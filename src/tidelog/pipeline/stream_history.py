"""What a stream has done since its job was started, update by update, for its report: sums, and the last so many."""

from __future__ import annotations

from collections import deque
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

    def note(self, number: int, change: Change) -> None:
        """Note an update that has been worked off."""
        facts_in, facts_out = (sum(map(len, facts.values())) for facts in (change.inserted, change.deleted))
        stats = change.stats
        self.updates += 1
        self.facts_in += facts_in
        self.facts_out += facts_out
        self.seconds += stats.seconds
        for name, seconds in stats.seconds_by_phase.items():
            self.phases[name] = self.phases.get(name, 0.0) + seconds
        name = "" if change.id is None else str(change.id)
        self.steps.append(Step(number, name, facts_in, facts_out, stats.seconds, stats.algorithm))
