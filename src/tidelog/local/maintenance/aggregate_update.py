"""Aggregates under change: only the groups of inserted and deleted bindings, and of these, if need be, all bindings.

A count follows from the one before and from the delta; so does a sum of integers, which is exact; and so does a least or
greatest value, as long as it was not deleted itself. Other groups are aggregated again from all of their bindings: averages,
medians and sums of floats, whose rounding depends on everything.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s, Rows
from tidelog.core.rules import Aggregation, CoreRule
from tidelog.local.evaluation.aggregation import fold
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.maintenance.delta.deltas import Deltas
from tidelog.local.maintenance.unit_runtime import UnitRuntime
from tidelog.local.storage.state import State
from tidelog.local.storage.tables import Table
from tidelog.syntax.tree import Atom, Variable
from tidelog.values import Kind

_SAFE = 2.0**62
"""Sums up to here are added up in 64 bits."""


def maintain_aggregate(
    name: str, special: Aggregation, runtime: UnitRuntime, deltas: Deltas, evaluation: Evaluation
) -> tuple[Rows, Rows]:
    """Bring a relation of results up to date; the inserted and the deleted rows."""
    state, helper = runtime.state, runtime.table
    delta, table, inner = deltas.of[special.inner], state.table(name), state.table(special.inner)
    inserted, deleted = delta.inserted_rows(), delta.deleted_rows()
    width = special.groups
    helper("groups", name, width, np.concatenate([inserted[:, :width], deleted[:, :width]]))
    table.mark_delta()
    inner.mark_delta()
    results = helper("results", name, table.arity)
    evaluation.apply_once([_selecting(runtime, name, width, Atom(name, _columns(table.arity)), "results")])
    before = results.rows.copy()
    new = helper("results", name, table.arity)
    left = _continue(_Touched.of(special, inserted, deleted, before), special, state, new)
    if len(left):
        helper("groups", name, width, left)
        bindings = helper("touched", name, inner.arity)
        evaluation.apply_once([_selecting(runtime, name, width, Atom(special.inner, _columns(inner.arity)), "touched")])
        fold(special, state, new, bindings=bindings.rows)
    appeared, vanished = new.rows[~table.contains(new.rows)].copy(), before[~new.contains(before)]
    table.remove(vanished)
    table.insert(appeared)
    return appeared, vanished


def _selecting(runtime: UnitRuntime, name: str, width: int, source: Atom, role: str) -> CoreRule:
    """A rule for the rows of a relation that belong to the touched groups."""
    groups = Atom(runtime.table_name("groups", name), source.args[:width])
    head = Atom(runtime.table_name(role, name), source.args)
    return runtime.rule((role, name), lambda: CoreRule(head, (groups, source), 0, ""))


def _columns(arity: int) -> tuple[Variable, ...]:
    return tuple(Variable(f"c{at}") for at in range(arity))


@dataclass(slots=True)
class _Touched:
    """The groups that something came to or went from, with the targets that did, and the results before."""

    keys: Rows
    came_to: Int64s
    """For each target that came, the number of its group."""
    inserted: Int32s
    went_from: Int64s
    deleted: Int32s
    results: Int32s
    """For each group the id of its result, or -1."""

    @classmethod
    def of(cls, special: Aggregation, inserted: Rows, deleted: Rows, before: Rows) -> _Touched:
        width = special.groups
        rows = np.concatenate([inserted[:, :width], deleted[:, :width], before[:, :width]])
        if width:
            keys, group = np.unique(rows, axis=0, return_inverse=True)
        else:
            keys, group = np.empty((1, 0), np.int32), np.zeros(len(rows), np.int64)
        came_to, went_from, had = np.split(group.ravel(), [len(inserted), len(inserted) + len(deleted)])
        results = np.full(len(keys), -1, np.int32)
        results[had] = before[:, width]
        target = special.target
        targets = [
            np.empty(0, np.int32) if target is None else np.ascontiguousarray(rows[:, target]) for rows in (inserted, deleted)
        ]
        return cls(keys, came_to, targets[0], went_from, targets[1], results)


def _continue(touched: _Touched, special: Aggregation, state: State, new: Table) -> Rows:
    """Enter the results that follow from those before; the groups that are left are to be folded anew."""
    if special.function == "count" or special.target is None:
        return _count_on(touched, state, new)
    if special.function == "sum":
        return _add_on(touched, special, state, new)
    if special.function in ("min", "max"):
        return _compare_on(touched, special, state, new)
    return touched.keys


def _count_on(touched: _Touched, state: State, new: Table) -> Rows:
    counts = np.bincount(touched.came_to, minlength=len(touched.keys)) - np.bincount(
        touched.went_from, minlength=len(touched.keys)
    )
    had = touched.results >= 0  # without a result there was nothing to count
    counts[had] += state.terms.payloads_of(touched.results[had])
    left = counts > 0
    new.insert(np.column_stack([touched.keys[left], state.terms.encode_numbers(Kind.INT, counts[left])]))
    return touched.keys[:0]


def _add_on(touched: _Touched, special: Aggregation, state: State, new: Table) -> Rows:
    terms = state.terms
    continues = touched.results >= 0
    continues[continues] = terms.have_kind(Kind.INT, touched.results[continues])
    sums = np.zeros(len(touched.keys), np.int64)
    sums[continues] = terms.payloads_of(touched.results[continues])
    sizes = np.abs(sums.astype(np.float64))
    for targets, groups, sign in ((touched.inserted, touched.came_to, 1), (touched.deleted, touched.went_from, -1)):
        is_integer = terms.have_kind(Kind.INT, targets)
        continues[groups[~is_integer]] = False
        numbers = np.where(is_integer, terms.payloads_of(targets), 0)
        np.add.at(sums, groups, sign * numbers)
        np.add.at(sizes, groups, np.abs(numbers.astype(np.float64)))
    continues &= sizes < _SAFE
    is_there = _have_bindings(touched.keys, special, state)
    done = continues & is_there
    new.insert(np.column_stack([touched.keys[done], terms.encode_numbers(Kind.INT, sums[done])]))
    return touched.keys[~continues]


def _compare_on(touched: _Touched, special: Aggregation, state: State, new: Table) -> Rows:
    continues = touched.results >= 0
    continues[touched.went_from[touched.deleted == touched.results[touched.went_from]]] = False
    had, inserted = np.flatnonzero(continues), continues[touched.came_to]
    groups = np.concatenate([touched.keys[had], touched.keys[touched.came_to[inserted]]])
    targets = np.concatenate([touched.results[had], touched.inserted[inserted]])
    width = special.groups
    fold(Aggregation(special.function, "", width, width), state, new, bindings=np.column_stack([groups, targets]))
    return touched.keys[~continues]


def _have_bindings(keys: Rows, special: Aggregation, state: State) -> NDArray[np.bool_]:
    """For each group whether anything is left in it."""
    inner = state.table(special.inner)
    if not special.groups:
        return np.full(len(keys), len(inner) > 0)
    return inner.have_keys(tuple(range(special.groups)), keys)
