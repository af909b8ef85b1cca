"""Look-ahead in a stream: which facts of an update the next one deletes, and whether it pays to mark them.

With `marking=True` marks are used as the papers use them, always, so that their counters can be compared. With `"auto"` facts are
marked only where that should save time, and a whole step is undone (`marking`). The estimate uses: whether the next update has
arrived, how many of the facts that it deletes are new in this one, what a deleted fact took so far, and what another step takes.
Streams in which the next update never deletes what this one inserts are examined less and less often.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tidelog.core.arrays import Rows
from tidelog.local.encoded_facts import EncodedUpdate
from tidelog.local.lookahead.marking import EarlierMarks, Marks, propagate_marks
from tidelog.local.maintenance.delta.deltas import MarkedStep
from tidelog.local.maintenance.delta.differences import Difference
from tidelog.local.program_state import ProgramState
from tidelog.local.transaction import Transaction

if TYPE_CHECKING:
    from tidelog.streams.update import Update

NextUpdate = Callable[[], "Update | None"]
"""Gives the next update of a stream if it has arrived; never waits."""
_MOST_SKIPPED = 16
"""After look-aheads in vain, so many updates at most are applied without one."""
_SHARE = 0.5
"""The share of what the next update deletes that must be marked, or the rest would cost as much as all of it."""
_FADING = 0.75
"""The weight of earlier measurements."""
_NO_SPREAD = 1e-3
"""Updates whose sizes differ less than that are all of one size."""
_MARGIN = 2.0
"""So many times what another step takes is to be saved by it, for both are estimates."""


@dataclass(slots=True)
class _Deletions:
    """What deletions took: a fixed cost for each update, and a cost for each fact; recent ones count more."""

    updates: float = 0.0
    facts: float = 0.0
    seconds: float = 0.0
    squares: float = 0.0
    products: float = 0.0

    def __bool__(self) -> bool:
        return self.updates > 0

    def record(self, facts: int, seconds: float) -> None:
        """Record what an update took to delete some explicit facts."""
        self.updates, self.facts, self.seconds = (
            _FADING * self.updates + 1,
            _FADING * self.facts + facts,
            _FADING * self.seconds + seconds,
        )
        self.squares, self.products = _FADING * self.squares + facts * facts, _FADING * self.products + facts * seconds

    def saved(self, facts: int, others: int) -> float:
        """What it saves not to delete some facts; if no others are deleted with them, the fixed cost of a deletion, too."""
        spread = self.squares - self.facts * self.facts / self.updates
        if spread <= _NO_SPREAD * self.squares:  # there is no telling one from the other
            return self.seconds / self.facts * facts
        each = max(0.0, (self.products - self.facts * self.seconds / self.updates) / spread)
        return each * facts + (0.0 if others else max(0.0, (self.seconds - each * self.facts) / self.updates))


@dataclass(slots=True)
class _Kept:
    """A marked step, for the update that deletes its facts."""

    update: Update
    step: MarkedStep
    difference: Difference | None
    version: int
    earlier: EarlierMarks = field(default_factory=EarlierMarks)


class LookAhead:
    """What is known of the next update of a stream while one is applied."""

    def __init__(self, engine: ProgramState, read: Callable[[Update], EncodedUpdate | None], *, always: bool) -> None:
        """`read` checks and encodes an update, or gives None if something is wrong with it, which is reported in its turn."""
        self._engine, self._read, self._is_always = engine, read, always
        self._ahead: tuple[Update, EncodedUpdate] | None = None
        self._kept: _Kept | None = None
        self._deletions = _Deletions()
        self._least = math.inf
        """The shortest time that a step took: another one takes that at least."""
        self._in_vain = self._skip = 0
        self._has_paid = False
        """Whether the last step that was kept was used."""

    # --- before an update ------------------------------------------------------------------------------------------------

    def given(self, update: Update) -> EncodedUpdate | None:
        """An update as rows, if it has been read while the one before was applied."""
        known, self._ahead = self._ahead, None
        return known[1] if known is not None and known[0] is update else None

    def _take(self, update: Update) -> _Kept | None:
        """The marked step that an update deletes, if nothing has happened since."""
        kept, self._kept = self._kept, None
        self._has_paid = kept is not None and kept.update is update and kept.version == self._engine.version
        return kept if self._has_paid else None

    def forget(self) -> None:
        """Drop what is known: something else has happened."""
        self._ahead = self._kept = None

    # --- while an update is applied --------------------------------------------------------------------------------------

    def run(self, transaction: Transaction, given: EncodedUpdate, update: Update, next_update: NextUpdate) -> None:
        """Apply an update, with marks from the one before, and marks for the next one."""
        kept, marks = self._take(update), None
        if kept is not None and self._is_always:
            marks = Marks(kept.step, kept.earlier)
        elif kept is not None and kept.difference is not None:
            transaction.undo_step(kept.step, kept.difference)
        transaction.delete(given)
        later = self._later(given, next_update, is_deleting=bool(self._engine.changes))
        is_sure = self._ahead is not None
        transaction.insert(given.added() if later is None else self._others(given, later))
        if later is None:
            transaction.maintain(marks)
        else:
            step, difference = transaction.maintain_apart(later, marks)
            if is_sure or self._deletes_all_of(step, next_update):
                self._keep(transaction, step, difference)
        if self._is_always and self._read_next(next_update) is not None:
            self._mark_earlier(transaction)
        self._record(transaction, is_usual=kept is None)

    def _later(self, given: EncodedUpdate, next_update: NextUpdate, *, is_deleting: bool) -> dict[str, Rows] | None:
        """The facts to insert apart from the others and after them; None if that should not pay.

        `is_deleting` says whether the update itself deletes anything.  If the next update has not arrived, it may still do so.
        """
        if not given.inserted and not given.upserted:
            return None
        following = self._read_next(next_update)
        if following is None:
            return given.all_added() if self._is_always or (self._has_paid and not is_deleting) else None
        marked = {name: rows for name, rows in self._marked(given, following).items() if len(rows)}
        pays = bool(marked) and (self._is_always or self._pays(given, marked, following, is_deleting=is_deleting))
        self._in_vain = 0 if pays else self._in_vain + 1
        self._skip = min(self._in_vain // 2, _MOST_SKIPPED)
        return marked if pays else None

    def _deletes_all_of(self, step: MarkedStep, next_update: NextUpdate) -> bool:
        """Whether the next update has arrived meanwhile and deletes all facts of a step."""
        following = self._read_next(next_update)
        relations = {stored: relation for relation, stored in self._engine.core.given.items()}
        return following is not None and all(
            self._are_deleted(relations.get(name, name), rows, following).all() for name, rows in step.given.items()
        )

    def _keep(self, transaction: Transaction, step: MarkedStep, difference: Difference) -> None:
        """Keep a step for the next update, which deletes its facts, if the step can be undone."""
        assert self._ahead is not None
        if self._is_always or self._engine.can_undo_steps_on(step.deltas):
            self._kept = _Kept(self._ahead[0], step, difference, self._engine.version)
        else:
            transaction.counted.counters.dropped_marks += step.explicit

    def _mark_earlier(self, transaction: Transaction) -> None:
        """Mark facts that were there before, too."""
        assert self._ahead is not None
        update, following = self._ahead
        kept = self._kept or _Kept(update, MarkedStep({}, {}), None, self._engine.version)
        found = self._engine.explicit_among(following)
        for name, rows in kept.step.given.items():
            if name in found:
                found[name] = found[name][~self._engine.state.isin_rows(found[name], rows)]
        kept.earlier = propagate_marks(
            self._engine, {name: rows for name, rows in found.items() if len(rows)}, transaction.step_deltas, transaction.watch
        )
        self._kept = kept

    # --- estimates -------------------------------------------------------------------------------------------------------

    def _record(self, transaction: Transaction, *, is_usual: bool) -> None:
        """Record what an update took; if it used no marks, what its deletions took."""
        self._least = min(self._least, transaction.shortest_step)
        if is_usual and transaction.removed:
            seconds = transaction.counted.seconds
            self._deletions.record(transaction.removed, sum(seconds.values()) - seconds.get("insertion", 0.0))

    def _pays(self, given: EncodedUpdate, marked: Mapping[str, Rows], following: EncodedUpdate, *, is_deleting: bool) -> bool:
        """Whether to delete the marked facts one by one should take longer than a step of their own."""
        count = sum(map(len, marked.values()))
        deleted = sum(map(len, (*following.deleted.values(), *following.upserted.values())))
        if count < _SHARE * deleted:
            return False
        if not is_deleting and count == sum(len(rows) for _, rows in given.added()):
            return True  # there is nothing else to do, and so no other step
        return not self._deletions or self._deletions.saved(count, deleted - count) > _MARGIN * self._least

    def _read_next(self, next_update: NextUpdate) -> EncodedUpdate | None:
        """The next update as rows, if it has arrived."""
        if self._ahead is not None:
            return self._ahead[1]
        if self._skip and not self._is_always:
            self._skip -= 1
            return None
        update = next_update()
        if update is None or update.add_rules or update.remove_rules or not (update.delete or update.upsert):
            return None
        given = self._read(update)
        self._ahead = None if given is None else (update, given)
        return given

    def _others(self, given: EncodedUpdate, later: Mapping[str, Rows]) -> Iterable[tuple[str, Rows]]:
        """The facts that are not to be inserted later."""
        for name, rows in given.added():
            if name not in later:
                yield name, rows
            elif len(rows) > len(later[name]) or len(later[name]) < len(given.all_added()[name]):
                yield name, rows[~self._engine.state.isin_rows(rows, later[name])]

    # --- which facts -----------------------------------------------------------------------------------------------------

    def _marked(self, given: EncodedUpdate, following: EncodedUpdate) -> dict[str, Rows]:
        """Of the facts that an update adds, those that the next one deletes."""
        found: dict[str, Rows] = {}
        for name, rows in given.added():
            marked = rows[self._are_deleted(name, rows, following)]
            found[name] = np.concatenate([found[name], marked]) if name in found else marked
        return found

    def _are_deleted(self, name: str, rows: Rows, following: EncodedUpdate) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """For each fact whether the next update deletes or replaces it, and does not insert it again."""
        result = np.zeros(len(rows), np.bool_)
        deleted, upserted = following.deleted.get(name), following.upserted.get(name)
        if deleted is not None:
            result |= self._engine.state.isin_rows(rows, deleted)
        if upserted is not None:
            key = list(following.keys[name])
            result |= self._engine.state.isin_rows(rows[:, key], upserted[:, key])
        if result.any():
            for others in (following.inserted.get(name), upserted):
                if others is not None:
                    result &= ~self._engine.state.isin_rows(rows, others)
        return result
