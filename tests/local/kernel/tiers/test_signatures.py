"""Signatures as texts."""

from __future__ import annotations

import numpy as np
import pytest
from numba import typeof

from tidelog.core.arrays import UInt64s
from tidelog.local.kernel.tiers.signatures import numba_types, signature_of

MATRIX = np.zeros((3, 4), np.int32)


def _read_only() -> UInt64s:
    found = np.zeros(3, np.uint64)
    found.flags.writeable = False
    return found


@pytest.mark.parametrize(
    "value",
    [
        1,
        True,
        2.5,
        np.int32(4),
        np.uint64(4),
        np.float64(4),
        np.bool_(True),
        MATRIX,
        MATRIX[:, 1:3],
        MATRIX.T,
        MATRIX[0],
        MATRIX[:, 0],
        np.zeros(0, np.bool_),
        _read_only(),
        (MATRIX, MATRIX),
        (MATRIX, 1, (2.0, MATRIX[:, 0])),
    ],
    ids=lambda value: signature_of((value,)),
)
def test_a_signature_is_what_numba_makes_of_the_arguments(value: object) -> None:
    args = (value, 7, value)
    assert numba_types(signature_of(args)) == tuple(map(typeof, args))


def test_no_arguments() -> None:
    assert signature_of(()) == "()"
    assert numba_types("()") == ()


def test_a_text_that_is_no_signature_is_refused() -> None:
    with pytest.raises(ValueError, match="int64"):
        numba_types("(int64)(int64)")
