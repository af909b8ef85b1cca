"""Facts for every member of a class: rows of representatives become rows of all that they stand for, when somebody reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tidelog.core.arrays import Int32s, Int64s, Rows
from tidelog.local.equality.classes import mapped
from tidelog.local.storage.dictionary import Dictionary
from tidelog.program.same_as import REPRESENTATIVE, is_own
from tidelog.syntax.tree import Aggregate, Atom, Comparison, Constant, Literal, Negation, Term
from tidelog.values import Kind


class Members:
    """The classes of one state, from the rows of `tidelog_representative`."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        order = np.argsort(rows[:, 1], kind="stable")
        self._members = rows[order, 0]
        self._keys, self._begin, self._count = np.unique(rows[order, 1], return_index=True, return_counts=True)

    def representatives(self, ids: Int32s) -> Int32s:
        """Who stands for each of some individuals."""
        return mapped(ids, self.rows)

    def _others(self, ids: Int32s) -> tuple[Int64s, Int64s]:
        """How many others each of some values stands for, and where these begin."""
        at = np.minimum(np.searchsorted(self._keys, ids), len(self._keys) - 1)
        is_one = self._keys[at] == ids
        return np.where(is_one, self._count[at], 0), self._begin[at]

    def count(self, rows: Rows) -> int:
        """How many rows there are for all members."""
        counts = np.ones(len(rows), np.int64)
        for at in range(rows.shape[1]):
            counts *= 1 + self._others(rows[:, at])[0]
        return int(counts.sum())

    def expanded(self, rows: Rows) -> Rows:
        """The rows for all members, each once if each of the rows stands there once."""
        for at in range(rows.shape[1]):
            others, begin = self._others(rows[:, at])
            if not others.any():
                continue
            source = np.repeat(np.arange(len(rows)), others + 1)
            first = np.cumsum(others + 1) - others - 1
            nth = np.arange(len(source)) - first[source]
            rows = rows[source]  # a copy: the first of each stays as it is
            is_other = nth > 0
            rows[is_other, at] = self._members[(begin[source] + nth - 1)[is_other]]
        return rows


def members_of(held: Mapping[str, Any], *relations: str) -> Members | None:
    """The classes that stored relations have; None if there are none, or if some relations are not about them, but as given."""
    if REPRESENTATIVE not in held or any(map(is_own, relations)):
        return None
    rows = held[REPRESENTATIVE].rows
    return Members(rows) if len(rows) else None


def with_representatives(literal: Literal, classes: Rows, terms: Dictionary) -> Literal:
    """A literal with the representatives of the individuals that it names."""

    def term(given: Term) -> Term:
        if not isinstance(given, Constant) or given.value.kind is not Kind.IRI or (found := terms.find([given.value])) is None:
            return given
        return replace(given, value=terms.values_of(mapped(found, classes))[0])

    def atom(given: Atom) -> Atom:
        return given if is_own(given.predicate) else replace(given, args=tuple(map(term, given.args)))

    match literal:
        case Atom():
            return atom(literal)
        case Negation(inner):
            return replace(literal, atom=atom(inner))
        case Comparison(_, left, right):
            return replace(literal, left=term(left), right=term(right))
        case Aggregate(body=body):
            return replace(literal, body=tuple(with_representatives(one, classes, terms) for one in body))
