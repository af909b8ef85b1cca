"""Functions over whole columns of arguments, where all values of a column are of one kind: no value is an object of its own.

Texts are lists of Python strings, and the operations on them are those of `functions.strings`, so that the results are the same.
What is not here, or has other kinds of arguments, is computed row by row (`function_calls`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import starmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s
from tidelog.functions.strings import LONGEST_TEXT
from tidelog.local.storage.dictionary import Dictionary
from tidelog.values import Kind

Column = Sequence[Any]


def _cat(*columns: Column) -> list[str | None]:
    texts = list(map("".join, zip(*columns, strict=True)))
    return [text if len(text) <= LONGEST_TEXT else None for text in texts]


def _substr(text: str, first: int, count: int) -> str | None:
    return text[first : first + count] if first >= 0 and count >= 0 else None


_S, _I, _B = Kind.STRING, Kind.INT, Kind.BOOL
BY_COLUMN: dict[tuple[str, *tuple[Kind, ...]], tuple[Callable[..., Column], Kind]] = {
    ("lower", _S): (lambda texts: list(map(str.lower, texts)), _S),
    ("upper", _S): (lambda texts: list(map(str.upper, texts)), _S),
    ("string", _S): (lambda texts: texts, _S),
    ("string", _I): (lambda numbers: list(map(str, numbers)), _S),
    ("contains", _S, _S): (lambda texts, parts: list(map(operator.contains, texts, parts)), _B),
    ("substr", _S, _I, _I): (lambda *columns: list(starmap(_substr, zip(*columns, strict=True))), _S),
    **{("cat", *[_S] * count): (_cat, _S) for count in range(1, 9)},
}
"""By function and kinds of the arguments: the values, None where one is undefined, and their kind."""


def compute_columns(function: str, rows: NDArray[np.int32], terms: Dictionary) -> tuple[NDArray[np.bool_], Int32s] | None:
    """For each row of arguments whether the function is defined, and the ids of the values that are; None if that is not here."""
    kinds = [terms.kinds_of(column) for column in rows.T]
    if any(len(found) != 1 for found in kinds):
        return None
    known = BY_COLUMN.get((function, *(found[0] for found in kinds)))
    if known is None:
        return None
    compute, kind = known
    columns = [terms.decode_column(np.ascontiguousarray(column)).to_pylist() for column in rows.T]
    values = compute(*columns)
    defined = np.array([value is not None for value in values], np.bool_)
    return defined, _encoded(kind, values if defined.all() else [value for value in values if value is not None], terms)


def _encoded(kind: Kind, values: Column, terms: Dictionary) -> Int32s:
    if kind is Kind.BOOL:
        return terms.encode_numbers(kind, np.array(values, np.int64))
    import pyarrow as pa

    return terms.encode_column(kind, pa.array(values, pa.large_string()))
