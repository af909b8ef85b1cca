"""Saved knowledge bases for the tests of this folder: their facts, a crash, and file operations that are recorded or fail."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path
from typing import Any, BinaryIO

from tidelog import KnowledgeBase
from tidelog.durable.file_operations import FileOperations
from tidelog.durable.opening import open_saved
from tidelog.local.kb import LocalKnowledgeBase

RULES = """\
@relation stock(item: string key, count: int) .
first: path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
degree(X, C) :- edge(X, _), C = count { Y : edge(X, Y) }.
shout(U) :- edge(X, _), U = upper(X).
alone(X) :- stock(X, _), not edge(X, _).
edge(a, b). edge(b, c).
"""

Everything = dict[str, list[str]]


def everything(kb: KnowledgeBase) -> Everything:
    """All facts, by relation; those that users see."""
    return {name: sorted(map(repr, kb[name])) for name in sorted(kb.relations)}


def opened(folder: Path, rules: str | None = None, durability: str = "none", **options: Any) -> LocalKnowledgeBase:
    """A saved knowledge base; without waiting for the disk, unless it is asked for."""
    files = options.pop("files", None)
    read_only = options.pop("read_only", False)
    return open_saved(folder, rules, durability=durability, read_only=read_only, options=options, files=files)


def crashed(folder: Path, to: Path) -> Path:
    """What a process that is killed now leaves: a copy of the folder, without its lock."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(folder, to)
    (to / "manifest.sqlite-shm").unlink(missing_ok=True)
    return to


class FailingOperations(FileOperations):
    """File operations for which there is no room after so many."""

    def __init__(self, left: int) -> None:
        super().__init__(syncs=False)
        self.left = left

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise OSError(errno.ENOSPC, "No space left on device")

    def make_folder(self, path: Path) -> None:
        self._count()
        super().make_folder(path)

    def open(self, path: Path) -> BinaryIO:
        self._count()
        return super().open(path)

    def sync_file(self, file: BinaryIO, path: Path) -> None:
        self._count()
        super().sync_file(file, path)
