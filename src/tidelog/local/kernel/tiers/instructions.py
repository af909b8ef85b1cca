"""The instructions of the kernel that Python has no name for, as Numba writes them: arrays from raw addresses, bits, overflows.

`memory` says what they mean, by the same names.
"""

# Numba's intrinsics have no types.
# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False
# ruff: noqa: ANN001, ANN201, ANN202, ARG001

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array


def _array_at(context, builder, array_type, address, shape):
    """The array at an address, row after row."""
    array = make_array(array_type)(context, builder)
    size = context.get_constant(types.intp, array_type.dtype.bitwidth // 8)
    strides = [size] if len(shape) == 1 else [builder.mul(shape[1], size), size]
    populate_array(
        array,
        data=builder.inttoptr(address, array.data.type),
        shape=cgutils.pack_array(builder, shape),
        strides=cgutils.pack_array(builder, strides),
        itemsize=size,
        meminfo=None,
    )
    return array._getvalue()


def _view_of(dtype: Any, what: str) -> Any:
    """A function from the address and the length of a buffer to the array."""

    def view(typing_context, address, length):
        def generate(context, builder, signature, args):
            return _array_at(context, builder, signature.return_type, args[0], args[1:])

        return types.Array(dtype, 1, "C")(types.int64, types.int64), generate

    view.__doc__ = what
    return intrinsic(view)


@intrinsic
def int64_matrix(typing_context, address, rows, columns):
    """The int64 matrix at an address, row after row."""

    def generate(context, builder, signature, args):
        return _array_at(context, builder, signature.return_type, args[0], args[1:])

    return types.Array(types.int64, 2, "C")(types.int64, types.int64, types.int64), generate


int32s = _view_of(types.int32, "The int32 buffer at an address.")
int64s = _view_of(types.int64, "The int64 buffer at an address.")
uint64s = _view_of(types.uint64, "The uint64 buffer at an address: bitset rows.")
bytes_at = _view_of(types.uint8, "The byte buffer at an address.")


def _instruction(signature: Any, build: Any, what: str) -> Any:
    """A function of one argument that is one instruction."""

    def instruction(typing_context, argument):
        return signature, lambda _context, builder, _signature, args: build(builder, args[0])

    instruction.__doc__ = what
    return intrinsic(instruction)


_WORD = ir.IntType(64)
load_word = _instruction(
    types.uint64(types.int64),
    lambda builder, address: builder.load(builder.inttoptr(address, _WORD.as_pointer()), align=1),
    "Eight bytes from an address that need not be aligned.",
)
bits_of = _instruction(
    types.int64(types.float64), lambda builder, number: builder.bitcast(number, _WORD), "The bits of a float64 as int64."
)
float_of = _instruction(
    types.float64(types.int64), lambda builder, bits: builder.bitcast(bits, ir.DoubleType()), "The float64 that has these bits."
)
ones_in = _instruction(types.int64(types.uint64), lambda builder, word: builder.ctpop(word), "How many bits of a uint64 are set.")
lowest_one = _instruction(
    types.int64(types.uint64),
    lambda builder, word: builder.cttz(word, ir.Constant(ir.IntType(1), 1)),
    "The place of the lowest bit that is set; the word must not be 0.",
)


def _overflow_of(operation: str, what: str) -> Any:
    """Whether an operation on two int64 overflows; LLVM assumes that plain arithmetic does not."""

    def overflows(typing_context, a, b):
        def generate(context, builder, signature, args):
            return builder.extract_value(getattr(builder, operation)(*args), 1)

        return types.boolean(types.int64, types.int64), generate

    overflows.__doc__ = what
    return intrinsic(overflows)


sum_overflows = _overflow_of("sadd_with_overflow", "Whether a + b leaves 64 bits.")
difference_overflows = _overflow_of("ssub_with_overflow", "Whether a - b leaves 64 bits.")
product_overflows = _overflow_of("smul_with_overflow", "Whether a * b leaves 64 bits.")


@intrinsic
def call(typing_context, address, a, b, c, d, e, f):
    """Call a compiled service at an address."""

    def generate(context, builder, signature, args):
        function = builder.inttoptr(args[0], ir.FunctionType(_WORD, [_WORD] * 6).as_pointer())
        return builder.call(function, args[1:])

    return types.int64(*[types.int64] * 7), generate
