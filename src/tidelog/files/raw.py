"""Raw tables: the columns of a source before the types of the relation are applied."""

from __future__ import annotations

import codecs
import gzip
import os
import stat
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa

from tidelog.errors import TidelogError, fail
from tidelog.text_limits import LONGEST_TEXT, check_lines

Cells: TypeAlias = pa.ChunkedArray | list[object]
"""The cells of a column: as Arrow has them, or Python objects where Arrow has no type for them."""


@dataclass(frozen=True, slots=True)
class RawTable:
    """The columns of a source, unconverted."""

    source: str
    """The name of the source in messages: `edges.csv`, `a pandas DataFrame`."""
    described: str
    """The kind of source: `csv, no header`."""
    names: tuple[str, ...] | None
    """The names that the source gives to its columns."""
    columns: tuple[Cells, ...]
    rows: int
    places: Callable[[Sequence[int]], list[str]]
    """The places of rows, counted from 0 and ascending, for messages: `edges.csv:17`."""
    is_text: bool = False
    """Whether the cells are texts whose types are to be inferred."""
    has_floats_for_gaps: bool = False
    """Whether integers are floats where their column has gaps, as in pandas."""


def row_places(source: str, *, is_file: bool) -> Callable[[Sequence[int]], list[str]]:
    """Places by row number, counted from 1, for sources without lines."""
    prefix = f"{source}, " if is_file else ""
    return lambda rows: [f"{prefix}row {row + 1}" for row in rows]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a file and its lines may be."""

    line: int = LONGEST_TEXT
    file: int | None = None
    """The most bytes of a file that is read at once, unpacked."""


USUAL_SIZES = Sizes()


def read_bytes(path: Path, sizes: Sizes = USUAL_SIZES, *, is_compressed: bool) -> bytes:
    """All bytes of a file, unpacked."""
    try:
        with gzip.open(path) if is_compressed else path.open("rb") as file:
            is_regular = not is_compressed and stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            if is_regular:
                check_size(path, os.fstat(file.fileno()).st_size, sizes)
            data = file.read() if is_regular or sizes.file is None else _at_most(file, sizes.file)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise damaged(path, f"not a whole gzip file ({error})") from error
    except OSError as error:
        raise unreadable(path, error) from error
    check_size(path, len(data), sizes)
    check_lines(data, str(path), sizes.line)
    return data


def _at_most(file: gzip.GzipFile | BufferedReader, size: int) -> bytes:
    """So many bytes of a file and a few more, if it has as many: `read(size)` would allocate all of them before it reads."""
    pieces, left = list[bytes](), size
    while left >= 0 and (piece := file.read(_PIECE)):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def check_size(path: Path, size: int, sizes: Sizes) -> None:
    """Refuse a file that takes more memory than there may be."""
    if sizes.file is not None and size > sizes.file:
        fix = "raise limit_memory (--limit-memory), or divide the file; nothing has been changed"
        raise fail("TL070", f"{path} has more than {sizes.file:,} bytes of facts", fix=fix)


def unreadable(path: Path, error: OSError) -> TidelogError:
    """The error for a file that cannot be opened."""
    return fail("TL060", f"cannot read {path}: {error.strerror or error}", fix="check the path and the rights of the file")


def damaged(path: Path | str, problem: str) -> TidelogError:
    """The error for a file that does not conform to its format."""
    return fail("TL083", f"{path} is damaged: {problem}", fix="get or write the file again, or say what it is with `format=`")


def is_utf8(data: bytes) -> bool:
    """Whether bytes are a text, looked at piece by piece, since a text of all of them might not fit into memory."""
    if data.isascii():
        return True
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for begin in range(0, len(data), _PIECE):
            decoder.decode(data[begin : begin + _PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


_PIECE = 1 << 20


def not_utf8(source: str, data: bytes | None = None) -> TidelogError:
    """The error for a text that is not UTF-8, with the line if the bytes are known."""
    where = ""
    if data is not None:
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            where = f": line {line} has a byte that cannot be decoded"
    return fail(
        "TL061",
        f"{source} is not UTF-8 text{where}",
        fix='say which encoding it has, as in `encoding="latin-1"`, or save the file as UTF-8',
    )
