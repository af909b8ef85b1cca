"""A folder of any file system that Spark reaches, through Hadoop's `FileSystem` in the JVM that Spark runs in.

So the driver's own files are where Spark's are, with the same credentials: `hdfs:`, `s3a:`, `abfss:`, `gs:`, or whatever else a
jar brings.  Two things depend on the file system.

- *Replacing a file.*  Object stores put an object in the place of another at once, when it is closed.  Elsewhere a temporary file
  is renamed.
- *Creating a file that must not be there*, which decides which of two jobs a state belongs to.  S3A (Hadoop 3.4.2 and later) and
  Google's connector put an object on that condition.  HDFS and ABFS rename only to names that are free.  On others we look before
  we rename, and read what we wrote: that finds a job that began earlier, but not one that begins at the same moment.
"""

from __future__ import annotations

import errno
import re
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

from tidelog.errors import fail
from tidelog.stores.store import Store, copied

_PUT_AT_ONCE = ("s3a", "s3", "s3n", "gs", "oss", "cosn")
"""Object stores: a file appears, and replaces the one before, when it is closed."""
_EXCLUSIVE = ("hdfs", "webhdfs", "swebhdfs", "ofs", "abfs", "abfss", "gs")
_IF_ABSENT = "fs.option.create.conditional.overwrite"
"""A file system with this capability creates a file only if there is none; S3A has it."""


class HadoopStore(Store):
    """A folder by its address."""

    def __init__(self, uri: str, context: Any, spark: Any = None) -> None:
        """`context` is a SparkContext; settings of the session `spark` count too."""
        self.uri = uri.rstrip("/")
        self._gateway, self._jvm = context._gateway, context._jvm
        self._hadoop = self._jvm.org.apache.hadoop.fs
        self._settings = (
            context._jsc.hadoopConfiguration() if spark is None else spark._jsparkSession.sessionState().newHadoopConf()
        )
        try:
            with _as_os_error(uri):
                self._root = self._hadoop.Path(self.uri)
                self._system = self._root.getFileSystem(self._settings)
                self._conditional = bool(self._system.hasPathCapability(self._root, _IF_ABSENT))
        except OSError as error:
            fix = "check the address; a scheme that Spark does not know needs a jar of its own (`spark.jars.packages`)"
            raise fail("TL093", f"cannot reach {uri}: {error.strerror}", fix=fix) from error
        self._scheme = str(self._root.toUri().getScheme()).lower()

    @property
    def can_exclude(self) -> bool:  # type: ignore[override]
        """Whether the file system itself decides who creates a file."""
        scheme = self._scheme
        if scheme == "viewfs":
            with suppress(OSError), _as_os_error(self.uri):
                scheme = str(self._system.resolvePath(self._existing()).toUri().getScheme())
        return self._conditional or scheme in _EXCLUSIVE

    def _existing(self) -> Any:
        """The folder, or the nearest one above it that is there."""
        path = self._root
        while path.getParent() is not None and not self._system.exists(path):
            path = path.getParent()
        return path

    def address(self, name: str = "") -> str:
        """The address of a file or folder."""
        return f"{self.uri}/{name}".rstrip("/")

    def _path(self, name: str) -> Any:
        return self._hadoop.Path(self.address(name))

    # --- small files -----------------------------------------------------------------------------------------------------

    def read(self, name: str) -> str | None:
        """The text of a file, None if it is not there."""
        try:
            with self._opened(name) as stream:
                return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        except FileNotFoundError:
            return None

    def read_bytes(self, name: str, start: int, most: int) -> bytes:
        """So many bytes of a file at most, from a place on."""
        if (wanted := min(most, self.size(name) - start)) <= 0:
            return b""
        with self._opened(name) as stream:
            stream.seek(start)
            return bytes(self._jvm.org.apache.commons.io.IOUtils.toByteArray(stream, wanted))

    def size(self, name: str) -> int:
        """How many bytes a file has."""
        with _as_os_error(self.address(name)):
            return int(self._system.getFileStatus(self._path(name)).getLen())

    @contextmanager
    def _opened(self, name: str) -> Iterator[Any]:
        with _as_os_error(self.address(name)):
            stream = self._system.open(self._path(name))
            try:
                yield stream
            finally:
                stream.close()

    def replace(self, name: str, text: str) -> None:
        """Put the file, or write a temporary one and rename it."""
        with _as_os_error(self.address(name)):
            if self._scheme in _PUT_AT_ONCE:
                self._write(self._system.create(self._path(name), True), text)
            else:
                self._rename(self._temporary(name, text), name, "OVERWRITE")

    def create(self, name: str, text: str) -> bool:
        """Write a file that is not there yet, in the way that the file system has for it; what is there tells whether we did."""
        try:
            with _as_os_error(self.address(name)):
                if self._conditional:
                    builder = self._system.createFile(self._path(name)).overwrite(False)
                    self._write(builder.must(_IF_ABSENT, True).build(), text)
                elif self._scheme in _PUT_AT_ONCE:
                    self._write(self._system.create(self._path(name), False), text)
                else:
                    self._rename(self._temporary(name, text), name, "NONE")
        except OSError:
            if (found := self.read(name)) is None:
                raise  # nobody has created it
            return found == text  # the answer to our own attempt may have been lost
        return self.read(name) == text

    def _temporary(self, name: str, text: str) -> str:
        folder, _, last = name.rpartition("/")
        temporary = f"{folder}/.{last.partition('.')[0]}.{uuid.uuid4().hex}".lstrip("/")
        self._write(self._system.create(self._path(temporary), True), text)
        return temporary

    def _write(self, stream: Any, text: str) -> None:
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()

    # --- files and folders -----------------------------------------------------------------------------------------------

    def writing(self, name: str) -> AbstractContextManager[Path]:
        """A temporary file, which is copied at the end."""

        def take(path: Path) -> None:
            source = self._hadoop.Path(self._jvm.java.io.File(str(path)).toURI())
            with _as_os_error(self.address(name)):
                self._system.copyFromLocalFile(True, True, source, self._path(name))

        return copied(after=take)

    def at_hand(self, name: str) -> AbstractContextManager[Path]:
        """A copy of a file on this machine."""

        def fill(path: Path) -> None:
            target = self._hadoop.Path(self._jvm.java.io.File(str(path)).toURI())
            with _as_os_error(self.address(name)):
                self._system.copyToLocalFile(False, self._path(name), target, True)

        return copied(fill)

    def changed(self, name: str) -> float:
        """When a file was changed."""
        with _as_os_error(self.address(name)):
            return int(self._system.getFileStatus(self._path(name)).getModificationTime()) / 1000

    def rename(self, old: str, new: str) -> None:
        """Give a file its final name."""
        with _as_os_error(self.address(old)):
            if self._system.exists(self._path(old)):
                self._rename(old, new, "OVERWRITE")

    def _rename(self, old: str, new: str, how: str) -> None:
        """Rename a file over another one (`OVERWRITE`), or only to a free name (`NONE`)."""
        context = self._hadoop.FileContext
        options = getattr(self._hadoop, "Options$Rename")
        given = self._gateway.new_array(options, 1)
        given[0] = getattr(options, how)
        try:
            context.getFileContext(self._root.toUri(), self._settings).rename(self._path(old), self._path(new), given)
        except Exception as error:
            if not _class_of(error).endswith(".UnsupportedFileSystemException"):
                if how == "NONE":
                    self._system.delete(self._path(old), False)
                raise
            self._rename_in_steps(old, new, how)

    def _rename_in_steps(self, old: str, new: str, how: str) -> None:
        """The same on a file system that has no such rename of its own."""
        if self._system.exists(self._path(new)):
            self._system.delete(self._path(old if how == "NONE" else new), False)
            if how == "NONE":
                raise FileExistsError(errno.EEXIST, "it is there already", self.address(new))
        if not self._system.rename(self._path(old), self._path(new)):
            raise OSError(errno.EIO, f"it cannot be renamed from {old}", self.address(new))

    def entries(self, name: str = "") -> list[str]:
        """The names in a folder, in order, by one call however many they are."""
        path = self._path(name)
        try:
            with _as_os_error(self.address(name)):
                found = self._hadoop.FileUtil.stat2Paths(self._system.listStatus(path))
                shown = str(self._jvm.org.apache.commons.lang3.ArrayUtils.toString(found))[1:-1]
                if shown and shown == self._system.makeQualified(path).toString() and self._system.getFileStatus(path).isFile():
                    raise NotADirectoryError(errno.ENOTDIR, "it is a file", self.address(name))
        except FileNotFoundError:
            return []
        addresses = re.split(r",(?=[A-Za-z][A-Za-z0-9+.-]*:/)", shown) if shown else []
        return sorted(address.rpartition("/")[2] for address in addresses)

    def delete(self, name: str) -> None:
        """Remove a file, or a folder with all that is in it, if it is there."""
        with _as_os_error(self.address(name)):
            self._system.delete(self._path(name), True)


def _class_of(error: Exception) -> str:
    """The name of the class of an exception: of that of the JVM, if it is one."""
    cause = getattr(error, "java_exception", None)
    return type(error).__name__ if cause is None else str(cause.getClass().getName())


@contextmanager
def _as_os_error(address: str) -> Iterator[None]:
    """Exceptions of the JVM as those of Python."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        cause = getattr(error, "java_exception", None)
        if cause is None and not type(error).__module__.startswith("pyspark"):
            raise
        name = _class_of(error)
        said = (str(error if cause is None else cause.getMessage()).splitlines() or [""])[0]
        if "FileNotFound" in name or "NoSuchFile" in name:
            raise FileNotFoundError(errno.ENOENT, said, address) from error
        if "FileAlreadyExists" in name:
            raise FileExistsError(errno.EEXIST, said, address) from error
        raise OSError(errno.EIO, f"{name.rpartition('.')[2]}: {said}", address) from error
