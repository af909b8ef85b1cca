"""The difference of two versions of a virtual relation: the pairs that one has and the other does not, before turning.

Both give the same numbers to the nodes that both have. `A` is the version whose pairs are listed, `B` the other one.
`only_in_matrix` does the same for two versions of a stored relation that are matrices of bits.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s, UInt64s
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.closures import virtual_access as virtual
from tidelog.local.kernel.closures.virtual_access import (
    bits_of_rows,
    component_of,
    components_of,
    has_bit,
    has_pair,
    node_of,
    row_of,
)
from tidelog.local.kernel.memory import ONE, ZERO, lowest_one, ones_in


@kernel
def changed_components(A: Int64s, B: Int64s, changed: UInt64s) -> int:
    """Set the bits of components of A that do not have the same nodes in B; how many nodes differ."""
    here, there, count = components_of(A), components_of(B), np.int64(0)
    for node in range(max(A[virtual.NODE_COUNT], B[virtual.NODE_COUNT])):
        a = np.int64(here[node]) if node < A[virtual.NODE_COUNT] else np.int64(-1)
        b = np.int64(there[node]) if node < B[virtual.NODE_COUNT] else np.int64(-1)
        if a != b:
            count += 1
            if a >= 0:
                changed[a >> 6] |= ONE << np.uint64(a & 63)
            if 0 <= b < A[virtual.COMPONENT_COUNT]:
                changed[b >> 6] |= ONE << np.uint64(b & 63)
    return count


@kernel
def changed_lefts(A: Int64s, B: Int64s, ids: Int32s, is_shared: bool, changed: UInt64s, any_changed: bool, found: Int32s) -> int:
    """Those of some ids whose pairs may differ; how many.  With shared rows the same row holds the same bits."""
    bits, words, count = bits_of_rows(A), A[virtual.WORDS], 0
    for i in range(len(ids)):
        here, there = node_of(A, np.int64(ids[i])), node_of(B, np.int64(ids[i]))
        row = row_of(A, here)
        differs = not is_shared or there < 0 or row != row_of(B, there)
        if any_changed and not differs:
            for w in range(words):
                if bits[row * words + w] & changed[w] != ZERO:
                    differs = True
                    break
        if not differs:  # an irreflexive relation may have lost or got the pair (x, x) alone
            differs = has_pair(A, np.int64(ids[i]), np.int64(ids[i])) != has_pair(B, np.int64(ids[i]), np.int64(ids[i]))
        if differs:
            found[count] = ids[i]
            count += 1
    return count


@part
def _list(A: Int64s, B: Int64s, term: int, changed: UInt64s, out: Int32s, counts_only: bool) -> int:
    """The right ends of pairs of an id that B does not have; how many."""
    row, other = row_of(A, node_of(A, term)), node_of(B, term)
    other_row = row_of(B, other) if other >= 0 else np.int64(0)
    words, bits, other_words, other_bits = A[virtual.WORDS], bits_of_rows(A), B[virtual.WORDS], bits_of_rows(B)
    own, is_simple, count = component_of(A, node_of(A, term)), A[virtual.IS_SIMPLE] != 0, np.int64(0)
    first, last, members = virtual.lists_at(A, virtual.MEMBER_START, A[virtual.COMPONENT_COUNT])
    for w in range(words):
        here = bits[row * words + w]
        there = other_bits[other_row * other_words + w] if w < other_words else ZERO
        word = here & (~there | changed[w])
        if counts_only and is_simple and word & changed[w] == ZERO and w != own >> 6:
            count += ones_in(word)
            continue
        while word != ZERO:
            c = 64 * w + lowest_one(word)
            is_changed = changed[w] & word & (~word + ONE) != ZERO
            word &= word - ONE
            for m in range(first[c], last[c]):
                z = np.int64(members[m])
                if z == term:
                    continue
                if is_changed:
                    node = node_of(B, z)
                    if node >= 0 and has_bit(B, other_row, component_of(B, node)):
                        continue
                if not counts_only:
                    out[count] = z
                count += 1
    if has_pair(A, term, term) and not has_pair(B, term, term):
        if not counts_only:
            out[count] = term
        count += 1
    return count


@kernel
def count_new(A: Int64s, B: Int64s, ids: Int32s, changed: UInt64s, counts: Int64s) -> None:
    """How many pairs of each id B does not have."""
    nowhere = np.empty(0, np.int32)
    for i in range(len(ids)):
        counts[i] = _list(A, B, np.int64(ids[i]), changed, nowhere, True)


@kernel
def write_new(A: Int64s, B: Int64s, ids: Int32s, changed: UInt64s, rows: Int32s) -> None:
    """The pairs of some ids that B does not have."""
    count, scratch = np.int64(0), np.empty(A[virtual.NODE_COUNT], np.int32)
    for i in range(len(ids)):
        found = _list(A, B, np.int64(ids[i]), changed, scratch, False)
        for j in range(found):
            rows[count, 0] = ids[i]
            rows[count, 1] = scratch[j]
            count += 1


@kernel
def only_in_matrix(one: UInt64s, other: UInt64s, rows: Int32s) -> int:
    """Write the pairs of one matrix that another does not have, as far as there is room; how many there are."""
    count = 0
    for x in range(one.shape[0]):
        for at in range(one.shape[1]):
            word = one[x, at]
            if x < other.shape[0] and at < other.shape[1]:
                word &= ~other[x, at]
            if len(rows) == 0:
                count += ones_in(word)
                continue
            while word != ZERO and count < len(rows):
                rows[count, 0] = x
                rows[count, 1] = 64 * at + lowest_one(word)
                count += 1
                word &= word - ONE
    return count
