"""Collection of terms: values that no fact uses any more leave the dictionary, so that memory follows what is there.

A dictionary only grows, for a new value costs nothing but its place in it.  When it has grown much, all rows are read, and if
most terms are in no row, the state is built anew beside the old one: a dictionary of the terms in use, in the same order, and
tables and virtual relations with the ids that these have there.  The caller then replaces the old state by one assignment.
Nothing is changed in the old state, so results that were read from it stay what they are, with its dictionary.

Results of functions are kept as long as their arguments are requested: those of other arguments are left behind as well.
The new state has no indexes and no helper tables, since all plans hold ids and must be made again anyway.

The cost follows the rows.  So there is no look before as many terms have come as were kept the last time, and one for every few
rows: then each new term pays for a constant share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Rows
from tidelog.local.storage.state import State
from tidelog.local.storage.tables import Table
from tidelog.local.storage.term_buffers import MOST_TERMS

LEAST_GROWTH = 100_000
"""So many terms and results of functions must be new before a look for unused ones; fewer are not worth it."""
_ROWS_A_TERM = 4
"""For so many rows one term must be new ..."""
_GROWTH = 1.0
"""... and for each term that was kept, so many."""
_USED = 0.5
"""The largest share of the terms that may be in use; otherwise too little would be gained."""
_PIECE = 1 << 20
"""Rows between two polls."""

Poll = Callable[[], None]


def is_due(state: State) -> bool:
    """Whether so many terms are new that a look for unused ones may pay; every update asks."""
    count = len(state.terms) + state.calls
    return count >= LEAST_GROWTH and count >= state.next_look


def without_unused_terms(state: State, requests: Mapping[str, str], poll: Poll) -> State | None:
    """The state with a dictionary of the terms in use; None if most are in use, or it is too early to tell.

    `requests` has for each relation of a function's results the relation of requested arguments.  `poll` may raise; then
    nothing has happened, and the next look waits until as many terms more have come.
    """
    count, stored = len(state.terms), (*state.tables.values(), *state.explicit.values())
    least = max(LEAST_GROWTH, sum(map(len, stored)) // _ROWS_A_TERM)
    if count + state.calls - state.kept < least:
        state.next_look = state.kept + least
        return None
    total = count + sum(len(state.tables[name]) for name in requests)
    state.kept, state.calls, state.next_look = count, 0, _next_look(count, least)
    wanted = {name: _wanted(state.tables[name], state.tables[asked], poll) for name, asked in requests.items()}
    used = _used_ids(state, wanted, poll)
    if len(used) + sum(map(len, wanted.values())) > _USED * total:
        return None
    result, ids = State(state.terms.only(used)), np.full(count, -1, np.int32)
    ids[used] = np.arange(len(used), dtype=np.int32)
    result.kept, result.next_look = len(used), _next_look(len(used), least)
    result.explicit_version = state.explicit_version + 1
    for name, table in state.tables.items():
        result.tables[name] = _copied(table, wanted.get(name), ids, result, poll)
    for name, table in state.explicit.items():
        result.explicit[name] = _copied(table, None, ids, result, poll)
    result.store.clock[:] = state.store.clock
    for name, relation in state.virtual.items():
        result.set_virtual(name, relation.renumbered(ids, len(used)))
        poll()
    for name, answered in state.answered.items():  # row numbers, without tombstones
        result.answered[name] = result.tables[name].end if answered == state.tables[name].end else 0
    return result


def _next_look(kept: int, least: int) -> int:
    """When to look again; at the latest in the middle between now and a dictionary that is full."""
    return min(kept + max(int(_GROWTH * kept), least), (kept + MOST_TERMS) // 2)


def _pieces(rows: Rows) -> Iterator[Rows]:
    return (rows[begin : begin + _PIECE] for begin in range(0, len(rows), _PIECE))


def _wanted(results: Table, requested: Table, poll: Poll) -> Rows:
    """The results of a function for the arguments that are still requested."""
    if not requested.arity:
        return results.rows
    found: list[Rows] = [results.rows[:0]]
    for rows in _pieces(results.rows):
        found.append(rows[requested.contains(rows[:, : requested.arity])])
        poll()
    return np.concatenate(found)


def _used_ids(state: State, wanted: Mapping[str, Rows], poll: Poll) -> Int32s:
    """The ids in any row, in order."""
    is_used: NDArray[np.bool_] = np.zeros(len(state.terms), np.bool_)
    for name, table in (*state.tables.items(), *state.explicit.items()):
        for rows in _pieces(wanted.get(name, table.rows)):
            is_used[rows.ravel()] = True
            poll()
    for relation in state.virtual.values():
        is_used[relation.terms] = True
    return np.flatnonzero(is_used).astype(np.int32)


def _copied(table: Table, some: Rows | None, ids: Int32s, target: State, poll: Poll) -> Table:
    """A table, or some of its rows, in another state."""
    rows, copy = table.rows if some is None else some, target.store.new_table(table.arity, is_timed=table.is_timed)
    copy.uses_bits = table.uses_bits
    placed = ids[table.placed_ids]
    copy.reserve(len(rows), placed[placed >= 0].reshape(-1, 1))
    for piece in _pieces(rows):
        copy.insert(ids[piece])
        poll()
    copy.take_times(table, is_whole=some is None)
    copy.mark_delta()
    if table.counters is not None:
        copy.counters = table.counters[:, : table.end][:, table.are_rows()]
    return copy
