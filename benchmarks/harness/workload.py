"""What a workload is made of: input tables for each size, contenders that compute the same result, and targets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from benchmarks.harness.results import Row

Inputs = Mapping[str, pa.Table]
"""The facts a contender starts from: an Arrow table for each relation."""


@dataclass(frozen=True)
class Found:
    """How many facts a result has, and what the contender measured on the way."""

    facts: int
    figures: Mapping[str, float] = field(default_factory=dict)
    """By the column of the table."""


Evaluate = Callable[[], int | Found]
"""Computes the result from what is loaded and returns how many facts it has; keeps the result alive while it is referenced."""

Load = Callable[[Inputs, Path], Evaluate]
"""Loads the inputs into the contender; the folder is a temporary one for files it may need."""


class NotAvailable(Exception):  # noqa: N818 -- not an error: the contender is not installed
    """The contender cannot run on this machine (yet)."""


@dataclass(frozen=True)
class Contender:
    """One way to compute the result of a workload."""

    name: str
    load: Load
    largest: int | None = None
    """The largest size at which it takes part, or None: at all sizes."""
    reason: str = ""
    """Why it takes no part beyond `largest`."""

    def takes_part(self, size: int) -> bool:
        """Whether it is measured at this size."""
        return self.largest is None or size <= self.largest


UNITS = {
    "cpu": "s CPU",
    "wall": "s wall",
    "round_wall": "s wall a late round",
    "bytes_a_fact": "bytes a fact",
    "per_cpu_second": "facts a CPU second",
}
"""What a target may be about: the figures of a `Row`, and in what they are counted."""


@dataclass(frozen=True)
class Target:
    """What we ask of one contender at one size: `measure` at most `limit`, times a peer's where `peer` names one."""

    contender: str
    size: int
    limit: float
    peer: str = ""
    measure: str = "cpu"
    """The figure, one of `UNITS`."""
    at_least: bool = False
    """Whether more is better, and `limit` the least."""
    alternatives: tuple[str, ...] = ()
    """Other contenders that may do it instead: the best one counts."""
    elsewhere: str = ""
    """CPU seconds of other engines on another machine."""

    def describe(self) -> str:
        """As the summary prints it."""
        sign = "≥" if self.at_least else "≤"
        return f"{sign} {self.limit:.2g} × {self.peer}" if self.peer else f"{sign} {self.limit:,g} {UNITS[self.measure]}"

    def best(self, rows: Iterable[Row]) -> Row | None:
        """The row that does best in what the target is about."""
        choose = max if self.at_least else min
        return choose(rows, key=lambda row: row.figure(self.measure), default=None)


@dataclass(frozen=True)
class Workload:
    """The same job at several sizes, for several contenders."""

    name: str
    title: str
    inputs: Callable[[int], Inputs]
    sizes: tuple[int, ...]
    unit: str
    """What a size counts, such as nodes."""
    tiny: int
    """The size at which each contender warms up before it is measured."""
    contenders: tuple[Contender, ...]
    targets: tuple[Target, ...] = ()
    expected: Mapping[int, int] = field(default_factory=dict)
    """The number of result facts where it is known beforehand."""
    plotted: str = "cpu"
    """The column that the plot shows against the size, and by which the best of the repeats is chosen; less is better."""
    time_limit: float = 600.0
    """Seconds after which a measurement is given up."""

    def contender(self, name: str) -> Contender:
        """The contender of that name."""
        return next(contender for contender in self.contenders if contender.name == name)
