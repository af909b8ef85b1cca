"""Small files and folders on the file systems of sinks: this machine's, or any that pyarrow knows by URI.

The engines write the data.  Stores are for pointers, manifests and the removal of old versions.  On a file system of this machine
a file is replaced by a rename; an object store replaces an object at once when its upload ends.
"""

from __future__ import annotations

import os
import shutil
import uuid
from pathlib import Path
from typing import Any

import pyarrow as pa

from tidelog.errors import fail
from tidelog.pipeline.job.reading_parts import is_uri


def store_at(path: str) -> Store:
    """The folder at a path or URI."""
    if path.startswith("file:"):
        path = path.removeprefix("file:").removeprefix("//")
    return RemoteStore(path) if is_uri(path) else LocalStore(Path(path))


class LocalStore:
    """A folder of this machine, or one that it has mounted; names are relative to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, name: str) -> str | None:
        """The text of a file, None if it is not there."""
        try:
            return (self.folder / name).read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError):
            return None

    def replace(self, name: str, text: str) -> None:
        """Write a temporary file, then rename it: a reader sees the old text or the new one, and nothing else."""
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
        try:
            write_through(temporary, text)
            temporary.replace(target)
            synchronise(target.parent)
        finally:
            temporary.unlink(missing_ok=True)

    def remove(self, name: str) -> None:
        """Remove a file or a folder with all that is in it, if it is there."""
        path = self.folder / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)

    def entries(self, name: str = "") -> list[str]:
        """The names in a folder, in order; none if it is not there."""
        try:
            return sorted(entry.name for entry in (self.folder / name).iterdir())
        except FileNotFoundError:
            return []

    def make_durable(self, name: str) -> None:
        """Write files and folders through to the disk."""
        for folder, _, files in os.walk(self.folder / name):
            for file in files:
                synchronise(Path(folder) / file)
            synchronise(Path(folder))


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


class RemoteStore:
    """A folder of a file system that pyarrow reaches: `s3://`, `gs://`, `abfss://`, `hdfs://`."""

    def __init__(self, uri: str, system: tuple[Any, str] | None = None) -> None:
        """`system` is a file system of pyarrow and the path on it; without it, the URI tells."""
        self.uri = uri
        self._system, self._root = system or _file_system(uri)

    def _path(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}".rstrip("/")

    def read(self, name: str) -> str | None:
        """The text of a file, None if it is not there."""
        try:
            with self._system.open_input_stream(self._path(name)) as file:
                return bytes(file.read()).decode("utf-8")
        except FileNotFoundError:
            return None

    def replace(self, name: str, text: str) -> None:
        """Write the file anew: on object stores it appears when it is whole; elsewhere it is renamed."""
        path = self._path(name)
        renames = self._system.type_name in ("hdfs", "local")
        target = f"{path}.{uuid.uuid4().hex}" if renames else path
        self._system.create_dir(path.rpartition("/")[0], recursive=True)
        with self._system.open_output_stream(target) as file:
            file.write(text.encode())
        if renames:
            self._system.move(target, path)

    def remove(self, name: str) -> None:
        """Remove a file or a folder."""
        from pyarrow import fs

        kind = self._system.get_file_info(self._path(name)).type
        if kind == fs.FileType.Directory:
            self._system.delete_dir(self._path(name))
        elif kind == fs.FileType.File:
            self._system.delete_file(self._path(name))

    def entries(self, name: str = "") -> list[str]:
        """The names in a folder."""
        from pyarrow import fs

        found = self._system.get_file_info(fs.FileSelector(self._path(name), allow_not_found=True))
        return sorted(entry.base_name for entry in found)

    def make_durable(self, name: str) -> None:
        """Nothing to do: an object store writes durably."""


Store = LocalStore | RemoteStore


def _file_system(uri: str) -> tuple[Any, str]:
    from pyarrow import fs

    known = uri.replace("s3a://", "s3://", 1).replace("s3n://", "s3://", 1)
    try:
        system, path = fs.FileSystem.from_uri(known)
    except (pa.ArrowException, OSError, ValueError) as error:
        problem = str(error).splitlines()[0]
        fix = "use a path on a shared file system, s3a://, gs://, abfss:// or hdfs://, or a table"
        raise fail("TL093", f"cannot reach {uri} from the driver: {problem}", fix=fix) from error
    return system, str(path)
