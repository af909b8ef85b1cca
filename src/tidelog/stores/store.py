"""What every store can do."""

from __future__ import annotations

import logging
import re
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from io import SEEK_CUR, SEEK_END, SEEK_SET, BufferedReader, RawIOBase
from pathlib import Path
from typing import Any, BinaryIO

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_A_PART = 1 << 16
_LOG = logging.getLogger("tidelog.stores")


def is_uri(path: str) -> bool:
    """Whether a path names its file system."""
    return _URI.match(path) is not None


class Store(ABC):
    """A folder, with files that are named relative to it.  What goes wrong is an `OSError`."""

    can_exclude = True
    """Whether `create` is decided by the file system itself, so that of two processes exactly one succeeds."""

    @abstractmethod
    def address(self, name: str = "") -> str:
        """The address of a file or folder, as Spark names it."""

    @abstractmethod
    def read(self, name: str) -> str | None:
        """The text of a file, None if it is not there."""

    @abstractmethod
    def read_bytes(self, name: str, start: int, most: int) -> bytes:
        """So many bytes of a file at most, from a place on; none behind its end."""

    @abstractmethod
    def size(self, name: str) -> int:
        """How many bytes a file has."""

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        """A file to be read in any order; where it is far away, what is read comes in parts."""
        with BufferedReader(_Parts(self, name), _A_PART) as file:
            yield file

    @abstractmethod
    def replace(self, name: str, text: str) -> None:
        """Write a file: a reader sees the old text or the new one."""

    @abstractmethod
    def create(self, name: str, text: str) -> bool:
        """Write a file that is not there yet; False, and nothing is changed, if it is.  No two texts may be equal."""

    @abstractmethod
    def writing(self, name: str) -> AbstractContextManager[Path]:
        """A path of this machine to write a file to; at the end it is in the folder, in the place of one before."""

    @abstractmethod
    def at_hand(self, name: str) -> AbstractContextManager[Path]:
        """A file as one of this machine, for as long as it is read."""

    @abstractmethod
    def rename(self, old: str, new: str) -> None:
        """Give a file its final name; if it is gone, it has that name already."""

    @abstractmethod
    def changed(self, name: str) -> float:
        """When a file was changed, in seconds since 1970."""

    @abstractmethod
    def entries(self, name: str = "") -> list[str]:
        """The names in a folder, in order; none if it is not there, and a `NotADirectoryError` if it is a file."""

    @abstractmethod
    def delete(self, name: str) -> None:
        """Remove a file, or a folder with all that is in it, if it is there."""

    def remove(self, name: str = "") -> None:
        """The same for cleaning up, which never fails: what cannot be removed is left, and the log says so."""
        try:
            self.delete(name)
        except Exception as error:  # whatever it is, the work is done: Spark may have ended by now
            _LOG.warning("cannot remove %s: %s", self.address(name), error)

    def make_durable(self, name: str) -> None:  # noqa: B027  # most file systems have nothing to do
        """Write a file, or a folder with all that is in it, through to the disk, where that is not so already."""


class _Parts(RawIOBase):
    """A file of a store as a stream, which asks for the bytes that are read."""

    def __init__(self, store: Store, name: str) -> None:
        self._store, self._name, self._at, self._size = store, name, 0, store.size(name)

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        """Go to a place."""
        self._at = offset + {SEEK_SET: 0, SEEK_CUR: self._at, SEEK_END: self._size}[whence]
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, or less at the end."""
        found = self._store.read_bytes(self._name, self._at, len(buffer))
        buffer[: len(found)] = found
        self._at += len(found)
        return len(found)


@contextmanager
def copied(before: Callable[[Path], None] | None = None, after: Callable[[Path], None] | None = None) -> Iterator[Path]:
    """A path for a temporary file of this machine; what fills it, and what takes it."""
    with tempfile.TemporaryDirectory(prefix="tidelog-") as folder:
        path = Path(folder) / "copy"
        if before is not None:
            before(path)
        yield path
        if after is not None:
            after(path)
