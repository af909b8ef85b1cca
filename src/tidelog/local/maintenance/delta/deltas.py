"""Deltas: what an update has inserted into and deleted from each relation so far.

An update visits the units in order. When it reaches a unit, the relations below have their new content, and a `Delta` says how
each differs from before the update. `#plus R` and `#minus R` are tables of the inserted and deleted facts, which rules can join
like any other; where nothing was deleted, the inserted facts are the last rows of the relation itself, and no copy is needed.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from tidelog.core.arrays import Rows
from tidelog.local.closure.closure_diff import VirtualChange
from tidelog.local.storage.replacements import Replacement
from tidelog.local.storage.state import State

NOTHING = np.empty((0, 2), np.int32)


@dataclass(slots=True)
class Delta:
    """How a relation differs from what it was before the update."""

    inserted: Rows = field(default_factory=lambda: NOTHING)
    deleted: Rows = field(default_factory=lambda: NOTHING)
    begin: int | None = None
    """If nothing was deleted: the number of the first inserted row in the relation's table."""
    virtual: VirtualChange | None = None
    """A virtual relation, before and after; its inserted and deleted pairs are computed on demand."""
    replaced: Replacement | None = None
    """A relation that was rematerialised: the same for its rows."""

    @property
    def _later(self) -> VirtualChange | Replacement | None:
        return self.virtual if self.virtual is not None else self.replaced

    @property
    def gained(self) -> int:
        """How many stored rows were inserted."""
        return len(self.inserted) if self.replaced is None else self.replaced.gained

    @property
    def lost(self) -> int:
        """How many stored rows were deleted."""
        return len(self.deleted) if self.replaced is None else self.replaced.lost

    @property
    def has_gained(self) -> bool:
        """Whether anything was inserted, as far as one can tell without computing it."""
        return len(self.inserted) > 0 if (later := self._later) is None else later.can_gain

    @property
    def has_lost(self) -> bool:
        """Whether anything was deleted, as far as one can tell without computing it."""
        return len(self.deleted) > 0 if (later := self._later) is None else later.can_lose

    @property
    def is_mostly_new(self) -> bool:
        """Whether at least half of the rows are new, as far as one can tell without computing them."""
        return (later := self._later) is not None and later.is_mostly_new

    def inserted_rows(self) -> Rows:
        """The rows that are there now and were not before."""
        return self.inserted if (later := self._later) is None else later.inserted()

    def deleted_rows(self) -> Rows:
        """The rows that were there before and are not now."""
        return self.deleted if (later := self._later) is None else later.deleted()

    def rows_read(self, *, inserted: bool) -> Rows:
        """The inserted or deleted rows, but for pairs of a virtual relation that no rule reads."""
        if self.virtual is not None:
            return self.virtual.read_by_rules(inserted=inserted)
        return self.inserted_rows() if inserted else self.deleted_rows()

    def settle(self) -> None:
        """Compute what a rollback would take with it: rows of tables; a virtual relation has its versions."""
        if self.replaced is not None:
            self.replaced.inserted(), self.replaced.deleted()


class Deltas:
    """The deltas of all relations that have changed."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.may_join_all = False
        """Whether instances of a rule that were there before may be found again, if that is cheaper."""
        self.of: dict[str, Delta] = {}
        self._tables: dict[tuple[str, bool], str | None] = {}
        """The tables `#plus` and `#minus` that have been filled so far; None for an empty one."""

    @classmethod
    def of_changed(cls, state: State, plus: Iterable[str], minus: Iterable[str]) -> Deltas:
        """Deltas without rows, of relations that may have gained or lost facts: for rules to be made from them."""
        deltas = cls(state)
        deltas.of = {name: Delta() for name in plus}
        deltas._tables.update({(name, True): f"#plus {name}" for name in plus})
        deltas._tables.update({(name, False): f"#minus {name}" for name in minus})
        return deltas

    def __contains__(self, name: str) -> bool:
        return name in self.of

    def differs(self, name: str) -> bool:
        """Whether a relation may have gained or lost anything, as far as one can tell without computing it."""
        delta = self.of.get(name)
        return delta is not None and (delta.has_gained or delta.has_lost)

    def grew(self, name: str, begin: int) -> None:
        """Record that rows were appended, and none deleted."""
        inserted = self.state.tables[name].appended_since(begin)
        if len(inserted):
            self.of[name] = Delta(inserted, inserted[:0], begin)

    def changed(self, name: str, inserted: Rows, deleted: Rows) -> None:
        """Record inserted and deleted rows."""
        if len(inserted) or len(deleted):
            self.of[name] = Delta(inserted=inserted, deleted=deleted)

    def made_anew(self, name: str, replacement: Replacement) -> None:
        """Record that a relation was rematerialised."""
        if replacement.gained or replacement.lost:
            self.of[name] = Delta(replaced=replacement)

    def end(self) -> None:
        """The update is over: deltas that are computed on demand keep what they need for that."""
        for delta in self.of.values():
            if delta.replaced is not None:
                delta.replaced.end()

    def replace(self, name: str, delta: Delta) -> None:
        """Replace the delta of a relation."""
        self.of[name] = delta
        for inserted in (True, False):
            self._tables.pop((name, inserted), None)

    # --- as relations ----------------------------------------------------------------------------------------------------

    def plus(self, name: str) -> str | None:
        """The name of a table with the inserted facts; None if there are none."""
        return self._as_table(name, inserted=True)

    def minus(self, name: str) -> str | None:
        """The name of a table with the deleted facts; None if there are none."""
        return self._as_table(name, inserted=False)

    def _as_table(self, name: str, *, inserted: bool) -> str | None:
        key = name, inserted
        if key in self._tables:
            return self._tables[key]
        delta = self.of.get(name)
        if delta is None:
            return None
        rows, helper = delta.rows_read(inserted=inserted), None
        if len(rows):
            helper = f"#plus {name}" if inserted else f"#minus {name}"
            self.state.helper(helper, rows.shape[1], rows)
            self.state.filled.add(key)
        self._tables[key] = helper
        return helper

    def ranges(self, names: Iterable[str], others: Container[str] = ()) -> dict[str, int]:
        """For changed relations to which rows were only appended, where those begin; without some others."""
        return {name: begin for name in names if (begin := self.of[name].begin) is not None and name not in others}


@dataclass(slots=True)
class MarkedStep:
    """A step of an update that inserted marked facts and nothing else, so that it can be undone without applying any rule."""

    given: dict[str, Rows]
    """The marked facts, by the relation that stores them."""
    deltas: Mapping[str, Delta]
    reordered: frozenset[str] = frozenset()
    """The relations of units that have lost facts, so that another order of their facts may hold without the step."""

    @property
    def explicit(self) -> int:
        """How many facts are marked."""
        return sum(map(len, self.given.values()))

    @property
    def implicit(self) -> int:
        """How many facts were derived from them, as far as they are stored."""
        return sum(len(delta.inserted) for delta in self.deltas.values()) - self.explicit

    def undo(self, state: State) -> None:
        """Restore everything to what it was before the step."""
        for name, delta in self.deltas.items():
            if delta.virtual is not None:
                assert delta.virtual.before is not None
                state.set_virtual(name, delta.virtual.before)
                continue
            table = state.table(name)
            table.remove(delta.inserted)
            if len(delta.deleted):
                table.insert(delta.deleted)
            table.mark_delta()
        for name in self.reordered:
            state.table(name).forget_order()
        for name, rows in self.given.items():
            if name in state.explicit:
                state.explicit[name].remove(rows)


@dataclass(slots=True)
class ExplicitChanges:
    """What has been inserted into and deleted from the explicit facts since everything was last derived."""

    began: dict[str, int] = field(default_factory=dict)
    """Relations without rules to which rows were appended: where these begin."""
    deleted: dict[str, list[Rows]] = field(default_factory=dict)
    """Facts that are not explicit any more; of relations without rules, they have gone."""
    inserted: dict[str, list[Rows]] = field(default_factory=dict)
    """Facts of relations with rules that have become explicit; they are not in their tables yet."""
    lost: dict[str, Rows] = field(default_factory=dict)
    """Facts that only rules gave, of relations that have no rules any more; they have gone."""

    def __bool__(self) -> bool:
        return bool(self.began or self.deleted or self.inserted or self.lost)

    def copy(self) -> ExplicitChanges:
        """The same changes, which others do not add to."""
        deleted = {name: list(parts) for name, parts in self.deleted.items()}
        inserted = {name: list(parts) for name, parts in self.inserted.items()}
        return ExplicitChanges(dict(self.began), deleted, inserted, dict(self.lost))


def concatenated(parts: list[Rows]) -> Rows:
    """Rows that came in parts, which is rare."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
