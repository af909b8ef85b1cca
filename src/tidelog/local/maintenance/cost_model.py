"""Which algorithm maintains a unit: what the user asked for, or what should be cheapest.

B/F is the rule: it never deletes what stays. Where hardly anything that was suspected had another proof, DRed does the same with
less ado. Where much has gone, to derive the unit anew is cheaper than to look for what is left of it: the B/F paper's
equilibrium. Measured (`benchmarks/maintenance`), that is anywhere between one fact in a thousand and one in ten, so no share of
facts can tell. What tells is time: what it took to derive the unit, and what a lost fact took in earlier updates. Where the
unit has no such past, or the past is wrong, deletion gives up when it has taken as long as starting over, and is never more
than twice as slow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import inf
from time import thread_time

from tidelog.core.arrays import Rows
from tidelog.core.rules import Unit
from tidelog.local.maintenance.counting import is_counted
from tidelog.local.maintenance.deltas import Deltas
from tidelog.local.storage.state import State

_PATIENCE = 1.0
"""Deletion gives up after that part of the time that starting over takes."""
_SMALL = 5_000
"""With fewer rows plans and calls take longer than everything else, and whatever is chosen will do ..."""
_MUCH = 0.15
"""... unless so large a share of what a unit holds and reads has gone."""
_FEW = 8
"""For so few lost facts B/F is always tried: what they take differs too much for a prediction, and tells nothing of many."""
_ENOUGH = 50
"""So many suspects tell what others will be like."""
_HARDLY_ANY = 0.05
"""The share of suspects with another proof below which DRed takes over."""
PLANNING = 5e-4
"""Seconds for each rule that a first deletion may take longer, for it makes plans."""


@dataclass(slots=True)
class Costs:
    """What a unit took, in seconds."""

    anew: float = 0.0
    """To derive all of it."""
    rows: int = 1
    """How many rows it, and what it reads, had then."""
    deletions: int = -1
    """How often something was deleted; the first time does not count, for it makes plans."""
    seconds: float = 0.0
    lost: float = 0.0
    """What deletions took, and for how many lost facts; recent ones count more."""
    suspected: float = 0.0
    kept: float = 0.0
    """How many facts were suspected, and how many of them stayed."""

    @property
    def per_fact(self) -> float:
        """What a lost fact took."""
        return self.seconds / self.lost if self.lost else 0.0

    @property
    def has_few_proofs(self) -> bool:
        """Whether hardly anything that is suspected has another proof."""
        return self.suspected > _ENOUGH and self.kept < _HARDLY_ANY * self.suspected

    def derived(self, seconds: float, rows: int) -> None:
        """Note what it took to derive all of it."""
        self.anew, self.rows = seconds, max(1, _SMALL, rows)  # of fewer rows, it is plans and calls that take time

    def gave_up(self, seconds: float, lost: int) -> None:
        """Note that a deletion was given up after some seconds; it would have taken longer."""
        self.deletions += 1
        self.seconds, self.lost = 2 * seconds, lost

    def anew_with(self, rows: int) -> float:
        """What it will take to derive all of it, with so many rows."""
        return self.anew * rows / self.rows

    def deleted(self, seconds: float | None, lost: int, suspected: int, kept: int) -> None:
        """Note what a deletion took, if anybody has looked, and how much of what it suspected stayed."""
        self.deletions += 1
        if self.deletions:
            if seconds is not None:
                self.seconds, self.lost = 0.75 * self.seconds + seconds, 0.75 * self.lost + lost
            self.suspected, self.kept = 0.75 * self.suspected + suspected, 0.75 * self.kept + kept


@dataclass(slots=True)
class Choice:
    """An algorithm for a unit in one update."""

    algorithm: str
    """`bf`, `dred`, `counting` or `rematerialise`."""
    why: str
    lost: int = 0
    began: float | None = None
    """When it was chosen (`thread_time`), if what it takes is to be noted."""
    deadline: Callable[[], float] | None = None
    """When to give up; asked for when deletion first stops to look, which few facts do not give it time for."""


def costs_of(unit: Unit, state: State) -> Costs:
    """What a unit took so far."""
    known: Costs | None = state.costs.get(id(unit))
    if known is None:
        known = state.costs[id(unit)] = Costs()
    return known


def rows_of(unit: Unit, state: State) -> int:
    """How many rows a unit, and what it reads, have."""
    return sum([len(state.tables[name]) for name in {*unit.uses, *unit.relations} if name in state.tables])


def choose(requested: str, unit: Unit, state: State, deltas: Deltas, changed: Iterable[str], seeds: Mapping[str, Rows]) -> Choice:
    """The algorithm for a unit that may lose facts."""
    if requested == "counting" and not is_counted(unit, state):
        return Choice("dred", "its derivations have not been counted")
    if requested != "auto":
        return Choice(requested, "as asked for")
    lost = sum(map(len, seeds.values()))
    for name in changed:
        lost += deltas.of[name].gained if name in unit.uses_negatively else deltas.of[name].lost
    if lost <= _FEW:
        return Choice("bf", "few facts have gone", lost, None, lambda: _deadline(unit, state, thread_time()))
    rows = rows_of(unit, state)
    if rows < _SMALL:
        if lost > _MUCH * rows:
            return Choice("rematerialise", f"{lost:,} facts have gone, and what is left is quickly derived", lost)
        return Choice("bf", "few facts have gone", lost)
    costs = costs_of(unit, state)
    anew = costs.anew_with(rows)
    if lost * costs.per_fact > anew:
        costs.seconds *= 0.9  # so that it is tried again some time
        return Choice("rematerialise", f"{lost:,} facts have gone, and to follow each of them would take longer", lost)
    now = thread_time()
    deadline = _deadline(unit, state, now)
    if costs.has_few_proofs:
        return Choice("dred", "few facts have gone, and hardly any had another proof so far", lost, now, lambda: deadline)
    return Choice("bf", "few facts have gone", lost, now, lambda: deadline)


def _deadline(unit: Unit, state: State, now: float) -> float:
    """When deletion is to give up that begins now."""
    costs, rows = costs_of(unit, state), rows_of(unit, state)
    if rows < _SMALL:
        return inf
    planning = PLANNING * len(unit.rules) if costs.deletions < 0 else 0.0
    return now + _PATIENCE * (costs.anew_with(rows) + planning)
