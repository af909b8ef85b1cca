"""A folder of a file system that pyarrow reaches (`s3a:`, `gs:`, `abfss:`, `hdfs:`), with the credentials of this process."""

from __future__ import annotations

import shutil
import uuid
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from tidelog.errors import fail
from tidelog.stores.store import Store, copied

_RENAMES = ("hdfs", "local")
"""File systems whose files are seen while they are written."""


class ArrowStore(Store):
    """A folder by its address, where this process has no JVM.  It cannot tell two jobs apart, so streams do not use it."""

    can_exclude = False

    def __init__(self, uri: str, system: tuple[Any, str] | None = None) -> None:
        """`system` is a file system of pyarrow and the path on it; without it, the address tells."""
        self.uri = uri.rstrip("/")
        self._given = system

    @cached_property
    def _reached(self) -> tuple[Any, str]:
        return self._given or _file_system(self.uri)

    @property
    def _system(self) -> Any:
        return self._reached[0]

    def address(self, name: str = "") -> str:
        """The address of a file or folder."""
        return f"{self.uri}/{name}".rstrip("/")

    def _path(self, name: str) -> str:
        return f"{self._reached[1].rstrip('/')}/{name}".rstrip("/")

    def read(self, name: str) -> str | None:
        """The text of a file, None if it is not there."""
        try:
            with self._system.open_input_stream(self._path(name)) as file:
                return bytes(file.read()).decode("utf-8")
        except FileNotFoundError:
            return None

    def read_bytes(self, name: str, start: int, most: int) -> bytes:
        """So many bytes of a file at most, from a place on."""
        with self._system.open_input_file(self._path(name)) as file:
            return bytes(file.read_at(max(0, min(most, file.size() - start)), start)) if start < file.size() else b""

    def size(self, name: str) -> int:
        """How many bytes a file has."""
        found = self._system.get_file_info(self._path(name)).size
        if found is None:
            raise FileNotFoundError(self.address(name))
        return int(found)

    def replace(self, name: str, text: str) -> None:
        """Write the file anew: on object stores it appears when it is whole; elsewhere it is renamed."""
        path = self._path(name)
        renames = self._system.type_name in _RENAMES
        target = f"{path}.{uuid.uuid4().hex}" if renames else path
        self._system.create_dir(path.rpartition("/")[0], recursive=True)
        with self._system.open_output_stream(target) as file:
            file.write(text.encode())
        if renames:
            self._system.move(target, path)

    def create(self, name: str, text: str) -> bool:
        """Look, then write: two processes may both succeed."""
        if self.read(name) is not None:
            return False
        self.replace(name, text)
        return True

    def writing(self, name: str) -> AbstractContextManager[Path]:
        """A temporary file, which is copied at the end."""

        def take(path: Path) -> None:
            self._system.create_dir(self._path(name).rpartition("/")[0], recursive=True)
            with path.open("rb") as source, self._system.open_output_stream(self._path(name)) as target:
                shutil.copyfileobj(source, target)

        return copied(after=take)

    def at_hand(self, name: str) -> AbstractContextManager[Path]:
        """A copy of a file."""

        def fill(path: Path) -> None:
            with self._system.open_input_stream(self._path(name)) as source, path.open("wb") as target:
                shutil.copyfileobj(source, target)

        return copied(fill)

    def rename(self, old: str, new: str) -> None:
        """Give a file its final name."""
        from pyarrow import fs

        if self._system.get_file_info(self._path(old)).type != fs.FileType.NotFound:
            self._system.move(self._path(old), self._path(new))

    def changed(self, name: str) -> float:
        """When a file was changed."""
        return float(self._system.get_file_info(self._path(name)).mtime_ns / 1e9)

    def delete(self, name: str) -> None:
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
