"""The lock of a folder: one process writes.  The operating system frees it when the process ends, however it ends."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from tidelog.errors import fail

NAME = "lock"


class FolderLock:
    """A lock that is held from creation to `release`."""

    def __init__(self, folder: Path) -> None:
        self._number, path = -1, folder / NAME
        try:
            self._number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            fix = "check the rights of the folder, or open it with `read_only=True`"
            raise fail("TL060", f"cannot write {path}: {error.strerror or error}", fix=fix) from error
        try:
            fcntl.flock(self._number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(self._number, 20).decode("ascii", "replace").strip()
            self.release()
            by = f" by process {holder}" if holder.isdigit() else ""
            fix = "close it there first, or open it here with `read_only=True`"
            raise fail("TL063", f"{folder} is open for writing already{by}", fix=fix) from error
        os.ftruncate(self._number, 0)
        os.pwrite(self._number, b"%d\n" % os.getpid(), 0)

    def __del__(self) -> None:
        self.release()

    def release(self) -> None:
        """Let others write."""
        if self._number >= 0:
            os.close(self._number)
            self._number = -1
