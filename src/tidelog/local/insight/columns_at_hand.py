"""The kinds of values in the columns of relations, found when they are asked for; only new rows are looked at again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tidelog.functions.signatures import ANY, Type
from tidelog.local.engine import LocalEngine
from tidelog.local.storage.tables import Table
from tidelog.values import Kind, Value

_MOST_ROWS = 2_000_000
"""Larger relations are not looked through: their columns may hold anything."""
OF_ANYTHING = "triple"
"""The relation of all triples: its columns may hold anything, and rules over it are about what may come."""

Seen = dict[str, tuple[object, int, tuple[Type, ...]]]
"""For each relation that was looked through: how its rows were numbered, up to which one, and the kinds in its columns."""


class ColumnsAtHand(Mapping[str, tuple[Type, ...]]):
    """The kinds of values in each column of the relations of an engine, of facts that have gone since, too."""

    def __init__(self, engine: LocalEngine, seen: Seen | None = None) -> None:
        """`seen` is kept from one time to the next."""
        self._engine = engine
        self._seen: Seen = {} if seen is None else seen

    def __getitem__(self, name: str) -> tuple[Type, ...]:
        stored = self._engine.stored(name)
        if stored is None:
            raise KeyError(name)
        if not isinstance(stored, Table):
            return (ANY, ANY)
        numbering, upto, kinds = self._seen.get(name, (None, 0, ()))
        if numbering is not stored.numbering or upto > stored.end or len(kinds) != stored.arity:
            upto, kinds = 0, (frozenset(),) * stored.arity
        if upto < stored.end:
            if name == OF_ANYTHING or stored.end - upto > _MOST_ROWS:
                kinds = (ANY,) * stored.arity
            elif stored.arity:
                rows, terms = stored.rows_from(upto), self._engine.state.terms
                kinds = tuple(known | set(terms.kinds_of(rows[:, at])) for at, known in enumerate(kinds))
            self._seen[name] = stored.numbering, stored.end, kinds
        return kinds

    def example(self, name: str, column: int, kind: Kind) -> tuple[Value, ...] | None:
        """A fact with a value of a kind in a column."""
        stored = self._engine.stored(name)
        if not isinstance(stored, Table):
            return None
        terms, rows = self._engine.state.terms, stored.rows
        places = terms.have_kind(kind, rows[:, column]).nonzero()[0]
        return tuple(terms.values_of(rows[places[0]])) if len(places) else None

    def __iter__(self) -> Iterator[str]:
        return iter(self._engine.state.tables)

    def __len__(self) -> int:
        return len(self._engine.state.tables)
