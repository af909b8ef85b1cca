"""NumPy as the kernel means it, for Python: arrays yield Python's integers, and what is made to fit a width wraps around."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np


class View(np.ndarray):  # type: ignore[type-arg]
    """A buffer whose elements are Python's numbers; those of 64 bits without a sign are NumPy's, which wrap around."""

    def __getitem__(self, at: Any) -> Any:
        found = np.ndarray.__getitem__(self, at)
        if isinstance(found, np.ndarray) or type(found) is np.uint64:
            return found
        return found.item()

    def __iter__(self) -> Any:
        return (self[at] for at in range(len(self)))


class _Width:
    """A type of integers: `int32(x)` wraps around."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)
        self._mask = (1 << 8 * self.dtype.itemsize) - 1
        self._top = (self._mask + 1) >> 1 if self.dtype.kind == "i" else self._mask + 1

    def __call__(self, number: Any) -> int:
        found = int(number)
        if -self._top <= found < self._top and (found >= 0 or self._top <= self._mask):
            return found
        found &= self._mask
        return found if found < self._top else found - self._mask - 1


class _Unsigned64(_Width):
    def __call__(self, number: Any) -> Any:
        return number if type(number) is np.uint64 else np.uint64(int(number) & self._mask)


class _Float64:
    dtype = np.dtype(np.float64)

    def __call__(self, number: Any) -> float:
        return float(number)


def _dtype(of: Any) -> Any:
    return of.dtype if isinstance(of, _Width | _Float64) else of


def _maker(make: Any) -> Any:
    """A function of NumPy that makes an array."""

    def made(*args: Any, **options: Any) -> Any:
        return make(*map(_dtype, args), **{name: _dtype(value) for name, value in options.items()}).view(View)

    return made


class PlainNumPy:
    """What stands for `numpy` where Python runs the kernel."""

    def __init__(self) -> None:
        self.int64, self.int32, self.uint32, self.uint8 = map(_Width, (np.int64, np.int32, np.uint32, np.uint8))
        self.uint64, self.float64 = _Unsigned64(np.uint64), _Float64()
        for name in ("empty", "zeros", "ones", "full", "arange", "array", "argsort"):
            setattr(self, name, _maker(getattr(np, name)))

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


@lru_cache(maxsize=8192)
def view_at(address: int, dtype: Any, *shape: int) -> View:
    """The array at an address, which owns nothing: whoever reads it must know that the buffer is there."""
    from ctypes import c_byte

    dtype = np.dtype(dtype)
    size = dtype.itemsize
    for length in shape:
        size *= length
    if size == 0:
        return np.empty(shape, dtype).view(View)
    return np.frombuffer((c_byte * size).from_address(address), dtype).reshape(shape).view(View)
