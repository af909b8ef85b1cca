"""Marks: what follows from facts that the next update will delete, so that it need not be found again.

While an update is applied and the next one is known, the facts that it inserts and the next one deletes are *marked*. They are
inserted last, as a step of their own (`MarkedStep`), so all that is new in that step follows from them: these are the
*implicit* marks. When the next update deletes the marked facts, there are two ways to use that.

- As the papers do (Illich and Glimm, "Backward/Forward with Marking for Update Streams", DL 2025, Algorithm 1): no rule is
  applied to find out which facts depend on a marked one; the implicit marks are the first suspects (the set W). With B/F only
  explicit facts pass marks to a unit's relations; with DRed derived ones do, too (`Marks.using`). Departure: within a recursive
  unit all that is new is marked, not only the heads of instances with a marked explicit fact in their bodies.
  Facts that were there before are marked, too (`mark_propagation`).
- The whole step is undone, without any rule (`MarkedStep.undo`): what it inserted is deleted, what it deleted is inserted.

The first is sound because whatever was there before the marked step has a proof without the marked facts: if that one fails, too,
it fails for a fact that was not marked, which is found the usual way. So where the marked step took facts away, or added to a
relation under a negation, or changed a virtual relation, a unit drops its marks. The second is always sound.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from tidelog.changes import Counters
from tidelog.core.arrays import Rows
from tidelog.core.rules import Unit
from tidelog.local.maintenance.delta.deltas import Deltas
from tidelog.local.maintenance.delta.marked_step import MarkedStep


@dataclass(slots=True)
class EarlierMarks:
    """Facts that were there before the last update and that the next one deletes, and what they were used for meanwhile."""

    given: Mapping[str, Rows] = field(default_factory=dict)
    """The facts themselves, by the relation that stores them."""
    heads: Mapping[str, Rows] = field(default_factory=dict)

    @property
    def explicit(self) -> int:
        """How many facts are marked."""
        return sum(map(len, self.given.values()))


class Marks:
    """The marks of a step, for the update that deletes the facts that it has inserted."""

    def __init__(self, step: MarkedStep, earlier: EarlierMarks) -> None:
        """`earlier` are marks of facts that were there before the step."""
        self._step, self._earlier = step, earlier
        self._is_used = False
        self.counters = Counters()

    @contextmanager
    def using(self, unit: Unit, algorithm: str, deltas: Deltas, seeds: Mapping[str, Rows]) -> Iterator[Mapping[str, Rows]]:
        """The first suspects of a unit, and meanwhile no marked fact counts as one that went from a lower relation."""
        seeds = self._with_heads(unit, algorithm, seeds)
        brought = {name: self._step.deltas[name].inserted for name in unit.relations if name in self._step.deltas}
        passing = [name for name in unit.uses if self._passes(name, unit, algorithm) and name in deltas]
        if not passing or algorithm not in ("bf", "dred") or unit.operators or not self._is_sound(unit):
            self.counters.dropped_marks += sum(map(len, brought.values())) if passing else 0
            yield seeds
            return
        self._is_used = True
        self.counters.implicit_marks += sum(map(len, brought.values()))
        whole = {name: deltas.of[name] for name in passing}
        for name in passing:
            delta = whole[name]
            is_marked = deltas.state.isin_rows(delta.deleted, self._step.deltas[name].inserted)
            deltas.replace(name, replace(delta, deleted=delta.deleted[~is_marked]))
        try:
            yield _joined(seeds, brought)
        finally:
            for name, delta in whole.items():
                deltas.replace(name, delta)

    def _with_heads(self, unit: Unit, algorithm: str, seeds: Mapping[str, Rows]) -> Mapping[str, Rows]:
        """The first suspects, with the heads of marked instances of facts that were there before the step."""
        heads = {name: self._earlier.heads[name] for name in unit.relations if name in self._earlier.heads}
        if algorithm not in ("bf", "dred") or unit.operators:
            self.counters.dropped_marks += sum(map(len, heads.values()))
            return seeds
        self._is_used = self._is_used or not unit.uses.isdisjoint(self._earlier.given)
        self.counters.implicit_marks += sum(map(len, heads.values()))
        return _joined(seeds, heads)

    def _passes(self, name: str, unit: Unit, algorithm: str) -> bool:
        """Whether facts of a relation pass their marks to the heads of a unit's rules."""
        marked = self._step.given if algorithm == "bf" else self._step.deltas
        return name in marked and name not in unit.relations and name in self._step.deltas

    def _is_sound(self, unit: Unit) -> bool:
        """Whether everything that the unit had before the marked step still had its proof after it."""
        changed = [(name, self._step.deltas[name]) for name in (*unit.uses, *unit.relations) if name in self._step.deltas]
        return all(
            delta.virtual is None and not len(delta.deleted) and name not in unit.uses_negatively for name, delta in changed
        )

    def finish(self) -> Counters:
        """What has been used, and what has not."""
        explicit = self._step.explicit + self._earlier.explicit
        if self._is_used:
            self.counters.explicit_marks += explicit
        else:
            self.counters.dropped_marks += explicit
        return self.counters


def _joined(some: Mapping[str, Rows], others: Mapping[str, Rows]) -> Mapping[str, Rows]:
    """Rows by relation, of two places."""
    return {
        name: np.concatenate([rows for rows in (some.get(name), others.get(name)) if rows is not None])
        for name in {**some, **others}
    }
