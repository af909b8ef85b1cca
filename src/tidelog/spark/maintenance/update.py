"""One update on Spark: component by component, each where it is placed, propagating deltas between the kernel and Spark.

Components in the kernel are maintained by the local engine, those on Spark in rounds (`frame_maintenance`). A relation that is
stored at both places gets its delta at both. If the update fails it is rolled back: the kernel by its undo log, and relations on
Spark are the snapshots from before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from tidelog.changes import Counters, Part
from tidelog.core.arrays import Int32s
from tidelog.core.limits import Watch
from tidelog.core.rules import Unit
from tidelog.core.statistics import Round
from tidelog.local.engine import UpdateResult as KernelResult
from tidelog.program.hypergraph import Component
from tidelog.spark.data.frames import FrameRelation, facts_in_driver
from tidelog.spark.data.matrices import width_of
from tidelog.spark.data.sets import Delta, Sets
from tidelog.spark.evaluation.key_split import Split
from tidelog.spark.evaluation.placement import Where
from tidelog.spark.evaluation.rounds import Rounds
from tidelog.spark.maintenance.in_rounds.frame_maintenance import FrameMaintenance
from tidelog.spark.maintenance.in_rounds.key_maintenance import KeyMaintenance
from tidelog.spark.maintenance.in_rounds.pre_update_state import FrameChanges
from tidelog.spark.maintenance.update_keys import UpdateKeys, encoded_update
from tidelog.spark.session.interruption import without_interruption

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidelog.spark.engine import SparkEngine


@dataclass(slots=True)
class Counts:
    """How many explicit facts were inserted and deleted, and how many requests had no effect."""

    inserted: int = 0
    deleted: int = 0
    without_effect: int = 0


class SparkUpdate:
    """One update of an engine, to be used in a `with`: if it is left before it has been applied, it is rolled back."""

    def __init__(self, engine: SparkEngine, watch: Watch, protected: Sequence[DataFrame] = ()) -> None:
        """`protected` are frames that must outlive the update, since a rollback of others reads them."""
        self.engine, self.exchange, self.watch = engine, engine.exchange, watch
        exchange = self.exchange
        self.kernel = engine.local.begin(watch)
        self.result: KernelResult | None = None
        """What the kernel has done, when the update is committed."""
        self.counts = Counts()
        """Of explicit facts on Spark."""
        self.sets = Sets(engine.spark, engine.lineage)
        self.before = {name: relation.copy() for name, relation in exchange.relations.items()}
        self._explicit_before = {name: relation.copy() for name, relation in exchange.explicit.items()}
        self._in_kernel_before = set(exchange.in_kernel)
        own = (segment for facts in (*self.before.values(), *self._explicit_before.values()) for segment, _ in facts.segments)
        engine.lineage.protect([*own, *protected])
        self.rounds = Rounds(engine.spark, engine.lineage, exchange.terms, exchange.relations, watch)
        changes = FrameChanges(self.before, exchange.explicit)
        self.frames = FrameMaintenance(
            self.rounds,
            self.sets,
            changes,
            lambda name, closure: engine.by_tasks.close_relation(name, closure, engine.where_of(name)),
            lambda unit, rounds: engine.by_tasks.derive(unit, rounds, engine.where_of(unit.owner)),
            self._split_of,
            KeyMaintenance(self.rounds, self.sets, changes, counters := Counters(), engine.held, engine.room),
            engine.seconds_of,
            engine.too_expensive,
            engine.algorithm if engine.algorithm == "rematerialise" else "auto",
            counters=counters,
        )
        self.requested: dict[str, int] = {}
        """The relations whose explicit facts the update changes, with their arities."""
        self._exchanged: set[str] = set()
        """Relations whose deltas are at both places."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.result is None:
            self._rollback()

    def apply(self, given: Mapping[str, UpdateKeys], forgotten: Iterable[str] = ()) -> None:
        """Change explicit facts, maintain all components, and commit; `forgotten` are relations to drop."""
        self.requested = {name: facts.arity for name, facts in given.items()}
        if self.watch.counts_facts:
            self.watch.progress.facts = self.engine.visible_count()
        with without_interruption():
            in_kernel = {name: facts for name, facts in given.items() if self._is_in_kernel(name, facts.arity)}
            encoded = encoded_update(self.exchange.local_rows, in_kernel)
            self.kernel.delete(encoded)
            self.kernel.insert(encoded.added())
            changed = self.kernel.begin_units(self.engine.placed.derived_in_kernel)
        self._exchange(changed)
        for name, facts in given.items():
            if name not in in_kernel:
                self._change_on_spark(name, facts)
        for component in self.engine.program.graph.components:
            self._maintain(component)
        with without_interruption():
            self.kernel.end_step()
            self.result = self.kernel.commit(forgotten)

    def _split_of(self, unit: Unit) -> Split | None:
        """How a unit is maintained by keys, if it is: where tasks derive it, or all that it reads is split and little changes."""
        how = self.engine.by_tasks.keyed(unit)
        if how is None or how.is_recursive:
            return how if self.engine.where_of(unit.owner) is Where.DECOMPOSED else None
        is_little = None not in how.inputs.values() and self.frames.by_keys.is_small(unit)
        return how if is_little else None

    def _rollback(self) -> None:
        with without_interruption():
            self.kernel.rollback()
        exchange = self.exchange
        for name in set(exchange.relations) - set(self.before):
            del exchange.relations[name]
        exchange.relations.update(self.before)
        exchange.explicit.clear()
        exchange.explicit.update(self._explicit_before)
        exchange.in_kernel = self._in_kernel_before

    # --- explicit facts --------------------------------------------------------------------------------------------------

    def _is_in_kernel(self, name: str, arity: int) -> bool:
        """Whether the kernel stores the explicit facts of a relation; one that no rule has read yet is placed now."""
        stored, exchange = self.engine.stored_name(name), self.exchange
        if self.engine.ensure_stored(name, arity) and stored in exchange.relations:
            self.before[stored] = exchange.relations[stored].copy()
        return stored in exchange.in_kernel and stored not in self.engine.placed.derived_on_spark

    def _count(self, *, inserted: int = 0, deleted: int = 0, of: int) -> None:
        self.counts.inserted += inserted
        self.counts.deleted += deleted
        self.counts.without_effect += of - inserted - deleted

    def _change_on_spark(self, name: str, given: UpdateKeys) -> None:
        stored, exchange, sets = self.engine.stored_name(name), self.exchange, self.sets
        relation = exchange.to_spark(stored, given.arity)
        is_derived = stored in self.engine.placed.derived_on_spark
        explicit = exchange.explicit.setdefault(stored, FrameRelation(relation.width, relation.by)) if is_derived else relation
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
        difference = Delta(sets.outside(gained, lost), sets.outside(lost, gained))
        if not difference:
            return
        if is_derived:
            self.frames.changes.given[stored] = difference
        else:
            self.frames.deltas[stored] = difference
            self._exchange([stored])

    # --- components ------------------------------------------------------------------------------------------------------

    def _maintain(self, component: Component) -> None:
        engine = self.engine
        self.watch.progress.unit = component.number
        if engine.where_of(component.predicates[0]) is Where.KERNEL:
            for number, unit in engine.kernel_units(component).items():
                if self.kernel.is_affected(number):
                    with without_interruption():
                        self.kernel.visit(number)
                    self._exchange([*unit.relations, *unit.operators])
            return
        for unit in engine.frame_units(component):
            if self.frames.is_touched(unit):
                self.frames.apply(unit)
                self._exchange(unit.relations)

    def _exchange(self, changed: Iterable[str]) -> None:
        """Copy deltas to the other place, if the relation is stored there, too."""
        exchange = self.exchange
        for name in changed:
            if name in self._exchanged or name not in exchange.in_kernel:
                continue
            if name in exchange.relations and self.kernel.delta(name) is not None:
                self._exchanged.add(name)
                self._delta_to_spark(name)
            elif name in self.frames.deltas:
                self._exchanged.add(name)
                with without_interruption():
                    self._delta_to_kernel(name)

    def _delta_to_spark(self, name: str) -> None:
        delta, relation, arity = self.kernel.delta(name), self.exchange.relations[name], self.engine.arity(name)
        assert delta is not None
        both = []
        for rows in (delta.inserted_rows(), delta.deleted_rows()):
            both.append(FrameRelation(width_of(arity), relation.by, merges=False))
            self.exchange.add_local(both[-1], rows, arity)
        inserted, deleted = both
        relation.remove(deleted, self.engine.lineage, self.engine.spark)
        self.sets.add(relation, inserted)
        if on_spark := Delta(inserted, deleted):
            self.frames.deltas[name] = on_spark

    def _delta_to_kernel(self, name: str) -> None:
        delta, arity = self.frames.deltas[name], self.engine.arity(name)
        inserted, deleted = (self.exchange.rows_from_numbers(facts, arity) for facts in (delta.inserted, delta.deleted))
        self.kernel.set_delta(name, inserted, deleted)

    # --- results ---------------------------------------------------------------------------------------------------------

    @property
    def in_kernel(self) -> KernelResult:
        """What the kernel has done; only when the update is committed."""
        assert self.result is not None
        return self.result

    @property
    def chosen(self) -> dict[str, str]:
        """The algorithms that took part, and why each was chosen."""
        return {**self.frames.chosen, **self.in_kernel.chosen}

    @property
    def counters(self) -> Counters:
        """What all algorithms counted."""
        counted = Counters()
        counted.add(self.in_kernel.counters)
        counted.add(self.frames.counters)
        return counted

    @property
    def done(self) -> list[Round]:
        """What was derived, round by round."""
        return [*self.in_kernel.statistics.rounds, *self.rounds.done]

    def changed(self) -> list[str]:
        """The relations that have a delta."""
        return sorted({*self.in_kernel.difference, *(name for name in self.frames.deltas if not name.startswith("#"))})

    def difference(self, name: str, part: Part, *, inserted: bool) -> Int32s | FrameRelation:
        """What was inserted into a relation, or deleted: rows of the kernel, or a set on Spark; all of it, or one part."""
        if self.kernel.delta(name) is not None and name not in self.engine.placed.derived_on_spark:  # else it has a copy
            return self.in_kernel.difference.rows(name, part, inserted=inserted)
        delta = self.frames.deltas[name]
        facts = delta.inserted if inserted else delta.deleted
        nothing = facts_in_driver(np.empty((0, facts.width), np.int32))
        if part == "all":
            return facts
        stored = self.engine.stored_name(name)
        if stored in self.engine.placed.derived_on_spark:
            given = self.frames.changes.given.get(stored)
        elif stored == name:  # without rules, all is explicit
            return facts if part == "explicit" else nothing
        else:
            given = self.frames.deltas.get(stored)
        if given is None:
            return nothing if part == "explicit" else facts
        mine = given.inserted if inserted else given.deleted
        return self.sets.inside(facts, mine) if part == "explicit" else self.sets.outside(facts, mine)
