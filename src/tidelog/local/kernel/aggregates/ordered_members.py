"""The members of a group in order, in blocks: one joins or leaves, and one of any rank is found, in microseconds.

Blocks of up to 1,024 ids are a sorted list of sorted lists, as in Python's `sortedcontainers`: to find a place is two binary
searches, to enter there moves at most a block, and the rank is the sum of the sizes of the blocks before.  A full block is split,
an empty one is free again.  `sizes` and `order` have a word for each block: `order` begins with the numbers of the blocks in use,
in order, and goes on with the free ones.

An id stands there as often as it is a member.  Members of different sorts, which have no order among them, come one sort after
the other, so that the order is total; `sorts` counts the members of each, for with two of them there is no smallest.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.aggregates.group_folding import MEDIAN, MIN
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.memory import bits_of, bytes_at, float_of, int32s, int64s
from tidelog.local.kernel.terms import (
    ARENA,
    ARENA_SIZE,
    BOOL,
    CAPACITY,
    DATE,
    FLOAT,
    INT,
    KINDS,
    LENGTHS,
    PAYLOADS,
    STRING,
    TIMESTAMP,
    compare_values,
)

BLOCK = 1024
FILLED = 768
"""So full are blocks at first."""
NUMBERS, STRINGS, TRUTHS, DATES, TIMESTAMPS, UNORDERED_MEMBERS, SORTS = range(7)
"""Sorts of members; those without an order are counted, and stand in no block."""
USED, SIZE, WORDS = range(3)
"""How many blocks are in use, and how many members are in them."""


@part
def _sort_of(kind: int, payload: int) -> int:
    """The sort of a value."""
    if kind == INT:
        return np.int64(NUMBERS)
    if kind == FLOAT:
        return np.int64(UNORDERED_MEMBERS if np.isnan(float_of(payload)) else NUMBERS)
    if kind == STRING:
        return np.int64(STRINGS)
    if kind == BOOL:
        return np.int64(TRUTHS)
    if kind == DATE:
        return np.int64(DATES)
    return np.int64(TIMESTAMPS if kind == TIMESTAMP else UNORDERED_MEMBERS)


@part
def _compare(T: Int64s, function: int, left: int, right: int) -> int:
    """-1, 0 or 1 as one id comes before another, is the same, or comes after it.

    Of an integer and an equal float the integer is the smaller for `min` and the larger for `max`, so that it is the result.
    """
    if left == right:
        return np.int64(0)
    kinds, payloads = bytes_at(T[KINDS], T[CAPACITY]), int64s(T[PAYLOADS], T[CAPACITY])
    lengths = int32s(T[LENGTHS], T[CAPACITY])
    left_kind, right_kind = np.int64(kinds[left]), np.int64(kinds[right])
    one, other = _sort_of(left_kind, payloads[left]), _sort_of(right_kind, payloads[right])
    if one != other:
        return np.int64(-1 if one < other else 1)
    order = compare_values(
        T, left_kind, payloads[left], np.int64(lengths[left]), right_kind, payloads[right], np.int64(lengths[right])
    )
    if order != 0:
        return np.int64(order)
    return np.int64(-1 if (left_kind == INT) == (function == MIN) else 1)


# --- the beginning -------------------------------------------------------------------------------------------------------


@kernel
def sort_keys(T: Int64s, members: Int32s, sorts: Int64s, keys: Int64s) -> int:
    """Keys by which to sort members roughly, sort by sort; members without an order go.  How many are left, in `members`."""
    kinds, payloads = bytes_at(T[KINDS], T[CAPACITY]), int64s(T[PAYLOADS], T[CAPACITY])
    lengths, arena = int32s(T[LENGTHS], T[CAPACITY]), bytes_at(T[ARENA], T[ARENA_SIZE])
    left = 0
    for i in range(len(members)):
        member = members[i]
        kind, payload = np.int64(kinds[member]), payloads[member]
        sort = _sort_of(kind, payload)
        sorts[sort] += 1
        if sort == UNORDERED_MEMBERS:
            continue
        key = payload
        if sort == NUMBERS:
            bits = bits_of(np.float64(payload)) if kind == INT else payload
            key = bits ^ ((bits >> 63) & np.int64(0x7FFFFFFFFFFFFFFF))
        elif sort == STRINGS:
            head = np.uint64(0)
            for j in range(8):
                head = (head << np.uint64(8)) | np.uint64(arena[payload + j] if j < lengths[member] else 0)
            key = np.int64(head ^ np.uint64(0x8000000000000000))
        members[left] = member
        keys[left] = key
        left += 1
    return left


@kernel
def sorts_of(T: Int64s, members: Int32s, sorts: Int32s) -> None:
    """The sort of each member."""
    kinds, payloads = bytes_at(T[KINDS], T[CAPACITY]), int64s(T[PAYLOADS], T[CAPACITY])
    for i in range(len(members)):
        sorts[i] = _sort_of(np.int64(kinds[members[i]]), payloads[members[i]])


@part
def _merge(T: Int64s, function: int, members: Int32s, begin: int, end: int, scratch: Int32s) -> None:
    """Sort some members; a merge sort from the bottom up."""
    width = 1
    while width < end - begin:
        for low in range(begin, end, 2 * width):
            middle, high = min(low + width, end), min(low + 2 * width, end)
            left, right = low, middle
            for at in range(low, high):
                if right >= high or (left < middle and _compare(T, function, members[left], members[right]) <= 0):
                    scratch[at] = members[left]
                    left += 1
                else:
                    scratch[at] = members[right]
                    right += 1
        members[begin:end] = scratch[begin:end]
        width *= 2


@kernel
def sort_equal_keys(T: Int64s, function: int, members: Int32s, keys: Int64s, scratch: Int32s) -> None:
    """Sort members whose keys are equal, and that stand side by side."""
    begin = 0
    while begin < len(members):
        end, is_one = begin + 1, True
        while end < len(members) and keys[end] == keys[begin]:
            is_one = is_one and members[end] == members[begin]
            end += 1
        if not is_one:
            _merge(T, function, members, begin, end, scratch)
        begin = end


@kernel
def fill_blocks(members: Int32s, ids: Int32s, sizes: Int32s, order: Int32s, words: Int64s) -> None:
    """Put sorted members into blocks."""
    for block in range(len(order)):
        begin = min(block * FILLED, len(members))
        size = min(FILLED, len(members) - begin)
        ids[block * BLOCK : block * BLOCK + size] = members[begin : begin + size]
        sizes[block], order[block] = size, block
    words[USED], words[SIZE] = (len(members) + FILLED - 1) // FILLED, len(members)


# --- changes -------------------------------------------------------------------------------------------------------------


@part
def _block_for(T: Int64s, function: int, member: int, ids: Int32s, sizes: Int32s, order: Int32s, used: int) -> int:
    """The place in `order` of the first block whose last member is not before this one; of the last block if there is none."""
    low, high = 0, used - 1
    while low < high:
        middle = (low + high) // 2
        block = np.int64(order[middle])
        if _compare(T, function, ids[block * BLOCK + sizes[block] - 1], member) < 0:
            low = middle + 1
        else:
            high = middle
    return low


@part
def _place_in(T: Int64s, function: int, member: int, ids: Int32s, begin: int, size: int) -> int:
    """The first place in a block whose member is not before this one."""
    low, high = begin, begin + size
    while low < high:
        middle = (low + high) // 2
        if _compare(T, function, ids[middle], member) < 0:
            low = middle + 1
        else:
            high = middle
    return low


@part
def _split(at: int, ids: Int32s, sizes: Int32s, order: Int32s, words: Int64s) -> None:
    """Move the upper half of a full block to a free one behind it."""
    free, block, half = np.int64(order[words[USED]]), np.int64(order[at]), BLOCK // 2
    for place in range(words[USED], at + 1, -1):
        order[place] = order[place - 1]
    order[at + 1] = free
    for j in range(half):
        ids[free * BLOCK + j] = ids[block * BLOCK + half + j]
    sizes[block], sizes[free] = half, half
    words[USED] += 1


@part
def _free(at: int, order: Int32s, words: Int64s) -> None:
    """Let an empty block be free."""
    block = order[at]
    for place in range(at, words[USED] - 1):
        order[place] = order[place + 1]
    words[USED] -= 1
    order[words[USED]] = block


@kernel
def insert_members(
    T: Int64s, function: int, members: Int32s, begin: int, sorts: Int64s, blocks: tuple[Int32s, Int32s, Int32s, Int64s]
) -> int:
    """Let members join from number `begin` on; how many have, before all blocks were full."""
    ids, sizes, order, words = blocks
    kinds, payloads = bytes_at(T[KINDS], T[CAPACITY]), int64s(T[PAYLOADS], T[CAPACITY])
    for i in range(begin, len(members)):
        member = members[i]
        sort = _sort_of(np.int64(kinds[member]), payloads[member])
        if sort == UNORDERED_MEMBERS:
            sorts[sort] += 1
            continue
        if words[USED] == len(order):
            return i  # there may be a split
        if words[USED] == 0:
            words[USED] = 1
            sizes[order[0]] = 0
        at = _block_for(T, function, member, ids, sizes, order, words[USED])
        if sizes[order[at]] == BLOCK:
            _split(at, ids, sizes, order, words)
            at = _block_for(T, function, member, ids, sizes, order, words[USED])
        block = np.int64(order[at])
        place, end = _place_in(T, function, member, ids, block * BLOCK, np.int64(sizes[block])), block * BLOCK + sizes[block]
        for j in range(end, place, -1):
            ids[j] = ids[j - 1]
        ids[place] = member
        sizes[block] += 1
        words[SIZE] += 1
        sorts[sort] += 1
    return len(members)


@kernel
def remove_members(
    T: Int64s, function: int, members: Int32s, sorts: Int64s, blocks: tuple[Int32s, Int32s, Int32s, Int64s]
) -> bool:
    """Let members leave; False if one was none."""
    ids, sizes, order, words = blocks
    kinds, payloads = bytes_at(T[KINDS], T[CAPACITY]), int64s(T[PAYLOADS], T[CAPACITY])
    for i in range(len(members)):
        member = members[i]
        sort = _sort_of(np.int64(kinds[member]), payloads[member])
        sorts[sort] -= 1
        if sort == UNORDERED_MEMBERS:
            continue
        if words[USED] == 0:
            return False
        at = _block_for(T, function, member, ids, sizes, order, words[USED])
        block = np.int64(order[at])
        end = block * BLOCK + np.int64(sizes[block])
        place = _place_in(T, function, member, ids, block * BLOCK, np.int64(sizes[block]))
        if place == end or ids[place] != member:
            return False
        for j in range(place, end - 1):
            ids[j] = ids[j + 1]
        sizes[block] -= 1
        words[SIZE] -= 1
        if sizes[block] == 0:
            _free(at, order, words)
    return True


@kernel
def select_members(function: int, ids: Int32s, sizes: Int32s, order: Int32s, words: Int64s, found: Int32s) -> None:
    """The smallest or the largest member, or for the median the two in the middle, which may be the same."""
    if function != MEDIAN:
        block = np.int64(order[0 if function == MIN else words[USED] - 1])
        found[0] = ids[block * BLOCK + (0 if function == MIN else sizes[block] - 1)]
        return
    before, at = np.int64(0), 0
    for k in range(2):
        rank = (words[SIZE] - 1) // 2 if k == 0 else words[SIZE] // 2
        while before + sizes[order[at]] <= rank:
            before += sizes[order[at]]
            at += 1
        found[k] = ids[np.int64(order[at]) * BLOCK + rank - before]
