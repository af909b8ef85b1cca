"""Text files of this machine, which Spark's Python workers read by themselves: through the JVM every byte would be copied thrice.

A file is read in parts. As everywhere, a line belongs to the part in which it begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pyarrow as pa

from tidelog.spark.data.blocks import Batches
from tidelog.spark.ingest.sources import Files
from tidelog.spark.ingest.text.lines import Lines, lines_of_bytes, unpacked

_LARGEST, _SMALLEST = 32 << 20, 4 << 20
"""How much a task reads: enough to be worth a task, and little enough that all cores take part."""
_TAIL = 1 << 16


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a file."""

    file: int
    path: str
    begin: int
    end: int | None
    """None: all of it is read, whatever its size by then."""


def is_here(files: Files) -> bool:
    """Whether all files are in the file system of this machine."""
    return all(file.address.startswith("file:") for file in files.files.values())


def shares(files: Files, tasks: int) -> list[tuple[Part, ...]]:
    """What each task reads, parts of large files or several small files; about so many tasks, or more if there is much."""
    total = sum(file.size for file in files.files.values())
    wanted = min(_LARGEST, max(_SMALLEST, total // tasks))
    result: list[tuple[Part, ...]] = []
    share: list[Part] = []
    size = 0
    for key, file in files.files.items():
        count = 1 if files.is_compressed else max(1, -(-file.size // _LARGEST))
        bounds = [file.size * at // count for at in range(count + 1)]
        for begin, end in pairwise(bounds):
            share.append(Part(key, file.path, begin, end if count > 1 else None))
            size += end - begin
            if size >= wanted:
                result.append(tuple(share))
                share, size = [], 0
    return [*result, tuple(share)] if share else result


def lines_of_shares(batches: Batches, of_tasks: Sequence[tuple[Part, ...]], *, is_compressed: bool) -> Iterator[Lines]:
    """The lines of shares, given by their numbers; those of files that are read whole have numbers."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            for part in of_tasks[number]:
                yield from _lines_of(part, is_compressed)


def _lines_of(part: Part, is_compressed: bool) -> Iterator[Lines]:
    if part.end is not None:
        yield from lines_of_bytes(pa.py_buffer(read_part(part.path, part.begin, part.end)), part.file, is_start=part.begin == 0)
        return
    data, problem = unpacked(pa.py_buffer(Path(part.path).read_bytes()), is_compressed)
    yield from lines_of_bytes(data, part.file, problem=problem)


def read_part(path: str, begin: int, end: int) -> bytes:
    """The lines that begin between two places of a file."""
    with Path(path).open("rb") as file:
        before = min(begin, 1)
        file.seek(begin - before)
        data = file.read(end - begin + before)
        if before:
            _, newline, data = data.partition(b"\n")
            if not newline:
                return b""
        while data and not data.endswith(b"\n") and (more := file.read(_TAIL)):
            rest, newline, _ = more.partition(b"\n")
            data += rest + newline
        return data
