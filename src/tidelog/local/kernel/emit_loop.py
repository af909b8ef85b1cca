"""The last loop of a plan and its binary head in one step: without the interpreter in between, or 64 facts at a time."""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import layout
from tidelog.local.kernel.build import hot, part
from tidelog.local.kernel.memory import ONE, ZERO, lowest_one, ones_in
from tidelog.local.kernel.rows.term_places import NO_PLACE, ids_of_places, place_of, places_of_table, settle, settle_in
from tidelog.local.kernel.table_rows import FULL, bits_of_table, has_bit, insert, older_rows, rows_of, set_bit


@hot
def span_begin(M: Int64s, table: int, span: int) -> int:
    """The first row of the span of a loop: `WHOLE`, `BEFORE` or `DELTA`."""
    return M[table, layout.OLD] if span == layout.DELTA else np.int64(0)


@hot
def span_end(M: Int64s, table: int, span: int) -> int:
    """The end of the span of a loop."""
    return M[table, layout.OLD] if span == layout.BEFORE else M[table, layout.ALL]


@hot
def can_compose(M: Int64s, table: int, head: int, column: int, position: int, keys: int) -> bool:
    """Whether rows of bits can be joined, and are full enough for that to be faster than a walk along the chain."""
    if column != 1 or position != 1 or keys != 1 or M[table, layout.BITS] == 0 or M[head, layout.BITS] == 0:
        return False
    if M[table, layout.PLACES] != M[head, layout.PLACES]:
        return False
    domain = M[table, layout.DOMAIN]
    return domain <= M[head, layout.DOMAIN] and 4 * M[table, layout.COUNT] > domain * (domain >> 6)


@hot
def have_rows(M: Int64s, table: int, head: int, x: int, y: int) -> bool:
    """Whether the matrix of the head has a row of bits for x, and that of the table one for y."""
    own, other = place_of(M, head, x), place_of(M, table, y)
    return 0 <= own < M[head, layout.DOMAIN] and 0 <= other < M[table, layout.DOMAIN]


@part
def compose(M: Int64s, table: int, head: int, x: int, y: int, state: Int64s) -> int:
    """Row x of the head |= row y of the table; the word at which the head was full, or -1 at the end."""
    words = M[table, layout.DOMAIN] >> 6
    given_at, target_at = place_of(M, table, y) * words, place_of(M, head, x) * (M[head, layout.DOMAIN] >> 6)
    source, target, rows = bits_of_table(M, table), bits_of_table(M, head), rows_of(M, head)
    has_places = M[head, layout.PLACES] != 0
    ids = ids_of_places(M, head) if has_places else rows
    count, capacity = M[head, layout.COUNT], M[head, layout.CAPACITY]
    derivations = np.int64(0)
    for w in range(words):
        given = source[given_at + w]
        if given == ZERO:
            continue
        new = given & ~target[target_at + w]
        if new != ZERO:
            if count + 64 > capacity:
                M[head, layout.COUNT] = count
                state[layout.DERIVATIONS] += derivations
                return w
            target[target_at + w] |= new
            while new != ZERO:
                rows[2 * count] = x
                place = 64 * w + lowest_one(new)
                rows[2 * count + 1] = ids[place] if has_places else place
                count += 1
                new &= new - ONE
        derivations += ones_in(given)
    M[head, layout.COUNT] = count
    state[layout.DERIVATIONS] += derivations
    return -1


@part
def probe_emit(M: Int64s, X: Int64s, code: Int32s, at: int, slots: Int32s, key: Int32s, row: int, state: Int64s) -> int:
    """Derive the head from each row of a chain; the row at which the head was full, or -1 at the end."""
    index, table, span, column = np.int64(code[at + 1]), np.int64(code[at + 2]), code[at + 3], np.int64(code[at + 4])
    position, head = code[at + 6], np.int64(code[layout.HEAD_TABLE])
    fixed = slots[code[at + 5]]
    arity = M[table, layout.ARITY]
    oldest, limit = span_begin(M, table, span), span_end(M, table, span)
    rows, following = rows_of(M, table), older_rows(M, X, table, index)
    derivations, walked = np.int64(0), np.int64(0)
    own = settle(M, head, fixed) if M[head, layout.BITS] != 0 else np.int64(NO_PLACE)
    if 0 <= own < M[head, layout.DOMAIN]:
        bits, words, domain = bits_of_table(M, head), M[head, layout.DOMAIN] >> 6, M[head, layout.DOMAIN]
        target, count, capacity = rows_of(M, head), M[head, layout.COUNT], M[head, layout.CAPACITY]
        has_places = M[head, layout.PLACES] != 0
        P = places_of_table(M, head) if has_places else M[head]
        while row >= oldest:
            walked += 1
            if row < limit:
                value = rows[row * arity + column]
                place = settle_in(P, value) if has_places else np.int64(value)
                if place < 0 or place >= domain:
                    break
                x, y = (own, place) if position == 1 else (place, own)
                derivations += 1
                if not has_bit(bits, words, x, y):
                    if count >= capacity:
                        derivations -= 1
                        break
                    set_bit(bits, words, x, y)
                    target[2 * count + 1 - position] = fixed
                    target[2 * count + position] = value
                    count += 1
            row = np.int64(following[row]) - 1
        M[head, layout.COUNT] = count
    else:
        key[1 - position] = fixed
        while row >= oldest:
            walked += 1
            if row < limit:
                key[position] = rows[row * arity + column]
                if insert(M, head, key) == FULL:
                    break
                derivations += 1
            row = np.int64(following[row]) - 1
    state[layout.DERIVATIONS] += derivations
    state[layout.WALKED] = walked
    return row if row >= oldest else np.int64(-1)
