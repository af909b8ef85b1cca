"""Diff for rules that read a closed relation with constants: only the pairs of these ends are looked for.

`far(X) :- path(0, X)` reads no pair that begins elsewhere. One edge may take a million pairs away and none of those, so that the
cost must not be that of all pairs that have changed. A constant that no changed edge is reached from, or leads to, or that leads
to the end of each by another way, costs some searches for each edge; what others lead to is listed in both versions, unless few
pairs can have changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s
from tidelog.local.closure.adjacency import Pairs
from tidelog.local.closure.new_pairs import ends_of, list_new
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.kernel.closures import pairs
from tidelog.local.kernel.closures import virtual_access as words

_TESTS = 1 << 10
"""So many pairs of a constant and an edge are tested at most; beyond that all constants are looked at."""
_FEW_EDGES, _FEW_ENDS = 4, 256
"""Of so many edges what they lead to, or what leads to them, is listed, and so many of these are tested one by one."""


@dataclass(frozen=True, slots=True)
class BoundEnds:
    """The ids of the constants that stand at the left of a relation in rules, and at the right; each atom has one of them."""

    lefts: Int32s
    rights: Int32s


def only_in_with(one: VirtualRelation, other: VirtualRelation, edges: list[Pairs] | None, bound: BoundEnds) -> Pairs:
    """The pairs of one version that another lacks and that have one of some ends.

    `edges` are those of S, and of E, that the other lacks, if known.
    """
    is_turned = bool(one.words[words.IS_TURNED])
    lefts, rights = (bound.rights, bound.lefts) if is_turned else (bound.lefts, bound.rights)
    one, other = one.for_reader(), other.for_reader()
    if edges is not None:
        edges = [rows[:, ::-1] if is_turned else rows for rows in edges]
        lefts, rights = _touched(one, other, edges, lefts, rights)
    if not len(lefts) and not len(rights):
        return np.empty((0, 2), np.int32)
    found = _new_of(one, other, lefts, edges, is_back=False) if len(lefts) else _new_of(one, other, rights, edges, is_back=True)
    if len(lefts) and len(rights):
        of_rights = _new_of(one, other, rights, edges, is_back=True)
        found = np.concatenate([found, of_rights[~np.isin(of_rights[:, 0], lefts)]])
    return np.ascontiguousarray(found[:, ::-1]) if is_turned else found


def _touched(
    one: VirtualRelation, other: VirtualRelation, edges: list[Pairs], lefts: Int32s, rights: Int32s
) -> tuple[Int32s, Int32s]:
    """The ends that may have new pairs: one that did not lead to where an edge ends, or was not led to from where one begins."""
    steps, has_starts = edges[-1], len(edges) > 1
    if (len(lefts) + len(rights)) * sum(map(len, edges)) > _TESTS:
        return lefts, rights
    has, has_steps = pairs.test_pairs, pairs.test_steps
    source, target = np.ascontiguousarray(steps[:, 0]), np.ascontiguousarray(steps[:, 1])
    begins, ends = np.zeros((len(lefts), len(steps)), np.bool_), np.zeros((len(steps), len(rights)), np.bool_)
    if len(lefts):
        begins = _each(has if has_starts else has_steps, one, lefts, source) | (lefts[:, np.newaxis] == source)
        begins &= ~_each(has, other, lefts, target)
    if len(rights):
        ends = _each(has_steps, one, target, rights)
        ends &= ~_each(has_steps if has_starts else has, other, source, rights)
    is_left, is_right = begins.any(axis=1), ends.any(axis=0)
    if has_starts:
        is_left |= np.isin(lefts, edges[0][:, 0])
        is_right |= _each(has_steps, one, edges[0][:, 1], rights).any(axis=0)
    return lefts[is_left], rights[is_right]


def _each(test: Callable[..., None], relation: VirtualRelation, lefts: Int32s, rights: Int32s) -> NDArray[np.bool_]:
    """For each left and each right id what a test says of the pair."""
    rows, found = _product(lefts, rights), np.zeros(len(lefts) * len(rights), np.int32)
    if len(rows):
        test(relation.words, rows, found)
    has: NDArray[np.bool_] = found.reshape(len(lefts), len(rights)) != 0
    return has


def _new_of(one: VirtualRelation, other: VirtualRelation, ids: Int32s, edges: list[Pairs] | None, *, is_back: bool) -> Pairs:
    """The new pairs of some ends: those with what the edges lead to, or what leads to them, are tested if they are few."""
    partners = _partners(one, edges, is_back=is_back) if edges is not None and one.is_searched else None
    if partners is None:
        found = list_new(one, other, ids, is_back=is_back)
        assert found is not None
        return found
    rows = _product(partners, ids) if is_back else _product(ids, partners)
    rows = rows[_has(one, rows)]
    return rows[~_has(other, rows)]


def _partners(one: VirtualRelation, edges: list[Pairs], *, is_back: bool) -> Int32s | None:
    """The ids that some edges lead to, or that lead to them, which are no more than those of any end; None if they are many."""
    if sum(map(len, edges)) > _FEW_EDGES:
        return None
    found, count = list[Int32s](), 0
    for at, rows in enumerate(edges):
        if is_back and at < len(edges) - 1:
            found.append(np.ascontiguousarray(rows[:, 0]))  # nothing leads to an edge of S
            continue
        for end in rows[:, 0 if is_back else 1].tolist():
            found.append(ends_of(one, end, is_back=is_back))
            count += len(found[-1])
            if count > _FEW_ENDS:
                return None
    return np.unique(np.concatenate(found))  # the end of an edge is on the list of what it leads to if that is a cycle


def _product(lefts: Int32s, rights: Int32s) -> Pairs:
    rows = np.empty((len(lefts), len(rights), 2), np.int32)
    rows[..., 0], rows[..., 1] = lefts[:, np.newaxis], rights
    return rows.reshape(-1, 2)


def _has(relation: VirtualRelation, rows: Pairs) -> NDArray[np.bool_]:
    found = np.empty(len(rows), np.int32)
    pairs.test_pairs(relation.words, rows, found)
    has: NDArray[np.bool_] = found != 0
    return has
