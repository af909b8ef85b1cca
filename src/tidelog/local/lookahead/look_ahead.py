"""Looking ahead in a stream: which facts of an update the next one takes back, and whether it pays to tell them from the others.

With `marking=True` marks are used as the papers use them, always, so that their counters can be compared. With `"auto"` facts are
marked only where that should save time, and a whole step is taken back (`marking`). What tells: whether the next update is
there, how many of the facts that it deletes are new in this one, what a deleted fact took so far, and what another step takes.
Streams in which nothing is ever taken back at once are looked at less and less often.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tidelog.core.arrays import Rows
from tidelog.local.engine import LocalEngine
from tidelog.local.lookahead.marking import EarlierMarks, Marks, Step
from tidelog.local.maintenance.differences import Difference
from tidelog.local.transaction import EncodedUpdate, Transaction

if TYPE_CHECKING:
    from tidelog.streams.update import Update

_MOST_SKIPPED = 16
"""So many updates at most are not looked ahead from after looks in vain."""
_SHARE = 0.5
"""The part of what the next update deletes that must be marked, or the rest of it would cost as much as all."""
_FADING = 0.75
"""What was noted before counts that much."""
_NO_SPREAD = 1e-3
"""Updates whose sizes differ less than that are all of one size."""
_MARGIN = 2.0
"""So many times what another step takes is to be saved by it, for both are estimates."""


@dataclass(slots=True)
class _Deletions:
    """What deletions took, as a line: something for each update, and something for each fact; recent ones count more."""

    updates: float = 0.0
    facts: float = 0.0
    seconds: float = 0.0
    squares: float = 0.0
    products: float = 0.0

    def __bool__(self) -> bool:
        return self.updates > 0

    def note(self, facts: int, seconds: float) -> None:
        """Note what an update took to delete some explicit facts."""
        self.updates, self.facts, self.seconds = (
            _FADING * self.updates + 1,
            _FADING * self.facts + facts,
            _FADING * self.seconds + seconds,
        )
        self.squares, self.products = _FADING * self.squares + facts * facts, _FADING * self.products + facts * seconds

    def saved(self, facts: int, others: int) -> float:
        """What it saves not to delete some facts; if there are no others to be deleted with them, what each update takes, too."""
        spread = self.squares - self.facts * self.facts / self.updates
        if spread <= _NO_SPREAD * self.squares:  # there is no telling one from the other
            return self.seconds / self.facts * facts
        each = max(0.0, (self.products - self.facts * self.seconds / self.updates) / spread)
        return each * facts + (0.0 if others else max(0.0, (self.seconds - each * self.facts) / self.updates))


@dataclass(slots=True)
class _Kept:
    """A marked step, for the update that takes it back."""

    update: Update
    step: Step
    difference: Difference | None
    maintenance_count: int
    earlier: EarlierMarks = field(default_factory=EarlierMarks)


class LookAhead:
    """What is known of the updates of a stream before their turn comes."""

    def __init__(self, engine: LocalEngine, read: Callable[[Update], EncodedUpdate | None], *, always: bool) -> None:
        """`read` gives what an update asks for, or None if something is wrong with it."""
        self._engine, self._read, self._is_always = engine, read, always
        self._ahead: tuple[Update, EncodedUpdate] | None = None
        self._kept: _Kept | None = None
        self._deletions = _Deletions()
        self._least = math.inf
        """The shortest time that a step took: another one takes that at least."""
        self._in_vain = self._skip = 0
        self._has_paid = False
        """Whether the last step that was kept was taken back."""

    # --- before an update ------------------------------------------------------------------------------------------------

    def given(self, update: Update) -> EncodedUpdate | None:
        """What an update asks for, if it has been read ahead of its turn."""
        known, self._ahead = self._ahead, None
        return known[1] if known is not None and known[0] is update else None

    def _take(self, update: Update) -> _Kept | None:
        """The step that an update takes back, if that was the last thing that happened."""
        kept, self._kept = self._kept, None
        self._has_paid = kept is not None and kept.update is update and kept.maintenance_count == self._engine.maintenance_count
        return kept if self._has_paid else None

    def forget(self) -> None:
        """Something else has happened."""
        self._ahead = self._kept = None

    # --- while an update is worked off -----------------------------------------------------------------------------------

    def work_off(self, work: Transaction, given: EncodedUpdate, update: Update, waiting: Callable[[], Update | None]) -> None:
        """Work off an update, with marks from the one before, and marks for the next one."""
        kept, marks = self._take(update), None
        if kept is not None and self._is_always:
            marks = Marks(kept.step, kept.earlier)
        elif kept is not None and kept.difference is not None:
            work.take_back(kept.step, kept.difference)
        work.remove_all(given)
        later = self._later(given, waiting, is_deleting=self._engine.has_changes)
        is_sure = self._ahead is not None
        work.add_all(given.added() if later is None else self._others(given, later))
        if later is None:
            work.derive(marks)
        else:
            step, difference = work.derive_apart(later, marks)
            if is_sure or self._takes_back(step, waiting):
                self._keep(work, step, difference)
        if self._is_always and self._poll(waiting) is not None:
            self._mark_earlier(work)
        self._note(work, is_usual=kept is None)

    def _later(self, given: EncodedUpdate, waiting: Callable[[], Update | None], *, is_deleting: bool) -> dict[str, Rows] | None:
        """The facts to insert apart from the others and after them; None if that should not pay.

        `is_deleting` says whether the update itself deletes anything.  If the next update is not there yet, it may still come.
        """
        if not given.inserted and not given.upserted:
            return None
        following = self._poll(waiting)
        if following is None:
            return given.all_added() if self._is_always or (self._has_paid and not is_deleting) else None
        marked = {name: rows for name, rows in self._marked(given, following).items() if len(rows)}
        pays = bool(marked) and (self._is_always or self._pays(given, marked, following, is_deleting=is_deleting))
        self._in_vain = 0 if pays else self._in_vain + 1
        self._skip = min(self._in_vain // 2, _MOST_SKIPPED)
        return marked if pays else None

    def _takes_back(self, step: Step, waiting: Callable[[], Update | None]) -> bool:
        """Whether the next update has come meanwhile and takes all of a step back."""
        following = self._poll(waiting)
        relations = {stored: relation for relation, stored in self._engine.core.given.items()}
        return following is not None and all(
            self._are_deleted(relations.get(name, name), rows, following).all() for name, rows in step.given.items()
        )

    def _keep(self, work: Transaction, step: Step, difference: Difference) -> None:
        """Keep a step for the next update, which takes it back, if it can be."""
        assert self._ahead is not None
        if self._is_always or self._engine.can_be_taken_back(step.deltas):
            self._kept = _Kept(self._ahead[0], step, difference, self._engine.maintenance_count)
        else:
            work.counters.dropped_marks += step.explicit

    def _mark_earlier(self, work: Transaction) -> None:
        """Mark what was there before, too."""
        assert self._ahead is not None
        update, following = self._ahead
        kept = self._kept or _Kept(update, Step({}, {}), None, self._engine.maintenance_count)
        found = work.explicit_among(following)
        for name, rows in kept.step.given.items():
            if name in found:
                found[name] = found[name][~self._among(found[name], rows)]
        kept.earlier = work.pass_marks_on({name: rows for name, rows in found.items() if len(rows)})
        self._kept = kept

    # --- estimates -------------------------------------------------------------------------------------------------------

    def _note(self, work: Transaction, *, is_usual: bool) -> None:
        """Note what an update took; if it was a usual one, what its deletions took."""
        self._least = min(self._least, work.shortest_step)
        if is_usual and work.removed:
            self._deletions.note(work.removed, sum(work.seconds.values()) - work.seconds.get("insertion", 0.0))

    def _pays(self, given: EncodedUpdate, marked: Mapping[str, Rows], following: EncodedUpdate, *, is_deleting: bool) -> bool:
        """Whether to delete the marked facts one by one should take longer than a step of their own."""
        count = sum(map(len, marked.values()))
        deleted = sum(map(len, (*following.deleted.values(), *following.upserted.values())))
        if count < _SHARE * deleted:
            return False
        if not is_deleting and count == sum(len(rows) for _, rows in given.added()):
            return True  # there is nothing else to do, and so no other step
        return not self._deletions or self._deletions.saved(count, deleted - count) > _MARGIN * self._least

    def _poll(self, waiting: Callable[[], Update | None]) -> EncodedUpdate | None:
        """What the next update asks for, if it is there already."""
        if self._ahead is not None:
            return self._ahead[1]
        if self._skip and not self._is_always:
            self._skip -= 1
            return None
        update = waiting()
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
                yield name, rows[~self._among(rows, later[name])]

    # --- which facts -----------------------------------------------------------------------------------------------------

    def _marked(self, given: EncodedUpdate, following: EncodedUpdate) -> dict[str, Rows]:
        """Of the facts that an update adds, those that the next one takes back."""
        found: dict[str, Rows] = {}
        for name, rows in given.added():
            marked = rows[self._are_deleted(name, rows, following)]
            found[name] = np.concatenate([found[name], marked]) if name in found else marked
        return found

    def _are_deleted(self, name: str, rows: Rows, following: EncodedUpdate) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """For each fact whether the next update deletes or replaces it, and does not bring it back."""
        result = np.zeros(len(rows), np.bool_)
        deleted, upserted = following.deleted.get(name), following.upserted.get(name)
        if deleted is not None:
            result |= self._among(rows, deleted)
        if upserted is not None:
            key = list(following.keys[name])
            result |= self._among(rows[:, key], upserted[:, key])
        if result.any():
            for others in (following.inserted.get(name), upserted):
                if others is not None:
                    result &= ~self._among(rows, others)
        return result

    def _among(self, rows: Rows, others: Rows) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        width = rows.shape[1]
        if others.shape[1] != width:  # of a relation that nobody knew so far; an error when its turn comes
            return np.zeros(len(rows), np.bool_)
        known = self._engine.state.helper(f"#known {width}", width, np.ascontiguousarray(others))
        return known.contains(np.ascontiguousarray(rows))
