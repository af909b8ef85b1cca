"""What an update has changed, for users: by relation, and explicit facts apart from derived ones.

All of it is worked out when somebody looks; what it is worked out from belongs to the update and does not change any more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from tidelog.changes import Part
from tidelog.local.core import Core
from tidelog.local.deltas import Delta, Rows
from tidelog.local.maintenance import ExplicitChanges


class Differences:
    """How the relations of a program differ from what they were."""

    def __init__(self, core: Core, derived: set[str], deltas: Mapping[str, Delta], changes: ExplicitChanges) -> None:
        """`derived` are the stored relations that have rules."""
        self._core, self._derived, self._deltas, self._changes = core, derived, deltas, changes

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._deltas if not name.startswith("#"))

    def rows(self, relation: str, part: Part, *, came: bool) -> Rows:
        """The rows of a relation that came, or went: all of them, or one part."""
        delta = self._deltas[relation]
        rows = delta.rows_that_came() if came else delta.rows_that_went()
        if part == "all":
            return rows
        is_given = self._is_given(relation, rows, came=came)
        return rows[is_given] if part == "explicit" else rows[~is_given]

    def _is_given(self, relation: str, rows: Rows, *, came: bool) -> NDArray[np.bool_]:
        """For each row that came whether the user gave it; for each that went, whether the user took it back.

        Whatever is new and explicit was given by this very update, and whatever has gone and was explicit, taken back by it.
        """
        stored = self._core.stored_name(relation)
        if stored in self._derived:
            given = (self._changes.came if came else self._changes.went).get(stored, [])
        elif stored == relation:  # without rules, all is explicit
            return np.ones(len(rows), np.bool_)
        else:
            delta = self._deltas.get(stored)
            given = [] if delta is None else [delta.came if came else delta.went]
        return _among(rows, np.concatenate(given)) if given else np.zeros(len(rows), np.bool_)


def _among(rows: Rows, others: Rows) -> NDArray[np.bool_]:
    """For each row whether it is among others."""
    if not rows.shape[1]:
        return np.full(len(rows), len(others) > 0)
    one, other = (np.ascontiguousarray(r).view([("", np.int32)] * rows.shape[1]).ravel() for r in (rows, others))
    return np.isin(one, other)
