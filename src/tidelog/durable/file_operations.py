"""The file operations of a saved knowledge base: write, sync, remove; and the checksums of what is written.

Everything that is not SQLite's goes through `FileOperations`, so that tests can record the operations, make them fail, and check
what a loss of power leaves after each of them.
"""

from __future__ import annotations

import io
import mmap
import os
import shutil
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from tidelog.errors import TidelogError, fail

BLOCK = 1 << 20
"""Bytes that have one checksum: so exactly is damage located."""


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file by its path inside the folder, its size, and the CRC-32 of each block."""

    path: str
    size: int
    checksums: tuple[int, ...]

    def to_json(self) -> list[object]:
        """For the manifest."""
        return [self.path, self.size, list(self.checksums)]

    @classmethod
    def from_json(cls, thing: Sequence[Any]) -> WrittenFile:
        """From the manifest."""
        path, size, checksums = thing
        return cls(str(path), int(size), tuple(map(int, checksums)))


class ChecksummedFile(io.RawIOBase):
    """A file being written; computes the checksums of its blocks on the way."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file
        self.size = 0
        self.checksums: list[int] = []

    def writable(self) -> bool:
        """Arrow asks."""
        return True

    def tell(self) -> int:
        """How much has been written."""
        return self.size

    def write(self, data: Any, /) -> int:
        """Write all of some bytes."""
        view = memoryview(data).cast("B")
        self._file.write(view)
        at = 0
        while at < len(view):
            begin = self.size % BLOCK
            piece = view[at : at + BLOCK - begin]
            if begin:
                self.checksums[-1] = zlib.crc32(piece, self.checksums[-1])
            else:
                self.checksums.append(zlib.crc32(piece))
            self.size += len(piece)
            at += len(piece)
        return len(view)


class FileOperations:
    """What is done to files and folders; `syncs` is False where nothing has to survive a loss of power."""

    def __init__(self, *, syncs: bool = True) -> None:
        self.syncs = syncs

    def make_folder(self, path: Path) -> None:
        """Make a folder, and those above it, unless they are there."""
        path.mkdir(parents=True, exist_ok=True)

    def open(self, path: Path) -> BinaryIO:
        """Begin a new file; nothing of that name may be there."""
        return path.open("xb")

    def sync_file(self, file: BinaryIO, path: Path) -> None:
        """Wait until a file is on disk."""
        del path
        file.flush()
        if self.syncs:
            os.fsync(file.fileno())

    def sync_folder(self, path: Path) -> None:
        """Wait until the names in a folder are on disk."""
        if self.syncs:
            number = os.open(path, os.O_RDONLY)
            try:
                os.fsync(number)
            finally:
                os.close(number)

    def remove_file(self, path: Path) -> None:
        """Remove a file, if it is there."""
        path.unlink(missing_ok=True)

    def remove_folder(self, path: Path) -> None:
        """Remove a folder with all that is in it, if it is there."""
        if path.exists():
            shutil.rmtree(path)


def read_checked(folder: Path, written: WrittenFile) -> Any:
    """The bytes of a file as an Arrow buffer, after all checksums were compared; an error names the file and the offset."""
    import pyarrow as pa

    path = folder / written.path
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size != written.size:
                raise damaged(path, min(size, written.size), f"it has {size:,} bytes, and {written.size:,} were written")
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
    except FileNotFoundError as error:
        raise damaged(path, 0, "it is missing") from error
    except OSError as error:
        raise fail("TL060", f"cannot read {path}: {error.strerror or error}") from error
    view = memoryview(data)
    for at, expected in enumerate(written.checksums):
        if zlib.crc32(view[at * BLOCK : (at + 1) * BLOCK]) != expected:
            raise damaged(path, at * BLOCK, "the bytes from there on are not those that were written")
    return pa.py_buffer(data)


def damaged(path: Path, offset: int, problem: str) -> TidelogError:
    """The error for a file that is not as it was written."""
    fix = "restore the folder from a copy; nothing of it has been read"
    return fail("TL062", f"{path} is damaged at byte {offset:,}: {problem}", fix=fix)
