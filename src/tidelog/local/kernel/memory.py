"""Arrays from raw addresses, and bits from numbers.

Python owns all buffers, as NumPy arrays, and tells the kernel their addresses and lengths as plain integers in tables: going
through a list of typed arrays would cost 20 times as much an access. A view knows its length, so the checked build sees every
access out of bounds.

What is an instruction or two of the machine stands here as Python computes it; `tiers.instructions` has the same names for Numba.
"""

from __future__ import annotations

import struct
from ctypes import addressof, c_char, c_int64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Bytes, Int32s, Int64s, UInt64s
from tidelog.local.kernel.build import CHECKED, instruction, part
from tidelog.local.kernel.tiers.plain_numpy import view_at

ZERO, ONE = np.uint64(0), np.uint64(1)
"""For words of bits: Numba makes a float of an unsigned and a signed integer."""
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1


def address_of(buffer: NDArray[Any]) -> int:
    """The address of a buffer; NumPy's own attribute takes five times as long, which small updates would feel."""
    return addressof(c_char.from_buffer(buffer)) if buffer.size else int(buffer.ctypes.data)  # type: ignore[arg-type]


@instruction
def int32s(address: int, length: int) -> Int32s:
    """The int32 buffer at an address."""
    return view_at(address, np.int32, length)


@instruction
def int64s(address: int, length: int) -> Int64s:
    """The int64 buffer at an address."""
    return view_at(address, np.int64, length)


@instruction
def uint64s(address: int, length: int) -> UInt64s:
    """The uint64 buffer at an address: bitset rows."""
    return view_at(address, np.uint64, length)


@instruction
def bytes_at(address: int, length: int) -> Bytes:
    """The byte buffer at an address."""
    return view_at(address, np.uint8, length)


@instruction
def int64_matrix(address: int, rows: int, columns: int) -> Int64s:
    """The int64 matrix at an address, row after row."""
    return view_at(address, np.int64, rows, columns)


@instruction
def load_word(address: int) -> int:
    """Eight bytes from an address that need not be aligned."""
    return np.uint64(c_int64.from_address(int(address)).value & ((1 << 64) - 1))


@instruction
def bits_of(number: float) -> int:
    """The bits of a float64 as int64."""
    return struct.unpack("<q", struct.pack("<d", number))[0]


@instruction
def float_of(bits: int) -> float:
    """The float64 that has these bits."""
    return struct.unpack("<d", struct.pack("<q", bits))[0]


@instruction
def ones_in(word: int) -> int:
    """How many bits of a uint64 are set."""
    return int(word).bit_count()


@instruction
def lowest_one(word: int) -> int:
    """The place of the lowest bit that is set; the word must not be 0."""
    return (int(word) & -int(word)).bit_length() - 1


@part
def word_at(address: int, length: int, at: int) -> int:
    """Eight bytes of a byte buffer as one number."""
    if CHECKED and (at < 0 or at + 8 > length):
        raise IndexError("a word out of bounds")
    return load_word(address + at)


# LLVM assumes that plain arithmetic does not overflow.


@instruction
def sum_overflows(a: int, b: int) -> bool:
    """Whether a + b leaves 64 bits."""
    return not _LEAST <= a + b <= _MOST


@instruction
def difference_overflows(a: int, b: int) -> bool:
    """Whether a - b leaves 64 bits."""
    return not _LEAST <= a - b <= _MOST


@instruction
def product_overflows(a: int, b: int) -> bool:
    """Whether a * b leaves 64 bits."""
    return not _LEAST <= a * b <= _MOST


@instruction
def call(address: int, *args: int) -> int:
    """Call a compiled service at an address."""
    raise NotImplementedError  # Python calls what the service does by its name


ANY_LENGTH = 1 << 40
"""The length of a buffer that a service got by its address: services are not part of the checked build."""
