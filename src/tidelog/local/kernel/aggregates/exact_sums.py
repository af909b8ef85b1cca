"""Exact sums that numbers join and leave, in any order: fixed-point numbers wide enough for every integer and float.

The sum is kept as 72 digits of 32 bits, each in a signed word of 64, so that a number is added to three of them without a carry
(Kulisch's long accumulator).  The lowest bit is the smallest float, 2^-1074, so nothing is ever rounded or lost before the sum is
read, and that rounds once: the result is the one of folding all members, whatever has come and gone.

What is no finite number is counted, for it decides alone: `counts` has how many members there are of each sort.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.aggregates.group_folding import AVG, HARD, SUM, UNDEFINED
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.memory import bits_of, bytes_at, float_of, int64s
from tidelog.local.kernel.terms import CAPACITY, FLOAT, INT, KINDS, PAYLOADS

DIGITS = 72
"""2,304 bits: 2,098 for one float, 63 for as many members as there can be, and some to spare."""
POINT = 1074
"""The bit that is worth 1."""
INTEGERS, FLOATS, INFINITE, NEGATIVE_INFINITE, OTHERS, UNCARRIED, SUM_COUNTS = range(7)
# INTEGERS, FLOATS             finite members;  INFINITE, NEGATIVE_INFINITE: how many members are that
# OTHERS                       members that are no number, or NaN
# UNCARRIED                    additions since carries were last passed on

_LOW = np.int64(0xFFFFFFFF)
_CARRY_AFTER = 1 << 30
"""Each addition adds less than 2^32 to a word."""
_MANTISSA, _INFINITE_EXPONENT = 52, 2047


@part
def _carry(digits: Int64s) -> None:
    """Pass carries on: all digits but the last are from 0 to 2^32 - 1 afterwards, and the last has the sign."""
    for i in range(DIGITS - 1):
        carry = digits[i] >> 32
        digits[i] &= _LOW
        digits[i + 1] += carry


@part
def _add(digits: Int64s, magnitude: int, bit: int, sign: int) -> None:
    """Add, or subtract, a magnitude of up to 64 bits whose lowest bit is at some place."""
    word, shift = bit >> 5, np.uint64(bit & 31)
    low, rest = magnitude << shift, magnitude >> (np.uint64(32) - shift)
    digits[word] += sign * np.int64(low & np.uint64(0xFFFFFFFF))
    digits[word + 1] += sign * np.int64(rest & np.uint64(0xFFFFFFFF))
    digits[word + 2] += sign * np.int64(rest >> np.uint64(32))


@part
def _add_float(digits: Int64s, bits: int, sign: int) -> None:
    """Add, or subtract, a finite float, given by its bits."""
    exponent = (bits >> _MANTISSA) & _INFINITE_EXPONENT
    mantissa = bits & ((np.int64(1) << _MANTISSA) - 1)
    if exponent > 0:
        mantissa |= np.int64(1) << _MANTISSA
        exponent -= 1
    _add(digits, np.uint64(mantissa), exponent, -sign if bits < 0 else sign)


@kernel
def add_members(T: Int64s, members: Int32s, sign: int, digits: Int64s, counts: Int64s) -> None:
    """Let members join (1) or leave (-1) a sum."""
    kinds, payloads = bytes_at(T[KINDS], T[CAPACITY]), int64s(T[PAYLOADS], T[CAPACITY])
    for i in range(len(members)):
        kind, payload = kinds[members[i]], payloads[members[i]]
        if kind == INT:
            counts[INTEGERS] += sign
            magnitude = np.uint64(payload) if payload >= 0 else np.uint64(-(payload + 1)) + np.uint64(1)
            _add(digits, magnitude, POINT, -sign if payload < 0 else sign)
        elif kind != FLOAT or np.isnan(float_of(payload)):
            counts[OTHERS] += sign
            continue
        elif np.isinf(float_of(payload)):
            counts[INFINITE if payload > 0 else NEGATIVE_INFINITE] += sign
            continue
        else:
            counts[FLOATS] += sign
            _add_float(digits, payload, sign)
        counts[UNCARRIED] += 1
        if counts[UNCARRIED] >= _CARRY_AFTER:
            _carry(digits)
            counts[UNCARRIED] = 0


@part
def _absolute(digits: Int64s, scratch: Int64s) -> int:
    """Copy the absolute value with carries passed on; the sign."""
    scratch[:] = digits
    _carry(scratch)
    if scratch[DIGITS - 1] >= 0:
        return np.int64(1)
    for i in range(DIGITS):
        scratch[i] = -scratch[i]
    _carry(scratch)
    return np.int64(-1)


@part
def _highest_bit(digits: Int64s) -> int:
    """The place of the highest bit of an absolute value; -1 for 0."""
    for i in range(DIGITS - 1, -1, -1):
        if digits[i] != 0:
            bit, digit = np.int64(32 * i - 1), digits[i]
            while digit != 0:
                digit >>= 1
                bit += 1
            return bit
    return np.int64(-1)


@part
def _bits_from(digits: Int64s, bit: int, count: int) -> int:
    """The value of so many bits, of which the highest is at some place."""
    value = np.int64(0)
    for at in range(bit, bit - count, -1):
        value = (value << 1) | ((digits[at >> 5] >> (at & 31)) & 1)
    return value


@part
def _has_lower_bits(digits: Int64s, bit: int) -> bool:
    """Whether any bit below some place is set."""
    if digits[bit >> 5] & ((np.int64(1) << (bit & 31)) - 1) != 0:
        return True
    for i in range(bit >> 5):
        if digits[i] != 0:
            return True
    return False


@part
def _rounded(digits: Int64s) -> float:
    """The float that is nearest to an absolute value, half to even; infinity beyond the largest."""
    top = _highest_bit(digits)
    if top <= _MANTISSA:
        return float_of(_bits_from(digits, top, top + 1))  # a multiple of the smallest float has its own bits
    mantissa, exponent = _bits_from(digits, top, _MANTISSA + 1), top - _MANTISSA + 1
    half = top - _MANTISSA - 1
    if _bits_from(digits, half, 1) != 0 and (mantissa & 1 != 0 or _has_lower_bits(digits, half)):
        mantissa += 1
        if mantissa >> (_MANTISSA + 1) != 0:
            mantissa >>= 1
            exponent += 1
    if exponent >= _INFINITE_EXPONENT:
        return np.inf
    return float_of((exponent << _MANTISSA) | (mantissa & ((np.int64(1) << _MANTISSA) - 1)))


@kernel
def read_sum(function: int, digits: Int64s, counts: Int64s, payload: Int64s) -> int:
    """The sum or average of the members as the payload of an INT or FLOAT, which is returned; or UNDEFINED, or HARD."""
    infinite, negative = counts[INFINITE] > 0, counts[NEGATIVE_INFINITE] > 0
    if counts[OTHERS] > 0 or (infinite and negative):
        return np.int64(UNDEFINED)
    if infinite or negative:
        payload[0] = bits_of(np.inf if infinite else -np.inf)
        return np.int64(FLOAT)
    scratch = np.empty(DIGITS, np.int64)
    sign = _absolute(digits, scratch)
    if counts[FLOATS] == 0:
        top = _highest_bit(scratch)
        if function == SUM and top - POINT < 63:
            payload[0] = sign * _bits_from(scratch, top, max(0, top - POINT + 1))
            return np.int64(INT)
        if function == SUM or top - POINT > _MANTISSA:
            return np.int64(HARD)
    result = np.float64(sign) * _rounded(scratch)
    if function == AVG:
        if np.isinf(result):
            return np.int64(HARD)
        result /= np.float64(counts[INTEGERS] + counts[FLOATS])
    payload[0] = bits_of(result + 0.0)
    return np.int64(FLOAT)
