"""Aggregation: folds the bindings of an aggregate's body into a relation of groups and results."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s
from tidelog.core.rules import Aggregation
from tidelog.functions.aggregates import aggregate
from tidelog.local.evaluation.grouping import RowGroups
from tidelog.local.kernel.aggregates import group_folding as kernel
from tidelog.local.kernel.aggregates import row_groups
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
    inner, is_counted = state.table(folding.inner), is_count(folding)
    if inner.end == begin:
        return
    function = row_groups.COUNT_ROWS if is_counted else FUNCTIONS[folding.function]
    groups = RowGroups(state, inner, folding, function, begin)
    if is_counted:
        results = state.terms.encode_numbers(Kind.INT, groups.sizes)
    else:
        results, are_known = _results(groups, function)
        if not are_known.all():
            results[~are_known] = results_of(folding.function, state, *groups.members(~are_known))
    has_result = results >= 0
    table.insert(np.column_stack([groups.keys[has_result], results[has_result]]))


def _results(groups: RowGroups, function: int) -> tuple[Int32s, NDArray[np.bool_]]:
    """The results of groups as far as one pass gives them."""
    if function in (kernel.MIN, kernel.MAX):
        return groups.extremes()
    if function == kernel.SUM:
        return groups.sums()
    if function == kernel.AVG:
        return groups.averages()
    return np.full(len(groups.sizes), -1, np.int32), np.zeros(len(groups.sizes), np.bool_)


def is_count(folding: Aggregation) -> bool:
    """Whether it counts rows, whatever they are."""
    return folding.function == "count" or folding.target is None


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
