"""Relations on Spark: frames of numbers, in segments that were derived one after the other.

A relation of arity n has the columns c0 … c(n-1); one without arguments has a column c0 that is always 0, since a frame needs
one. New facts that are few stay in the driver as a matrix until they are many: late rounds derive a handful each, and a segment
for each of them would cost more than the facts. All segments are partitioned by the same columns, so that known facts are found
without a shuffle. Segments are immutable: a deletion adds tombstones beside them, and many tombstones are compacted into a new
segment. So a copy of a relation is cheap, and is a snapshot.

Each fact has the time of its insertion, by a clock that all relations share: what a round derives is later than all that it is
derived from. Deletion depends on that (`deletion`). All facts of a segment have one time, or the segment has a column for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count as count_up
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as f

from tidelog.core.arrays import Int32s, isin_rows
from tidelog.spark.data.matrices import columns, frame_of_rows, union
from tidelog.spark.data.sorted_copies import SortedCopies

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidelog.spark.session.lineage import Lineage

FEW_ROWS = 500_000
"""A side of a join that has no more rows is broadcast."""
DRIVER_ROWS = 20_000
"""The driver holds no more new facts of a relation than these."""
_MOST_SEGMENTS = 16
_MOST_REMOVALS, _WORTH_WRITING = 8, 8
"""Segments are compacted after so many deletions, or when one of so many facts has a tombstone."""
_CLOCK = count_up(1)
"""The times of insertions, for all relations."""


@dataclass(slots=True, eq=False)
class FrameRelation:
    """The facts of a relation, and how many there are; equal to itself only."""

    width: int
    by: tuple[str, ...] = ()
    """The columns that segments are partitioned by: all, unless said otherwise."""
    segments: list[tuple[DataFrame, int]] = field(default_factory=list)
    in_driver: list[Int32s] = field(default_factory=list)
    """New facts that the driver holds, disjoint from the segments."""
    count: int = 0
    retired: list[tuple[DataFrame, int]] = field(default_factory=list)
    """Segments that the last merge replaced; a round of another relation that is not computed yet may still read them."""
    merges: bool = True
    """Whether segments may be merged, and facts in the driver become a segment."""
    times: list[tuple[int, int]] = field(default_factory=list)
    """For each segment the first and the last time of its facts; if these differ, the segment has a column of times."""
    driver_times: list[int] = field(default_factory=list)
    tombstones: list[tuple[FrameRelation, int]] = field(default_factory=list)
    """Deleted facts, with the time of their deletion: they hide facts of segments that are older."""
    copies: SortedCopies = field(default_factory=SortedCopies)
    """Its segments in the order of columns; shared with all snapshots."""
    source: tuple[FrameRelation, bool] | None = None
    """Of facts with times, and of these without, the relation itself, and whether there are times."""
    _driver_frame: DataFrame | None = None
    _changed: int = 0
    """The time of the last insertion or deletion."""
    _sorted: dict[tuple[str, ...], tuple[int, DataFrame]] = field(default_factory=dict)
    """Sorted copies by their columns, each with the time of the last change that it has."""

    def frame(self, spark: SparkSession) -> DataFrame:
        """All facts."""
        if self.in_driver and self._driver_frame is None:
            self._driver_frame = frame_of_rows(spark, np.concatenate(self.in_driver))
        segments = self.in_segments()
        frames = [frame for frame in (segments, self._driver_frame) if frame is not None]
        return union(frames) if frames else frame_of_rows(spark, np.empty((0, self.width), np.int32))

    def as_result(self, spark: SparkSession) -> DataFrame:
        """All facts in as many partitions as one segment has, so that a sink has no file for each partition of each segment."""
        whole = self.in_segments()
        if whole is None or not self.in_driver:
            return self.frame(spark)
        return whole.union(self.partitioned(frame_of_rows(spark, np.concatenate(self.in_driver))))

    def sorted_frame(self, by: Sequence[str], lineage: Lineage, spark: SparkSession) -> DataFrame:
        """All facts in the order of some columns, cached while they are the same: a hash table has those of one key together."""
        before = self._sorted.get(tuple(by))
        if before is not None and before[0] == self._changed:
            return before[1]
        if before is not None:
            self.retired.append((before[1], self.count))
        ordered = lineage.cut(self.frame(spark).repartition(1).sortWithinPartitions(*by))
        self._sorted[tuple(by)] = self._changed, ordered
        return ordered

    def in_segments(self, *, timed: bool = False) -> DataFrame | None:
        """The facts that the driver does not hold; `timed` adds a column with their times."""
        return union(list(self._without_tombstones(timed=timed))) if self.segments else None

    def timed_segments(self) -> list[tuple[DataFrame, Callable[[], DataFrame], int]]:
        """The segments, the same with times, deleted facts included, and how many facts they have."""
        return [(segment, partial(self.segment, at, timed=True), count) for at, (segment, count) in enumerate(self.segments)]

    def plain_segments(self) -> list[tuple[DataFrame, int]]:
        """The segments without times, deleted facts included."""
        return [(self.segment(at, timed=False), count) for at, (_, count) in enumerate(self.segments)]

    def segment(self, at: int, *, timed: bool) -> DataFrame:
        """A segment with or without times, deleted facts included."""
        segment, (first, last) = self.segments[at][0], self.times[at] if self.times else (0, 0)
        if timed == (first != last):
            return segment
        return segment.select(*columns(self.width), *([f.lit(first).alias(f"c{self.width}")] if timed else []))

    def _without_tombstones(self, *, timed: bool) -> Iterator[DataFrame]:
        """The segments without deleted facts; segments that the same tombstones concern are one frame."""
        if not self.tombstones:
            yield from (self.segment(at, timed=timed) for at in range(len(self.segments)))
            return
        fused: dict[int, list[DataFrame]] = {}
        for at, (_, last) in enumerate(self.times):
            fused.setdefault(sum(time > last for _, time in self.tombstones), []).append(self.segment(at, timed=timed))
        for count, segments in fused.items():  # later deletions concern all segments that earlier ones do
            tombstones = [facts for facts, _ in self.tombstones[len(self.tombstones) - count :]]
            yield self._without(union(segments), tombstones) if tombstones else union(segments)

    def timed(self) -> FrameRelation:
        """The facts with one more column, their times."""
        whole, in_driver = self.in_segments(timed=True), sum(map(len, self.in_driver))
        segments = [] if whole is None else [(whole, self.count - in_driver)]
        few = [
            np.column_stack([rows, np.full(len(rows), time, np.int32)])
            for rows, time in zip(self.in_driver, self.driver_times, strict=True)
        ]
        by = self.by or tuple(columns(self.width))
        if whole is not None and few:  # one frame that is partitioned otherwise, and Spark would shuffle all
            segments.append((self.partitioned(frame_of_rows(whole.sparkSession, np.concatenate(few))), in_driver))
            few = []
        return FrameRelation(self.width + 1, by, segments, few, self.count, merges=False, source=(self, True))

    def untimed(self) -> FrameRelation:
        """The facts of such a relation without that column."""
        segments = [(segment.select(*columns(self.width - 1)), count) for segment, count in self.segments]
        few, source = [rows[:, :-1] for rows in self.in_driver], (self.source[0], False) if self.source is not None else None
        return FrameRelation(self.width - 1, self.by, segments, few, self.count, merges=False, source=source)

    @property
    def version(self) -> int:
        """A number that is the same as long as the facts are."""
        return self._changed

    @property
    def rows_in_driver(self) -> Int32s | None:
        """All facts, if the driver holds them."""
        if self.segments:
            return None
        return np.concatenate(self.in_driver) if self.in_driver else np.empty((0, self.width), np.int32)

    def copy(self) -> FrameRelation:
        """A snapshot of this relation."""
        return replace(
            self,
            segments=list(self.segments),
            in_driver=list(self.in_driver),
            times=list(self.times),
            driver_times=list(self.driver_times),
            tombstones=list(self.tombstones),
            retired=[],
            _sorted={},
        )

    def in_use(self) -> Iterator[DataFrame]:
        """All frames that the facts are read from."""
        yield from (segment for segment, _ in (*self.segments, *self.retired))
        yield from (frame for _, frame in self._sorted.values())
        for facts, _ in self.tombstones:
            yield from facts.in_use()

    def partitioned(self, frame: DataFrame) -> DataFrame:
        """A frame partitioned like the segments; Spark does nothing if it is so already."""
        partitions = int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions") or 8)
        return frame.repartition(partitions, *(self.by or columns(self.width)))

    def add(self, segment: DataFrame, count: int, lineage: Lineage, time: tuple[int, int] | None = None) -> None:
        """Insert a segment of facts, none of which the relation has."""
        if not count:
            return
        if self.merges and len(self.segments) >= _MOST_SEGMENTS:
            self._merge_some(lineage)  # before the new one, which the next round reads by itself
        self._changed = now = next(_CLOCK)
        self.segments.append((segment, count))
        self.times.append(time or (now, now))
        self.count += count

    def add_rows(self, rows: Int32s, lineage: Lineage, spark: SparkSession) -> None:
        """Insert facts, none of which the relation has, and which are few enough for the driver."""
        if not len(rows):
            return
        self.in_driver.append(rows)
        self._changed = next(_CLOCK)
        self.driver_times.append(self._changed)
        self._driver_frame = None
        self.count += len(rows)
        if self.merges and sum(map(len, self.in_driver)) > DRIVER_ROWS:
            self.flush(lineage, spark)

    def flush(self, lineage: Lineage, spark: SparkSession) -> None:
        """Move what the driver holds to a segment."""
        if self.in_driver:
            rows, time = np.concatenate(self.in_driver), (self.driver_times[0], self.driver_times[-1])
            if time[0] != time[1]:
                rows = np.column_stack(
                    [rows, np.repeat(np.array(self.driver_times, np.int32), [len(some) for some in self.in_driver])]
                )
            self.in_driver, self.driver_times, self._driver_frame = [], [], None
            self.count -= len(rows)
            self.add(lineage.cut(self.partitioned(frame_of_rows(spark, rows))), len(rows), lineage, time)

    # --- deletion --------------------------------------------------------------------------------------------------------

    def remove(self, others: FrameRelation, lineage: Lineage, spark: SparkSession) -> None:
        """Delete facts, all of which the relation has."""
        if not others.count:
            return
        self.count -= others.count
        self._changed = next(_CLOCK)
        deleted = sum(facts.count for facts, _ in self.tombstones)
        if len(self.tombstones) >= _MOST_REMOVALS:
            self._join_tombstones()
        if deleted + others.count > max(DRIVER_ROWS, self.count // _WORTH_WRITING) or len(self.tombstones) >= _MOST_REMOVALS:
            self._compact(others, lineage, spark)
            return
        rows = others.rows_in_driver
        if rows is None:
            self.flush(lineage, spark)
        elif self.in_driver:
            is_held = isin_rows(rows, np.concatenate(self.in_driver))
            if is_held.any():
                self.in_driver = [some[~isin_rows(some, rows)] for some in self.in_driver]
                self._driver_frame, others = None, facts_in_driver(rows[~is_held])
        if others.count:
            self.tombstones.append((others, self._changed))

    def _join_tombstones(self) -> None:
        """Make one of adjacent tombstones in the driver between which no segment was added: they hide facts of the same ones."""
        joined: list[tuple[FrameRelation, int]] = []
        for facts, time in self.tombstones:
            before = joined[-1] if joined else None
            rows = facts.rows_in_driver
            held = before[0].rows_in_driver if before is not None else None
            if before is None or rows is None or held is None or any(before[1] < last < time for _, last in self.times):
                joined.append((facts, time))
            else:
                joined[-1] = facts_in_driver(np.concatenate([held, rows])), time
        self.tombstones = joined

    def _compact(self, others: FrameRelation, lineage: Lineage, spark: SparkSession) -> None:
        """Write one segment without deleted facts, and without others."""
        self.flush(lineage, spark)
        time = self._times_of(slice(None))
        whole = self.in_segments(timed=time[0] != time[1])
        assert whole is not None
        going = others.frame(spark)
        going = f.broadcast(going) if others.count <= FEW_ROWS else others.partitioned(going).hint("shuffle_hash")
        kept, count = lineage.cut_and_count(self.partitioned(whole).join(going, columns(self.width), "left_anti"))
        self._retire(self.segments, lineage)
        self.segments, self.times, self.tombstones = ([(kept, count)], [time], []) if count else ([], [], [])

    def _without(self, frame: DataFrame, tombstones: Sequence[FrameRelation]) -> DataFrame:
        """The facts of a frame without tombstones: few are broadcast, many are partitioned like the frame."""
        spark, keys = frame.sparkSession, columns(self.width)
        if few := [rows for facts in tombstones if (rows := facts.rows_in_driver) is not None]:
            frame = frame.join(f.broadcast(frame_of_rows(spark, np.concatenate(few))), keys, "left_anti")
        if many := [self.partitioned(facts.frame(spark)) for facts in tombstones if facts.rows_in_driver is None]:
            frame = frame.join(union(many).hint("shuffle_hash"), keys, "left_anti")
        return frame

    # --- segments --------------------------------------------------------------------------------------------------------

    def _merge_some(self, lineage: Lineage) -> None:
        """Merge small segments; to copy the large ones again and again would cost more than it saves."""
        counts, width = [count for _, count in self.segments], _MOST_SEGMENTS // 2
        at = min(range(len(counts) - width + 1), key=lambda start: sum(counts[start : start + width]))
        self._merge(slice(at, at + width), lineage)

    def _merge(self, chosen: slice, lineage: Lineage) -> None:
        """Merge adjacent segments."""
        small, times = self.segments[chosen], self.times[chosen]
        time = self._times_of(chosen)
        part = replace(self, segments=small, times=times, in_driver=[], driver_times=[]).in_segments(timed=time[0] != time[1])
        assert part is not None
        whole = lineage.cut(self.partitioned(part))
        self._retire(small, lineage)
        self.segments[chosen] = [(whole, sum(count for _, count in small))]
        self.times[chosen] = [time]

    def _times_of(self, chosen: slice) -> tuple[int, int]:
        times = self.times[chosen]
        return min(first for first, _ in times), max(last for _, last in times)

    def _retire(self, segments: list[tuple[DataFrame, int]], lineage: Lineage) -> None:
        for segment, _ in self.retired:
            lineage.release(segment)
        self.retired = segments

    def mark(self) -> tuple[int, int]:
        """A position, for `since`; only while the relation does not merge."""
        return len(self.segments), len(self.in_driver)

    def since(self, mark: tuple[int, int]) -> FrameRelation:
        """The facts that were inserted after a mark."""
        segments, few = self.segments[mark[0] :], self.in_driver[mark[1] :]
        count = sum(count for _, count in segments) + sum(map(len, few))
        times, driver_times = self.times[mark[0] :], self.driver_times[mark[1] :]
        return FrameRelation(self.width, self.by, segments, few, count, merges=False, times=times, driver_times=driver_times)


def facts_in_driver(rows: Int32s) -> FrameRelation:
    """Facts that the driver holds, as a relation."""
    return FrameRelation(
        rows.shape[1], in_driver=[rows] if len(rows) else [], count=len(rows), driver_times=[0] if len(rows) else []
    )
