"""Aggregates under change: only groups with inserted or deleted bindings are computed anew, and not from all of their bindings.

The result of a group follows from the one before where it can (`continuation`).  Where it cannot, since an average, a median and
a sum of floats depend on everything, and so does the largest value once it goes, a small group is folded again, and of a large
one something is kept that has the next result at hand (`kept_groups`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Rows
from tidelog.core.rules import Aggregation
from tidelog.local.maintenance.aggregates.continuation import Touched, continued
from tidelog.local.maintenance.aggregates.kept_groups import KeptGroups
from tidelog.local.maintenance.delta.deltas import Deltas
from tidelog.local.maintenance.unit_runtime import UnitRuntime


def maintain_aggregate(name: str, special: Aggregation, runtime: UnitRuntime, deltas: Deltas) -> tuple[Rows, Rows]:
    """Bring a relation of results up to date; the inserted and the deleted rows."""
    state, delta = runtime.state, deltas.of[special.inner]
    table = state.table(name)
    touched = Touched.of(special, delta.inserted_rows(), delta.deleted_rows(), table)
    kept = runtime.kept(KeptGroups, name)
    if kept is not None:
        kept.catch_up()
    results, follows = continued(touched, special, state)
    if not follows.all():
        if kept is None:
            kept = runtime.keep(KeptGroups(name, special, runtime), name)
        results[~follows] = kept.results(touched.keys[~follows], touched.changes[~follows])
    differs = results != touched.results
    vanished = _rows(touched.keys, touched.results, differs)
    appeared = _rows(touched.keys, results, differs)
    table.remove(vanished)
    table.insert(appeared)
    return appeared, vanished


def _rows(keys: Rows, results: Int32s, differs: NDArray[np.bool_]) -> Rows:
    """The rows of some groups that have a result."""
    chosen = differs & (results >= 0)
    return np.column_stack([keys[chosen], results[chosen]]).astype(np.int32, copy=False)
