"""Solutions as columns of ids, and how those of two patterns fit together.

A solution that does not bind a variable has -1 there.  Ids of two columns are joined by sorting; where some are not bound, rows
are taken apart by which variables they bind, and each part is joined with each by what both bind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s, Rows
from tidelog.sparql.terms import UNBOUND

Places = NDArray[np.intp]
"""Numbers of rows."""
Ask = Callable[[int], None]
"""Is asked before so many bytes are needed; may raise."""


@dataclass(slots=True)
class Solutions:
    """Solutions of a pattern, some of which may be equal."""

    count: int
    columns: dict[str, Int32s]

    @classmethod
    def of_rows(cls, names: Iterable[str], rows: Rows) -> Solutions:
        """The rows of a relation; each name stands for a column."""
        return cls(len(rows), {name: rows[:, at] for at, name in enumerate(names)})

    def take(self, places: Places | NDArray[np.bool_]) -> Solutions:
        """Some rows, by their numbers or a mask."""
        columns = {name: column[places] for name, column in self.columns.items()}
        if places.dtype == np.bool_:
            return Solutions(int(np.count_nonzero(places)), columns)
        return Solutions(len(places), columns)

    def column(self, name: str) -> Int32s:
        """The ids of a variable, which need not be bound anywhere."""
        found = self.columns.get(name)
        return np.full(self.count, UNBOUND, np.int32) if found is None else found

    def with_column(self, name: str, ids: Int32s) -> Solutions:
        """The same with one more variable."""
        return Solutions(self.count, {**self.columns, name: ids})

    def only(self, names: Iterable[str]) -> Solutions:
        """Some of the variables."""
        return Solutions(self.count, {name: self.columns[name] for name in names if name in self.columns})

    def matrix(self, names: Sequence[str]) -> Rows:
        """Some variables as a matrix of ids."""
        if not names:
            return np.empty((self.count, 0), np.int32)
        return np.column_stack([self.column(name) for name in names])


UNIT = Solutions(1, {})
"""One solution, which binds nothing."""


def keys_of(columns: Sequence[Int32s], count: int) -> Int64s:
    """A number for each row that is equal where the rows are."""
    if not columns:
        return np.zeros(count, np.int64)
    keys = columns[0].astype(np.int64)
    for column in columns[1:]:
        if keys is not None and len(keys) and (int(keys.max()) >= 1 << 31 or int(keys.min()) < UNBOUND):
            keys = np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64)
        keys = ((keys + 1) << 32) | (column.astype(np.int64) + 1)
    return keys


def firsts(columns: Sequence[Int32s], count: int) -> Places:
    """The number of the first of each group of equal rows, in order."""
    if count == 0:
        return np.empty(0, np.intp)
    if not columns:
        return np.zeros(1, np.intp)
    return np.sort(np.unique(keys_of(columns, count), return_index=True)[1])


def groups_of(columns: Sequence[Int32s], count: int) -> tuple[Places, Int64s]:
    """The first row of each group of equal rows, and for each row the number of its group."""
    if not columns:
        return np.zeros(min(count, 1), np.intp), np.zeros(count, np.int64)
    _, first, inverse = np.unique(keys_of(columns, count), return_index=True, return_inverse=True)
    return first, inverse.reshape(-1)


def distinct(solutions: Solutions) -> Solutions:
    """Each solution once, the first of equal ones."""
    places = firsts(list(solutions.columns.values()), solutions.count)
    return solutions if len(places) == solutions.count else solutions.take(places)


def distinct_rows(solutions: Solutions, names: Sequence[str]) -> Rows:
    """The different bindings of some variables, in which all of them are bound."""
    columns = [solutions.column(name) for name in names]
    is_bound = np.ones(solutions.count, np.bool_)
    for column in columns:
        is_bound &= column >= 0
    columns = [column[is_bound] for column in columns]
    places = firsts(columns, int(is_bound.sum()))
    return np.column_stack([column[places] for column in columns])


# --- two patterns ----------------------------------------------------------------------------------------------------------


def pairs(left: Solutions, right: Solutions, ask: Ask) -> tuple[Places, Places]:
    """The pairs of solutions that fit together, as numbers of rows; those of the left are in order."""
    shared = [name for name in left.columns if name in right.columns]
    found = list(_pairs_by_bound(left, right, shared, ask))
    if len(found) == 1:
        return found[0]
    if not found:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    lefts, rights = (np.concatenate(side) for side in zip(*found, strict=True))
    order = np.argsort(lefts, kind="stable")
    return lefts[order], rights[order]


def _pairs_by_bound(left: Solutions, right: Solutions, shared: list[str], ask: Ask) -> Iterator[tuple[Places, Places]]:
    for mine, my_names in _parts(left, shared):
        for theirs, their_names in _parts(right, shared):
            names = my_names & their_names
            columns = [
                [side.columns[name][places] for name in shared if name in names]
                for side, places in ((left, mine), (right, theirs))
            ]
            lefts, rights = _equal(columns[0], columns[1], (len(mine), len(theirs)), ask)
            yield mine[lefts], theirs[rights]


def _parts(solutions: Solutions, names: list[str]) -> Iterator[tuple[Places, frozenset[str]]]:
    """The rows by which of some variables they bind."""
    everywhere, sometimes = set(), []
    for name in names:
        if len(column := solutions.columns[name]) == 0 or column.min() >= 0:
            everywhere.add(name)
        else:
            sometimes.append(name)
    if not sometimes:
        yield np.arange(solutions.count), frozenset(everywhere)
        return
    masks = np.zeros(solutions.count, np.int64)
    for at, name in enumerate(sometimes):
        masks |= (solutions.columns[name] >= 0).astype(np.int64) << at
    for mask in np.unique(masks).tolist():
        bound = {name for at, name in enumerate(sometimes) if mask >> at & 1}
        yield np.flatnonzero(masks == mask), frozenset(everywhere | bound)


def _equal(lefts: Sequence[Int32s], rights: Sequence[Int32s], counts_of: tuple[int, int], ask: Ask) -> tuple[Places, Places]:
    """The pairs of rows that are equal."""
    left_count, right_count = counts_of
    if not lefts:
        ask(16 * left_count * right_count)
        return np.repeat(np.arange(left_count), right_count), np.tile(np.arange(right_count), left_count)
    if not left_count or not right_count:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    keys = keys_of([np.concatenate(both) for both in zip(lefts, rights, strict=True)], left_count + right_count)
    mine, theirs = keys[:left_count], keys[left_count:]
    order = np.argsort(theirs, kind="stable")
    ordered = theirs[order]
    begin, end = np.searchsorted(ordered, mine, "left"), np.searchsorted(ordered, mine, "right")
    counts = end - begin
    total = int(counts.sum())
    ask(16 * total)
    found = np.repeat(np.arange(left_count), counts)
    within = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    return found, order[np.repeat(begin, counts) + within]


def merged(left: Solutions, right: Solutions, lefts: Places, rights: Places) -> Solutions:
    """Pairs of solutions as one each."""
    columns = {name: column[lefts] for name, column in left.columns.items()}
    for name, column in right.columns.items():
        theirs = column[rights]
        if name in columns:
            mine = columns[name]
            columns[name] = np.where(mine >= 0, mine, theirs) if len(mine) and mine.min() < 0 else mine
        else:
            columns[name] = theirs
    return Solutions(len(lefts), columns)


def join(left: Solutions, right: Solutions, ask: Ask) -> Solutions:
    """All pairs that fit together."""
    if not left.columns and left.count == 1:
        return right
    if not right.columns and right.count == 1:
        return left
    return merged(left, right, *pairs(left, right, ask))


def union(parts: Sequence[Solutions]) -> Solutions:
    """The solutions of all parts."""
    names = dict.fromkeys(name for part in parts for name in part.columns)
    columns = {name: np.concatenate([part.column(name) for part in parts]) for name in names}
    return Solutions(sum(part.count for part in parts), columns)


def minus(left: Solutions, right: Solutions) -> Solutions:
    """The solutions of the left to which none of the right fits that binds one of its variables."""
    shared = [name for name in left.columns if name in right.columns]
    if not shared or not right.count:
        return left
    right = distinct(right.only(shared))
    stays = np.ones(left.count, np.bool_)
    for mine, my_names in _parts(left, shared):
        for theirs, their_names in _parts(right, shared):
            names = [name for name in shared if name in my_names & their_names]
            if names:
                stays[mine[is_among(left, right, names, mine, theirs)]] = False
    return left.take(stays)


def has_match(left: Solutions, right: Solutions) -> NDArray[np.bool_]:
    """For each solution of the left whether one of the right fits."""
    shared = [name for name in left.columns if name in right.columns]
    if not shared or not right.count:
        return np.full(left.count, right.count > 0)
    found = np.zeros(left.count, np.bool_)
    for mine, my_names in _parts(left, shared):
        for theirs, their_names in _parts(right, shared):
            names = [name for name in shared if name in my_names & their_names]
            found[mine] |= is_among(left, right, names, mine, theirs) if names else len(theirs) > 0
    return found


def is_among(left: Solutions, right: Solutions, names: Sequence[str], mine: Places, theirs: Places) -> NDArray[np.bool_]:
    """For some rows of the left whether some row of the right has the same values."""
    both = [np.concatenate([left.columns[name][mine], right.columns[name][theirs]]) for name in names]
    keys = keys_of(both, len(mine) + len(theirs))
    return np.isin(keys[: len(mine)], keys[len(mine) :])


def constants(columns: Mapping[str, int], count: int) -> dict[str, Int32s]:
    """Columns of one value each."""
    return {name: np.full(count, value, np.int32) for name, value in columns.items()}
