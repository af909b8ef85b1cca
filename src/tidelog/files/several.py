"""Several files as one source: a folder, or a pattern such as `data/*.csv`; all of one format, with the same columns."""

from __future__ import annotations

import bisect
import glob
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import pyarrow as pa

from tidelog.errors import TidelogError, fail
from tidelog.files.formats import ENDINGS, format_of
from tidelog.files.raw import Cells, RawTable, Sizes, check_size, unreadable

ReadOne = Callable[[Path, bool | None], RawTable]
"""Reads one file; whether its first row is a header, if another file has told."""


def paths_of(path: Path, given: str | None) -> list[Path] | None:
    """The files of a folder or a pattern, in the order of their names; None if it is one file.

    A folder has all files in it whose ending is known, or with a format all of them, but none whose name begins with `.` or `_`;
    folders in it are left out, and a pattern with `**` finds them.
    """
    if _is(path.is_dir):
        try:
            entries = sorted(entry for entry in path.iterdir() if entry.name[0] not in "._" and entry.is_file())
        except OSError as error:
            raise unreadable(path, error) from error
        found = [entry for entry in entries if given is not None or has_known_ending(entry.name)]
        problem = f"{path} has no file whose ending is known"
    elif glob.has_magic(str(path)) and not _is(path.exists):
        found = sorted(Path(name) for name in glob.glob(str(path), recursive=True) if Path(name).is_file())  # noqa: PTH207
        problem = f"no file fits {path}"
    else:
        return None
    if not found:
        raise fail("TL060", f"cannot read {path}: {problem.removeprefix(f'{path} ')}", fix="check the path, or say `format=`")
    formats = {format_of(one, given).format for one in found}
    if len(formats) > 1:
        fix = f'choose the files by a pattern: `"{path if path.is_dir() else path.parent}{os.sep}*.{min(formats)}"`'
        raise fail("TL082", f"{path} has files of several formats: {', '.join(sorted(formats))}", fix=fix)
    return found


def _is(test: Callable[[], bool]) -> bool:
    """What a test of a path says; no if its name is too long, which an error will say."""
    try:
        return test()
    except OSError:
        return False


def has_known_ending(name: str) -> bool:
    """Whether the ending of a file's name says its format."""
    suffixes = Path(name.lower()).suffixes
    return any("".join(suffixes[-length:]) in ENDINGS for length in (1, 2))


def read_several(path: Path, paths: Sequence[Path], read_one: ReadOne, sizes: Sizes) -> RawTable:
    """The rows of all files, in the order of the files."""
    tables = [(one, read_one(one, None)) for one in paths]
    tables = [(one, table) for one, table in tables if table.columns or table.rows] or tables[:1]
    names = next((table.names for _, table in tables if table.names is not None), None)
    if names is not None:
        tables = [(one, table if table.names is not None else _with_header(one, table, names, read_one)) for one, table in tables]
    (first_path, first), *others = tables
    ordered = [first, *(_in_order(table, first, one, first_path) for one, table in others)]
    check_size(path, sum(_size(cells) for table in ordered for cells in table.columns), sizes)
    columns = tuple(_joined([table.columns[at] for table in ordered], first.is_text) for at in range(len(first.columns)))
    counted = "1 file" if len(paths) == 1 else f"{len(paths):,} files"
    rows = [table.rows for table in ordered]
    return replace(
        first,
        source=str(path),
        described=f"{counted}, {first.described}",
        columns=columns,
        rows=sum(rows),
        places=lambda wanted: _places(ordered, rows, wanted),
    )


def _with_header(path: Path, table: RawTable, names: tuple[str, ...], read_one: ReadOne) -> RawTable:
    """A file in which nothing has told that the first row is a header, where other files have one."""
    first = tuple(str(cells[0]).strip() for cells in table.columns) if table.rows else ()
    if first != names:
        fix = "say `header=True` or `header=False`, which then holds for all files"
        raise fail("TL081", f"{path} has no header, and other files have one: {', '.join(names)}", fix=fix)
    return read_one(path, True)


def _in_order(table: RawTable, first: RawTable, path: Path, first_path: Path) -> RawTable:
    """A table with its columns in the order of the first one."""
    if table.names is None or table.names == first.names:
        if len(table.columns) != len(first.columns):
            raise _differs(path, len(table.columns), first_path, len(first.columns))
        return table
    if first.names is None or sorted(table.names) != sorted(first.names) or len(set(first.names)) < len(first.names):
        raise _differs(path, ", ".join(table.names), first_path, ", ".join(first.names or ()))
    return replace(table, names=first.names, columns=tuple(table.columns[table.names.index(name)] for name in first.names))


def _differs(path: Path, here: object, first: Path, there: object) -> TidelogError:
    fix = "give all files the same columns, or load them one by one"
    return fail("TL081", f"{path} has other columns than {first}: {here}, and there {there}", fix=fix)


def _joined(parts: list[Cells], are_texts: bool) -> Cells:
    """The cells of all files; as Python objects where their types differ, so that no value changes.

    Of text files some may have been read as integers, which are the texts that they were.
    """
    chunked = [part for part in parts if isinstance(part, pa.ChunkedArray)]
    if are_texts and len({part.type for part in chunked}) > 1:
        parts = chunked = [part.cast(pa.string()) for part in chunked]
    if len(chunked) == len(parts) and len({part.type for part in chunked}) == 1:
        return pa.chunked_array([chunk for part in chunked for chunk in part.chunks], chunked[0].type)
    return [cell for part in parts for cell in (part if isinstance(part, list) else part.to_pylist())]


def _size(cells: Cells) -> int:
    return int(cells.nbytes) if isinstance(cells, pa.ChunkedArray) else 8 * len(cells)


def _places(tables: Sequence[RawTable], rows: Sequence[int], wanted: Sequence[int]) -> list[str]:
    """The places of rows, each in its file."""
    ends = list(accumulate(rows))
    found: list[str] = []
    for row in wanted:
        at = bisect.bisect_right(ends, row)
        found += tables[at].places([row - (ends[at - 1] if at else 0)])
    return found
