"""A job: data and rules, the sizes of the change or of what it meets, and who takes part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.maintenance.equilibrium import Scale
from benchmarks.maintenance.measuring import FRESH, Steps
from tidelog.options import ALGORITHMS

EVERYBODY = (*ALGORITHMS, FRESH)


@dataclass(frozen=True)
class Job:
    """The same change, or one of the same kind, at several sizes."""

    name: str
    title: str
    unit: str
    """What a size counts."""
    sizes: tuple[int, ...]
    quick: tuple[int, ...]
    """The sizes of a quick run."""
    tiny: int
    """The size of the warm-up."""
    run: Callable[[str, int], Steps] | None
    """Measures a contender at a size."""
    contenders: tuple[str, ...] = ALGORITHMS
    scale: Scale | None = None
    """In place of `run`: measures a contender at all sizes in one process."""
