"""What a stream has done, in files: a line for each change, and how far it has come, so that it can go on there.

The state, beside the file of changes, is written after each change, under another name that then takes the place of the old one.
So whenever the process ends, it speaks of changes that have been written; what stands behind these is cut off when the stream
goes on, and done again.
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
    """How far a stream has come."""

    finished: int = 0
    """How many updates have been worked off."""
    place: str = ""
    id: str | int | None = None
    """Of the last one: where it came from, and its id."""
    sizes: tuple[int, ...] = ()
    """How many bytes each file had then."""

    def check(self, last: Update | None, count: int) -> None:
        """Whether a stream has so many updates, and the last of them is the one that was worked off last."""
        if count < self.finished:
            raise self._error(f"the stream ends after {count} update{'' if count == 1 else 's'}")
        if last is not None and (last.id, _name(last.place)) != (self.id, _name(self.place)):
            found = last.place + (f" (id {last.id})" if last.id is not None else "")
            raise self._error(f"the stream has {found} there")

    def _error(self, problem: str) -> TidelogError:
        shown = f", {self.place}" + (f" (id {self.id})" if self.id is not None else "")
        return fail("TL077", f"cannot go on after update {self.finished}{shown}: {problem}", fix=_FIX)


def _name(place: str) -> str:
    """A place without the folder, which depends on where somebody stands."""
    return place.rpartition("/")[2]


class Journal:
    """A file of changes, or standard output; perhaps one of statistics; and the state beside the first."""

    def __init__(self, out: Path | None, stats: Path | None = None, *, resume: bool = False) -> None:
        """With `resume`, the files go on where the state says; otherwise, or if there are none, they begin.

        Nothing is written before `with` is reached, so that what was there stays if the program turns out to be wrong.
        """
        self._out, self._paths = out, [path for path in (out, stats) if path is not None]
        self._state = out.with_name(f"{out.name}.state") if out is not None else None
        for path in self._paths:
            if not path.parent.is_dir():
                raise fail("TL060", f"cannot write {path}: there is no such folder", fix="make the folder first")
        self.position = self._read(self._state) if resume and self._state is not None else Position()
        self._files: list[BinaryIO] = []

    def __enter__(self) -> Self:
        sizes = (*self.position.sizes, *([0] * len(self._paths)))
        for path, size in zip(self._paths, sizes, strict=False):
            with _writing(path):
                file = path.open("r+b" if path.exists() else "w+b")
                self._files.append(file)
                file.seek(file.truncate(size))
        self._note(self.position)
        return self

    def __exit__(self, *_exception: object) -> None:
        for file in self._files:
            file.close()

    def add(self, update: Update, finished: int, change: str, heading: str, row: str) -> None:
        """Write what one update did: a line, a row of statistics, their heading above the first; then, that it is finished."""
        rows = list(zip(self._paths, self._files, strict=True))
        if self._out is None:
            sys.stdout.write(change)
            sys.stdout.flush()
        else:
            _append(*rows.pop(0), change)
        for path, file in rows:
            _append(path, file, row if file.tell() else heading + row)
        self._note(Position(finished, update.place, update.id))

    def _note(self, position: Position) -> None:
        self.position = replace(position, sizes=tuple(file.tell() for file in self._files))
        if self._state is None:
            return
        temporary = self._state.with_name(f".{self._state.name}")
        with _writing(self._state):
            temporary.write_text(json.dumps(asdict(self.position), ensure_ascii=False) + "\n", encoding="utf-8")
            temporary.replace(self._state)

    def _read(self, state: Path) -> Position:
        """The state of an earlier run; the beginning if there was none."""
        if not state.exists():
            if self._paths[0].exists():
                message = f"cannot go on with {self._paths[0]}: there is no {state.name} beside it, which says how far it is"
                raise fail("TL077", message, fix="start over without --resume")
            return Position()
        try:
            kept = json.loads(state.read_text(encoding="utf-8"))
            position = Position(int(kept["finished"]), str(kept["place"]), kept["id"], tuple(map(int, kept["sizes"])))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise fail("TL077", f"cannot go on: {state} is damaged: {error}", fix=_FIX) from error
        for path, size in zip(self._paths, position.sizes, strict=False):
            if (path.stat().st_size if path.exists() else 0) < size:
                raise fail("TL077", f"cannot go on with {path}: it is shorter than it was", fix=_FIX)
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
