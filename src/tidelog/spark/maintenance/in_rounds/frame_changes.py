"""What an update has changed of relations on Spark so far, and of the rules of a unit: the input of maintenance in rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tidelog.core.rules import CoreRule
from tidelog.spark.data.frames import FrameRelation
from tidelog.spark.data.sets import Delta


@dataclass(frozen=True, slots=True)
class FrameChanges:
    """The changes of one update, by relation."""

    before: Mapping[str, FrameRelation]
    """Snapshots of all relations before the update."""
    explicit: Mapping[str, FrameRelation]
    """The explicit facts of relations with rules, as they are now."""
    given: dict[str, Delta] = field(default_factory=dict)
    """The deltas of these explicit facts."""
    deltas: dict[str, Delta] = field(default_factory=dict)
    """The deltas of relations that are up to date."""


@dataclass(frozen=True, slots=True)
class RuleDelta:
    """How the rules of a unit differ from those before."""

    added: frozenset[int] = frozenset()
    """The positions of new rules in the program."""
    removed: tuple[CoreRule, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)
