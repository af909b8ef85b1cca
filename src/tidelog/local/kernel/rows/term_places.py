"""The places of terms in matrices of bits: dense numbers of the few terms that are in them, so that other terms take no room.

A table whose matrix is addressed by the ids themselves has no places: then the place of a term is its id.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import layout
from tidelog.local.kernel.build import hot, kernel, part
from tidelog.local.kernel.memory import int32s, int64s

NO_PLACE = -1
# The words of a numbering, which tables share.
PLACE_OF, ID_ROOM, ID_AT, PLACE_ROOM, PLACE_COUNT = range(5)
PLACES_WIDTH = 5
# PLACE_OF    int32[ID_ROOM]: for each id its place + 1, or 0
# ID_AT       int32[PLACE_ROOM]: for each of the first PLACE_COUNT places its id


@hot
def places_of_table(M: Int64s, table: int) -> Int64s:
    """The words of the numbering of a table that has one."""
    return int64s(M[table, layout.PLACES], PLACES_WIDTH)


@hot
def ids_of_places(M: Int64s, table: int) -> Int32s:
    """The ids of the places of a table that has a numbering."""
    P = places_of_table(M, table)
    return int32s(P[ID_AT], P[PLACE_ROOM])


@hot
def place_in(P: Int64s, value: int) -> int:
    """The place of an id, or -1."""
    if value >= P[ID_ROOM]:
        return np.int64(NO_PLACE)
    return np.int64(int32s(P[PLACE_OF], P[ID_ROOM])[value]) - 1


@part
def new_place(P: Int64s, value: int) -> int:
    """Give an id the next place; -1 if there is no room."""
    place = P[PLACE_COUNT]
    if value >= P[ID_ROOM] or place >= P[PLACE_ROOM]:
        return np.int64(NO_PLACE)
    int32s(P[PLACE_OF], P[ID_ROOM])[value] = place + 1
    int32s(P[ID_AT], P[PLACE_ROOM])[place] = value
    P[PLACE_COUNT] = place + 1
    return place  # type: ignore[no-any-return]


@hot
def settle_in(P: Int64s, value: int) -> int:
    """The place of an id, which may be a new one; -1 if there is no room."""
    place = place_in(P, value)
    return place if place >= 0 else new_place(P, value)


@hot
def place_of(M: Int64s, table: int, value: int) -> int:
    """The place of an id in the matrix of a table, or -1; it may be outside the matrix."""
    return np.int64(value) if M[table, layout.PLACES] == 0 else place_in(places_of_table(M, table), value)


@hot
def settle(M: Int64s, table: int, value: int) -> int:
    """The place of an id, which may be a new one, or -1 without room for that; it may be outside the matrix."""
    if M[table, layout.PLACES] == 0:
        return np.int64(value)
    return settle_in(places_of_table(M, table), value)


@kernel
def place_terms(P: Int64s, rows: Int32s) -> bool:
    """Give places to all ids in a matrix of rows, also of those that have been removed; whether there was room."""
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            value = np.int64(rows[i, j])
            value = value if value >= 0 else -1 - value
            if settle_in(P, value) < 0:
                return False
    return True
