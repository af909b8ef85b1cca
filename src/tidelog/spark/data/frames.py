"""Relations on Spark: frames of numbers, in pieces that were derived one after the other.

A relation of arity n has the columns c0 … c(n-1); one without arguments has a column c0 that is always 0, since a frame needs
one. Facts that came by the thousand are kept by the driver as a matrix until they are many: late rounds bring a handful each,
and a piece of its own for each of them would cost more than the facts. All pieces are partitioned by the same columns, so that
known facts are found without a shuffle. Pieces never change: what went from them is kept apart, and when that
becomes much, the pieces are written anew. So a copy of a relation is cheap, and stays what it is.

Each fact has a time at which it came, by a clock that all relations share: what a round derives is later than all that it is
derived from. Deletion asks for that (`deletion`). The facts of a piece came at one time, or the piece has one more column for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count as count_up
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as f

from tidelog.core.arrays import Int32s
from tidelog.spark.data.matrices import among, columns, frame_of_rows, union

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidelog.spark.session.lineage import Lineage

FEW_ROWS = 500_000
"""A side of a join that has no more rows is sent to everybody."""
DRIVER_ROWS = 20_000
"""The driver keeps no more new facts of a relation than these."""
_MOST_PIECES = 16
_MOST_REMOVALS, _WORTH_WRITING = 8, 8
"""Pieces are written anew when facts have gone from them so many times, or one of so many has gone."""
_CLOCK = count_up(1)
"""When facts came, for all relations."""


@dataclass(slots=True)
class Relation:
    """The facts of a relation, and how many there are."""

    width: int
    by: tuple[str, ...] = ()
    """The columns that pieces are partitioned by: all, unless said otherwise."""
    pieces: list[tuple[DataFrame, int]] = field(default_factory=list)
    few: list[Int32s] = field(default_factory=list)
    """What the driver keeps, disjoint from the pieces."""
    count: int = 0
    retired: list[tuple[DataFrame, int]] = field(default_factory=list)
    """Pieces that the last merge took up; what another relation's round has not computed yet may still read them."""
    merges: bool = True
    """Whether pieces may become one, and what the driver keeps a piece."""
    times: list[tuple[int, int]] = field(default_factory=list)
    """For each piece when its first and its last facts came; if these differ, the piece has a column that says it."""
    few_times: list[int] = field(default_factory=list)
    gone: list[tuple[Relation, int]] = field(default_factory=list)
    """Facts that do not count any more in pieces that had come by some time."""
    _few_frame: DataFrame | None = None
    _sorted: dict[tuple[str, ...], tuple[object, DataFrame]] = field(default_factory=dict)
    """All facts in an order, with what they were made from."""

    def frame(self, spark: SparkSession) -> DataFrame:
        """All facts."""
        if self.few and self._few_frame is None:
            self._few_frame = frame_of_rows(spark, np.concatenate(self.few))
        pieces = self.in_pieces()
        frames = [frame for frame in (pieces, self._few_frame) if frame is not None]
        return union(frames) if frames else frame_of_rows(spark, np.empty((0, self.width), np.int32))

    def as_result(self, spark: SparkSession) -> DataFrame:
        """All facts in as many parts as one piece has, so that a sink has no file for each part of each piece."""
        whole = self.in_pieces()
        if whole is None or not self.few:
            return self.frame(spark)
        return whole.union(self.partitioned(frame_of_rows(spark, np.concatenate(self.few))))

    def sorted_frame(self, by: Sequence[str], lineage: Lineage, spark: SparkSession) -> DataFrame:
        """All facts in the order of some columns, kept until there are others: a hash table has those of one key together."""
        made_from = [id(piece) for piece, _ in self.pieces], [id(rows) for rows in self.few], len(self.gone)
        before = self._sorted.get(tuple(by))
        if before is not None and before[0] == made_from:
            return before[1]
        if before is not None:
            self.retired.append((before[1], self.count))
        ordered = lineage.cut(self.frame(spark).repartition(1).sortWithinPartitions(*by))
        self._sorted[tuple(by)] = made_from, ordered
        return ordered

    def in_pieces(self, *, timed: bool = False) -> DataFrame | None:
        """The facts that the driver does not have; with one more column for their times, if that is asked for."""
        return union(list(self._without_gone(timed=timed))) if self.pieces else None

    def plain_pieces(self) -> list[tuple[DataFrame, int]]:
        """The pieces, without times and with all that has gone from them."""
        return [(self._view(at, timed=False), count) for at, (_, count) in enumerate(self.pieces)]

    def _view(self, at: int, *, timed: bool) -> DataFrame:
        piece, (first, last) = self.pieces[at][0], self.times[at] if self.times else (0, 0)
        if timed == (first != last):
            return piece
        return piece.select(*columns(self.width), *([f.lit(first).alias(f"c{self.width}")] if timed else []))

    def _without_gone(self, *, timed: bool) -> Iterator[DataFrame]:
        """The pieces without what has gone from them; those from which the same has gone together, as one frame."""
        if not self.gone:
            yield from (self._view(at, timed=timed) for at in range(len(self.pieces)))
            return
        fused: dict[int, list[DataFrame]] = {}
        for at, (_, last) in enumerate(self.times):
            fused.setdefault(sum(time > last for _, time in self.gone), []).append(self._view(at, timed=timed))
        for count, pieces in fused.items():  # later removals concern all pieces that earlier ones do
            gone = [facts for facts, _ in self.gone[len(self.gone) - count :]]
            yield self._without(union(pieces), gone) if gone else union(pieces)

    def timed(self) -> Relation:
        """The facts with one more column, that says when they came."""
        whole, in_driver = self.in_pieces(timed=True), sum(map(len, self.few))
        pieces = [] if whole is None else [(whole, self.count - in_driver)]
        few = [
            np.column_stack([rows, np.full(len(rows), time, np.int32)])
            for rows, time in zip(self.few, self.few_times, strict=True)
        ]
        by = self.by or tuple(columns(self.width))
        if whole is not None and few:  # one piece that is partitioned otherwise, and Spark would move them all
            pieces.append((self.partitioned(frame_of_rows(whole.sparkSession, np.concatenate(few))), in_driver))
            few = []
        return Relation(self.width + 1, by, pieces, few, self.count, merges=False)

    def untimed(self) -> Relation:
        """The facts of such a relation without that column."""
        pieces = [(piece.select(*columns(self.width - 1)), count) for piece, count in self.pieces]
        return Relation(self.width - 1, self.by, pieces, [rows[:, :-1] for rows in self.few], self.count, merges=False)

    @property
    def held(self) -> Int32s | None:
        """All facts, if the driver has them."""
        if self.pieces:
            return None
        return np.concatenate(self.few) if self.few else np.empty((0, self.width), np.int32)

    def copy(self) -> Relation:
        """The same facts, whatever becomes of this relation."""
        return replace(
            self,
            pieces=list(self.pieces),
            few=list(self.few),
            times=list(self.times),
            few_times=list(self.few_times),
            gone=list(self.gone),
            retired=[],
            _sorted={},
        )

    def in_use(self) -> Iterator[DataFrame]:
        """All frames that the facts are read from."""
        yield from (piece for piece, _ in (*self.pieces, *self.retired))
        yield from (frame for _, frame in self._sorted.values())
        for facts, _ in self.gone:
            yield from facts.in_use()

    def partitioned(self, frame: DataFrame) -> DataFrame:
        """A frame with the partitions that the pieces have; Spark leaves out what is so already."""
        partitions = int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions") or 8)
        return frame.repartition(partitions, *(self.by or columns(self.width)))

    def add(self, piece: DataFrame, count: int, lineage: Lineage, time: tuple[int, int] | None = None) -> None:
        """More facts, which are not there yet."""
        if not count:
            return
        if self.merges and len(self.pieces) >= _MOST_PIECES:
            self._merge_some(lineage)  # before the new one, which the next round will ask for by itself
        now = next(_CLOCK)
        self.pieces.append((piece, count))
        self.times.append(time or (now, now))
        self.count += count

    def add_few(self, rows: Int32s, lineage: Lineage, spark: SparkSession) -> None:
        """More facts, which are not there yet, and few enough for the driver."""
        if not len(rows):
            return
        self.few.append(rows)
        self.few_times.append(next(_CLOCK))
        self._few_frame = None
        self.count += len(rows)
        if self.merges and sum(map(len, self.few)) > DRIVER_ROWS:
            self.flush(lineage, spark)

    def flush(self, lineage: Lineage, spark: SparkSession) -> None:
        """Give what the driver has to Spark."""
        if self.few:
            rows, time = np.concatenate(self.few), (self.few_times[0], self.few_times[-1])
            if time[0] != time[1]:
                rows = np.column_stack([rows, np.repeat(np.array(self.few_times, np.int32), [len(some) for some in self.few])])
            self.few, self.few_times, self._few_frame = [], [], None
            self.count -= len(rows)
            self.add(lineage.cut(self.partitioned(frame_of_rows(spark, rows))), len(rows), lineage, time)

    # --- facts that go ---------------------------------------------------------------------------------------------------

    def remove(self, others: Relation, lineage: Lineage, spark: SparkSession) -> None:
        """Facts go, all of which are there."""
        if not others.count:
            return
        self.count -= others.count
        gone = sum(facts.count for facts, _ in self.gone)
        if gone + others.count > max(DRIVER_ROWS, self.count // _WORTH_WRITING) or len(self.gone) >= _MOST_REMOVALS:
            self._write_anew(others, lineage, spark)
            return
        rows = others.held
        if rows is None:
            self.flush(lineage, spark)
        elif self.few:
            is_held = among(rows, np.concatenate(self.few))
            if is_held.any():
                self.few = [some[~among(some, rows)] for some in self.few]
                self._few_frame, others = None, few_facts(rows[~is_held])
        if others.count:
            self.gone.append((others, next(_CLOCK)))

    def _write_anew(self, others: Relation, lineage: Lineage, spark: SparkSession) -> None:
        """Write the pieces without what has gone, and without others, as one."""
        self.flush(lineage, spark)
        time = self._times_of(slice(None))
        whole = self.in_pieces(timed=time[0] != time[1])
        assert whole is not None
        going = others.frame(spark)
        going = f.broadcast(going) if others.count <= FEW_ROWS else others.partitioned(going).hint("shuffle_hash")
        kept, count = lineage.cut_and_count(self.partitioned(whole).join(going, columns(self.width), "left_anti"))
        self._retire(self.pieces, lineage)
        self.pieces, self.times, self.gone = ([(kept, count)], [time], []) if count else ([], [], [])

    def _without(self, frame: DataFrame, gone: Sequence[Relation]) -> DataFrame:
        """The facts of a frame without some: these go to everybody if they are few, else they are where the frame has them."""
        spark, keys = frame.sparkSession, columns(self.width)
        if few := [rows for facts in gone if (rows := facts.held) is not None]:
            frame = frame.join(f.broadcast(frame_of_rows(spark, np.concatenate(few))), keys, "left_anti")
        if many := [self.partitioned(facts.frame(spark)) for facts in gone if facts.held is None]:
            frame = frame.join(union(many).hint("shuffle_hash"), keys, "left_anti")
        return frame

    # --- pieces ----------------------------------------------------------------------------------------------------------

    def _merge_some(self, lineage: Lineage) -> None:
        """Some small pieces become one; to copy the large ones again and again would cost more than it saves."""
        counts, width = [count for _, count in self.pieces], _MOST_PIECES // 2
        at = min(range(len(counts) - width + 1), key=lambda start: sum(counts[start : start + width]))
        self._merge(slice(at, at + width), lineage)

    def _merge(self, chosen: slice, lineage: Lineage) -> None:
        """Pieces that came one after the other become one."""
        small, times = self.pieces[chosen], self.times[chosen]
        time = self._times_of(chosen)
        part = replace(self, pieces=small, times=times, few=[], few_times=[]).in_pieces(timed=time[0] != time[1])
        assert part is not None
        whole = lineage.cut(self.partitioned(part))
        self._retire(small, lineage)
        self.pieces[chosen] = [(whole, sum(count for _, count in small))]
        self.times[chosen] = [time]

    def _times_of(self, chosen: slice) -> tuple[int, int]:
        times = self.times[chosen]
        return min(first for first, _ in times), max(last for _, last in times)

    def _retire(self, pieces: list[tuple[DataFrame, int]], lineage: Lineage) -> None:
        for piece, _ in self.retired:
            lineage.release(piece)
        self.retired = pieces

    def mark(self) -> tuple[int, int]:
        """How far the relation has come; only while it does not merge."""
        return len(self.pieces), len(self.few)

    def since(self, mark: tuple[int, int]) -> Relation:
        """The facts that came after a mark."""
        pieces, few = self.pieces[mark[0] :], self.few[mark[1] :]
        count = sum(count for _, count in pieces) + sum(map(len, few))
        times, few_times = self.times[mark[0] :], self.few_times[mark[1] :]
        return Relation(self.width, self.by, pieces, few, count, merges=False, times=times, few_times=few_times)


def few_facts(rows: Int32s) -> Relation:
    """A relation that the driver holds."""
    return Relation(rows.shape[1], few=[rows] if len(rows) else [], count=len(rows), few_times=[0] if len(rows) else [])
