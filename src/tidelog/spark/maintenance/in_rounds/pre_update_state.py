"""The input of maintenance in rounds: what an update has changed so far, and the relations of a unit before it.

The latter have the times at which their facts were inserted. Deletion reads them round after round, so they are cached as columns
while it lasts: Spark reads these faster than rows, and skips those that are too old or too new. Where rules pass keys on, and few
keys are left whose facts may still be deleted, these facts are fetched to the driver, and the rest is joins of matrices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np
from pyspark.sql import functions as f

from tidelog.core.arrays import Int32s, isin_rows
from tidelog.core.rules import CoreRule, Unit
from tidelog.spark.data.frames import FrameRelation, facts_in_driver
from tidelog.spark.data.matrices import columns, frame_of_rows, rows_of_table, union
from tidelog.spark.data.novelty import facts_with
from tidelog.spark.data.sets import WORTH_FETCHING, Delta, Sets

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class FrameChanges:
    """The changes of one update, by relation."""

    before: Mapping[str, FrameRelation]
    """Snapshots of all relations before the update."""
    explicit: Mapping[str, FrameRelation]
    """The explicit facts of relations with rules, as they are now."""
    given: dict[str, Delta] = field(default_factory=dict)
    """The deltas of these explicit facts."""
    deltas: dict[str, Delta] = field(default_factory=dict)
    """The deltas of relations that are up to date."""


@dataclass(frozen=True, slots=True)
class RuleDelta:
    """How the rules of a unit differ from those before."""

    added: frozenset[int] = frozenset()
    """The positions of new rules in the program."""
    removed: tuple[CoreRule, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


_SHARES = 12
"""A relation is checked in no more parts than these, in the order of their times."""
_WORTH_PARTING = 6_000_000
"""A unit that has no more facts is checked as a whole: a round costs what its jobs cost, however few facts they read."""
_END = (1 << 31) - 1


@dataclass(slots=True)
class PreUpdateState:
    """Relations with one more column for times, to be used in a `with`."""

    unit: Unit
    sets: Sets
    before: Mapping[str, FrameRelation]
    terms: int
    """How many values there are."""
    _whole: dict[str, FrameRelation] = field(default_factory=dict)
    _narrow: dict[str, FrameRelation] = field(default_factory=dict)
    _fetched: dict[FrameRelation, FrameRelation] = field(default_factory=dict)
    _kept: list[DataFrame] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for frame in self._kept:
            frame.unpersist()

    def of(self, name: str, after: int = 0, until: int = _END) -> FrameRelation:
        """A relation with all facts between two times, and perhaps more."""
        whole = self._narrow.get(name) or self.whole(name)
        if whole.rows_in_driver is not None or (after <= 0 and until >= _END):
            return whole
        column, frame = f"c{whole.width - 1}", whole.frame(self.sets.spark)
        frame = frame.where(f.col(column) > after) if after > 0 else frame
        frame = frame.where(f.col(column) < until) if until < _END else frame
        count = sum(number for time, number in self._times(name) if after < time) if after > 0 else whole.count
        some = FrameRelation(whole.width, whole.by, [(frame, max(1, count))], count=max(1, count), merges=False)
        some.source = whole.source  # who looks facts up gets more
        return some

    def whole(self, name: str) -> FrameRelation:
        """All facts of a relation."""
        if name not in self._whole:
            timed = self.before[name].timed()
            if timed.segments:
                frame = union([segment for segment, _ in timed.segments]).persist()
                self._kept.append(frame)
                timed.segments = [(frame, timed.count)]
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
        """Whether no fact is newer than a time."""
        return time >= _END

    def _times(self, name: str) -> list[tuple[int, int]]:
        """Times, and how many facts were inserted by each of them."""
        relation = self.before[name]
        segments = [(last, count) for (_, last), (_, count) in zip(relation.times, relation.segments, strict=True)]
        return segments + [(time, len(rows)) for time, rows in zip(relation.driver_times, relation.in_driver, strict=True)]

    def for_a_value(self, name: str) -> int:
        """How many facts a relation has for each value, estimated."""
        return max(1, self.before[name].count // max(1, self.terms))

    # --- few keys --------------------------------------------------------------------------------------------------------

    def narrow(self, name: str, suspects: Sequence[FrameRelation], deleted: dict[str, FrameRelation]) -> None:
        """Restrict a relation, and what is deleted of it, to the keys of suspects, and fetch both, if that is little."""
        by, rows = self.before[name].by, [held for facts in suspects if (held := facts.rows_in_driver) is not None]
        if not by or len(rows) < len(suspects) or self.of(name).rows_in_driver is not None or self.unit.relations != (name,):
            return
        keys = np.unique(np.concatenate(rows)[:, [int(column[1:]) for column in by]], axis=0)
        if len(keys) * self.for_a_value(name) <= WORTH_FETCHING:
            self._narrow[name] = self._with_keys(self.whole(name), keys, by)
            deleted[name] = self._with_keys(deleted[name], keys, by)

    def _with_keys(self, facts: FrameRelation, keys: Int32s, by: tuple[str, ...]) -> FrameRelation:
        by_columns = [int(column[1:]) for column in by]
        some = facts_with(facts, {at: keys[:, place] for place, at in enumerate(by_columns)}, self.sets.lineage)
        if some is not None:
            return facts_in_driver(some[isin_rows(some[:, by_columns], keys)])
        requested = frame_of_rows(self.sets.spark, keys).toDF(*by)
        found = facts.frame(self.sets.spark).join(f.broadcast(requested), list(by), "left_semi")
        return facts_in_driver(rows_of_table(found.select(*columns(facts.width)).toArrow()))

    def widen(self) -> None:
        """Drop the restriction."""
        self._narrow.clear()

    def at_hand(self, relation: FrameRelation) -> FrameRelation:
        """A relation of another unit, fetched if that saves jobs."""
        is_at_hand = relation.rows_in_driver is not None or self.sets.lineage.has_files
        if is_at_hand or not self._narrow or relation.count > WORTH_FETCHING:
            return relation
        if relation not in self._fetched:
            self._fetched[relation] = self.sets.at_hand(relation)
        return self._fetched[relation]
