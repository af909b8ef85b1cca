"""Updates from the files of a folder, on any file system: read by this process, and applied in batches of a limited number.

The position of the last commit, a file and a line, tells which updates are new, so nothing else has to be kept of a batch.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from tidelog.errors import TidelogError, fail
from tidelog.pipeline.streaming.arrivals import Arrivals, check_kind
from tidelog.pipeline.streaming.stream_query import Process, StoppedError, stream_failure
from tidelog.pipeline.streaming.stream_state import Commit
from tidelog.pipeline.streaming.update_files import UpdateFiles, late_files
from tidelog.stores import Store
from tidelog.stores.local import LocalStore

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_POLL_LOCAL, _POLL_REMOTE = 0.1, 1.0
"""Seconds between two looks into the folder, if nothing was waiting."""


class FolderUpdates:
    """Files of updates, in the order of their names."""

    kind = "folder"
    """Its name in a commit."""

    def __init__(self, store: Store, folder: str, updates: int) -> None:
        """At most so many `updates` are a batch."""
        if isinstance(store, LocalStore) and not store.folder.is_dir():
            raise fail("TL060", f"there is no folder {folder} for updates", fix="make it, or correct `folder` in `[stream]`")
        self._store, self._folder, self._updates = store, folder, updates
        self._files = UpdateFiles(store, folder)
        self.poll_every = _POLL_LOCAL if isinstance(store, LocalStore) else _POLL_REMOTE

    def check(self, last: Commit, state: Store) -> None:
        """No file may have been added among those that have been read."""
        del state
        check_kind(self.kind, last)
        self._files.list()
        read = [name for name in self._files.names if name <= last.file]
        if 0 <= last.seen < len(read):
            newest = sorted(read, key=self._store.changed)[last.seen - len(read) :]
            raise late_files(self._folder, last.file, newest, is_certain=False)

    def query(self, position: Callable[[], Commit], process: Process, state: Store) -> FolderQuery:
        """What follows it."""
        del state
        return FolderQuery(self, position, process)

    def arrivals(self, last: Commit, *, is_final: bool) -> Arrivals:
        """The updates of the next batch after a commit, and the one behind them."""
        found = self._files.after(last.position, self._updates + 1, is_final=is_final)
        new, ahead = found[: self._updates], found[self._updates :]
        end = new[-1].file if new else last.file
        behind = sum(name > end for name in self._files.names) + bool(ahead and ahead[0].file == end)
        return Arrivals(new, ahead[0] if ahead else None, behind=behind, files=tuple(self._files.names))


class FolderQuery:
    """Applies what waits in a folder, batch by batch."""

    id = ""
    """It is no query of Spark's."""

    def __init__(self, stream: FolderUpdates, position: Callable[[], Commit], process: Process) -> None:
        self._stream, self._position, self._process = stream, position, process
        self._pause = threading.Event()

    def wake(self) -> None:
        """Nothing waits for a batch."""

    def run(self, spark: SparkSession, is_over: Callable[[], bool], *, once: bool) -> TidelogError | None:
        """Follow the folder until `is_over`, or, with `once`, until nothing is waiting; the error of a batch that failed."""
        del spark
        number = self._position().batch
        while not is_over():
            arrivals = self._stream.arrivals(self._position(), is_final=once)
            if not arrivals.updates:
                if once:
                    break
                self._pause.wait(self._stream.poll_every)
                continue
            number += 1
            try:
                self._process(arrivals, number)
            except StoppedError:
                break
            except TidelogError as error:
                return error
            except Exception as error:
                return stream_failure(f"{type(error).__name__}: {error}")
        return None
