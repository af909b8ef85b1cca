"""The relations of a unit as they were before an update, with the times at which their facts came.

Deletion asks for them round after round, so they are kept as columns while it lasts: Spark reads these faster than rows, and
passes over those that came too early or too late. Where rules hand keys on, and few keys are left of which anything may still go,
their facts come to the driver, and the rest is joins of matrices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np
from pyspark.sql import functions as f

from tidelog.core.arrays import Int32s
from tidelog.core.rules import Unit
from tidelog.spark.data.frames import Relation, few_facts
from tidelog.spark.data.matrices import columns, frame_of_rows, rows_of_table, union
from tidelog.spark.data.sets import WORTH_FETCHING, Sets

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SHARES = 12
"""A relation is looked at in no more parts than so, one after the other by the time at which they came."""
_WORTH_PARTING = 6_000_000
"""A unit that has no more facts is looked at as a whole: its rounds cost what jobs cost, however few facts they read."""
_END = (1 << 31) - 1


@dataclass(slots=True)
class PreUpdateState:
    """Relations with one more column for times, to be used in a `with`."""

    unit: Unit
    sets: Sets
    before: Mapping[str, Relation]
    terms: int
    """How many values there are."""
    _whole: dict[str, Relation] = field(default_factory=dict)
    _narrow: dict[str, Relation] = field(default_factory=dict)
    _fetched: dict[int, tuple[Relation, Relation]] = field(default_factory=dict)
    _kept: list[DataFrame] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for frame in self._kept:
            frame.unpersist()

    def of(self, name: str, after: int = 0, until: int = _END) -> Relation:
        """A relation with all facts that came after one time and before another, and perhaps more."""
        whole = self._narrow.get(name) or self.whole(name)
        if whole.held is not None or (after <= 0 and until >= _END):
            return whole
        column, frame = f"c{whole.width - 1}", whole.frame(self.sets.spark)
        frame = frame.where(f.col(column) > after) if after > 0 else frame
        frame = frame.where(f.col(column) < until) if until < _END else frame
        count = sum(number for time, number in self._times(name) if after < time) if after > 0 else whole.count
        return Relation(whole.width, whole.by, [(frame, max(1, count))], count=max(1, count), merges=False)

    def whole(self, name: str) -> Relation:
        """All facts of a relation."""
        if name not in self._whole:
            timed = self.before[name].timed()
            if timed.pieces:
                frame = union([piece for piece, _ in timed.pieces]).persist()
                self._kept.append(frame)
                timed.pieces = [(frame, timed.count)]
            self._whole[name] = timed
        return self._whole[name]

    def shares(self) -> list[int]:
        """The last times of parts of the unit that have about as many facts each."""
        inserted = sorted(time for name in self.unit.relations for time in self._times(name))
        total, seen, result = sum(count for _, count in inserted), 0, list[int]()
        if total <= _WORTH_PARTING:
            return [_END]
        for time, count in inserted:
            seen += count
            if seen * _SHARES >= total:
                result.append(time)
                seen = 0
        return [*result[:-1], _END]

    def is_end(self, time: int) -> bool:
        """Whether nothing came after a time."""
        return time >= _END

    def _times(self, name: str) -> list[tuple[int, int]]:
        """Times, and how many facts came last at each of them."""
        relation = self.before[name]
        pieces = [(last, count) for (_, last), (_, count) in zip(relation.times, relation.pieces, strict=True)]
        return pieces + [(time, len(rows)) for time, rows in zip(relation.few_times, relation.few, strict=True)]

    def for_a_value(self, name: str) -> int:
        """How many facts a relation has for each value, more or less."""
        return max(1, self.before[name].count // max(1, self.terms))

    # --- few keys --------------------------------------------------------------------------------------------------------

    def narrow(self, name: str, going: Sequence[Relation], gone: dict[str, Relation]) -> None:
        """Fetch all that can matter if nothing but this goes, and of what has gone, if that is little."""
        by, rows = self.before[name].by, [held for facts in going if (held := facts.held) is not None]
        if not by or len(rows) < len(going) or self.of(name).held is not None or self.unit.relations != (name,):
            return
        keys = np.unique(np.concatenate(rows)[:, [int(column[1:]) for column in by]], axis=0)
        if len(keys) * self.for_a_value(name) <= WORTH_FETCHING:
            self._narrow[name] = self._with_keys(self.whole(name), keys, by)
            gone[name] = self._with_keys(gone[name], keys, by)

    def _with_keys(self, facts: Relation, keys: Int32s, by: tuple[str, ...]) -> Relation:
        requested = frame_of_rows(self.sets.spark, keys).toDF(*by)
        found = facts.frame(self.sets.spark).join(f.broadcast(requested), list(by), "left_semi")
        return few_facts(rows_of_table(found.select(*columns(facts.width)).toArrow()))

    def widen(self) -> None:
        """All facts are of interest again."""
        self._narrow.clear()

    def at_hand(self, relation: Relation) -> Relation:
        """A relation that other units have, fetched if that spares jobs."""
        if relation.held is not None or not self._narrow or relation.count > WORTH_FETCHING:
            return relation
        known = self._fetched.get(id(relation))
        if known is None:
            known = self._fetched[id(relation)] = relation, self.sets.at_hand(relation)
        return known[1]
