"""Following a stream: the source of its updates, and an iterator that applies them and gives the change of each."""

from __future__ import annotations

import stat
import sys
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from inspect import iscoroutinefunction
from os import PathLike
from pathlib import Path
from typing import BinaryIO, Protocol, Self, cast

from tidelog.arguments import path_of
from tidelog.changes import Change
from tidelog.errors import TidelogError, fail
from tidelog.program.program import Program
from tidelog.program.relations import Relation
from tidelog.streams.lines import FileSource, FolderSource, PipeSource
from tidelog.streams.source import IterableSource, QueuedUpdates, QueueSource, UpdateSource
from tidelog.streams.update import Update, UpdateError, as_update, fitting
from tidelog.text_limits import LONGEST_TEXT


class Follower(Protocol):
    """What a stream needs of a knowledge base."""

    @property
    def relations(self) -> Mapping[str, Relation]:
        """All relations by name."""

    @property
    def program(self) -> Program:
        """The rules, with their prefixes."""

    def apply(self, update: Update, next_update: Callable[[], Update | None]) -> Change:
        """Apply one update; `next_update` gives the one after it if it has arrived already."""

    def replay(self, updates: Iterable[Update]) -> None:
        """Apply updates whose changes are not wanted."""


class _Progress:
    """What both iterators share: the knowledge base, and the update that is being applied."""

    def __init__(self, kb: Follower) -> None:
        self._kb = kb
        self.number = 0
        """The number of the update that was taken last, counted from 1."""
        self.update: Update | None = None
        """The update that was taken last; None if it could not be read."""

    def _applied(self, update: Update, next_update: Callable[[], Update | None]) -> Change:
        return replace(self._kb.apply(update, next_update), id=update.id)

    def _at(self, error: TidelogError) -> UpdateError:
        return UpdateError(error.diagnostics, self.update, self.number)


class Following(_Progress, Iterator[Change]):
    """The changes that the updates of a stream make, one after the other.

    `next` takes one update and applies it.  If that fails, `UpdateError` is raised, the knowledge base is as before that update,
    and `next` goes on with the one after it.
    """

    passes_over_errors = False
    """Whether `replay` and `skip` pass over updates with errors, as those that were set aside."""

    def __init__(self, kb: Follower, source: UpdateSource) -> None:
        super().__init__(kb)
        self.source = source
        source.prepare = fitting(kb.relations, kb.program.printer.spellings)

    def __next__(self) -> Change:
        update = self.take()
        if update is None:
            raise StopIteration
        return self.apply(update)

    def take(self) -> Update | None:
        """Wait for the next update, and do not apply it; None at the end."""
        self.update = None
        self.number += 1
        try:
            self.update = self.source.next()
        except TidelogError as error:
            raise self._at(error) from error
        if self.update is None:
            self.number -= 1
            self.close()
        return self.update

    def apply(self, update: Update) -> Change:
        """Apply the update that was taken."""
        try:
            return self._applied(update, self.source.waiting)
        except TidelogError as error:
            raise self._at(error) from error

    def replay(self, count: int) -> Update | None:
        """Apply the first `count` updates without their changes; the last of them.

        If there are fewer, `number` says how many there were.
        """
        last: Update | None = None
        if self.passes_over_errors:
            while self.number < count and (update := self._readable(count)) is not None:
                last = update
                with suppress(TidelogError):
                    self._applied(update, lambda: None)
            return last

        def updates() -> Iterator[Update]:
            nonlocal last
            while self.number < count and (update := self.take()) is not None:
                last = update
                yield update

        try:
            self._kb.replay(updates())
        except UpdateError:
            raise
        except TidelogError as error:
            raise self._at(error) from error
        return last

    def skip(self, count: int) -> Update | None:
        """Take the first `count` updates without applying them; the last of them."""
        last: Update | None = None
        take = partial(self._readable, count) if self.passes_over_errors else self.take
        while self.number < count and (update := take()) is not None:
            last = update
        return last

    def _readable(self, count: int) -> Update | None:
        """The next update that can be read, among the first `count`; None if there is none."""
        while self.number < count:
            try:
                return self.take()
            except UpdateError:
                continue
        return None

    @property
    def backlog(self) -> int:
        """How many updates are known to be waiting; there may be more."""
        return self.source.backlog

    def close(self) -> None:
        """Close the files that are open."""
        self.source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


class AsyncFollowing(_Progress, AsyncIterator[Change]):
    """The same over an asynchronous iterator.  Waiting for an update yields to other tasks; applying one does not."""

    def __init__(self, kb: Follower, updates: AsyncIterator[object]) -> None:
        super().__init__(kb)
        self._updates = updates
        self._prepare = fitting(kb.relations, kb.program.printer.spellings)
        self._ahead: tuple[object, Update] | None = None

    async def __anext__(self) -> Change:
        self.update = None
        thing = await anext(self._updates)
        self.number += 1
        try:
            known, self._ahead = self._ahead, None
            self.update = known[1] if known is not None and known[0] is thing else self._prepared(thing, self.number)
            return self._applied(self.update, self._next_update)
        except TidelogError as error:
            raise self._at(error) from error

    def _prepared(self, thing: object, number: int) -> Update:
        return self._prepare(as_update(thing, f"update {number}"))

    def _next_update(self) -> Update | None:
        """The next update, if it is in a queue already; another iterator cannot be inspected without running it."""
        if self._ahead is None and isinstance(self._updates, QueuedUpdates) and (thing := self._updates.waiting()) is not None:
            try:
                self._ahead = thing, self._prepared(thing, self.number + 1)
            except TidelogError:  # raised when its turn comes
                return None
        return self._ahead[1] if self._ahead is not None else None


_FIX = "give the path of a file or folder, an open pipe, a queue, or an iterable of updates"


def open_source(updates: object, *, wait: bool = False, longest: int = LONGEST_TEXT) -> UpdateSource:
    """The source of a stream: a path (`-` is standard input), an open file, a queue, or an iterable.

    With `wait`, a file or folder is not over when all of it has been read.  A line may have `longest` bytes.
    """
    if isinstance(updates, UpdateSource):
        return updates
    if isinstance(updates, str | PathLike):
        return _at_path(path_of(updates), wait=wait, longest=longest) if str(updates) != "-" else _standard_input(longest)
    if isinstance(updates, AsyncIterable) or iscoroutinefunction(getattr(updates, "get", None)):
        raise fail("TL076", "this stream is asynchronous", fix="write `async for change in kb.follow(…)` over an async iterator")
    if hasattr(updates, "get_nowait") and hasattr(updates, "get"):
        return QueueSource(updates)
    if hasattr(updates, "fileno") and hasattr(updates, "read"):
        return PipeSource(cast("BinaryIO", updates), str(getattr(updates, "name", "<pipe>")), longest=longest)
    if isinstance(updates, Iterable) and not isinstance(updates, dict | bytes):
        return IterableSource(updates)
    raise fail("TL076", f"{type(updates).__name__} is not a stream of updates", fix=_FIX)


def _at_path(path: Path, *, wait: bool, longest: int) -> UpdateSource:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise fail("TL060", f"cannot read {path}: {error.strerror or error}", fix="check the path") from error
    if stat.S_ISDIR(mode):
        return FolderSource(path, wait=wait, longest=longest)
    if stat.S_ISREG(mode):
        return FileSource(path, wait=wait, longest=longest)
    return PipeSource(path.open("rb", buffering=0), str(path), is_own=True, longest=longest)


def _standard_input(longest: int) -> UpdateSource:
    try:
        sys.stdin.fileno()
    except (OSError, ValueError):  # `sys.stdin` has been replaced by a text
        return IterableSource(line for line in sys.stdin if line.strip())
    return PipeSource(sys.stdin.buffer, "<stdin>", longest=longest)
