"""Arrays and numbers as compiled code has them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog.local.kernel.tiers.plain_numpy import PlainNumPy, View, view_at

plain = PlainNumPy()
some_integers = st.one_of(st.integers(-(2**70), 2**70), st.sampled_from([-(2**63), 2**63, 2**64, 2**31, -(2**31), -1, 0]))


@given(some_integers)
def test_numbers_of_a_width_wrap_around(number: int) -> None:
    for name in ("int64", "int32", "uint32", "uint8"):
        dtype = np.dtype(name)
        bits = number & ((1 << 8 * dtype.itemsize) - 1)
        expected = int(np.array([bits], f"u{dtype.itemsize}").view(dtype)[0])
        found = getattr(plain, name)(number)
        assert (found, type(found)) == (expected, int)
    assert plain.uint64(number) == np.uint64(number & (2**64 - 1))
    assert type(plain.uint64(number)) is np.uint64
    assert plain.int64(plain.uint64(number)) == plain.int64(number)


def test_a_float_becomes_whole_towards_zero() -> None:
    assert plain.int64(-2.75) == -2
    assert (plain.float64(np.uint64(3)), type(plain.float64(2))) == (3.0, float)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8, np.float64, np.bool_])
def test_elements_are_numbers_of_python(dtype: type) -> None:
    view = np.ones((2, 3), dtype).view(View)
    for found in (view[1, 2], view[0][1], view[:, 1][0], next(iter(view[0]))):
        assert found == 1
        assert type(found) in (int, float, bool)
    assert isinstance(view[0], View)
    assert isinstance(view[0:1], View)


def test_words_of_bits_have_no_sign() -> None:
    view = np.full(2, 2**64 - 1, np.uint64).view(View)
    assert type(view[0]) is np.uint64
    assert ~view[0] == np.uint64(0)


def test_arrays_are_made_with_elements_of_python() -> None:
    for made in (plain.zeros(3, plain.int32), plain.full(3, 7, plain.int32), plain.empty((2, 2), dtype=plain.int64)):
        assert isinstance(made, View)
    assert plain.zeros(3, plain.int32).dtype == np.int32
    assert plain.uint64(3) == 3
    assert plain.isnan(plain.inf - plain.inf)


def test_a_view_of_an_address_is_the_buffer() -> None:
    buffer = np.arange(6, dtype=np.int64)
    view = view_at(buffer.ctypes.data, np.int64, 2, 3)
    view[1, 1] = 40
    assert buffer.tolist() == [0, 1, 2, 3, 40, 5]
    assert view_at(0, np.int32, 0).shape == (0,)
    assert view_at(0, np.int64, 0, 4).shape == (0, 4)
    with pytest.raises(IndexError):
        view[2, 0]
