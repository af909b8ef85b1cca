"""DRed with counters: Hu, Motik and Horrocks, "Optimised Maintenance of Datalog Materialisations" (AAAI 2018), for one unit.

Each fact has two counters, of the instances of non-recursive and of recursive rules that derive it (a rule is recursive if its
body reads the unit's own relations). A lost instance decrements one of them. Over-deletion stops at a fact that is explicit or
has a non-zero non-recursive counter; rederivation looks at the recursive counter alone, without any join.

Departures: instances are found as rows of a table, one for each rule, of the head's arguments and all other variables of the
body; so each is counted once, however many changes it is found through. Counters stand beside the rows of a relation, and
those of deleted facts stand beside the rows of `deleted`. Whatever else changes a relation, such as a rollback, drops its
counters, and before the next update they are counted anew (`count_all`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Rows
from tidelog.core.rules import CoreRule, Unit, existential, is_visible, positive_atoms
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.maintenance.deletion import OverDeletion
from tidelog.local.maintenance.unit_runtime import UnitRuntime
from tidelog.local.storage.state import State
from tidelog.local.storage.tables import Table
from tidelog.syntax.tree import Atom, Negation, Term, Variable, names_of

NON_RECURSIVE, RECURSIVE = 0, 1
_PIECE = 1 << 16
"""Rows of one atom whose instances are counted at a time."""


class Counting(OverDeletion):
    """Delete what has no derivation but recursive ones, then bring back what has one left."""

    def delete(self, seeds: Mapping[str, Rows]) -> dict[str, Table]:
        """As any deletion, with tables of the instances that are lost."""
        self._lost = _Instances(self.runtime, "lost")
        self._seen = dict.fromkeys(self.deleted, 0)
        for table in self.deleted.values():
            table.counters = np.zeros((2, 0), np.int32)
        return super().delete(seeds)

    def _suspecting(self, rule: CoreRule, origin: CoreRule) -> CoreRule:
        return self._lost.found_by(rule, origin)

    def overdelete(self) -> bool:
        """Decrement counters for lost instances, and delete facts for which only recursive rules are left."""
        for name, suspects in self.suspects.items():
            self._overdelete(name, suspects.rows_from(self._seen[name]))
            self._seen[name] = suspects.end
        for rule, heads in self._lost.new_heads():
            name = rule.head.predicate
            table, deleted = self.state.table(name), self.deleted[name]
            numbers = deleted.numbers_of(heads)
            _add(deleted, _kind(rule, self.own), numbers[numbers >= 0], -1)
            present = heads[numbers < 0]
            _add(table, _kind(rule, self.own), table.numbers_of(present), -1)
            self._overdelete(name, present)
        return True

    def _overdelete(self, name: str, rows: Rows) -> None:
        table, deleted = self.state.table(name), self.deleted[name]
        if name in self.state.explicit:
            rows = rows[~self.state.explicit[name].contains(rows)]
        rows = rows[~deleted.contains(rows)]
        numbers = table.numbers_of(rows)
        is_deleted = _counters(table)[NON_RECURSIVE, numbers] == 0
        begin = deleted.end
        deleted.insert(rows[is_deleted])
        new = deleted.rows_from(begin)
        _counters(deleted)[:, begin : deleted.end] = _counters(table)[:, table.numbers_of(new)]

    def rederive(self) -> None:
        """Bring back what a recursive rule derives from what is left."""
        self.counters.overdeleted = sum(map(len, self.deleted.values()))
        for name, deleted in self.deleted.items():
            table, rows, counters = self.state.table(name), deleted.rows, _counters(deleted)[:, : deleted.end]
            back = counters[RECURSIVE] > 0
            table.insert(rows[back])
            _counters(table)[:, table.numbers_of(rows[back])] = counters[:, back]
            deleted.mark_delta()
            if len(deleted) and not table.arity:  # its one row has always the same number
                table.counters = counters.copy()


def insert(
    runtime: UnitRuntime, before: Mapping[str, int], first: Sequence[tuple[CoreRule, CoreRule]], evaluation: Evaluation
) -> None:
    """Derive what follows from inserted and rederived facts, and count; as `Evaluation.continue_from` does without counting.

    `first` are rules that apply once, each with the rule of the unit that it is made from.
    """
    unit, state, own = runtime.unit, evaluation.state, set(runtime.unit.relations)
    found = _Instances(runtime, "found")
    own_tables = [(name, state.tables[name]) for name in dict.fromkeys(rule.head.predicate for rule in unit.rules)]
    for _, table in own_tables:
        _counters(table)  # of the facts that came

    def take_up() -> None:
        for rule, heads in found.new_heads():
            name = rule.head.predicate
            table, progress = state.tables[name], evaluation.watch.progress
            progress.facts += is_visible(name) * table.insert(heads)
            _add(table, _kind(rule, own), table.numbers_of(heads), 1)

    variants = {rule.serial: found.found_by(rule, rule) for rule in unit.rules}
    once = [found.found_by(rule, origin) for rule, origin in first]
    evaluation.continue_from(unit, before, once, via=lambda rule: variants[rule.serial], after_rules=take_up)


def is_counted(unit: Unit, state: State) -> bool:
    """Whether there are counters for all facts of a unit."""
    return (
        bool(unit.rules)
        and not unit.modules
        and all(state.tables[rule.head.predicate].counters is not None for rule in unit.rules)
    )


def forget(unit: Unit, state: State) -> None:
    """After another algorithm: what is counted is not so any more."""
    for rule in unit.rules:
        state.tables[rule.head.predicate].counters = None


def count_all(runtime: UnitRuntime, evaluation: Evaluation) -> None:
    """Count all instances of a unit's rules."""
    unit, state = runtime.unit, runtime.state
    evaluation.mark(unit, {})
    for rule in unit.rules:
        table = state.tables[rule.head.predicate]
        table.counters = np.zeros((2, table.end), np.int32)
    try:
        for rule in unit.rules:
            _count_rule(rule, runtime, evaluation)
    except BaseException:
        forget(unit, state)
        raise


def _count_rule(rule: CoreRule, runtime: UnitRuntime, evaluation: Evaluation) -> None:
    """Count the instances of one rule, for a piece of its largest relation at a time."""
    state, found, own = runtime.state, _Instances(runtime, "found"), set(runtime.unit.relations)
    table, kind = state.tables[rule.head.predicate], _kind(rule, own)

    def count(some: CoreRule) -> None:
        evaluation.apply_once([found.found_by(some, rule)])
        for _, heads in found.new_heads():
            _add(table, kind, table.numbers_of(heads), 1)
        found.clear()

    stored = [(at, name) for at, name in positive_atoms(rule) if name in state.tables and state.tables[name].arity]
    if not stored:
        count(rule)
        return
    at, name = max(stored, key=lambda atom: len(state.tables[atom[1]]))
    atom, rows = rule.body[at], state.tables[name].rows
    assert isinstance(atom, Atom)
    piece = Atom(runtime.table_name("piece", name), atom.args)
    for begin in range(0, len(rows), _PIECE):
        runtime.table("piece", name, len(piece.args), rows[begin : begin + _PIECE])
        count(runtime.variant(rule, ("piece", at), (*rule.body[:at], piece, *rule.body[at + 1 :])))


class _Instances:
    """A table for the instances of each rule of a unit: the head's arguments, then the other variables of the body."""

    def __init__(self, runtime: UnitRuntime, role: str) -> None:
        self._runtime, self._role = runtime, role
        self._places = {rule.serial: at for at, rule in enumerate(runtime.unit.rules)}
        self._columns = [_columns(rule) for rule in runtime.unit.rules]
        self.clear()

    def clear(self) -> None:
        """Begin anew, with no instances."""
        self._seen = [0] * len(self._columns)
        table = self._runtime.table
        self.tables = [table(self._role, str(at), len(columns)) for at, columns in enumerate(self._columns)]

    def found_by(self, rule: CoreRule, origin: CoreRule) -> CoreRule:
        """A rule that lists the instances of another one, which is made from `origin`."""
        at = self._places[origin.serial]
        head = Atom(self._runtime.table_name(self._role, str(at)), self._columns[at])
        return self._runtime.variant(rule, self._role, rule.body, head)

    def new_heads(self) -> list[tuple[CoreRule, Rows]]:
        """For each rule the heads of instances that have come since the last time, as often as there are instances."""
        result = []
        for at, (rule, table) in enumerate(zip(self._runtime.unit.rules, self.tables, strict=True)):
            if table.end > self._seen[at]:
                result.append((rule, np.ascontiguousarray(table.rows_from(self._seen[at])[:, : len(rule.head.args)])))
                self._seen[at] = table.end
        return result


def _columns(rule: CoreRule) -> tuple[Term, ...]:
    alone = {name for literal in rule.body if isinstance(literal, Negation) for name in existential(literal.atom, rule)}
    others = names_of(rule.body) - names_of([rule.head]) - alone
    return (*rule.head.args, *map(Variable, sorted(others)))


def _kind(rule: CoreRule, own: set[str]) -> int:
    return RECURSIVE if any(name in own for _, name in positive_atoms(rule)) else NON_RECURSIVE


def _counters(table: Table) -> NDArray[np.int32]:
    """The counters of a table, with room for all of its rows."""
    counters = table.counters
    assert counters is not None
    if counters.shape[1] < table.end:
        more = np.zeros((2, 2 * table.end), np.int32)
        more[:, : counters.shape[1]] = counters
        table.counters = counters = more
    return counters


def _add(table: Table, kind: int, numbers: NDArray[np.int32], count: int) -> None:
    np.add.at(_counters(table)[kind], numbers, np.int32(count))
