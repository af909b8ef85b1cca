"""Files of updates in a folder, in the order of names and lines, each line read once while the job runs.

A file that has its name is read to its end, and read on if it grows while it is the last one.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import deque
from itertools import islice

from tidelog.errors import TidelogError, fail
from tidelog.pipeline.streaming.arrivals import Arrived
from tidelog.stores import Store
from tidelog.streams.lines import LineSplitter, is_update_file, lines_of
from tidelog.text_limits import LONGEST_TEXT

_CHUNK = 1 << 20


class UpdateFiles:
    """Reads a folder; what has been read and not yet been asked for again is forgotten."""

    def __init__(self, store: Store, folder: str) -> None:
        self._store, self._folder = store, folder
        self.names: list[str] = []
        """The files that there were when the folder was last listed, in order."""
        self._restart("", 0)

    def _restart(self, file: str, line: int) -> None:
        self._ready: deque[Arrived] = deque()
        self._given = (file, line)
        """The position up to which updates were committed."""
        self._open(file)

    def _open(self, file: str) -> None:
        self._file, self._bytes = file, 0
        self._lines: deque[tuple[str, int, bytes]] = deque()
        self._splitter = LineSplitter(file, self._lines, LONGEST_TEXT)
        self._has_ended_early = False
        """Whether its last line was taken although it has no line break."""

    def after(self, position: tuple[str, int], most: int, *, is_final: bool = False) -> list[Arrived]:
        """So many updates at most that stand behind a position.

        Unless it is final, a last line without its line break, and that is no JSON, is taken for one that is being written.
        """
        if position < self._given:
            self._restart(*position)
        self._given = position
        while self._ready and (self._ready[0].file, self._ready[0].line) <= position:
            self._ready.popleft()
        if len(self._ready) < most:
            self.list()
        while len(self._ready) < most and self._read(is_final=is_final):
            pass
        return list(islice(self._ready, most))

    def list(self) -> None:
        """See which files there are."""
        before = set(self.names)
        try:
            self.names = [name for name in self._store.entries() if is_update_file(name)]
        except OSError as error:
            raise fail("TL060", f"cannot read {self._folder}: {error.strerror or error}", fix="check the path") from error
        new = [name for name in self.names[: bisect_right(self.names, self._file)] if name not in before] if before else []
        if late := [name for name in new if name <= self._given[0]]:
            raise late_files(self._folder, self._given[0], late, is_certain=True)
        if new:  # among those that were read ahead
            self._restart(*self._given)

    def _read(self, *, is_final: bool) -> bool:
        """Read some more lines, of the current file or of the next one; False if there is nothing more now."""
        at = bisect_right(self.names, self._file)
        is_last = at == len(self.names)
        if at and self.names[at - 1] == self._file and self._has_more(is_final=is_final or not is_last):
            return True
        if is_last:
            return False
        self._open(self.names[at])
        return True

    def _has_more(self, *, is_final: bool) -> bool:
        """Read more of the current file; False at its end."""
        try:
            if self._file.endswith(".gz"):
                return self._unpack()
            data = self._store.read_bytes(self._file, self._bytes, _CHUNK)
        except OSError as error:
            problem = f"cannot read {self._folder}/{self._file}: {error.strerror or error}"
            raise fail("TL060", problem, fix="check the path and the rights") from error
        self._bytes += len(data)
        if data:
            self._splitter.add(self._continued(data))
        elif (rest := self._splitter.rest) and (is_final or _is_json(rest)):
            self._splitter.end()
            self._has_ended_early = True
        has_lines = bool(self._lines)
        self._take()
        return bool(data) or has_lines

    def _continued(self, data: bytes) -> bytes:
        """The bytes behind those that were read before, without the line break of a line that was taken without it."""
        if not self._has_ended_early:
            return data
        self._has_ended_early = False
        line_break = data[: 2 if data.startswith(b"\r\n") else 1]
        if not line_break.endswith(b"\n"):
            problem = f"{self._folder}/{self._file} has changed: its last line has become longer after it was read"
            raise fail("TL077", problem, fix="add whole lines to a file, and start the job again")
        return data[len(line_break) :]

    def _unpack(self) -> bool:
        """Read a compressed file, once; a damaged one is an update that says so."""
        if self._bytes:
            return False
        self._bytes = 1
        try:
            with self._store.at_hand(self._file) as path:
                self._lines.extend((self._file, number, line) for number, line in lines_of(path))
        except TidelogError as error:
            problem = error.diagnostics[0]
            if problem.code == "TL060":
                raise  # it may be readable again
            if (self._file, 1) > self._given:
                self._ready.append(Arrived(self._file, 1, None, f"{problem.code}: {problem.message}"))
        self._take()
        return True

    def _take(self) -> None:
        for name, number, line in self._lines:
            if (name, number) > self._given:
                self._ready.append(Arrived(name, number, line.decode(errors="replace"), _encoding(line)))
        self._lines.clear()


def late_files(folder: str, last: str, late: list[str], *, is_certain: bool) -> TidelogError:
    """The error for files added among those that have been read."""
    names = ", ".join(sorted(late)[:_NAMES_SHOWN])
    what = "a file" if len(late) == 1 else f"{len(late)} files"
    guess = "" if is_certain else "most probably "
    problem = f"{what} came late to {folder}, {guess}{names}: {last} has been read already"
    return fail("TL077", problem, fix="rename what came late so that it sorts behind all others, with the time for example")


_NAMES_SHOWN = 3


def _is_json(line: bytes) -> bool:
    """Whether a line is whole: the beginning of an object is not an object."""
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _encoding(line: bytes) -> str | None:
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return f"TL061: this is not UTF-8 text: byte {error.start + 1} cannot be decoded"
    return None
