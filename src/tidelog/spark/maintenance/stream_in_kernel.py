"""Streams that look ahead: where everything is in the kernel, the local engine runs updates with marks for the next one.

What a batch looks ahead to makes it faster, and changes nothing that it derives; so a batch that is run again may see more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from tidelog.changes import FactsByRelation, Part
from tidelog.core.arrays import Rows
from tidelog.core.limits import Watch
from tidelog.facts import Facts
from tidelog.local.engine import EncodedUpdate, LocalEngine
from tidelog.local.engine import UpdateResult as KernelResult
from tidelog.program.relations import Relation
from tidelog.spark.data.explicit_snapshot import ExplicitSnapshot, snapshot_of_rows
from tidelog.spark.data.spark_facts import SparkChange, facts_of
from tidelog.spark.maintenance.update_result import AsFrame
from tidelog.spark.session.interruption import without_interruption
from tidelog.streams.update import Update

if TYPE_CHECKING:
    from tidelog.spark.engine import SparkEngine


class StreamInKernel:
    """A stream whose updates the local engine of a Spark engine runs."""

    def __init__(self, engine: SparkEngine, read: Callable[[Update], EncodedUpdate | None], *, always: bool) -> None:
        """`read` encodes an update before its turn, or gives None if it has an error."""
        self._engine = engine
        self.ahead = engine.local.look_ahead(read, always=always)

    def serves(self, engine: SparkEngine) -> bool:
        """Whether it is a stream of this engine, and everything is still in the kernel."""
        return engine is self._engine and engine.is_in_kernel

    def apply(self, update: Update, waiting: Callable[[], Update | None], encoded: EncodedUpdate, watch: Watch) -> StreamResult:
        """Run one update: all of it, or nothing."""
        started, local = perf_counter(), self._engine.local
        explicit = _Explicit(local, encoded)
        with without_interruption():
            try:
                with local.begin(watch) as transaction:
                    self.ahead.run(transaction, encoded, update, waiting)
                    result = transaction.commit()
            except BaseException:
                self.ahead.forget()
                raise
            finally:
                self._engine.update_kernel_relations()
        return StreamResult(self._engine, result, explicit.changes(), perf_counter() - started)


class StreamResult:
    """A committed update of a stream."""

    def __init__(self, engine: SparkEngine, result: KernelResult, explicit: list[tuple[str, Rows, Rows]], seconds: float) -> None:
        self._engine, self._result, self._explicit, self._seconds = engine, result, explicit, seconds

    def change(self, known: Mapping[str, Relation], as_frame: AsFrame) -> SparkChange:
        """What it did."""
        difference, exchange = self._result.difference, self._engine.exchange

        def facts(part: Part, *, inserted: bool) -> dict[str, Facts]:
            rows = {name: difference.rows(name, part, inserted=inserted) for name in difference}
            return {name: facts_of(exchange, known[name], found) for name, found in rows.items()}

        return SparkChange(
            FactsByRelation(lambda part: facts(part, inserted=True)),
            FactsByRelation(lambda part: facts(part, inserted=False)),
            self._result.change_statistics(self._seconds),
            as_frame=as_frame,
            explicit=self._explicit_changes,
        )

    def _explicit_changes(self) -> Iterator[tuple[bool, ExplicitSnapshot]]:
        for name, deleted, inserted in self._explicit:
            for is_new, rows in ((False, deleted), (True, inserted)):
                if len(rows):
                    yield is_new, snapshot_of_rows(self._engine, name, rows.shape[1], rows)


class _Explicit:
    """Which of the facts that an update requests were explicit before it."""

    def __init__(self, engine: LocalEngine, update: EncodedUpdate) -> None:
        self._engine = engine
        self._rows: dict[str, Rows] = {}
        for name in {**update.deleted, **update.inserted, **update.upserted}:
            parts = [part[name] for part in (update.deleted, update.inserted, update.upserted) if name in part]
            if name in update.upserted:
                parts.append(engine.rows_with_key(name, update.keys[name], update.upserted[name]))
            self._rows[name] = np.unique(np.concatenate(parts), axis=0) if parts[0].shape[1] else parts[0][:1]
        self._before = {name: engine.are_explicit(name, rows) for name, rows in self._rows.items()}

    def changes(self) -> list[tuple[str, Rows, Rows]]:
        """By relation, what is explicit no more, and what is explicit now and was not."""
        found: list[tuple[str, Rows, Rows]] = []
        for name, rows in self._rows.items():
            before, after = self._before[name], self._engine.are_explicit(name, rows)
            found.append((name, rows[before & ~after], rows[after & ~before]))
        return found
