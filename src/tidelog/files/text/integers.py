"""Delimited texts of nothing but integers, as graphs are: Arrow reads them as numbers, without a text for each cell.

What Arrow takes for an integer and `text_types` does not (`007`, `0x1F`, `+1`, blanks) is looked for in the bytes first, and what
another integer is written as (`-0`).
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

_PIECE = 1 << 18
"""So many bytes are looked at together: they and what is found of them stay in the cache."""
_ZERO, _DIGITS = 48, 10


def integer_columns(data: bytes, begin: int, delimiter: str) -> pa.Table | None:
    """The columns of the lines from some byte on; None if a cell is no plain integer of 64 bits, or lines differ in length."""
    if not _are_plain(data, begin, delimiter.encode()):
        return None
    ragged: list[int] = []

    def skip(row: arrow_csv.InvalidRow) -> str:
        ragged.append(row.actual_columns)
        return "skip"

    parsing = arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False, invalid_row_handler=skip)
    line = data.find(b"\n", begin)
    names = [f"c{at}" for at in range(data.count(delimiter.encode(), begin, line if line >= 0 else len(data)) + 1)]
    converting = arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.int64()), null_values=[])
    try:
        source = pa.BufferReader(pa.py_buffer(data).slice(begin))
        table = arrow_csv.read_csv(source, arrow_csv.ReadOptions(column_names=names), parsing, converting)
    except pa.ArrowInvalid:  # an empty cell, a minus between digits, more than 64 bits
        return None
    return None if ragged else table


def _are_plain(data: bytes, begin: int, delimiter: bytes) -> bool:
    """Whether a text has digits, minus signs, delimiters and line breaks only, and no number has a zero in front of others."""
    if delimiter.isdigit() or delimiter == b"-" or not data[begin : begin + 1].strip() or data.find(b"-0", begin) >= 0:
        return False
    if data[begin : begin + 1] == b"0" and data[begin + 1 : begin + 2].isdigit():
        return False
    for start in range(begin, len(data), _PIECE):
        end = min(start + _PIECE, len(data))
        others = sum(data.count(mark, start, end) for mark in (delimiter, b"\n", b"\r", b"-"))
        last = min(end + 1, len(data))  # a zero is looked at with the bytes on both of its sides
        digits = np.frombuffer(data, np.uint8, last - max(start - 1, 0), max(start - 1, 0)) - np.uint8(_ZERO)
        are_digits = digits < _DIGITS
        if np.count_nonzero(are_digits[start - max(start - 1, 0) : end - max(start - 1, 0)]) + others < end - start:
            return False
        if np.any(~are_digits[:-2] & (digits[1:-1] == 0) & are_digits[2:]):
            return False
    return True
