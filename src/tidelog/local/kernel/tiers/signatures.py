"""What an entry point is called with, as a text, so that another process can compile it for the same.

An array is `int32[2C]`: its elements, the number of its dimensions, whether its rows (`C`), columns (`F`) or neither (`A`) stand
one after the other, and `r` if it may not be written to. A tuple is its parts in parentheses.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def signature_of(args: tuple[Any, ...]) -> str:
    """The signature of a call."""
    return f"({','.join(map(_type_of, args))})"


def _type_of(value: Any) -> str:
    if isinstance(value, np.ndarray):
        flags = value.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return f"{value.dtype.name}[{value.ndim}{layout}{'' if flags.writeable else 'r'}]"
    if isinstance(value, np.generic):
        return value.dtype.name
    if isinstance(value, tuple):
        return signature_of(value)
    return {bool: "bool", float: "float64"}.get(type(value), "int64")


def numba_types(signature: str) -> tuple[Any, ...]:
    """The types that Numba knows them by."""
    found, rest = _parsed(signature)
    if rest:
        raise ValueError(signature)
    return tuple(found)


def _parsed(text: str) -> tuple[list[Any], str]:
    """The parts of a tuple that a text begins with, and what comes behind it."""
    from numba import types

    found: list[Any] = []
    text = text[1:]
    while not text.startswith(")"):
        text = text.removeprefix(",")
        if text.startswith("("):
            inner, text = _parsed(text)
            found.append(types.BaseTuple.from_types(inner))
            continue
        end = min(at for at in (text.find(","), text.find(")"), len(text)) if at >= 0)
        found.append(_numba_type(text[:end]))
        text = text[end:]
    return found, text[1:]


def _numba_type(text: str) -> Any:
    from numba import from_dtype, types

    name, _, rest = text.partition("[")
    of = types.boolean if name == "bool" else from_dtype(np.dtype(name))
    return types.Array(of, int(rest[0]), rest[1], readonly=rest[2] == "r") if rest else of
