"""The journal of a stream: a file with a line for each change, and the position in the stream, from which it can be resumed.

The position is in a file beside that of the changes.  It is written after each change, to a temporary file that is then renamed.
So it never counts a change that has not been written, whenever the process ends.  Lines after the position are cut off when the
stream is resumed, and their updates are applied again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import BinaryIO, Self

from tidelog.errors import TidelogError, fail
from tidelog.streams.update import Update

_FIX = "give the stream from its beginning, or start over without --resume"


@dataclass(frozen=True, slots=True)
class Position:
    """A position in a stream."""

    finished: int = 0
    """How many updates have been applied."""
    place: str = ""
    id: str | int | None = None
    """Of the last of them: where it came from, and its id."""
    sizes: tuple[int, ...] = ()
    """The sizes of the files then, in bytes."""
    sequence: int = -1
    """The number of the last change of the saved knowledge base; -1 if there is none."""

    def check(self, last: Update | None, count: int) -> None:
        """Raise an error unless `last`, the last of `count` updates of a stream, is the one at this position."""
        if count < self.finished:
            raise self._error(f"the stream ends after {count} update{'' if count == 1 else 's'}")
        if last is not None and (last.id, _name(last.place)) != (self.id, _name(self.place)):
            found = last.place + (f" (id {last.id})" if last.id is not None else "")
            raise self._error(f"the stream has {found} in its place")

    def _error(self, problem: str) -> TidelogError:
        shown = f", {self.place}" + (f" (id {self.id})" if self.id is not None else "")
        return fail("TL077", f"cannot resume after update {self.finished}{shown}: {problem}", fix=_FIX)


def _name(place: str) -> str:
    """A place without its folder, which depends on the working directory."""
    return place.rpartition("/")[2]


class Journal:
    """A file of changes, or standard output; optionally one of statistics; and the position beside the first."""

    def __init__(self, out: Path | None, stats: Path | None = None, *, resume: bool = False, sets_aside: bool = False) -> None:
        """With `resume`, the files are continued from the recorded position; otherwise, or if there are none, they begin.

        With `sets_aside`, there is a file beside `out` for updates with errors.

        Nothing is written before `with`, so that old files are kept if the program has an error.
        """
        aside = out.with_name(f"{out.name}.set-aside") if out is not None and sets_aside else None
        self._out, self._paths = out, [path for path in (out, stats, aside) if path is not None]
        self._has_statistics, self._sets_aside = stats is not None, aside is not None
        self._state = out.with_name(f"{out.name}.state") if out is not None else None
        for path in self._paths:
            if not path.parent.is_dir():
                raise fail("TL060", f"cannot write {path}: there is no such folder", fix="make the folder first")
        self.position = self._read(self._state) if resume and self._state is not None else Position()
        self._files: list[BinaryIO] = []

    def begin_at(self, sequence: int) -> None:
        """The stream begins with a saved knowledge base in that state."""
        if not self.position.finished:
            self.position = replace(self.position, sequence=sequence)

    def __enter__(self) -> Self:
        sizes = (*self.position.sizes, *([0] * len(self._paths)))
        for path, size in zip(self._paths, sizes, strict=False):
            with _writing(path):
                file = path.open("r+b" if path.exists() else "w+b")
                self._files.append(file)
                file.seek(file.truncate(size))
        self._record(self.position)
        return self

    def __exit__(self, *_exception: object) -> None:
        for file in self._files:
            file.close()

    def add(self, update: Update, finished: int, change: str, heading: str, row: str, *, sequence: int = -1) -> None:
        """Write the change of one update and a row of statistics, with a heading above the first; then record the position."""
        rows = list(zip(self._paths, self._files, strict=True))
        if self._out is None:
            sys.stdout.write(change)
            sys.stdout.flush()
        else:
            _append(*rows.pop(0), change)
        if self._has_statistics:
            path, file = rows[0]
            _append(path, file, row if file.tell() else heading + row)
        self._record(Position(finished, update.place, update.id, sequence=sequence))

    def set_aside(self, update: Update | None, finished: int, line: str, *, sequence: int = -1) -> None:
        """Write an update down that had an error; None if it could not be read.  Then record the position."""
        assert self._sets_aside, "there is no file for it"
        _append(self._paths[-1], self._files[-1], line)
        last = (self.position.place, self.position.id) if update is None else (update.place, update.id)
        self._record(Position(finished, *last, sequence=sequence))

    def _record(self, position: Position) -> None:
        self.position = replace(position, sizes=tuple(file.tell() for file in self._files))
        if self._state is None:
            return
        temporary = self._state.with_name(f".{self._state.name}")
        with _writing(self._state):
            temporary.write_text(json.dumps(asdict(self.position), ensure_ascii=False) + "\n", encoding="utf-8")
            temporary.replace(self._state)

    def _read(self, state: Path) -> Position:
        """The position of an earlier run; the beginning if there was none."""
        if not state.exists():
            if self._paths[0].exists():
                message = f"cannot resume {self._paths[0]}: there is no {state.name} beside it, which records its position"
                raise fail("TL077", message, fix="start over without --resume")
            return Position()
        try:
            kept = json.loads(state.read_text(encoding="utf-8"))
            position = Position(
                int(kept["finished"]),
                str(kept["place"]),
                kept["id"],
                tuple(map(int, kept["sizes"])),
                int(kept.get("sequence", -1)),
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise fail("TL077", f"cannot resume: {state} is damaged: {error}", fix=_FIX) from error
        for path, size in zip(self._paths, position.sizes, strict=False):
            if (path.stat().st_size if path.exists() else 0) < size:
                raise fail("TL077", f"cannot resume {path}: it is shorter than {state.name} says", fix=_FIX)
        return position


def _append(path: Path, file: BinaryIO, text: str) -> None:
    with _writing(path):
        file.write(text.encode())
        file.flush()


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        fix = "check the path, the rights and the space"
        raise fail("TL060", f"cannot write {path}: {error.strerror or error}", fix=fix) from error
