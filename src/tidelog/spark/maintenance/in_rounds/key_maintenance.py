"""Maintenance of units that are derived by keys: the facts of the keys that an update touches, before and after it.

Which keys are touched, one join for each delta says: those of the rule instances, before or after, that the delta has a part in.
Instances that only facts of the update itself make possible need no look: the first of them has others' facts as they were.
For these keys the kernel derives what held and what holds, and the difference is the delta: no relation is scanned but for the
touched keys, nothing is compared but their facts, and there are as many jobs for one fact as for many.

Where few keys are touched, and what a unit reads fits the budget, that is done in the driver, which keeps what the unit reads for
the next update; else by tasks.  Rows of other relations that go with a key are fetched for the touched keys only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as f

from tidelog.changes import Counters
from tidelog.core.arrays import Int32s, isin_rows
from tidelog.core.limits import Watch
from tidelog.core.rules import Closure, CoreRule, Unit, rename_apart
from tidelog.local.evaluation.keyed_unit import GIVEN, KEY, STEPS, KeyedClosure, KeyedUnit, given_name, in_groups
from tidelog.program.modules import ModuleKind
from tidelog.spark.data.frames import FrameRelation, facts_in_driver
from tidelog.spark.data.matrices import columns, frame_of_rows, rows_of_table
from tidelog.spark.data.novelty import facts_with
from tidelog.spark.data.sets import Delta, Sets
from tidelog.spark.evaluation.key_split import Split
from tidelog.spark.evaluation.key_tasks import Input, KeyTasks
from tidelog.spark.evaluation.rounds import Rounds
from tidelog.spark.maintenance.in_rounds.pre_update_state import FrameChanges
from tidelog.syntax.tree import Atom, Literal, Negation, Variable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_FEW_VALUES = 1_000
"""So many values are sought by a list, with which whole parts of files are left out; more by a join."""
_BYTES_A_ROW = 64
"""What a fact takes that a unit reads, with its indexes."""
_FEW_KEYS, _FEW_FACTS = 20_000, 1_000_000
"""No more keys, and no more facts of them, are looked at in the driver."""


@dataclass(slots=True)
class HeldUnit:
    """What the driver keeps of a unit from update to update."""

    unit: KeyedUnit | KeyedClosure
    versions: dict[str, int]
    """Of the relations that it has whole."""
    nbytes: int


@dataclass(slots=True)
class KeyMaintenance:
    """One update of units that are derived by keys."""

    rounds: Rounds
    sets: Sets
    changes: FrameChanges
    counters: Counters
    held: dict[tuple[str, ...], HeldUnit]
    """Kept from update to update."""
    room: int
    """How many bytes the driver may keep of a unit."""
    _inputs: dict[str, tuple[str, int | None]] = field(default_factory=dict)
    """For the unit at hand: names that the kernel has for its inputs, with the relations and the columns of the key."""

    def unit(self, unit: Unit, how: Split) -> dict[str, Delta]:
        """The deltas of a unit of rules."""
        self._inputs = {name: (name, key) for name, key in how.inputs.items()}
        keys = self._keys_of_rules(unit, how)
        return self._differences(unit, how, None, keys)

    def closure(self, unit: Unit, name: str, closure: Closure) -> dict[str, Delta]:
        """The delta of a transitive relation."""
        self._inputs = {GIVEN: (closure.given, None)}
        if closure.module.edge is not None:
            self._inputs[STEPS] = (closure.module.edge, None)
        return self._differences(unit, None, (name, closure), self._keys_of_pairs(name, closure))

    def is_small(self, unit: Unit) -> bool:
        """Whether all that an update has changed for a unit is in the driver."""
        deltas = [self.changes.given.get(name) for name in unit.relations] + [self.changes.deltas.get(name) for name in unit.uses]
        parts = [part for delta in deltas if delta for part in (delta.inserted, delta.deleted)]
        return all(part.rows_in_driver is not None for part in parts)

    # --- keys ------------------------------------------------------------------------------------------------------------

    def _keys_of_rules(self, unit: Unit, how: Split) -> FrameRelation:
        key, start = how.rules.key, 0
        found: list[DataFrame | Int32s] = []
        for name in unit.relations:
            if given := self.changes.given.get(name):
                args = tuple(Variable(f"V{at}") for at in range(self.rounds.relations[name].width))
                rule = CoreRule(Atom("#key", (args[key[name]],)), (Atom("#given", args),), 0, "")
                for part in (given.inserted, given.deleted):
                    found.append(self.rounds.joined(rule, lambda *_, p=part: p, 0, part.count))
                    start += part.count
        for rule in unit.rules:
            head = Atom("#key", (rule.head.args[key[rule.head.predicate]],))
            for at, literal in enumerate(rule.body):
                atom = literal.atom if isinstance(literal, Negation) else literal
                if not isinstance(atom, Atom) or atom.predicate in unit.relations or not self.changes.deltas.get(atom.predicate):
                    continue
                touched = atom if literal is atom else rename_apart(atom, rule)
                others = [other for place, other in enumerate(rule.body) if place != at and self._restricts(other)]
                variant = replace(rule, head=head, body=(touched, *others))
                for part in (self.changes.deltas[atom.predicate].inserted, self.changes.deltas[atom.predicate].deleted):
                    if part.count:
                        found.append(self._joined(variant, part, unit))
                        start += part.count
        return self.sets.distinct(found, FrameRelation(1), start)

    def _restricts(self, literal: Literal) -> bool:
        """Whether a literal is the same before and after the update; a negated one that is not may have held at another time."""
        return not (isinstance(literal, Negation) and self.changes.deltas.get(literal.atom.predicate))

    def _joined(self, rule: CoreRule, touched: FrameRelation, unit: Unit) -> DataFrame | Int32s:
        """The keys of instances whose first literal sees a part of a delta, and the others what holds before or after."""
        first = rule.body[0]
        assert isinstance(first, Atom)
        rows = touched.rows_in_driver

        def relation_at(at: int, name: str) -> FrameRelation:
            if at == 0:
                return touched
            facts = self.changes.before[name] if name in unit.relations else self._before_and_after(name)
            literal = rule.body[at]
            if rows is None or not isinstance(literal, Atom) or facts.rows_in_driver is not None:
                return facts
            for place, arg in enumerate(literal.args):
                if isinstance(arg, Variable) and arg in first.args:
                    values = np.unique(rows[:, first.args.index(arg)])
                    if len(values) <= _FEW_VALUES:
                        return self._with_values(facts, place, values)
            return facts

        return self.rounds.joined(rule, relation_at, 0, touched.count)

    def _before_and_after(self, name: str) -> FrameRelation:
        now, delta = self.rounds.relations[name], self.changes.deltas.get(name)
        if not delta or not delta.deleted.count:
            return now
        return self.sets.fused([now, delta.deleted], now)

    def _with_values(self, facts: FrameRelation, at: int, values: Int32s) -> FrameRelation:
        """The facts that have one of some values in a column; they may be counted as more."""
        held = facts.rows_in_driver
        if held is not None:
            return facts_in_driver(held[np.isin(held[:, at], values)])
        if (found := facts_with(facts, {at: values}, self.sets.lineage)) is not None:
            return facts_in_driver(found)
        frame = facts.frame(self.sets.spark)
        if len(values) <= _FEW_VALUES:
            frame = frame.where(f.col(f"c{at}").isin(values.tolist()))
        else:
            requested = frame_of_rows(self.sets.spark, values.reshape(-1, 1)).toDF(f"c{at}")
            frame = frame.join(f.broadcast(requested), f"c{at}", "left_semi").select(*columns(facts.width))
        return FrameRelation(facts.width, facts.by, [(frame, facts.count)], count=facts.count, merges=False)

    def _keys_of_pairs(self, name: str, closure: Closure) -> FrameRelation:
        """The ends whose pairs a delta of pairs touches: its own ends, and those that lead there."""
        module = closure.module
        other = 0 if module.extends == "start" else 1
        touched: list[Int32s] = [np.empty(0, np.int32)]
        for relation in {closure.given, *([module.edge] if module.edge is not None else [])}:
            delta = self.changes.deltas.get(relation)
            for part in (delta.inserted, delta.deleted) if delta else ():
                rows = self.sets.at_hand(part).rows_in_driver
                assert rows is not None
                both = (0, 1) if module.kind is ModuleKind.SYMMETRIC_TRANSITIVE else (1 - other,)
                touched += [rows[:, at] for at in both]
        values = np.unique(np.concatenate(touched))
        found = self._with_values(self.changes.before[name], other, values)
        args = (Variable("X"), Variable("Y"))
        rule = CoreRule(Atom("#key", (args[1 - other],)), (Atom("#pairs", args),), 0, "")
        some = self.rounds.joined(rule, lambda *_: found, 0, len(values))
        return self.sets.distinct([some, values.reshape(-1, 1)], FrameRelation(1), len(values))

    # --- facts -----------------------------------------------------------------------------------------------------------

    def _differences(
        self, unit: Unit, how: Split | None, closure: tuple[str, Closure] | None, keys: FrameRelation
    ) -> dict[str, Delta]:
        self.counters.checked += keys.count
        if not keys.count:
            return {}
        rows = keys.rows_in_driver
        whole = sum(self.changes.before[name].count for name, key in self._inputs.values() if key is None)
        if rows is not None and len(rows) <= _FEW_KEYS and whole * _BYTES_A_ROW <= self.room:
            found = self._in_driver(unit, how, closure, rows[:, 0])
            if found is not None:
                return found
        self.held.pop(unit.relations, None)
        return self._by_tasks(unit, how, closure, keys)

    def _in_driver(
        self, unit: Unit, how: Split | None, closure: tuple[str, Closure] | None, keys: Int32s
    ) -> dict[str, Delta] | None:
        """The deltas, or None if there are too many facts to look at."""
        kept = self.held.pop(unit.relations, None)  # until it is whole again: whatever stops this leaves none
        names = {name: relation for name, (relation, key) in self._inputs.items() if key is None}
        if kept is None or any(kept.versions[name] != self.changes.before[relation].version for name, relation in names.items()):
            kept = self._loaded(how, closure, names)
        kernel = kept.unit
        if isinstance(kernel, KeyedUnit):
            kernel.watch = self._watch()
            for name, rows in self._rows_of_keys(unit, how, keys).items():
                kernel.refill(name, rows)
        before: list[dict[str, Int32s]] = []
        for _, found in in_groups(kernel, keys, _FEW_FACTS):
            before.append(found)
            if sum(len(rows) for some in before for rows in some.values()) > _FEW_FACTS:
                return None
        kernel.change(*self._deltas(unit, how))
        after = [found for _, found in in_groups(kernel, keys, _FEW_FACTS)]
        kept.versions = {name: self.rounds.relations[relation].version for name, relation in names.items()}
        self.held[unit.relations] = kept
        result = {}
        for name in before[0]:
            old, new = (np.concatenate([found[name] for found in some]) for some in (before, after))
            result[name] = Delta(facts_in_driver(new[~isin_rows(new, old)]), facts_in_driver(old[~isin_rows(old, new)]))
        return result

    def _watch(self) -> Watch:
        """The limits of the update but for that on facts: those of the touched keys are derived twice."""
        watch = self.rounds.watch
        own = Watch(replace(watch.limits, facts=None))
        own.progress.started = watch.progress.started
        return own

    def _loaded(self, how: Split | None, closure: tuple[str, Closure] | None, names: Mapping[str, str]) -> HeldUnit:
        rows = {name: self._all_rows(self.changes.before[relation]) for name, relation in names.items()}
        versions = {name: self.changes.before[relation].version for name, relation in names.items()}
        nbytes = sum(map(len, rows.values())) * _BYTES_A_ROW
        if closure is not None:
            module = closure[1].module
            return HeldUnit(KeyedClosure(module, rows[GIVEN], rows.get(STEPS), closure[0]), versions, nbytes)
        assert how is not None
        return HeldUnit(KeyedUnit(how.rules, rows), versions, nbytes)

    def _all_rows(self, facts: FrameRelation) -> Int32s:
        held = facts.rows_in_driver
        return held if held is not None else rows_of_table(facts.frame(self.sets.spark).toArrow())

    def _rows_of_keys(self, unit: Unit, how: Split | None, keys: Int32s) -> dict[str, Int32s]:
        """The rows that go with some keys, before the update: of relations that are split, and explicit facts."""
        found = {}
        for name, (relation, key) in self._inputs.items():
            if key is not None:
                found[name] = self._all_rows(self._with_values(self.changes.before[relation], key, keys))
        for name in unit.relations:
            if (explicit := self.changes.explicit.get(name)) is not None and how is not None:
                rows = self._all_rows(self._with_values(explicit, how.rules.key[name], keys))
                if given := self.changes.given.get(name):
                    rows = np.concatenate([rows[~isin_rows(rows, self._all_rows(given.inserted))], self._all_rows(given.deleted)])
                found[given_name(name)] = rows
        return found

    def _deltas(self, unit: Unit, how: Split | None) -> tuple[dict[str, Int32s], dict[str, Int32s]]:
        inserted, deleted = dict[str, Int32s](), dict[str, Int32s]()
        for name, delta in self._changed(unit, how):
            inserted[name], deleted[name] = self._all_rows(delta.inserted), self._all_rows(delta.deleted)
        return inserted, deleted

    def _changed(self, unit: Unit, how: Split | None) -> Iterator[tuple[str, Delta]]:
        for name, (relation, _) in self._inputs.items():
            if delta := self.changes.deltas.get(relation):
                yield name, delta
        for name in unit.relations if how is not None else ():
            if delta := self.changes.given.get(name):
                yield given_name(name), delta

    def _by_tasks(
        self, unit: Unit, how: Split | None, closure: tuple[str, Closure] | None, keys: FrameRelation
    ) -> dict[str, Delta]:
        spark, before = self.sets.spark, self.changes.before
        inputs = [
            Input(name, before[relation].frame(spark), before[relation].width, key)
            for name, (relation, key) in self._inputs.items()
        ]
        for name in unit.relations:
            if (explicit := self.changes.explicit.get(name)) is not None and how is not None:
                given, old = self.changes.given.get(name), explicit
                if given:
                    old = self.sets.fused([self.sets.outside(explicit, given.inserted), given.deleted], explicit)
                inputs.append(Input(given_name(name), old.frame(spark), old.width, how.rules.key[name]))
        split_by = {one.name: one.key for one in inputs}
        for name, delta in self._changed(unit, how):
            for sign, part in (("+", delta.inserted), ("-", delta.deleted)):
                inputs.append(Input(sign + name, part.frame(spark), part.width, split_by.get(name)))
        inputs.append(Input(KEY, keys.frame(spark), 1, 0))
        made = how.rules if how is not None else (closure[1].module, closure[0]) if closure is not None else None
        assert made is not None
        names = unit.relations if how is not None else (closure[0],) if closure is not None else ()
        result = {}
        parts = KeyTasks(spark, self.sets.lineage).differences(inputs, made, names, [before[name].width for name in names])
        for name, (inserted, deleted) in zip(names, parts, strict=True):
            like = before[name]
            result[name] = Delta(self.sets.kept(inserted, like), self.sets.kept(deleted, like))
        return result
