"""Where a part of a program is evaluated, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


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


BYTES_A_FACT = 64
"""What a fact takes in the kernel, with indexes and the dictionary, as a rule of thumb."""


def choose(forced: str, facts: int, budget: int) -> tuple[Where, str]:
    """The place for rules that read so many facts."""
    if forced != "auto":
        return Where(forced), "as asked for"
    needed = facts * BYTES_A_FACT
    if needed <= budget:
        return Where.KERNEL, f"{facts:,} facts to read take about {_size(needed)}, within the budget of {_size(budget)}"
    return Where.ROUNDS, f"{facts:,} facts to read take about {_size(needed)}, beyond the budget of {_size(budget)}"


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
