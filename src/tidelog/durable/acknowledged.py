"""The number of the last acknowledged change, beside the journal, with the durability `fsync`.

SQLite takes a damaged WAL for one whose end was not written, and drops what is behind the damage.  This number tells that
something is missing.  It is written after the entry of the journal is on disk and is not waited for, so it is never larger than
what was on disk; with other durabilities it could be, and is not kept.
"""

from __future__ import annotations

import os
import re
import zlib
from pathlib import Path

NAME = "acknowledged"
_FORM = re.compile(rb"(\d{20}) (\d{10})\n")


class Acknowledged:
    """The open file."""

    def __init__(self, folder: Path) -> None:
        self._number = os.open(folder / NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)

    def write(self, sequence: int) -> None:
        """Let this be the last change."""
        text = b"%020d" % sequence
        os.pwrite(self._number, b"%s %010d\n" % (text, zlib.crc32(text)), 0)

    def close(self) -> None:
        """Close the file."""
        os.close(self._number)


def last_acknowledged(folder: Path) -> int:
    """The number of the last change that is known to have been acknowledged; 0 if none is."""
    try:
        found = _FORM.fullmatch((folder / NAME).read_bytes())
    except FileNotFoundError:
        return 0
    return int(found[1]) if found is not None and zlib.crc32(found[1]) == int(found[2]) else 0
