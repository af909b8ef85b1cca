"""Views of buffers, and bits of numbers."""

from __future__ import annotations

import math
import struct

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tidelog.core.arrays import Int64s, UInt64s
from tidelog.local.kernel import memory
from tidelog.local.kernel.build import kernel
from tidelog.values import INT_MAX, INT_MIN


@kernel
def _views(a: int, b: int, c: int, d: int, count: int) -> int:
    """Double what is in each buffer; the sum of lengths."""
    one, two = memory.int32s(a, count), memory.int64s(b, count)
    three, four = memory.uint64s(c, count), memory.bytes_at(d, count)
    for i in range(count):
        one[i] *= 2
        two[i] *= 2
        three[i] *= np.uint64(2)
        four[i] *= 2
    return len(one) + len(two) + len(three) + len(four)


@kernel
def _bits(number: float) -> int:
    return memory.bits_of(number)


@kernel
def _float(bits: int) -> float:
    return memory.float_of(bits)


@kernel
def _ones(words: UInt64s, counts: Int64s, places: Int64s) -> None:
    for i in range(len(words)):
        counts[i] = memory.ones_in(words[i])
        places[i] = memory.lowest_one(words[i]) if words[i] != np.uint64(0) else -1


@kernel
def _word(address: int, length: int, at: int) -> int:
    return memory.word_at(address, length, at)


def test_views_are_the_buffers_themselves() -> None:
    buffers = [np.array([3, 5, 7], dtype) for dtype in (np.int32, np.int64, np.uint64, np.uint8)]
    one, two, three, four = (buffer.ctypes.data for buffer in buffers)
    assert _views(one, two, three, four, 3) == 12
    for buffer in buffers:
        assert buffer.tolist() == [6, 10, 14]


@given(st.floats())
def test_bits_of_floats(number: float) -> None:
    bits = _bits(number)
    if not math.isnan(number):
        assert bits == struct.unpack("<q", struct.pack("<d", number))[0]
    assert struct.pack("<d", _float(bits)) == struct.pack("<d", number) or math.isnan(number)


@given(st.integers(INT_MIN, INT_MAX))
def test_floats_of_bits(bits: int) -> None:
    number = _float(bits)
    expected = struct.unpack("<d", struct.pack("<q", bits))[0]
    assert number == expected or (math.isnan(number) and math.isnan(expected))


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 63).map(lambda n: 1 << n) | st.just(0), min_size=1))
def test_ones(words: list[int]) -> None:
    counts, places = np.empty(len(words), np.int64), np.empty(len(words), np.int64)
    _ones(np.array(words, np.uint64), counts, places)
    assert counts.tolist() == [word.bit_count() for word in words]
    assert places.tolist() == [(word & -word).bit_length() - 1 for word in words]


def test_a_word_may_stand_anywhere() -> None:
    data = np.arange(1, 20, dtype=np.uint8)
    for at in range(12):
        assert _word(data.ctypes.data, 19, at) == int.from_bytes(bytes(data[at : at + 8]), "little")
