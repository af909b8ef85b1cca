"""Streams that look ahead: where everything is in the kernel, the local engine runs updates with marks for the next one.

A micro-batch brings the update behind it along (`ingest.update_folder`), so that a batch that is run again sees the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from tidelog.changes import ChangeStatistics, FactsByRelation, Part
from tidelog.core.arrays import Rows
from tidelog.core.limits import Watch
from tidelog.facts import Facts
from tidelog.local.engine import LocalEngine
from tidelog.local.lookahead.look_ahead import LookAhead
from tidelog.local.maintenance.differences import Difference
from tidelog.local.encoded_facts import EncodedUpdate
from tidelog.local.transaction import Transaction
from tidelog.program.relations import Relation
from tidelog.spark.data.explicit_snapshot import ExplicitSnapshot, snapshot_of_rows
from tidelog.spark.data.spark_change import SparkChange
from tidelog.spark.data.spark_facts import facts_of
from tidelog.spark.maintenance.update_keys import UpdateKeys
from tidelog.spark.maintenance.update_result import AsFrame
from tidelog.spark.session.interruption import without_interruption
from tidelog.streams.update import Update

if TYPE_CHECKING:
    from tidelog.spark.engine import SparkEngine

Read = Callable[[Update], EncodedUpdate | None]
Waiting = Callable[[], Update | None]


class StreamInKernel:
    """A stream whose updates the local engine runs, over what a Spark engine has in the kernel."""

    def __init__(self, engine: SparkEngine, read: Read, algorithm: str, *, always: bool) -> None:
        """`read` gives what an update asks for, or None if something is wrong with it."""
        self._on_spark, self._structure = engine, engine.structure
        derived = engine.structure, engine.state
        self._engine = LocalEngine(engine.program, modules=engine.modules, algorithm=algorithm, derived=derived)
        self.ahead = LookAhead(self._engine, read, always=always)

    def serves(self, engine: SparkEngine) -> bool:
        """Whether it still stands for what an engine has."""
        return engine is self._on_spark and engine.structure is self._structure and engine.is_in_kernel

    def apply(
        self,
        update: Update,
        waiting: Waiting,
        given: Callable[[], EncodedUpdate],
        watch: Watch,
        know: Callable[[str, int], None],
        relations: int,
    ) -> StreamResult:
        """Run one update: all of it, or nothing; so many relations are known that the program does not mention."""
        started, engine = perf_counter(), self._engine
        read = self.ahead.given(update)
        requested = read if read is not None and read.relations == relations else given()

        def know_and_have(name: str, arity: int) -> None:
            know(name, arity)
            self._on_spark.ensure_stored(name, arity)

        explicit = _Explicit(engine, requested)
        with without_interruption():
            work = Transaction(engine, watch, know_and_have)
            try:
                self.ahead.work_off(work, requested, update, waiting)
                difference = work.finish()
            except BaseException:
                work.rollback()
                self.ahead.forget()
                raise
            finally:
                self._on_spark.update_kernel_relations()
        return StreamResult(self._on_spark, work, difference, explicit, perf_counter() - started)


class StreamResult:
    """A committed update of a stream."""

    def __init__(self, engine: SparkEngine, work: Transaction, found: Difference, explicit: _Explicit, seconds: float) -> None:
        self._engine, self._work, self._difference, self._explicit, self._seconds = engine, work, found, explicit, seconds
        self._changes = explicit.changes()

    def change(self, known: Mapping[str, Relation], as_frame: AsFrame) -> SparkChange:
        """What it did."""
        work, found = self._work, self._difference
        rounds = max((r.number for r in work.statistics.rounds), default=0)
        counts = work.added, work.removed, work.without_effect, work.derivations, rounds, work.statistics.undefined

        def facts(part: Part, *, inserted: bool) -> dict[str, Facts]:
            return {
                name: facts_of(self._engine.exchange, known[name], found.rows(name, part, inserted=inserted)) for name in found
            }

        return SparkChange(
            FactsByRelation(lambda part: facts(part, inserted=True)),
            FactsByRelation(lambda part: facts(part, inserted=False)),
            ChangeStatistics(work.algorithm, *counts, work.counters, self._seconds, work.seconds),
            as_frame=as_frame,
            explicit=self._explicit_changes,
        )

    def _explicit_changes(self) -> Iterator[tuple[bool, ExplicitSnapshot]]:
        for name, deleted, inserted in self._changes:
            for is_new, rows in ((False, deleted), (True, inserted)):
                if len(rows):
                    yield is_new, snapshot_of_rows(self._engine, name, rows.shape[1], rows)


class _Explicit:
    """Which of the facts that an update speaks of were explicit before it."""

    def __init__(self, engine: LocalEngine, given: EncodedUpdate) -> None:
        self._engine = engine
        self._rows: dict[str, Rows] = {}
        for name in {**given.deleted, **given.inserted, **given.upserted}:
            parts = [part[name] for part in (given.deleted, given.inserted, given.upserted) if name in part]
            if name in given.upserted:
                parts.append(engine.rows_with_key(name, given.keys[name], given.upserted[name]))
            self._rows[name] = np.unique(np.concatenate(parts), axis=0) if parts[0].shape[1] else parts[0][:1]
        self._before = {name: engine.are_explicit(name, rows) for name, rows in self._rows.items()}

    def changes(self) -> list[tuple[str, Rows, Rows]]:
        """By relation, what is not explicit any more, and what is now and was not."""
        found: list[tuple[str, Rows, Rows]] = []
        for name, rows in self._rows.items():
            before, after = self._before[name], self._engine.are_explicit(name, rows)
            found.append((name, rows[before & ~after], rows[after & ~before]))
        return found


def encoded_update(engine: SparkEngine, given: Mapping[str, UpdateKeys], relations: int) -> EncodedUpdate:
    """The request of an update as rows of the kernel."""

    def rows(part: str) -> dict[str, Rows]:
        found = ((name, facts.arity, getattr(facts, part)) for name, facts in given.items())
        return {name: np.concatenate([local(keys, arity) for keys, _ in some]) for name, arity, some in found if some}

    local = engine.exchange.local_rows
    keys = {name: facts.key for name, facts in given.items() if facts.upsert}
    return EncodedUpdate(rows("delete"), rows("insert"), rows("upsert"), keys, relations)
