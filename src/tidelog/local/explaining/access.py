"""What the explainer asks (`explain.access`), answered by tables, indexes and closed relations.

One fact at a time is found by an index, from Python: a proof needs few facts, and a join plan for each would take longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from tidelog.core.arrays import Int32s
from tidelog.core.limits import Watch
from tidelog.core.rules import GIVEN, Closure
from tidelog.core.schema import Schema
from tidelog.explain.access import Cell, Key, Row
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.engine import LocalEngine
from tidelog.local.explaining.chains import Chains
from tidelog.local.storage.tables import Table
from tidelog.program.modules import Module
from tidelog.program.program import Program
from tidelog.values import Value

_FEW = 32
"""An index with so many rows a key on some of the columns is good enough."""
_SAMPLE = 512
"""Rows from which it is estimated how many match."""
_AT_ONCE = 256
"""Rows that are read at once."""
_AT_A_GLANCE = 1 << 16
"""Rows that are compared at once."""


class LocalAccess:
    """The state of an engine when everything has been derived; until its next change."""

    def __init__(self, engine: LocalEngine, schema: Schema, watch: Watch) -> None:
        self.program: Program = schema.program
        self.schema, self._engine, self._terms, self._watch = schema, engine, engine.dictionary, watch
        self._cells: dict[Value, Cell] = {}
        self._values: dict[int, Value] = {}
        self._shown = {given: name for name, given in engine.core.given.items()}
        self._modules = _modules_of(engine, schema)
        self._listed: dict[tuple[str, tuple[int, ...], Row], Int32s] = {}
        self._likely: dict[tuple[str, tuple[int, ...]], float] = {}
        self._chains = Chains(self)

    def polled(self) -> None:
        """Look at limits and Ctrl-C."""
        self._watch.poll()

    # --- values ----------------------------------------------------------------------------------------------------------

    def cell(self, value: Value) -> Cell:
        """The id of a value, or the value itself."""
        known = self._cells.get(value)
        if known is None:
            found = self._terms.find([value])
            known = self._cells[value] = value if found is None else int(found[0])
        return known

    def value(self, cell: Cell) -> Value:
        """The value of a cell."""
        if isinstance(cell, Value):
            return cell
        known = self._values.get(cell)
        if known is None:
            known = self._values[cell] = self._terms.values_of(np.array([cell], np.int32))[0]
        return known

    # --- facts -----------------------------------------------------------------------------------------------------------

    def stored(self, name: str) -> Table | VirtualRelation | None:
        """What holds the facts of a name."""
        return self._engine.stored(name)

    def holds(self, name: str, row: Row) -> bool:
        """Whether it is a fact."""
        held = self.stored(name)
        if held is None or any(isinstance(cell, Value) for cell in row):
            return False
        if isinstance(held, Table) and held.arity != len(row):
            return False
        return bool(held.contains(_matrix(row))[0])

    def is_explicit(self, name: str, row: Row) -> bool:
        """Whether the user has given the fact, or the text of the program."""
        if any(isinstance(cell, Value) for cell in row):
            return False
        return bool(self._engine.are_explicit(self.shown(name), _matrix(row))[0])

    def can_be_given(self, name: str) -> bool:
        """Whether users insert facts of a relation: no rule derives it, or it has explicit facts anyway."""
        known = self.schema.relation(name)
        if self.schema.is_strict and (known is None or not known.is_declared):
            return False
        return self.unit_of(name) is None or self._engine.has_explicit(name)

    def matching(self, name: str, columns: tuple[int, ...], key: Row) -> Iterator[tuple[int, ...]]:
        """The facts with some cells in some columns."""
        held = self.stored(name)
        if held is None or any(isinstance(cell, Value) for cell in key):
            return
        if not isinstance(held, Table):
            yield from self._pairs(held, name, columns, key)
        elif not columns:
            yield from _all_rows(held)
        else:
            yield from self._rows(held, columns, key)

    def some(self, name: str, columns: tuple[int, ...], key: Row, most: int) -> Iterator[tuple[int, ...]]:
        """A few of these facts, which are asked for once; no index is made for them."""
        held = self.stored(name)
        if isinstance(held, Table) and columns and _index_for(held, columns) not in held.indexes:
            if not any(isinstance(cell, Value) for cell in key):
                yield from _scanned(held, columns, key, most)
        else:
            yield from self.matching(name, columns, key)

    def _rows(self, table: Table, columns: tuple[int, ...], key: Row) -> Iterator[tuple[int, ...]]:
        rows = table.all_rows
        for number in numbers_with(table, columns, key):
            yield tuple(rows[number].tolist())

    def _pairs(self, held: VirtualRelation, name: str, columns: tuple[int, ...], key: Row) -> Iterator[tuple[int, ...]]:
        """The pairs of a closed relation; of one end all others are listed at once, and kept for the next question."""
        if len(columns) == 2:
            if self.holds(name, key):
                yield tuple(cell for cell in key if isinstance(cell, int))
            return
        if not columns:
            for left, right in held.chunks(first=_AT_ONCE):
                yield from zip(left.tolist(), right.tolist(), strict=True)
            return
        (cell,), is_back = key, columns == (1,)
        if (name, columns, key) not in self._listed and isinstance(cell, int):
            self._listed[name, columns, key] = held.related(cell, is_back=is_back)
        others, begin, size = self._listed[name, columns, key], 0, 1
        while begin < len(others):
            for other in others[begin : begin + size].tolist():
                yield (other, cell) if is_back else (cell, other)  # type: ignore[misc]
            begin, size = begin + size, _AT_ONCE

    def likely(self, name: str, columns: tuple[int, ...]) -> float:
        """About how many facts have the same cells in some columns."""
        held = self.stored(name)
        if held is None:
            return 0.0
        if not isinstance(held, Table):
            return (1.0, float(held.longest_list), float(held.longest_list) ** 2)[2 - len(columns)]
        if len(columns) == held.arity:
            return min(float(len(held)), 1.0)
        if (name, columns) not in self._likely:
            self._likely[name, columns] = len(held) * _alike(held, columns) if columns else float(len(held))
        return self._likely[name, columns]

    # --- which facts came first ------------------------------------------------------------------------------------------

    def unit_of(self, name: str) -> int | None:
        """The unit that derives a relation."""
        return self._engine.structure.deriver.get(name)

    def came(self, name: str, row: Row) -> tuple[int, int, int] | None:
        """The number of a fact in its table, and when it came at the earliest and at the latest."""
        table = self._engine.state.tables.get(name)
        if table is None or not table.arity or any(isinstance(cell, Value) for cell in row):
            return None
        if not table.has_bits:
            number = int(table.numbers_of(_matrix(row))[0])
        else:
            number = next(numbers_with(table, tuple(range(len(row))), row), -1)
        between = table.came(number) if number >= 0 else None
        return None if between is None else (number, *between)

    # --- closed relations ------------------------------------------------------------------------------------------------

    def module_of(self, name: str) -> Module | None:
        """The module that closes a relation."""
        return self._modules.get(name)

    def given(self, name: str) -> str:
        """The name of the external facts of a closed relation."""
        return self._engine.core.given.get(name, name)

    def shown(self, name: str) -> str:
        """The relation that a name of external facts belongs to."""
        return self._shown.get(name, name) if name.startswith(GIVEN) else name

    def path(self, name: str, row: Row) -> Sequence[Key] | None:
        """A shortest chain of external facts, and of edges, between the ends of a fact."""
        if not all(isinstance(cell, int) for cell in row):
            return None
        return self._chains.between(self._modules[name], *(cell for cell in row if isinstance(cell, int)))


def _modules_of(engine: LocalEngine, schema: Schema) -> dict[str, Module]:
    """The modules of closed relations, with the places of their rules in the program as it is now."""
    places = None if schema.live is None else {number: place for place, number in enumerate(schema.live.written)}
    found: dict[str, Module] = {}
    for unit in engine.structure.units.values():
        for name, operator in unit.operators.items():
            if isinstance(operator, Closure):
                module = operator.module
                rules = module.rules if places is None else tuple(places[number] for number in module.rules)
                found[name] = replace(module, rules=rules)
    return found


def _matrix(row: Row) -> Int32s:
    """A row of ids as a matrix."""
    return np.array([row], np.int32)


def _alike(table: Table, columns: tuple[int, ...]) -> float:
    """How likely it is that two facts have the same cells in some columns, from a sample."""
    rows = table.all_rows[:: max(1, table.end // _SAMPLE)][:, columns]
    rows = rows[rows[:, 0] >= 0] if 0 in columns else rows
    count = len(rows)
    _, counts = np.unique(rows, axis=0, return_counts=True)
    return (float((counts * (counts - 1)).sum()) + 1) / (count * (count - 1) + 1)


def numbers_with(table: Table, columns: tuple[int, ...], key: Row) -> Iterator[int]:
    """The numbers of the rows with some cells in some columns, newest first."""
    used = _index_for(table, columns)
    wanted = dict(zip(columns, key, strict=True))
    others = [(at, cell) for at, cell in wanted.items() if at not in used]
    number = int(table.newest_with_keys(used, _matrix(tuple(wanted[at] for at in used)))[0])
    rows, following = table.all_rows, table.indexes[used].next
    while number >= 0:
        if all(rows[number, at] == cell for at, cell in others):
            yield number
        number = int(following[number]) - 1


def _scanned(table: Table, columns: tuple[int, ...], key: Row, most: int) -> Iterator[tuple[int, ...]]:
    """A few rows with some cells in some columns, found by looking at all of them."""
    rows, found = table.all_rows, 0
    for begin in range(0, len(rows), _AT_A_GLANCE):
        part = rows[begin : begin + _AT_A_GLANCE]
        are_alike = part[:, 0] >= 0
        for at, cell in zip(columns, key, strict=True):
            are_alike &= part[:, at] == cell
        for number in np.flatnonzero(are_alike)[: most - found].tolist():
            found += 1
            yield tuple(part[number].tolist())
        if found >= most:
            return


def _index_for(table: Table, columns: tuple[int, ...]) -> tuple[int, ...]:
    """The columns of an index that serves: the index on them all, or one there is with few rows a key."""
    if columns in table.indexes:
        return columns
    for known in table.indexes:
        distinct = table.distinct_keys(known)
        if known and set(known) <= set(columns) and distinct and len(table) <= _FEW * distinct:
            return known
    return columns


def _all_rows(table: Table) -> Iterator[tuple[int, ...]]:
    if not table.arity:
        yield from [()] * len(table)
        return
    rows, begin, size = table.all_rows, 0, 1
    while begin < len(rows):
        for row in rows[begin : begin + size].tolist():
            if row[0] >= 0:
                yield tuple(row)
        begin, size = begin + size, _AT_ONCE
