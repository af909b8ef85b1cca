"""Updates as lines of JSON: from a file, a pipe such as standard input, or a folder that grows."""

from __future__ import annotations

import gzip
import os
import select
import time
import zlib
from abc import abstractmethod
from collections import deque
from io import BufferedIOBase
from pathlib import Path
from typing import BinaryIO, cast

from tidelog.errors import TidelogError, fail
from tidelog.streams.source import UpdateSource
from tidelog.streams.update import Update
from tidelog.text_limits import LONGEST_TEXT

_CHUNK = 1 << 20
_POLL_EVERY = 0.1
"""Seconds between two polls of a file or folder that may grow."""
_ENDINGS = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
_BOM = b"\xef\xbb\xbf"


class Lines(UpdateSource):
    """Updates from lines; empty ones are skipped."""

    def __init__(self, longest: int = LONGEST_TEXT) -> None:
        """`longest` is the most bytes of a line; a longer one is a broken update."""
        super().__init__()
        self._longest = longest
        self._lines: deque[tuple[str, int, bytes]] = deque()
        """Lines that have been read, each with its file and number."""

    def _take(self) -> Update | None:
        while not self._lines and self._read(wait=True):
            pass
        if not self._lines:
            return None
        name, number, line = self._lines.popleft()
        return Update.from_json(line, f"{name}:{number}", self._longest)

    def _is_ready(self) -> bool:
        while not self._lines and self._read(wait=False):
            pass
        return bool(self._lines)

    def _known(self) -> int:
        return len(self._lines)

    @abstractmethod
    def _read(self, *, wait: bool) -> bool:
        """Read some more lines; False at the end, or, without `wait`, if there are none now."""


class LineSplitter:
    """Splits the bytes of one file into numbered lines."""

    def __init__(self, name: str, lines: deque[tuple[str, int, bytes]], longest: int) -> None:
        self.name, self._lines, self._longest = name, lines, longest
        self._number, self._rest, self._length = 0, [b""], 0

    def add(self, data: bytes) -> None:
        """Add bytes; those after the last line break are kept until the rest of their line is there, if it is not too long."""
        first, *others = data.split(b"\n")
        if self._length <= self._longest:
            self._rest.append(first)
            self._length += len(first)
        for part in others:
            self._line(b"".join(self._rest))
            self._rest, self._length = [part], len(part)

    @property
    def rest(self) -> bytes:
        """What stands behind the last line break."""
        return b"".join(self._rest)

    def end(self) -> None:
        """The last line, if it has no line break."""
        if rest := self.rest:
            self._line(rest)
        self._rest, self._length = [b""], 0

    def _line(self, line: bytes) -> None:
        self._number += 1
        line = line.removeprefix(_BOM) if self._number == 1 else line
        if line.strip():
            self._lines.append((self.name, self._number, line))


class _OpenFile:
    """A file of lines that is being read, decompressed if its name ends with `.gz`."""

    def __init__(self, path: Path, lines: deque[tuple[str, int, bytes]], longest: int = LONGEST_TEXT) -> None:
        self._name, self._splitter = str(path), LineSplitter(str(path), lines, longest)
        try:
            file = gzip.GzipFile(path) if path.suffix == ".gz" else path.open("rb")
        except OSError as error:
            raise self._cannot_read(error) from error
        self._file = cast("BufferedIOBase", file)

    def read(self) -> bool:
        """Read some more; False if there is no more now."""
        try:
            data = self._file.read1(_CHUNK)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            self._file.close()
            fix = "write the file again, and rename it when it is complete"
            raise fail("TL083", f"{self._name} is damaged: {error}", fix=fix) from error
        except OSError as error:
            self._file.close()
            raise self._cannot_read(error) from error
        self._splitter.add(data)
        return bool(data)

    def end(self) -> None:
        """Take the rest as the last line, and close the file."""
        self._splitter.end()
        self._file.close()

    @property
    def has_ended(self) -> bool:
        """Whether the file has been read to its end."""
        return self._file.closed

    def close(self) -> None:
        """Read no further."""
        self._file.close()

    def _cannot_read(self, error: OSError) -> TidelogError:
        return fail("TL060", f"cannot read {self._name}: {error.strerror or error}", fix="check the path and the rights")


class FileSource(Lines):
    """Updates from a file.  With `wait`, there may be more later, and a line counts when its line break is there."""

    _file: _OpenFile | None = None

    def __init__(self, path: Path, *, wait: bool = False, longest: int = LONGEST_TEXT) -> None:
        super().__init__(longest)
        if wait and path.suffix == ".gz":
            raise fail("TL074", f"cannot wait for more of {path}, which is compressed", fix="leave --follow (wait=) out")
        self._file, self._wait = _OpenFile(path, self._lines, longest), wait

    def _read(self, *, wait: bool) -> bool:
        if self._file is None or self._file.has_ended:
            return False
        if self._file.read():
            return True
        if not self._wait:
            self._file.end()
            return True
        if wait:
            time.sleep(_POLL_EVERY)
        return wait

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


class PipeSource(Lines):
    """Updates from another process, as they arrive: standard input, a named pipe, a socket."""

    def __init__(self, file: BinaryIO, name: str, *, is_own: bool = False, longest: int = LONGEST_TEXT) -> None:
        """Reads the file descriptor and not the buffer of `file`, since reading that might wait."""
        super().__init__(longest)
        self._file, self._splitter, self._has_ended = file, LineSplitter(name, self._lines, longest), False
        self._is_own = is_own

    def _read(self, *, wait: bool) -> bool:
        if self._has_ended:
            return False
        number = self._file.fileno()
        if not select.select([number], [], [], None if wait else 0)[0]:
            return False
        data = os.read(number, _CHUNK)
        if data:
            self._splitter.add(data)
        else:
            self._splitter.end()
            self._has_ended = True
        return True

    def close(self) -> None:
        """Close the pipe, if it was opened for this stream alone."""
        self._has_ended = True
        if self._is_own:
            self._file.close()


class FolderSource(Lines):
    """Updates from the files of a folder, in the order of their names.

    A file is taken to be whole when it has its name: those that begin with a dot or have another ending are left alone, so that a
    file can be written under such a name and then be renamed.
    """

    _file: _OpenFile | None = None

    def __init__(self, folder: Path, *, wait: bool = False, longest: int = LONGEST_TEXT) -> None:
        super().__init__(longest)
        self._folder, self._wait = folder, wait
        self._done: set[str] = set()
        self._coming: deque[str] = deque()
        self._last, self._listed = "", 0.0
        self._list()

    def _list(self) -> None:
        """List new files; one that sorts before a file that has been read is an error."""
        self._listed = time.monotonic()
        try:
            with os.scandir(self._folder) as entries:
                found = sorted(entry.name for entry in entries if is_update_file(entry.name) and entry.is_file())
        except OSError as error:
            raise fail("TL060", f"cannot read {self._folder}: {error.strerror or error}", fix="check the path") from error
        self._coming = deque(name for name in found if name not in self._done)
        if self._coming and self._coming[0] < self._last:
            late = self._coming.popleft()
            self._done.add(late)
            fix = "give new files names that sort behind those that are there, such as the time"
            raise fail("TL077", f"{self._folder / late} came late: {self._last} has been read already", fix=fix)

    def _read(self, *, wait: bool) -> bool:
        if self._file is not None and not self._file.has_ended:
            if not self._file.read():
                self._file.end()
            return True
        if not self._coming:
            if not wait and time.monotonic() - self._listed < _POLL_EVERY:
                return False  # to list a large folder for each update would take longer than the updates
            self._list()
        if self._coming:
            self._last = self._coming.popleft()
            self._done.add(self._last)
            self._file = _OpenFile(self._folder / self._last, self._lines, self._longest)
            return True
        if self._wait and wait:
            time.sleep(_POLL_EVERY)
        return self._wait and wait

    def close(self) -> None:
        """Close the file that is being read."""
        if self._file is not None:
            self._file.close()


def is_update_file(name: str) -> bool:
    """Whether a file of this name is a complete file of updates."""
    return name.endswith(_ENDINGS) and not name.startswith(".")


def lines_of(path: Path) -> list[tuple[int, bytes]]:
    """The lines of a file with their numbers, without empty ones; decompressed if its name ends with `.gz`."""
    lines: deque[tuple[str, int, bytes]] = deque()
    file = _OpenFile(path, lines)
    while file.read():
        pass
    file.end()
    return [(number, line) for _, number, line in lines]
