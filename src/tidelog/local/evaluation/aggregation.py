"""Aggregation: folds the bindings of an aggregate's body into a relation of groups and results."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s
from tidelog.core.rules import Aggregation
from tidelog.functions.aggregates import aggregate
from tidelog.local.kernel.aggregates import group_folding as kernel
from tidelog.local.storage.state import State
from tidelog.local.storage.tables import Table
from tidelog.values import Kind

FUNCTIONS = {
    "sum": kernel.SUM,
    "min": kernel.MIN,
    "max": kernel.MAX,
    "avg": kernel.AVG,
    "median": kernel.MEDIAN,
}


def fold(folding: Aggregation, state: State, table: Table, begin: int = 0) -> None:
    """Insert the result of each group of the rows of `folding.inner` from `begin` on, where it has one.

    All bindings of these groups must be there.
    """
    rows = state.table(folding.inner).rows_from(begin)
    if not len(rows):
        return
    rows, starts = _grouped(rows, folding.groups)
    groups = rows[starts[:-1], : folding.groups]
    if is_count(folding):
        results = state.terms.encode_numbers(Kind.INT, np.diff(starts))
    else:
        results = results_of(folding.function, state, np.ascontiguousarray(rows[:, folding.target]), starts)
    has_result = results >= 0
    table.insert(np.column_stack([groups[has_result], results[has_result]]))


def is_count(folding: Aggregation) -> bool:
    """Whether it counts rows, whatever they are."""
    return folding.function == "count" or folding.target is None


def _grouped(rows: NDArray[np.int32], groups: int) -> tuple[NDArray[np.int32], Int64s]:
    """The rows sorted by group, and the bounds of the groups."""
    if groups:
        rows = rows[np.lexsort(rows[:, :groups].T[::-1])]
    differs = (rows[1:, :groups] != rows[:-1, :groups]).any(axis=1)
    return rows, np.concatenate([[0], np.flatnonzero(differs) + 1, [len(rows)]]).astype(np.int64)


def results_of(function: str, state: State, targets: Int32s, starts: Int64s) -> Int32s:
    """For each of some groups, whose targets stand one after the other from `starts` on, the id of its result, or -1."""
    terms = state.terms
    outcomes, payloads = np.empty(len(starts) - 1, np.uint8), np.empty(len(starts) - 1, np.int64)
    numbers = np.empty(int(np.diff(starts).max(initial=0)), np.float64)
    kernel.fold_groups(terms.header, FUNCTIONS[function], starts, targets, outcomes, payloads, numbers)
    results = np.full(len(outcomes), -1, np.int32)
    same = outcomes == kernel.SAME_ID
    results[same] = payloads[same]
    for kind, code in ((Kind.INT, kernel.INT), (Kind.FLOAT, kernel.FLOAT)):
        of_kind = outcomes == code
        if of_kind.any():
            results[of_kind] = terms.encode_numbers(kind, payloads[of_kind])
    for group in np.flatnonzero(outcomes == kernel.HARD):
        ids, counts = np.unique(targets[starts[group] : starts[group + 1]], return_counts=True)
        repeated = [value for value, count in zip(terms.values_of(ids), counts, strict=True) for _ in range(count)]
        result = aggregate(function, repeated)
        if result is not None:
            results[group] = terms.encode([result])[0]
    return results
