"""What an update has changed, for users: by relation, and explicit facts apart from derived ones.

All of it is computed on demand, from deltas that belong to the update and do not change any more.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from tidelog.changes import Part
from tidelog.core.arrays import Rows, isin_rows
from tidelog.core.rules import Core
from tidelog.local.maintenance.delta.deltas import Delta, ExplicitChanges, concatenated

Explicit = tuple[Mapping[str, Rows], Mapping[str, Rows]]


class Difference(Protocol):
    """How relations differ from what they were."""

    def __iter__(self) -> Iterator[str]:
        """The relations that may differ."""

    def rows(self, relation: str, part: Part, *, inserted: bool) -> Rows:
        """The inserted or the deleted rows of a relation: all of them, or one part."""

    def given(self, relation: str, *, inserted: bool) -> Rows | None:
        """The facts that became explicit, or ceased to be; None if all facts of the relation are explicit."""

    def explicit(self) -> Explicit:
        """The facts that are explicit now and were not before, and the other way round; also where they hold all the same."""


class Differences:
    """How the relations of a program differ after one step."""

    def __init__(self, core: Core, derived: Container[str], deltas: Mapping[str, Delta], changes: ExplicitChanges) -> None:
        """`derived` are the stored relations that have rules."""
        self._core, self._derived, self.deltas, self._changes = core, derived, deltas, changes

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.deltas if not name.startswith("#"))

    def rows(self, relation: str, part: Part, *, inserted: bool) -> Rows:
        """The inserted or the deleted rows of a relation: all of them, or one part."""
        delta = self.deltas[relation]
        rows = delta.inserted_rows() if inserted else delta.deleted_rows()
        return _part(rows, part, self.given(relation, inserted=inserted))

    def given(self, relation: str, *, inserted: bool) -> Rows | None:
        """The facts of a relation that the user gave, or took back; None if all of its facts are explicit.

        Whatever is new and explicit was given by this very update, and whatever has gone and was explicit, taken back by it.
        """
        stored = self._core.explicit_name(relation)
        if stored in self._derived or (stored in self._changes.lost and not inserted):
            given = (self._changes.inserted if inserted else self._changes.deleted).get(stored, [])
        elif stored == relation:
            return None
        else:
            delta = self.deltas.get(stored)
            given = [] if delta is None else [delta.inserted_rows() if inserted else delta.deleted_rows()]
        if given:
            return np.concatenate(given)
        arity = self._core.arities.get(relation)
        if arity is None:  # it has just been forgotten
            arity = self.deltas[relation].deleted_rows().shape[1]
        return np.empty((0, arity), np.int32)

    def explicit(self) -> Explicit:
        """The facts that are explicit now and were not before, and the other way round; also where they hold all the same."""
        shown, lost = {given: name for name, given in self._core.given.items()}, self._changes.lost
        came, went = (
            {shown.get(name, name): concatenated(rows) for name, rows in given.items() if name in self._derived or name in lost}
            for given in (self._changes.inserted, self._changes.deleted)
        )
        for name in self:
            if self.given(name, inserted=True) is None:
                came[name] = self.rows(name, "all", inserted=True)
            if self.given(name, inserted=False) is None:
                went[name] = self.rows(name, "all", inserted=False)
        return _without(came, went), _without(went, came)


class Backwards:
    """A step that was undone."""

    def __init__(self, step: Difference) -> None:
        self._step = step

    def __iter__(self) -> Iterator[str]:
        return iter(self._step)

    def rows(self, relation: str, part: Part, *, inserted: bool) -> Rows:
        """What was inserted is deleted, and the other way round."""
        return self._step.rows(relation, part, inserted=not inserted)

    def given(self, relation: str, *, inserted: bool) -> Rows | None:
        """What became explicit is not any more, and the other way round."""
        return self._step.given(relation, inserted=not inserted)

    def explicit(self) -> Explicit:
        """What came went, and the other way round."""
        came, went = self._step.explicit()
        return went, came


class InTurn:
    """Several steps, one after the other, as one."""

    def __init__(self, steps: Sequence[Difference]) -> None:
        self._steps = steps
        self._by_name: dict[str, list[Difference]] = {}
        for step in steps:
            for name in step:
                self._by_name.setdefault(name, []).append(step)

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def rows(self, relation: str, part: Part, *, inserted: bool) -> Rows:
        """What is there after all steps and was not before, or the other way round."""
        first, *others = self._by_name[relation]
        plus, minus = (first.rows(relation, "all", inserted=inserted) for inserted in (True, False))
        for step in others:
            more, less = (step.rows(relation, "all", inserted=inserted) for inserted in (True, False))
            plus, minus = (
                np.concatenate([plus[~isin_rows(plus, less)], more[~isin_rows(more, minus)]]),
                np.concatenate([minus[~isin_rows(minus, more)], less[~isin_rows(less, plus)]]),
            )
        return _part(plus if inserted else minus, part, self.given(relation, inserted=inserted))

    def given(self, relation: str, *, inserted: bool) -> Rows | None:
        """What became explicit, or ceased to be, in any step."""
        given = [step.given(relation, inserted=inserted) for step in self._steps]
        return None if given[0] is None else np.concatenate([rows for rows in given if rows is not None])

    def explicit(self) -> Explicit:
        """What is explicit after all steps and was not before, and the other way round."""
        plus, minus = self._steps[0].explicit()
        for step in self._steps[1:]:
            more, less = step.explicit()
            plus, minus = (
                _with(_without(plus, less), _without(more, minus)),
                _with(_without(minus, more), _without(less, plus)),
            )
        return plus, minus


def _without(some: Mapping[str, Rows], others: Mapping[str, Rows]) -> dict[str, Rows]:
    return {name: rows[~isin_rows(rows, others[name])] if name in others else rows for name, rows in some.items()}


def _with(some: Mapping[str, Rows], others: Mapping[str, Rows]) -> dict[str, Rows]:
    both = {name: np.concatenate([some[name], others[name]]) for name in some.keys() & others.keys()}
    return {**some, **others, **both}


def _part(rows: Rows, part: Part, given: Rows | None) -> Rows:
    """All rows, or the explicit ones, or the others."""
    if part == "all" or (given is None and part == "explicit"):
        return rows
    if given is None:
        return rows[:0]
    is_given = isin_rows(rows, given)
    return rows[is_given] if part == "explicit" else rows[~is_given]
