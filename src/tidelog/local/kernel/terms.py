"""The dictionary of values inside the kernel: kind and content of each 32-bit id, found again by hashing.

A number, truth, date or timestamp is its *payload*: the int64 itself, the bits of the float, 0 or 1, days since 1970,
microseconds since 1970. A text (string, IRI, RDF literal) has as payload the place of its UTF-8 bytes in the *arena*, and a
length. Since each value has one id, two values are equal if and only if their ids are.

Integers from 0 to `DIRECT_COUNT` are not hashed: their ids stand in an array of that length, as those in slots do. Data has most
often many small integers, such as the numbers of nodes.

An id from `COUNT` on in a slot belongs to a dictionary that shares the slots and has grown since (`Dictionary.clone`).

`T` is the vector of addresses and sizes whose words are named here; `storage.dictionary` owns the buffers.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Bytes, Int32s, Int64s
from tidelog.local.kernel.build import kernel, part, table_walk
from tidelog.local.kernel.memory import bytes_at, float_of, int32s, int64s, word_at

COUNT, CAPACITY, KINDS, PAYLOADS, LENGTHS, HASHES, SLOTS, SLOT_COUNT, ARENA, ARENA_USED, ARENA_SIZE = range(11)
DIRECT, DIRECT_COUNT, WIDTH = 11, 12, 13

STRING, INT, FLOAT, BOOL, DATE, TIMESTAMP, IRI, LITERAL = range(8)
FULL = -1
"""Returned instead of an id: the dictionary must grow first."""
UNORDERED = 2

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_BLOCK, _CACHED = 64, 1 << 16
"""Values that are looked for together, where there are more slots than caches hold."""
_SEED = np.uint64(0x51ED270B9F3C6A21)


@part
def mixed(hashed: int, more: int) -> int:
    """A hash and 64 more bits, mixed."""
    x = (np.uint64(hashed) ^ np.uint64(more)) * _GOLDEN
    return (x ^ (x >> _HALF)) * _GOLDEN


@part
def _number_hash(kind: int, payload: int) -> int:
    x = mixed(np.uint64(kind), np.uint64(payload))
    return x ^ (x >> _HALF)


@part
def _text_hash(kind: int, address: int, length: int, start: int, size: int) -> int:
    x = mixed(np.uint64(_SEED), np.uint64(kind + 16 * size))
    at = start
    while at + 8 <= start + size:
        x = mixed(x, word_at(address, length, at))
        at += 8
    data = bytes_at(address, length)
    rest = np.uint64(0)
    while at < start + size:
        rest = (rest << np.uint64(8)) | np.uint64(data[at])
        at += 1
    x = mixed(x, rest)
    return x ^ (x >> _HALF)


@part
def _same_text(left: int, places: int, at: int, right: int, length: int, start: int, size: int) -> bool:
    i = 0
    while i + 8 <= size:
        if word_at(left, places, at + i) != word_at(right, length, start + i):
            return False
        i += 8
    known, text = bytes_at(left, places), bytes_at(right, length)
    while i < size:
        if known[at + i] != text[start + i]:
            return False
        i += 1
    return True


@part
def _append(T: Int64s, kind: int, payload: int, size: int, hashed: int) -> int:
    """A new id for a value."""
    new = T[COUNT]
    capacity = T[CAPACITY]
    bytes_at(T[KINDS], capacity)[new] = kind
    int64s(T[PAYLOADS], capacity)[new] = payload
    int32s(T[LENGTHS], capacity)[new] = size
    int32s(T[HASHES], capacity)[new] = np.int32(np.uint32(hashed & np.uint64(0xFFFFFFFF)))
    T[COUNT] = new + 1
    return new


@part
def _is_full(T: Int64s) -> bool:
    return T[COUNT] >= T[CAPACITY] or 2 * (T[COUNT] + 1) > T[SLOT_COUNT]


@part
def _is_direct(T: Int64s, kind: int, payload: int) -> bool:
    return kind == INT and 0 <= payload < T[DIRECT_COUNT]


@part
def _intern_directly(T: Int64s, payload: int) -> int:
    direct = int32s(T[DIRECT], T[DIRECT_COUNT])
    found = np.int64(direct[payload]) - 1
    if 0 <= found < T[COUNT]:
        return found
    if _is_full(T):
        return FULL
    new = _append(T, INT, payload, 0, _number_hash(INT, payload))
    direct[payload] = new + 1
    return new


@part
def intern_number(T: Int64s, kind: int, payload: int) -> int:
    """The id of a value that is no text, new if need be; `FULL` if there is no room."""
    if _is_direct(T, kind, payload):
        return _intern_directly(T, payload)
    hashed = _number_hash(kind, payload)
    capacity = T[CAPACITY]
    kinds, payloads = bytes_at(T[KINDS], capacity), int64s(T[PAYLOADS], capacity)
    slots, mask = int32s(T[SLOTS], T[SLOT_COUNT]), np.uint64(T[SLOT_COUNT] - 1)
    slot = hashed & mask
    while slots[slot] != 0:
        found = np.int64(slots[slot]) - 1
        if found < T[COUNT] and payloads[found] == payload and kinds[found] == kind:
            return found
        slot = (slot + np.uint64(1)) & mask
    if _is_full(T):
        return FULL
    new = _append(T, kind, payload, 0, hashed)
    slots[slot] = new + 1
    return new


@part
def _intern_text(T: Int64s, kind: int, address: int, length: int, start: int, size: int, low: int) -> int:
    """The id of a text of some byte buffer, by the low half of its hash, new if need be; `FULL` if there is no room."""
    hashed = np.uint64(np.uint32(low))
    capacity = T[CAPACITY]
    kinds, payloads = bytes_at(T[KINDS], capacity), int64s(T[PAYLOADS], capacity)
    lengths, hashes = int32s(T[LENGTHS], capacity), int32s(T[HASHES], capacity)
    slots, mask = int32s(T[SLOTS], T[SLOT_COUNT]), np.uint64(T[SLOT_COUNT] - 1)
    arena, text = bytes_at(T[ARENA], T[ARENA_SIZE]), bytes_at(address, length)
    slot = hashed & mask
    while slots[slot] != 0:
        found = np.int64(slots[slot]) - 1
        if found < T[COUNT] and hashes[found] == low and kinds[found] == kind and lengths[found] == size:
            if _same_text(T[ARENA], T[ARENA_SIZE], payloads[found], address, length, start, size):
                return found
        slot = (slot + np.uint64(1)) & mask
    used = T[ARENA_USED]
    if _is_full(T) or used + size > T[ARENA_SIZE]:
        return FULL
    for i in range(size):
        arena[used + i] = text[start + i]
    T[ARENA_USED] = used + size
    new = _append(T, kind, used, size, hashed)
    slots[slot] = new + 1
    return new


@part
def _touch_numbers(T: Int64s, kind: int, payloads: Int64s, begin: int) -> int:
    """Read what the searches for the next values will read, none of which waits for another; not negative."""
    slots, mask = int32s(T[SLOTS], T[SLOT_COUNT]), np.uint64(T[SLOT_COUNT] - 1)
    known, kinds, touched = int64s(T[PAYLOADS], T[CAPACITY]), bytes_at(T[KINDS], T[CAPACITY]), np.int64(0)
    direct, end = int32s(T[DIRECT], T[DIRECT_COUNT]), min(begin + _BLOCK, len(payloads))
    if _is_direct(T, kind, payloads[begin]):
        for i in range(begin, end):
            if _is_direct(T, kind, payloads[i]):
                touched |= np.int64(direct[payloads[i]])
        return touched
    for i in range(begin, end):
        touched |= np.int64(slots[_number_hash(kind, payloads[i]) & mask])
    for i in range(begin, end):
        found = np.int64(slots[_number_hash(kind, payloads[i]) & mask])
        if 0 < found <= T[COUNT]:
            touched |= (known[found - 1] + np.int64(kinds[found - 1])) & 1
    return touched


@kernel
def intern_numbers(T: Int64s, kind: int, payloads: Int64s, ids: Int32s, begin: int) -> int:
    """The ids of values of one kind from `begin` on; the number of values done before the dictionary was full."""
    touched = np.int64(0)
    for i in range(begin, len(payloads)):
        if i % _BLOCK == 0 and T[SLOT_COUNT] > _CACHED:
            touched |= _touch_numbers(T, kind, payloads, i)
        if touched < 0:
            break
        found = intern_number(T, kind, payloads[i])
        if found == FULL:
            return i
        ids[i] = found
    return len(payloads)


@kernel
def intern_one(T: Int64s, kind: int, payload: int) -> int:
    """The id of a value that is no text, new if need be; `FULL` if there is no room."""
    return intern_number(T, kind, payload)


@part
def _hash_and_touch(T: Int64s, kind: int, offsets: Int64s, address: int, length: int, ids: Int32s, begin: int) -> int:
    """Put the hashes of the next texts where their ids will stand, and read ahead for them as for numbers; not negative."""
    slots, mask = int32s(T[SLOTS], T[SLOT_COUNT]), np.uint64(T[SLOT_COUNT] - 1)
    hashes, payloads = int32s(T[HASHES], T[CAPACITY]), int64s(T[PAYLOADS], T[CAPACITY])
    kinds, lengths = bytes_at(T[KINDS], T[CAPACITY]), int32s(T[LENGTHS], T[CAPACITY])
    arena, touched = bytes_at(T[ARENA], T[ARENA_SIZE]), np.int64(0)
    end = min(begin + _BLOCK, len(ids))
    for i in range(begin, end):
        hashed = _text_hash(kind, address, length, offsets[i], offsets[i + 1] - offsets[i])
        ids[i] = np.int32(np.uint32(hashed & np.uint64(0xFFFFFFFF)))
        touched |= np.int64(slots[hashed & mask])
    if T[SLOT_COUNT] <= _CACHED:
        return touched
    for i in range(begin, end):
        found = np.int64(slots[np.uint64(np.uint32(ids[i])) & mask])
        if 0 < found <= T[COUNT]:
            touched |= (
                payloads[found - 1] + np.int64(hashes[found - 1]) + np.int64(lengths[found - 1]) + np.int64(kinds[found - 1])
            ) & 1
    for i in range(begin, end):
        found = np.int64(slots[np.uint64(np.uint32(ids[i])) & mask])
        if 0 < found <= T[COUNT] and hashes[found - 1] == ids[i] and payloads[found - 1] < T[ARENA_USED]:
            touched |= np.int64(arena[payloads[found - 1]])
    return touched


@kernel
def intern_texts(T: Int64s, kind: int, offsets: Int64s, address: int, length: int, ids: Int32s, begin: int) -> int:
    """The ids of texts that stand one after the other in a buffer; the number of texts done before the dictionary was full."""
    touched = np.int64(0)
    for i in range(begin, len(ids)):
        if (i - begin) % _BLOCK == 0:
            touched |= _hash_and_touch(T, kind, offsets, address, length, ids, i)
        if touched < 0:
            break
        found = _intern_text(T, kind, address, length, offsets[i], offsets[i + 1] - offsets[i], ids[i])
        if found == FULL:
            return i
        ids[i] = found
    return len(ids)


@table_walk
def rehash_terms(T: Int64s) -> None:
    """Fill a new, larger table of slots."""
    capacity = T[CAPACITY]
    hashes, kinds, payloads = int32s(T[HASHES], capacity), bytes_at(T[KINDS], capacity), int64s(T[PAYLOADS], capacity)
    slots, mask = int32s(T[SLOTS], T[SLOT_COUNT]), np.uint64(T[SLOT_COUNT] - 1)
    for i in range(T[COUNT]):
        if _is_direct(T, np.int64(kinds[i]), payloads[i]):
            continue
        slot = np.uint64(np.uint32(hashes[i])) & mask
        while slots[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = i + 1


@table_walk
def fill_direct(T: Int64s) -> None:
    """Fill a new, larger array of the ids of small integers."""
    kinds, payloads, direct = (
        bytes_at(T[KINDS], T[CAPACITY]),
        int64s(T[PAYLOADS], T[CAPACITY]),
        int32s(T[DIRECT], T[DIRECT_COUNT]),
    )
    for i in range(T[COUNT]):
        if _is_direct(T, np.int64(kinds[i]), payloads[i]):
            direct[payloads[i]] = i + 1


@kernel
def gather_texts(T: Int64s, ids: Int32s, offsets: Int64s, data: Bytes) -> None:
    """Copy texts one after the other; `offsets` holds where each begins and where the last one ends."""
    capacity = T[CAPACITY]
    payloads, arena = int64s(T[PAYLOADS], capacity), bytes_at(T[ARENA], T[ARENA_SIZE])
    for i in range(len(ids)):
        source, target = payloads[ids[i]], offsets[i]
        for j in range(offsets[i + 1] - target):
            data[target + j] = arena[source + j]


# --- order ---------------------------------------------------------------------------------------------------------------


@part
def int_against_float(whole: int, number: float) -> int:
    """-1, 0 or 1 as the integer is less, equal or more, exactly; the float must not be NaN."""
    if number >= 9223372036854775808.0:
        return -1
    if number < -9223372036854775808.0:
        return 1
    cut = np.int64(number)
    if whole != cut:
        return -1 if whole < cut else 1
    rest = number - np.float64(cut)
    return -1 if rest > 0 else (1 if rest < 0 else 0)


@part
def compare_numbers(left_kind: int, left: int, right_kind: int, right: int) -> int:
    """The order of two numbers by value; `UNORDERED` where NaN takes part."""
    if left_kind == INT and right_kind == INT:
        return -1 if left < right else (1 if left > right else 0)
    if left_kind == FLOAT and np.isnan(float_of(left)):
        return UNORDERED
    if right_kind == FLOAT and np.isnan(float_of(right)):
        return UNORDERED
    if left_kind == INT:
        return int_against_float(left, float_of(right))
    if right_kind == INT:
        return -int_against_float(right, float_of(left))
    a, b = float_of(left), float_of(right)
    return -1 if a < b else (1 if a > b else 0)


@part
def compare_texts(T: Int64s, left: int, left_size: int, right: int, right_size: int) -> int:
    """The order of two texts of the arena by code points, which is that of their UTF-8 bytes."""
    arena = bytes_at(T[ARENA], T[ARENA_SIZE])
    for i in range(min(left_size, right_size)):
        a, b = arena[left + i], arena[right + i]
        if a != b:
            return -1 if a < b else 1
    return -1 if left_size < right_size else (1 if left_size > right_size else 0)


@part
def compare_values(T: Int64s, left_kind: int, left: int, left_size: int, right_kind: int, right: int, right_size: int) -> int:
    """-1, 0, 1, or `UNORDERED` where the language knows no order; kind, payload and size of text of each."""
    if (left_kind == INT or left_kind == FLOAT) and (right_kind == INT or right_kind == FLOAT):
        return compare_numbers(left_kind, left, right_kind, right)
    if left_kind != right_kind or left_kind >= IRI:
        return UNORDERED
    if left_kind == STRING:
        return compare_texts(T, left, left_size, right, right_size)
    return -1 if left < right else (1 if left > right else 0)
