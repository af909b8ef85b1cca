"""What a workload is made of: input tables for each size, contenders that compute the same result, and targets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

Inputs = Mapping[str, pa.Table]
"""The facts a contender starts from: an Arrow table for each relation."""

Evaluate = Callable[[], int]
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


@dataclass(frozen=True)
class Target:
    """What we ask of one contender at one size: `measure` at most `limit`, times a peer's where `peer` names one."""

    contender: str
    size: int
    limit: float
    peer: str = ""
    measure: str = "cpu"
    """The column of the table: `cpu` (seconds of evaluation), or `bytes_a_fact` (growth of memory per loaded fact)."""
    elsewhere: str = ""
    """CPU seconds of other engines on another machine."""

    def describe(self) -> str:
        """As the summary prints it."""
        unit = " bytes a fact" if self.measure == "bytes_a_fact" else " s CPU"
        return f"≤ {self.limit:.2g} × {self.peer}" if self.peer else f"≤ {self.limit:g}{unit}"


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
    """The column that the plot shows against the size."""

    def contender(self, name: str) -> Contender:
        """The contender of that name."""
        return next(contender for contender in self.contenders if contender.name == name)
