"""What rules, units and evaluations have cost, as a profile has it; and how durations and tables are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from tidelog.changes import DeletionCost

Kind = Literal["materialisation", "update", "rule change"]


@dataclass(frozen=True, slots=True)
class ProfiledRule:
    """A rule as people know it."""

    name: str
    """Its name, or its line."""
    place: str
    """The file and the line."""
    text: str


@dataclass(slots=True)
class RuleCost:
    """What a rule has cost."""

    rule: ProfiledRule
    seconds: float = 0.0
    derivations: int = 0
    """Instances of its body that were found."""
    new_facts: int = 0
    """Facts that it was the first to derive."""
    rounds: int = 0
    anew: tuple[int, int] = 0, 0
    """Of the last time that all was derived: its instances and new facts."""

    @property
    def instances_a_fact(self) -> float:
        """How many instances it found for each new fact, when all was derived: if many, its body finds the same facts again."""
        instances, facts = self.anew
        return instances / facts if facts else float(instances)


@dataclass(slots=True)
class UnitCost:
    """What a unit has cost: relations that depend on one another."""

    relations: tuple[str, ...]
    seconds: float = 0.0
    visits: int = 0
    growth: list[int] = field(default_factory=list)
    """New facts of each round of the last time that it was materialised."""


@dataclass(slots=True)
class UpdateCost:
    """What one evaluation has cost."""

    number: int
    kind: Kind
    seconds: float
    algorithm: str
    inserted: int
    deleted: int
    derivations: int
    rounds: int
    deletions: tuple[DeletionCost, ...] = ()
    """What the deletions of each unit were expected to take, and took."""


def shown_seconds(seconds: float) -> str:
    """A duration with three digits: `1.23 s`, `45.6 ms`, `789 µs`."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            value = seconds / size
            return f"{value:.{max(0, 2 - (value >= 10) - (value >= 100))}f} {unit}"
    raise AssertionError


def columns_of_text(heads: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: int) -> list[str]:
    """Lines of columns; the first ones hold numbers, to the right."""
    widths = [max(len(row[at]) for row in (heads, *rows)) for at in range(len(heads))]
    lines = []
    for row in (heads, *rows):
        cells = (
            cell.rjust(width) if at < numbers else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join(cells).rstrip())
    return lines
