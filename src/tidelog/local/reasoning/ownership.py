"""Which rules and triples belong to which ontologies, from the facts that keep the account: whole columns of ids at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Rows, isin_rows
from tidelog.local.engine import LocalEngine
from tidelog.values import Value, string

What = tuple[Value, ...]
"""The name of a rule, or the terms of a triple."""


class Ownership:
    """What belongs to one ontology, and what to others: explicit facts `(ontology, …)` of a relation."""

    def __init__(self, engine: LocalEngine, relation: str, ontology: str) -> None:
        self._terms = engine.dictionary
        rows = engine.explicit_rows(engine.core.explicit_name(relation))
        self._rows: Rows = np.empty((0, 1), np.int32) if rows is None else rows
        is_mine = self._rows[:, 0] == self._terms.encode([string(ontology)])[0]
        self._mine, self._others = self._rows[is_mine, 1:], self._rows[~is_mine, 1:]

    def are_owned(self, things: Sequence[What]) -> NDArray[np.bool_]:
        """For each rule or triple whether it belongs to any ontology."""
        if not things or not len(self._rows):
            return np.zeros(len(things), np.bool_)
        return isin_rows(self._encoded(things), self._rows[:, 1:])

    def stale(self, kept: Sequence[What] = ()) -> list[What]:
        """What belongs to this ontology and is not kept."""
        return self._decoded(self._left(kept))

    def gone(self, kept: Sequence[What] = ()) -> list[What]:
        """What belongs to this ontology and to no other, and is not kept."""
        left = self._left(kept)
        return self._decoded(left[~isin_rows(left, self._others)])

    def _left(self, kept: Sequence[What]) -> Rows:
        if not kept or not len(self._mine):
            return self._mine
        return self._mine[~isin_rows(self._mine, self._encoded(kept))]

    def _encoded(self, things: Sequence[What]) -> Rows:
        ids: Rows = self._terms.encode([value for thing in things for value in thing])
        return ids.reshape(len(things), -1)

    def _decoded(self, rows: Rows) -> list[What]:
        values = iter(self._terms.values_of(rows.reshape(-1)))
        return [tuple(next(values) for _ in range(rows.shape[1])) for _ in range(len(rows))]
