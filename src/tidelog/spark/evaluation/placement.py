"""Where a part of a program is evaluated, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from tidelog.core.rules import Core
from tidelog.program.program import Program


class Where(StrEnum):
    """The placements."""

    KERNEL = "kernel"
    DECOMPOSED = "decomposed"
    ROUNDS = "rounds"
    COMPONENTS = "components"


@dataclass(slots=True)
class Placement:
    """What became of some relations that depend on one another."""

    relations: tuple[str, ...]
    where: Where
    why: str
    rounds: int = 0
    seconds: float = 0.0
    facts: int = 0
    history: list[int] = field(default_factory=list)
    """New facts, round by round."""


@dataclass(frozen=True, slots=True)
class PlacedProgram:
    """The rules that an engine evaluates, and where it evaluates them; a change of rules replaces it as a whole."""

    program: Program
    frame_core: Core
    """The program as Spark evaluates it."""
    where: dict[str, Where] = field(default_factory=dict)
    """For each relation of the program."""
    placements: list[Placement] = field(default_factory=list)
    derived_in_kernel: set[str] = field(default_factory=set)
    derived_on_spark: set[str] = field(default_factory=set)
    """Relations with rules, internal ones included, by where they were derived."""

    def place(self, placement: Placement, in_kernel: Iterable[str] = (), on_spark: Iterable[str] = ()) -> None:
        """Note where a component was evaluated, and which stored relations it derived."""
        self.where.update(dict.fromkeys(placement.relations, placement.where))
        self.placements.append(placement)
        self.derived_in_kernel.update(in_kernel)
        self.derived_on_spark.update(on_spark)


def choose(forced: str, facts: int, needed: int, room: int) -> tuple[Where, str]:
    """The place for rules that read so many facts, which need so many bytes more in the kernel, of which so many are left."""
    if forced != "auto":
        return Where(forced), "as asked for"
    if needed <= room:
        return Where.KERNEL, f"{facts:,} facts to read take about {_size(needed)}, within the {_size(room)} left of the budget"
    return Where.ROUNDS, f"{facts:,} facts to read take about {_size(needed)}, beyond the {_size(room)} left of the budget"


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
