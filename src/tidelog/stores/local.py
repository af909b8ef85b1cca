"""A folder of this machine, or one that it has mounted."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from tidelog.stores.store import Store


class LocalStore(Store):
    """A folder by its path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def address(self, name: str = "") -> str:
        """Without a scheme, Spark would take the default file system of a cluster."""
        return f"file://{(self.folder / name).absolute()}"

    def read(self, name: str) -> str | None:
        """The text of a file, None if it is not there."""
        try:
            return (self.folder / name).read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError):
            return None

    def read_bytes(self, name: str, start: int, most: int) -> bytes:
        """So many bytes of a file at most, from a place on."""
        with (self.folder / name).open("rb") as file:
            file.seek(start)
            return file.read(most)

    def size(self, name: str) -> int:
        """How many bytes a file has."""
        return (self.folder / name).stat().st_size

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        """The file itself."""
        with (self.folder / name).open("rb") as file:
            yield file

    def replace(self, name: str, text: str) -> None:
        """Write a temporary file, then rename it."""
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
        try:
            write_through(temporary, text)
            temporary.replace(target)
            synchronise(target.parent)
        finally:
            temporary.unlink(missing_ok=True)

    def create(self, name: str, text: str) -> bool:
        """Write a temporary file, and link it to its name, which only one process can."""
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.stem}.{uuid.uuid4().hex}")
        try:
            write_through(temporary, text)
            os.link(temporary, target)
        except (FileExistsError, FileNotFoundError):  # another process has it, and may have removed files
            return False
        finally:
            temporary.unlink(missing_ok=True)
        synchronise(target.parent)
        return True

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        """The path of the file itself."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        yield path

    @contextmanager
    def at_hand(self, name: str) -> Iterator[Path]:
        """The file itself."""
        yield self.folder / name

    def rename(self, old: str, new: str) -> None:
        """Give a file its final name."""
        with suppress(FileNotFoundError):  # it has that name already
            (self.folder / old).replace(self.folder / new)
        synchronise((self.folder / new).parent)

    def changed(self, name: str) -> float:
        """When a file got its content or its name."""
        return (self.folder / name).stat().st_ctime

    def entries(self, name: str = "") -> list[str]:
        """The names in a folder, in order."""
        try:
            return sorted(os.listdir(self.folder / name))  # noqa: PTH208
        except FileNotFoundError:
            return []

    def delete(self, name: str) -> None:
        """Remove a file, or a folder with all that is in it, if it is there."""
        path = self.folder / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def make_durable(self, name: str) -> None:
        """Write a file or folder, and its name, through to the disk."""
        path = self.folder / name
        for folder, _, files in os.walk(path):
            for file in files:
                synchronise(Path(folder) / file)
            synchronise(Path(folder))
        if not path.is_dir():
            synchronise(path)
        synchronise(path.parent)


def write_through(path: Path, text: str) -> None:
    """Create a file, and write it through to the disk."""
    with path.open("x", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def synchronise(path: Path) -> None:
    """Write a file or the entries of a folder through to the disk, where the system can do that."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)
