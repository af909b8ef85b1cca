"""Expressions, as postfix code over a stack: numbers, order and equality, exactly as `functions` defines them.

A stack entry is a kind, a payload, and the id of the value, or -1 if it has just been computed. What needs texts or Python's
own arithmetic (`cat`, `pow`, …) is not done in the kernel: those functions are relations that Python fills on demand
(`evaluation.function_calls`).
"""

from __future__ import annotations

import math

import numpy as np

from tidelog.core.arrays import Bytes, Int32s, Int64s
from tidelog.local.kernel import memory, terms
from tidelog.local.kernel.build import CHECKED, either, part, service
from tidelog.local.kernel.memory import bits_of, bytes_at, call, float_of, int32s, int64s
from tidelog.local.kernel.terms import compare_values

PUSH, ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO = range(6)
NEGATE, ABSOLUTE, FLOOR, CEIL, ROUND, SQRT, ORDERED, CONFORM = range(6, 14)
SMALLER, LARGER, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL, UNEQUAL = range(14, 22)
# PUSH and CONFORM are followed by an operand (a slot, a kind); ORDERED is undefined for values without an order.

_SMALLEST = np.int64(-(2**63))
_KIND, _PAYLOAD, _ID = 0, 1, 2


@part
def _is_number(kind: int) -> bool:
    return kind == terms.INT or kind == terms.FLOAT


@part
def _float(kind: int, payload: int) -> float:
    return np.float64(payload) if kind == terms.INT else float_of(payload)


@part
def _put(stack: Int64s, at: int, kind: int, payload: int) -> bool:
    stack[3 * at + _KIND] = kind
    stack[3 * at + _PAYLOAD] = payload
    stack[3 * at + _ID] = -1
    return True


@part
def _put_float(stack: Int64s, at: int, number: float) -> bool:
    """A float result: NaN is undefined, and there is one zero."""
    if np.isnan(number):
        return False
    return _put(stack, at, terms.FLOAT, bits_of(number + 0.0))


@part
def _put_whole(stack: Int64s, at: int, number: float) -> bool:
    """A float without fraction as an integer, if it fits."""
    if not (-9223372036854775808.0 <= number < 9223372036854775808.0):
        return False
    return _put(stack, at, terms.INT, np.int64(number))


@part
def _seconds(microseconds: int) -> float:
    """The nearest float to that many microseconds, in seconds."""
    size = abs(microseconds)
    if size < (1 << 53):
        return np.float64(microseconds) / 1e6
    whole, rest = size // 1000000, size % 1000000
    shift = np.int64(0)
    while (whole << (shift + 1)) < (1 << 53):
        shift += 1
    scaled = rest << shift
    mantissa, left = (whole << shift) + scaled // 1000000, scaled % 1000000
    if left > 500000 or (left == 500000 and (mantissa & 1) == 1):
        mantissa += 1
    exact = np.float64(mantissa) / np.float64(np.int64(1) << shift)
    return exact if microseconds > 0 else -exact


@part
def _subtract_moments(stack: Int64s, at: int, kind: int, a: int, b: int) -> bool:
    if kind == terms.DATE:
        return _put_float(stack, at, np.float64((a - b) * 86400))
    return _put_float(stack, at, _seconds(a - b))


@part
def _on_integers(op: int, stack: Int64s, at: int, a: int, b: int) -> bool:
    """Two integers; what does not fit into 64 bits is undefined."""
    if op == ADD:
        return not memory.sum_overflows(a, b) and _put(stack, at, terms.INT, a + b)
    if op == SUBTRACT:
        return not memory.difference_overflows(a, b) and _put(stack, at, terms.INT, a - b)
    if op == MULTIPLY:
        return not memory.product_overflows(a, b) and _put(stack, at, terms.INT, a * b)
    if b == 0 or (op == DIVIDE and a == _SMALLEST and b == -1):
        return False
    if b == -1:
        return _put(stack, at, terms.INT, -a if op == DIVIDE else 0)
    quotient = a // b
    if quotient < 0 and quotient * b != a:
        quotient += 1  # towards zero
    return _put(stack, at, terms.INT, quotient if op == DIVIDE else a - quotient * b)


@part
def _on_floats(op: int, stack: Int64s, at: int, a: float, b: float) -> bool:
    if op == ADD:
        return _put_float(stack, at, a + b)
    if op == SUBTRACT:
        return _put_float(stack, at, a - b)
    if op == MULTIPLY:
        return _put_float(stack, at, a * b)
    if b == 0.0:
        return False
    return _put_float(stack, at, a / b if op == DIVIDE else np.fmod(a, b))


@part
def _binary(op: int, stack: Int64s, at: int) -> bool:
    """`+ - * / mod` of the entries at `at` and above it."""
    left_kind, right_kind = stack[3 * at + _KIND], stack[3 * (at + 1) + _KIND]
    a, b = stack[3 * at + _PAYLOAD], stack[3 * (at + 1) + _PAYLOAD]
    if op == SUBTRACT and left_kind == right_kind and (left_kind == terms.DATE or left_kind == terms.TIMESTAMP):
        return _subtract_moments(stack, at, left_kind, a, b)
    if not (_is_number(left_kind) and _is_number(right_kind)):
        return False
    if left_kind == terms.INT and right_kind == terms.INT:
        return _on_integers(op, stack, at, a, b)
    return _on_floats(op, stack, at, _float(left_kind, a), _float(right_kind, b))


@part
def _unary(op: int, stack: Int64s, at: int) -> bool:
    kind, payload = stack[3 * at + _KIND], stack[3 * at + _PAYLOAD]
    if not _is_number(kind):
        return False
    if op == SQRT:
        number = _float(kind, payload)
        return number >= 0.0 and _put_float(stack, at, math.sqrt(number))
    if kind == terms.INT:
        if op == NEGATE or (op == ABSOLUTE and payload < 0):
            return payload != _SMALLEST and _put(stack, at, terms.INT, -payload)
        return True
    number = float_of(payload)
    if op == NEGATE:
        return _put_float(stack, at, -number)
    if op == ABSOLUTE:
        return _put_float(stack, at, abs(number))
    if op == FLOOR:
        return _put_whole(stack, at, np.floor(number))
    return _put_whole(stack, at, np.ceil(number) if op == CEIL else np.rint(number))


@part
def _order(T: Int64s, stack: Int64s, left: int, right: int) -> int:
    lengths = int32s(T[terms.LENGTHS], T[terms.CAPACITY])
    left_id, right_id = stack[3 * left + _ID], stack[3 * right + _ID]
    left_size = np.int64(lengths[left_id]) if left_id >= 0 else np.int64(0)
    right_size = np.int64(lengths[right_id]) if right_id >= 0 else np.int64(0)
    return compare_values(
        T,
        stack[3 * left + _KIND],
        stack[3 * left + _PAYLOAD],
        left_size,
        stack[3 * right + _KIND],
        stack[3 * right + _PAYLOAD],
        right_size,
    )


@part
def _compare(op: int, T: Int64s, stack: Int64s, at: int) -> bool:
    """A comparison of the entries at `at` and above it; its truth replaces them."""
    if op == EQUAL or op == UNEQUAL:
        same = stack[3 * at + _ID] == stack[3 * (at + 1) + _ID]
        if stack[3 * at + _ID] < 0 or stack[3 * (at + 1) + _ID] < 0:  # one is a number that has just been computed
            same = stack[3 * at + _KIND] == stack[3 * (at + 1) + _KIND]
            same = same and stack[3 * at + _PAYLOAD] == stack[3 * (at + 1) + _PAYLOAD]
        return _put(stack, at, terms.BOOL, np.int64(same == (op == EQUAL)))
    order = _order(T, stack, at, at + 1)
    if order == terms.UNORDERED:
        return False
    truth = (
        (op == LESS and order < 0)
        or (op == LESS_EQUAL and order <= 0)
        or (op == GREATER and order > 0)
        or (op == GREATER_EQUAL and order >= 0)
    )
    return _put(stack, at, terms.BOOL, np.int64(truth))


@part
def _extreme(op: int, T: Int64s, stack: Int64s, at: int) -> bool:
    """The smaller or larger of two; of an integer and a float that are equal, the integer."""
    order = _order(T, stack, at + 1, at)
    if order == terms.UNORDERED:
        return False
    tie = order == 0 and stack[3 * (at + 1) + _KIND] == terms.INT and stack[3 * at + _KIND] == terms.FLOAT
    if tie or (op == SMALLER and order < 0) or (op == LARGER and order > 0):
        for word in range(3):
            stack[3 * at + word] = stack[3 * (at + 1) + word]
    return True


@part
def _conform(kind: int, stack: Int64s, at: int) -> bool:
    if kind == terms.FLOAT and stack[3 * at + _KIND] == terms.INT:
        return _put_float(stack, at, np.float64(stack[3 * at + _PAYLOAD]))
    return stack[3 * at + _KIND] == kind


@part
def evaluate(T: Int64s, code: Int32s, begin: int, end: int, slots: Int32s, stack: Int64s) -> bool:
    """Run the code from `begin` to `end`; the result is at the bottom of the stack unless it is undefined."""
    capacity = T[terms.CAPACITY]
    kinds: Bytes = bytes_at(T[terms.KINDS], capacity)
    payloads = int64s(T[terms.PAYLOADS], capacity)
    top, at = np.int64(-1), begin
    while at < end:
        op = code[at]
        at += 1
        if op == PUSH:
            value = slots[code[at]]
            at += 1
            top += 1
            stack[3 * top + _KIND] = kinds[value]
            stack[3 * top + _PAYLOAD] = payloads[value]
            stack[3 * top + _ID] = value
            defined = True
        elif op <= MODULO:
            top -= 1
            defined = _binary(op, stack, top)
        elif op <= SQRT:
            defined = _unary(op, stack, top)
        elif op == ORDERED:
            defined = _order(T, stack, top, top) != terms.UNORDERED
        elif op == CONFORM:
            defined = _conform(code[at], stack, top)
            at += 1
        elif op <= LARGER:
            top -= 1
            defined = _extreme(op, T, stack, top)
        else:
            top -= 1
            defined = _compare(op, T, stack, top)
        if not defined:
            return False
    return True


@service
def evaluate_at(T: int, code: int, begin: int, end: int, slots: int, stack: int) -> int:
    """`evaluate`, with addresses."""
    words, slot_values = int32s(code, memory.ANY_LENGTH), int32s(slots, memory.ANY_LENGTH)
    return np.int64(evaluate(int64s(T, memory.ANY_LENGTH), words, begin, end, slot_values, int64s(stack, memory.ANY_LENGTH)))


@part
def _called_here(services: Int64s, T: Int64s, code: Int32s, begin: int, end: int, slots: Int32s, stack: Int64s) -> bool:  # noqa: ARG001
    return evaluate(T, code, begin, end, slots, stack)


@part
def _called_there(services: Int64s, T: Int64s, code: Int32s, begin: int, end: int, slots: Int32s, stack: Int64s) -> bool:
    return call(services[0], T.ctypes.data, code.ctypes.data, begin, end, slots.ctypes.data, stack.ctypes.data) != 0


evaluate_called = either(_called_here, _called_here if CHECKED else _called_there)
"""`evaluate`, as the services of a plan have it."""
