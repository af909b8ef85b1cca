"""New results of groups, computed from the old results and from the members that were inserted and deleted.

A count does, and so does a sum of integers, which is exact, and a least or greatest value, as long as it did not go itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s, Rows
from tidelog.core.rules import Aggregation
from tidelog.local.evaluation.aggregation import is_count, results_of
from tidelog.local.maintenance.aggregates.kept_groups import have_members
from tidelog.local.storage.state import State
from tidelog.local.storage.tables import Table
from tidelog.values import Kind

_SAFE = 2.0**62
"""Sums up to here are added up in 64 bits."""

Continued = tuple[Int32s, NDArray[np.bool_]]
"""For each group the id of its result, or -1, and whether that follows from what was known."""


@dataclass(slots=True)
class Touched:
    """The groups with inserted or deleted targets, these targets, and the results before."""

    keys: Rows
    groups_of_inserted: Int64s
    """For each inserted target, the number of its group."""
    inserted: Int32s
    groups_of_deleted: Int64s
    deleted: Int32s
    results: Int32s
    """For each group the id of its result before, or -1."""

    @classmethod
    def of(cls, special: Aggregation, inserted: Rows, deleted: Rows, table: Table) -> Touched:
        """The groups of inserted and deleted bindings; `table` has the results before."""
        width, target, columns = special.groups, special.target, list(special.columns)
        rows = np.concatenate([inserted[:, columns], deleted[:, columns]])
        if not width or len(rows) == 1:
            keys, group = rows[:1], np.zeros(len(rows), np.int64)
        else:
            keys, group = np.unique(rows, axis=0, return_inverse=True)
            group = group.ravel()
        none = np.empty(0, np.int32)
        targets = [none if target is None else np.ascontiguousarray(some[:, target]) for some in (inserted, deleted)]
        count = len(inserted)
        return cls(keys, group[:count], targets[0], group[count:], targets[1], _results_before(table, keys))

    @property
    def changes(self) -> Int64s:
        """How many targets were inserted into each group and deleted from it."""
        return np.bincount(np.concatenate([self.groups_of_inserted, self.groups_of_deleted]), minlength=len(self.keys))


def _results_before(table: Table, keys: Rows) -> Int32s:
    results, width = np.full(len(keys), -1, np.int32), keys.shape[1]
    if not width:
        if len(table):
            results[:] = table.rows[0]
        return results
    found = table.newest_with_keys(tuple(range(width)), keys)
    results[found >= 0] = table.all_rows[found[found >= 0], width]
    return results


def continued(touched: Touched, special: Aggregation, state: State) -> Continued:
    """The results of the groups as far as they follow from the ones before."""
    if is_count(special):
        return _counted(touched, state)
    if special.function == "sum":
        return _added(touched, special, state)
    if special.function in ("min", "max"):
        return _compared(touched, special, state)
    return np.full(len(touched.keys), -1, np.int32), np.zeros(len(touched.keys), np.bool_)


def _counted(touched: Touched, state: State) -> Continued:
    count = len(touched.keys)
    counts = np.bincount(touched.groups_of_inserted, minlength=count) - np.bincount(touched.groups_of_deleted, minlength=count)
    had = touched.results >= 0  # without a result there was nothing to count
    counts[had] += state.terms.payloads_of(touched.results[had])
    results, left = np.full(count, -1, np.int32), counts > 0
    results[left] = state.terms.encode_numbers(Kind.INT, counts[left])
    return results, np.ones(count, np.bool_)


def _added(touched: Touched, special: Aggregation, state: State) -> Continued:
    terms, results = state.terms, np.full(len(touched.keys), -1, np.int32)
    continues = touched.results >= 0
    continues[continues] = terms.have_kind(Kind.INT, touched.results[continues])
    sums = np.zeros(len(touched.keys), np.int64)
    sums[continues] = terms.payloads_of(touched.results[continues])
    sizes = np.abs(sums.astype(np.float64))
    for targets, groups, sign in (
        (touched.inserted, touched.groups_of_inserted, 1),
        (touched.deleted, touched.groups_of_deleted, -1),
    ):
        is_integer = terms.have_kind(Kind.INT, targets)
        continues[groups[~is_integer]] = False
        numbers = np.where(is_integer, terms.payloads_of(targets), 0)
        np.add.at(sums, groups, sign * numbers)
        np.add.at(sizes, groups, np.abs(numbers.astype(np.float64)))
    continues &= sizes < _SAFE
    done = continues.copy()
    done[continues] = have_members(state.table(special.inner), special.columns, touched.keys[continues])
    results[done] = terms.encode_numbers(Kind.INT, sums[done])
    return results, continues


def _compared(touched: Touched, special: Aggregation, state: State) -> Continued:
    results = np.full(len(touched.keys), -1, np.int32)
    continues = touched.results >= 0
    continues[touched.groups_of_deleted[touched.deleted == touched.results[touched.groups_of_deleted]]] = False
    had, inserted = np.flatnonzero(continues), continues[touched.groups_of_inserted]
    groups = np.concatenate([had, touched.groups_of_inserted[inserted]])
    if len(groups):
        order = np.argsort(groups, kind="stable")
        targets = np.concatenate([touched.results[had], touched.inserted[inserted]])[order]
        starts = np.concatenate([np.searchsorted(groups[order], had), [len(groups)]]).astype(np.int64)
        results[had] = results_of(special.function, state, np.ascontiguousarray(targets), starts)
    return results, continues
