"""What a unit has cost so far: the measurements that the cost model decides by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

SMALL = 5_000
"""With fewer rows, plans and calls take longer than everything else, and any algorithm will do."""
_FADING = 0.75
"""The weight of earlier measurements."""
_ENOUGH = 50
"""So many suspects tell what others will be like."""
_PATIENCE, _LEAST_PATIENCE, _LESS_PATIENCE, _MORE_PATIENCE = 1.0, 0.1, 0.5, 1.25
"""The part of the time of rematerialising after which a deletion gives up at the latest: at first, and at least; by what it is
multiplied when one did, and when one did not."""
_MOST_FAILURES = 4
"""For each deletion in turn that was given up, four times as many like it are not tried; no more than for so many."""
_HARDLY_ANY = 0.05
"""The share of suspects with another proof below which DRed is chosen."""


@dataclass(slots=True)
class Costs:
    """What a unit took, in seconds."""

    anew: float = 0.0
    """To rematerialise it."""
    rows: int = 1
    """How many rows the unit, and what it reads, had then."""
    deletions: int = -1
    """How many deletions there were; the first does not count, for it makes plans."""
    seconds: float = 0.0
    lost: float = 0.0
    """What deletions took, and for how many lost facts; recent ones count more."""
    suspected: float = 0.0
    kept: float = 0.0
    """How many facts were suspected, and how many of them stayed."""
    too_many: float = inf
    """So many lost facts were too many for a deletion."""
    failures: int = 0
    spared: int = 0
    """How many deletions in turn were given up, and how many of facts about as many are not to be tried."""
    patience: float = _PATIENCE
    """Deletion gives up after that part of the time that rematerialising takes."""

    @property
    def per_fact(self) -> float:
        """What a lost fact took."""
        return self.seconds / self.lost if self.lost else 0.0

    @property
    def has_few_proofs(self) -> bool:
        """Whether hardly any suspect has another proof."""
        return self.suspected > _ENOUGH and self.kept < _HARDLY_ANY * self.suspected

    def derived(self, seconds: float, rows: int) -> None:
        """Record what it took to materialise the unit."""
        self.anew, self.rows = seconds, max(1, SMALL, rows)  # with fewer rows, it is plans and calls that take time

    def ended(self) -> None:
        """Record that a deletion that might have given up did not."""
        self.patience = min(_PATIENCE, self.patience * _MORE_PATIENCE)

    def gave_up(self, seconds: float | None, lost: int) -> None:
        """Record a deletion that was given up, after some seconds if they were measured; others like it would take longer, too.

        The first one tells nothing, for it makes plans.
        """
        self.deletions += 1
        if not self.deletions:
            return
        self.patience = max(_LEAST_PATIENCE, self.patience * _LESS_PATIENCE)
        if seconds is None:
            return
        self.seconds, self.lost = 2 * seconds, lost
        self.failures = min(_MOST_FAILURES, self.failures + 1)
        self.too_many, self.spared = lost, (1 << 2 * self.failures) - 1

    def is_hopeless(self, lost: int) -> bool:
        """Whether not even to try to delete so many facts; tried again some time, for other facts may have gone."""
        if 2 * lost < self.too_many or not self.spared:
            return False
        self.spared -= 1
        return True

    def anew_with(self, rows: int) -> float:
        """What it will take to rematerialise the unit, with so many rows."""
        return self.anew * rows / self.rows

    def deleted(self, seconds: float | None, lost: int, suspected: int, kept: int) -> None:
        """Record what a deletion took, if it was measured, and how much of what it suspected stayed."""
        self.deletions += 1
        if 2 * lost >= self.too_many:
            self.too_many, self.failures = inf, 0
        if self.deletions:
            if seconds is not None:
                self.seconds, self.lost = _FADING * self.seconds + seconds, _FADING * self.lost + lost
            self.suspected, self.kept = _FADING * self.suspected + suspected, _FADING * self.kept + kept

    @classmethod
    def of_all(cls, parts: Iterable[Costs]) -> Costs:
        """A guess for a unit whose relations belonged to several."""
        before = list(parts)
        return cls(sum(costs.anew for costs in before), sum(costs.rows for costs in before)) if before else cls()
