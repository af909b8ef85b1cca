"""A unit whose recursive rules pass a key on, evaluated for some keys at a time: facts with one key depend on no other key.

Another engine that has more facts than fit here gives the facts that a unit reads, and takes what it derives, key by key.  So
what is held is what the unit reads, and the facts of some keys.  Values are the other engine's numbers: in rules, as integers,
and in a transitive relation, whose key is its left end, as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from tidelog.core.arrays import Int32s, isin_rows
from tidelog.core.limits import Watch
from tidelog.core.rules import CoreRule, Unit
from tidelog.core.statistics import Statistics
from tidelog.local.closure import closing
from tidelog.local.closure.incremental import EdgeDelta, next_version
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.planning.plan_cache import PlanCache
from tidelog.local.storage.state import State
from tidelog.program.modules import Module
from tidelog.syntax.tree import Atom, Constant, Variable
from tidelog.values import Kind

KEY = "#key"
"""The relation of the keys whose facts are derived."""
GIVEN, STEPS = "given", "steps"
"""What a transitive relation is closed from: its external pairs, and the relation that it goes along, if that is another one."""
_FIRST_KEYS = 64
"""So many keys are tried first; what they derive says how many come next."""


@dataclass(frozen=True, slots=True)
class KeyedRules:
    """A unit with numbers for constants, and the column of each of its relations that is the key."""

    relations: tuple[str, ...]
    rules: tuple[CoreRule, ...]
    arities: Mapping[str, int]
    """Of its relations, and of all that it reads."""
    key: Mapping[str, int]

    def is_first(self, rule: CoreRule) -> bool:
        """Whether a rule derives from other relations alone."""
        return not any(isinstance(literal, Atom) and literal.predicate in self.key for literal in rule.body)


def given_name(relation: str) -> str:
    """The relation of the explicit facts of one of the unit's."""
    return f"#explicit {relation}"


class KeyedUnit:
    """The unit, with all that it reads."""

    def __init__(self, rules: KeyedRules, inputs: Mapping[str, Int32s]) -> None:
        self.rules, self.state, self.watch = rules, State(), Watch()
        self._plans, self._numbers = PlanCache(), np.empty(0, np.int32)
        for name, rows in inputs.items():
            self.state.ensure_table(name, rows.shape[1]).insert(self._ids(rows))
        self.state.ensure_table(KEY, 1)
        for name, arity in rules.arities.items():
            self.state.ensure_table(name, arity)
        for name in rules.relations:
            self.state.ensure_table(given_name(name), rules.arities[name])
        made = tuple(self._restricted())
        self._first = [rule for rule in made if rules.is_first(rule)]
        uses = frozenset({*rules.arities, KEY, *map(given_name, rules.relations)} - set(rules.relations))
        self._unit = Unit(rules.relations, made, {}, uses, frozenset())

    def _restricted(self) -> Iterator[CoreRule]:
        """The rules; those that derive from other relations alone do so for the keys only."""
        for rule in self.rules.rules:
            if self.rules.is_first(rule):
                key = rule.head.args[self.rules.key[rule.head.predicate]]
                yield replace(rule, body=(*rule.body, Atom(KEY, (key,))))
            else:
                yield replace(rule)
        for name in self.rules.relations:
            args = tuple(Variable(f"V{at}") for at in range(self.rules.arities[name]))
            body = (Atom(given_name(name), args), Atom(KEY, (args[self.rules.key[name]],)))
            yield CoreRule(Atom(name, args), body, -1, name)

    def _ids(self, rows: Int32s) -> Int32s:
        numbers = pa.array(np.ascontiguousarray(rows).reshape(-1))
        return self.state.terms.encode_column(Kind.INT, numbers).reshape(rows.shape)

    def _numbers_of(self, ids: Int32s) -> Int32s:
        if len(self._numbers) < len(self.state.terms):
            every = np.arange(len(self.state.terms), dtype=np.int32)
            self._numbers = self.state.terms.decode_column(every).to_numpy().astype(np.int32)
        return self._numbers[ids]

    # --- keys ------------------------------------------------------------------------------------------------------------

    def keys(self) -> Int32s:
        """All keys that may have facts."""
        return np.unique(np.concatenate([self._keys_of(rule) for rule in self._first]))

    def _keys_of(self, rule: CoreRule) -> Int32s:
        key = rule.head.args[self.rules.key[rule.head.predicate]]
        if isinstance(key, Constant):
            return np.array([key.value.content], np.int32)
        for literal in rule.body[:-1]:
            if isinstance(literal, Atom) and key in literal.args:
                return self._numbers_of(np.unique(self.state.table(literal.predicate).rows[:, literal.args.index(key)]))
        every = np.arange(len(self.state.terms), dtype=np.int32)  # the key is another name of a value
        return self._numbers_of(every)

    def derive(self, keys: Int32s) -> dict[str, Int32s]:
        """All facts of some keys, by relation."""
        state = self.state
        for name in self.rules.relations:
            state.table(name).empty()
        state.table(KEY).empty()
        state.table(KEY).insert(self._ids(keys.reshape(-1, 1)))
        evaluation = Evaluation(state, self.watch, Statistics())
        evaluation.enter(0, self._plans)
        evaluation.from_scratch(self._unit)
        return {name: self._numbers_of(state.table(name).rows) for name in self.rules.relations}

    def refill(self, name: str, rows: Int32s) -> None:
        """Replace the rows of a relation that the unit reads."""
        self.state.table(name).empty()
        self.state.table(name).insert(self._ids(rows))

    def change(self, inserted: Mapping[str, Int32s], deleted: Mapping[str, Int32s]) -> None:
        """Change what the unit reads."""
        for name, rows in deleted.items():
            self.state.table(name).remove(self._ids(rows))
        for name, rows in inserted.items():
            self.state.table(name).insert(self._ids(rows))


class KeyedClosure:
    """A transitive relation, with all that it is closed from."""

    def __init__(self, module: Module, given: Int32s, steps: Int32s | None, name: str) -> None:
        self._module, self._given, self._steps, self.name = module, given, steps, name
        self._relation = closing.close(module, given, steps)

    def keys(self) -> Int32s:
        """All keys that have facts."""
        return self._relation.lefts

    def derive(self, keys: Int32s) -> dict[str, Int32s]:
        """All facts of some keys."""
        mine = np.intersect1d(keys, self._relation.lefts).astype(np.int32, copy=False)
        pairs = [np.column_stack(columns) for columns in self._relation.chunks(lefts=mine)]
        return {self.name: np.concatenate(pairs) if pairs else np.empty((0, 2), np.int32)}

    def change(self, inserted: Mapping[str, Int32s], deleted: Mapping[str, Int32s]) -> None:
        """Change what it is closed from."""
        nothing = np.empty((0, 2), np.int32)
        self._given, given = _changed(self._given, inserted.get(GIVEN, nothing), deleted.get(GIVEN, nothing))
        steps = None
        if self._steps is not None:
            self._steps, steps = _changed(self._steps, inserted.get(STEPS, nothing), deleted.get(STEPS, nothing))
        self._relation = next_version(self._relation, given, steps, lambda: (self._given, self._steps), lambda: None)
        self._relation.activate()


def _changed(pairs: Int32s, inserted: Int32s, deleted: Int32s) -> tuple[Int32s, EdgeDelta]:
    kept = pairs[~isin_rows(pairs, deleted)] if len(deleted) else pairs
    return np.concatenate([kept, inserted]), EdgeDelta(inserted, deleted)


def in_groups(unit: KeyedUnit | KeyedClosure, keys: Int32s, most: int) -> Iterator[tuple[Int32s, dict[str, Int32s]]]:
    """Some keys with their facts, as many keys at a time as have about so many facts."""
    done, count = 0, _FIRST_KEYS
    while done < len(keys):
        some = keys[done : done + count]
        found = unit.derive(some)
        yield some, found
        done += len(some)
        facts = max(1, sum(map(len, found.values())))
        count = max(1, min(4 * count, most * len(some) // facts))
