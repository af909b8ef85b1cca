"""The source of a stream, by the type of what is given."""

from __future__ import annotations

import stat
import sys
from collections.abc import AsyncIterable, Iterable
from inspect import iscoroutinefunction
from os import PathLike
from pathlib import Path
from typing import BinaryIO, cast

from tidelog.errors import fail
from tidelog.streams.lines import FileSource, FolderSource, PipeSource
from tidelog.streams.source import IterableSource, QueueSource, UpdateSource

_FIX = "give the path of a file or folder, an open pipe, a queue, or an iterable of updates"


def open_source(updates: object, *, wait: bool = False) -> UpdateSource:
    """The source of a stream: a path (`-` is standard input), an open file, a queue, or an iterable.

    With `wait`, a file or folder is not over when all of it has been read.
    """
    if isinstance(updates, UpdateSource):
        return updates
    if isinstance(updates, str | PathLike):
        return _at_path(Path(updates), wait=wait) if str(updates) != "-" else _standard_input()
    if isinstance(updates, AsyncIterable) or iscoroutinefunction(getattr(updates, "get", None)):
        raise fail("TL076", "this stream is asynchronous", fix="write `async for change in kb.follow(…)` over an async iterator")
    if hasattr(updates, "get_nowait") and hasattr(updates, "get"):
        return QueueSource(updates)
    if hasattr(updates, "fileno") and hasattr(updates, "read"):
        return PipeSource(cast("BinaryIO", updates), str(getattr(updates, "name", "<pipe>")))
    if isinstance(updates, Iterable) and not isinstance(updates, dict | bytes):
        return IterableSource(updates)
    raise fail("TL076", f"{type(updates).__name__} is not a stream of updates", fix=_FIX)


def _at_path(path: Path, *, wait: bool) -> UpdateSource:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise fail("TL060", f"cannot read {path}: {error.strerror or error}", fix="check the path") from error
    if stat.S_ISDIR(mode):
        return FolderSource(path, wait=wait)
    if stat.S_ISREG(mode):
        return FileSource(path, wait=wait)
    return PipeSource(path.open("rb", buffering=0), str(path), is_own=True)


def _standard_input() -> UpdateSource:
    try:
        sys.stdin.fileno()
    except (OSError, ValueError):  # `sys.stdin` has been replaced by a text
        return IterableSource(line for line in sys.stdin if line.strip())
    return PipeSource(sys.stdin.buffer, "<stdin>")
