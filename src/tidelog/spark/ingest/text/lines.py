"""The lines of text files inside Spark's tasks: as Spark splits them, or file by file with their numbers.

Large files are split by Spark, so that all cores take part; then a line does not know its number. Small files are read whole.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tidelog.spark.ingest.rejects import record_of

OPEN_QUOTE = "it has a quote that nothing closes"
_AT_ONCE = 1 << 16
_BOM = "\ufeff"
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Lines:
    """Some lines, without those that are empty."""

    texts: pa.Array
    files: NDArray[np.int64]
    """For each line the id of its file."""
    firsts: NDArray[np.bool_]
    """Which lines are the first of their file."""
    numbers: NDArray[np.int64] | None = None
    """Their numbers, counted from 1, if the file is read whole."""
    rejected: list[tuple[int, str]] = field(default_factory=list)
    """Those that are no text, by their places here, with the reason."""

    def at(self, mask: NDArray[np.bool_]) -> Lines:
        """Some of the lines; none of them is among the rejected."""
        numbers = None if self.numbers is None else self.numbers[mask]
        return Lines(self.texts.filter(pa.array(mask)), self.files[mask], self.firsts[mask], numbers)

    def without(self, places: list[int]) -> Lines:
        """All lines but some; behind the first line of a file, the next one is the first."""
        if not places:
            return self
        mask = np.ones(len(self.texts), np.bool_)
        mask[places] = False
        firsts = self.firsts.copy()
        for place in np.flatnonzero(firsts & ~mask):
            following = np.flatnonzero(mask[place:])
            if len(following) and self.files[place + following[0]] == self.files[place]:
                firsts[place + following[0]] = True
        return replace(self, firsts=firsts).at(mask)

    def number(self, at: int) -> int | None:
        """The number of a line, if it is known."""
        return None if self.numbers is None else int(self.numbers[at])

    def record(self, files: dict[int, str], at: int, column: str | None, reason: str) -> str:
        """The record of a line that is rejected; `files` are the names of files by their ids."""
        return record_of(files[int(self.files[at])], self.number(at), column, reason, self.texts[at].as_py().rstrip("\r"))


def lines_of_rows(batches: Iterator[pa.RecordBatch]) -> Iterator[Lines]:
    """Lines as Spark splits them: batches of the text, the id of the file, and where in the file Spark's block begins."""
    before = (0, -1)
    for batch in batches:
        texts, rejected_bytes = _texts(batch.column(0))
        files = batch.column(1).to_numpy(zero_copy_only=False)
        starts = batch.column(2).to_numpy(zero_copy_only=False)
        kept = _filled(texts)
        kept[list(rejected_bytes)] = True
        texts, files, starts = texts.filter(pa.array(kept)), files[kept], starts[kept]
        if len(texts) == 0:
            continue
        changed = np.empty(len(files), np.bool_)
        changed[0] = (int(files[0]), int(starts[0])) != before
        changed[1:] = (files[1:] != files[:-1]) | (starts[1:] != starts[:-1])
        before = int(files[-1]), int(starts[-1])
        places = np.cumsum(kept) - 1
        rejected = [(int(places[at]), reason) for at, reason in rejected_bytes.items()]
        yield _without_bom(Lines(texts, files, changed & (starts == 0), None, rejected))


def lines_of_files(batches: Iterator[pa.RecordBatch], *, is_compressed: bool, delimiter: str | None) -> Iterator[Lines]:
    """Lines of whole files: batches of the bytes and the id of the file.

    With a delimiter, a cell in quotes may go over several lines; these are one line here, with the number of the first.
    """
    for batch in batches:
        for content, file in zip(batch.column(0), batch.column(1).to_pylist(), strict=True):
            data, problem = unpacked(content.as_buffer(), is_compressed)
            yield from lines_of_bytes(data, file, delimiter, problem=problem)


def bytes_of_files(batches: Iterator[pa.RecordBatch], *, is_compressed: bool) -> Iterator[tuple[bytes, int, str | None]]:
    """Whole files with their ids; and what is wrong with one that cannot be unpacked."""
    for batch in batches:
        for content, file in zip(batch.column(0), batch.column(1).to_pylist(), strict=True):
            data, problem = unpacked(content.as_buffer(), is_compressed)
            yield data.to_pybytes(), file, problem


def unpacked(data: pa.Buffer, is_compressed: bool) -> tuple[pa.Buffer, str | None]:
    """The bytes of a file; and what is wrong with one that cannot be unpacked. No text starts with the mark of gzip."""
    if not is_compressed and data.slice(0, 2).to_pybytes() != _GZIP:
        return data, None
    try:
        return pa.py_buffer(gzip.decompress(data)), None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        return pa.py_buffer(b""), f"it is not a whole gzip file ({error})"


def lines_of_bytes(
    data: pa.Buffer, file: int, delimiter: str | None = None, *, is_start: bool | None = None, problem: str | None = None
) -> Iterator[Lines]:
    """The lines of a whole file, or of a part of one, which may be its start; or the one problem that a file has."""
    if problem is not None:
        yield Lines(pa.array([""]), np.array([file]), np.array([True]), np.array([1]), [(0, problem)])
        return
    whole = pa.Array.from_buffers(pa.large_binary(), 1, [None, pa.py_buffer(np.array([0, data.size], np.int64)), data])
    split = pc.split_pattern(whole, b"\n").flatten()
    is_first = is_start is not False
    grouped = _grouped(split, delimiter) if delimiter is not None else [(split, np.arange(1, len(split) + 1), None)]
    for lines, numbers, wrong in grouped:
        for begin in range(0, len(lines), _AT_ONCE):
            texts, rejected_bytes = _texts(lines.slice(begin, _AT_ONCE))
            kept = _filled(texts)
            kept[list(rejected_bytes)] = True
            texts = texts.filter(pa.array(kept))
            if len(texts) == 0:
                continue
            places = np.cumsum(kept) - 1
            rejected = [(int(places[at]), reason) for at, reason in rejected_bytes.items()]
            if wrong is not None:
                rejected = [(0, wrong)]
            firsts = np.zeros(len(texts), np.bool_)
            firsts[0], is_first = is_first, False
            chosen = numbers[begin : begin + _AT_ONCE][kept] if is_start is None else None
            yield _without_bom(Lines(texts, np.full(len(texts), file), firsts, chosen, rejected))


def _grouped(lines: pa.Array, delimiter: str) -> list[tuple[pa.Array, NDArray[np.int64], str | None]]:
    """Lines with their numbers, those of one cell in quotes joined; a quote that nothing closes ends the file."""
    numbers = np.arange(1, len(lines) + 1)
    is_open = open_quotes(lines.cast(pa.large_binary()), delimiter)
    if not is_open.any():
        return [(lines, numbers, None)]
    complete = re.compile(_complete(delimiter).encode(), re.DOTALL)
    joined: list[bytes] = []
    starts: list[int] = []
    texts = lines.to_pylist()
    at = 0
    while at < len(texts):
        text, start = texts[at], at
        at += 1
        if is_open[start]:
            parts = [text]
            while at < len(texts):
                parts.append(texts[at])
                at += 1
                if b'"' in parts[-1] and complete.fullmatch(b"\n".join(parts)):
                    break
            else:
                whole = (pa.array(joined, pa.large_binary()), np.array(starts, np.int64), None)
                rest = pa.array([b"\n".join(parts)], pa.large_binary())
                return [whole, (rest, np.array([start + 1]), OPEN_QUOTE)]
            text = b"\n".join(parts)
        joined.append(text)
        starts.append(start + 1)
    return [(pa.array(joined, pa.large_binary()), np.array(starts, np.int64), None)]


def open_quotes(lines: pa.Array, delimiter: str) -> NDArray[np.bool_]:
    """Which lines open a cell with a quote and do not close it."""
    quoted = pc.match_substring(lines, '"')
    if not pc.any(quoted).as_py():
        return np.zeros(len(lines), np.bool_)
    is_open: NDArray[np.bool_] = quoted.to_numpy(zero_copy_only=False).copy()
    complete = pc.match_substring_regex(lines.filter(quoted), f"(?s)^{_complete(delimiter)}$")
    is_open[is_open] = ~complete.to_numpy(zero_copy_only=False)
    return is_open


def _complete(delimiter: str) -> str:
    """What a line looks like whose quotes are closed: cells that start with a quote, and others, where a quote means nothing."""
    mark = re.escape(delimiter)
    cell = rf'(?:"(?:[^"]|"")*"(?:[^"{mark}][^{mark}]*)?|[^"{mark}][^{mark}]*)?'
    return rf"{cell}(?:{mark}{cell})*"


def _texts(lines: pa.Array) -> tuple[pa.Array, dict[int, str]]:
    """The lines as strings, with an empty one in the place of each that is not UTF-8."""
    try:
        if pa.types.is_string(lines.type):
            lines.validate(full=True)
            return lines, {}
        return lines.cast(pa.string()), {}
    except pa.ArrowInvalid:
        texts, rejected = [], {}
        for at, data in enumerate(lines.cast(pa.large_binary()).to_pylist()):
            try:
                texts.append(data.decode())
            except UnicodeDecodeError:
                texts.append(data.decode("utf-8", "backslashreplace"))
                rejected[at] = "it is not UTF-8 text"
        return pa.array(texts, pa.string()), rejected


def _filled(texts: pa.Array) -> NDArray[np.bool_]:
    """Which lines hold something, be it a blank."""
    filled = np.array(pc.not_equal(texts, "").to_numpy(zero_copy_only=False))
    filled &= pc.not_equal(texts, "\r").to_numpy(zero_copy_only=False)
    return filled


def _without_bom(lines: Lines) -> Lines:
    places = [int(at) for at in np.flatnonzero(lines.firsts) if lines.texts[int(at)].as_py().startswith(_BOM)]
    if not places:
        return lines
    texts = lines.texts.to_pylist()
    for at in places:
        texts[at] = texts[at].removeprefix(_BOM)
    return replace(lines, texts=pa.array(texts, pa.string()))
