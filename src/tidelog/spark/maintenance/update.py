"""One update on Spark: component by component, each where it was placed, handing on what came and what went.

Components in the kernel are maintained by the local engine (`local.maintenance`), those on Spark in rounds (`maintenance`). A
relation that is held at both places gets its changes at both. If anything stops the update, everything is as it was before:
the kernel goes back, and of the relations on Spark the copies from before take their places.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tidelog.changes import Counters, Part
from tidelog.core.arrays import Int32s
from tidelog.core.limits import Watch
from tidelog.core.rules import is_visible
from tidelog.core.statistics import Round, Statistics
from tidelog.local.engine import compact_tables
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.maintenance.delta.deltas import ExplicitChanges
from tidelog.local.maintenance.delta.differences import Differences
from tidelog.local.maintenance.propagation import Maintenance
from tidelog.local.storage.undo_log import UndoLog
from tidelog.program.hypergraph import Component
from tidelog.spark.data.exchange import Keys
from tidelog.spark.data.frames import Relation, few_facts
from tidelog.spark.data.matrices import width_of
from tidelog.spark.data.sets import Difference, Sets
from tidelog.spark.evaluation.placement import Where
from tidelog.spark.evaluation.rounds import Rounds
from tidelog.spark.maintenance.frame_maintenance import FrameMaintenance
from tidelog.spark.maintenance.update_keys import UpdateKeys
from tidelog.spark.session.interruption import without_interruption

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidelog.spark.engine import SparkEngine


@dataclass(slots=True)
class Counts:
    """How many explicit facts came and went, and how often there was nothing to do."""

    inserted: int = 0
    deleted: int = 0
    without_effect: int = 0


class Updating:
    """One update of an engine."""

    def __init__(self, engine: SparkEngine, watch: Watch, algorithm: str, kept: Sequence[DataFrame] = ()) -> None:
        """`kept` is what somebody else has to go back to if the update fails."""
        self.engine, self.exchange, self.watch, self._kept = engine, engine.exchange, watch, kept
        exchange = self.exchange
        self.counts, self.changes, self.undo = Counts(), ExplicitChanges(), UndoLog(engine.state)
        self.sets = Sets(engine.spark, engine.lineage)
        self.before = {name: relation.copy() for name, relation in exchange.relations.items()}
        self._explicit_before = {name: relation.copy() for name, relation in exchange.explicit.items()}
        self._in_kernel_before = set(exchange.in_kernel)
        self.statistics = Statistics()
        self.kernel = Maintenance(
            engine.state, Evaluation(engine.state, watch, self.statistics), self.undo, self.changes, algorithm
        )
        self.rounds = Rounds(engine.spark, engine.lineage, exchange.terms, exchange.relations, watch)
        self.given: dict[str, Difference] = {}
        """What the user gave or took back of relations with rules that are on Spark."""
        self.frames = FrameMaintenance(
            self.rounds,
            self.sets,
            self.before,
            exchange.explicit,
            self.given,
            {},
            lambda name, special: engine.close_relation(name, special, engine.where_of(name)),
            engine.seconds_of,
            engine.given_up,
            algorithm if algorithm == "rematerialise" else "auto",
        )
        self.requested: dict[str, int] = {}
        """The relations whose explicit facts the update speaks of, with their arities."""
        self._told: set[str] = set()
        """Relations whose changes are at both places."""
        self.in_kernel = Differences(engine.kernel_core, engine.derived_in_kernel, {}, self.changes)

    def apply(self, given: Mapping[str, UpdateKeys]) -> None:
        """Do it all, or nothing."""
        self.requested = {name: facts.arity for name, facts in given.items()}
        own = (piece for held in (*self.before.values(), *self._explicit_before.values()) for piece, _ in held.pieces)
        self.engine.lineage.protect([*own, *self._kept])
        self.watch.progress.facts = sum(
            self.exchange.size(name) for name in {*self.exchange.relations, *self.exchange.in_kernel} if is_visible(name)
        )
        try:
            with without_interruption():
                in_kernel = {name: facts for name, facts in given.items() if self._is_in_kernel(name, facts.arity)}
                for name, facts in in_kernel.items():
                    self._give_kernel(name, facts)
                changed = self.kernel.begin(self.engine.derived_in_kernel)
            self._sync(changed)
            for name, facts in given.items():
                if name not in in_kernel:
                    self._give_spark(name, facts)
            for component in self.engine.program.graph.components:
                self._apply(component)
            self.watch.poll()
        except BaseException:
            self._rollback()
            raise
        with without_interruption():
            self.kernel.deltas.end()
            compact_tables(self.engine.state, self.undo)
        self.in_kernel = Differences(self.engine.kernel_core, self.engine.derived_in_kernel, self.kernel.deltas.of, self.changes)

    def _rollback(self) -> None:
        with without_interruption():
            self.undo.rollback()
        exchange = self.exchange
        for name in set(exchange.relations) - set(self.before):
            del exchange.relations[name]
        exchange.relations.update(self.before)
        exchange.explicit.clear()
        exchange.explicit.update(self._explicit_before)
        exchange.in_kernel = self._in_kernel_before

    # --- explicit facts --------------------------------------------------------------------------------------------------

    def _is_in_kernel(self, name: str, arity: int) -> bool:
        """Whether the kernel has the explicit facts of a relation; one that nobody has asked for yet is brought somewhere."""
        stored, exchange = self.engine.stored_name(name), self.exchange
        if self.engine.bring(name, arity) and stored in exchange.relations:
            self.before[stored] = exchange.relations[stored].copy()
        return stored in exchange.in_kernel and stored not in self.engine.derived_on_spark

    def _give_kernel(self, name: str, given: UpdateKeys) -> None:
        stored, state = self.engine.stored_name(name), self.engine.state
        is_derived = stored in self.engine.derived_in_kernel
        table = state.explicit_table(stored) if is_derived else state.table(stored)

        def remove(rows: Int32s) -> int:
            going = np.ascontiguousarray(rows[table.contains(rows)])
            if len(going):
                self.undo.remove(table, going)
                self.changes.deleted.setdefault(stored, []).append(going)
            return len(going)

        def add(rows: Int32s) -> int:
            begin = table.end
            if not is_derived:
                self.changes.began.setdefault(stored, begin)
            added = table.insert(rows)
            if added and is_derived:
                self.changes.inserted.setdefault(stored, []).append(table.rows_from(begin).copy())
            return added

        for rows in self._distinct_rows(given.delete, given.arity):
            self._count(deleted=remove(rows), of=len(rows))
        replacing = self._distinct_rows(given.upsert, given.arity)
        for rows in replacing:
            found = table.rows_with_keys(given.key, rows[:, given.key])
            kept = state.helper(f"#known {table.arity}", table.arity, rows)
            self.counts.deleted += remove(found[~kept.contains(found)] if len(found) else found)
        for rows in (*self._distinct_rows(given.insert, given.arity), *replacing):
            self._count(inserted=add(rows), of=len(rows))

    def _distinct_rows(self, given: Iterable[tuple[Keys, int]], arity: int) -> list[Int32s]:
        rows = [self.exchange.local_rows(keys, arity) for keys, _ in given]
        return [np.unique(np.concatenate(rows), axis=0)] if rows else []

    def _count(self, *, inserted: int = 0, deleted: int = 0, of: int) -> None:
        self.counts.inserted += inserted
        self.counts.deleted += deleted
        self.counts.without_effect += of - inserted - deleted

    def _give_spark(self, name: str, given: UpdateKeys) -> None:
        stored, exchange, sets = self.engine.stored_name(name), self.exchange, self.sets
        relation = exchange.to_spark(stored, given.arity)
        is_derived = stored in self.engine.derived_on_spark
        explicit = exchange.explicit.setdefault(stored, Relation(relation.width, relation.by)) if is_derived else relation
        inserted, deleted = [], []
        if given.delete:
            requested = exchange.numbered(stored, given.delete, given.arity)
            going = sets.inside(requested, explicit)
            explicit.remove(going, self.engine.lineage, self.engine.spark)
            deleted.append(going)
            self._count(deleted=going.count, of=requested.count)
        replacing = exchange.numbered(stored, given.upsert, given.arity) if given.upsert else None
        if replacing is not None:
            going = sets.outside(sets.with_keys(explicit, replacing, given.key), replacing)
            explicit.remove(going, self.engine.lineage, self.engine.spark)
            deleted.append(going)
            self.counts.deleted += going.count
        new = [exchange.numbered(stored, given.insert, given.arity)] if given.insert else []
        for requested in (*new, *([replacing] if replacing is not None else [])):
            coming = sets.outside(requested, explicit)
            self._count(inserted=coming.count, of=requested.count)
            sets.add(explicit, coming)
            inserted.append(coming)
        gained, lost = sets.fused(inserted, relation), sets.fused(deleted, relation)
        difference = Difference(sets.outside(gained, lost), sets.outside(lost, gained))
        if not difference:
            return
        if is_derived:
            self.given[stored] = difference
        else:
            self.frames.differences[stored] = difference
            self._sync([stored])

    # --- components ------------------------------------------------------------------------------------------------------

    def _apply(self, component: Component) -> None:
        engine = self.engine
        self.watch.progress.unit = component.number
        if engine.where_of(component.predicates[0]) is Where.KERNEL:
            for unit in engine.kernel_units(component):
                if self._is_touched_in_kernel(unit.uses, unit.relations):
                    with without_interruption():
                        self.kernel.apply(unit)
                    self._sync([*unit.relations, *unit.operators])
            return
        for unit in engine.frame_units(component):
            if self.frames.is_touched(unit):
                self.frames.apply(unit)
                self._sync(unit.relations)

    def _is_touched_in_kernel(self, uses: Iterable[str], own: Iterable[str]) -> bool:
        given = {*self.changes.deleted, *self.changes.inserted}
        return any(name in self.kernel.deltas for name in uses) or any(name in given for name in own)

    def _sync(self, changed: Iterable[str]) -> None:
        """Have changes at the other place, too, if the relation is there."""
        exchange = self.exchange
        for name in changed:
            if name in self._told:
                continue
            if name in self.kernel.deltas and name in exchange.relations and name in exchange.in_kernel:
                self._told.add(name)
                self._sync_to_spark(name)
            elif name in self.frames.differences and name in exchange.in_kernel:
                self._told.add(name)
                with without_interruption():
                    self._sync_to_kernel(name)

    def _sync_to_spark(self, name: str) -> None:
        delta, relation, arity = self.kernel.deltas.of[name], self.exchange.relations[name], self.engine.arity(name)
        inserted, deleted = (
            Relation(width_of(arity), relation.by, merges=False),
            Relation(width_of(arity), relation.by, merges=False),
        )
        self.exchange.add_local(inserted, delta.inserted_rows(), arity)
        self.exchange.add_local(deleted, delta.deleted_rows(), arity)
        relation.remove(deleted, self.engine.lineage, self.engine.spark)
        self.sets.add(relation, inserted)
        if difference := Difference(inserted, deleted):
            self.frames.differences[name] = difference

    def _sync_to_kernel(self, name: str) -> None:
        difference, table = self.frames.differences[name], self.engine.state.table(name)
        inserted = self.exchange.rows_from_numbers(difference.inserted, table.arity)
        deleted = self.exchange.rows_from_numbers(difference.deleted, table.arity)
        begin = table.end
        if len(deleted):
            self.undo.remove(table, deleted)
        table.insert(inserted)
        if len(deleted):
            self.kernel.deltas.changed(name, inserted, deleted)
        else:
            self.kernel.deltas.grew(name, begin)

    # --- what it did -----------------------------------------------------------------------------------------------------

    @property
    def chosen(self) -> dict[str, str]:
        """The algorithms that took part, and why each was chosen."""
        return {**self.frames.chosen, **self.kernel.chosen}

    @property
    def counters(self) -> Counters:
        """What all algorithms counted."""
        counted = Counters()
        counted.add(self.kernel.counters)
        counted.add(self.frames.counters)
        return counted

    @property
    def done(self) -> list[Round]:
        """What was derived, round by round."""
        return [*self.statistics.rounds, *self.rounds.done]

    def changed(self) -> list[str]:
        """The relations that differ, as far as one can tell without looking for it."""
        names = {*self.kernel.deltas.of, *self.frames.differences}
        return sorted(name for name in names if not name.startswith("#"))

    def difference(self, name: str, part: Part, *, inserted: bool) -> Int32s | Relation:
        """What came to a relation, or went: rows in the kernel, or a set on Spark; all of it, or one part."""
        if name in self.kernel.deltas and name not in self.engine.derived_on_spark:  # else it was only told of it
            return self.in_kernel.rows(name, part, inserted=inserted)
        difference = self.frames.differences[name]
        facts = difference.inserted if inserted else difference.deleted
        nothing = few_facts(np.empty((0, facts.width), np.int32))
        if part == "all":
            return facts
        stored = self.engine.stored_name(name)
        if stored in self.engine.derived_on_spark:
            given = self.given.get(stored)
        elif stored == name:  # without rules, all is explicit
            return facts if part == "explicit" else nothing
        else:
            given = self.frames.differences.get(stored)
        if given is None:
            return nothing if part == "explicit" else facts
        mine = given.inserted if inserted else given.deleted
        return self.sets.inside(facts, mine) if part == "explicit" else self.sets.outside(facts, mine)
